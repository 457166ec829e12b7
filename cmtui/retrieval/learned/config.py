"""Which embedding model, and how it is run (R119, R121, R125)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cmtui.errors import InvalidRequest

#: The seed's checkpoint at one revision (R119).
MODEL_NAME: Final = "BAAI/bge-small-en-v1.5"
REVISION: Final = "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a"
#: The instruction its authors put before a query; passages have none.
QUERY_INSTRUCTION: Final = "Represent this sentence for searching relevant passages: "
_REVISION = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class LearnedSemanticConfig:
    """A local model directory (``model_directory``, ONNX), else a pinned checkpoint through transformers.

    ``revision`` is the full commit, or None for a local directory in ``model_name``. ``batch_size`` and
    ``device`` concern transformers; ONNX runs on the CPU, one passage a call, which is the fastest there.
    ``max_tokens`` None takes the model's own limit; ``overlap`` is the share of a window that the next one
    repeats (R123). ``local_files_only`` False is the explicit permission to download into
    ``cache_directory``. Raises InvalidRequest for values out of range.
    """

    model_directory: str | Path | None = None
    model_name: str = MODEL_NAME
    revision: str | None = REVISION
    query_instruction: str = QUERY_INSTRUCTION
    cache_directory: str | None = None
    device: str = "cpu"
    batch_size: int = 16
    max_tokens: int | None = None
    overlap: float = 0.25
    threads: int | None = None
    local_files_only: bool = True

    def __post_init__(self) -> None:
        if self.model_directory is None:
            if self.revision is None and not Path(self.model_name).expanduser().is_dir():
                raise InvalidRequest(
                    f"The model '{self.model_name}' needs a revision: it is no local directory.",
                    "Give the full commit of the model repository, 40 hexadecimal digits.",
                )
            if self.revision is not None and not _REVISION.fullmatch(self.revision):
                raise InvalidRequest(
                    f"The revision '{self.revision}' is not a full commit.",
                    "A branch or tag may change; give 40 hexadecimal digits.",
                )
        if self.batch_size < 1:
            raise InvalidRequest(f"The batch size {self.batch_size} is not above 0.", "Try 16.")
        if self.max_tokens is not None and self.max_tokens < 8:
            raise InvalidRequest(f"{self.max_tokens} tokens are too few for a window.", "Give 8 or more.")
        if not 0.0 <= self.overlap <= 0.75:
            raise InvalidRequest(f"The overlap {self.overlap} is not from 0 to 0.75.", "Try 0.25.")

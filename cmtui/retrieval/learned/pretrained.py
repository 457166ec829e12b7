"""Loading a checkpoint through transformers, for embeddings and inference alike (extra ``[transformers]``).

A model id is pinned to its full revision, a local directory is named by its content. Only safetensors are
read, nothing is downloaded without permission, and code of a model's repository never runs (R121, R124).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cmtui.errors import CmtuiError, ExtraMissing

#: What loading raises when a model is missing, damaged or of another kind.
FAILURES = (OSError, ValueError, KeyError, ImportError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a model is. ``revision`` is None for a local directory."""

    model_name: str
    revision: str | None
    cache_directory: str | None
    local_files_only: bool
    device: str

    def libraries(self) -> tuple[Any, Any]:
        """torch and transformers. Raises ExtraMissing."""
        try:
            import torch
            import transformers
        except ImportError as error:
            raise ExtraMissing(
                f"This model needs the package {error.name}, which is not installed.",
                "pip install 'cmtui[transformers]'",
            ) from error
        transformers.utils.logging.disable_progress_bar()  # progress is told by cmtui, and to terminals alone
        return torch, transformers

    def read(self, kind: Any, **options: Any) -> Any:
        """A configuration or tokenizer of this checkpoint. Raises one of FAILURES."""
        name = self.model_name if self.revision else str(Path(self.model_name).expanduser())
        return kind.from_pretrained(
            name,
            revision=self.revision or "main",
            cache_dir=self.cache_directory,
            local_files_only=self.local_files_only,
            trust_remote_code=False,
            **options,
        )

    def model(self, kind: Any) -> Any:
        """The network, on its device and ready to answer. Raises one of FAILURES."""
        return self.read(kind, use_safetensors=True).to(self.device).eval()

    def failure(self, error: Exception, kind: type[CmtuiError], permission: str) -> CmtuiError:
        """Why the model cannot be loaded; ``permission`` names how a download is allowed."""
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        hint = (
            f"Downloading it once needs your permission: {permission}."
            if self.local_files_only
            else "Check the name, the revision and the connection; HF_HUB_OFFLINE forbids every download."
        )
        return kind(f"The model '{self.model_name}' cannot be loaded: {first}", hint)


def content_digest(folder: Path) -> str:
    """SHA-256 over the configuration, the tokenizer and the weights of a directory, by name and content."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in (".json", ".safetensors", ".txt", ".model") and path.is_file():
            with path.open("rb") as file:
                one = hashlib.file_digest(file, "sha256").hexdigest()
            whole.update(f"{path.name} {one}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()

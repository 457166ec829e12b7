"""The seed's route: a revision-pinned three-way transformer, extra ``[transformers]`` (R120 to R125).

Nothing is loaded before the first claim is checked, nothing is downloaded unless ``local_files_only`` is
False, weights are safetensors only, and code from a model repository never runs.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cmtui.errors import InferenceError, InvalidRequest
from cmtui.inference.nli.backend import ThreeWayBackend, softmax
from cmtui.inference.nli.policy import (
    CONFIDENCE,
    MARGIN,
    MAX_SPAN_PROPOSALS,
    MAX_TOKENS,
    MAX_WINDOWS,
    NLIPolicy,
    classes_of,
)
from cmtui.inference.nli.scoring import Pair
from cmtui.retrieval.learned.pretrained import FAILURES, Checkpoint, content_digest

#: The seed's checkpoint, DeBERTa v3 trained on MNLI, FEVER and ANLI, at one revision (R120).
MODEL_NAME: Final = "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"
REVISION: Final = "6f5cf0a2b59cabb106aca4c287eed12e357e90eb"
_REVISION = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class TransformerNLIConfig:
    """Which model, and how it is run (R125). Frozen.

    ``revision`` is the full commit of the model repository, or None for a local directory. ``device`` is a
    torch device. ``local_files_only`` False is the explicit permission to download into ``cache_directory``
    (R121). ``label_map`` is needed when the labels of the model are not the three class names. Raises
    InvalidRequest for a revision that is no full commit, and for values out of range.
    """

    model_name: str = MODEL_NAME
    revision: str | None = REVISION
    cache_directory: str | None = None
    device: str = "cpu"
    batch_size: int = 8
    max_tokens: int = MAX_TOKENS
    confidence: float = CONFIDENCE
    margin: float = MARGIN
    long_passage_policy: str = "abstain"
    max_span_proposals: int = MAX_SPAN_PROPOSALS
    max_windows: int = MAX_WINDOWS
    local_files_only: bool = True
    label_map: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
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
        if not self.model_name or not self.device:
            raise InvalidRequest("The model and the device need names.", "For example: device='cpu'.")
        if self.batch_size < 1:
            raise InvalidRequest(f"The batch size {self.batch_size} is not above 0.", "Try 8.")
        self.policy()

    def policy(self) -> NLIPolicy:
        """The operating point and the limits."""
        return NLIPolicy(
            confidence=self.confidence,
            margin=self.margin,
            max_tokens=self.max_tokens,
            long_passage_policy=self.long_passage_policy,
            max_span_proposals=self.max_span_proposals,
            max_windows=self.max_windows,
        )


@dataclass(frozen=True, slots=True)
class _Loaded:
    torch: Any
    model: Any
    tokenizer: Any
    labels: tuple[str, ...]
    label_map: Mapping[str, str]


class TransformerNLIBackend(ThreeWayBackend):
    """Inference with a transformers sequence classifier. The model is loaded on first use and kept (R135).

    On first use raises ExtraMissing without the extra, InvalidRequest for a head that is not three-way, and
    InferenceError when the model is not in the cache or cannot be loaded.
    """

    def __init__(self, config: TransformerNLIConfig | None = None) -> None:
        self.config = config or TransformerNLIConfig()
        pinned = f":{self.config.revision[:12]}" if self.config.revision else ""
        super().__init__(
            f"{self.config.model_name}{pinned}", self.config.policy(), batch_size=self.config.batch_size
        )
        self._guard = threading.Lock()
        self._kept: _Loaded | None = None
        self._digest: str | None = None

    @property
    def name(self) -> str:
        """Model, revision and operating point; a local directory by its name and the digest of its files."""
        if self.config.revision is not None:
            return super().name
        folder = Path(self.config.model_name).expanduser()
        if self._digest is None:
            self._digest = content_digest(folder)
        return f"{folder.name}:{self._digest[:12]}@{self._policy.label}"

    def _label_map(self) -> Mapping[str, str]:
        return self._loaded().label_map

    def _classify(self, pairs: Sequence[Pair]) -> Sequence[Mapping[str, float]]:
        kept = self._loaded()
        batch = kept.tokenizer(
            [premise for premise, _ in pairs],
            [hypothesis for _, hypothesis in pairs],
            padding=True,
            truncation=False,
            return_tensors="pt",
        ).to(self.config.device)
        with kept.torch.inference_mode():
            logits = kept.model(**batch).logits
        return [
            dict(zip(kept.labels, softmax([float(value) for value in row]), strict=True))
            for row in logits.float().cpu().tolist()
        ]

    def _count(self, premise: str, hypothesis: str) -> int:
        encoded = self._loaded().tokenizer(premise, hypothesis, truncation=False, verbose=False)
        return len(encoded["input_ids"])

    def _loaded(self) -> _Loaded:
        with self._guard:
            if self._kept is None:
                self._kept = _load(self.config)
            return self._kept


def _load(config: TransformerNLIConfig) -> _Loaded:
    source = Checkpoint(
        config.model_name, config.revision, config.cache_directory, config.local_files_only, config.device
    )
    torch, transformers = source.libraries()
    try:
        described = source.read(transformers.AutoConfig)
        labels = tuple(str(described.id2label[at]) for at in range(int(described.num_labels)))
        classes = classes_of(labels, config.label_map, model=config.model_name)
        tokenizer = source.read(transformers.AutoTokenizer)
        model = source.model(transformers.AutoModelForSequenceClassification)
    except InvalidRequest:
        raise
    except FAILURES as error:
        permission = "TransformerNLIConfig(local_files_only=False), or --allow-download"
        raise source.failure(error, InferenceError, permission) from error
    return _Loaded(torch, model, tokenizer, labels, dict(zip(labels, classes, strict=True)))

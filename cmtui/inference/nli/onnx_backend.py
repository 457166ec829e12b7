"""A three-way ONNX classifier from a local model directory (extra ``[learned]``).

The directory is the one that embeddings use (``cmtui.retrieval.learned.manifest``): every file is held to its
SHA-256, nothing is downloaded, and no code of the model's author runs. ``labels`` of its manifest say what
the outputs mean, or ``label_map`` does.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.errors import ModelDirectoryError
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

if TYPE_CHECKING:
    from cmtui.retrieval.learned.onnx_model import ModelTokenizer, OnnxModel

#: Pairs of one call: larger batches are slower on a CPU, since every pair is padded to the longest.
BATCH_SIZE = 8


class OnnxNLIBackend(ThreeWayBackend):
    """Inference with the ONNX model of a local directory.

    ``max_tokens`` None takes the manifest's limit, at most 512. ``label_map`` is needed when the manifest's
    labels are not the three class names. The files are read and held to their digests at once; the session is
    made on first use. Raises ModelDirectoryError, InvalidRequest; ExtraMissing on first use without the
    extra.
    """

    def __init__(
        self,
        directory: str | Path,
        *,
        label_map: Mapping[str, str] | None = None,
        confidence: float = CONFIDENCE,
        margin: float = MARGIN,
        max_tokens: int | None = None,
        long_passage_policy: str = "abstain",
        max_span_proposals: int = MAX_SPAN_PROPOSALS,
        max_windows: int = MAX_WINDOWS,
        batch_size: int = BATCH_SIZE,
        threads: int | None = None,
    ) -> None:
        from cmtui.retrieval.learned.onnx_model import load_model_directory

        self._directory = load_model_directory(directory)
        manifest = self._directory.manifest
        if not manifest.labels:
            raise ModelDirectoryError(
                f"The manifest of '{self._directory.path}' names no labels, so it is no classifier of pairs.",
                "Add 'labels' in the order of the model's outputs: they stand in the model's documentation.",
            )
        self._labels = manifest.labels
        self._classes = classes_of(manifest.labels, label_map, model=manifest.name)
        policy = NLIPolicy(
            confidence=confidence,
            margin=margin,
            max_tokens=min(manifest.max_tokens, MAX_TOKENS) if max_tokens is None else max_tokens,
            long_passage_policy=long_passage_policy,
            max_span_proposals=max_span_proposals,
            max_windows=max_windows,
        )
        super().__init__(f"{manifest.name}:{self._directory.digest[:12]}", policy, batch_size=batch_size)
        self._threads = threads
        self._guard = threading.Lock()
        self._model: OnnxModel | None = None
        self._tokenizer: ModelTokenizer | None = None

    def _label_map(self) -> Mapping[str, str]:
        return dict(zip(self._labels, self._classes, strict=True))

    def _classify(self, pairs: Sequence[Pair]) -> Sequence[Mapping[str, float]]:
        model, tokenizer = self._loaded()
        rows = [tokenizer.encode(premise, hypothesis) for premise, hypothesis in pairs]
        outputs, _ = model.run(rows)
        logits = outputs[0]
        if logits.shape != (len(pairs), len(self._labels)):
            raise self._no_head(f"its output has the shape {tuple(logits.shape)}")
        return [
            dict(zip(self._labels, softmax([float(value) for value in row]), strict=True)) for row in logits
        ]

    def _count(self, premise: str, hypothesis: str) -> int:
        return self._loaded()[1].count(premise, hypothesis)

    def _loaded(self) -> tuple[OnnxModel, ModelTokenizer]:
        with self._guard:
            if self._model is None or self._tokenizer is None:
                tokenizer = self._directory.tokenizer()
                model = self._directory.session(threads=self._threads)
                self._tokenizer, self._model = tokenizer, model
            return self._model, self._tokenizer

    def _no_head(self, why: str) -> ModelDirectoryError:
        return ModelDirectoryError(
            f"The model in '{self._directory.path}' has no three-way head: {why}.",
            "Export a sequence classifier whose one output is a row of three logits.",
        )

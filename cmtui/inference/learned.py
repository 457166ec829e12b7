"""A caller's own premise and hypothesis classifier as an inference backend (R93, R126 to R134).

Nothing is downloaded and nothing is guessed: the caller gives the callable and says which of its labels means
entailment, contradiction and neutral. Similarity scores are refused: they are not proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from cmtui.errors import InvalidRequest
from cmtui.inference.nli.backend import ThreeWayBackend
from cmtui.inference.nli.policy import (
    CLASSES,
    CONFIDENCE,
    MARGIN,
    MAX_SPAN_PROPOSALS,
    MAX_TOKENS,
    MAX_WINDOWS,
    NLIPolicy,
    checked_label_map,
)
from cmtui.inference.nli.scoring import Pair

__all__ = ["CLASSES", "CONFIDENCE", "MARGIN", "MAX_SPAN_PROPOSALS", "BatchClassifier", "LearnedNLIBackend"]

#: Called with a premise (the passage) and a hypothesis (the claim); answers a score in [0, 1] per label.
Classifier = Callable[[str, str], Mapping[str, float]]


@runtime_checkable
class BatchClassifier(Protocol):
    """A classifier that also takes many pairs in one call (R98)."""

    def classify_batch(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        """One mapping of label to score per (premise, hypothesis) pair, in order."""
        ...


class LearnedNLIBackend(ThreeWayBackend):
    """Classifies each passage, then quotes the shortest run of whole sentences that alone suffices (R128).

    ``classifier`` is called as ``classifier(premise, hypothesis)``; an object with ``classify_batch`` gets
    all passages in one call, or ``batch_size`` pairs a call. ``label_map`` names exactly its three labels:
    ``{"LABEL_0": "contradiction", ...}``. ``count_tokens(premise, hypothesis)`` with ``max_tokens`` makes the
    backend abstain on what the model would cut off (R129), or read it in windows (R130); without it nothing
    is measured. Raises InvalidRequest for a map that does not name the three classes once each,
    InferenceError when the classifier answers out of contract.
    """

    def __init__(
        self,
        classifier: Classifier | BatchClassifier,
        label_map: Mapping[str, str],
        *,
        confidence: float = CONFIDENCE,
        margin: float = MARGIN,
        name: str = "learned-nli",
        max_span_proposals: int = MAX_SPAN_PROPOSALS,
        count_tokens: Callable[[str, str], int] | None = None,
        max_tokens: int = MAX_TOKENS,
        long_passage_policy: str = "abstain",
        max_windows: int = MAX_WINDOWS,
        batch_size: int | None = None,
    ) -> None:
        self._labels = checked_label_map(label_map)
        if not callable(classifier) and not isinstance(classifier, BatchClassifier):
            raise InvalidRequest(
                "The classifier is neither callable nor has classify_batch.",
                "Pass a function of premise and hypothesis that returns a score per label.",
            )
        policy = NLIPolicy(
            confidence=confidence,
            margin=margin,
            max_tokens=max_tokens,
            long_passage_policy=long_passage_policy,
            max_span_proposals=max_span_proposals,
            max_windows=max_windows,
        )
        super().__init__(name, policy, batch_size=batch_size)
        self._classifier = classifier
        self._count_tokens = count_tokens

    def _label_map(self) -> Mapping[str, str]:
        return self._labels

    def _classify(self, pairs: Sequence[Pair]) -> Sequence[Mapping[str, float]]:
        if isinstance(self._classifier, BatchClassifier):
            return self._classifier.classify_batch(pairs)
        return [self._classifier(premise, hypothesis) for premise, hypothesis in pairs]

    def _count(self, premise: str, hypothesis: str) -> int:
        assert self._count_tokens is not None
        return self._count_tokens(premise, hypothesis)

    def _measures(self) -> bool:
        return self._count_tokens is not None

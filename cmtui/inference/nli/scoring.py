"""Calls of a classifier: in batches, checked, and stoppable between batches (R93, R98)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from cmtui.errors import Cancelled, InferenceError
from cmtui.model.progress import CancelledCallback

#: A premise (the passage or a part of it) and a hypothesis (the claim).
Pair = tuple[str, str]
#: Answers one mapping of the model's labels to probabilities per pair, in order.
Classify = Callable[[Sequence[Pair]], Sequence[Mapping[str, float]]]
#: Probability of each class.
Scores = dict[str, float]

#: How far three probabilities may be from a sum of 1: half-precision models are that exact.
SUM_TOLERANCE = 0.02


class Scorer:
    """Checked scores per class. Each distinct pair is classified once in the life of a scorer.

    Raises InferenceError when the classifier answers out of contract, Cancelled between batches.
    """

    def __init__(
        self,
        classify: Classify,
        label_map: Mapping[str, str],
        *,
        batch_size: int | None,
        cancelled: CancelledCallback,
    ) -> None:
        self._classify = classify
        self._label_map = label_map
        self._batch = batch_size
        self._cancelled = cancelled
        self._known: dict[Pair, Scores] = {}

    def scores(self, pairs: Sequence[Pair]) -> list[Scores]:
        """Scores per class for each pair, in order."""
        new = list(dict.fromkeys(pair for pair in pairs if pair not in self._known))
        size = self._batch or len(new) or 1
        for first in range(0, len(new), size):
            if self._cancelled():
                raise Cancelled("The inference was cancelled.", "Nothing was changed.")
            batch = new[first : first + size]
            answers = list(self._classify(batch))
            if len(answers) != len(batch):
                raise InferenceError(
                    f"The classifier answered {len(answers)} of {len(batch)} pairs.",
                    "classify_batch must answer one mapping per pair, in order.",
                )
            self._known.update(
                (pair, self._checked(answer)) for pair, answer in zip(batch, answers, strict=True)
            )
        return [self._known[pair] for pair in pairs]

    def _checked(self, answer: Mapping[str, float]) -> Scores:
        if not isinstance(answer, Mapping) or set(answer) != set(self._label_map):
            raise InferenceError(
                "The classifier did not answer a score for each of its three labels.",
                f"The label map expects exactly {sorted(self._label_map)}.",
            )
        scores: Scores = {}
        for label, value in answer.items():
            number = float(value)
            if not math.isfinite(number) or not 0.0 <= number <= 1.0:
                raise InferenceError(
                    f"The score of label {label!r} is not between 0 and 1.",
                    "Return probabilities (softmax), not logits.",
                )
            scores[self._label_map[label]] = number
        if abs(sum(scores.values()) - 1.0) > SUM_TOLERANCE:
            raise InferenceError(
                "The three scores do not sum to 1.",
                "Return probabilities of one three-way classification; similarities are not proof.",
            )
        return scores

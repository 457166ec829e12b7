"""What every backend over a three-way classifier has in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cmtui.errors import InvalidRequest
from cmtui.inference.nli.judging import judge_passages
from cmtui.inference.nli.policy import UNCALIBRATED, WINDOW_CAVEAT, NLIPolicy
from cmtui.inference.nli.scoring import Pair, Scorer
from cmtui.model.claim import Assessment
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.retrieval import PassageProjection


class ThreeWayBackend:
    """Inference by a classifier that a subclass brings: ``_label_map``, ``_classify`` and ``_count``.

    One backend object serves many calls and keeps its model loaded (R135). ``batch_size`` None gives the
    classifier everything in one call. Raises InvalidRequest for a batch size below 1.
    """

    def __init__(self, name: str, policy: NLIPolicy, *, batch_size: int | None) -> None:
        if batch_size is not None and batch_size < 1:
            raise InvalidRequest(f"The batch size {batch_size} is not above 0.", "Leave it out, or try 8.")
        self._name = name
        self._policy = policy
        self._batch_size = batch_size

    @property
    def name(self) -> str:
        """The model's name and revision with the operating point, recorded in runs."""
        return f"{self._name}@{self._policy.label}"

    @property
    def policy(self) -> NLIPolicy:
        """The operating point and the limits (R125)."""
        return self._policy

    @property
    def caveat(self) -> str:
        """What must be said beside its answers (R126, R130)."""
        if self._policy.long_passage_policy == "windows":
            return f"{UNCALIBRATED} Long passages are read in windows: {WINDOW_CAVEAT}."
        return UNCALIBRATED

    def assess(self, claim: str, passages: Sequence[PassageProjection]) -> list[Assessment]:
        """One assessment per passage, in order."""
        return self.assess_with(claim, passages)

    def assess_with(
        self,
        claim: str,
        passages: Sequence[PassageProjection],
        *,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> list[Assessment]:
        """As ``assess``; ``progress`` counts passages, ``cancelled`` is asked between calls of the model.

        Raises InferenceError when the classifier answers out of contract, Cancelled.
        """
        scorer = Scorer(self._classify, self._label_map(), batch_size=self._batch_size, cancelled=cancelled)
        return judge_passages(
            claim,
            passages,
            scorer,
            self._policy,
            count_tokens=self._count if self._measures() else None,
            progress=progress,
        )

    def _label_map(self) -> Mapping[str, str]:
        """From the model's labels to the three classes."""
        raise NotImplementedError

    def _classify(self, pairs: Sequence[Pair]) -> Sequence[Mapping[str, float]]:
        """Probabilities per label for each pair, in order."""
        raise NotImplementedError

    def _count(self, premise: str, hypothesis: str) -> int:
        """Tokens of the two together, special ones included, before any cut."""
        raise NotImplementedError

    def _measures(self) -> bool:
        """Whether ``_count`` can be asked."""
        return True


def softmax(logits: Sequence[float]) -> list[float]:
    """Probabilities of logits, in double precision."""
    import math

    top = max(logits)
    powers = [math.exp(value - top) for value in logits]
    total = sum(powers)
    return [power / total for power in powers]

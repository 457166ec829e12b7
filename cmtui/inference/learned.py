"""A caller's own premise and hypothesis classifier as an inference backend (R93, R126 to R129, R134).

Nothing is downloaded and nothing is guessed: the caller gives the callable and says which of its labels means
entailment, contradiction and neutral. Similarity scores are refused: they are not proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from cmtui.errors import InferenceError, InvalidRequest
from cmtui.inference.claims import parse_claim
from cmtui.inference.reasons import REASONS
from cmtui.ingest.segmentation import sentences
from cmtui.model.claim import Assessment, Proposal, Relation
from cmtui.model.retrieval import PassageProjection
from cmtui.model.selectors import Span

#: The seed's operating point (R126). Uncalibrated: an order of answers, not a probability of being right.
CONFIDENCE = 0.85
MARGIN = 0.15
#: Sentence intervals examined per passage to shorten the quote, and no more (R133).
MAX_SPAN_PROPOSALS = 128

#: The three classes every label map must name, and what they become (R127).
CLASSES: Mapping[str, Relation] = {
    "entailment": Relation.SUPPORTS,
    "contradiction": Relation.CONTRADICTS,
    "neutral": Relation.RELATED,
}

#: Called with a premise (the passage) and a hypothesis (the claim); answers a score in [0, 1] per label.
Classifier = Callable[[str, str], Mapping[str, float]]


@runtime_checkable
class BatchClassifier(Protocol):
    """A classifier that also takes many pairs in one call (R98)."""

    def classify_batch(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        """One mapping of label to score per (premise, hypothesis) pair, in order."""
        ...


class LearnedNLIBackend:
    """Classifies each passage, then quotes the shortest run of whole sentences that alone suffices (R128).

    ``classifier`` is called as ``classifier(premise, hypothesis)``; an object with ``classify_batch`` gets
    all passages in one call. ``label_map`` names exactly its three labels: ``{"LABEL_0": "contradiction",
    ...}``. ``count_tokens(premise, hypothesis)`` with ``max_tokens`` makes the backend abstain on what the
    model would cut off (R129); without it nothing is measured. Raises InvalidRequest for a map that does not
    name the three classes once each, InferenceError when the classifier answers out of contract.
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
        max_tokens: int = 512,
    ) -> None:
        if sorted(label_map.values()) != sorted(CLASSES):
            raise InvalidRequest(
                f"The label map names {sorted(label_map.values())}, not each of {sorted(CLASSES)} once.",
                "Give a three-way classifier and say which label is entailment, contradiction and neutral.",
            )
        if not callable(classifier) and not isinstance(classifier, BatchClassifier):
            raise InvalidRequest(
                "The classifier is neither callable nor has classify_batch.",
                "Pass a function of premise and hypothesis that returns a score per label.",
            )
        for what, value in (("confidence", confidence), ("margin", margin)):
            if not 0.0 <= value <= 1.0:
                raise InvalidRequest(
                    f"The {what} {value} is not between 0 and 1.", "The defaults are 0.85 and 0.15."
                )
        if max_span_proposals < 0 or max_tokens < 1:
            raise InvalidRequest(
                "A limit is negative or zero.", "The defaults are 128 proposals and 512 tokens."
            )
        self._classifier = classifier
        self._label_map = dict(label_map)
        self._confidence = confidence
        self._margin = margin
        self._name = name
        self._budget = max_span_proposals
        self._count_tokens = count_tokens
        self._max_tokens = max_tokens

    @property
    def name(self) -> str:
        """The caller's name of the model with the operating point, recorded in runs."""
        return f"{self._name}@{self._confidence:g}/{self._margin:g}"

    def assess(self, claim: str, passages: Sequence[PassageProjection]) -> list[Assessment]:
        """One assessment per passage, in order."""
        parsed = parse_claim(claim)
        if parsed.problem is not None:
            why = f"Not checked: {REASONS[parsed.problem]}."
            return [
                Assessment(p.passage_id, Relation.INSUFFICIENT, 0.0, parsed.problem, why) for p in passages
            ]
        fitting = [p for p in passages if self._fits(p.text, parsed.text)]
        scores = self._scores([(p.text, parsed.text) for p in fitting])
        by_id = dict(zip([id(p) for p in fitting], scores, strict=True))
        return [
            self._assessment(passage, parsed.text, by_id[id(passage)])
            if id(passage) in by_id
            else Assessment(
                passage.passage_id,
                Relation.INSUFFICIENT,
                0.0,
                "too-long",
                f"Claim and passage exceed {self._max_tokens} tokens; nothing is cut off silently.",
            )
            for passage in passages
        ]

    def _fits(self, premise: str, hypothesis: str) -> bool:
        return self._count_tokens is None or self._count_tokens(premise, hypothesis) <= self._max_tokens

    def _scores(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
        """Scores per class for each pair, checked."""
        if not pairs:
            return []
        if isinstance(self._classifier, BatchClassifier):
            answers = list(self._classifier.classify_batch(pairs))
        else:
            answers = [self._classifier(premise, hypothesis) for premise, hypothesis in pairs]
        if len(answers) != len(pairs):
            raise InferenceError(
                f"The classifier answered {len(answers)} of {len(pairs)} pairs.",
                "classify_batch must answer one mapping per pair, in order.",
            )
        return [self._checked(answer) for answer in answers]

    def _checked(self, answer: Mapping[str, float]) -> dict[str, float]:
        if not isinstance(answer, Mapping) or set(answer) != set(self._label_map):
            raise InferenceError(
                "The classifier did not answer a score for each of its three labels.",
                f"The label map expects exactly {sorted(self._label_map)}.",
            )
        scores: dict[str, float] = {}
        for label, value in answer.items():
            number = float(value)
            if not math.isfinite(number) or not 0.0 <= number <= 1.0:
                raise InferenceError(
                    f"The score of label {label!r} is not between 0 and 1.",
                    "Return probabilities (softmax), not logits.",
                )
            scores[self._label_map[label]] = number
        if not 0.98 <= sum(scores.values()) <= 1.02:
            raise InferenceError(
                "The three scores do not sum to 1.",
                "Return probabilities of one three-way classification; similarities are not proof.",
            )
        return scores

    def _decide(self, scores: Mapping[str, float]) -> tuple[Relation, str, float]:
        """Relation, reason and confidence; uncertainty is INSUFFICIENT (R127)."""
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        (best, top), (_, second) = ranked[0], ranked[1]
        if top < self._confidence or top - second < self._margin:
            return Relation.INSUFFICIENT, "uncertain", top
        return CLASSES[best], best, top

    def _assessment(self, passage: PassageProjection, claim: str, scores: Mapping[str, float]) -> Assessment:
        relation, reason, confidence = self._decide(scores)
        if relation in (Relation.RELATED, Relation.INSUFFICIENT):
            return Assessment(
                passage.passage_id, relation, confidence, reason, f"{REASONS[reason]} ({confidence:.2f})."
            )
        spans = sentences(passage.text)
        singles = [
            self._decide(s)[0]
            for s in self._scores([(_text(passage, s), claim) for s in spans[: self._budget]])
        ]
        if {Relation.SUPPORTS, Relation.CONTRADICTS} <= set(singles):
            return Assessment(
                passage.passage_id, Relation.RELATED, confidence, "conflict", f"{REASONS['conflict']}."
            )
        span, chosen = self._shortest(passage, claim, relation, spans)
        return Assessment(
            passage.passage_id,
            relation,
            min(confidence, chosen if chosen is not None else confidence),  # R134
            reason,
            f"{REASONS[reason]} ({confidence:.2f}).",
            (Proposal(passage.text[span.start : span.end], span.start),),
        )

    def _shortest(
        self, passage: PassageProjection, claim: str, relation: Relation, spans: Sequence[Span]
    ) -> tuple[Span, float | None]:
        """The shortest interval of sentences that decides alike, else the whole passage (R128, R133)."""
        whole = Span(spans[0].start, spans[-1].end)
        left = self._budget
        for size in range(1, len(spans)):
            runs = [Span(spans[i].start, spans[i + size - 1].end) for i in range(len(spans) - size + 1)][
                :left
            ]
            left -= len(runs)
            found = [
                (scored[2], run)
                for run, scores in zip(
                    runs, self._scores([(_text(passage, r), claim) for r in runs]), strict=True
                )
                if (scored := self._decide(scores))[0] is relation
            ]
            if found:
                confidence, run = max(found, key=lambda item: (item[0], -item[1].start))
                return run, confidence
            if left <= 0:
                break
        return whole, None


def _text(passage: PassageProjection, span: Span) -> str:
    return passage.text[span.start : span.end]

"""The operating point of a three-way classifier, its limits, and what its labels mean (R126 to R133)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cmtui.errors import InvalidRequest
from cmtui.model.claim import Relation

#: The seed's operating point (R126). Uncalibrated: an order of answers, not a probability of being right.
CONFIDENCE: Final = 0.85
MARGIN: Final = 0.15
#: Tokens of claim and passage together (R129).
MAX_TOKENS: Final = 512
#: Sentence intervals examined per passage to shorten the quote, and no more (R133).
MAX_SPAN_PROPOSALS: Final = 128
#: Overlapping windows of one passage; a passage that needs more is abstained on (R130).
MAX_WINDOWS: Final = 64
#: What is done with a passage that does not fit (R129, R130).
LONG_PASSAGE_POLICIES: Final = ("abstain", "windows")

#: The three classes every label map must name, and what they become (R127).
CLASSES: Final[Mapping[str, Relation]] = {
    "entailment": Relation.SUPPORTS,
    "contradiction": Relation.CONTRADICTS,
    "neutral": Relation.RELATED,
}

#: Said beside every report of a learned backend.
UNCALIBRATED: Final = (
    "The scores of the classifier are uncalibrated, and it cannot perfectly tell RELATED from INSUFFICIENT; "
    "an exact quote can still be misread."
)

#: Said of every answer that rests on windows: printed where the answer is.
WINDOW_CAVEAT: Final = "what depends on text beyond a window is not seen"


@dataclass(frozen=True, slots=True)
class Decision:
    """What the operating point makes of one classification."""

    relation: Relation
    reason: str
    confidence: float


@dataclass(frozen=True, slots=True)
class NLIPolicy:
    """When a classification decides, and the limits it is made in. Frozen (R125).

    ``confidence`` and ``margin`` lie in [0, 1]; ``max_tokens`` counts claim, passage and the model's special
    tokens. Raises InvalidRequest for values out of range.
    """

    confidence: float = CONFIDENCE
    margin: float = MARGIN
    max_tokens: int = MAX_TOKENS
    long_passage_policy: str = "abstain"
    max_span_proposals: int = MAX_SPAN_PROPOSALS
    max_windows: int = MAX_WINDOWS

    def __post_init__(self) -> None:
        for what, value in (("confidence", self.confidence), ("margin", self.margin)):
            if not 0.0 <= value <= 1.0:
                raise InvalidRequest(
                    f"The {what} {value} is not between 0 and 1.", "The defaults are 0.85 and 0.15."
                )
        if self.max_span_proposals < 0 or self.max_tokens < 1 or self.max_windows < 1:
            raise InvalidRequest(
                "A limit is negative or zero.",
                f"The defaults are {MAX_SPAN_PROPOSALS} proposals, {MAX_TOKENS} tokens and "
                f"{MAX_WINDOWS} windows.",
            )
        if self.long_passage_policy not in LONG_PASSAGE_POLICIES:
            raise InvalidRequest(
                f"The policy for long passages is not {self.long_passage_policy!r}.",
                f"It is one of: {', '.join(LONG_PASSAGE_POLICIES)}.",
            )

    @property
    def label(self) -> str:
        """The part of a backend's name that tells answers of one policy from those of another."""
        windows = "/windows" if self.long_passage_policy == "windows" else ""
        return f"{self.confidence:g}/{self.margin:g}{windows}"

    def decide(self, scores: Mapping[str, float]) -> Decision:
        """Relation, reason and confidence of scores per class; uncertainty is INSUFFICIENT (R127)."""
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        (best, top), (_, second) = ranked[0], ranked[1]
        if top < self.confidence or top - second < self.margin:
            return Decision(Relation.INSUFFICIENT, "uncertain", top)
        return Decision(CLASSES[best], best, top)


def checked_label_map(label_map: Mapping[str, str]) -> dict[str, str]:
    """The map from a classifier's label to a class, when it names each class once. Raises InvalidRequest."""
    if sorted(label_map.values()) != sorted(CLASSES):
        raise InvalidRequest(
            f"The label map names {sorted(label_map.values())}, not each of {sorted(CLASSES)} once.",
            "Give a three-way classifier and say which label is entailment, contradiction and neutral.",
        )
    return dict(label_map)


def classes_of(labels: Sequence[str], label_map: Mapping[str, str] | None, *, model: str) -> tuple[str, ...]:
    """The class of each output of ``model``, in the order of its outputs.

    ``labels`` are the model's own. Without a map they must be the three class names, in any case and order: a
    ``LABEL_0`` is never guessed. Raises InvalidRequest for a head that is not three-way and for a map that
    does not fit.
    """
    if len(labels) != len(CLASSES):
        raise InvalidRequest(
            f"The model '{model}' has {len(labels)} labels; inference needs a three-way head.",
            "Two-way and similarity models cannot tell contradiction from silence; choose an NLI model.",
        )
    if label_map is not None:
        known = checked_label_map(label_map)
        if set(known) != set(labels):
            raise InvalidRequest(
                f"The label map speaks of {sorted(known)}, but the model '{model}' answers {sorted(labels)}.",
                "Name exactly the model's own labels.",
            )
        return tuple(known[label] for label in labels)
    named = tuple(label.casefold() for label in labels)
    if sorted(named) != sorted(CLASSES):
        raise InvalidRequest(
            f"The labels of the model '{model}' do not say what they mean: {', '.join(labels)}.",
            "Give label_map, such as {'LABEL_0': 'contradiction', 'LABEL_1': 'entailment', ...}; "
            "it stands in the model's own documentation.",
        )
    return named

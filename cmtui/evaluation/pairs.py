"""Claim and premise pairs: how often inference decides, and how often it is right when it does.

Three classes: SUPPORTS, CONTRADICTS, and neither. RELATED and INSUFFICIENT are both "neither": to abstain is
an answer (R91, R100). Precision is null where nothing was decided, recall where nothing was there to find.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cmtui.errors import InvalidRequest
from cmtui.model.claim import Relation
from cmtui.model.retrieval import PassageProjection
from cmtui.output import JsonObject, significant
from cmtui.ports import InferenceBackend

#: Labels of the data and the classes they are counted as.
LABELS = {"SUPPORT": "SUPPORTS", "CONTRADICT": "CONTRADICTS", "NEUTRAL": "NEUTRAL"}
CLASSES = ("SUPPORTS", "CONTRADICTS", "NEUTRAL")
DECIDED = ("SUPPORTS", "CONTRADICTS")


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim, one premise, and the class a person gave them."""

    claim: str
    premise: str
    gold: str


def read_pairs(path: Path, *, limit: int | None = None) -> Iterator[Pair]:
    """The rows ``{claim, premise, label}`` of a JSON-lines file, at most ``limit``.

    Raises InvalidRequest with the line (1-based) of a row that cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise InvalidRequest(f"There is no file '{path}'.", "Check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"'{path}' cannot be read as UTF-8 text: {error}.", "Check the file.") from None
    taken = 0
    for number, line in enumerate(lines, 1):
        if limit is not None and taken >= limit:
            return
        if line.strip():
            yield _pair(line, f"'{path}', line {number}")
            taken += 1


def _pair(line: str, where: str) -> Pair:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InvalidRequest(f"{where}: this is not JSON ({error}).", "One object a line.") from None
    values = [row.get(key) if isinstance(row, dict) else None for key in ("claim", "premise", "label")]
    if not all(isinstance(value, str) for value in values) or values[2] not in LABELS:
        raise InvalidRequest(
            f"{where}: not a row of claim, premise and label.",
            f"Labels are {', '.join(LABELS)}.",
        )
    return Pair(str(values[0]), str(values[1]), LABELS[str(values[2])])


def predict(backend: InferenceBackend, pairs: Iterable[Pair]) -> Iterator[tuple[str, str]]:
    """Gold and predicted class of each pair; the backend sees the claim and one passage, as in the engine."""
    for pair in pairs:
        [answer] = backend.assess(pair.claim, [PassageProjection("premise#0", pair.premise)])
        decided = answer.relation in (Relation.SUPPORTS, Relation.CONTRADICTS)
        yield pair.gold, answer.relation.value if decided else "NEUTRAL"


def score(outcomes: Sequence[tuple[str, str]]) -> JsonObject:
    """The figures over ``(gold, predicted)``.

    ``accuracy`` is over all pairs and three classes; ``macro_f1`` is the mean F1 of the classes that occur
    (0 for one that is there and never found); ``decided`` counts the pairs called SUPPORTS or CONTRADICTS,
    and ``decided_accuracy`` is the share of these that is right.
    """
    gold = Counter(g for g, _ in outcomes)
    predicted = Counter(p for _, p in outcomes)
    right = Counter(g for g, p in outcomes if g == p)
    decided = sum(predicted[c] for c in DECIDED)
    present = [c for c in CLASSES if gold[c] or predicted[c]]
    f1 = [2 * right[c] / (gold[c] + predicted[c]) for c in present]
    return {
        "pairs": len(outcomes),
        "decided": decided,
        "accuracy": _share(sum(right.values()), len(outcomes)),
        "macro_f1": significant(sum(f1) / len(f1)) if f1 else None,
        "per_class": {
            c: {
                "decided": predicted[c],
                "precision": _share(right[c], predicted[c]),
                "recall": _share(right[c], gold[c]),
                "gold": gold[c],
            }
            for c in DECIDED
        },
        "decided_accuracy": _share(sum(right[c] for c in DECIDED), decided),
    }


def _share(part: int, whole: int) -> float | None:
    return significant(part / whole) if whole else None

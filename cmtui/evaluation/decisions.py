"""Figures over decisions of inference: per class with their uncertainty, and against stated confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cmtui.evaluation.measures import share, wilson
from cmtui.output import JsonObject, significant

#: Decisions below which a precision says nothing, and is not judged (settlements 3).
ENOUGH = 30
DECIDED = ("SUPPORTS", "CONTRADICTS")
#: Lower edges of the bins of confidence.
BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Decided:
    """Gold and predicted class (SUPPORTS, CONTRADICTS or NEUTRAL for neither), with the confidence stated."""

    gold: str
    predicted: str
    confidence: float


def per_class(rows: Sequence[Decided]) -> JsonObject:
    """Precision with its 95 % Wilson interval, recall and coverage of SUPPORTS and of CONTRADICTS.

    ``coverage`` is the share of the class's own cases that were decided either way. With fewer than 30
    decisions the verdict is "not enough decisions"; the figures stand beside it all the same.
    """
    gold = Counter(row.gold for row in rows)
    predicted = Counter(row.predicted for row in rows)
    right = Counter(row.gold for row in rows if row.gold == row.predicted)
    covered = Counter(row.gold for row in rows if row.predicted in DECIDED)
    body: JsonObject = {}
    for name in DECIDED:
        interval = wilson(right[name], predicted[name])
        body[name] = {
            "decided": predicted[name],
            "precision": share(right[name], predicted[name]),
            "recall": share(right[name], gold[name]),
            "gold": gold[name],
            "coverage": share(covered[name], gold[name]),
            "precision_low": None if interval is None else significant(interval[0]),
            "precision_high": None if interval is None else significant(interval[1]),
            "verdict": "measured" if predicted[name] >= ENOUGH else "not enough decisions",
        }
    return body


def calibration(rows: Sequence[Decided]) -> list[JsonObject]:
    """How often decisions of a stated confidence are right, in bins [low, high); empty bins are left out."""
    table: list[JsonObject] = []
    for low, high in zip(BINS, (*BINS[1:], 1.0 + 1e-9), strict=True):
        inside = [row for row in rows if row.predicted in DECIDED and low <= row.confidence < high]
        if not inside:
            continue
        right = sum(1 for row in inside if row.gold == row.predicted)
        table.append(
            {
                "low": low,
                "high": min(high, 1.0),
                "decisions": len(inside),
                "mean_confidence": share(sum(row.confidence for row in inside), len(inside)),
                "right": share(right, len(inside)),
            }
        )
    return table

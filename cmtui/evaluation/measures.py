"""The measures of reports, each defined once.

Shares are None where there is nothing to share in: a figure that does not exist is null and never 0 (R144).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from cmtui.output import JsonObject, significant

#: z of a two-sided 95 % interval.
Z95 = 1.959963984540054


def share(part: float, whole: int) -> float | None:
    """``part / whole`` with six significant digits; None of nothing."""
    return significant(part / whole) if whole else None


def recall_at(ranking: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """The share of the relevant that stands in the first ``depth`` of a ranking."""
    return sum(1 for key in ranking[:depth] if key in relevant) / len(relevant)


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """1 / the place of the first relevant one; 0 when none is ranked."""
    return next((1.0 / place for place, key in enumerate(ranking, 1) if key in relevant), 0.0)


def ndcg_at(ranking: Sequence[str], gains: Mapping[str, float], depth: int) -> float:
    """nDCG with linear gains and log2 discount, as trec_eval computes it."""
    found = sum(gains.get(key, 0.0) / math.log2(place + 1) for place, key in enumerate(ranking[:depth], 1))
    best = sorted(gains.values(), reverse=True)[:depth]
    ideal = sum(gain / math.log2(place + 1) for place, gain in enumerate(best, 1))
    return found / ideal if ideal else 0.0


def wilson(right: int, of: int) -> tuple[float, float] | None:
    """The 95 % Wilson interval of a share; None of nothing (Wilson 1927)."""
    if not of:
        return None
    p, z2 = right / of, Z95 * Z95
    middle = (p + z2 / (2 * of)) / (1 + z2 / of)
    half = Z95 * math.sqrt(p * (1 - p) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def macro_f1(outcomes: Sequence[tuple[str, str]], classes: Sequence[str]) -> float | None:
    """The mean F1 of the classes that occur in ``(gold, predicted)``; one never found counts 0."""
    gold, predicted = Counter(g for g, _ in outcomes), Counter(p for _, p in outcomes)
    right = Counter(g for g, p in outcomes if g == p)
    scores = [2 * right[c] / (gold[c] + predicted[c]) for c in classes if gold[c] or predicted[c]]
    return significant(sum(scores) / len(scores)) if scores else None


def f1(right: int, predicted: int, gold: int) -> JsonObject:
    """Precision, recall and F1 of one class, with the counts they rest on."""
    return {
        "precision": share(right, predicted),
        "recall": share(right, gold),
        "f1": share(2 * right, predicted + gold),
        "right": right,
        "predicted": predicted,
        "gold": gold,
    }

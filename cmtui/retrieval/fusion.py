"""Reciprocal rank fusion, and the rounding that makes ranks repeatable."""

from __future__ import annotations

from collections.abc import Sequence

#: The constant of reciprocal rank fusion (R72; Cormack, Clarke and Büttcher, SIGIR 2009).
RRF_K = 60


def rounded(score: float) -> float:
    """A score to 12 significant digits: sums made in another order rank alike (R191)."""
    return float(f"{score:.12g}")


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]], *, k: int = RRF_K) -> dict[str, float]:
    """The fused score of every id: the sum of ``1 / (k + rank)`` over the rankings that hold it.

    Ranks count from 1. An id counts once per ranking, at its first place (R73).
    """
    fused: dict[str, float] = {}
    for ranking in rankings:
        for rank, identifier in enumerate(dict.fromkeys(ranking), 1):
            fused[identifier] = fused.get(identifier, 0.0) + 1.0 / (k + rank)
    return {identifier: rounded(score) for identifier, score in fused.items()}

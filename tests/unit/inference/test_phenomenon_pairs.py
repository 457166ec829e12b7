"""Own pairs per phenomenon: what the rules decide is right, and where they must abstain they do (R90, R91).

Not every pair that could be decided is decided yet. The share that is may only grow; the pairs that are known
to be decided wrongly are listed by claim and passage, and the list may only shrink.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from cmtui.inference import LocalInferenceBackend
from cmtui.model.claim import Relation
from cmtui.model.retrieval import PassageProjection
from cmtui.model.source import PassageRole

FILES = sorted((Path(__file__).parent / "pairs").glob("*.toml"))
DECISIONS = {Relation.SUPPORTS, Relation.CONTRADICTS}

#: Decided although they must not be: coordination, the reach of a negation, a heading before it.
KNOWN_WRONG = {
    ("The dam broke", "Common misconceptions\n\nThe valley is narrow. The dam broke."),
    ("The cook mixed flour", "The cook mixed flour, water and salt."),
    (
        "The crew did not leave because it rained",
        "The crew did not leave because it rained, but because it was paid.",
    ),
}


class Pair(NamedTuple):
    """A claim, a passage, and how the passage stands to it."""

    claim: str
    passage: str
    relation: Relation
    role: PassageRole


def pairs(path: Path, part: str) -> list[Pair]:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Pair(row[0], row[1], Relation(row[2]), PassageRole(row[5] if len(row) > 5 else "body"))
        for row in data[part]
    ]


def decided(pair: Pair) -> Relation:
    projection = PassageProjection("p", pair.passage, pair.role)
    [answer] = LocalInferenceBackend().assess(pair.claim, [projection])
    return answer.relation


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_phenomenon_has_twenty_pairs_half_of_which_must_abstain(path: Path) -> None:
    to_decide, to_abstain = pairs(path, "decide"), pairs(path, "abstain")
    assert len(to_decide) >= 10
    assert len(to_abstain) >= 10
    assert all(pair.relation in DECISIONS for pair in to_decide)
    assert not any(pair.relation in DECISIONS for pair in to_abstain)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_pair_is_decided_wrongly_but_the_known_ones(path: Path) -> None:
    wrong = {
        (pair.claim, pair.passage)
        for part in ("decide", "abstain")
        for pair in pairs(path, part)
        if (relation := decided(pair)) in DECISIONS and relation is not pair.relation
    }
    assert wrong - KNOWN_WRONG == set()


def test_the_share_of_decided_pairs_only_grows() -> None:
    """111 of 207 when the pairs were written."""
    right = [decided(pair) is pair.relation for path in FILES for pair in pairs(path, "decide")]
    assert sum(right) >= 111

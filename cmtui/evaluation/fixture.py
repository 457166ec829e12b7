"""The frozen regression set: 60 own passages, 24 queries and 93 pairs with their gold (R136 to R139, R152).

Its bytes are held to one SHA-256, which every report prints: a figure belongs to these passages and labels
and to no others. Gold is the work of the author of the fixture, read twice, with a record per pair in the
file itself. It is a regression set of this program and not a test of generalisation.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cmtui.errors import InvalidRequest
from cmtui.model.claim import Relation
from cmtui.model.selectors import Span

#: SHA-256 of ``semantic_regression.json``, committed before the rules were tuned (R138).
FIXTURE_SHA256: Final = "5eeaa390a8611da8e300361329306168e700c8514a03bb17b0d5a9865227c753"
#: Name of the file in the folder of fixtures.
FIXTURE_NAME: Final = "semantic_regression.json"
#: The domains in the order of reports (R136).
DOMAINS: Final = ("prose", "technical", "reports")


@dataclass(frozen=True, slots=True)
class Gold:
    """The shortest run of whole sentences that decides. ``span`` counts code points of the passage."""

    passage: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class FixturePassage:
    """One passage; it becomes a source of its own."""

    passage_id: str
    domain: str
    text: str


@dataclass(frozen=True, slots=True)
class FixtureQuery:
    """What a person looks for (``query``) and the statement to be shown (``claim``). No gold: no answer."""

    query_id: str
    domain: str
    query: str
    claim: str
    gold: tuple[Gold, ...]
    phenomena: tuple[str, ...]

    @property
    def answerable(self) -> bool:
        """Whether a passage of the fixture supports the claim."""
        return bool(self.gold)


@dataclass(frozen=True, slots=True)
class FixturePair:
    """A claim, one passage, and the relation a reader gave them. ``gold`` where the relation is decided."""

    pair_id: str
    domain: str
    claim: str
    passage: str
    label: Relation
    gold: Gold | None
    phenomena: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fixture:
    """The whole set, checked against its digest."""

    sha256: str
    passages: tuple[FixturePassage, ...]
    queries: tuple[FixtureQuery, ...]
    pairs: tuple[FixturePair, ...]

    def text(self, passage_id: str) -> str:
        """The text of a passage."""
        return next(p.text for p in self.passages if p.passage_id == passage_id)


def load_fixture(path: Path | None = None) -> Fixture:
    """The shipped fixture, or the one at ``path``.

    Raises InvalidRequest for a file that is not byte for byte the frozen one: figures of a changed set must
    never pass for figures of this one.
    """
    if path is None:
        from cmtui.resources import fixtures_dir

        path = fixtures_dir() / FIXTURE_NAME
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidRequest(
            f"The fixture '{path}' cannot be read: {error.strerror}.", "Reinstall the package."
        ) from None
    found = hashlib.sha256(content).hexdigest()
    if found != FIXTURE_SHA256:
        raise InvalidRequest(
            f"'{path}' is not the frozen fixture: its SHA-256 begins with {found[:12]}, "
            f"not with {FIXTURE_SHA256[:12]}.",
            "Put the file of this release back; a new set needs a new name and a new digest.",
        )
    raw = json.loads(content)
    return Fixture(
        sha256=found,
        passages=tuple(FixturePassage(p["id"], p["domain"], p["text"]) for p in raw["passages"]),
        queries=tuple(
            FixtureQuery(
                q["id"],
                q["domain"],
                q["query"],
                q["claim"],
                tuple(_gold(g) for g in q["gold"]),
                tuple(q["phenomena"]),
            )
            for q in raw["queries"]
        ),
        pairs=tuple(
            FixturePair(
                p["id"],
                p["domain"],
                p["claim"],
                p["passage"],
                Relation(p["label"]),
                _gold(p["gold"]) if p["gold"] else None,
                tuple(p["phenomena"]),
            )
            for p in raw["pairs"]
        ),
    )


def _gold(raw: dict[str, Any]) -> Gold:
    return Gold(raw["passage"], Span(raw["start"], raw["end"]), raw["text"])

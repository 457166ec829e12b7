"""The frozen fixture: its counts, its spans and its digest (R136 to R139, R152)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cmtui.errors import InvalidRequest
from cmtui.evaluation.fixture import DOMAINS, FIXTURE_NAME, FIXTURE_SHA256, load_fixture
from cmtui.ingest.segmentation import sentences
from cmtui.model.claim import Relation
from cmtui.resources import fixtures_dir

FILE = fixtures_dir() / FIXTURE_NAME
PHENOMENA = {
    "plain-fact", "shared-entity", "misleading-lexical", "contextual-emotion", "negation", "uncertainty",
    "contradiction", "conceptual", "abstention", "number", "reported-speech", "conditional", "planned",
    "question", "fiction", "comparison",
}  # fmt: skip


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    return json.loads(FILE.read_text("utf-8"))


def test_the_fixture_is_frozen() -> None:
    """R138: gold was fixed before the rules were tuned; its digest is a constant of the program."""
    assert hashlib.sha256(FILE.read_bytes()).hexdigest() == FIXTURE_SHA256
    assert load_fixture().sha256 == FIXTURE_SHA256


def test_a_changed_fixture_is_refused(tmp_path: Path) -> None:
    """R138: one changed label and no figure is printed."""
    changed = tmp_path / FIXTURE_NAME
    changed.write_text(FILE.read_text("utf-8").replace('"RELATED"', '"SUPPORTS"', 1), "utf-8")
    with pytest.raises(InvalidRequest, match="not the frozen fixture"):
        load_fixture(changed)
    with pytest.raises(InvalidRequest, match="cannot be read"):
        load_fixture(tmp_path / "absent.json")


def test_passages_are_sixty_over_three_domains() -> None:
    """R136."""
    passages = load_fixture().passages
    assert Counter(p.domain for p in passages) == dict.fromkeys(DOMAINS, 20)
    assert len({p.passage_id for p in passages}) == len({p.text for p in passages}) == 60


def test_queries_are_eighteen_with_an_answer_and_six_without() -> None:
    """R137."""
    queries = load_fixture().queries
    assert len({q.query_id for q in queries}) == len({q.query for q in queries}) == 24
    assert Counter(q.answerable for q in queries) == {True: 18, False: 6}
    assert Counter(q.domain for q in queries) == dict.fromkeys(DOMAINS, 8)
    assert Counter(q.domain for q in queries if not q.answerable) == dict.fromkeys(DOMAINS, 2)


def test_pairs_are_ninety_three() -> None:
    """R138: every domain has the same share of every relation."""
    pairs = load_fixture().pairs
    assert len({p.pair_id for p in pairs}) == len({(p.claim, p.passage) for p in pairs}) == 93
    for domain in DOMAINS:
        assert Counter(p.label for p in pairs if p.domain == domain) == {
            Relation.SUPPORTS: 10,
            Relation.CONTRADICTS: 7,
            Relation.RELATED: 9,
            Relation.INSUFFICIENT: 5,
        }


def test_gold_spans_are_exact_unique_runs_of_whole_sentences() -> None:
    """R138: offset and text agree, the text stands once, and it begins and ends with a sentence."""
    fixture = load_fixture()
    golds = [g for q in fixture.queries for g in q.gold] + [p.gold for p in fixture.pairs if p.gold]
    assert len(golds) == 18 + 51
    for gold in golds:
        text = fixture.text(gold.passage)
        assert text[gold.span.start : gold.span.end] == gold.text
        assert text.count(gold.text) == 1
        spans = sentences(text)
        assert gold.span.start in {s.start for s in spans}
        assert gold.span.end in {s.start + len(text[s.start : s.end].rstrip()) for s in spans}
    for pair in fixture.pairs:
        decided = pair.label in (Relation.SUPPORTS, Relation.CONTRADICTS)
        assert (pair.gold is not None) is decided
        assert pair.gold is None or pair.gold.passage == pair.passage


def test_domains_of_passages_queries_and_pairs_agree() -> None:
    fixture = load_fixture()
    domain = {p.passage_id: p.domain for p in fixture.passages}
    assert all(domain[p.passage] == p.domain for p in fixture.pairs)
    assert all(domain[g.passage] == q.domain for q in fixture.queries for g in q.gold)


def test_the_phenomena_of_the_seed_occur() -> None:
    """R139, R152: each named phenomenon has at least six cases, and no name is misspelt."""
    fixture = load_fixture()
    counted = Counter(name for case in (*fixture.queries, *fixture.pairs) for name in case.phenomena)
    assert set(counted) == PHENOMENA
    for name in ("shared-entity", "misleading-lexical", "contextual-emotion", "negation", "uncertainty",
                 "contradiction", "conceptual", "abstention"):  # fmt: skip
        assert counted[name] >= 6, name
    assert {p for q in fixture.queries if not q.answerable for p in q.phenomena} >= {"abstention"}


def test_conceptual_queries_share_few_words_with_their_answer() -> None:
    """R152: low lexical overlap: at most two content words of four letters or more in common."""
    fixture = load_fixture()
    for query in fixture.queries:
        if "conceptual" in query.phenomena and query.answerable:
            asked = {w for w in query.query.lower().split() if len(w) >= 4} - {"after", "does", "when"}
            text = " ".join(g.text for g in query.gold).lower()
            assert sum(w in text for w in asked) <= 2, query.query_id


def test_every_pair_and_query_was_read_twice(raw: dict[str, Any]) -> None:
    """The written record of both readings stands beside each case."""
    for pair in raw["pairs"]:
        review = pair["review"]
        assert review["decides"]
        assert review["first"] in set(Relation)
        assert review["second"].startswith(("agrees; ", "revised: "))
    for query in raw["queries"]:
        assert query["review"]["first"] in ("kept", "revised")
        assert query["review"]["second"]

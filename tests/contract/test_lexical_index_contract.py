"""What every LexicalIndex does (ports.LexicalIndex), run on each adapter."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cmtui.errors import Cancelled, QueryError
from cmtui.model.identity import SourceKind
from cmtui.model.progress import Progress, never_cancelled, no_progress
from cmtui.model.retrieval import Filters
from cmtui.model.source import CanonicalDocument, DocumentSummary
from cmtui.ports import LexicalIndex
from cmtui.retrieval.lexical import WhooshLexicalIndex
from support.documents import make_document

Pair = tuple[DocumentSummary, CanonicalDocument]
Make = Callable[[], LexicalIndex]


def pair(text: str, *, name: str | None = None, kind: str = "text") -> Pair:
    """A document of ``text`` (one passage per paragraph) with its row of the catalogue."""
    document, content, artifact = make_document(text, name=name, kind=kind)
    return (
        DocumentSummary(
            document_id=document.document_id,
            source_id=artifact.artifact_id,
            source_version=document.version.version_id,
            kind=document.kind,
            name=name or "unnamed",
            reference=artifact.reference,
            bytes_sha256=document.version.bytes_sha256,
            size=len(content),
            profile=document.profile.label,
            characters=len(document.text),
            pages=0,
            passages=len(document.passages),
        ),
        document,
    )


PAIRS = [
    pair("The king sailed the sea.\n\nA storm at sea sank the ship of the king.", name="a.txt"),
    pair("The queen of the sea wept.\n\nNo king was there.", name="b.md", kind="markdown"),
    pair(
        "An experi-\nment on well-\nknown scienti\ufb01c data.\n\nExperience counts.",
        name="c.pdf",
        kind="pdf",
    ),
    pair(
        "To be or not to be.\n\nThe \u201cking\u2019s\u201d men sailed 4,118 miles.",
        name="d.epub",
        kind="epub",
    ),
]


@pytest.fixture(params=["memory", "directory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes empty indexes, each in a place of its own."""
    numbers = itertools.count()
    made: list[WhooshLexicalIndex] = []

    def build() -> LexicalIndex:
        directory = None if request.param == "memory" else tmp_path / f"{next(numbers)}" / "lexical"
        made.append(WhooshLexicalIndex(directory))
        return made[-1]

    yield build
    for index in made:
        index.close()


def add(index: LexicalIndex, *pairs: Pair) -> None:
    index.add(pairs, progress=no_progress, cancelled=never_cancelled)


def find(index: LexicalIndex, query: str, limit: int = 20, **filters: object) -> list[str]:
    """Texts of the answer, in order."""
    chosen = Filters(**{key: frozenset(value) for key, value in filters.items()})  # type: ignore[arg-type, call-overload]
    texts = {d.passage_id(p): d.passage_text(p) for _, d in PAIRS for p in d.passages}
    return [texts[hit.passage_id] for hit in index.search(query, filters=chosen, limit=limit)]


def starts(texts: list[str]) -> set[str]:
    return {text[:8] for text in texts}


def test_an_empty_index_covers_and_finds_nothing(make: Make) -> None:
    """Nothing is in it, and that is no error."""
    index = make()
    assert index.covers() == frozenset()
    assert index.search("king", filters=Filters(), limit=5) == []


def test_it_covers_what_was_added_until_it_is_removed(make: Make) -> None:
    """Adding again is a no-op; removing forgets; what was removed can come back."""
    index = make()
    add(index, *PAIRS[:2])
    add(index, *PAIRS[:3])
    ids = [document.document_id for _, document in PAIRS]
    assert index.covers() == frozenset(ids[:3])
    assert len(find(index, "king")) == 3
    index.remove([ids[0], "0" * 64])
    assert index.covers() == frozenset(ids[1:3])
    assert starts(find(index, "king")) == {"No king "}
    add(index, PAIRS[0])
    assert len(find(index, "king")) == 3


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("king", {"The king", "A storm ", "No king ", "The \u201ckin"}),
        ("KINGS", {"The king", "A storm ", "No king ", "The \u201ckin"}),
        ("king AND sea", {"The king", "A storm "}),
        ("king NOT sea", {"No king ", "The \u201ckin"}),
        ("(ship OR queen) AND sea", {"A storm ", "The quee"}),
        ('"king sailed"', {"The king"}),
        ('"the sea"', {"The king", "The quee"}),
        ('"to be or not to be"', {"To be or"}),
        ('"ship of a king"', set()),
        ("experiment", {"An exper"}),
        ("experim*", {"An exper"}),
        ("scientific", {"An exper"}),
        ("wellknown", {"An exper"}),
        ('"well-known scientific data"', {"An exper"}),
        ("known", {"An exper"}),
        ('"experience counts"', {"Experien"}),
        ("4118", {"The \u201ckin"}),
        ("4,118", {"The \u201ckin"}),
        ("king kind:pdf", set()),
        ("sea kind:markdown", {"The quee"}),
        ("king NOT kind:text", {"No king ", "The \u201ckin"}),
        (f"king source:{PAIRS[0][0].source_id[:16]}", {"The king", "A storm "}),
        (f"king document:{PAIRS[1][1].document_id}", {"No king "}),
        ("zebra", set()),
    ],
)
def test_the_query_language(make: Make, query: str, expected: set[str]) -> None:
    """D5: words are found in any inflection and through ligatures and line-end hyphens."""
    index = make()
    add(index, *PAIRS)
    assert starts(find(index, query)) == expected


def test_filters(make: Make) -> None:
    """Several values mean any of them; several fields mean all of them (R115)."""
    index = make()
    add(index, *PAIRS)
    (a, _), (b, other), *_ = PAIRS
    assert len(find(index, "king", kinds=[SourceKind.TEXT])) == 2
    assert len(find(index, "king", kinds=[SourceKind.TEXT, SourceKind.EPUB])) == 3
    assert len(find(index, "king", source_ids=[a.source_id, b.source_id])) == 3
    assert find(index, "king", source_ids=[a.source_id], document_ids=[other.document_id]) == []


def test_rarer_and_more_frequent_words_rank_higher(make: Make) -> None:
    """BM25: positive scores, best first, and a smaller limit gives the beginning of the same list."""
    index = make()
    add(index, *PAIRS)
    hits = index.search("queen king sea", filters=Filters(), limit=20)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits[-1].score > 0
    assert find(index, "queen king sea")[0].startswith("The queen")
    for limit in range(1, len(hits)):
        assert list(index.search("queen king sea", filters=Filters(), limit=limit)) == list(hits[:limit])


@pytest.mark.parametrize("query", ["", "the of", 'a "b', "(a", "*x", "AND"])
def test_a_query_that_cannot_be_read(make: Make, query: str) -> None:
    """QueryError, with nothing in the index or much."""
    index = make()
    with pytest.raises(QueryError):
        index.search(query, filters=Filters(), limit=5)


def test_progress_is_told_and_cancelling_leaves_nothing(make: Make) -> None:
    """A batch is indexed whole or not at all."""
    index = make()
    add(index, PAIRS[0])
    asked = iter([False, False, True])
    big = pair("\n\n".join(f"word{n} king" for n in range(400)), name="big.txt")
    with pytest.raises(Cancelled):
        index.add([big], progress=no_progress, cancelled=lambda: next(asked, True))
    assert index.covers() == {PAIRS[0][1].document_id}
    told: list[Progress] = []
    index.add([big], progress=told.append, cancelled=never_cancelled)
    assert (told[0].done, told[0].total) == (0, 400)
    assert (told[-1].done, told[-1].total) == (400, 400)
    assert big[1].document_id in index.covers()


def test_the_answer_does_not_depend_on_how_the_index_came_to_be(make: Make) -> None:
    """R191: order of insertion, number of segments, removals and rebuilding change nothing, ties included."""
    words = ["king", "sea", "storm", "ship", "queen", "wept"]
    pairs = [
        pair(
            "\n\n".join(f"{words[(n + m) % 6]} and {words[(n * m) % 6]} of {n}" for m in range(1, 5)),
            name=f"{n}.txt",
        )
        for n in range(30)
    ]
    queries = ["king", "sea storm king", '"king and sea"', "king AND ship", "we*", "queen NOT king"]

    def answers(index: LexicalIndex) -> list[list[tuple[str, float]]]:
        return [
            [(hit.passage_id, hit.score) for hit in index.search(query, filters=Filters(), limit=limit)]
            for query in queries
            for limit in (3, 10, 1000)
        ]

    at_once = make()
    add(at_once, *pairs)
    expected = answers(at_once)
    assert any(len(answer) > 10 for answer in expected)

    one_by_one = make()
    for one in reversed(pairs):
        add(one_by_one, one)
    assert answers(one_by_one) == expected

    with_removals = make()
    extra = [pair(f"king sea {n}\n\nstorm ship wept", name=f"extra{n}.txt") for n in range(7)]
    for at in range(0, 30, 7):
        add(with_removals, *extra[at // 7 : at // 7 + 1], *pairs[at : at + 7])
    with_removals.remove([document.document_id for _, document in extra])
    assert answers(with_removals) == expected

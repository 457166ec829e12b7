"""Quotes that run over a page: what stands between its parts is shown and is no evidence (settlements 17)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui.errors import CrossesPassage, SpanOutOfRange
from cmtui.ingest.build import build_document
from cmtui.ingest.readers.pdf import PdfSourceReader
from cmtui.model.identity import SourceArtifact, SourceKind, SourceVersion, sha256_bytes
from cmtui.model.quote import Verdict
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument, FurnitureKind
from cmtui.store.memory import InMemoryKnowledgeRepository
from cmtui.verification.quotes import QuoteChecker
from cmtui.verification.verifier import verify_span
from support.pdf_fixtures import make_pdf

DATA = Path(__file__).parents[3] / ".." / "shared" / "data" / "files" / "pdf"

BODIES = """\
The first keeper of the northern light was a man
who wrote little, and whose books were lost1 in the
great flood. He is said to have counted the ships2
that passed before dawn, and to have written their
1 The flood is known from letters alone.
2 See the register of the harbour.
===
names into a ledger, which his daughter kept until
she left the island. Nobody has seen it since then,
and those who looked for it came back without evi-
===
dence of any kind. The lamp was changed for a larger
one in the year of the long frost, and the tower
was painted white by two brothers from the mainland.
===
Their bill is the oldest paper in the whole archive.
It names brushes, lime, rope and a boat for the week
and nothing that could be taken for a wage.
===
After them nobody painted the tower for forty years.
The wind took what was left of the white, and ships
learned to look for a grey finger in the haze."""
PAGES = [
    f"A HISTORY OF LAMPS {number}\n{body}" for number, body in enumerate(BODIES.split("\n===\n"), start=31)
]


def read(content: bytes) -> tuple[CanonicalDocument, SourceArtifact]:
    document = build_document(
        PdfSourceReader().read(content, name="lamps.pdf"),
        version=SourceVersion(SourceKind.PDF, sha256_bytes(content), len(content)),
    )
    return document, SourceArtifact(SourceKind.PDF, "file:///library/lamps.pdf")


@pytest.fixture(scope="module")
def lamps() -> tuple[QuoteChecker, CanonicalDocument]:
    content = make_pdf(PAGES)
    document, artifact = read(content)
    repository = InMemoryKnowledgeRepository()
    repository.commit_document(document, content=content, artifact=artifact)
    kinds = {mark.kind for mark in document.tables.furniture}
    assert kinds == {FurnitureKind.RUNNING_HEAD, FurnitureKind.FOOTNOTE}
    return QuoteChecker(repository), document


def test_a_running_head_between_is_shown_as_the_gap(lamps: tuple[QuoteChecker, CanonicalDocument]) -> None:
    checker, document = lamps
    quote = (
        "and the tower\nwas painted white by two brothers from the mainland.\n"
        "Their bill is the oldest paper in the whole archive."
    )
    assert quote not in document.text
    check, identities = checker.check(quote)
    assert check.verdict is Verdict.EXACT_SPLIT
    [location] = check.locations
    assert [gap.text for gap in location.gaps] == ["A HISTORY OF LAMPS 34"]
    assert [gap.kind for gap in location.gaps] == [FurnitureKind.RUNNING_HEAD]
    assert document.slice(location.gaps[0].span) == location.gaps[0].text
    assert [identity.text for identity in identities] == [
        "and the tower\nwas painted white by two brothers from the mainland.",
        "Their bill is the oldest paper in the whole archive.",
    ]
    assert [identity.locators.page for identity in identities] == [3, 4]
    assert check.evidence_ids == tuple(identity.evidence_id for identity in identities)
    assert "running head" in check.explanation


def test_footnotes_and_a_running_head_between_are_both_shown(
    lamps: tuple[QuoteChecker, CanonicalDocument],
) -> None:
    """ingest.md 6, row 5 (hypothesis/client 266): a quote over pages with a footnote in between."""
    checker, _ = lamps
    check, identities = checker.check(
        "and to have written their names into a ledger, which his daughter kept until she left the island."
    )
    assert check.verdict is Verdict.LAYOUT, check.explanation  # one line end is written as a blank
    assert not identities
    check, identities = checker.check(
        "that passed before dawn, and to have written their names into a ledger"
    )
    assert check.verdict is Verdict.EXACT_SPLIT
    assert [identity.text for identity in identities] == [
        "that passed before dawn, and to have written their",
        "names into a ledger",
    ]
    assert [gap.kind for gap in check.locations[0].gaps] == [
        FurnitureKind.FOOTNOTE,
        FurnitureKind.RUNNING_HEAD,
    ]
    assert check.locations[0].gaps[0].text.startswith("1 The flood")


def test_a_quote_that_takes_the_running_head_in_has_it_as_gap_not_as_evidence(
    lamps: tuple[QuoteChecker, CanonicalDocument],
) -> None:
    checker, document = lamps
    start = document.text.index("from the mainland.")
    quote = document.text[start : document.text.index(" in the whole archive")]
    check, identities = checker.check(quote)
    assert check.verdict is Verdict.EXACT_SPLIT
    assert [identity.text for identity in identities] == [
        "from the mainland.",
        "Their bill is the oldest paper",
    ]
    assert [gap.text for gap in check.locations[0].gaps] == ["A HISTORY OF LAMPS 34"]


@pytest.mark.parametrize("extra", ["", "\nTheir bill is the oldest paper"])
def test_a_quote_that_begins_in_a_running_head_is_no_evidence(
    lamps: tuple[QuoteChecker, CanonicalDocument], extra: str
) -> None:
    check, identities = lamps[0].check(f"A HISTORY OF LAMPS 34{extra}")
    assert check.verdict is Verdict.ABSENT
    assert not identities
    assert "running head" in check.explanation


def test_a_word_hyphenated_over_a_page_is_layout(lamps: tuple[QuoteChecker, CanonicalDocument]) -> None:
    checker, _ = lamps
    check, identities = checker.check("those who looked for it came back without evidence of any kind.")
    assert check.verdict is Verdict.LAYOUT
    assert not identities
    assert [gap.text for gap in check.locations[0].gaps] == ["A HISTORY OF LAMPS 33"]


def test_other_words_over_a_page_are_no_evidence(lamps: tuple[QuoteChecker, CanonicalDocument]) -> None:
    check, identities = lamps[0].check(
        "and the tower\nwas painted grey by two brothers from the mainland.\n"
        "Their bill is the oldest paper in the whole archive."
    )
    assert check.verdict is Verdict.NEAR_MISS
    assert not identities


def test_a_footnote_can_be_quoted_itself(lamps: tuple[QuoteChecker, CanonicalDocument]) -> None:
    check, _ = lamps[0].check("The flood is known from letters alone.")
    assert check.verdict is Verdict.EXACT


def test_a_span_over_the_head_still_fails_closed(lamps: tuple[QuoteChecker, CanonicalDocument]) -> None:
    """R88, D14: one identity never crosses a passage, whatever stands between."""
    _, document = lamps
    source = InMemoryKnowledgeRepository()
    content = make_pdf(PAGES)
    source.commit_document(
        document, content=content, artifact=SourceArtifact(SourceKind.PDF, "file:///library/lamps.pdf")
    )
    record = source.source_of(document.document_id)
    start = document.text.index("from the mainland.")
    with pytest.raises(CrossesPassage) as caught:
        verify_span(document, record, Span(start, start + 60))
    assert "set" in caught.value.hint
    for span in (Span(10**9, 10**9 + 5), Span(5, 5), Span(7, 3), Span(-3, 4)):
        with pytest.raises(SpanOutOfRange):  # ingest.md 6, row 6
            verify_span(document, record, span)


def test_a_span_may_end_with_its_page(lamps: tuple[QuoteChecker, CanonicalDocument]) -> None:
    """ingest.md 6, row 4 (hypothesis/client 1329): half-open, so an end equal to the page's end works."""
    checker, document = lamps
    page = document.tables.pages[2]
    check, [identity] = checker.check("two brothers from the mainland.")
    assert check.verdict is Verdict.EXACT
    assert identity.span.end == page.end
    last, [final] = checker.check("a grey finger in the haze.")
    assert last.verdict is Verdict.EXACT
    assert final.span.end == len(document.text)


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")
def test_a_novel_quoted_over_each_of_its_pages() -> None:
    """Every page break of alice30.pdf that its running text crosses: exact parts, and the gap shown."""
    content = (DATA / "alice30.pdf").read_bytes()
    document, artifact = read(content)
    repository = InMemoryKnowledgeRepository()
    repository.commit_document(document, content=content, artifact=artifact)
    checker = QuoteChecker(repository)
    marks = {mark.start: mark for mark in document.tables.furniture}
    crossed = 0
    for page, following in zip(document.tables.pages[10:40:5], document.tables.pages[11:41:5], strict=True):
        before = [p for p in document.passages if page.start <= p.start < page.end]
        after = [p for p in document.passages if following.start <= p.start < following.end]
        if not before or not after:
            continue
        left = document.passage_text(before[-1])[-60:].lstrip()
        right = document.passage_text(after[0])[:60].rstrip()
        check, identities = checker.check(f"{left}\n{right}")
        between = [m for at, m in marks.items() if before[-1].end <= at < after[0].start]
        assert check.verdict is Verdict.EXACT_SPLIT, (page.number, check.explanation)
        assert [identity.text for identity in identities] == [left, right]
        assert [gap.span.start for gap in check.locations[0].gaps] == [mark.start for mark in between]
        crossed += bool(between)
    assert crossed

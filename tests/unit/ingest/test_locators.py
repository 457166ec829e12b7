"""Locators tell the truth on every good file: what is stated, where it is stated, and nothing else.

R8: page, chapter and section "when available". R108: a citation prints a page only when the file, or the
person, states one.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from cmtui.ingest.build import build_document
from cmtui.ingest.kinds import detect_kind
from cmtui.ingest.sandbox import ReaderPool
from cmtui.model.identity import SourceKind, SourceVersion, sha256_bytes
from cmtui.model.selectors import Span
from cmtui.model.source import PRINTABLE_BASES, CanonicalDocument, PageBasis

FILES = Path(__file__).parents[3] / ".." / "shared" / "data" / "files"
#: The files that state page labels, and those that state printed pages (manifest.tsv, column labels).
LABELLED = {"pdf/pagelabels.pdf", "pdf/labels-roman-kids.pdf"}


def _rows() -> list[tuple[str, str]]:
    manifest = FILES / "manifest.tsv"
    if not manifest.exists():
        return []
    with manifest.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            (row["file"], row["phrase_and_place"] + row["labels"])
            for row in rows
            if row["class(expected)"].startswith("ok:")
        ]


ROWS = dict(_rows())
pytestmark = pytest.mark.skipif(not ROWS, reason="../shared/data/files is not here")


@pytest.fixture(scope="module")
def documents() -> dict[str, CanonicalDocument]:
    made = {}
    with ReaderPool() as pool:
        for name in ROWS:
            content = (FILES / name).read_bytes()
            kind = detect_kind(name, content)
            read = pool.read(content, kind, name=Path(name).name)
            version = SourceVersion(kind, sha256_bytes(content), len(content))
            made[name] = build_document(read, version=version)
    return made


def _spans(document: CanonicalDocument) -> Iterator[Span]:
    """The first and the last character of every passage."""
    for passage in document.passages:
        yield Span(passage.start, passage.start + 1)
        yield Span(passage.end - 1, passage.end)


def test_a_page_is_there_exactly_where_the_format_has_pages(documents: dict[str, CanonicalDocument]) -> None:
    """R8: physical pages of PDFs, form-feed pages of texts, none anywhere else."""
    for name, document in documents.items():
        has_pages = document.kind is SourceKind.PDF or (
            document.kind is SourceKind.TEXT and "\f" in document.text
        )
        for span in _spans(document):
            page = document.locate(span).page
            assert (page is not None) == has_pages, name
            if page is not None:
                assert document.text.count("\f", 0, span.start) == page - 1, name


def test_labels_and_printed_pages_are_null_where_none_are_stated(
    documents: dict[str, CanonicalDocument],
) -> None:
    """R8, settlements.md 6 (I2.3): every label field is null for a file without /PageLabels or page list."""
    for name, document in documents.items():
        locators = [document.locate(span) for span in _spans(document)]
        labels = {one.page_label for one in locators}
        assert (labels != {None}) == (name in LABELLED), name
        if document.kind is not SourceKind.EPUB:
            assert {one.print_page for one in locators} == {None}, name
        elif not document.tables.print_pages:
            assert "first print pages" not in ROWS[name], name
            assert {one.print_page for one in locators} == {None}, name


def test_only_a_stated_page_may_be_printed(documents: dict[str, CanonicalDocument]) -> None:
    """R108: a counted page says that it is counted; the page a person sets wins and says so too."""
    for name, document in documents.items():
        for span in _spans(document):
            located = document.locate(span)
            cited = located.cited_page
            if located.page_label:
                assert cited is not None
                assert (cited.value, cited.basis) == (located.page_label, PageBasis.LABEL), name
            elif located.print_page:
                assert cited is not None
                assert (cited.value, cited.basis) == (located.print_page, PageBasis.PRINT), name
            elif cited is not None:
                assert cited.basis not in PRINTABLE_BASES, name
                assert cited.value == str(located.page)
            if located.page is not None:
                moved = document.locate(span, page_offset=100).cited_page
                assert moved is not None
                assert (moved.value, moved.basis) == (str(located.page + 100), PageBasis.OFFSET)


def test_printed_pages_of_a_book_go_with_its_text(documents: dict[str, CanonicalDocument]) -> None:
    """R8: the page list of EPUB 3, the pageList of EPUB 2 and page breaks in the text, in reading order."""
    book = documents["epub/idpf-childrens-literature.epub"]
    labels = [mark.label for mark in book.tables.print_pages]
    assert len(labels) == 92
    numbers = [int(label) for label in labels if label.isdecimal()]
    assert all(a < b for a, b in pairwise(numbers))
    assert documents["epub/epub2-ncx.epub"].tables.print_pages[0].label == "7"


def test_sections_have_paths_and_ordinals(documents: dict[str, CanonicalDocument]) -> None:
    """R8: titles repeat (pdflatex-outline.pdf: Foo, Bar, Baz), ordinals do not."""
    for name, document in documents.items():
        marks = document.tables.sections
        assert [mark.ordinal for mark in marks] == list(range(1, len(marks) + 1)), name
        for span in _spans(document):
            located = document.locate(span)
            assert bool(located.section) == (located.section_ordinal is not None), name
            if located.section_ordinal is not None:
                mark = marks[located.section_ordinal - 1]
                assert mark.path == located.section, name
                assert mark.start <= span.start < mark.end, name
    outline = documents["pdf/pdflatex-outline.pdf"].tables.sections
    titles = [mark.path[-1] for mark in outline]
    assert len(set(titles)) < len(titles)


def test_chapters_are_spine_items_in_reading_order(documents: dict[str, CanonicalDocument]) -> None:
    """R8: chapter of an EPUB with its place and name in the book; other formats have none."""
    for name, document in documents.items():
        chapters = document.tables.chapters
        assert bool(chapters) == (document.kind is SourceKind.EPUB), name
        assert [mark.spine for mark in chapters] == list(range(1, len(chapters) + 1)), name
        assert all(mark.href for mark in chapters), name
        for span in _spans(document):
            if chapters:
                assert any(mark.start <= span.start < mark.end for mark in chapters), name
            else:
                assert document.locate(span).chapter is None, name


def test_paragraphs_are_counted_from_one_and_never_in_a_pdf(documents: dict[str, CanonicalDocument]) -> None:
    """R8: "chap. 3, para. 12" where there are paragraphs; a PDF states none, so none is counted."""
    for name, document in documents.items():
        marks = document.tables.paragraphs
        assert bool(marks) == (document.kind is not SourceKind.PDF), name
        if marks:
            assert marks[0].number == 1, name
            assert all(b.number in {1, a.number + 1} for a, b in pairwise(marks)), name


def test_lines_are_counted_as_editors_count_them(documents: dict[str, CanonicalDocument]) -> None:
    """R8: only a line feed ends a line."""
    for name, document in documents.items():
        for span in _spans(document):
            located = document.locate(span)
            assert located.line_start == located.line_end, name
            assert located.line_start == document.text.count("\n", 0, span.start) + 1, name

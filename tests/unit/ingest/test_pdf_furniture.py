"""Running heads, page numbers and footnotes stand apart from the running text; nothing uncertain does."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui.ingest.build import build_document
from cmtui.ingest.readers.pdf import PdfSourceReader
from cmtui.ingest.readers.pdf_furniture import pdf_furniture
from cmtui.model.identity import SourceKind, SourceVersion, sha256_bytes
from cmtui.model.source import CanonicalDocument, FurnitureKind, PageMark, PassageRole
from support.pdf_fixtures import make_pdf

ALICE = Path(__file__).parents[3] / ".." / "shared" / "data" / "files" / "pdf" / "alice30.pdf"

BODY = (
    "the keeper climbed the stairs before dawn",
    "and trimmed the lamp as he had always done.",
    "He wrote the hour into the book and slept.",
    "No ship was seen that night, and the sea",
)


def marks(pages: list[str]) -> list[tuple[str, FurnitureKind]]:
    text = "\f".join(pages)
    tables = []
    at = 0
    for number, page in enumerate(pages, start=1):
        tables.append(PageMark(at, at + len(page), number))
        at += len(page) + 1
    return [(text[mark.start : mark.end], mark.kind) for mark in pdf_furniture(text, tables)]


def page(*lines: str, body: str = "") -> str:
    """A page of four lines, each with the word ``body``; digits in it are written as letters, because lines
    that differ by numbers alone are what is looked for."""
    head, *foot = lines
    body = "".join(chr(ord("a") + int(ch)) if ch.isdigit() else ch for ch in body)
    return "\n".join([head, *(f"{line} {body}".strip() for line in BODY), *foot])


def document(content: bytes) -> CanonicalDocument:
    read = PdfSourceReader().read(content, name="book.pdf")
    return build_document(read, version=SourceVersion(SourceKind.PDF, sha256_bytes(content), len(content)))


def test_a_running_head_with_its_page_number_is_furniture() -> None:
    pages = [page(f"{n} A HISTORY OF LAMPS", body=f"x{n}") for n in range(12, 17)]
    assert marks(pages) == [(f"{n} A HISTORY OF LAMPS", FurnitureKind.RUNNING_HEAD) for n in range(12, 17)]


def test_heads_of_facing_pages_alternate() -> None:
    pages = [
        page(f"{n} Lamps of the North" if n % 2 else f"The First Keepers {n}", body=f"x{n}")
        for n in range(1, 9)
    ]
    assert len(marks(pages)) == 8


def test_page_numbers_are_furniture_in_arabic_and_roman_figures() -> None:
    arabic = [page("", f"- {n} -", body=f"x{n}") for n in range(7, 11)]
    roman = [page("", number, body=f"{number * 2}z") for number in ("iii", "iv", "v", "vi")]
    stated = [page("", f"Page {n} of 9", body=f"x{n}") for n in range(1, 5)]
    for pages in (arabic, roman, stated):
        assert [kind for _, kind in marks(pages)] == [FurnitureKind.PAGE_NUMBER] * 4


def test_three_lines_at_an_edge_are_furniture_but_repeated_pages_are_not() -> None:
    stamp = ("", "This content downloaded on 1 May 2020", "All use subject to terms", "https://example.org")
    assert len(marks([page(*stamp, body=f"x{n}") for n in range(4)])) == 12
    assert marks([page("A title") for _ in range(6)]) == [], "whole pages repeat: nothing says what is text"


@pytest.mark.parametrize(
    "pages",
    [
        [page(f"Table {n}", body=f"x{n}") for n in (3, 7, 8)],
        [page("", f"{n}", body=f"x{n}") for n in (250, 75, 31, 900)],
        [page("A heading", body="a"), page("A heading", body="b")],
        [f"This is page {n}" for n in range(1, 9)],
        [page("The same words", body="a"), *(page(f"other {n * n}", body=f"{n}") for n in range(2, 9)),
         page("The same words", body="c"), page("The same words", body="d")],
    ],
    ids=["numbers that do not count", "figures of a table", "two pages", "the only words", "far apart"],
)  # fmt: skip
def test_what_is_not_certain_stays_text(pages: list[str]) -> None:
    assert marks(pages) == []


def test_short_chapters_keep_their_heads_apart_once_the_page_numbers_are_known() -> None:
    pages = [page(f"{n}", body=f"x{n}") for n in range(1, 8)]
    pages[3] = page("4 CHAPTER TWO", body="y")
    assert marks(pages)[3] == ("4 CHAPTER TWO", FurnitureKind.RUNNING_HEAD)
    pages[3] = page("4 men went ashore", body="y")
    assert "4 men went ashore" not in dict(marks(pages))


def test_footnotes_that_the_text_calls_are_a_block_of_their_own() -> None:
    first = (
        "The lamp was lit in May.1 Nobody saw\nit go out,2 says the log, and the\nkeeper slept until noon.\n"
        "1 Log of the station, vol. 2.\n2 The harbour master disagrees, as\nhe did every year."
    )
    found = marks([first])
    assert found == [
        (
            "1 Log of the station, vol. 2.\n2 The harbour master disagrees, as\nhe did every year.",
            FurnitureKind.FOOTNOTE,
        )
    ]


def test_numbered_lines_that_the_text_does_not_call_are_no_footnotes() -> None:
    listed = "\n".join([*BODY, "1 First of all, the oil.", "2 Then the wick."])
    assert marks([listed]) == []
    assert marks([listed, listed.replace("lamp", "wick")]) == []


def test_no_passage_holds_furniture_and_footnotes_are_passages_of_their_own() -> None:
    """settlements.md 5.7: running heads and page numbers are removed from passages."""
    pages = [page(f"{n} A HISTORY OF LAMPS", body=f"x{n}") for n in range(1, 6)]
    pages[1] += "\nEnd of the note.1 And more words here\n1 A note from the log."
    pages[2] += "\nEnd of another.2 And more words here\n2 Another note from the log."
    made = document(make_pdf(pages))
    assert [
        made.text[m.start : m.end] for m in made.tables.furniture if m.kind is FurnitureKind.FOOTNOTE
    ] == [
        "1 A note from the log.",
        "2 Another note from the log.",
    ]
    for mark in made.tables.furniture:
        inside = [p for p in made.passages if p.start < mark.end and mark.start < p.end]
        if mark.kind is FurnitureKind.FOOTNOTE:
            assert [(p.start, p.end, p.role) for p in inside] == [
                (mark.start, mark.end, PassageRole.FOOTNOTE)
            ]
        else:
            assert inside == []
    assert "A HISTORY OF LAMPS" in made.text, "the canonical text keeps every character"


def test_a_heading_that_the_outline_places_on_the_page_is_no_running_head() -> None:
    pages = [page("Lamps", body=f"x{n}") for n in range(1, 6)]
    made = document(make_pdf(pages, outline=[(1, "Lamps", 1)]))
    assert next(p.role for p in made.passages) is PassageRole.HEADING
    assert len(made.tables.furniture) == 4


@pytest.mark.skipif(not ALICE.exists(), reason="../shared/data/files is not here")
def test_every_numbered_page_of_a_real_book_gives_its_head_or_number() -> None:
    """settlements.md 2.17: 91 of the 92 pages of alice30.pdf print a number, one of them beside a head."""
    made = document(ALICE.read_bytes())
    found = [made.text[m.start : m.end] for m in made.tables.furniture]
    assert len(found) == 91
    for number, line in enumerate(found, start=2):
        assert str(number) in line.split()
    assert not [p for p in made.passages if made.passage_text(p).startswith("26 CHAPTER 3.")]

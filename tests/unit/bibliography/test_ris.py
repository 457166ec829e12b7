"""RIS as programs write it, and as it is written here (issue 5, part 6)."""

# ruff: noqa: E501  (a row of a table reads better on one line)
from __future__ import annotations

from typing import Any

import pytest

from cmtui.bibliography.metadata import validate_item
from cmtui.bibliography.reading.detect import read_bibliography
from cmtui.bibliography.ris import read, write_ris
from cmtui.model.importing import ImportedEntry

RECORD = "TY  - JOUR\r\nAU  - LeCun, Yann\r\nTI  - Deep learning\r\nPY  - 2015\r\nER  - \r\n"


def one(lines: str) -> ImportedEntry:
    [entry] = read(f"TY  - JOUR\n{lines}\nER  - \n").entries
    return entry


def item(lines: str, kind: str = "JOUR") -> dict[str, Any]:
    [entry] = read(f"TY  - {kind}\n{lines}\nER  - \n").entries
    return entry.item


@pytest.mark.parametrize(
    "text",
    [
        RECORD,
        "\ufeff" + RECORD,  # rispy #13, #23: a byte order mark gave nothing at all
        RECORD.replace("\r\n", "\n"),
        RECORD.replace("\r\n", "\r"),
        RECORD.replace("  - ", " - "),  # one blank
        RECORD.replace("ER  - ", "ER  -"),
        RECORD.replace("ER  - ", "ER"),
        "1.\r\n" + RECORD,  # numbers of records, as rispy writes them
        "\r\n\r\n" + RECORD + "\r\n\x1a",
    ],
)
def test_the_same_record_in_every_spelling(text: str) -> None:
    made = read(text)
    assert made.problems == ()
    [entry] = made.entries
    assert entry.warnings == ()
    assert entry.item == {
        "id": "ris1",
        "type": "article-journal",
        "author": [{"family": "LeCun", "given": "Yann"}],
        "title": "Deep learning",
        "issued": {"date-parts": [[2015]]},
    }


def test_bytes_with_a_mark_and_without_utf_8() -> None:
    """rispy #30, #48."""
    marked = read_bibliography(b"\xef\xbb\xbf" + RECORD.encode())
    assert len(marked.entries) == 1
    old = read_bibliography(RECORD.replace("Yann", "Jos\xe9").encode("cp1252"))
    assert old.entries[0].item["author"][0]["given"] == "José"
    assert "not UTF-8 (first in line 2)" in old.warnings[0]
    wide = read_bibliography(RECORD.encode("utf-16"))
    assert wide.entries[0].item["title"] == "Deep learning"


def test_a_record_without_its_end_is_kept() -> None:
    """rispy drops it in silence."""
    made = read("TY  - BOOK\nTI  - One\nTY  - BOOK\nTI  - Two\n")
    assert [entry.item["title"] for entry in made.entries] == ["One", "Two"]
    assert [entry.line for entry in made.entries] == [1, 3]
    assert "no ER line; it was ended at line 3" in made.entries[0].warnings[0]
    assert "end of the file" in made.entries[1].warnings[0]


def test_junk_is_reported_by_line() -> None:
    made = read("Export of today\n\nTY  - BOOK\nTI  - One\nER  - \nmore junk\n")
    assert [(problem.line, problem.message) for problem in made.problems] == [
        (1, "Text outside of any record is ignored: 'Export of today'."),
        (6, "Text outside of any record is ignored: 'more junk'."),
    ]
    assert len(made.entries) == 1


def test_stray_tags_and_continued_lines() -> None:
    """rispy #61: a line of an abstract that looks like a tag is text; an unknown tag elsewhere is named."""
    entry = one("TI  - A title\n that goes on\nAB  - First.\nXX  - second\nthird.\nTI2 x")
    assert entry.item["title"] == "A title that goes on"
    assert entry.item["abstract"].split() == ["First.", "XX", "-", "second", "third.", "TI2", "x"]
    entry = one("TI  - T\nXX  - lost\nU1  - mine")
    assert entry.warnings == (
        "line 3: the tag 'XX' is not known and was left out",
        "tags without a place in CSL are left out: U1",
    )


def test_an_id_used_twice_is_reported_by_line() -> None:
    made = read(
        "TY  - BOOK\nID  - a\nTI  - One\nER  - \nTY  - BOOK\nID  - a\nTI  - Two\nER  - \nTY  - BOOK\nER  - \n"
    )
    assert [entry.key for entry in made.entries] == ["a"]
    assert [(problem.line, problem.key) for problem in made.problems] == [(5, "a"), (9, "")]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("LeCun, Yann", {"family": "LeCun", "given": "Yann"}),
        ("King, Martin Luther, Jr.", {"family": "King", "given": "Martin Luther", "suffix": "Jr."}),
        ("van Gogh, Vincent", {"family": "Gogh", "given": "Vincent", "non-dropping-particle": "van"}),
        ("Goethe, J. W. von", {"family": "Goethe", "given": "J. W.", "dropping-particle": "von"}),
        ("World Health Organization", {"literal": "World Health Organization"}),
        ("World Health Organization,", {"literal": "World Health Organization"}),
        ("University of California,, Berkeley", {"literal": "University of California, Berkeley"}),
        ("Barnes and Noble", {"literal": "Barnes and Noble"}),
    ],
)
def test_names(written: str, name: dict[str, str]) -> None:
    assert item(f"AU  - {written}")["author"] == [name]


@pytest.mark.parametrize(
    ("lines", "issued"),
    [
        ("PY  - 2015", {"date-parts": [[2015]]}),
        ("PY  - 2015/03/12/", {"date-parts": [[2015, 3, 12]]}),  # pandoc made empty date-parts of this
        ("Y1  - 2015/03//", {"date-parts": [[2015, 3]]}),
        ("PY  - 2015\nDA  - 2015/03/12", {"date-parts": [[2015, 3, 12]]}),
        ("DA  - 2015-03-12", {"date-parts": [[2015, 3, 12]]}),
        ("PY  - 2015///Spring", {"date-parts": [[2015]], "season": 1}),
        ("PY  - in press", {"literal": "in press"}),
    ],
)
def test_dates(lines: str, issued: dict[str, Any]) -> None:
    assert item(lines)["issued"] == issued


def test_numbers_pages_and_files() -> None:
    made = item(
        "SP  - 436\nEP  - 444\nSN  - 1234-567X\nDO  - https://doi.org/10.1/a_b\nUR  - https://x.org/a_b\nKW  - a\nKW  - b, c"
    )
    assert (made["page"], made["ISSN"], made["DOI"], made["keyword"]) == (
        "436-444",
        "1234-567X",
        "10.1/a_b",
        "a, b, c",
    )
    book = item("SP  - 312\nSN  - 978-3-16-148410-0 (print)\nT2  - Series", "BOOK")
    assert (book["number-of-pages"], book["ISBN"], book["collection-title"]) == (
        "312",
        "978-3-16-148410-0",
        "Series",
    )
    entry = one(
        "TI  - T\nL1  - file:///C:/Papers/a%20b.pdf\nL1  - files/2/x.pdf\nL4  - internal-pdf://1/y.pdf"
    )
    assert [one.path for one in entry.attachments] == [
        "C:/Papers/a b.pdf",
        "files/2/x.pdf",
        "internal-pdf://1/y.pdf",
    ]


def test_what_is_written_in_full() -> None:
    """A line break in a field would begin a new tag (rispy), and an ER ends every record."""
    made = validate_item(
        {
            "id": "x",
            "type": "article-journal",
            "title": "Deep\nlearning\r\nER  - ",
            "author": [
                {"family": "Gogh", "given": "V", "non-dropping-particle": "van"},
                {"literal": "A, B and C"},
            ],
            "page": "436–444",
            "issued": {"date-parts": [[2015, 3]]},
        }
    )
    assert write_ris([made]) == (
        "TY  - JOUR\r\nID  - gogh2015\r\nAU  - van Gogh, V\r\nAU  - A,, B and C\r\nTI  - Deep learning ER -\r\n"
        "SP  - 436\r\nEP  - 444\r\nPY  - 2015\r\nDA  - 2015/03//\r\nER  - \r\n\r\n"
    )

"""Which format a file is, CSL-JSON, and what export writes (issue 5, part 6)."""

# ruff: noqa: E501  (a row of a table reads better on one line)
from __future__ import annotations

import json

import pytest

from cmtui.bibliography.export import write_bibliography
from cmtui.bibliography.metadata import validate_item
from cmtui.bibliography.reading.detect import read_bibliography
from cmtui.errors import InvalidMetadata, InvalidRequest, WrongBibliographyFormat

BIB = "@article{a, title={T}}\n"
RIS = "TY  - JOUR\nTI  - T\nER  - \n"
CSL = '[{"id": "a", "type": "book", "title": "T"}]'


@pytest.mark.parametrize(
    ("text", "format_name"),
    [
        (BIB, "bibtex"),
        ("% comment\n@book(a, title={T})", "bibtex"),
        ("@online{a, title={T}}", "biblatex"),
        ("@article{a, date={2020}}", "biblatex"),
        (RIS, "ris"),
        ("\ufeff\n" + RIS, "ris"),
        ("TY  - JOUR\nAB  - see\n@article{x, title={y}}\nER  - \n", "ris"),
        (CSL, "csl-json"),
        ('{"items": ' + CSL + "}", "csl-json"),
        ('\ufeff{"type": "book", "title": "T"}', "csl-json"),
        ("[]", "csl-json"),
    ],
)
def test_the_content_says_what_a_file_is(text: str, format_name: str) -> None:
    assert read_bibliography(text).format == format_name


@pytest.mark.parametrize(
    ("text", "stated", "message"),
    [
        (RIS, "bibtex", "'x' is RIS, not BibTeX."),
        (BIB, "ris", "'x' is BibTeX, not RIS."),
        (CSL, "biblatex", "'x' is CSL-JSON, not BibLaTeX."),
        ("%PDF-1.7 ...", None, "'x' is a PDF document."),
        ("PK\x03\x04", "bibtex", "'x' is a ZIP container (Word, OpenDocument, EPUB or an archive), not BibTeX."),
        ("<!DOCTYPE html><html>", None, "'x' is a web page (HTML)."),
        ("<xml><records><record>", None, "'x' is EndNote XML."),
        ('<?xml version="1.0"?>\n<rdf:RDF>', None, "'x' is RDF, such as Zotero's own."),
        ("%0 Journal Article\n%A B", None, "'x' is EndNote's tagged format (.enw)."),
        ("\nPMID- 123\nOWN - NLM", None, "'x' is PubMed's MEDLINE format (.nbib)."),
        ("FN Clarivate Analytics Web of Science\nVR 1.0", None, "'x' is Web of Science's tagged format."),
        ("cff-version: 1.2.0", None, "'x' is a CITATION.cff file."),
        ("Key,Item Type,Year,Author\n1,book,1999,A", None, "'x' is a table (CSV or TSV)."),
        ('{"items": [{"itemType": "book"}]}', None, "'x' is Zotero's own JSON; export it as CSL JSON, BibTeX or RIS."),
        ('{"a": 1}', None, "'x' is JSON, but not CSL-JSON."),
        ("[{]", None, "'x' is broken JSON (Expecting property name enclosed in double quotes in line 1, column 3)."),
        ("[" * 100_000, None, "'x' is JSON that is nested too deeply."),
        ("", None, "'x' is an empty file."),
        ("Dear diary", "ris", "'x' is plain text, not RIS."),
    ],
)  # fmt: skip
def test_a_wrong_file_says_what_it_looks_like(text: str, stated: str | None, message: str) -> None:
    with pytest.raises(WrongBibliographyFormat) as caught:
        read_bibliography(text, stated=stated, name="x")
    assert caught.value.message == message
    assert caught.value.hint


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(InvalidRequest) as caught:
        read_bibliography(BIB, stated="endnote")
    assert "biblatex" in caught.value.hint


def test_csl_json_items_that_cannot_be_used_are_reported_by_line() -> None:
    text = (
        '[\n {"id": "a", "type": "book", "title": "A", "gizmo": 1},\n {"id": "b",\n  "type": "nothing"},\n 7,\n'
        ' {"id": "a", "type": "book", "title": "Again"},\n {"id": "c", "type": "book", "issued": "2020-13-01"}\n]'
    )
    made = read_bibliography(text)
    assert [(entry.key, entry.line) for entry in made.entries] == [("a", 2), ("c", 7)]
    assert [problem.line for problem in made.problems] == [3, 5, 6]
    assert "gizmo" in made.entries[0].warnings[0]
    assert "issued" in made.entries[1].warnings[0]
    wrapped = read_bibliography('{"note": "items",\n"items": [\n{"type": "book", "title": "T"}]}')
    assert [(entry.key, entry.line) for entry in wrapped.entries] == [("item1", 3)]


WORK = {
    "id": "w",
    "type": "paper-conference",
    "title": "NASA's R&D at 50%",
    "author": [
        {"family": "King", "given": "M. L.", "suffix": "Jr."},
        {"literal": "European Research Council"},
    ],
    "container-title": "Proceedings of X & Y",
    "issued": {"date-parts": [[2020, 5, 1], [2020, 6]]},
    "accessed": {"date-parts": [[2024, 1, 15]]},
    "page": "1-9",
    "DOI": "10.1/a_b",
    "URL": "https://x.org/a_b?x=1&y=50%25",
    "custom": {"mine": 1},
}


def test_biblatex_in_full() -> None:
    """DOI kept, URL intact, organisations in double braces (rstudio #15184), escapes once (papis #870,
    citation-js #232), capitals protected, UTF-8."""
    made = write_bibliography([WORK], "biblatex")
    assert made.text == (
        "@inproceedings{king2020,\n"
        "  author = {King, Jr., M. L. and {European Research Council}},\n"
        "  title = {{NASA's} {R\\&D} at 50\\%},\n"
        "  booktitle = {Proceedings of X \\& Y},\n"
        "  pages = {1--9},\n"
        "  date = {2020-05-01/2020-06},\n"
        "  urldate = {2024-01-15},\n"
        "  doi = {10.1/a_b},\n"
        "  url = {https://x.org/a_b?x=1&y=50%25},\n"
        "}\n"
    )
    assert made.warnings == ("'NASA's R&D at 50%': biblatex does not carry custom unchanged.",)


def test_what_a_format_cannot_carry_is_named() -> None:
    [warning] = write_bibliography([WORK], "ris").warnings
    assert warning == "'NASA's R&D at 50%': ris does not carry issued, custom unchanged."
    assert write_bibliography([WORK], "csl-json").warnings == ()
    assert write_bibliography([], "bibtex").text == ""


def test_keys_and_ids_are_distinct() -> None:
    some = [
        {"id": "a", "type": "book", "title": "T"},
        {"id": "a", "type": "book", "title": "T"},
        {"type": "book", "title": "U"},
    ]
    ids = [item["id"] for item in json.loads(write_bibliography(some, "csl-json").text)]
    assert ids == ["a", "a-2", "item3"]
    for format_name in ("bibtex", "biblatex", "ris"):
        read = read_bibliography(write_bibliography(some, format_name).text)
        assert (len(read.entries), read.problems) == (3, ())


def test_export_refuses_what_it_cannot_write() -> None:
    with pytest.raises(InvalidRequest):
        write_bibliography([], "endnote")
    with pytest.raises(InvalidMetadata):
        write_bibliography([{"type": "nothing"}], "ris")


def test_a_key_that_bibtex_cannot_use_is_made_anew() -> None:
    item = validate_item({"type": "book", "title": "T", "citation-key": "Müller 2020, a"})
    assert write_bibliography([item], "biblatex").text.startswith("@book{t,")

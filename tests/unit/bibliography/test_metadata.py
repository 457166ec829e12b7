"""Validation of bibliographic metadata (R101 to R105)."""

from __future__ import annotations

import pytest

from cmtui.bibliography.metadata import csl_item, read_item, validate_item
from cmtui.errors import InvalidMetadata
from cmtui.model.bibliography import BibliographicAuthor, BibliographicDate, BibliographicMetadata


def metadata(**changes: object) -> BibliographicMetadata:
    return BibliographicMetadata(**{"kind": "book", "title": "The Voyage", **changes})


def test_simple_form_becomes_csl_json_R103() -> None:
    item = csl_item(
        metadata(
            authors=(BibliographicAuthor("Writer", "Jane"), BibliographicAuthor(literal="Harbour Board")),
            issued=BibliographicDate(2024, 5),
            publisher="Example Press",
            pages="1-9",
        )
    )
    assert item == {
        "type": "book",
        "title": "The Voyage",
        "author": [{"family": "Writer", "given": "Jane"}, {"literal": "Harbour Board"}],
        "issued": {"date-parts": [[2024, 5]]},
        "publisher": "Example Press",
        "page": "1-9",
    }


@pytest.mark.parametrize(
    ("kind", "csl_type"),
    [("book", "book"), ("paper", "article-journal"), ("webpage", "webpage"), ("document", "document")],
)
def test_the_four_kinds_R105(kind: str, csl_type: str) -> None:
    assert csl_item(metadata(kind=kind))["type"] == csl_type


def test_nothing_is_added_that_was_not_given_R102() -> None:
    assert csl_item(metadata()) == {"type": "book", "title": "The Voyage"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"kind": "film"}, "kind"),
        ({"title": "  "}, "title"),
        ({"issued": BibliographicDate(2020, 13, 1)}, "issued"),
        ({"issued": BibliographicDate(2020, None, 4)}, "issued"),
        ({"issued": BibliographicDate(2021, 2, 29)}, "issued"),
        ({"accessed": BibliographicDate(0)}, "accessed"),
        ({"authors": (BibliographicAuthor(),)}, "author"),
    ],
)
def test_wrong_simple_metadata_names_the_field(changes: dict, field: str) -> None:
    with pytest.raises(InvalidMetadata) as caught:
        csl_item(metadata(**changes))
    assert caught.value.message.startswith(field)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ({"title": "x"}, "type"),
        ({"type": "journal-article"}, "type"),
        ({"type": "book", "author": "Smith"}, "author"),
        ({"type": "book", "author": ["Smith"]}, "author[0]"),
        ({"type": "book", "author": [{"family": 3}]}, "author[0].family"),
        ({"type": "book", "title": ["a", "b"]}, "title"),
        ({"type": "book", "title": {"x": 1}}, "title"),
        ({"type": "book", "volume": True}, "volume"),
        ({"type": "book", "issued": 2020}, "issued"),
        ({"type": "book", "issued": {"date-parts": [["x"]]}}, "issued"),
        ({"type": "book", "issued": {"date-parts": [[2020, 4, 31]]}}, "issued"),
        ({"type": "book", "issued": {"date-parts": [[2020], [2021], [2022]]}}, "issued"),
        ({"type": "book", "titel": "x"}, "titel"),
        ({"type": "book", "id": ["x"]}, "id"),
    ],
)
def test_wrong_csl_json_names_the_field(item: dict, field: str) -> None:
    with pytest.raises(InvalidMetadata) as caught:
        validate_item(item)
    assert f"{field}:" in caught.value.message


def test_every_problem_is_reported_at_once() -> None:
    with pytest.raises(InvalidMetadata) as caught:
        validate_item({"type": "bok", "author": "x", "issued": 4, "titel": "y"})
    for field in ("type:", "author:", "issued:", "titel:"):
        assert field in caught.value.message
    assert "'book'" in caught.value.message
    assert "'title'" in caught.value.message


def test_unknown_fields_can_be_let_through_and_are_listed() -> None:
    item = {"type": "book", "title": "x", "shelf": "B4", "author": [{"family": "A", "ORCID": "0"}]}
    assert validate_item(item, allow_unknown=True) == {
        "type": "book",
        "title": "x",
        "author": [{"family": "A"}],
    }
    assert read_item(item).unknown == ["shelf", "author[0].ORCID"]


@pytest.mark.parametrize(
    "empty", [None, {}, {"date-parts": [[None]]}, {"date-parts": [[""]]}, {"date-parts": []}]
)
def test_an_empty_date_is_no_date(empty: object) -> None:
    assert validate_item({"type": "book", "issued": empty}) == {"type": "book"}


def test_usual_forms_of_other_programs_are_read() -> None:
    """Lists of one title, null fields, years as text (design citations.md 3f)."""
    item = {
        "type": "book",
        "title": ["T"],
        "page": None,
        "issued": {"date-parts": [["2020", "5"]]},
        "accessed": "2021-02-03",
        "submitted": {"raw": "in spring"},
    }
    assert validate_item(item) == {
        "type": "book",
        "title": "T",
        "issued": {"date-parts": [[2020, 5]]},
        "accessed": {"date-parts": [[2021, 2, 3]]},
        "submitted": {"literal": "in spring"},
    }


def test_input_is_not_changed() -> None:
    item = {"type": "book", "title": ["T"], "issued": "2020"}
    validate_item(item)
    assert item == {"type": "book", "title": ["T"], "issued": "2020"}


def test_a_number_in_a_text_field_is_its_text() -> None:
    """A book called 1984 has a title; a volume may stay a number."""
    item = validate_item({"type": "book", "title": 1984, "volume": 3})
    assert item["title"] == "1984"
    assert item["volume"] == 3


@pytest.mark.parametrize("author", ["Jane Writer", ["Jane Writer"]])
def test_a_name_of_the_wrong_shape_is_answered_with_an_example(author: object) -> None:
    with pytest.raises(InvalidMetadata, match='"family": "Writer"'):
        validate_item({"type": "book", "title": "T", "author": author})

"""Fields, names and dates of the bibliography form, without a screen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmtui.bibliography.vocabulary import DATE_VARIABLES, ITEM_TYPES, NAME_VARIABLES
from cmtui.engine import CitationMachine
from cmtui.model.source import MetadataCandidate
from cmtui.tui import csl_form
from cmtui.tui.citing.naming import NameParts, name_of, parts_of, turned
from cmtui.tui.citing.offers import sort_offers

ITEM = {
    "type": "article-journal",
    "title": "On “Wept”",
    "author": [{"family": "Writer", "given": "Jane"}, {"literal": "Harbour Board"}],
    "issued": {"date-parts": [[2024, 5, 31]]},
    "page": "1–9",
    "note": "stays",
    "translator": [{"family": "X", "given": "Y", "suffix": "Jr."}],
}


def test_a_form_that_is_not_touched_changes_nothing() -> None:
    assert csl_form.item_of(csl_form.values(ITEM), ITEM) == ITEM


@pytest.mark.parametrize(
    ("variable", "typed", "value"),
    [
        ("author", [{"literal": "UNESCO"}], [{"literal": "UNESCO"}]),
        ("author", [], None),
        ("issued", "2024-05", {"date-parts": [[2024, 5]]}),
        ("issued", "2023/2024", {"date-parts": [[2023], [2024]]}),
        ("issued", "2024~", {"date-parts": [[2024]], "circa": True}),
        ("issued", "2024-22", {"date-parts": [[2024]], "season": 2}),
        ("issued", "-44-03", {"date-parts": [[-44, 3]]}),
        ("issued", "spring 2024", {"literal": "spring 2024"}),
        ("page", "", None),
        ("DOI", " 10.1/x ", "10.1/x"),
    ],
)
def test_typed_fields_become_csl(variable: str, typed: object, value: object) -> None:
    made = csl_form.item_of({**csl_form.values(ITEM), variable: typed}, ITEM)
    assert made.get(variable) == value
    assert made["note"] == "stays"


@pytest.mark.parametrize("text", ["2024-05-31", "2023/2024", "2024~", "2024-22", "-44-03", "spring 2024"])
def test_dates_read_back_as_they_were_typed(text: str) -> None:
    assert csl_form.date_text(csl_form.date(text)) == text
    assert not CitationMachine.check_item({"type": "book", "issued": csl_form.date(text)}).errors


def test_every_type_of_the_issue_has_fields_that_csl_has() -> None:
    """Issue 5, part 1: fourteen types."""
    assert len(csl_form.FIELD_SETS) == 14
    assert set(csl_form.FIELD_SETS) <= ITEM_TYPES
    for kind in csl_form.TYPES:
        fields = csl_form.fields_of(kind)
        assert fields[0].variable == "title"
        assert {f.variable for f in fields} == set(csl_form.FIELD_SETS.get(kind, csl_form.GENERAL))
    for field in csl_form.FIELDS:
        assert (field.kind == "names") == (field.variable in NAME_VARIABLES)
        assert (field.kind == "date") == (field.variable in DATE_VARIABLES)


def test_what_a_type_does_not_show_is_named() -> None:
    assert csl_form.kept(ITEM | {"type": "webpage"}) == ("page", "note", "translator")


PARTS = st.text("abc é'-", max_size=6).map(str.strip)
NAMES = st.one_of(
    st.builds(NameParts, PARTS, PARTS, PARTS, PARTS), st.builds(NameParts, PARTS, organisation=st.just(True))
)


@given(NAMES)
def test_a_name_reads_back(parts: NameParts) -> None:
    made = name_of(parts, {})
    assert (made is None) == parts.empty
    if made is not None:
        assert parts_of(made) == parts


def test_a_name_keeps_its_hints_and_the_kind_of_its_particle() -> None:
    before = {"family": "Gaulle", "given": "Charles", "dropping-particle": "de", "comma-suffix": True}
    assert name_of(parts_of(before), before) == before
    changed = name_of(NameParts("Gaulle", "C.", "de"), before)
    assert changed == before | {"given": "C."}
    assert name_of(NameParts("Gaulle", "C.", "du"), before)["dropping-particle"] == "du"


@pytest.mark.parametrize(
    ("typed", "person"),
    [
        ("Writer, Jane", NameParts("Writer", "Jane")),
        ("Jane Q. Writer", NameParts("Writer", "Jane Q.")),
        ("Plato", NameParts("Plato", "")),
    ],
)
def test_one_name_is_parted_on_command(typed: str, person: NameParts) -> None:
    assert turned(NameParts(typed, organisation=True)) == person


def test_a_person_becomes_an_organisation_without_losing_a_part() -> None:
    assert turned(NameParts("Gogh", "Vincent", "van", "Jr.")) == NameParts(
        "Vincent van Gogh, Jr.", organisation=True
    )


def test_candidates_stand_at_their_field_and_equal_ones_once() -> None:
    offers = sort_offers(
        [
            MetadataCandidate("Title", "A", "DocInfo"),
            MetadataCandidate("title", "A", "XMP"),
            MetadataCandidate("title", "B", "XMP"),
            MetadataCandidate("year", "2024", "XMP"),
            MetadataCandidate("keywords", "k", "XMP"),
        ]
    )
    assert [c.value for c in offers.fields["title"]] == ["A", "B"]
    assert [c.value for c in offers.fields["issued"]] == ["2024"]
    assert [c.field for c in offers.others] == ["keywords"]


def test_a_check_names_every_field_with_its_reason() -> None:
    check = CitationMachine.check_item(
        {
            "type": "bok",
            "issued": {"date-parts": [[2024, 99]]},
            "author": [{"family": "A"}, {"family": ""}],
            "DOI": "no",
            "ISBN": "978-0-00-000000-0",
            "URL": "example.org",
            "colour": "red",
        }
    )
    errors, notes = dict(check.errors), dict(check.notes)
    assert set(errors) == {"type", "issued", "author", "colour"}
    assert errors["author"].startswith("name 2")
    assert set(notes) == {"title", "DOI", "ISBN", "URL"}

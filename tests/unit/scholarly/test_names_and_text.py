"""Names as providers give them, and titles out of markup."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmtui.scholarly.names import crossref_name, datacite_name, family_key, parse_display_name
from cmtui.scholarly.text import abstract, fold, plain, rich


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (
            {"family": "Hora", "given": "Donald", "suffix": "Jr."},
            {"family": "Hora", "given": "Donald", "suffix": "Jr."},
        ),
        ({"name": "World Health Organization"}, {"literal": "World Health Organization"}),
        ({"family": "조혜린"}, {"family": "조혜린"}),
        ({"family": "Wandy", "given": "Wandy"}, {"family": "Wandy", "given": "Wandy"}),
        ({"family": "-", "given": "Plato"}, {"literal": "Plato"}),
        ({"family": "-"}, None),
        ({"sequence": "additional"}, None),
        ({"family": None, "name": "Smith &amp; Sons"}, {"literal": "Smith & Sons"}),
        ({"family": 3}, None),
    ],
)
def test_crossref_names(entry: dict[str, Any], name: dict[str, str] | None) -> None:
    assert crossref_name(entry) == name


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (
            {"name": "Lovelace, Ada", "givenName": "Ada", "familyName": "Lovelace"},
            {"family": "Lovelace", "given": "Ada"},
        ),
        ({"name": "Lovelace, Ada"}, {"family": "Lovelace", "given": "Ada"}),
        ({"name": "CERN", "nameType": "Organizational"}, {"literal": "CERN"}),
        ({"name": "Agency, Space", "nameType": "Organizational"}, {"literal": "Agency, Space"}),
        ({"name": "University of Bergen, Library"}, {"literal": "University of Bergen, Library"}),
        ({"name": "Plato"}, {"literal": "Plato"}),
        ({}, None),
    ],
)
def test_datacite_names(entry: dict[str, Any], name: dict[str, str] | None) -> None:
    assert datacite_name(entry) == name


@pytest.mark.parametrize(
    ("text", "name", "parsed"),
    [
        ("Ada Lovelace", {"family": "Lovelace", "given": "Ada"}, True),
        ("Ludwig van Beethoven", {"family": "van Beethoven", "given": "Ludwig"}, True),
        ("Martin Luther King Jr.", {"family": "King", "given": "Martin Luther", "suffix": "Jr."}, True),
        ("World Health Organization", {"literal": "World Health Organization"}, False),
        ("Plato", {"literal": "Plato"}, False),
        ("Kyriacos, Κυριάκος, Athanasiou", {"literal": "Kyriacos, Κυριάκος, Athanasiou"}, False),
        ("ATLAS 2012", {"literal": "ATLAS 2012"}, False),
        ("One Two Three Four Five", {"literal": "One Two Three Four Five"}, False),
    ],
)
def test_a_display_name_is_split_only_when_it_is_plainly_a_person(
    text: str, name: dict[str, str], parsed: bool
) -> None:
    assert parse_display_name(text) == (name, parsed)


def test_family_names_are_compared_folded() -> None:
    assert family_key({"family": "Müller"}) == family_key({"family": "MULLER", "given": "A"})
    assert family_key({"non-dropping-particle": "van", "family": "Gogh"}) == family_key(
        {"family": "van Gogh"}
    )
    assert family_key({"literal": "WHO"}) == "who"


@pytest.mark.parametrize(
    ("text", "simple", "formatted"),
    [
        (
            "[Ru(bpy)<sub>3</sub>]<sup>2+</sup> host",
            "[Ru(bpy)3]2+ host",
            "[Ru(bpy)<sub>3</sub>]<sup>2+</sup> host",
        ),
        ("ecology &amp;amp; evolution", "ecology & evolution", "ecology & evolution"),
        ("&lt;i&gt;Homo&lt;/i&gt; here", "Homo here", "<i>Homo</i> here"),
        ("a &lt; b and c<d", "a < b and c<d", "a < b and c<d"),
        ("One\n      <jats:p>two</jats:p>three", "One two three", "One two three"),
        ("<jats:italic>E. coli</jats:italic>", "E. coli", "<i>E. coli</i>"),
        (
            (
                "x <inline-formula><mml:math><mml:mi>y</mml:mi></mml:math><tex-math>$y$</tex-math>"
                "</inline-formula>"
            ),
            "x y",
            "x y",
        ),
        ("Kenya&Apos;S Banks", "Kenya's Banks", "Kenya's Banks"),
        ("cafe\u0301\u00a0x\u200b", "café x", "café x"),
        ("<scp>dna</scp>", "dna", "<sc>dna</sc>"),
    ],
)
def test_markup(text: str, simple: str, formatted: str) -> None:
    assert plain(text) == simple
    assert rich(text) == formatted


@pytest.mark.parametrize(
    "text",
    [
        "<jats:title>Abstract</jats:title><jats:p>Whales sing.</jats:p>",
        "<jats:title>ABSTRACT</jats:title><jats:p>Whales sing.</jats:p>",
        "<p>Whales sing.</p>",
        "Abstract: Whales sing.",
    ],
)
def test_the_heading_of_an_abstract_is_dropped(text: str) -> None:
    assert abstract(text) == "Whales sing."


def test_a_sentence_that_begins_so_is_kept() -> None:
    assert abstract("<jats:p>Abstract algebra is fun.</jats:p>") == "Abstract algebra is fun."


@given(st.text(max_size=80) | st.text(st.sampled_from("<>/&;ipsub jats:xamp"), max_size=60))
def test_any_text_becomes_one_line(text: str) -> None:
    for made in (plain(text), rich(text), abstract(text), fold(text)):
        assert made == " ".join(made.split())

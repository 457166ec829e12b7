"""Equality but for layout forgives layout and nothing else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmtui.verification.layout import layout_matches, layout_text


def _found(source: str, quote: str) -> list[str]:
    return [source[s.start : s.end] for s in layout_matches(layout_text(source), layout_text(quote))]


@pytest.mark.parametrize(
    ("source", "quote", "canonical"),
    [
        ("The evi-\ndence was clear.", "The evidence was clear.", "The evi-\ndence was clear."),
        ("A well-\nknown harbour.", "A well-known harbour.", "A well-\nknown harbour."),
        ("A well-\nknown harbour.", "A wellknown harbour.", "A well-\nknown harbour."),
        ("Seige at dan- \ngerous hour.", "dangerous hour", "dan- \ngerous hour"),
        ("incon\u00ad\nclusive", "incon clusive", "incon\u00ad\nclusive"),
        ("a scienti\ufb01c claim", "a scientific claim", "a scienti\ufb01c claim"),
        ("the “old” king’s ship", 'the "old" king\'s ship', "the “old” king’s ship"),
        ("one\u00a0two\n three", "one two three", "one\u00a0two\n three"),
        ("caf\u0065\u0301 now", "caf\u00e9 now", "caf\u0065\u0301 now"),
        ("caf\u00e9 now", "caf\u0065\u0301", "caf\u00e9"),
        ("zero\u200bwidth", "zerowidth", "zero\u200bwidth"),
        ("\ud55c\uae00 text", unicodedata.normalize("NFD", "\ud55c\uae00"), "\ud55c\uae00"),
    ],
)
def test_layout_differences_are_forgiven_and_the_canonical_text_is_given(
    source: str, quote: str, canonical: str
) -> None:
    assert _found(source, quote) == [canonical]


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("The king wept.", "the king wept."),  # case
        ("The king wept.", "The king wept!"),  # punctuation
        ("in 1893 the lamp", "in 1898 the lamp"),  # a digit
        ("a well-known harbour", "a wellknown harbour"),  # a hyphen inside a line
        ("a wellknown harbour", "a well-known harbour"),
        ("the years 1893–97", "the years 1893-97"),  # kinds of dash
        ("The king wept.", "The k\u0456ng wept."),  # a look-alike letter
        ("x\u00b2 grows", "x2 grows"),  # compatibility is not canonical equivalence
        ("\uff21 letter", "A letter"),
    ],
)
def test_everything_else_is_a_difference(source: str, quote: str) -> None:
    assert _found(source, quote) == []


@given(st.text(max_size=120))
def test_folding_keeps_a_way_back_for_every_character(text: str) -> None:
    folded = layout_text(text)
    assert len(folded.offsets) == len(folded.chars) + 1
    assert list(folded.offsets) == sorted(folded.offsets)
    assert folded.offsets[-1] == len(text)
    assert "".join(folded.chars[i] for i in folded.places) == folded.key


@given(st.text("ab c\n-\u00ad\u00e9e\u0301\ufb01’'", min_size=1, max_size=60), st.data())
def test_every_slice_is_found_at_its_place_again(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    if not layout_text(text[start:end]).key.strip():
        return
    if end < len(text) and unicodedata.combining(text[end]):
        return  # a cut between a letter and its mark is another letter
    if unicodedata.combining(text[start]):
        return
    found = layout_matches(layout_text(text), layout_text(text[start:end]))
    if text[start:end].strip("-\u00ad \n") != text[start:end]:
        return  # a hyphen or blank at the border may or may not end a line
    assert any(span.start <= start and end <= span.end for span in found)

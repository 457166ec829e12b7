"""What the search projection makes equal, and what it keeps apart."""

from __future__ import annotations

import pytest

from cmtui.model.selectors import Span
from cmtui.retrieval.projection import fold


@pytest.mark.parametrize(
    ("canonical", "found", "expected"),
    [
        ("A scienti\ufb01c paper", "scientific", "scienti\ufb01c"),
        ("an experi-\nment shows", "experiment", "experi-\nment"),
        ("an experi-  \n  ment shows", "experiment", "experi-  \n  ment"),
        ("an experi\u2010\nment shows", "experiment", "experi\u2010\nment"),
        ("an experi\u00ad\nment shows", "experiment", "experi\u00ad\nment"),
        ("co\u00adoper\u00adate", "cooperate", "co\u00adoper\u00adate"),
        ("he said \u201cno\u201d", 'said "no"', "said \u201cno\u201d"),
        ("the king\u2019s men", "king's", "king\u2019s"),
        ("1914\u20131918", "1914-1918", "1914\u20131918"),
        ("word\n\n  word", "word word", "word\n\n  word"),
        ("a\u00a0b", "a b", "a\u00a0b"),
        ("STRASSE Stra\u00dfe", "strasse strasse", "STRASSE Stra\u00dfe"),
        ("cafe\u0301!", "caf\u00e9", "cafe\u0301"),
        ("zero\u200bwidth", "zerowidth", "zero\u200bwidth"),
        ("x\U0001d400y", "xay", "x\U0001d400y"),
        ("\uff76\uff9e", "\u30ac", "\uff76\uff9e"),
    ],
)
def test_found_through_the_projection(canonical: str, found: str, expected: str) -> None:
    """D5: case, ligatures, line-end hyphens, quotes and blanks meet; the span is exact canonical text."""
    projection = fold(canonical)
    at = projection.text.index(found)
    span = projection.canonical_span(at, at + len(found))
    assert canonical[span.start : span.end] == expected


@pytest.mark.parametrize("text", ["1-\n2", "word -\nword", "word-\n", "-\nword", "word-\n\nword", "a- b"])
def test_other_hyphens_stay(text: str) -> None:
    """Only a hyphen between letters at a line end is removed."""
    projection = fold(text)
    assert projection.text.count("-") == 1
    assert projection.joins == ()


def test_joins_say_where_halves_meet() -> None:
    """The index takes the joined word and both halves."""
    projection = fold("well-\nknown and experi-\nment")
    assert projection.text == "wellknown and experiment"
    assert projection.joins == (4, 20)


def test_part_of_a_ligature_or_of_a_marked_letter_is_never_cut() -> None:
    """Spans snap outward to whole canonical characters with their marks."""
    projection = fold("\ufb03x")
    assert projection.text == "ffix"
    assert projection.canonical_span(1, 2) == Span(0, 1)
    marked = "e\u0301\u0327x"
    projection = fold(marked)
    for at in range(len(projection.text) - 1):
        assert projection.canonical_span(at, at + 1) == Span(0, 3)


def test_half_of_a_joined_word_does_not_take_the_hyphen() -> None:
    """The span of a half ends with its last letter."""
    projection = fold("experi-\nment")
    assert projection.canonical_span(0, 6) == Span(0, 6)
    assert projection.canonical_span(6, 10) == Span(8, 12)


def test_a_range_outside_is_refused() -> None:
    """A wrong range is a programming error, told at once."""
    with pytest.raises(ValueError, match="no range"):
        fold("abc").canonical_span(2, 9)


def test_empty() -> None:
    """Nothing folds to nothing."""
    projection = fold("")
    assert projection.text == ""
    assert list(projection.offsets) == [0]
    assert projection.canonical_span(0, 0) == Span(0, 0)

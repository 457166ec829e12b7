"""Edges of a span move by characters, words and sentences, and never leave the passage or cross."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmtui.engine.review_span import Edge, Unit, bounds_of, move, place_of
from cmtui.model.selectors import Span
from support.documents import make_document

TEXT = "He sat down. The old king wept, alone. Nobody spoke."
ALL = Span(0, len(TEXT))
KING = Span(TEXT.index("king"), TEXT.index("king") + 4)


@pytest.mark.parametrize(
    ("edge", "unit", "by", "expected"),
    [
        (Edge.END, Unit.WORD, 1, "king wept,"),
        (Edge.END, Unit.WORD, 2, "king wept, alone."),
        (Edge.END, Unit.WORD, -1, "king"),
        (Edge.START, Unit.WORD, -1, "old king"),
        (Edge.START, Unit.WORD, 1, "king"),
        (Edge.END, Unit.CHARACTER, 1, "king "),
        (Edge.END, Unit.CHARACTER, -2, "ki"),
        (Edge.START, Unit.CHARACTER, 1, "ing"),
        (Edge.START, Unit.SENTENCE, -1, "The old king"),
        (Edge.START, Unit.SENTENCE, -2, "He sat down. The old king"),
        (Edge.END, Unit.SENTENCE, 1, "king wept, alone."),
        (Edge.END, Unit.SENTENCE, 9, "king wept, alone. Nobody spoke."),
    ],
)
def test_a_step(edge: Edge, unit: Unit, by: int, expected: str) -> None:
    made = move(TEXT, ALL, KING, edge, unit, by)
    assert TEXT[made.start : made.end] == expected


def test_no_edge_falls_inside_a_character_people_see() -> None:
    text = "xe\u0301y \U0001f469\u200d\U0001f52c z"
    span = move(text, Span(0, len(text)), Span(0, 1), Edge.END, Unit.CHARACTER, 1)
    assert text[: span.end] == "xe\u0301"
    wide = move(text, Span(0, len(text)), Span(0, 5), Edge.END, Unit.CHARACTER, 1)
    assert text[: wide.end].endswith("\U0001f469\u200d\U0001f52c")


def test_a_character_without_blanks_around_is_a_word() -> None:
    text = "老王哭了。"
    assert move(text, Span(0, 5), Span(0, 1), Edge.END, Unit.WORD, 2) == Span(0, 3)


@given(st.text("aé\u0301 .漢\n\u200d", min_size=1, max_size=40), st.data())
def test_a_moved_span_is_inside_and_not_empty(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    span = Span(start, end)
    edge, unit = data.draw(st.sampled_from(Edge)), data.draw(st.sampled_from(Unit))
    by = data.draw(st.integers(-3, 3).filter(bool))
    made = move(text, Span(0, len(text)), span, edge, unit, by)
    assert 0 <= made.start < made.end <= len(text)
    if edge is Edge.START:
        assert made.end == end
        assert (made.start >= start) if by > 0 else (made.start <= start)
    else:
        assert made.start == start
        assert (made.end >= end) if by > 0 else (made.end <= end)


def test_the_bounds_are_the_passage_and_a_quote_is_looked_for_there() -> None:
    document, _, _ = make_document("One two one.\n\nOne three.\n")
    assert bounds_of(document, Span(4, 7)) == Span(0, 12)
    assert place_of(document, Span(0, 3), "two one") == Span(4, 11)
    assert place_of(document, Span(0, 3), "three") is None
    assert place_of(document, Span(0, 3), "e") is None
    assert place_of(document, Span(0, 3), "") is None

"""The search projection and its way back (D5)."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from cmtui.retrieval.projection import fold

PIECES = st.sampled_from(
    [
        *"aAbZ-\u2010 \n\t\r\u00ad1.'\"",
        "\ufb01", "\ufb03", "\u00df", "\u0130", "e\u0301", "\u0301", "\u0327", "\u00e9", "\u200b", "\u200d",
        "\u00a0", "\u2003", "\u201c", "\u2019", "\u2014", "-\n", "\u00ad\n", "- \n", "\u1100\u1161\u11a8",
        "\u1161", "\u11a8", "\uac00", "\u4e2d", "\U0001d400", "\u00b4", "\u037a", "\u0344", "\u0f77",
        "\u09c7",
        "\u09be", "\uff76", "\uff9e", "\ufe0f", "\U0001f600", "\u2026", "\ufdfa", "\u3000", "\u0390",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=14).map("".join), st.text(max_size=20))


@settings(max_examples=250, deadline=None)
@given(text=TEXTS, data=st.data())
@example(text="e\u00ad\u0301-\n\u0301x", data=None)
def test_every_projected_range_comes_from_text_that_folds_to_hold_it(text: str, data: st.DataObject) -> None:
    """A range found in the projection maps to canonical text whose own projection contains it (D5)."""
    projection = fold(text)
    size = len(projection.text)
    if data is None:
        ranges = [(i, j) for i in range(size + 1) for j in range(i, size + 1)]
    else:
        start = data.draw(st.integers(0, size))
        ranges = [(start, data.draw(st.integers(start, size)))]
    for start, end in ranges:
        span = projection.canonical_span(start, end)
        assert 0 <= span.start <= span.end <= len(text)
        assert projection.text[start:end] in fold(text[span.start : span.end]).text


@settings(max_examples=150, deadline=None)
@given(text=TEXTS)
def test_offsets_never_fall_and_end_with_the_length(text: str) -> None:
    """One offset per projected character and one for the end, in order."""
    projection = fold(text)
    offsets = list(projection.offsets)
    assert len(offsets) == len(projection.text) + 1
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)
    assert all(offset < len(text) for offset in offsets[:-1])


@settings(max_examples=120, deadline=None)
@given(text=TEXTS)
def test_folding_a_projection_again_changes_nothing(text: str) -> None:
    """The projection of a projection is itself, so quotes and sources meet in one form."""
    once = fold(text).text
    assert fold(once).text == once


@settings(max_examples=120, deadline=None)
@given(text=TEXTS, data=st.data())
def test_projected_is_the_way_back(text: str, data: st.DataObject) -> None:
    """A canonical offset maps to the projected character made from it, or to the next one."""
    projection = fold(text)
    offset = data.draw(st.integers(0, len(text)))
    at = projection.projected(offset)
    assert 0 <= at <= len(projection.text)
    if at < len(projection.text):
        assert projection.canonical_span(at, at + 1).end > offset or offset == len(text)
    if at:
        assert projection.offsets[at - 1] <= offset

"""Wrapping: rows joined are the text, every offset is in one row, and no row is wider than asked."""

from __future__ import annotations

import itertools
import random
from bisect import bisect_right

import pytest
from rich.cells import cell_len

from cmtui.model.selectors import Span
from cmtui.tui import cells
from cmtui.tui import wrap as wrap_module
from cmtui.tui.wrap import Mark, rewrap, row_of, wrap

ALPHABETS = (
    "abc def, ghi. \n",
    "abcdefghij",
    "a b\tc\x07\x0c\u200b\u202e\u00ad\u2028\r\n é e\u0301 ",
    "漢字かなカナ한글 。、ab ",
    "👩\u200d🔬🇩🇪🇩❤\ufe0f👍🏽e\u0301\u0302a\u200d \n",
    "ἀβγ δεζ Ωд ж “” — … \n",
)


def random_text(rng: random.Random) -> str:
    alphabet = "".join(rng.sample(ALPHABETS, rng.randint(1, 3)))
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(0, 300)))


def random_marks(rng: random.Random, text: str) -> list[Mark]:
    marks = []
    for _ in range(rng.randint(0, 4)):
        if len(text) > 2:
            start = rng.randrange(len(text) - 1)
            marks.append(Mark(Span(start, rng.randint(start + 1, len(text))), "⟦", "⟧", "verified"))
    return marks


@pytest.mark.parametrize("seed", range(150))
def test_rows_cover_the_text_exactly_once_at_any_width(seed: int) -> None:
    rng = random.Random(seed)
    text, columns = random_text(rng), rng.randint(1, 200)
    start = rng.randint(0, len(text) // 3)
    marks = random_marks(rng, text)
    rows = wrap(text, start, len(text), columns, marks)
    bounds = [*rows, len(text)]
    assert rows[0] == start
    assert "".join(text[a:b] for a, b in itertools.pairwise(bounds)) == text[start:]
    assert rows == sorted(set(rows))
    for offset in range(start, len(text)):
        row = row_of(rows, offset)
        assert bounds[row] <= offset < bounds[row + 1]
    for a, b in itertools.pairwise(bounds):
        line = text[a:b].rstrip("\n").rstrip(" ")
        touching = sum(1 for mark in marks if mark.span.start < a + len(line) and a < mark.span.end)
        several = len(list(cells.clusters(text, a, b))) > 1
        if several and not line.startswith(" ") and line:
            used = sum(size for *_, size in cells.clusters(line, 0, len(line)))
            assert used + 2 * touching <= columns or columns < 3 + 2 * touching
        assert "\n" not in text[a : b - 1]


@pytest.mark.parametrize("seed", range(60))
def test_rewrapping_the_touched_paragraphs_equals_wrapping_anew(seed: int) -> None:
    rng = random.Random(1000 + seed)
    text, columns = random_text(rng) + "\nend", rng.randint(1, 80)
    before, after = random_marks(rng, text), random_marks(rng, text)
    rows = wrap(text, 0, len(text), columns, before)
    touched = [mark.span for mark in (*before, *after)]
    rewrap(text, rows, len(text), columns, after, touched)
    assert rows == wrap(text, 0, len(text), columns, after)


@pytest.mark.parametrize("columns", [1, 2, 7, 40, 200])
def test_clusters_are_never_torn(columns: int) -> None:
    text = "cafe\u0301 👩\u200d🔬 漢字 e\u0301" * 5
    starts = {start for start, _, _ in cells.clusters(text, 0, len(text))}
    assert set(wrap(text, 0, len(text), columns)) <= starts


def test_simple_ranges_are_one_cell_each() -> None:
    """The cheap tiers count code points; each must be one cell in the width table."""
    for code in range(0x10000):
        character = chr(code)
        if cells.SIMPLE.fullmatch(character):
            assert cell_len(character) == 1, hex(code)
            assert code <= 0x2E7F
        elif cells.MIXED.fullmatch(character):
            assert cell_len(character) == 2, hex(code)
            assert code > 0x2E7F


@pytest.mark.parametrize("seed", range(40))
def test_the_cheap_tiers_break_where_the_measured_one_does(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choice("ab cd 漢字かな한국。「」") for _ in range(200))
    columns = rng.randint(2, 60)
    cheap, measured = wrap(text, 0, len(text), columns), []
    wrap_module._measured(text, 0, len(text), columns, (), measured)
    assert cheap == measured


def test_cluster_widths_add_up_to_the_width_of_the_whole() -> None:
    rng = random.Random(7)
    for _ in range(200):
        text = random_text(rng).replace("\n", "")
        assert sum(size for *_, size in cells.clusters(text, 0, len(text))) >= cells.width(text)


def test_shown_text_holds_no_control() -> None:
    text = "a\tb\x1b[31mc\u202ed\r\n\x9b"
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c == "\u202e" for c in cells.shown(text))


@pytest.mark.parametrize("text", ["abc", "漢字漢字", "e\u0301e\u0301e\u0301", "👩\u200d🔬x", "", "a\nb"])
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 10])
def test_fit_gives_exactly_the_cells_asked_for(text: str, columns: int) -> None:
    assert cell_len(cells.fit(text, columns)) == columns
    assert cell_len(cells.fit(text, columns, align="right")) == columns


def test_wrap_of_a_word_list_is_what_a_person_expects() -> None:
    text = "one two three four\nfive"
    rows = wrap(text, 0, len(text), 9)
    assert [text[a:b] for a, b in zip(rows, [*rows[1:], len(text)], strict=True)] == [
        "one two ",
        "three ",
        "four\n",
        "five",
    ]
    assert bisect_right(rows, 0) == 1

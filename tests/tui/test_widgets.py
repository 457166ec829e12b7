"""RowList and SourceView on a screen: only what is visible is read, and what is selected is exact."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import App, ComposeResult

from cmtui.model.selectors import Span
from cmtui.tui.widgets.row_list import Column, Row, RowList
from cmtui.tui.widgets.source_view import SourceView, labels_of, match, verified


class CountingRows(Sequence[Row]):
    """A hundred thousand rows that count how many of them are read."""

    def __init__(self, count: int) -> None:
        self.count, self.read = count, 0

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Row:
        self.read += 1
        return Row((f"row {index}", "漢字 wide" if index % 2 else "plain", "end"), ("snippet",))


class ListApp(App[None]):
    def __init__(self, rows: Sequence[Row], row_height: int = 1) -> None:
        super().__init__()
        self.data, self.row_height, self.seen = rows, row_height, []

    def compose(self) -> ComposeResult:
        columns = [Column("Name", 10), Column("Text"), Column("E", 3)]
        yield RowList(columns, title="Rows", row_height=self.row_height, empty="none", id="list")

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        self.query_one(RowList).show(self.data)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        self.seen.append(event.index)

    def on_row_list_selected(self, event: RowList.Selected) -> None:
        self.seen.append(f"selected {event.index}")


class TextApp(App[None]):
    def compose(self) -> ComposeResult:
        yield SourceView(label_width=5, id="text")


def lines(app: App[None]) -> list[str]:
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


async def test_a_hundred_thousand_rows_are_painted_by_reading_a_screenful() -> None:
    rows = CountingRows(100_000)
    app = ListApp(rows)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        assert "row 0" in lines(app)[2]
        assert rows.read < 500
        await pilot.press("end")
        await pilot.pause()
        assert "▌ row 99999" in "\n".join(lines(app))
        assert "row 100000/100000" in lines(app)[-1]
        assert rows.read < 2000


async def test_keys_move_the_cursor_and_it_stays_in_view() -> None:
    app = ListApp(CountingRows(50))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("j", "down", "k", "pagedown", "pagedown")
        await pilot.pause()
        cursor = app.query_one(RowList).cursor
        assert cursor > 10
        assert f"▌ row {cursor} " in "\n".join(lines(app))
        await pilot.press("home", "k")
        await pilot.pause()
        assert app.query_one(RowList).cursor == 0
        assert app.seen[-1] == 0


async def test_columns_stand_in_line_with_wide_characters() -> None:
    from rich.cells import cell_len

    app = ListApp(CountingRows(6))
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        places = {cell_len(line[: line.index("end")]) for line in lines(app) if "end" in line}
        assert len(places) == 1


async def test_the_mouse_chooses_rows_and_a_double_click_selects() -> None:
    app = ListApp(CountingRows(20), row_height=2)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.click("#list", offset=(5, 5))
        await pilot.pause()
        assert app.query_one(RowList).cursor == 1
        await pilot.click("#list", offset=(5, 8), times=2)
        await pilot.pause()
        assert "selected 3" in app.seen
        await pilot.click("#list", offset=(5, 1))  # the heading is no row
        assert app.query_one(RowList).cursor == 3


async def test_an_empty_list_says_why() -> None:
    app = ListApp([])
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("j", "end", "pageup")
        await pilot.pause()
        assert any("none" in line for line in lines(app))


TEXT = "\n".join(f"Line {n}: the old king wept beside the harbour, and cafe\u0301 漢字." for n in range(400))


async def shown(pilot, **more) -> SourceView:
    view = pilot.app.query_one(SourceView)
    view.show(TEXT, **more)
    view.focus()
    await pilot.pause()
    return view


async def test_the_target_stands_a_third_down_and_marks_are_glyphs() -> None:
    """tui.md 0.7: what a colour says, a glyph says."""
    app = TextApp()
    span = Span(TEXT.index("wept", 9000), TEXT.index("wept", 9000) + 4)
    async with app.run_test(size=(60, 20)) as pilot:
        view = await shown(
            pilot, marks=[verified(span)], current=Span(span.start - 5, span.end), at=span.start
        )
        at = next(number for number, line in enumerate(lines(app)) if "⟦wept⟧" in line)
        assert 4 <= at <= 9
        assert "▌" in lines(app)[at]
        view.set_marks([match(span)])
        await pilot.pause()
        assert any("⟪wept⟫" in line for line in lines(app))
        assert not any("⟦" in line for line in lines(app))


async def test_a_mark_over_several_rows_is_opened_and_closed_in_each() -> None:
    app = TextApp()
    span = Span(5, 60)
    async with app.run_test(size=(30, 12)) as pilot:
        await shown(pilot, marks=[verified(span)], at=0)
        marked = [line for line in lines(app) if "⟦" in line]
        assert len(marked) >= 2
        assert all(line.count("⟦") == line.count("⟧") == 1 for line in marked)


async def test_what_the_mouse_selects_is_the_exact_text() -> None:
    app = TextApp()
    async with app.run_test(size=(40, 14)) as pilot:
        view = await shown(pilot, at=0)
        await pilot.mouse_down("#text", offset=(9, 1))
        await pilot.hover("#text", offset=(12, 4))
        await pilot.mouse_up("#text", offset=(12, 4))
        await pilot.hover("#text", offset=(30, 8))  # after the button is up nothing more is selected
        start, end = view.offset_at(8, 0), view.offset_at(11, 3) + 1
        assert view.selection == Span(start, end)
        assert view.selected_text == TEXT[start:end]
        assert len(view.selected_text) > 60


async def test_cells_lead_back_to_offsets_and_marks_take_none() -> None:
    app = TextApp()
    span = Span(8, 12)
    async with app.run_test(size=(80, 14)) as pilot:
        view = await shown(pilot, marks=[verified(span)], at=0)
        row = view.row_text(0)
        assert row == TEXT[: len(row)]
        margin = 6  # label column and bar
        assert view.offset_at(margin, 0) == 0
        assert view.offset_at(margin + 8, 0) == 8
        assert view.offset_at(margin + 8 + 1 + 2, 0) == 10  # one cell further: the opening glyph
        wide = TEXT.index("漢")
        assert view.offset_at(500, 0) == TEXT.index("\n")
        offsets = {view.offset_at(x, 0) for x in range(80)}
        assert wide in offsets
        assert TEXT.index("\u0301") not in offsets  # a mark is never torn from its base


async def test_resizing_keeps_the_place_and_wraps_again() -> None:
    app = TextApp()
    async with app.run_test(size=(80, 14)) as pilot:
        view = await shown(pilot, at=12000)
        before = view.first_offset
        await pilot.resize_terminal(33, 20)
        await pilot.pause()
        assert "".join(view.row_text(n) for n in range(len(view.rows))) == TEXT
        assert abs(view.first_offset - before) < 1000


async def test_a_window_shows_that_part_alone_and_labels_stand_where_passages_begin() -> None:
    app = TextApp()
    starts = [TEXT.index("Line 10:"), TEXT.index("Line 11:")]
    labels = labels_of(starts, lambda index: f"p {index + 10}")
    async with app.run_test(size=(80, 14)) as pilot:
        await shown(pilot, window=Span(starts[0], starts[1] + 20), labels=labels)
        text = "\n".join(lines(app))
        assert "p 10" in text
        assert "p 11" in text
        assert "Line 9" not in text
        assert "Line 12" not in text


async def test_an_empty_text_is_no_error() -> None:
    app = TextApp()
    async with app.run_test(size=(80, 14)) as pilot:
        view = pilot.app.query_one(SourceView)
        view.show("")
        await pilot.press("j", "end", "pageup")
        assert view.offset_at(10, 3) == 0

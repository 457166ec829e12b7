"""Every size: one pane at a time where narrow, no preview where short, one line where tiny."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.harness import footer, press, running, screen_lines, screen_text, settle, status, type_line

PANED = ["library", "search", "acquire", "audit"]


def shown(screen) -> list[str]:
    return [pane for pane in screen.panes if screen.query(pane).first().region]


@pytest.mark.parametrize("mode", PANED)
async def test_a_narrow_terminal_shows_one_pane_and_tab_slides(machine, tmp_path: Path, mode: str) -> None:
    async with running(machine, tmp_path, mode=mode, size=(80, 24)) as (app, pilot):
        screen = app.screen
        count = len(screen.panes)
        for number in (*range(count), 0):
            assert shown(screen) == [screen.panes[number]]
            assert f"pane {number + 1}/{count}" in status(app)
            pane = screen.query(screen.panes[number]).first()
            assert pane.region.width == 80
            assert pane in app.focused.ancestors_with_self
            await press(pilot, "tab")
        await press(pilot, "h")
        assert shown(screen) == [screen.panes[0]]
        await press(pilot, "l")
        assert shown(screen) == [screen.panes[1]]
        await pilot.resize_terminal(100, 30)
        await settle(pilot)
        assert shown(screen) == list(screen.panes)
        assert "pane" not in status(app)


async def test_the_review_stays_side_by_side_until_it_cannot(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review", size=(80, 24)) as (app, pilot):
        screen = app.screen
        assert shown(screen) == ["#left", "#right"]
        await pilot.resize_terminal(70, 24)
        await settle(pilot)
        assert shown(screen) == ["#left"]
        assert app.focused is screen.findings
        await press(pilot, "tab", "a")
        assert shown(screen) == ["#right"]
        assert app.session.state().events == 1  # decided while its context is read
        await press(pilot, "tab")
        assert app.focused is screen.findings


@pytest.mark.parametrize("mode", PANED)
async def test_a_short_terminal_leaves_the_preview_out(machine, tmp_path: Path, mode: str) -> None:
    async with running(machine, tmp_path, mode=mode, size=(100, 18)) as (app, pilot):
        assert shown(app.screen) == [app.screen.panes[0]]
        await pilot.resize_terminal(100, 30)
        await settle(pilot)
        assert shown(app.screen) == list(app.screen.panes)


async def test_a_tiny_terminal_says_what_it_needs_and_comes_back(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        for digit in "123456":
            await press(pilot, digit)
            before = app.focused
            for size in ((59, 30), (100, 14), (20, 5), (1, 1)):
                await pilot.resize_terminal(*size)
                await settle(pilot)
                if size[0] >= 59:
                    assert "60x15 needed" in screen_text(app)
            await pilot.resize_terminal(100, 30)
            await settle(pilot)
            assert "60x15 needed" not in screen_text(app)
            assert f"[{digit} " in screen_lines(app)[0]
            assert app.focused is before


async def test_no_line_is_wider_than_the_terminal_and_the_footer_ends_in_help(
    machine, tmp_path: Path
) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        for digit in "123456":
            await press(pilot, digit)
            for width in (60, 80, 90, 130):
                await pilot.resize_terminal(width, 24)
                await settle(pilot)
                assert all(len(line) <= width for line in screen_lines(app))
                assert footer(app).rstrip().endswith("? Help")


async def test_the_library_footer_shows_reread_original_and_remove_at_100_columns(
    machine, tmp_path: Path
) -> None:
    async with running(machine, tmp_path, size=(100, 30)) as (app, pilot):
        kinds = [row.summary.kind.value for row in app.screen.shown]
        app.screen.sources.cursor = kinds.index("pdf")
        await settle(pilot)
        assert " R Reread " in footer(app)
        assert " O Original " in footer(app)
        app.screen.sources.cursor = kinds.index("epub")
        await settle(pilot)
        assert " O Original  D Remove " in footer(app)


async def test_live_resize_keeps_cursor_focus_and_query(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        await press(pilot, "slash")
        await type_line(pilot, "king")
        await press(pilot, "j")
        before = app.screen.hits.cursor
        for size in ((80, 24), (60, 15), (40, 10), (120, 40), (100, 30)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
        assert app.screen.hits.cursor == before
        assert app.screen.query_one("#query").value == "king"
        assert app.focused is app.screen.hits


async def test_jump_slides_to_a_hidden_pane_no_more_than_it_must(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, size=(80, 24)) as (app, pilot):
        await press(pilot, "tab", "g")
        letter = next(iter(app.screen.letters))
        await press(pilot, letter)
        assert app.focused.id == "filter"

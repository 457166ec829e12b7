"""Modes, sizes, help, palette, messages, welcome, and errors that do not end the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui.errors import InvalidRequest
from cmtui.tui.actions import EVERYWHERE, actions
from cmtui.tui.screens.dialogs import PromptScreen, TextScreen
from cmtui.tui.screens.help import HelpScreen
from cmtui.tui.screens.welcome import WelcomeScreen
from tui.harness import footer, press, running, screen_lines, screen_text, settle, status, toasts


async def test_digits_switch_screens_and_each_keeps_its_place(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        for key, title in (("2", "[2 Search]"), ("3", "[3 Review]"), ("4", "[4 Cite]"), ("1", "[1 Library]")):
            await press(pilot, key)
            assert title in screen_lines(app)[0]
        await press(pilot, "j", "j", "2", "1")
        assert app.screen.sources.cursor == 2


async def test_six_modes_are_shown_and_reached_by_their_digits(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        for digit, mode in enumerate(("library", "search", "review", "cite", "acquire", "audit"), 1):
            await press(pilot, str(digit))
            assert app.current_mode == mode
            assert f"[{digit} {mode.capitalize()}]" in screen_lines(app)[0]


async def test_the_header_and_the_footer_can_be_clicked(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await pilot.click(offset=(screen_lines(app)[0].index("4 Cite"), 0))
        await settle(pilot)
        assert app.current_mode == "cite"
        await press(pilot, "1")
        await pilot.click(offset=(footer(app).index("Help"), 29))
        await settle(pilot)
        assert isinstance(app.screen, HelpScreen)


@pytest.mark.parametrize("mode", ["library", "search", "review", "cite"])
@pytest.mark.parametrize("size", [(100, 30), (80, 24), (60, 15)])
async def test_every_screen_fits_every_size(
    machine, tmp_path: Path, mode: str, size: tuple[int, int]
) -> None:
    from rich.cells import cell_len

    async with running(machine, tmp_path, mode=mode, size=size) as (app, _):
        lines = screen_lines(app)
        assert len(lines) == size[1]
        assert all(cell_len(line) <= size[0] for line in lines)
        assert "? Help" in lines[-1]
        assert "Library" in lines[0]
        assert any("━" in line for line in lines), "the focused pane has a heavy border"


async def test_a_tiny_terminal_is_told_so_and_recovers(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await pilot.resize_terminal(50, 10)
        await settle(pilot)
        assert "terminal too small: 50x10, 60x15 needed" in screen_text(app)
        await pilot.resize_terminal(100, 30)
        await settle(pilot)
        assert "Sources 7" in screen_text(app)


async def test_help_lists_every_key_of_the_screen_it_was_opened_on(machine, tmp_path: Path) -> None:
    for mode in ("library", "review"):
        async with running(machine, tmp_path, mode=mode, size=(120, 60)) as (app, pilot):
            await press(pilot, "question_mark")
            text = screen_text(app)
            assert "1…6" in text
            for action in (*actions(mode), *actions(EVERYWHERE)):
                if action.group == "Screens":
                    continue  # one line for the six of them
                assert f"{action.shown:<9} {action.description}"[:40] in text, action.id
            await press(pilot, "escape")
            assert not isinstance(app.screen, HelpScreen)


async def test_the_palette_offers_the_actions_of_the_screen(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        titles = [command.title for command in app.get_system_commands(app.screen)]
        assert "Filter the list  (/)" in titles
        assert "Quit  (q)" in titles
        assert not any("Accept" in title for title in titles)
        await press(pilot, "colon")
        await press(pilot, *"sort the", "enter")
        await settle(pilot)
        assert "Sort by" in screen_text(app)


async def test_an_empty_store_is_welcomed_and_takes_a_folder(empty, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "note.txt").write_text("The old king wept beside the harbour. Nobody spoke of the boats.\n")
    async with running(empty, tmp_path) as (app, pilot):
        assert isinstance(app.screen, WelcomeScreen)
        assert "This store:" in screen_text(app)
        assert app.store_path == str(tmp_path / "empty")
        await press(pilot, "a")
        app.screen.query_one("Input").value = str(folder)
        await press(pilot, "enter")
        await settle(pilot)
        assert not isinstance(app.screen, WelcomeScreen)
        assert "note.txt" in screen_text(app)
        assert "1 added" in status(app)


async def test_a_wrong_path_is_a_message_with_a_way_out(empty, tmp_path: Path) -> None:
    async with running(empty, tmp_path) as (app, pilot):
        await press(pilot, "a")
        app.screen.query_one("Input").value = str(tmp_path / "nowhere.txt")
        await press(pilot, "enter")
        await settle(pilot)
        assert "✘" in status(app)
        assert isinstance(app.screen, WelcomeScreen)


async def test_expected_failures_are_toasts_and_others_a_dialog(machine, tmp_path: Path) -> None:
    def refused(_: object) -> None:
        raise InvalidRequest("The file is too large.", "Split it.")

    def broken(_: object) -> None:
        raise RuntimeError("unforeseen")

    async with running(machine, tmp_path) as (app, pilot):
        app.screen.ask("one", refused, print)
        await settle(pilot)
        assert "The file is too large." in status(app)
        assert "Split it." in toasts(app)
        app.screen.ask("two", broken, print)
        await settle(pilot)
        assert isinstance(app.screen, TextScreen)
        assert "unforeseen" in screen_text(app)
        await press(pilot, "escape")
        assert "Sources" in screen_text(app)


async def test_a_late_answer_is_dropped(machine, tmp_path: Path) -> None:
    import threading

    gate, seen = threading.Event(), []
    async with running(machine, tmp_path) as (app, pilot):
        app.screen.ask("topic", lambda _: gate.wait(5) and "old", seen.append)
        await pilot.pause()
        app.screen.ask("topic", lambda _: "new", seen.append)
        await pilot.pause(0.05)
        gate.set()
        await settle(pilot)
        assert seen == ["new"]


async def test_keys_typed_faster_than_a_prompt_opens_are_kept(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await pilot.press("f", *"king")
        await settle(pilot)
        assert isinstance(app.screen, PromptScreen)
        assert app.screen.query_one("Input").value == "king"
        await press(pilot, "escape")
        assert not isinstance(app.screen, PromptScreen)


async def test_letters_never_leak_into_the_list_while_a_line_is_open(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        before = app.session.state().events
        await press(pilot, "c")
        await press(pilot, *"axu")
        assert app.screen.query_one("Input").value == "axu"
        await press(pilot, "escape")
        assert app.session.state().events == before


async def test_ctrl_c_without_a_selection_says_how_to_quit(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "ctrl+c")
        assert "q or ctrl+q quits" in status(app)


async def test_without_colour_the_meaning_stays(machine, tmp_path: Path, monkeypatch) -> None:
    """tui.md 0.7: NO_COLOR leaves every glyph."""
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(machine, tmp_path, mode="review") as (app, _):
        text = screen_text(app)
        for glyph in ("⟦", "⟧", "▌", "SUP", "·"):
            assert glyph in text


async def test_a_path_prompt_completes_with_tab(machine, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "alpha.txt").write_text("x")
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "a")
        field = app.screen.query_one("Input")
        field.value = f"{tmp_path}/tex"
        field.cursor_position = len(field.value)
        await settle(pilot)
        await press(pilot, "tab")
        assert field.value == f"{tmp_path}/texts/"
        await press(pilot, "tab")
        assert field.value == f"{tmp_path}/texts/alpha.txt"


async def test_q_quits(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await pilot.press("q")
        await pilot.pause()
        assert app._exit

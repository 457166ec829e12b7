"""Keymaps at work, jump mode, and the palette with its sources and claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui.keymap import KeymapSetting
from cmtui.tui.jump import JumpScreen
from cmtui.tui.screens.source import SourceScreen
from tui.harness import footer, press, running, screen_lines, screen_text, settle, status, toasts


async def test_a_remapped_key_acts_and_the_footer_and_help_show_it(machine, tmp_path: Path) -> None:
    keys = KeymapSetting(keys={"review.accept": ("v", "plus")})
    async with running(machine, tmp_path, mode="review", keymap=keys) as (app, pilot):
        assert " v Accept" in footer(app).replace("v +", "v")
        await press(pilot, "a")
        assert app.session.state().events == 0
        await press(pilot, "v")
        assert app.session.state().events == 1
        await press(pilot, "question_mark")
        assert "*v +" in screen_text(app)


async def test_vim_moves_to_the_ends_and_jumps_with_the_quote(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, keymap=KeymapSetting("vim")) as (app, pilot):
        await press(pilot, "G")
        assert app.screen.sources.cursor == len(app.screen.shown) - 1
        await press(pilot, "g")
        assert app.screen.sources.cursor == 0
        await press(pilot, "apostrophe")
        assert isinstance(app.screen, JumpScreen)


async def test_emacs_moves_with_control_keys(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, keymap=KeymapSetting("emacs")) as (app, pilot):
        await press(pilot, "ctrl+n", "ctrl+n", "ctrl+p")
        assert app.screen.sources.cursor == 1
        await press(pilot, "alt+x")
        assert type(app.screen).__name__ == "CommandPalette"


async def test_a_clash_is_reported_at_the_start(machine, tmp_path: Path) -> None:
    keys = KeymapSetting(keys={"library.sort": ("v",)})
    async with running(machine, tmp_path, keymap=keys) as (app, _):
        assert "'v' is the key of both library.sort and library.verify" in toasts(app)
        assert "! 'v'" in status(app)


async def test_a_theme_that_is_not_there_is_told_with_the_nearest(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, theme="nrd") as (app, _):
        assert "no theme 'nrd'" in status(app)
        assert "nord" in status(app)


async def test_jump_puts_a_letter_on_every_pane_and_goes_there(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "g")
        assert isinstance(app.screen, JumpScreen)
        text = screen_text(app)
        letter = next(key for key, widget in app.screen.letters.items() if widget.id == "detail")
        assert f"[{letter}]" in text
        await press(pilot, letter)
        assert app.focused.id == "detail"
        await press(pilot, "g", "escape")
        assert app.focused.id == "detail"


@pytest.mark.parametrize("mode", ["library", "search", "review", "cite", "acquire", "audit"])
async def test_jump_reaches_every_pane_of_every_screen(machine, tmp_path: Path, mode: str) -> None:
    async with running(machine, tmp_path, mode=mode) as (app, pilot):
        screen = app.screen
        panes = [w for w in screen.focus_chain if w.region]
        await press(pilot, "g")
        assert len(app.screen.letters) == min(len(panes), 26)
        first = next(iter(app.screen.letters))
        target = app.screen.letters[first]
        await press(pilot, first)
        assert app.focused is target


async def _palette(app, pilot, text: str) -> None:
    await press(pilot, "ctrl+p")
    app.screen.query_one("CommandInput").value = text
    for _ in range(40):
        await pilot.pause(0.02)
    await settle(pilot)


async def test_the_palette_opens_a_source_by_its_title(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await _palette(app, pilot, "The Voyage")
        assert "Source: read it full screen" in screen_text(app)
        await press(pilot, "down", "enter")
        await settle(pilot)
        assert isinstance(app.screen, SourceScreen)
        assert "The Voyage" in screen_text(app)


async def test_the_palette_goes_to_a_claim_by_its_words(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await _palette(app, pilot, "tower was built in 1875")
        await press(pilot, "down", "enter")
        await settle(pilot)
        assert app.current_mode == "review"
        assert "The tower was built in 1875" in screen_lines(app)[1]


async def test_help_searches_every_command(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "question_mark", "slash", *"copy")
        text = screen_text(app)
        assert "copy the selected text" in text
        assert "review" in text
        await press(pilot, "escape", "p")
        assert "review.accept" in (tmp_path / "state" / "last-copy.txt").read_text("utf-8")
        await press(pilot, "escape")
        assert "Sources 7" in screen_text(app)


async def test_help_edits_the_keymap_in_the_editor_that_is_set(machine, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "question_mark", "e")
        assert "$EDITOR is not set" in status(app)
        assert "cmtui/config.yaml" in toasts(app)

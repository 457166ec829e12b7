"""Which colours a terminal gets, and that NO_COLOR leaves the text readable."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from cmtui.tui.theme import CALM, MONO, theme_name
from tui.harness import press, running


@pytest.mark.parametrize(
    ("setting", "environ", "name"),
    [
        ("auto", {"TERM": "xterm-256color"}, CALM.name),
        ("auto", {"TERM": "tmux-256color", "COLORTERM": "truecolor"}, CALM.name),
        ("auto", {"TERM": "linux"}, "ansi-dark"),
        ("auto", {"TERM": "screen"}, "ansi-dark"),
        ("auto", {"TERM": "linux", "NO_COLOR": "1"}, MONO.name),
        ("ansi-light", {"TERM": "linux", "NO_COLOR": "1"}, MONO.name),
        ("nord", {"TERM": "xterm-256color", "NO_COLOR": "1"}, "nord"),
        ("textual-light", {"TERM": "linux"}, "textual-light"),
    ],
)
def test_theme_by_setting_and_terminal(setting: str, environ: dict[str, str], name: str) -> None:
    assert theme_name(setting, environ) == name


def faint(app) -> list[str]:
    """Words on the screen whose contrast with their background is under 3 to 1."""
    found = []
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            style = segment.style
            if style is None or style.color is None or not any(map(str.isalnum, segment.text)):
                continue
            colour = Color.from_rich_color(style.color)
            ground = Color.from_rich_color(style.bgcolor) if style.bgcolor else Color(0, 0, 0)
            if not style.reverse and colour.get_contrast_ratio(ground) < 3:
                found.append(f"{segment.text!r} {colour.hex} on {ground.hex}")
    return found


@pytest.mark.parametrize("no_colour", [False, True])
@pytest.mark.parametrize(
    ("mode", "keys"),
    [
        ("library", ()),
        ("search", ("slash", "k", "i", "n", "g", "enter")),
        ("review", ()),
        ("cite", ()),
        ("review", ("question_mark",)),
        ("review", ("y",)),
        ("review", ("i",)),
        ("review", ("n", "x")),
        ("cite", ("tab", "tab", "X", "escape")),
        ("library", ("enter",)),
    ],
    ids=lambda value: value if isinstance(value, str) else "+".join(value) or "plain",
)
async def test_every_word_can_be_read(machine, tmp_path: Path, monkeypatch, mode, keys, no_colour) -> None:
    """Once measured: panes painted in their own background, and NO_COLOR that made black on black."""
    monkeypatch.setenv("COLORTERM", "truecolor")
    if no_colour:
        monkeypatch.setenv("NO_COLOR", "1")
    else:
        monkeypatch.delenv("NO_COLOR", raising=False)
    async with running(machine, tmp_path, mode=mode) as (app, pilot):
        await press(pilot, *keys)
        assert app.theme == (MONO.name if no_colour else CALM.name)
        assert faint(app) == []


async def test_an_unknown_theme_falls_back(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, theme="no-such-theme") as (app, _):
        assert app.theme == CALM.name

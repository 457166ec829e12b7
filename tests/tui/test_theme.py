"""Which colours a terminal gets, and that NO_COLOR leaves the text readable."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color
from textual.screen import ModalScreen

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


def contrast(one: Color, other: Color) -> float:
    """The WCAG contrast ratio of two colours, 1 to 21."""

    def luminance(colour: Color) -> float:
        parts = [c / 255 for c in colour.rgb]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def faint(app) -> list[str]:
    """Words on the screen whose contrast with their background is under 3 to 1."""
    found = []
    strips = app.screen._compositor.render_strips()
    if isinstance(app.screen, ModalScreen):  # What lies below a dialog is dimmed on purpose.
        box = app.screen.query("Vertical, VerticalScroll").first().region
        strips = [strip.crop(box.x, box.right) for strip in strips[box.y : box.bottom]]
    for strip in strips:
        for segment in strip:
            style = segment.style
            if style is None or style.color is None or not any(map(str.isalnum, segment.text)):
                continue
            colour = Color.from_rich_color(style.color)
            ground = Color.from_rich_color(style.bgcolor) if style.bgcolor else Color(0, 0, 0)
            if not style.reverse and contrast(colour, ground) < 3:
                found.append(f"{segment.text!r} {colour.hex} on {ground.hex}")
    return found


@pytest.mark.parametrize(
    ("mode", "keys", "no_colour"),
    [
        ("library", (), False),
        ("search", ("slash", "k", "i", "n", "g", "enter"), False),
        ("review", (), False),
        ("review", (), True),
        ("cite", (), False),
        ("cite", (), True),
        ("review", ("question_mark",), True),
        ("review", ("y",), False),
        ("review", ("i",), False),
        ("review", ("n", "x"), False),
        ("cite", ("tab", "tab", "X", "escape"), False),
        ("library", ("enter",), True),
    ],
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

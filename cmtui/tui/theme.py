"""Colours: calm, one accent, and nothing that only a colour says.

Where a terminal has 16 colours or fewer its own palette is used (the ``ansi`` themes). Glyphs carry every
meaning; NO_COLOR leaves them all.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

from cmtui.tui.terminal import sixteen_colours

#: The default theme: slate with one accent, and green and red only where a decision or a relation is shown.
CALM = Theme(
    name="cmtui",
    primary="#7aa2c8",
    secondary="#9db4c0",
    accent="#e0b15e",
    foreground="#d6d9dd",
    background="#16191d",
    surface="#1b1f24",
    panel="#23282f",
    success="#8fbf7f",
    warning="#e0b15e",
    error="#d98080",
    dark=True,
)


#: For NO_COLOR: white on black in true colour, because Textual's filter for it turns the ``ansi`` themes into
#: black on black (measured with TERM=linux).
MONO = Theme(
    name="cmtui-mono",
    primary="#ffffff",
    secondary="#ffffff",
    accent="#ffffff",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#303030",
    success="#ffffff",
    warning="#ffffff",
    error="#ffffff",
    dark=True,
    variables={"foreground-muted": "#c8c8c8", "panel-lighten-2": "#9a9a9a"},
)


def theme_name(setting: str, environ: Mapping[str, str]) -> str:
    """The theme to start with: what was set, else by what the terminal can show."""
    if environ.get("NO_COLOR") and (setting == "auto" or setting.startswith("ansi")):
        return MONO.name
    if setting != "auto":
        return setting
    return "ansi-dark" if sixteen_colours(environ) else CALM.name

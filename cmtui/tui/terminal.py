"""What the terminal can show, asked without loading anything."""

from __future__ import annotations

from collections.abc import Mapping

#: Terminals whose colours are a palette of 16.
SIXTEEN_COLOURS = frozenset({"linux", "screen", "xterm", "ansi", "vt100", "vt220", "rxvt"})


def refuses(environ: Mapping[str, str]) -> bool:
    """Whether the terminal says that it cannot be painted on (Textual would paint all the same)."""
    return environ.get("TERM", "") in ("dumb", "unknown")


def sixteen_colours(environ: Mapping[str, str]) -> bool:
    """Whether only the terminal's own palette can be counted on."""
    if environ.get("COLORTERM") in ("truecolor", "24bit") or "TEXTUAL_DRIVER" in environ:
        return False  # a browser shows every colour, whatever terminal the server was started in
    return environ.get("TERM", "") in SIXTEEN_COLOURS

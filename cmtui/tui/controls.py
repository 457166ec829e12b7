"""Keeps what others wrote from steering the terminal.

Notes of colleagues, titles of files and answers of providers may hold escape sequences or turn the direction
of the line. Every line of every widget passes here on its way to the terminal.
"""

from __future__ import annotations

import re

from rich.cells import get_character_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

#: C0, DEL and C1 controls, marks that turn the direction, and lone surrogates.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def _harmless(match: re.Match[str]) -> str:
    """As many cells as the layout reckoned with: mostly none."""
    return "\N{REPLACEMENT CHARACTER}" * get_character_cell_size(match.group())


class Controls(LineFilter):
    """Takes control characters out of painted lines; their cells stay."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments without controls."""
        del background
        return [
            segment
            if segment.control or segment.text.isprintable()
            else Segment(_CONTROL.sub(_harmless, segment.text), segment.style)
            for segment in segments
        ]

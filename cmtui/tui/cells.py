"""Terminal cells: how wide text is, and how it is cut to a width without breaking a character.

A *cluster* is what a person sees as one character: a base with its combining marks, a joined emoji, a pair
of regional indicators. Offsets always fall on cluster starts, so that no mark is torn from its base.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rich.cells import cell_len, get_character_cell_size

#: Cells a tab takes in a text view. A tab has no width of its own in a terminal line.
TAB_WIDTH = 4

#: Text made only of these is one cell per code point (checked against the width table in the tests).
SIMPLE = re.compile(
    "[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0377\u0384-\u0386\u0388-\u038a\u0391-\u03a1\u03a3-\u0482"
    "\u048a-\u052f\u1e00-\u1eff\u2010-\u2017\u2018-\u2027\u2030-\u205e\u20a0-\u20bf]*"
)

#: Text made only of these and simple characters has one or two cells per code point and no clusters: blanks,
#: kana, Han and Hangul syllables, full-width forms. The two-cell ones all lie above U+2E7F.
MIXED = re.compile(
    SIMPLE.pattern[:-2] + "\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uff01-\uff60]*"
)

#: Controls that would move the cursor or turn the direction of the terminal, and what is shown instead.
#: The text itself is never changed.
_SHOWN: dict[int, str] = {code: chr(0x2400 + code) for code in range(32)}
_SHOWN.update(dict.fromkeys(range(0x7F, 0xA0), "\N{REPLACEMENT CHARACTER}"))
_SHOWN.update(dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), ""))
_SHOWN.update(dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}"))
_SHOWN[0x09] = " " * TAB_WIDTH
_SHOWN[0x0A] = ""
_SHOWN[0x0D] = ""
_SHOWN[0x2028] = ""
_SHOWN[0x2029] = ""
_SHOWN[0x00AD] = "-"


def shown(text: str) -> str:
    """``text`` as it may be sent to a terminal: controls replaced, line ends dropped."""
    return text if text.isprintable() and SIMPLE.fullmatch(text) else text.translate(_SHOWN)


@lru_cache(maxsize=4096)
def cluster_width(cluster: str) -> int:
    """Cells of one cluster as shown, between 0 and TAB_WIDTH."""
    return cell_len(cluster.translate(_SHOWN))


def clusters(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Start, end and width of each cluster of ``text[start:end]``."""
    at = start
    while at < end:
        stop = at + 1
        if _regional(text[at]) and stop < end and _regional(text[stop]):
            stop += 1
        while stop < end:
            code = text[stop]
            if code == "\u200d" and text[at] >= " " and stop + 1 < end and text[stop + 1] > " ":
                stop += 2
            elif code > "\u02ff" and _extends(code):
                stop += 1
            else:
                break
        yield at, stop, cluster_width(text[at:stop])
        at = stop


def width(text: str) -> int:
    """Cells of ``text`` as shown."""
    return cell_len(shown(text))


def fit(text: str, cells: int, *, align: str = "left") -> str:
    """``text`` as exactly ``cells`` cells: cut with an ellipsis, or padded."""
    if cells <= 0:
        return ""
    line = shown(text.replace("\n", " "))
    used = cell_len(line)
    if used > cells:
        total, stop = 0, 0
        for _, end, size in clusters(line, 0, len(line)):
            if total + size > cells - 1:
                break
            total, stop = total + size, end
        line = line[:stop] + "…"
        used = total + 1
    padding = " " * (cells - used)
    return padding + line if align == "right" else line + padding


def _regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


@lru_cache(maxsize=4096)
def _extends(character: str) -> bool:
    if "\U0001f3fb" <= character <= "\U0001f3ff":
        return True
    return (
        get_character_cell_size(character) == 0 and character not in "\u2028\u2029" and character != "\u200b"
    )

"""Cheap signs that a page's text is not what a reader of the page sees (design/ingest.md 7.2).

They only warn: the text stays as extracted, because a rewritten text would verify quotes nobody can find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_GLYPH_NAME = re.compile(r"/g\d+|\(cid:\d+\)")
_UNMAPPED = re.compile("[\ufffd\ue000-\uf8ff]")
_LATIN = re.compile(r"[A-Za-z]")
_MINIMUM = 200


def page_flaws(text: str) -> Iterator[tuple[str, str]]:
    """Codes and sentences of what looks wrong with one page's text."""
    length = len(text)
    if not length:
        return
    if len(_GLYPH_NAME.findall(text)) * 5 > len(text.split()):
        yield "unmapped-glyphs", "Pages whose font gives glyph numbers instead of letters."
    elif len(_UNMAPPED.findall(text)) * 50 > length:
        yield "unmapped-glyphs", "Pages with many characters that could not be mapped to letters."
    if length >= _MINIMUM and len(_LATIN.findall(text)) * 2 > length:
        words = text.split()
        if sum(map(len, words)) > 15 * len(words):
            yield "joined-words", "Pages whose words run together; quotes from them look joined too."

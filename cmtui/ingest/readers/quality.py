"""Cheap signs that a page's text is not what a reader of the page sees (design/ingest.md 7.2).

They only warn: the text stays as extracted, because a rewritten text would verify quotes nobody can find.
The shares are judgements, set so that none of the good files of ../shared/data gives a warning
(tests/unit/ingest/test_text_quality.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_GLYPH_NAME = re.compile(r"/g\d+|\(cid:\d+\)")
_UNMAPPED = re.compile("[\ufffd\ue000-\uf8ff]")
_LATIN = re.compile(r"[A-Za-z]")
_BLANK = re.compile(r"\s")
#: Letters of two alphabets in one word. Greek beside Latin is a formula; Han, kana and Latin mix freely.
_OTHER_ALPHABETS = "\u0400-\u06ff\u0900-\u0fff"
_MIXED = re.compile(
    f"[A-Za-z\u00c0-\u024f](?=[{_OTHER_ALPHABETS}])|[{_OTHER_ALPHABETS}](?=[A-Za-z\u00c0-\u024f])"
)
#: UTF-8 read as Latin-1 or windows-1252, and East Asian double bytes read so.
_DOUBLE_READ = re.compile("[\u00c2\u00c3][\u0080-\u00bf]|\u00e2\u20ac|[\u00a1-\u00ff]{3}")
#: A small letter directly before a capital or a digit, as in "Chapter1 WhatisEarthScience".
_GLUED = re.compile(r"[a-z](?=[A-Z][a-z]|\d)")
#: English endings that lost their last letter and are no words without it ("assuranc", "technica").
_CUT = re.compile(
    r"\b[A-Za-z]{2,}(?:[aei]nc|[ai]bl|[cts]tiv|ssiv|[cis]tio|atio|bilit|[tr]alit|[ct]ivit|[aeiv]riou"
    r"|hnica|ctica|ologica|[rtn]nmen|[tld]nes)\b(?![-\u00ad\u2010.])"
)

#: Code points: shares of a shorter page say nothing.
_MINIMUM = 200


def page_flaws(text: str, removed: int = 0) -> Iterator[tuple[str, str]]:
    """Codes and sentences of what looks wrong with one page's text.

    ``removed`` is the number of control characters that canonicalization took out of it.
    """
    length = len(text)
    if removed * 50 > length + removed:
        yield "control-characters", "Pages with many control characters, which were left out."
    if not length:
        return
    if len(_GLYPH_NAME.findall(text)) * 5 > len(text.split()):
        yield "unmapped-glyphs", "Pages whose font gives glyph numbers instead of letters."
    elif len(_UNMAPPED.findall(text)) * 50 > length:
        yield "unmapped-glyphs", "Pages with many characters that could not be mapped to letters."
    if length < _MINIMUM:
        return
    if not text.isascii() and _is_mojibake(text):
        yield "mojibake", "Pages whose letters look wrongly decoded."
    if len(_LATIN.findall(text)) * 2 > length:
        if _is_joined(text):
            yield "joined-words", "Pages whose words run together; quotes from them look joined too."
        cut = len(_CUT.findall(text))
        if cut >= 3 and cut * 200 > len(text.split()):
            yield "cut-letters", "Pages whose words seem to have lost their last letters."


def _is_mojibake(text: str) -> bool:
    words = len(text.split())
    return len(_MIXED.findall(text)) * 10 > words or len(_DOUBLE_READ.findall(text)) * 20 > words


def _is_joined(text: str) -> bool:
    words = text.split()
    if sum(map(len, words)) > 15 * len(words):
        return True
    blanks = len(_BLANK.findall(text)) / len(text)
    return blanks < 0.06 or (blanks < 0.12 and len(_GLUED.findall(text)) * 8 > len(words))

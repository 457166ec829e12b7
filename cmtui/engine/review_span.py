"""Moving the edges of a span by characters, words and sentences, inside the passage it stands in."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from enum import StrEnum

from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument

#: A character of a script without blanks between words is a word of its own here.
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")


class Unit(StrEnum):
    """How far a step goes."""

    CHARACTER = "character"
    WORD = "word"
    SENTENCE = "sentence"


class Edge(StrEnum):
    """Which end of the span moves."""

    START = "start"
    END = "end"


def bounds_of(document: CanonicalDocument, span: Span) -> Span:
    """The passage that ``span`` begins in: evidence never leaves it (D14). Without one, the span itself."""
    passage = document.passage_at(span.start)
    return passage.span if passage is not None else span


def move(text: str, bounds: Span, span: Span, edge: Edge, unit: Unit, by: int) -> Span:
    """``span`` with one edge moved ``by`` units (negative: towards the beginning), never empty or outside.

    The starting edge stops at beginnings of words and sentences, the end at their ends.
    """
    stops = _stops(text, bounds, edge, unit)
    at = span.start if edge is Edge.START else span.end
    index = bisect_right(stops, at) - 1 + by if by > 0 else bisect_left(stops, at) + by
    if not stops:
        return span
    target = stops[max(0, min(index, len(stops) - 1))]
    if (target > at) != (by > 0):
        return span
    if edge is Edge.START:
        return Span(target, span.end) if target < span.end else span
    return Span(span.start, target) if target > span.start else span


def _stops(text: str, bounds: Span, edge: Edge, unit: Unit) -> Sequence[int]:
    if unit is Unit.CHARACTER:
        inner = [n for n in range(bounds.start, bounds.end + 1) if n == bounds.end or not _joins(text, n)]
        return inner if edge is Edge.END else inner[:-1]
    if unit is Unit.WORD:
        found = [Span(*match.span()) for match in _WORD.finditer(text, bounds.start, bounds.end)]
    else:
        from cmtui.ingest.segmentation import sentences

        found = sentences(text, bounds)
    return [span.start if edge is Edge.START else span.end for span in found]


def _joins(text: str, at: int) -> bool:
    """Whether the character at ``at`` belongs to the one before it, so that no edge may fall there."""
    character = text[at]
    return at > 0 and (
        unicodedata.combining(character) != 0
        or unicodedata.category(character) in ("Mn", "Me")
        or character in "\u200d\ufe0e\ufe0f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or text[at - 1] == "\u200d"
    )


def place_of(document: CanonicalDocument, span: Span, quote: str) -> Span | None:
    """Where ``quote`` stands in the passage of ``span``: its only place there, else None."""
    bounds = bounds_of(document, span)
    at = document.text.find(quote, bounds.start, bounds.end) if quote else -1
    if at < 0 or document.text.find(quote, at + 1, bounds.end) >= 0:
        return None
    return Span(at, at + len(quote))

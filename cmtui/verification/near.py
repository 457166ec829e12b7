"""Texts that are almost in a source: near misses with their difference, and stitched quotes.

Nothing found here is evidence. It tells a person what is wrong with a quote.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise

from cmtui.model.quote import MINIMUM_QUOTE, DifferencePart
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument
from cmtui.verification.layout import LayoutText, layout_text, layout_text_between

#: From this share of equal characters on, a text is a near miss whatever else it may be (judgement, tried on
#: the eight forgery classes of tests/support/forgeries.py).
CERTAIN = 0.85
#: Below this share a text is not called a near miss at all.
POSSIBLE = 0.70
#: A quote is called stitched when it falls into at most this many exact pieces.
MAXIMUM_PIECES = 6
#: Up to this many characters the difference is taken by character, above by word (the cost is quadratic).
_BY_CHARACTER = 1_500
#: How many near misses are shown, and how much worse than the best they may be.
_SHOWN = 3
_CLOSE = 0.05
#: From this share on the first window is not questioned.
_SURE = 0.95
#: Below this share no window nearby will be a near miss.
_UNLIKELY = 0.4
_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"[^\w\s]+$")
_PIECE = re.compile(r"\w+|\W")
_ELLIPSIS = re.compile(r"\s*(?:\[?(?:…|\.\s?\.\s?\.)\]?)\s*")


class SearchableText:
    """One document prepared for quote checks. Built once and cached by the caller."""

    def __init__(self, document: CanonicalDocument) -> None:
        self.document = document
        self.text = document.text

    @cached_property
    def layout(self) -> LayoutText:
        """The text without its layout."""
        return layout_text(self.text)

    @cached_property
    def flow(self) -> LayoutText:
        """The running text without its layout: running heads, page numbers and footnotes are passed over."""
        furniture = self.document.tables.furniture
        if not furniture:
            return self.layout
        return layout_text_between(self.text, [(mark.start, mark.end) for mark in furniture])

    @cached_property
    def words(self) -> list[tuple[str, int, int]]:
        """Case-folded words with their start and end in the canonical text."""
        return [(m.group().casefold(), m.start(), m.end()) for m in _WORD.finditer(self.text)]

    @cached_property
    def pairs(self) -> dict[tuple[str, str], list[int]]:
        """Places (word numbers) of every pair of neighbouring words."""
        table: dict[tuple[str, str], list[int]] = {}
        for place, ((first, _, _), (second, _, _)) in enumerate(pairwise(self.words)):
            table.setdefault((first, second), []).append(place)
        return table


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The most similar stretch of a document, with the share of equal characters in [0, 1]."""

    searchable: SearchableText
    span: Span
    similarity: float
    difference: tuple[DifferencePart, ...]


def nearest(quote: str, texts: Sequence[SearchableText]) -> tuple[NearMiss, ...]:
    """The stretches of ``texts`` most like ``quote``, best first, one a document.

    Those within 0.05 of the best are kept, three at most; empty when nothing shares two neighbouring words.
    """
    words = [match.group().casefold() for match in _WORD.finditer(quote)]
    found = []
    for searchable in texts:
        place = _best_place(words, searchable)
        if place is not None:
            found.append(_compare(quote, searchable, place, len(words)))
    found.sort(key=lambda near: -near.similarity)
    return tuple(near for near in found[:_SHOWN] if near.similarity >= found[0].similarity - _CLOSE)


def _best_place(words: list[str], searchable: SearchableText) -> int | None:
    """The word number at which the quote would start by the vote of its word pairs."""
    votes: Counter[int] = Counter()
    for number, pair in enumerate(pairwise(words)):
        places = searchable.pairs.get(pair, ())
        # A pair that stands everywhere says little and would cost a lot.
        if len(places) <= 200:
            for place in places:
                votes[place - number] += 1
    if not votes:
        return None
    # Insertions and deletions shift the vote by a few words: count neighbours together.
    return min(votes, key=lambda at: (-sum(votes[at + d] for d in range(-3, 4)), -votes[at], at))


def _compare(quote: str, searchable: SearchableText, place: int, length: int) -> NearMiss:
    words, text = searchable.words, searchable.text
    first, last = max(0, place - 4), min(len(words) - 1, place + length + 4)
    start, end = words[first][1], words[last][2]
    # Punctuation after the last word belongs to the window.
    end = min(len(text), words[last + 1][1] if last + 1 < len(words) else len(text))
    window = text[start:end]
    matcher = _matcher(quote, window)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return NearMiss(searchable, Span(start, end), 0.0, ())
    unit_starts = _unit_starts(window) if len(quote) > _BY_CHARACTER else None
    begin, stop = blocks[0].b, blocks[-1].b + blocks[-1].size
    if unit_starts is not None:
        begin, stop = unit_starts[begin], unit_starts[stop]
    found = _judge(quote, searchable, Span(start + begin, start + stop))
    if _UNLIKELY < found.similarity < _SURE:
        # A stray match far off stretches the window: try one as long as the quote from either end, too.
        first_start, last_end = found.span.start, found.span.end
        for span in (
            Span(first_start, min(len(text), first_start + len(quote))),
            Span(max(0, last_end - len(quote)), last_end),
        ):
            other = _judge(quote, searchable, span)
            if other.similarity > found.similarity:
                found = other
    return found


def _judge(quote: str, searchable: SearchableText, span: Span) -> NearMiss:
    """The near miss at ``span``, widened to whole words and to the punctuation the quote ends with."""
    span = _whole_words(searchable, span)
    ending = _ENDING.search(quote)
    if ending and searchable.text.startswith(ending.group(), span.end):
        span = Span(span.start, span.end + len(ending.group()))
    exact = searchable.text[span.start : span.end]
    difference = differences(quote, exact)
    equal = sum(len(part.quote) for part in difference if part.op == "equal")
    return NearMiss(searchable, span, 2 * equal / (len(quote) + len(exact)), difference)


def _whole_words(searchable: SearchableText, span: Span) -> Span:
    """The span widened so that it cuts no word."""
    words = searchable.words
    start, end = span.start, span.end
    at = bisect_left(words, end, key=lambda word: word[1]) - 1
    if at >= 0 and words[at][1] < end < words[at][2]:
        end = words[at][2]
    at = bisect_left(words, start + 1, key=lambda word: word[1]) - 1
    if at >= 0 and words[at][1] < start < words[at][2]:
        start = words[at][1]
    return Span(start, end)


def differences(quote: str, source: str) -> tuple[DifferencePart, ...]:
    """The difference from ``quote`` to ``source``, by character or, for long texts, by word.

    The ``quote`` sides of the parts join to the quote, the ``source`` sides to the source.
    """
    matcher = _matcher(quote, source)
    q_at, s_at = None, None
    if len(quote) > _BY_CHARACTER:
        q_at, s_at = _unit_starts(quote), _unit_starts(source)
    parts = []
    for op, a1, a2, b1, b2 in matcher.get_opcodes():
        if q_at is not None and s_at is not None:
            a1, a2, b1, b2 = q_at[a1], q_at[a2], s_at[b1], s_at[b2]  # noqa: PLW2901
        # opcodes turn the quote into the source: "insert" is what the quote lacks.
        parts.append(DifferencePart(op, quote[a1:a2], source[b1:b2]))
    return tuple(parts)


def _matcher(a: str, b: str) -> SequenceMatcher[str]:
    if len(a) <= _BY_CHARACTER:
        return SequenceMatcher(None, a, b, autojunk=False)
    return SequenceMatcher(None, _PIECE.findall(a), _PIECE.findall(b), autojunk=False)


def _unit_starts(text: str) -> list[int]:
    return [match.start() for match in _PIECE.finditer(text)] + [len(text)]


@dataclass(frozen=True, slots=True)
class Piece:
    """An exact part of a stitched quote: where it stands."""

    searchable: SearchableText
    span: Span


def stitched(quote: str, texts: Sequence[SearchableText]) -> tuple[Piece, ...]:
    """The exact pieces that ``quote`` was put together from, in order; empty when it was not.

    Each piece has at least 12 characters and equals canonical text but for layout; ellipses between pieces
    are passed over. Takes the longest piece first at each place.
    """
    key = layout_text(quote).key.strip()
    pieces: list[Piece] = []
    at = 0
    while at < len(key):
        gap = _ELLIPSIS.match(key, at)
        if gap and gap.end() > at:
            at = gap.end()
            continue
        length, found = _longest(key, at, texts)
        if found is None or len(pieces) == MAXIMUM_PIECES:
            return ()
        pieces.append(found)
        at += length
        while at < len(key) and key[at] == " ":
            at += 1
    return tuple(pieces) if len(pieces) > 1 else ()


def _longest(key: str, at: int, texts: Sequence[SearchableText]) -> tuple[int, Piece | None]:
    """The longest stretch of ``key`` from ``at`` that some text holds, cut back to whole words."""
    low, high = 0, len(key) - at
    while low < high:
        middle = (low + high + 1) // 2
        if any(key[at : at + middle] in text.layout.key for text in texts):
            low = middle
        else:
            high = middle - 1
    end = at + low
    if end < len(key):
        while end > at and key[end - 1].isalnum() and key[end].isalnum():
            end -= 1
    piece = key[at:end].rstrip()
    if len(piece) < MINIMUM_QUOTE:
        return 0, None
    for text in texts:
        place = text.layout.key.find(piece)
        if place >= 0:
            return end - at, Piece(text, text.layout.span(place, place + len(piece)))
    return 0, None

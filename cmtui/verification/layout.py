"""Equality but for layout: what a PDF or a word processor changes without changing the words.

Layout covers line breaks, line-end hyphens, soft hyphens, ligatures, kinds of blank, typographic quotes and
Unicode canonical equivalence (NFC, NFD), and nothing else (settlements: the ``layout`` verdict). Case, kinds
of dash, digits and confusable letters are differences.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from cmtui.model.selectors import Span

_LIGATURES = {
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "ſt",
    "ﬆ": "st",
}
_QUOTES = {
    "‘": "'",
    "’": "'",
    "‚": "'",
    "‛": "'",
    "“": '"',
    "”": '"',
    "„": '"',
    "‟": '"',
}
_DROPPED = {"\u00ad", "\u200b", "\ufeff"}
_HYPHENS = {"-", "\u2010"}
#: A hyphen that ends a line between letters, with the blanks around the line end.
_LINE_END_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010][ \t]*\r?[\n\f][ \t\n\f]*(?=[^\W\d_])")
_SPECIAL = re.compile(r"[^\x21-\x7e]|[-]")
#: Hangul vowels and finals compose with the consonant before them, though they are no combining marks.
_JAMO = range(0x1160, 0x1200)


@dataclass(frozen=True, slots=True)
class LayoutText:
    """A text with its layout taken out.

    ``chars`` is the folded text; ``offsets[i]`` is the offset in the original of the character that made
    ``chars[i]``, and ``offsets[len(chars)]`` the length of the original. ``optional`` holds the places of
    hyphens that ended a line: they may or may not belong to the word. ``key`` is ``chars`` without any
    hyphen, with ``places[j]`` the index in ``chars`` of ``key[j]``: a text is located by its key and then
    compared, hyphens included.
    """

    chars: str
    offsets: array[int]
    optional: frozenset[int]
    key: str
    places: array[int]

    def span(self, start: int, end: int) -> Span:
        """The original span of ``key[start:end]``, whole characters with their combining marks."""
        first, last = self.places[start], self.places[end - 1]
        origin = self.offsets[first]
        stop = last + 1
        while stop < len(self.chars) and self.offsets[stop] == self.offsets[last]:
            stop += 1
        return Span(origin, self.offsets[stop])


def layout_text(text: str) -> LayoutText:
    """Take the layout out of ``text``."""
    joins = {match.start(): match.end() for match in _LINE_END_HYPHEN.finditer(text)}
    chars: list[str] = []
    offsets = array("I")
    optional: set[int] = set()
    at, size = 0, len(text)
    while at < size:
        match = _SPECIAL.search(text, at)
        plain_end = match.start() if match else size
        if plain_end > at:
            # A combining mark belongs to the character before it: leave that one to the slow path.
            if match and _continues(text[plain_end]):
                plain_end -= 1
            chars.extend(text[at:plain_end])
            offsets.extend(range(at, plain_end))
            at = plain_end
            if at >= size:
                break
        if at in joins:
            optional.add(len(chars))
            chars.append("-")
            offsets.append(at)
            at = joins[at]
            continue
        end = at + 1
        while end < size and _continues(text[end]):
            end += 1
        for folded in _fold_cluster(text[at:end]):
            if folded == " " and (not chars or chars[-1] == " "):
                continue
            chars.append(folded)
            offsets.append(at)
        at = end
    offsets.append(size)
    joined = "".join(chars)
    places = array("I", (i for i, char in enumerate(joined) if char not in _HYPHENS))
    key = "".join(joined[i] for i in places)
    return LayoutText(joined, offsets, frozenset(optional), key, places)


def layout_text_between(text: str, skipped: Sequence[tuple[int, int]]) -> LayoutText:
    """As ``layout_text`` for the text without the ``skipped`` ranges, with offsets into the whole text.

    The ranges are sorted and disjoint. A word hyphenated before one of them goes on behind it.
    """
    pieces: list[str] = []
    starts: list[int] = []
    shifts: list[int] = []
    at = length = 0
    for start, end in (*skipped, (len(text), len(text))):
        if start > at:
            pieces.append(text[at:start])
            starts.append(length)
            shifts.append(at - length)
            length += start - at
        at = end
    folded = layout_text("".join(pieces))
    place = 0
    # In place and in order: the offsets never fall.
    for index, offset in enumerate(folded.offsets):
        while place + 1 < len(starts) and starts[place + 1] <= offset:
            place += 1
        folded.offsets[index] = offset + shifts[place] if shifts else len(text)
    return folded


def _continues(char: str) -> bool:
    return bool(unicodedata.combining(char)) or ord(char) in _JAMO


def _fold_cluster(cluster: str) -> str:
    if cluster in _DROPPED:
        return ""
    if cluster in _LIGATURES:
        return _LIGATURES[cluster]
    if cluster in _QUOTES:
        return _QUOTES[cluster]
    if cluster.isspace():
        return " "
    return unicodedata.normalize("NFC", cluster)


def layout_matches(source: LayoutText, quote: LayoutText) -> list[Span]:
    """Every span of ``source`` that equals ``quote`` but for layout, in order."""
    key = quote.key.strip()
    found: list[Span] = []
    if not key:
        return found
    lead = len(quote.key) - len(quote.key.lstrip())
    at = source.key.find(key)
    while at >= 0:
        end = at + len(key)
        if _equal(source, at, end, quote, lead, lead + len(key)):
            found.append(source.span(at, end))
        at = source.key.find(key, at + 1)
    return found


def _equal(source: LayoutText, start: int, end: int, quote: LayoutText, q_start: int, q_end: int) -> bool:
    """Whether hyphens agree too; one that ends a line in the source may be absent from the quote."""
    i, stop = source.places[start], source.places[end - 1] + 1
    j, q_stop = quote.places[q_start], quote.places[q_end - 1] + 1
    while i < stop and j < q_stop:
        if source.chars[i] == quote.chars[j]:
            i += 1
            j += 1
        elif i in source.optional:
            i += 1
        elif j in quote.optional:
            j += 1
        else:
            return False
    return i == stop and j == q_stop

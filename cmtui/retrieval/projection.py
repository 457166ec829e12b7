"""The search projection ``cmtui-fold/1``: a text folded for finding, with the way back to the original.

NFKC and case folding, invisible characters dropped, a hyphen that ends a line inside a word removed, runs
of blanks made one space, typographic quotes and dashes made ASCII (D5, design/ingest.md 7.1). A projection
never enters an identity: whatever is found in it is read back from the canonical text by its span.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache

from cmtui.model.selectors import Span

#: Name and version of the projection; part of the key of every index built from it.
FOLD = "cmtui-fold/1"

#: Invisible characters without a meaning for search: soft hyphen, zero-width, direction and variation marks.
_INVISIBLE = frozenset(
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff\u180e\u034f"
    + "".join(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xFE00, 0xFE10))))
)
_ASCII = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)
#: Where copying is not enough: a hyphen at a line end, blanks other than one space, anything not ASCII.
_SPECIAL = re.compile(r"[-\u2010\u00ad][ \t]*\r?\n[ \t]*|\s{2,}|[^\S ]|[^\x00-\x7f]")
_BLANKS = re.compile(r"\s+")
_ASCII_JOIN = re.compile(r"(?<=[a-z])-[ \t]*\r?\n[ \t]*(?=[a-z])")
#: Characters of ordinary prose whose folding does not depend on what stands around them.
_COMMON = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014\u00a0", "''\"\"-- ")
#: Conjoining jamo compose backwards under NFKC without being marks.
_JAMO = (("\u1160", "\u11ff"), ("\ud7b0", "\ud7fb"))


@dataclass(frozen=True, slots=True)
class Projection:
    """A folded text with its offset map.

    ``offsets[i]`` is the code-point offset in ``source`` of the character that made ``text[i]``; the last
    entry, ``offsets[len(text)]``, is the length of ``source``. Offsets never fall. ``joins`` are the places
    in ``text`` where a line-end hyphen was removed, so that its two halves meet there.
    """

    text: str
    offsets: array[int]
    source: str
    joins: tuple[int, ...] = ()

    def canonical_span(self, start: int, end: int) -> Span:
        """The span of ``source`` that made ``text[start:end]``, in whole characters with their marks.

        Raises ValueError unless ``0 <= start <= end <= len(text)``.
        """
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"[{start}, {end}) is no range of a projection of {len(self.text)} characters")
        origin = self.offsets[start]
        if start == end:
            return Span(origin, origin)
        last = self.offsets[end - 1]
        if self.source[last].isspace():
            blanks = _BLANKS.match(self.source, last)
            return Span(origin, blanks.end() if blanks else last + 1)
        return Span(origin, _cluster_end(self.source, last))

    def projected(self, offset: int) -> int:
        """The index in ``text`` of what was made from ``offset`` of ``source``, or of what comes next."""
        if offset >= len(self.source):
            return len(self.text)
        before = bisect_right(self.offsets, offset) - 1
        if before >= 0 and offset < self.canonical_span(before, before + 1).end:
            return bisect_left(self.offsets, self.offsets[before])
        return before + 1


def fold(text: str) -> Projection:
    """Project ``text`` for search. Linear in its length; plain ASCII runs are copied whole."""
    pieces: list[str] = []
    offsets = array("I")
    joins: list[int] = []
    blank = False  # whether the projection ends in a space
    at, size = 0, len(text)
    while at < size:
        match = _SPECIAL.search(text, at)
        if match is None:
            pieces.append(text[at:].lower())
            offsets.extend(range(at, size))
            break
        stop = match.start()
        found = text[stop]
        cluster_end = 0
        if found > "\x7f" and stop > at and not found.isspace() and text[stop - 1] != " ":
            # A mark belongs to the plain character before it (a blank takes none).
            cluster_end = _cluster_end(text, stop - 1)
            if cluster_end > stop:
                stop -= 1
            else:
                cluster_end = 0
        if stop > at:
            plain_from = at
            if blank and text[at] == " ":
                plain_from += 1
            if stop > plain_from:
                pieces.append(text[plain_from:stop].lower())
                offsets.extend(range(plain_from, stop))
                blank = text[stop - 1] == " "
        if cluster_end:
            at = cluster_end
        elif found.isspace():
            if not blank:
                pieces.append(" ")
                offsets.append(stop)
                blank = True
            at = match.end()
            continue
        elif match.end() > stop + 1:
            if _inside_word(text, stop, match.end()):
                joins.append(len(offsets))
                at = match.end()
                continue
            at = stop + 1
        else:
            at = _cluster_end(text, stop)
        folded = _fold_cluster(text[stop:at])
        if blank and folded[:1] == " ":
            folded = folded[1:]
        if folded:
            pieces.append(folded)
            offsets.extend([stop] * len(folded))
            blank = folded[-1] == " "
    offsets.append(size)
    return Projection("".join(pieces), offsets, text, tuple(joins))


def fold_text(text: str) -> str:
    """``fold(text).text`` without the offset map, several times faster on ASCII."""
    plain = text if text.isascii() else text.translate(_COMMON)
    if not plain.isascii():
        return fold(text).text
    plain = _ASCII_JOIN.sub("", plain.lower())
    return _BLANKS.sub(" ", plain)


def _inside_word(text: str, start: int, end: int) -> bool:
    """Whether letters stand on both sides of the line-end hyphen ``text[start:end]``."""
    before = start - 1
    while before >= 0 and not text[before].isalpha():
        if text[before] not in _INVISIBLE and not _extends(text[before]):
            return False
        before -= 1
    return before >= 0 and end < len(text) and text[end].isalpha()


def _cluster_end(text: str, start: int) -> int:
    """The end of the character at ``start`` with its combining marks, which may follow invisible ones."""
    end = look = start + 1
    while look < len(text):
        char = text[look]
        if char < "\u0300" and char != "\u00ad":
            break
        if _extends(char):
            look += 1
            end = look
        elif char in _INVISIBLE:
            look += 1
        else:
            break
    return end


@lru_cache(maxsize=4096)
def _extends(char: str) -> bool:
    """Whether the character belongs to the one before it (a mark, or a jamo that composes backwards)."""
    first = unicodedata.normalize("NFKC", char)[0]
    return unicodedata.category(first)[0] == "M" or any(low <= first <= high for low, high in _JAMO)


@lru_cache(maxsize=16384)
def _fold_cluster(cluster: str) -> str:
    visible = "".join(char for char in cluster if char not in _INVISIBLE)
    folded = unicodedata.normalize("NFKC", visible).casefold()
    folded = unicodedata.normalize("NFKC", folded).translate(_ASCII)
    return _BLANKS.sub(" ", folded)

"""Sentences and passages as exact spans. Nothing is ever searched back (design/ingest.md 4).

``sentences`` is an own rule splitter, deterministic and about 5 million characters a second. Its invariants
are asserted by property tests: spans are sorted, disjoint, non-empty, begin and end with a non-blank
character, and cover every non-blank character.

``passages`` are runs of whole sentences of 600 to 1,000 characters, at most 1,600, inside one page, spine
item and section (D14).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from cmtui.ingest.abbreviations import ALWAYS, BEFORE_NUMBER, SOMETIMES, STARTERS
from cmtui.model.identity import sha256_text
from cmtui.model.ingest import Block
from cmtui.model.selectors import Span
from cmtui.model.source import LocatorTables, Passage, PassageRole

#: Code points: a passage grows below TARGET_MIN, not above TARGET_MAX, and never exceeds MAXIMUM.
TARGET_MIN = 600
TARGET_MAX = 1_000
MAXIMUM = 1_600
#: A last passage shorter than this joins the one before it where the maximum allows.
_TAIL = 200

# A possible end of a sentence: a paragraph break; stops with closing marks, reference numbers and a blank; or
# a full-width stop, which needs no blank after it. Possessive, so that hostile runs of dots stay linear.
_CANDIDATE = re.compile(
    r"\n[^\S\n]*\n\s*|[\f\u2029]\s*"
    r"|(?<![.!?…‽])[.!?…‽]++[\"'”’»)\]}*_]*+(?:\[\d[\d,;\s–-]*+\])*+(?P<note>\d{1,3}+)?+(?P<gap>\s++)"
    r"|[。！？｡]++[」』”’）》\"']*+\s*+"
)
_TOKEN = re.compile(r"[^\s\"“‘(\[{—–/]*$")
_NEXT = re.compile(r"[\"'“‘«(\[{*_¿¡]*(?P<word>\w[\w'’]*)?")
_OPENERS = frozenset("\"'“‘«([{*_¿¡")
_CLOSERS = "\"'”’»)]}*_"
_LOOK_BACK = 40
_LOOK_AHEAD = 40
_CLAUSE = re.compile(r"[;:,—–]\s+|\s+")

#: Adjacent blocks of these roles may share a passage.
_JOINED = frozenset({PassageRole.BODY, PassageRole.LIST, PassageRole.TABLE, PassageRole.REFERENCE})


def sentences(text: str, span: Span | None = None) -> list[Span]:
    """Sentence spans of ``text[span.start:span.end]`` (of all of ``text`` without a span), as offsets into
    ``text``. Characters outside the span are never looked at."""
    start, end = (0, len(text)) if span is None else (span.start, span.end)
    found: list[Span] = []
    at = start
    for match in _CANDIDATE.finditer(text, start, end):
        if match.end() >= end:
            break
        if _ends_sentence(text, match, at, end):
            _append(found, text, at, match.end())
            at = match.end()
    _append(found, text, at, end)
    return found


def _append(found: list[Span], text: str, start: int, end: int) -> None:
    """Add the span without the blanks at its ends, unless it is blank."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        found.append(Span(start, end))


def _ends_sentence(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    """Whether the sentence that began at ``begin`` ends with this candidate."""
    at, after = match.start(), match.end()
    first = text[at]
    following = text[after : after + 1]
    if first in "\n\f\u2029":
        # A blank line or page break inside a running sentence (a display formula, double-spaced text).
        previous = text[at - 1] if at > begin else ""
        return not ((previous.islower() or previous == ",") and following.islower())
    if first in "。！？｡":
        return True
    if following.islower():
        return False
    note = match.group("note")
    if note and not (at > begin and text[at - 1].isalpha() and text[at - 1].islower()):
        return False
    stops = text[at : match.start("gap")].rstrip(_CLOSERS)
    if first != "." or not stops.startswith(".") or len(stops) > 1:
        return True
    return _full_stop_ends(text, at, after, begin, end)


def _full_stop_ends(text: str, at: int, after: int, begin: int, end: int) -> bool:
    """Whether a single full stop at ``at`` ends a sentence rather than an abbreviation or a list number."""
    token_match = _TOKEN.search(text, max(begin, at - _LOOK_BACK), at)
    token = token_match.group() if token_match else ""
    if not token:
        return True
    if token.isdecimal() and at - len(token) <= begin + 1:
        return False  # "12. The ..." numbers an item
    ahead = _NEXT.match(text, after, min(end, after + _LOOK_AHEAD))
    word = (ahead.group("word") if ahead else None) or ""
    lowered = token.lower()
    if len(token) == 1 and token.isupper():
        return word in STARTERS  # an initial (J. Smith), or the end of a sentence (vitamin C. The dose)
    if lowered in ALWAYS:
        return False
    if lowered in BEFORE_NUMBER:
        return not (word[:1].isdigit() or _is_roman(word) or text[after] in "([")
    if lowered in SOMETIMES or _is_dotted(token):
        return word in STARTERS
    return True


def _is_dotted(token: str) -> bool:
    """U.S, Ph.D, a.m: letters with full stops between them."""
    parts = token.split(".")
    return len(parts) > 1 and all(part.isalpha() and len(part) <= 3 for part in parts)


def _is_roman(word: str) -> bool:
    return bool(word) and all(ch in "ivxlcdmIVXLCDM" for ch in word) and word not in {"I", "mid", "mild"}


# -- passages ----------------------------------------------------------------------------------------


def passages(text: str, blocks: Sequence[Block], tables: LocatorTables | None = None) -> tuple[Passage, ...]:
    """Cut blocks into passages.

    ``blocks`` are sorted and disjoint. A passage holds whole sentences of one block, or of neighbouring
    blocks of one role with only blanks between them; it never crosses an edge of ``tables.pages``,
    ``tables.chapters`` or ``tables.sections``. A sentence longer than 1,600 code points is cut at a clause,
    else at a blank, else at the limit.
    """
    edges = hard_edges(tables) if tables is not None else []
    made: list[Passage] = []
    for role, group in _groups(text, _cut_at(blocks, edges), edges):
        for start, end in _pack(_units(text, group)):
            made.append(Passage(len(made), start, end, sha256_text(text[start:end]), role))
    return tuple(made)


def hard_edges(tables: LocatorTables) -> list[int]:
    """Sorted offsets that no passage may cross."""
    edges: set[int] = set()
    for marks in (tables.pages, tables.chapters, tables.sections):
        for mark in marks:
            edges.add(mark.start)
            edges.add(mark.end)
    return sorted(edges)


def _cut_at(blocks: Iterable[Block], edges: Sequence[int]) -> Iterator[Block]:
    for block in blocks:
        start = block.start
        for at in edges[bisect_right(edges, block.start) : bisect_left(edges, block.end)]:
            yield Block(start, at, block.role)
            start = at
        yield Block(start, block.end, block.role)


def _groups(
    text: str, blocks: Iterable[Block], edges: Sequence[int]
) -> Iterator[tuple[PassageRole, list[Block]]]:
    """Neighbouring blocks that may share passages."""
    group: list[Block] = []
    for block in blocks:
        if group and not _may_join(text, group[-1], block, edges):
            yield group[0].role, group
            group = []
        group.append(block)
    if group:
        yield group[0].role, group


def _may_join(text: str, left: Block, right: Block, edges: Sequence[int]) -> bool:
    if left.role is not right.role or left.role not in _JOINED:
        return False
    if bisect_left(edges, left.end) != bisect_right(edges, right.start):
        return False
    between = text[left.end : right.start]
    return not between or between.isspace()


def _units(text: str, group: Iterable[Block]) -> Iterator[tuple[int, int, bool]]:
    """Sentences (or pieces of overlong ones) as start, end, and whether a block ends with it."""
    for block in group:
        start, end = block.start, block.end
        if end - start <= MAXIMUM and not text[start].isspace() and not text[end - 1].isspace():
            # One sentence: most blocks of lists, tables and verse, and of files made to cost time.
            candidate = _CANDIDATE.search(text, start, end)
            if candidate is None or candidate.end() >= end:
                yield start, end, True
                continue
        found = sentences(text, Span(start, end))
        for index, sentence in enumerate(found):
            last = index == len(found) - 1
            pieces = list(_split_long(text, sentence.start, sentence.end))
            for number, (start, end) in enumerate(pieces):
                yield start, end, last and number == len(pieces) - 1


def _split_long(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut what is longer than the maximum: after a clause mark, else at a blank, else at the limit."""
    while end - start > MAXIMUM:
        clause = blank = 0
        for match in _CLAUSE.finditer(text, start + TARGET_MIN, start + MAXIMUM):
            if match.group()[0].isspace():
                blank = match.end()
            else:
                clause = match.end()
        cut = clause or blank or start + MAXIMUM
        yield from _trim(text, start, cut)
        start = cut
    yield from _trim(text, start, end)


def _trim(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    trimmed: list[Span] = []
    _append(trimmed, text, start, end)
    for span in trimmed:
        yield span.start, span.end


def _pack(units: Iterable[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
    """Greedy runs of units: full at the target, closed early at a block's end, a short tail given back."""
    done: list[tuple[int, int]] = []
    start = end = -1
    closed = False
    for unit_start, unit_end, block_ends in units:
        if start >= 0 and (closed or not _fits(start, end, unit_end)):
            done.append((start, end))
            start = -1
        if start < 0:
            start = unit_start
        end = unit_end
        closed = block_ends and end - start >= TARGET_MIN
    if start >= 0:
        if done and end - start < _TAIL and end - done[-1][0] <= MAXIMUM:
            start = done.pop()[0]
        done.append((start, end))
    yield from done


def _fits(start: int, end: int, new_end: int) -> bool:
    if end - start >= TARGET_MIN:
        return new_end - start <= TARGET_MAX
    return new_end - start <= MAXIMUM

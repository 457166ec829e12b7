"""Running heads, page numbers and footnote blocks of a PDF: what a page holds besides its running text.

A PDF does not say what a line is, so only what repeats is set apart: a line at the edge of a page whose words
stand at the edge of at least three pages close by, with numbers that are the same or count with the pages;
a number that counts with the pages; and notes at the foot of a page whose markers are printed in the text
above them. Whatever is less certain stays in the running text (settlements.md 2.17).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from cmtui.model.source import FurnitureKind, FurnitureMark, PageMark

#: A line must stand on this many pages, each at most this far from the next: facing pages differ, and the
#: first page of a chapter has no running head.
_REPEATED = 3
_REACH = 4
#: Lines at either edge of a page that may be furniture. One more that repeats means that whole pages do.
_DEPTH = 3
_LENGTH = 160
#: A page needs this many lines, or its only words could be taken for its furniture.
_LINES = 4
#: Pages that must agree on how printed numbers count before a number alone is believed.
_CONFIRMED = 5

_LINE = re.compile(r"[^\n\f]+")
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"(?<![^\s–—-])[ivxlc]+(?![^\s–—.-])")
_BLANKS = re.compile(r"\s+")
_NOTE = re.compile(r"(?P<number>[1-9]\d{0,2})[^\S\n\f]*(?:[.)][^\S\n\f]+)?(?=[^\W\d_a-z]|[“\"‘'(\[]|https?:)")
_CALL_BEFORE = r"(?:[a-z]{2}|[a-z][.,;:!?”’\")\]]{1,2})"
_CALL_AFTER = r"(?![\d%°.])(?=[\s,;:)\]—–]|$)"
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
#: Notes may take this share of the lines of a page.
_NOTE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class _Edge:
    """A line near the edge of a page: its words with ``#`` for numbers, and the numbers themselves."""

    page: int
    start: int
    end: int
    key: str
    numbers: tuple[int, ...]


def pdf_furniture(
    text: str, pages: Sequence[PageMark], titles: dict[int, set[str]] | None = None
) -> tuple[FurnitureMark, ...]:
    """The furniture of all pages, sorted and disjoint.

    ``titles`` are headings that are known to stand on a page (0-based), in lower case: such a line is a
    heading there, though it repeats on the pages after it.
    """
    lines = [_lines_of(text, page.start, page.end) for page in pages]
    heads = [_edges(text, index, spans[: _DEPTH + 1]) for index, spans in enumerate(lines)]
    feet = [_edges(text, index, spans[: -_DEPTH - 2 : -1]) for index, spans in enumerate(lines)]
    full = [len(spans) >= _LINES for spans in lines]
    repeated = _repeated(
        edge for side in (heads, feet) for edges in side for edge in edges if full[edge.page]
    )
    outer = [edges[0] for side in (heads, feet) for edges in side if edges]
    repeated |= _numbered(text, outer, _page_offset(outer, repeated))
    marks: dict[int, FurnitureMark] = {}
    for index in range(len(pages)):
        for side in (heads[index], feet[index]):
            for mark in _peel(text, side, repeated, (titles or {}).get(index, set())):
                marks[mark.start] = mark
    notes = _notes(text, lines, marks)
    return tuple(sorted((*marks.values(), *notes), key=lambda mark: mark.start))


def _lines_of(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the lines that are not blank, trimmed."""
    found: list[tuple[int, int]] = []
    for match in _LINE.finditer(text, start, end):
        line = match.group()
        body = line.strip()
        if body:
            first = match.start() + len(line) - len(line.lstrip())
            found.append((first, first + len(body)))
    return found


# -- running heads and page numbers ------------------------------------------------------------------


def _edges(text: str, page: int, spans: Iterable[tuple[int, int]]) -> list[_Edge]:
    """Lines from the edge of a page inwards, up to the first that is too long for furniture."""
    edges: list[_Edge] = []
    for start, end in spans:
        if end - start > _LENGTH:
            break
        edges.append(_edge(page, start, end, text[start:end]))
    return edges


def _edge(page: int, start: int, end: int, line: str) -> _Edge:
    folded = _BLANKS.sub(" ", line).lower()
    numbers = [int(number) for number in _NUMBER.findall(folded) if len(number) < 8]
    key = _NUMBER.sub("#", folded)
    romans = [roman for roman in _ROMAN.findall(key) if len(roman) < 9]
    if romans and len(romans) == 1 and not numbers:
        value = _roman_value(romans[0])
        if value:
            numbers = [value]
            key = _ROMAN.sub("#", key)
    return _Edge(page, start, end, key, tuple(numbers))


def _roman_value(text: str) -> int:
    total = 0
    for here, following in zip(text, [*text[1:], ""], strict=True):
        value = _ROMAN_VALUES[here]
        total += -value if following and _ROMAN_VALUES[following] > value else value
    return total


def _repeated(edges: Iterable[_Edge]) -> set[tuple[int, int]]:
    """Page and start of every line that repeats close by with numbers that stay or count with the pages."""
    by_key: defaultdict[str, list[_Edge]] = defaultdict(list)
    for edge in edges:
        by_key[edge.key].append(edge)
    found: set[tuple[int, int]] = set()
    for key, group in by_key.items():
        if len(group) < _REPEATED:
            continue
        for series in _series(key, group):
            for run in _runs(series):
                if len({edge.page for edge in run}) >= _REPEATED:
                    found.update((edge.page, edge.start) for edge in run)
    return found


def _series(key: str, group: list[_Edge]) -> Iterable[list[_Edge]]:
    """Lines of one wording whose numbers belong together: all equal, or one of them a page number.

    A page number is a number that differs from the position in the file by the same amount on every page.
    """
    wordy = sum(ch.isalpha() for ch in key) >= 3
    equal: defaultdict[tuple[int, ...], list[_Edge]] = defaultdict(list)
    counting: defaultdict[tuple[int, int, int], list[_Edge]] = defaultdict(list)
    for edge in group:
        if wordy:
            equal[edge.numbers].append(edge)
        if wordy or len(edge.numbers) in {1, 2}:
            for place, number in enumerate(edge.numbers):
                rest = edge.numbers[:place] + edge.numbers[place + 1 :]
                if wordy or len(set(rest)) <= 1:
                    counting[(place, number - edge.page, hash(rest) if not wordy else 0)].append(edge)
    yield from equal.values()
    yield from counting.values()


def _runs(series: list[_Edge]) -> Iterable[list[_Edge]]:
    """Stretches of a series in which each page is close to the one before."""
    run: list[_Edge] = []
    for edge in sorted(series, key=lambda edge: edge.page):
        if run and edge.page - run[-1].page > _REACH:
            yield run
            run = []
        run.append(edge)
    if run:
        yield run


def _page_offset(outer: Sequence[_Edge], repeated: set[tuple[int, int]]) -> int | None:
    """Printed number less position in the file, where at least half of the pages agree on it."""
    counted = Counter(
        number - edge.page
        for edge in outer
        if (edge.page, edge.start) in repeated
        for number in set(edge.numbers)
    )
    pages = len({edge.page for edge in outer})
    for offset, count in counted.most_common(1):
        if count >= _CONFIRMED and 2 * count >= pages:
            return offset
    return None


def _numbered(text: str, outer: Sequence[_Edge], offset: int | None) -> set[tuple[int, int]]:
    """Outermost lines that show the number their page must have: alone, or with words in capitals or twice.

    Chapters of two or four pages repeat their running head too seldom for ``_repeated``.
    """
    if offset is None:
        return set()
    twice = Counter(edge.key for edge in outer)
    found: set[tuple[int, int]] = set()
    for edge in outer:
        number = str(edge.page + offset)
        line = text[edge.start : edge.end]
        rest = line.removeprefix(number) if line.startswith(number) else line.removesuffix(number)
        if rest == line or rest[:1].isdigit() or rest[-1:].isdigit():
            continue
        letters = [ch for ch in rest if ch.isalpha()]
        if not letters or twice[edge.key] > 1 or all(ch.isupper() for ch in letters):
            found.add((edge.page, edge.start))
    return found


def _peel(
    text: str, edges: Sequence[_Edge], repeated: set[tuple[int, int]], titles: set[str]
) -> list[FurnitureMark]:
    """Furniture from the edge of a page inwards, up to the first line that is none."""
    found: list[FurnitureMark] = []
    for edge in edges:
        if (edge.page, edge.start) not in repeated:
            return found
        if _bare(text[edge.start : edge.end]) in titles:
            return found
        kind = (
            FurnitureKind.RUNNING_HEAD
            if any(ch.isalpha() for ch in edge.key.replace("page", "").replace("of", ""))
            else FurnitureKind.PAGE_NUMBER
        )
        found.append(FurnitureMark(edge.start, edge.end, kind))
    # Deeper than any running head: the pages repeat, and nothing says what on them is furniture.
    return found if len(found) <= _DEPTH else []


def _bare(line: str) -> str:
    return _BLANKS.sub(" ", line).strip().casefold()


# -- footnotes ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Notes:
    """A candidate block of notes: its span and the numbers its lines begin with."""

    start: int
    end: int
    numbers: tuple[int, ...]


def _notes(
    text: str, lines: Sequence[Sequence[tuple[int, int]]], furniture: Collection[int]
) -> list[FurnitureMark]:
    """Blocks of notes that are certain: counted on over the document, or two and more on one page."""
    blocks: list[_Notes] = []
    for spans in lines:
        block = _note_block(text, [span for span in spans if span[0] not in furniture])
        if block is not None:
            blocks.append(block)
    follows = Counter(block.numbers[0] for block in blocks)
    certain = []
    for block in blocks:
        chained = any(
            other.numbers[-1] + 1 == block.numbers[0] or block.numbers[-1] + 1 == other.numbers[0]
            for other in blocks
        ) or (block.numbers[0] == 1 and follows[1] > 1)
        if len(block.numbers) > 1 or chained:
            certain.append(FurnitureMark(block.start, block.end, FurnitureKind.FOOTNOTE))
    return certain


def _note_block(text: str, spans: Sequence[tuple[int, int]]) -> _Notes | None:
    """The notes at the foot of a page: lines that begin with numbers counting on, each printed above.

    The block begins at the highest such line and ends with the last line of the page.
    """
    first_line = int(len(spans) * (1 - _NOTE_SHARE))
    starts: list[tuple[int, int]] = []
    for index in range(len(spans) - 1, max(first_line, 1) - 1, -1):
        match = _NOTE.match(text, spans[index][0], spans[index][1])
        if match is None:
            continue
        number = int(match.group("number"))
        if starts and number != starts[-1][1] - 1:
            continue
        starts.append((index, number))
    while starts:
        index = starts[-1][0]
        above = text[spans[0][0] : spans[index][0]]
        if _is_called(above, [number for _, number in starts]):
            return _Notes(spans[index][0], spans[-1][1], tuple(sorted(number for _, number in starts)))
        starts.pop()
    return None


def _is_called(above: str, numbers: Iterable[int]) -> bool:
    """Whether each number stands in the text directly after a word or its punctuation, in order."""
    at = 0
    for number in sorted(numbers):
        call = re.compile(_CALL_BEFORE + str(number) + _CALL_AFTER)
        match = call.search(above, at)
        if match is None:
            return False
        at = match.end()
    return True


def without(
    spans: Iterable[tuple[int, int]], furniture: Sequence[FurnitureMark]
) -> Iterable[tuple[int, int]]:
    """The spans that are not furniture; each lies inside of one mark or outside of all."""
    starts = [mark.start for mark in furniture]
    for start, end in spans:
        at = bisect_left(starts, start + 1) - 1
        if at < 0 or furniture[at].end <= start:
            yield start, end

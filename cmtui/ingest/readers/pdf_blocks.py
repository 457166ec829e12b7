"""Blocks of a PDF's text: paragraphs where blank lines show them, headings and the list of references apart.

Running heads and page numbers give no block, so they are in no passage; footnotes give blocks of their own.
A PDF says nothing of paragraphs or headings, so only what is sure is set apart: lines that are the title of
an outline entry pointing at their page, lines that are nothing but a usual heading word, and the last list of
references. A heading left inside a paragraph would read as the beginning of its first sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from cmtui.ingest.readers.pdf_furniture import pdf_furniture, without
from cmtui.ingest.readers.pdf_structure import OutlineEntry
from cmtui.ingest.readers.text import LONE_HEADINGS, stretches
from cmtui.ingest.structure import is_reference_title, tidy
from cmtui.model.ingest import Block
from cmtui.model.source import FurnitureKind, FurnitureMark, PageMark, PassageRole

_LINE = re.compile(r"[^\n\f]+")
_NUMBERING = re.compile(r"(?:\d+(?:\.\d+)*|[IVXLC]+|[A-Z])[.)]?\s+")
_AFTER_REFERENCES = re.compile(
    r"(?<![^\n\f])[^\S\n\f]*(?:[A-Z][.)]?[^\S\n\f]+)?(?:appendix|appendices|index)\b", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?…:;\"”’)\]]\s*$")
_HEADING_LENGTH = 200

#: A stretch and its role; None for what gives no block.
_Region = tuple[int, int, PassageRole | None]


def pdf_blocks(
    text: str, pages: Sequence[PageMark], entries: Sequence[OutlineEntry]
) -> tuple[tuple[Block, ...], tuple[FurnitureMark, ...]]:
    """Blocks of all pages, in order, none crossing a page; and what on the pages is no running text."""
    titles: dict[int, set[str]] = {}
    stated: dict[int, set[str]] = {}
    for entry in entries:
        titles.setdefault(entry.page, set()).add(_bare(entry.path[-1]))
        stated.setdefault(entry.page, set()).update((_bare(entry.path[-1]), tidy(entry.path[-1]).casefold()))
    furniture = pdf_furniture(text, pages, stated)
    return tuple(_blocks(text, pages, titles, furniture)), furniture


def _blocks(
    text: str,
    pages: Sequence[PageMark],
    titles: dict[int, set[str]],
    furniture: Sequence[FurnitureMark],
) -> Iterator[Block]:
    references = _reference_span(text, furniture)
    starts = [mark.start for mark in furniture]
    for page in pages:
        here = furniture[bisect_left(starts, page.start) : bisect_left(starts, page.end)]
        headings = list(_headings(text, page, titles.get(page.number - 1, set()), here))
        regions = _with_furniture(_regions(headings, references), here)
        for start, end in _running(text, stretches(text, page.start, page.end)):
            for left, right, role in _cut(start, end, regions):
                if role is None:
                    continue
                for first, last in _running(text, stretches(text, left, right)):
                    yield Block(first, last, role)


def _bare(title: str) -> str:
    """A title without its numbering, in one case, for comparison only."""
    return _NUMBERING.sub("", tidy(title), count=1).casefold()


def _headings(
    text: str, page: PageMark, titles: set[str], furniture: Sequence[FurnitureMark]
) -> Iterator[tuple[int, int]]:
    """Spans of lines of a page that are surely headings."""
    previous = ""
    for start, end in without(_lines(text, page.start, page.end), furniture):
        line = text[start:end]
        if len(line) <= _HEADING_LENGTH:
            bare = _bare(line)
            usual = bare in LONE_HEADINGS and not line.islower()
            starts = not previous or _SENTENCE_END.search(previous) is not None
            if bare and (bare in titles or (usual and starts)):
                yield start, end
                line = ""
        previous = line


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the lines that are not blank, trimmed; LF and page breaks end a line."""
    for match in _LINE.finditer(text, start, end):
        line = match.group()
        body = line.strip()
        if body:
            first = match.start() + len(line) - len(line.lstrip())
            yield first, first + len(body)


def _reference_span(text: str, furniture: Sequence[FurnitureMark] = ()) -> tuple[int, int, int] | None:
    """Start and end of the last reference heading in the second half, and the end of its list."""
    found: tuple[int, int] | None = None
    half = len(text) // 2
    half = max(text.rfind("\n", 0, half), text.rfind("\f", 0, half)) + 1
    for start, end in without(_lines(text, half, len(text)), furniture):
        if end - start <= 40 and is_reference_title(text[start:end]):
            found = (start, end)
    if found is None:
        return None
    after = _AFTER_REFERENCES.search(text, found[1])
    return found[0], found[1], after.start() if after else len(text)


def _regions(headings: Iterable[tuple[int, int]], references: tuple[int, int, int] | None) -> list[_Region]:
    """What is not plain prose, sorted and disjoint."""
    regions: list[_Region] = [(start, end, PassageRole.HEADING) for start, end in headings]
    if references is not None:
        start, middle, end = references
        regions = [r for r in regions if r[1] <= start or r[0] >= end]
        regions += [(start, middle, PassageRole.HEADING), (middle, end, PassageRole.REFERENCE)]
    return sorted(regions, key=lambda region: region[0])


def _with_furniture(regions: Sequence[_Region], furniture: Sequence[FurnitureMark]) -> list[_Region]:
    """The regions with furniture cut out of them, sorted and disjoint."""
    cut: list[_Region] = []
    for start, end, role in regions:
        at = start
        for mark in furniture:
            if mark.end <= at or mark.start >= end:
                continue
            if mark.start > at:
                cut.append((at, mark.start, role))
            at = mark.end
        if at < end:
            cut.append((at, end, role))
    footnote = FurnitureKind.FOOTNOTE
    cut += [
        (mark.start, mark.end, PassageRole.FOOTNOTE if mark.kind is footnote else None) for mark in furniture
    ]
    return sorted(cut, key=lambda region: region[0])


def _cut(start: int, end: int, regions: Iterable[_Region]) -> Iterator[_Region]:
    """``[start, end)`` cut at the regions; what lies between them is prose."""
    at = start
    for left, right, role in regions:
        if right <= at or left >= end:
            continue
        if left > at:
            yield at, left, PassageRole.BODY
        yield max(left, at), min(right, end), role
        at = min(right, end)
    if at < end:
        yield at, end, PassageRole.BODY


def _running(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join stretches where the sentence plainly runs on: double-spaced lines, or a formula in between."""
    held: tuple[int, int] | None = None
    for start, end in spans:
        if held is None:
            held = (start, end)
        elif text[start].islower() and (text[held[1] - 1].islower() or text[held[1] - 1] == ","):
            held = (held[0], end)
        else:
            yield held
            held = (start, end)
    if held is not None:
        yield held

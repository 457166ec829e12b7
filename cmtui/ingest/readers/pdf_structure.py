"""What a PDF states about itself: page labels, outline, metadata, language. Nothing is invented.

pypdf answers '1', '2', ... for files without /PageLabels, so the catalogue is asked first.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from cmtui.ingest.limits import ReadLimits
from cmtui.ingest.structure import WarningLog, tidy, tidy_title
from cmtui.model.source import MetadataCandidate, PageMark, SectionMark

if TYPE_CHECKING:
    from pypdf import PdfReader
    from pypdf.generic import Destination

_VALUE_LENGTH = 2000
_LABEL_LENGTH = 64
_PRISM = (
    "http://prismstandard.org/namespaces/basic/2.0/",
    "http://prismstandard.org/namespaces/basic/2.1/",
    "http://prismstandard.org/namespaces/basic/3.0/",
)
_PDFX = "http://ns.adobe.com/pdfx/1.3/"


def _guarded(log: WarningLog, code: str, message: str, work: Callable[[], None]) -> None:
    """Run ``work``; damage in a side structure is a warning, never the end of the document."""
    from pypdf.errors import PyPdfError

    try:
        work()
    except (
        PyPdfError,
        RecursionError,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
        ArithmeticError,
        AssertionError,
        NotImplementedError,
        struct.error,
        zlib.error,
    ):
        log.add(code, message)


def page_labels(reader: PdfReader, total: int, log: WarningLog) -> list[str | None]:
    """One label per page as the file states it; None for all without /PageLabels in the catalogue."""
    labels: list[str | None] = [None] * total

    def work() -> None:
        if "/PageLabels" not in reader.root_object:
            return
        for index, label in enumerate(reader.page_labels[:total]):
            shown = tidy(label)
            labels[index] = shown[:_LABEL_LENGTH] or None

    _guarded(log, "page-labels", "The page labels are damaged and were left out.", work)
    return labels


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """An outline entry: its heading path and the 0-based page it points at."""

    path: tuple[str, ...]
    page: int


def outline_entries(reader: PdfReader, total: int, limits: ReadLimits, log: WarningLog) -> list[OutlineEntry]:
    """Outline entries in outline order whose target is a page of this file."""
    entries: list[OutlineEntry] = []

    def work() -> None:
        for path, destination in _walk(reader.outline, (), limits.outline_depth):
            page = reader.get_destination_page_number(destination)
            if page is not None and 0 <= page < total and path[-1]:
                entries.append(OutlineEntry(path, page))
            if len(entries) >= limits.outline_entries:
                return

    _guarded(log, "outline", "The outline is damaged; section names may be missing.", work)
    return entries


def _walk(
    nodes: Sequence[Any], path: tuple[str, ...], depth: int
) -> Iterator[tuple[tuple[str, ...], Destination]]:
    """Titles and destinations of pypdf's nested lists: a list after an entry holds its children."""
    if depth <= 0:
        return
    own = path
    for node in nodes:
        if isinstance(node, list):
            yield from _walk(node, own, depth - 1)
        else:
            own = (*path, tidy_title(str(node.title or "")))
            yield own, node


def outline_sections(entries: list[OutlineEntry], pages: tuple[PageMark, ...]) -> tuple[SectionMark, ...]:
    """Section marks as page ranges: an outline gives pages, not places on them (settlements.md 2.18).

    Every entry has a mark at the start of its page. Where several entries share a page, the text of that
    page stands under what their paths have in common (or under the deepest, when each is inside the one
    before it), because it is not known where on the page one ends. Marks are disjoint; those that cover no
    text are empty.
    """
    ordered = sorted(entries, key=lambda entry: entry.page)
    marks: list[SectionMark] = []

    def mark(start: int, end: int, path: tuple[str, ...]) -> None:
        marks.append(SectionMark(start, end, path, len(marks) + 1))

    at = 0
    while at < len(ordered):
        page = ordered[at].page
        stop = at
        while stop < len(ordered) and ordered[stop].page == page:
            stop += 1
        here = ordered[at:stop]
        last = here[-1]
        next_start = pages[ordered[stop].page].start if stop < len(ordered) else pages[-1].end
        first_start = pages[page].start
        nested = all(b.path[: len(a.path)] == a.path for a, b in pairwise(here))
        for entry in here[:-1]:
            mark(first_start, first_start, entry.path)
        if nested:
            mark(first_start, max(first_start, next_start), last.path)
        else:
            mark(first_start, first_start, last.path)
            common = _common([entry.path for entry in here])
            page_end = min(pages[page].end, next_start)
            if common and page_end > first_start:
                mark(first_start, page_end, common)
            rest = pages[page + 1].start if page + 1 < len(pages) else next_start
            if next_start > rest:
                mark(rest, next_start, last.path)
        at = stop
    return tuple(marks)


def _common(paths: list[tuple[str, ...]]) -> tuple[str, ...]:
    shared: list[str] = []
    for level in zip(*paths, strict=False):
        if len(set(level)) != 1:
            break
        shared.append(level[0])
    return tuple(shared)


def stated_language(reader: PdfReader) -> str | None:
    """/Lang of the catalogue."""
    try:
        value = reader.root_object.get("/Lang")
    except Exception:  # noqa: BLE001 - a damaged catalogue states no language
        return None
    return tidy(str(value))[:35] or None if value is not None else None


def metadata_candidates(reader: PdfReader, log: WarningLog) -> tuple[MetadataCandidate, ...]:
    """What DocInfo and XMP say, each with its origin; they often disagree, and a person decides."""
    found: list[MetadataCandidate] = []

    def add(field: str, value: object, origin: str) -> None:
        shown = tidy(str(value))[:_VALUE_LENGTH] if value is not None else ""
        candidate = MetadataCandidate(field, shown, origin)
        if shown and candidate not in found:
            found.append(candidate)

    def info() -> None:
        data = reader.metadata
        if data is None:
            return
        add("title", data.title, "DocInfo")
        add("author", data.author, "DocInfo")
        add("subject", data.subject, "DocInfo")
        add("keywords", data.keywords, "DocInfo")
        for key in ("/doi", "/DOI", "/WPS-ARTICLEDOI"):
            if key in data:
                add("doi", data[key], "DocInfo")

    def xmp() -> None:
        data = reader.xmp_metadata
        if data is None:
            return
        for field, values in (
            ("title", data.dc_title),
            ("author", data.dc_creator),
            ("publisher", data.dc_publisher),
            ("identifier", data.dc_identifier),
            ("language", data.dc_language),
        ):
            for value in _values(values):
                add(field, value, "XMP")
        for namespace, name in ((_PDFX, "doi"), *((space, "doi") for space in _PRISM)):
            for element in data.get_element("", namespace, name):
                add("doi", getattr(element, "nodeValue", None) or _inner(element), "XMP")

    _guarded(log, "metadata", "The document information is damaged and was left out.", info)
    _guarded(log, "metadata", "The XMP metadata is damaged and was left out.", xmp)
    return tuple(found)


def _values(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, list):
        return list(value)
    return [] if value is None else [value]


def _inner(element: object) -> str:
    children = getattr(element, "childNodes", ())
    return "".join(str(getattr(child, "data", "")) for child in children)

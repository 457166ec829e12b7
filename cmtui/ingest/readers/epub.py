"""EPUB 2 and 3: chapters in spine order, joined by form feeds, with chapter, section and print-page marks.

The navigation document is not content even when the spine lists it (design/ingest.md 2). Positions in the
spine count content parts from 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from cmtui.errors import Cancelled, Malformed, MissingContent, NoText, ResourceLimit
from cmtui.ingest.canonical import Canonicalizer
from cmtui.ingest.kinds import detect_kind
from cmtui.ingest.limits import LIMITS, ReadLimits
from cmtui.ingest.readers.epub_container import (
    XHTML_TYPES,
    Archive,
    Package,
    SpineItem,
    open_package,
    refuse_drm,
)
from cmtui.ingest.readers.epub_navigation import Navigation, epub_candidates, read_navigation
from cmtui.ingest.readers.xhtml import ChapterText, read_chapter
from cmtui.ingest.structure import SectionBuilder, WarningLog, called
from cmtui.model.identity import Extractor, SourceKind
from cmtui.model.ingest import Block, ReadDocument
from cmtui.model.progress import (
    CancelledCallback,
    Progress,
    ProgressCallback,
    never_cancelled,
    no_progress,
)
from cmtui.model.source import (
    ChapterMark,
    LocatorTables,
    ParagraphMark,
    PassageRole,
    PrintPageMark,
    SectionMark,
)

EXTRACTOR = Extractor("cmtui-epub", "1")
EXTRACTION_STEP = "epub-text"


@dataclass(frozen=True, slots=True)
class _Chapter:
    """One content part of the spine, with the offset of its text in the document."""

    entry: SpineItem
    path: str
    content: ChapterText
    start: int
    number: int

    @property
    def end(self) -> int:
        return self.start + len(self.content.text)


class EpubReader:
    """Reads EPUB."""

    def read(
        self,
        content: bytes,
        *,
        encoding: str | None = None,  # noqa: ARG002 - the port states it for all kinds
        password: str | None = None,  # noqa: ARG002
        name: str = "",
        limits: ReadLimits = LIMITS,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> ReadDocument:
        """Raises NotThisFormat, Malformed, MissingContent, DrmProtected, ResourceLimit, NoText, Cancelled."""
        detect_kind(name, content, SourceKind.EPUB)
        file = called(name)
        log = WarningLog()
        canon = Canonicalizer(EXTRACTION_STEP)
        archive = Archive(content, file, limits)
        package = open_package(archive, log)
        refuse_drm(archive, package)
        entries = _content_entries(package, file, log)
        chapters: list[_Chapter] = []
        start = 0
        for index, (entry, path) in enumerate(entries):
            if cancelled():
                raise Cancelled(f"Reading {file} was cancelled.")
            progress(Progress("read", name, index, len(entries)))
            text = read_chapter(archive.read(path), path, file, canon, log)
            chapters.append(_Chapter(entry, path, text, start, index + 1))
            start = chapters[-1].end + 1
            if start > limits.characters:
                raise ResourceLimit(
                    f"{file} has more than {limits.characters:,} characters.", "Split the book."
                )
        progress(Progress("read", name, len(entries), len(entries)))
        if not any(chapter.content.text.strip() for chapter in chapters):
            raise NoText(f"{file} holds no text, only images or empty pages.", "It cannot be quoted from.")
        navigation = read_navigation(archive, package, log)
        canon.extracted = len(chapters)
        candidates, language = epub_candidates(package)
        return ReadDocument(
            text=canon.join(chapter.content.text for chapter in chapters),
            profile=canon.profile(EXTRACTOR),
            blocks=tuple(_blocks(chapters)),
            tables=LocatorTables(
                print_pages=_print_pages(chapters, navigation, log),
                chapters=tuple(_chapter_mark(chapter, navigation) for chapter in chapters),
                sections=_sections(chapters, navigation),
                paragraphs=tuple(_paragraphs(chapters)),
            ),
            language=language,
            candidates=candidates,
            warnings=log.warnings(),
        )


def _content_entries(package: Package, file: str, log: WarningLog) -> list[tuple[SpineItem, str]]:
    """The spine without the navigation document and without parts that are no text."""
    entries: list[tuple[SpineItem, str]] = []
    for entry in package.spine:
        item = entry.item
        if package.nav is not None and item.id == package.nav.id:
            continue
        if item.media_type not in XHTML_TYPES:
            log.add("no-text-parts", "Parts of the reading order are images or other media and give no text.")
            continue
        if item.path is None:
            if "://" in item.href:
                raise MissingContent(
                    f"{file} keeps a text part on the network ({item.href[:80]}).", "Use a complete copy."
                )
            raise Malformed(
                f"{file} names a text part outside of itself ({item.href[:80]}).", "Fetch the file again."
            )
        entries.append((entry, item.path))
    if not entries:
        raise NoText(f"{file} has no text part in its reading order.", "It cannot be quoted from.")
    return entries


def _blocks(chapters: list[_Chapter]) -> list[Block]:
    return [
        Block(chapter.start + block.start, chapter.start + block.end, block.role)
        for chapter in chapters
        for block in chapter.content.blocks
    ]


def _chapter_mark(chapter: _Chapter, navigation: Navigation) -> ChapterMark:
    title = _stated_title(chapter, navigation)
    if title is None and chapter.content.headings:
        title = chapter.content.headings[0].title
    return ChapterMark(
        chapter.start,
        chapter.end,
        spine=chapter.number,
        href=chapter.path,
        title=title or None,
        linear=chapter.entry.linear,
    )


def _stated_title(chapter: _Chapter, navigation: Navigation) -> str | None:
    """The contents' title of a whole part: of an entry that points at its beginning, or its only one.

    Several entries that all point into the part name its sections, not the part.
    """
    entries = navigation.titles.get(chapter.path, [])
    first = chapter.content.blocks[0].end if chapter.content.blocks else 0
    for fragment, title in entries:
        if not fragment or (len(entries) > 1 and chapter.content.ids.get(fragment, first) < first):
            return title
    return entries[0][1] if len(entries) == 1 else None


def _sections(chapters: list[_Chapter], navigation: Navigation) -> tuple[SectionMark, ...]:
    """Headings; in a part without any, the table of contents' entries that point into it."""
    builder = SectionBuilder()
    for chapter in chapters:
        for heading in chapter.content.headings:
            builder.heading(heading.level, heading.title, chapter.start + heading.start)
        if not chapter.content.headings:
            entries = navigation.titles.get(chapter.path, [])
            places = {
                chapter.content.ids[mark]: title for mark, title in entries if mark in chapter.content.ids
            }
            for offset, title in sorted(places.items()):
                builder.heading(1, title, chapter.start + offset)
        builder.close(chapter.end)
    return builder.marks()


def _paragraphs(chapters: list[_Chapter]) -> list[ParagraphMark]:
    marks: list[ParagraphMark] = []
    for chapter in chapters:
        prose = [block for block in chapter.content.blocks if block.role is PassageRole.BODY]
        marks.extend(
            ParagraphMark(chapter.start + block.start, chapter.start + block.end, number)
            for number, block in enumerate(prose, start=1)
        )
    return marks


def _print_pages(
    chapters: list[_Chapter], navigation: Navigation, log: WarningLog
) -> tuple[PrintPageMark, ...]:
    """Page breaks in the text, and the page list's targets where no break stands; the list's labels win."""
    found: dict[int, str] = {}
    for chapter in chapters:
        for offset, label in chapter.content.page_breaks:
            found[chapter.start + offset] = label
    by_path = {chapter.path: chapter for chapter in reversed(chapters)}
    for path, fragment, label in navigation.pages:
        target = by_path.get(path)
        if target is None:
            log.add("page-list", "The page list names places that the book does not have.")
            continue
        place = target.content.ids.get(fragment) if fragment else 0
        if place is None:
            log.add("page-list", "The page list names places that the book does not have.")
            continue
        found[target.start + place] = label
    return tuple(PrintPageMark(offset, label) for offset, label in sorted(found.items()))

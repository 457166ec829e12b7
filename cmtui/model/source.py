"""Sources, canonical documents and the tables that turn an offset into a page, chapter, section or line.

Locators are for rendering and never enter an identity (R17). Unknown locators are None: nothing is borrowed
from another document or invented.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Protocol, TypeVar
from urllib.parse import unquote

from cmtui.model.identity import (
    CanonicalContent,
    CanonicalizationProfile,
    SourceArtifact,
    SourceKind,
    SourceVersion,
)
from cmtui.model.selectors import Span


class PageBasis(StrEnum):
    """What a cited page number rests on. Only the first three may be printed in a citation."""

    LABEL = "label"  # stated by the PDF's /PageLabels
    PRINT = "print"  # stated by an EPUB page list
    OFFSET = "offset"  # physical page plus the offset the user set for the source
    PHYSICAL = "physical"  # position in the file, counted from 1
    FORMFEED = "formfeed"  # counted by form feeds in a text file


#: The bases that a formatted citation may print.
PRINTABLE_BASES = frozenset({PageBasis.LABEL, PageBasis.PRINT, PageBasis.OFFSET})


@dataclass(frozen=True, slots=True)
class CitedPage:
    """The page a citation would name, with what it rests on."""

    value: str
    basis: PageBasis


@dataclass(frozen=True, slots=True)
class Locators:
    """Where a span stands, each kind in a field of its own; None (or an empty tuple) where unknown.

    ``page`` is physical and 1-based; ``page_label`` is what a PDF states; ``print_page`` is what an EPUB
    page list states; ``paragraph``, ``line_start`` and ``line_end`` are 1-based. ``section_ordinal``
    counts the section marks of the document from 1 and keeps sections of the same title apart.
    """

    page: int | None = None
    page_label: str | None = None
    print_page: str | None = None
    cited_page: CitedPage | None = None
    chapter: str | None = None
    section: tuple[str, ...] = ()
    paragraph: int | None = None
    line_start: int | None = None
    line_end: int | None = None
    section_ordinal: int | None = None


@dataclass(frozen=True, slots=True)
class PageMark:
    """One physical page: its span, 1-based number, and the label the file states (else None)."""

    start: int
    end: int
    number: int
    label: str | None = None


@dataclass(frozen=True, slots=True)
class PrintPageMark:
    """From this offset on the text stands on this printed page (EPUB page list)."""

    offset: int
    label: str


@dataclass(frozen=True, slots=True)
class ChapterMark:
    """One spine item of an EPUB: its span, position in the spine (1-based), href and title if stated."""

    start: int
    end: int
    spine: int
    href: str
    title: str | None = None
    linear: bool = True


@dataclass(frozen=True, slots=True)
class SectionMark:
    """From ``start`` to ``end`` the text stands under this heading path.

    ``ordinal`` counts the section marks of the document from 1, so that repeated titles stay apart.
    """

    start: int
    end: int
    path: tuple[str, ...]
    ordinal: int


@dataclass(frozen=True, slots=True)
class ParagraphMark:
    """A paragraph: its span and its 1-based number inside its chapter, section or document."""

    start: int
    end: int
    number: int


class FurnitureKind(StrEnum):
    """What a page holds besides its running text."""

    RUNNING_HEAD = "running_head"  # a line repeated at the edge of pages, with or without a page number
    PAGE_NUMBER = "page_number"
    FOOTNOTE = "footnote"  # a block of notes at the foot of a page; also a passage of that role


@dataclass(frozen=True, slots=True)
class FurnitureMark:
    """A stretch that stands between two parts of the running text and is none of it.

    Running heads and page numbers are in no passage, so they are never evidence; footnotes are passages of
    their own. A quote that runs over a page skips all three and shows them as its gap (settlements.md 2.17).
    """

    start: int
    end: int
    kind: FurnitureKind


@dataclass(frozen=True, slots=True)
class LocatorTables:
    """Everything that turns an offset into a locator. Each table is sorted by start; empty where unknown."""

    pages: tuple[PageMark, ...] = ()
    page_basis: PageBasis | None = None
    print_pages: tuple[PrintPageMark, ...] = ()
    chapters: tuple[ChapterMark, ...] = ()
    sections: tuple[SectionMark, ...] = ()
    paragraphs: tuple[ParagraphMark, ...] = ()
    furniture: tuple[FurnitureMark, ...] = ()


class PassageRole(StrEnum):
    """What a passage is. Only prose can carry evidence by inference; every role is searchable."""

    BODY = "body"
    HEADING = "heading"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    REFERENCE = "reference"
    FOOTNOTE = "footnote"


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of whole sentences inside one page, spine item and section (D14).

    ``index`` counts from 0 in document order; ``text_sha256`` is the digest of its exact text.
    """

    index: int
    start: int
    end: int
    text_sha256: str
    role: PassageRole = PassageRole.BODY

    @property
    def span(self) -> Span:
        """The passage's span in the canonical content."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class MetadataCandidate:
    """A metadata value found in the file, with where it was found. Shown, never written unasked (R102)."""

    field: str
    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class IngestWarning:
    """Something a person should know about the text, with the physical pages it concerns."""

    code: str
    message: str
    pages: tuple[int, ...] = ()


@dataclass(frozen=True)
class CanonicalDocument:
    """Immutable canonical text of one source version under one profile, with its passages and locators.

    This is exactly what a snapshot holds. ``document_id`` is recomputed from the content, never stored.
    """

    version: SourceVersion
    profile: CanonicalizationProfile
    text: str
    text_sha256: str
    passages: tuple[Passage, ...]
    tables: LocatorTables
    language: str | None = None
    candidates: tuple[MetadataCandidate, ...] = ()
    warnings: tuple[IngestWarning, ...] = ()

    @cached_property
    def content(self) -> CanonicalContent:
        """Layer 3 of the identity, made on first use."""
        return CanonicalContent(self.version.version_id, self.profile, self.text_sha256, len(self.text))

    @cached_property
    def document_id(self) -> str:
        """The content id, computed from the fields on first use."""
        return self.content.content_id

    @property
    def kind(self) -> SourceKind:
        """The kind of the source."""
        return self.version.kind

    def slice(self, span: Span) -> str:
        """The exact text of ``span``."""
        return self.text[span.start : span.end]

    def passage_text(self, passage: Passage) -> str:
        """The exact text of a passage of this document."""
        return self.text[passage.start : passage.end]

    def passage_id(self, passage: Passage) -> str:
        """The persisted segment identity of a passage (R73)."""
        return passage_id(self.document_id, passage.index)

    def passage_at(self, offset: int) -> Passage | None:
        """The passage that covers ``offset``, if any."""
        at = bisect_right(self._passage_starts, offset) - 1
        if at >= 0 and offset < self.passages[at].end:
            return self.passages[at]
        return None

    @cached_property
    def _passage_starts(self) -> tuple[int, ...]:
        return tuple([passage.start for passage in self.passages])

    def locate(self, span: Span, *, page_offset: int | None = None) -> Locators:
        """The locators of ``span``'s start (lines: of both ends).

        ``page_offset`` is what the user set for the source: printed page = physical page + offset.
        """
        tables = self.tables
        page = _covering(tables.pages, span.start)
        at = bisect_right(tables.print_pages, span.start, key=lambda mark: mark.offset) - 1
        print_page = tables.print_pages[at] if at >= 0 else None
        chapter = _covering(tables.chapters, span.start)
        section = _covering(tables.sections, span.start)
        paragraph = _covering(tables.paragraphs, span.start)
        starts = self.line_starts
        return Locators(
            page=page.number if page else None,
            page_label=page.label if page else None,
            print_page=print_page.label if print_page else None,
            cited_page=_cited_page(page, print_page, tables.page_basis, page_offset),
            chapter=chapter.title if chapter else None,
            section=section.path if section else (),
            section_ordinal=section.ordinal if section else None,
            paragraph=paragraph.number if paragraph else None,
            line_start=bisect_right(starts, span.start),
            line_end=bisect_right(starts, max(span.start, span.end - 1)),
        )

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offsets at which lines start: only LF ends a line, as editors count after normalisation."""
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return tuple(starts)


class _Ranged(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


_R = TypeVar("_R", bound=_Ranged)


def _covering(marks: tuple[_R, ...], offset: int) -> _R | None:
    """The mark whose range covers ``offset``; ranges are sorted and do not overlap."""
    at = bisect_right(marks, offset, key=lambda mark: mark.start) - 1
    if at >= 0 and offset < marks[at].end:
        return marks[at]
    return None


def _cited_page(
    page: PageMark | None,
    print_page: PrintPageMark | None,
    basis: PageBasis | None,
    page_offset: int | None,
) -> CitedPage | None:
    """The page a citation would name: what the user set wins, then what the file states, then position."""
    if page is not None and page_offset is not None:
        return CitedPage(str(page.number + page_offset), PageBasis.OFFSET)
    if page is not None and page.label:
        return CitedPage(page.label, PageBasis.LABEL)
    if print_page is not None:
        return CitedPage(print_page.label, PageBasis.PRINT)
    if page is not None and basis is not None:
        return CitedPage(str(page.number), basis)
    return None


def passage_id(document_id: str, index: int) -> str:
    """The persisted segment identity: the document and the passage's place in it."""
    return f"{document_id}#{index}"


def split_passage_id(value: str) -> tuple[str, int]:
    """The document id and index of a passage id. Raises ValueError on anything else."""
    document_id, separator, index = value.rpartition("#")
    if not separator or not index.isdecimal():
        raise ValueError(f"not a passage id: {value!r}")
    return document_id, int(index)


def source_name(reference: str) -> str:
    """The last part of a reference, percent-decoded."""
    name = reference.rstrip("/").rsplit("/", 1)[-1]
    return unquote(name) if "%" in name else name


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """What the store knows of a source: its reference, other names, versions and user settings.

    ``versions`` and ``documents`` are in order of arrival; the last document is the current one.
    ``ingested_at`` (UTC, ISO 8601) is for display and enters no identity. ``moved_to`` is where the file is
    now when it is no longer at its reference; it is one of the aliases.
    """

    artifact: SourceArtifact
    aliases: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    page_offset: int | None = None
    tags: tuple[str, ...] = ()
    ingested_at: str | None = None
    moved_to: str | None = None

    @property
    def source_id(self) -> str:
        """The artifact id (layer 1)."""
        return self.artifact.artifact_id

    @property
    def name(self) -> str:
        """The last part of the reference, as people know the file. It is a name, never metadata."""
        return source_name(self.artifact.reference)


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """One row of the catalogue. ``current`` is False for versions that a newer one has replaced."""

    document_id: str
    source_id: str
    source_version: str
    kind: SourceKind
    name: str
    reference: str
    bytes_sha256: str
    size: int
    profile: str
    characters: int
    pages: int
    passages: int
    language: str | None = None
    warnings: tuple[IngestWarning, ...] = ()
    ingested_at: str | None = None
    current: bool = True

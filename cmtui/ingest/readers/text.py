"""Plain text: paragraphs by blank lines, pages by form feeds, and a careful guess at headings.

The canonical text is the file's own text; only line ends and control characters change (``cmtui-text`` 1).
Only LF ends a line: U+2028, U+0085 and vertical tabs do not, as editors and ``less`` count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cmtui.errors import NoText
from cmtui.ingest.canonical import SEPARATOR, Canonicalizer
from cmtui.ingest.limits import LIMITS, ReadLimits
from cmtui.ingest.readers.decoding import decode_text
from cmtui.ingest.structure import SectionBuilder, called, is_reference_title
from cmtui.ingest.words import words
from cmtui.model.identity import Extractor
from cmtui.model.ingest import Block, ReadDocument
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.source import LocatorTables, PageBasis, PageMark, ParagraphMark, PassageRole

EXTRACTOR = Extractor("cmtui-text", "1")

_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n\f]*\n[^\S\f]*")
_DIVISION = re.compile(
    r"(?P<high>part|book|volume|act)\b|(?P<low>chapter|section|appendix|scene|canto|lecture|letter)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\s+(?:\d+|[ivxlcdm]+|[a-z]|the\s+\w+|one|two|three|four|five|six|seven|eight|nine|ten)\b", re.I
)
#: Lines that, alone, are headings.
LONE_HEADINGS = words(
    """
    abstract introduction background method methods results discussion conclusion conclusions summary
    preface prologue epilogue foreword afterword contents acknowledgements acknowledgments appendix
    """
)
_ROMAN = re.compile(r"[IVXLC]+\.?")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.?[^\S\n]+[A-Z][^\n]*[^\s.,;:!?]")
_GUTENBERG = re.compile(r"\*{3}\s*(?P<side>START|END)\b.*\*{3}", re.DOTALL)
_SMALL_WORDS = words(
    "a an and as at but by for from in into is its nor of on or over s the to upon vs with without"
)
_HEADING_LENGTH = 80
#: More form feeds than this are noise and no pages.
_FORM_FEEDS = 20_000


class TextReader:
    """Reads plain text."""

    def read(
        self,
        content: bytes,
        *,
        encoding: str | None = None,
        password: str | None = None,  # noqa: ARG002 - text has no password; the port states it for all kinds
        name: str = "",
        limits: ReadLimits = LIMITS,
        progress: ProgressCallback = no_progress,  # noqa: ARG002 - read at once
        cancelled: CancelledCallback = never_cancelled,  # noqa: ARG002
    ) -> ReadDocument:
        """Raises EmptyFile, EncodingUnknown, NotText, NoText, ResourceLimit."""
        decoded = decode_text(content, encoding=encoding, name=name, limits=limits)
        canon = Canonicalizer(f"decode:{decoded.codec}", keep_form_feeds=True)
        canon.extracted = int(decoded.bom)
        text = canon.clean(decoded.text)
        if not text.strip():
            raise NoText(f"{called(name)} holds no text, only blanks.", "Check that this is the right file.")
        pages = form_feed_pages(text)
        blocks, sections, paragraphs = _structure(text)
        return ReadDocument(
            text=text,
            profile=canon.profile(EXTRACTOR),
            blocks=tuple(blocks),
            tables=LocatorTables(
                pages=pages,
                page_basis=PageBasis.FORMFEED if pages else None,
                sections=sections.marks(),
                paragraphs=tuple(paragraphs),
            ),
        )


def form_feed_pages(text: str) -> tuple[PageMark, ...]:
    """Pages between form feeds, counted from 1; none when there is no form feed.

    A blank stretch after the last form feed is no page: printers' files end each page with one.
    """
    count = text.count(SEPARATOR)
    if not 0 < count <= _FORM_FEEDS:
        return ()
    pages: list[PageMark] = []
    start = 0
    for number, part in enumerate(text.split(SEPARATOR), start=1):
        pages.append(PageMark(start, start + len(part), number))
        start += len(part) + 1
    last = pages[-1]
    if not text[last.start : last.end].strip():
        pages.pop()
    return tuple(pages)


def stretches(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans between blank lines in ``text[start:end]``, trimmed, never empty."""
    at = start
    for match in _PARAGRAPH_BREAK.finditer(text, start, end):
        yield from _trimmed(text, at, match.start())
        at = match.end()
    yield from _trimmed(text, at, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    body = piece.strip()
    if body:
        lead = len(piece) - len(piece.lstrip())
        yield start + lead, start + lead + len(body)


def _structure(text: str) -> tuple[list[Block], SectionBuilder, list[ParagraphMark]]:
    spans: list[tuple[int, int]] = []
    at = 0
    for part in text.split(SEPARATOR):
        spans.extend(stretches(text, at, at + len(part)))
        at += len(part) + 1
    blocks: list[Block] = []
    sections = SectionBuilder()
    paragraphs: list[ParagraphMark] = []
    references = False
    for index, (start, end) in enumerate(spans):
        following = spans[index + 1] if index + 1 < len(spans) else None
        body = text[start:end]
        level = heading_level(body, text[slice(*following)] if following else "")
        if level is not None:
            blocks.append(Block(start, end, PassageRole.HEADING))
            if _GUTENBERG.fullmatch(body) and "START" in body[:12]:
                sections.close(start)
            else:
                sections.heading(level, body, start)
            references = is_reference_title(body)
            continue
        role = PassageRole.REFERENCE if references else PassageRole.BODY
        blocks.append(Block(start, end, role))
        paragraphs.append(ParagraphMark(start, end, len(paragraphs) + 1))
    sections.close(len(text))
    return blocks, sections, paragraphs


def heading_level(body: str, following: str) -> int | None:
    """The level of a stretch that is surely a heading, else None.

    1 is a part, 2 a chapter, 3 a title, and below it the depth of a number. ``following`` is the stretch
    after it: a capitalised line counts only when prose follows it, or every name in a list would be one.
    """
    if _GUTENBERG.fullmatch(body):
        return 1
    if "\n" in body or len(body) > _HEADING_LENGTH or not any(ch.isalpha() for ch in body):
        return None
    division = _DIVISION.match(body)
    if division and _NUMBER.match(body, division.end()) and not body.endswith((",", ";")):
        if body.endswith(".") and len(body.split()) > 4:
            return None
        return 1 if division.group("high") else 2
    if not following:
        return None
    if _ROMAN.fullmatch(body):
        return 4
    numbered = _NUMBERED.fullmatch(body)
    if numbered and not _NUMBERED.match(following) and len(following) > len(body):
        return 3 + numbered.group(1).count(".")
    bare = body.rstrip(":").strip()
    if bare.lower() in LONE_HEADINGS or is_reference_title(bare):
        return 3
    if body[-1] in ".,;!?\"'”’…" or not body[0].isalnum():
        return None
    letters = [ch for ch in body if ch.isalpha()]
    if len(letters) >= 4 and all(ch.isupper() for ch in letters):
        return 3
    if len(following) < 2 * _HEADING_LENGTH:
        return None
    return 3 if _is_title_case(body) else None


def _is_title_case(line: str) -> bool:
    stripped = [word.strip("()[]“”\"'‘’:–-") for word in line.split()]
    found = [word for word in stripped if word]
    if not 2 <= len(found) <= 10:
        return False
    return all(
        word[0].isupper() or word[0].isdigit() or (index > 0 and word in _SMALL_WORDS)
        for index, word in enumerate(found)
    ) and any(word[0].isupper() for word in found)

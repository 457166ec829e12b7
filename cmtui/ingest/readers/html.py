"""The readable text of a web page (profile ``html-text``): the second way of reading a text source (D3).

The default keeps the markup as it is. Here the page is parsed, never rendered: nothing it names is fetched
and no script runs. Blocks, line feeds and blanks follow the rules for EPUB chapters (``readers.xhtml``);
sections are the page's headings, and paragraphs are counted from its start. Pages there are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from cmtui.errors import Malformed, NoText, NotThisFormat
from cmtui.ingest.canonical import Canonicalizer
from cmtui.ingest.limits import LIMITS, ReadLimits
from cmtui.ingest.profiles import Reading
from cmtui.ingest.readers.decoding import Decoded, decode_text
from cmtui.ingest.readers.epub_container import inner_text, local_name
from cmtui.ingest.readers.markup import parse_html
from cmtui.ingest.readers.xhtml import ChapterText, walk_tree
from cmtui.ingest.structure import SectionBuilder, WarningLog, called, tidy
from cmtui.model.identity import Extractor
from cmtui.model.ingest import ReadDocument
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.source import LocatorTables, MetadataCandidate, ParagraphMark, PassageRole

if TYPE_CHECKING:
    from lxml import etree

EXTRACTOR = Extractor("cmtui-html", "1")

_XML_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*?\?>")
_TAG = re.compile(r"<(?:!doctype\s+html|html|head|body|title|meta|p|div|h[1-6]|article|main|table)\b", re.I)
_STATED = re.compile(
    rb"""<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([A-Za-z0-9._:-]+)|<\?xml\b[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]+)""",
    re.I,
)
#: Where the HTML standard looks for a stated encoding.
_STATED_WITHIN = 1024
#: The HTML standard reads these names as windows-1252.
_AS_WINDOWS = frozenset({"iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"})
_VALUE_LENGTH = 2000
_META_ELEMENTS = 500
_META_FIELDS = {
    "citation_title": "title",
    "citation_author": "author",
    "citation_date": "date",
    "citation_publication_date": "date",
    "citation_journal_title": "container-title",
    "citation_publisher": "publisher",
    "citation_doi": "doi",
    "citation_isbn": "isbn",
    "dc.title": "title",
    "dc.creator": "author",
    "dc.date": "date",
    "dc.publisher": "publisher",
    "dc.identifier": "identifier",
    "author": "author",
    "og:title": "title",
    "og:site_name": "container-title",
    "article:published_time": "date",
}


class HtmlReader:
    """Reads the text of a web page."""

    def read(
        self,
        content: bytes,
        *,
        encoding: str | None = None,
        password: str | None = None,  # noqa: ARG002 - the port states it for all kinds
        name: str = "",
        limits: ReadLimits = LIMITS,
        progress: ProgressCallback = no_progress,  # noqa: ARG002 - read at once
        cancelled: CancelledCallback = never_cancelled,  # noqa: ARG002
    ) -> ReadDocument:
        """Raises EmptyFile, EncodingUnknown, NotText, NotThisFormat, Malformed, NoText, ResourceLimit."""
        file = called(name)
        decoded = decode_text(content, encoding=encoding or _stated(content), name=name, limits=limits)
        if _TAG.search(decoded.text) is None:
            raise NotThisFormat(
                f"{file} holds no HTML, so it has no text apart from its markup.",
                "Ingest it without --html text.",
            )
        log = WarningLog()
        canon = Canonicalizer(f"decode:{decoded.codec}", reading=Reading.HTML_TEXT)
        canon.extracted = int(decoded.bom)
        root = _parse(decoded, file)
        page = walk_tree(root, canon, log)
        canon.second = 1
        if not page.text.strip():
            raise NoText(
                f"{file} holds no text outside of scripts and markup.",
                "Save the page from a browser after it has loaded, and ingest that file.",
            )
        return ReadDocument(
            text=page.text,
            profile=canon.profile(EXTRACTOR),
            blocks=tuple(page.blocks),
            tables=LocatorTables(sections=_sections(page).marks(), paragraphs=tuple(_paragraphs(page))),
            language=tidy(root.get("lang") or "")[:35] or None,
            candidates=tuple(_candidates(root)),
            warnings=log.warnings(),
        )


def _stated(content: bytes) -> str | None:
    """The encoding that the page itself states; a byte order mark stands above it."""
    if content.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return None
    match = _STATED.search(content[:_STATED_WITHIN])
    if match is None:
        return None
    name = (match.group(1) or match.group(2)).decode("ascii").lower()
    return "windows-1252" if name in _AS_WINDOWS else name


def _parse(decoded: Decoded, file: str) -> etree._Element:
    source = decoded.text
    if declaration := _XML_DECLARATION.match(source):
        source = source[declaration.end() :]
    root = parse_html(source)
    if root is None:
        raise Malformed(
            f"{file} cannot be read as HTML without losing text.",
            "Open it in a browser and save it anew, or ingest it without --html text.",
        )
    return root


def _sections(page: ChapterText) -> SectionBuilder:
    sections = SectionBuilder()
    for heading in page.headings:
        sections.heading(heading.level, heading.title, heading.start)
    sections.close(len(page.text))
    return sections


def _paragraphs(page: ChapterText) -> list[ParagraphMark]:
    prose = [block for block in page.blocks if block.role is PassageRole.BODY]
    return [ParagraphMark(block.start, block.end, number) for number, block in enumerate(prose, start=1)]


def _candidates(root: etree._Element) -> Iterator[MetadataCandidate]:
    """What the head of the page states, each with its origin; a person decides (R102)."""
    for element in islice(root.iter("title", "meta"), _META_ELEMENTS):
        if local_name(element) == "title":
            value, field, origin = inner_text(element), "title", "HTML title"
        else:
            key = (element.get("name") or element.get("property") or "").strip().lower()
            field = _META_FIELDS.get(key, "")
            value, origin = element.get("content") or "", f"HTML meta {key}"
        shown = tidy(value)[:_VALUE_LENGTH]
        if field and shown:
            yield MetadataCandidate(field, shown, origin)

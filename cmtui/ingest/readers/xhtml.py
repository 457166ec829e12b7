"""The text of one XHTML chapter, with the offsets of its ids, page breaks, headings and blocks.

Rules (``cmtui-epub`` 1): inline elements add nothing; ``br`` is a line feed; list items, rows and definitions
stand on lines of their own; other block elements are set off by an empty line; cells by a tab; runs of ASCII
blanks are one space, but for ``pre``. Scripts, styles, the head, ruby annotations and the printed number
inside a page break are no text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cmtui.ingest.canonical import Canonicalizer
from cmtui.ingest.readers.epub_container import inner_text, local_name
from cmtui.ingest.readers.markup import parse_xhtml
from cmtui.ingest.structure import WarningLog, is_reference_title, tidy, tidy_title
from cmtui.ingest.words import words
from cmtui.model.ingest import Block
from cmtui.model.source import PassageRole

if TYPE_CHECKING:
    from lxml import etree

_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"

_SKIPPED = words(
    """
    head script style template noscript svg iframe object audio video canvas map rt rp rtc annotation
    annotation-xml
    """
)
_PARAGRAPHS = words(
    """
    p h1 h2 h3 h4 h5 h6 div section article aside main header footer nav blockquote figure figcaption ul ol dl
    table caption pre address hr body form fieldset details summary hgroup center bodymatter book level1
    level2 level3 level4
    """
)
_LINES = words("li dt dd tr option legend")
_CELLS = words("td th")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_NOTES = words("footnote endnote rearnote note")
_NOTE_ROLES = frozenset({"doc-footnote", "doc-endnote"})
_BIBLIOGRAPHY = words("bibliography biblioentry")
_BIBLIOGRAPHY_ROLES = words("doc-bibliography doc-biblioentry")
_ROLES = {
    "li": PassageRole.LIST,
    "dt": PassageRole.LIST,
    "dd": PassageRole.LIST,
    "table": PassageRole.TABLE,
    "pre": PassageRole.CODE,
}

_ASCII_BLANKS = " \t\n\r\f"
_BLANKS = re.compile(r"[ \t\n\r\f]+")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6 at an offset of the chapter's text."""

    start: int
    level: int
    title: str


@dataclass(slots=True)
class ChapterText:
    """The text of one chapter; all offsets count from its own start."""

    text: str = ""
    blocks: list[Block] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)
    page_breaks: list[tuple[int, str]] = field(default_factory=list)


def read_chapter(content: bytes, path: str, file: str, canon: Canonicalizer, log: WarningLog) -> ChapterText:
    """Raises Malformed, ResourceLimit."""
    return walk_tree(parse_xhtml(content, path, file, log), canon, log)


def walk_tree(root: etree._Element, canon: Canonicalizer, log: WarningLog) -> ChapterText:
    """The text of a parsed page or chapter."""
    return _Walker(canon, log).walk(root)


class _Walker:
    """Builds the text piece by piece, so every offset is known when it is recorded."""

    def __init__(self, canon: Canonicalizer, log: WarningLog) -> None:
        self.canon = canon
        self.log = log
        self.out = ChapterText()
        self.pieces: list[str] = []
        self.length = 0
        self.gap = 0  # line feeds due before the next text
        self.space = False  # a blank is due before the next text of this block
        self.block_start = -1
        self.block_role = PassageRole.BODY
        self.block_heading: int | None = None
        self.roles: list[PassageRole] = []
        self.heading: list[int] = []
        self.pre = 0
        self.skip = 0
        self.pending_ids: list[str] = []
        self.pending_breaks: list[str] = []
        self.reference_level: int | None = None

    def walk(self, root: etree._Element) -> ChapterText:
        """Read the whole tree without recursion."""
        from lxml import etree

        for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            if event == "start":
                self._start(element)
            elif event == "end":
                self._end(element)
                if element is not root:
                    self._text(element.tail)
            elif element is not root:
                self._text(element.tail)
        self._flush()
        self._settle()
        self.out.text = "".join(self.pieces)
        return self.out

    def _start(self, element: etree._Element) -> None:
        name = local_name(element)
        if not name:  # an entity the file declares itself: kept as written, never expanded
            self._entity(element)
            return
        if self.skip or name in _SKIPPED or element.get("hidden") is not None:
            self.skip += 1
            return
        self._note_ids(element)
        kinds = _types(element)
        if "pagebreak" in kinds or element.get("role") == "doc-pagebreak":
            self._page_break(element)
            self.skip += 1
            return
        if name in _PARAGRAPHS:
            self._break(2)
        elif name in _LINES:
            self._break(1)
        elif name == "br":
            self._line_feed()
        elif name in _CELLS:
            self._cell()
        self.roles.append(self._role(name, kinds, element))
        if name in _HEADINGS:
            self.heading.append(_HEADINGS[name])
        if name == "pre":
            self.pre += 1
        self._text(element.text)

    def _end(self, element: etree._Element) -> None:
        name = local_name(element)
        if not name:
            return
        if self.skip:
            self.skip -= 1
            return
        if name in _PARAGRAPHS:
            self._break(2)
        elif name in _LINES:
            self._break(1)
        self.roles.pop()
        if name in _HEADINGS:
            self.heading.pop()
        if name == "pre":
            self.pre -= 1

    def _role(self, name: str, kinds: frozenset[str], element: etree._Element) -> PassageRole:
        outer = self.roles[-1] if self.roles else PassageRole.BODY
        role = element.get("role", "")
        if name in _HEADINGS:
            return PassageRole.HEADING
        if kinds & _NOTES or role in _NOTE_ROLES:
            return PassageRole.FOOTNOTE
        if (
            "bibliography" in kinds
            or "biblioentry" in kinds
            or role in {"doc-bibliography", "doc-biblioentry"}
        ):
            return PassageRole.REFERENCE
        if outer in {PassageRole.FOOTNOTE, PassageRole.REFERENCE, PassageRole.HEADING, PassageRole.TABLE}:
            return outer
        return _ROLES.get(name, outer)

    def _note_ids(self, element: etree._Element) -> None:
        for key in ("id", _XML_ID, "name"):
            value = element.get(key)
            if value:
                self.pending_ids.append(value)

    def _page_break(self, element: etree._Element) -> None:
        label = element.get("title") or element.get("aria-label") or inner_text(element)
        label = tidy(label or "")
        if label:
            self.pending_breaks.append(label[:64])

    def _entity(self, element: etree._Element) -> None:
        if self.skip:
            return
        self.log.add("entities", "The book declares entities of its own; they are kept as written.")
        self._text(element.text)

    def _cell(self) -> None:
        if self.block_start >= 0:
            self.space = False
            self._emit("\t")

    def _line_feed(self) -> None:
        self.space = False
        if self.block_start >= 0:
            self._emit("\n")

    def _break(self, lines: int) -> None:
        """End the block; the next text stands ``lines`` line feeds further down."""
        self._flush()
        if self.length:
            self.gap = max(self.gap, lines)

    def _text(self, raw: str | None) -> None:
        if not raw or self.skip:
            return
        if self.pre:
            self._emit(self.canon.clean(raw), preformatted=True)
            return
        text = _BLANKS.sub(" ", self.canon.clean(raw))
        if text.startswith(" "):
            at_line_start = self.block_start < 0 or (self.pieces and self.pieces[-1][-1:] in "\n\t")
            self.space = self.space or not at_line_start
            text = text[1:]
        if not text:
            return
        trailing = text.endswith(" ")
        self._emit(text[:-1] if trailing else text)
        self.space = trailing

    def _emit(self, text: str, *, preformatted: bool = False) -> None:
        if not text or (self.block_start < 0 and not text.strip(_ASCII_BLANKS)):
            return
        if self.block_start < 0:
            if preformatted:
                text = text.lstrip("\n")
            self._append("\n" * self.gap)
            self.gap = 0
            self.block_start = self.length
            self.block_role = self.roles[-1] if self.roles else PassageRole.BODY
            self.block_heading = self.heading[-1] if self.heading else None
        elif self.space and not text.isspace():
            self._append(" ")
        self.space = False
        if not text.isspace():
            self._settle()
        self._append(text)

    def _append(self, text: str) -> None:
        if text:
            self.pieces.append(text)
            self.length += len(text)

    def _settle(self) -> None:
        """Ids and page breaks met since the last text belong to the text that comes now."""
        for name in self.pending_ids:
            self.out.ids.setdefault(name, self.length)
        for label in self.pending_breaks:
            self.out.page_breaks.append((self.length, label))
        self.pending_ids.clear()
        self.pending_breaks.clear()

    def _flush(self) -> None:
        """Close the open block, without the blanks at its end."""
        self.space = False
        if self.block_start < 0:
            return
        start, self.block_start = self.block_start, -1
        while self.pieces:
            kept = self.pieces[-1].rstrip(_ASCII_BLANKS)
            self.length -= len(self.pieces[-1]) - len(kept)
            if kept:
                self.pieces[-1] = kept
                break
            self.pieces.pop()
        text = self._since(start)
        lead = len(text) - len(text.lstrip())
        if lead >= len(text):
            return
        role = self.block_role
        if self.block_heading is not None:
            title = tidy_title(text)
            self.out.headings.append(Heading(start + lead, self.block_heading, title))
            if self.reference_level is not None and self.block_heading <= self.reference_level:
                self.reference_level = None
            if is_reference_title(title):
                self.reference_level = self.block_heading
        elif self.reference_level is not None and role in {PassageRole.BODY, PassageRole.LIST}:
            role = PassageRole.REFERENCE
        self.out.blocks.append(Block(start + lead, self.length, role))

    def _since(self, start: int) -> str:
        """The text from ``start`` to the end, without joining all pieces."""
        size = self.length - start
        tail: list[str] = []
        for piece in reversed(self.pieces):
            if size <= 0:
                break
            tail.append(piece[-size:] if len(piece) > size else piece)
            size -= len(piece)
        return "".join(reversed(tail))


def _types(element: etree._Element) -> frozenset[str]:
    """epub:type values; HTML parsing leaves the prefix in the name."""
    value = element.get(_EPUB_TYPE) or element.get("epub:type") or ""
    return frozenset(value.split())

"""Markdown: the canonical text is the file's own text, so a quote can be checked in the file itself.

Lines are read once by the block rules of CommonMark 0.31 that decide what is prose and what is not: headings
(ATX and setext), fenced and indented code, lists, tables, thematic breaks, footnotes, comments. Inline markup
is left as it stands (``cmtui-markdown`` 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cmtui.errors import NoText
from cmtui.ingest.canonical import Canonicalizer
from cmtui.ingest.limits import LIMITS, ReadLimits
from cmtui.ingest.readers.decoding import decode_text
from cmtui.ingest.readers.front_matter import read_front_matter
from cmtui.ingest.structure import SectionBuilder, WarningLog, called, is_reference_title
from cmtui.model.identity import Extractor
from cmtui.model.ingest import Block, ReadDocument
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.source import LocatorTables, ParagraphMark, PassageRole

EXTRACTOR = Extractor("cmtui-markdown", "1")

_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_BREAK = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_DELIMITER_ROW = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\]\n]+\]:")
_DEFINITION = re.compile(r" {0,3}\[[^\]\n]+\]:[ \t]*\S+")
_BLANK_LINES = re.compile(r"(?:[^\S\n]*+\n)++")
_INDENTED = re.compile(r"(?: {4}|\t)")


class MarkdownReader:
    """Reads Markdown."""

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
        """Raises EmptyFile, EncodingUnknown, NotText, NoText, ResourceLimit."""
        decoded = decode_text(content, encoding=encoding, name=name, limits=limits)
        canon = Canonicalizer(f"decode:{decoded.codec}", keep_form_feeds=True)
        canon.extracted = int(decoded.bom)
        text = canon.clean(decoded.text)
        log = WarningLog()
        front = read_front_matter(text, log, limits)
        scan = _Scanner(text, front.end)
        scan.run()
        if not scan.blocks:
            raise NoText(f"{called(name)} holds no text outside its front matter.", "Check the file.")
        return ReadDocument(
            text=text,
            profile=canon.profile(EXTRACTOR),
            blocks=tuple(scan.blocks),
            tables=LocatorTables(sections=scan.sections.marks(), paragraphs=tuple(scan.paragraphs)),
            language=front.language,
            candidates=front.candidates,
            warnings=log.warnings(),
        )


class _Line(NamedTuple):
    """A line without its LF."""

    start: int
    end: int
    text: str

    @property
    def blank(self) -> bool:
        return not self.text.strip()


def _atx_title(rest: str) -> str:
    """What follows the opening hashes, without the closing ones, which a blank sets off."""
    title = rest.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title


def lines_of(text: str, start: int) -> Iterator[_Line]:
    """Lines from ``start`` on; only LF ends a line. A run of blank lines counts as one: it has no
    content, and a file may have a million of them."""
    at = start
    while at < len(text):
        if blanks := _BLANK_LINES.match(text, at):
            yield _Line(at, at, "")
            at = blanks.end()
            continue
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield _Line(at, end, text[at:end])
        at = end + 1


class _Scanner:
    """One pass over the lines. ``open`` is the block being gathered, as first and last line and its role."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.lines = list(lines_of(text, start))
        self.blocks: list[Block] = []
        self.sections = SectionBuilder()
        self.paragraphs: list[ParagraphMark] = []
        self._number = 0
        self._open: tuple[int, int, PassageRole] | None = None
        self._reference_level: int | None = None

    def run(self) -> None:
        """Fill blocks, sections and paragraphs."""
        at = 0
        while at < len(self.lines):
            at = self._step(at)
        self._flush()
        self.sections.close(len(self.text))

    def _step(self, at: int) -> int:
        """Read the construct that starts at line ``at``; the index of the line after it."""
        line = self.lines[at]
        if line.blank:
            self._flush()
            return at + 1
        fence = _FENCE.fullmatch(line.text)
        if fence and not (fence.group(1)[0] == "`" and "`" in fence.group(2)):
            return self._fence(at, fence.group(1))
        if atx := _ATX.match(line.text):
            self._heading(len(atx.group(1)), _atx_title(line.text[atx.end() :]), line, line)
            return at + 1
        if self._is_underline(line):
            return self._setext(at)
        if _BREAK.fullmatch(line.text):
            self._flush()
            return at + 1
        if self._open is None and line.text.lstrip().startswith("<!--"):
            return self._until(at, "-->", PassageRole.CODE)
        return self._text_line(at, line)

    def _text_line(self, at: int, line: _Line) -> int:
        role = self._open[2] if self._open else None
        if role is None and _INDENTED.match(line.text) and not self._in_list():
            return self._indented(at)
        if _FOOTNOTE.match(line.text):
            self._flush()
            self._extend(line, PassageRole.FOOTNOTE)
        elif _ITEM.match(line.text) and (role is not PassageRole.BODY or self._interrupts(line)):
            self._flush()
            self._extend(line, PassageRole.LIST)
        elif role is None and self._is_table(at):
            return self._table(at)
        elif role is None and _DEFINITION.match(line.text):
            self._extend(line, PassageRole.REFERENCE)
        elif role is None and _INDENTED.match(line.text):
            self._extend(line, PassageRole.LIST)
        else:
            self._extend(line, role or PassageRole.BODY)
        return at + 1

    def _interrupts(self, line: _Line) -> bool:
        """Whether a list item may interrupt a paragraph: a bullet may, a number only when it is 1."""
        marker = line.text.split(maxsplit=1)
        return len(marker) == 2 and marker[0] in {"-", "*", "+", "1.", "1)"}

    def _is_underline(self, line: _Line) -> bool:
        return (
            self._open is not None
            and self._open[2] is PassageRole.BODY
            and _SETEXT.fullmatch(line.text) is not None
        )

    def _in_list(self) -> bool:
        return bool(self.blocks) and self.blocks[-1].role in {PassageRole.LIST, PassageRole.FOOTNOTE}

    def _is_table(self, at: int) -> bool:
        if at + 1 >= len(self.lines) or "|" not in self.lines[at].text:
            return False
        row = self.lines[at + 1].text
        return "|" in row and "-" in row and _DELIMITER_ROW.fullmatch(row) is not None

    def _table(self, at: int) -> int:
        end = at + 2
        while end < len(self.lines) and not self.lines[end].blank and "|" in self.lines[end].text:
            end += 1
        self._block(self.lines[at].start, self.lines[end - 1].end, PassageRole.TABLE)
        return end

    def _indented(self, at: int) -> int:
        end = at + 1
        last = at
        while end < len(self.lines) and (self.lines[end].blank or _INDENTED.match(self.lines[end].text)):
            if not self.lines[end].blank:
                last = end
            end += 1
        self._block(self.lines[at].start, self.lines[last].end, PassageRole.CODE)
        return last + 1

    def _fence(self, at: int, mark: str) -> int:
        self._flush()
        end = at + 1
        closing = re.compile(r" {0,3}" + re.escape(mark[0]) + "{" + str(len(mark)) + r",}[ \t]*")
        while end < len(self.lines) and not closing.fullmatch(self.lines[end].text):
            end += 1
        last = min(end, len(self.lines) - 1)
        self._block(self.lines[at].start, self.lines[last].end, PassageRole.CODE)
        return last + 1

    def _until(self, at: int, mark: str, role: PassageRole) -> int:
        end = at
        while end < len(self.lines) - 1 and mark not in self.lines[end].text:
            end += 1
        self._block(self.lines[at].start, self.lines[end].end, role)
        return end + 1

    def _setext(self, at: int) -> int:
        assert self._open is not None
        first, last, _ = self._open
        self._open = None
        level = 1 if "=" in self.lines[at].text else 2
        title = self.text[first:last]
        self._heading(level, title, _Line(first, last, title), self.lines[at])
        return at + 1

    def _heading(self, level: int, title: str, first: _Line, last: _Line) -> None:
        self._flush()
        if not title.strip():
            return
        start = first.start + len(first.text) - len(first.text.lstrip(" "))
        self.sections.heading(level, title, start)
        self.blocks.append(Block(start, last.end, PassageRole.HEADING))
        self._number = 0
        if self._reference_level is not None and level <= self._reference_level:
            self._reference_level = None
        if is_reference_title(title):
            self._reference_level = level

    def _extend(self, line: _Line, role: PassageRole) -> None:
        start = self._open[0] if self._open else line.start
        self._open = (start, line.end, role)

    def _flush(self) -> None:
        if self._open is not None:
            start, end, role = self._open
            self._open = None
            self._block(start, end, role)

    def _block(self, start: int, end: int, role: PassageRole) -> None:
        """Add a block, trimmed of blanks; prose is numbered within its section."""
        body = self.text[start:end]
        start += len(body) - len(body.lstrip())
        end -= len(body) - len(body.rstrip())
        if start >= end:
            return
        if self._reference_level is not None and role in {PassageRole.BODY, PassageRole.LIST}:
            role = PassageRole.REFERENCE
        self.blocks.append(Block(start, end, role))
        if role is PassageRole.BODY:
            self._number += 1
            self.paragraphs.append(ParagraphMark(start, end, self._number))

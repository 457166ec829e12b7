"""Bytes of an XHTML part to a tree, without reading, guessing or expanding anything the file names."""

from __future__ import annotations

import codecs
import re
from html import unescape
from html.entities import html5
from typing import TYPE_CHECKING

from cmtui.errors import Malformed, ResourceLimit
from cmtui.ingest.readers.epub_container import inner_text, safe_parser, xml_error
from cmtui.ingest.structure import WarningLog

if TYPE_CHECKING:
    from lxml import etree

_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*?\?>")
_DECLARED = re.compile(rb"""^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_TAG = re.compile(r"<[^<>]*+>")
_UNSEEN = re.compile(r"<(head|script|style)\b", re.IGNORECASE)


def decode_markup(content: bytes, path: str, file: str) -> str:
    """Characters of a markup file: byte order mark, else the XML declaration, else UTF-8. Never guessed."""
    codec, skip = "utf-8", 0
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if content.startswith(mark):
            codec, skip = name, len(mark)
            break
    else:
        if content.startswith(b"<\0"):
            codec = "utf-16-le"
        elif content.startswith(b"\0<"):
            codec = "utf-16-be"
        elif declared := _DECLARED.match(content[:400]):
            codec = declared.group(1).decode("ascii")
    try:
        return content[skip:].decode(codec)
    except (UnicodeError, LookupError) as error:
        raise Malformed(
            f"{path} of {file} is not in its stated encoding ({codec}).", "Repair it with an EPUB editor."
        ) from error


def parse_xhtml(content: bytes, path: str, file: str, log: WarningLog) -> etree._Element:
    """The root of a chapter. HTML that is no XML is read as HTML, unless it declares entities of its own."""
    from lxml import etree

    source = decode_markup(content, path, file)
    if declaration := _DECLARATION.match(source):
        source = source[declaration.end() :]
    own_entities = "<!ENTITY" in source
    source = _ENTITY.sub(_named_character, source)
    data = source.encode("utf-8", "surrogatepass")
    try:
        root = etree.fromstring(data, safe_parser("utf-8"))
    except etree.XMLSyntaxError as error:
        problem = xml_error(error, path, file)
        if own_entities or isinstance(problem, ResourceLimit):
            raise problem from error
    else:
        if root is not None:
            return root
    root = parse_html(source)
    if root is None:
        raise Malformed(
            f"{path} of {file} is neither XHTML nor readable HTML.", "Repair it with an EPUB editor."
        )
    log.add("not-well-formed", "Parts of the book are not well-formed and were read as HTML.")
    return root


def _named_character(match: re.Match[str]) -> str:
    """``&eacute;`` as its character; the five XML entities and unknown names stay."""
    name = match.group(1)
    if name in _XML_ENTITIES:
        return match.group()
    return html5.get(f"{name};", match.group())


def parse_html(source: str) -> etree._Element | None:
    """The root of a page read as HTML; None when the parser gives none or has plainly lost text."""
    from lxml import etree

    parser = etree.HTMLParser(no_network=True, huge_tree=False, recover=True, encoding="utf-8")
    try:
        root = etree.fromstring(source.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root is None:
        return None
    kept = len("".join(inner_text(root).split()))
    if kept * 2 < _visible_length(unescape(source)):
        return None
    return root


def _visible_length(source: str) -> int:
    """Non-blank characters outside of tags, scripts, styles and the head, in one pass: a parser that gave
    much less has lost text."""
    total = at = 0
    lowered = source.lower()
    while opening := _UNSEEN.search(source, at):
        total += len("".join(_TAG.sub("", source[at : opening.start()]).split()))
        closing = lowered.find(f"</{opening.group(1).lower()}", opening.end())
        if closing < 0:
            return total
        at = closing
    return total + len("".join(_TAG.sub("", source[at:]).split()))

"""Which of the four kinds a file is: by its first bytes, its suffix, and what the person stated (R2)."""

from __future__ import annotations

from pathlib import PurePath
from shlex import quote

from cmtui.errors import EmptyFile, NotThisFormat, UnsupportedKind
from cmtui.model.identity import SourceKind

#: A PDF header may stand after junk, but within this many bytes (ISO 32000-1, Annex H, note 13).
PDF_HEADER_WINDOW = 1024

SUFFIXES = {
    ".pdf": SourceKind.PDF,
    ".epub": SourceKind.EPUB,
    ".md": SourceKind.MARKDOWN,
    ".markdown": SourceKind.MARKDOWN,
    ".txt": SourceKind.TEXT,
    ".text": SourceKind.TEXT,
    # A web page is a text source: its markup by default, its readable text with --html text (D3).
    ".html": SourceKind.TEXT,
    ".htm": SourceKind.TEXT,
    ".xhtml": SourceKind.TEXT,
}

_HTML = frozenset({".html", ".htm", ".xhtml"})
_OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument.text"
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PANDOC = frozenset({".docx", ".odt", ".rtf", ".tex", ".rst", ".org", ".fb2"})
_KIND_HINT = "State what it is with --kind pdf, epub, markdown or text."


def kind_of_suffix(path_name: str) -> SourceKind | None:
    """The kind a file name promises, or None."""
    return SUFFIXES.get(PurePath(path_name).suffix.lower())


def is_pdf(content: bytes) -> bool:
    """Whether ``%PDF-`` stands in the first 1,024 bytes."""
    return b"%PDF-" in content[:PDF_HEADER_WINDOW]


def is_zip(content: bytes) -> bool:
    """Whether the bytes start as a zip archive (also an empty one)."""
    return content.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def detect_kind(path_name: str, content: bytes, stated: SourceKind | None = None) -> SourceKind:
    """The kind of ``content``, which came from a file called ``path_name``.

    ``stated`` wins over the suffix; both are checked against the bytes. Without either only a PDF or EPUB
    signature decides. Raises EmptyFile, NotThisFormat, UnsupportedKind.
    """
    name = PurePath(path_name).name or "The file"
    if not content:
        raise EmptyFile(
            f"{name} is empty (0 bytes).", "Check that the download or copy finished, then ingest it again."
        )
    kind = stated or kind_of_suffix(path_name)
    if kind is None:
        return _by_signature(name, content)
    _check_signature(name, content, kind)
    return kind


def is_html(path_name: str, content: bytes) -> bool:
    """Whether a text source is a web page: by its suffix, or by how its bytes begin."""
    if PurePath(path_name).suffix.lower() in _HTML:
        return True
    head = content[:PDF_HEADER_WINDOW].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return head.startswith((b"<!doctype html", b"<html")) or (head.startswith(b"<?xml") and b"<html" in head)


def office_format(content: bytes) -> str | None:
    """What a word processor's file is called; None for everything else."""
    if is_zip(content):
        if content[30 : 30 + len(_OPEN_DOCUMENT)] == _OPEN_DOCUMENT:
            return "ODT"
        # The central directory, which names the parts, stands at the end of the archive.
        if b"word/document" in content[-65_536:]:
            return "DOCX"
    elif content.startswith(_COMPOUND_FILE):
        return "Word 97"
    elif content.startswith(b"{\\rtf"):
        return "RTF"
    return None


def _conversion(name: str, format_name: str | None) -> str:
    """The command that makes a Markdown file of it."""
    stem = PurePath(name).stem
    if format_name == "Word 97":
        return (
            f"Convert it first: libreoffice --headless --convert-to docx {quote(name)} "
            f"&& pandoc {quote(stem + '.docx')} -o {quote(stem + '.md')}"
        )
    return f"Convert it first: pandoc {quote(name)} -o {quote(stem + '.md')}"


def _check_signature(name: str, content: bytes, kind: SourceKind) -> None:
    if kind is SourceKind.PDF:
        if not is_pdf(content):
            raise NotThisFormat(
                f"{name} is not a PDF: no %PDF- header in its first 1,024 bytes.", _what_it_seems(content)
            )
    elif kind is SourceKind.EPUB:
        if not is_zip(content):
            raise NotThisFormat(f"{name} is not an EPUB: it is no zip archive.", _what_it_seems(content))
    elif format_name := office_format(content):
        raise UnsupportedKind(
            f"{name} is not {kind} but a {format_name} file.", _conversion(name, format_name)
        )
    elif content.startswith(b"%PDF-"):
        raise NotThisFormat(f"{name} is not {kind} but a PDF.", "Ingest it with --kind pdf.")
    elif is_zip(content):
        raise NotThisFormat(
            f"{name} is not {kind} but a zip archive.", "If it is an EPUB, ingest it with --kind epub."
        )


def _by_signature(name: str, content: bytes) -> SourceKind:
    if content.startswith(b"%PDF-"):
        return SourceKind.PDF
    if is_zip(content) and content[30:58] == b"mimetypeapplication/epub+zip":
        return SourceKind.EPUB
    suffix = PurePath(name).suffix.lower()
    format_name = office_format(content)
    if format_name or suffix in _PANDOC or suffix == ".doc":
        raise UnsupportedKind(
            f"{name} is none of PDF, EPUB, Markdown and plain text"
            + (f": it is a {format_name} file." if format_name else "."),
            _conversion(name, "Word 97" if suffix == ".doc" else format_name),
        )
    says = f"ends in {suffix}, which says nothing of" if suffix else "has no suffix that says"
    raise UnsupportedKind(f"{name} {says} the kind of source it is.", _KIND_HINT)


def _what_it_seems(content: bytes) -> str:
    """A hint for a file whose bytes are of another kind than its name says."""
    head = content[:PDF_HEADER_WINDOW].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if is_pdf(content):
        return "Its bytes are a PDF: ingest it with --kind pdf."
    if is_zip(content):
        return "Its bytes are a zip archive: if it is an EPUB, ingest it with --kind epub."
    if head.startswith((b"<!doctype html", b"<html")):
        return "It is a web page, probably an error page saved by a download: fetch the file again."
    return "Open it to see what it is, then give the right kind with --kind."

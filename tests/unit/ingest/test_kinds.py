"""Which kind a file is: bytes before suffix, and a stated kind before both (R2)."""

from __future__ import annotations

import pytest

from cmtui.errors import EmptyFile, NotThisFormat, UnsupportedKind
from cmtui.ingest.kinds import detect_kind
from cmtui.model.identity import SourceKind
from support.epub_fixtures import make_epub, make_zip, page
from support.pdf_fixtures import make_pdf

PDF = make_pdf(["Hello."])
EPUB = make_epub({"c.xhtml": page("<p>Hello.</p>")})
DOCX = make_zip({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w:document/>"}, mimetype=False)
ODT = make_zip({"content.xml": b"<x/>"}).replace(
    b"application/epub+zip", b"application/vnd.oasis.opendocument.text"
)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.pdf", PDF, SourceKind.PDF),
        ("A.PDF", b"junk before\n" + PDF, SourceKind.PDF),
        ("a.epub", EPUB, SourceKind.EPUB),
        ("a.md", b"# T", SourceKind.MARKDOWN),
        ("a.markdown", b"# T", SourceKind.MARKDOWN),
        ("a.txt", b"t", SourceKind.TEXT),
        ("a.text", b"t", SourceKind.TEXT),
        ("a.html", b"<p>t", SourceKind.TEXT),
        ("a.HTM", b"<p>t", SourceKind.TEXT),
        ("download", PDF, SourceKind.PDF),
        ("download", EPUB, SourceKind.EPUB),
    ],
)
def test_kind(name: str, content: bytes, kind: SourceKind) -> None:
    assert detect_kind(name, content) is kind


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("a.pdf", b"", EmptyFile),
        ("a.pdf", b" " * 1024 + b"%PDF-1.4", NotThisFormat),
        ("a.pdf", b"<html>403</html>", NotThisFormat),
        ("a.epub", b"\xff\xd8\xff\xe0 JFIF", NotThisFormat),
        ("a.txt", PDF, NotThisFormat),
        ("a.md", EPUB, NotThisFormat),
        ("a.xyz", b"words", UnsupportedKind),
        ("a", b"words", UnsupportedKind),
        ("a.docx", b"PK\x03\x04", UnsupportedKind),
    ],
)
def test_refused(name: str, content: bytes, error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        detect_kind(name, content)
    assert name in raised.value.message
    assert raised.value.hint


def test_a_stated_kind_wins_over_the_suffix_but_not_over_the_bytes() -> None:
    assert detect_kind("notes.xyz", b"words", SourceKind.TEXT) is SourceKind.TEXT
    assert detect_kind("notes.txt", b"# T", SourceKind.MARKDOWN) is SourceKind.MARKDOWN
    with pytest.raises(NotThisFormat):
        detect_kind("notes.txt", b"words", SourceKind.PDF)


def test_unknown_suffix_says_how_to_state_the_kind() -> None:
    with pytest.raises(UnsupportedKind) as raised:
        detect_kind("notes.xyz", b"words")
    assert "--kind" in raised.value.hint


def test_a_word_file_says_how_to_convert_it() -> None:
    with pytest.raises(UnsupportedKind) as raised:
        detect_kind("draft.docx", b"PK\x03\x04")
    assert raised.value.hint == "Convert it first: pandoc draft.docx -o draft.md"


@pytest.mark.parametrize(
    ("name", "content", "stated", "hint"),
    [
        ("my draft.odt", ODT, None, "pandoc 'my draft.odt' -o 'my draft.md'"),
        ("draft", DOCX, None, "pandoc draft -o draft.md"),
        ("draft.txt", DOCX, None, "pandoc draft.txt -o draft.md"),
        ("draft.docx", DOCX, SourceKind.TEXT, "pandoc draft.docx -o draft.md"),
        ("draft.rtf", b"{\\rtf1 words}", None, "pandoc draft.rtf -o draft.md"),
        (
            "old.doc",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            None,
            "libreoffice --headless --convert-to docx old.doc",
        ),
    ],
)
def test_word_processor_files_are_refused_with_the_command_that_converts_them(
    name: str, content: bytes, stated: SourceKind | None, hint: str
) -> None:
    """settlements.md 5.9: by their bytes, whatever they are called."""
    with pytest.raises(UnsupportedKind) as raised:
        detect_kind(name, content, stated)
    assert hint in raised.value.hint

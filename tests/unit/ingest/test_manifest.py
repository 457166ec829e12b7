"""Every file of ../shared/data/files against manifest.tsv, whose values several tools agree on (R2, I1.4).

A row whose class or place is not understood fails, so a file that is added is never skipped in silence.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from cmtui.errors import CmtuiError, IngestError
from cmtui.ingest.build import build_document
from cmtui.ingest.kinds import detect_kind
from cmtui.ingest.sandbox import ReaderPool
from cmtui.model.identity import SourceVersion, sha256_bytes, sha256_text
from cmtui.model.selectors import Span
from cmtui.model.source import PRINTABLE_BASES, CanonicalDocument, PageBasis

FILES = Path(__file__).parents[3] / ".." / "shared" / "data" / "files"
MANIFEST = FILES / "manifest.tsv"

needs_files = pytest.mark.skipif(not MANIFEST.exists(), reason="../shared/data/files is not here")

#: What the classes with a choice or a special outcome mean.
CODES = {
    "error:encoding-or-explicit": {"encoding"},
    "ok-or-error:nul": {"not-text"},
}
#: Titles that stand in a PDF's outline or a text's front matter and are no headings of the text.
_YAML_COMMENT = "# Example from https://joss.readthedocs.io/en/latest/submitting.html"


@dataclass(frozen=True)
class Row:
    file: str
    kind: str
    pages: str
    phrase: str
    labels: str
    outline: str
    metadata: str

    def __str__(self) -> str:
        return self.file


def _rows() -> list[Row]:
    if not MANIFEST.exists():
        return []
    with MANIFEST.open(encoding="utf-8", newline="") as stream:
        table = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            Row(
                row["file"],
                row["class(expected)"],
                row["pages"],
                row["phrase_and_place"],
                row["labels"],
                row["outline"],
                row["metadata"],
            )
            for row in table
        ]


ROWS = _rows()


@pytest.fixture(scope="module")
def pool() -> object:
    with ReaderPool() as readers:
        yield readers


def _ingest(pool: ReaderPool, row: Row, **options: str) -> CanonicalDocument:
    path = FILES / row.file
    content = path.read_bytes()
    kind = detect_kind(path.name, content)
    read = pool.read(content, kind, name=path.name, **options)
    return build_document(read, version=SourceVersion(kind, sha256_bytes(content), len(content)))


@needs_files
def test_manifest_lists_every_file() -> None:
    listed = {row.file for row in ROWS}
    present = {
        str(path.relative_to(FILES)) for path in FILES.rglob("*") if path.is_file() and path != MANIFEST
    }
    assert listed == present


@needs_files
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row, pool: ReaderPool) -> None:
    """R2, R8: right pages, phrase, labels and titles, or the right class of error in one sentence."""
    try:
        document = _ingest(pool, row)
    except CmtuiError as error:
        _check_error(row, error)
        return
    assert row.kind.startswith(("ok:", "any:bounded")), f"{row.file} should have been refused: {row.kind}"
    _check_spans(document)
    _check_pages(row, document)
    _check_phrase(row, document)
    _check_labels(row, document)
    _check_outline(row, document)
    _check_metadata(row, document)


def _check_error(row: Row, error: CmtuiError) -> None:
    assert isinstance(error, IngestError)
    assert not row.kind.startswith("ok:"), f"{row.file}: {error.code}: {error.message}"
    if row.kind != "any:bounded":
        prefix, _, code = row.kind.partition(":")
        assert prefix in {"error", "ok-or-error"}, f"unknown class {row.kind}"
        assert error.code in CODES.get(row.kind, {code})
    assert Path(row.file).name in error.message, "the sentence names the file"
    assert error.message.endswith("."), "the sentence is a sentence"
    assert "\n" not in error.message
    assert error.hint, "the hint says what to do next"


def _check_spans(document: CanonicalDocument) -> None:
    """Spans slice back, are disjoint, and stay inside their page, chapter and section (D14)."""
    assert document.passages
    at = 0
    for index, passage in enumerate(document.passages):
        text = document.text[passage.start : passage.end]
        assert passage.index == index
        assert at <= passage.start < passage.end <= len(document.text)
        assert text == text.strip()
        assert sha256_text(text) == passage.text_sha256
        assert len(text) <= 1600
        assert "\f" not in text
        at = passage.end
        for marks in (document.tables.pages, document.tables.chapters, document.tables.sections):
            for mark in marks:
                inside = mark.start <= passage.start and passage.end <= mark.end
                outside = passage.end <= mark.start or passage.start >= mark.end
                assert inside or outside


def _check_pages(row: Row, document: CanonicalDocument) -> None:
    if not row.pages or row.kind == "any:bounded":
        return
    match = re.fullmatch(r"(\d+) (?:\(\d/4 tools\)|by form feed)", row.pages)
    assert match, f"unknown pages column {row.pages!r}"
    assert len(document.tables.pages) == int(match.group(1))
    by_form_feed = row.pages.endswith("form feed")
    expected = PageBasis.FORMFEED if by_form_feed else PageBasis.PHYSICAL
    assert document.tables.page_basis is expected


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _check_phrase(row: Row, document: CanonicalDocument) -> None:
    """The phrase stands on the page or in the chapter the manifest names."""
    if not row.phrase or row.kind == "any:bounded":
        return
    if row.file == "md/bumbl-paper.md":
        paths = [section.path for section in document.tables.sections]
        assert ("Statement of Need",) in paths
        assert ("Background",) in paths
        return
    if row.kind == "ok:ligatures":
        # The column writes U+FB00 to U+FB04 in letters; the text keeps them (D5).
        ligatures = "".join(map(chr, range(0xFB00, 0xFB07)))
        assert document.text == f"abcdef{ligatures}ghijklmno"
        return
    quoted = re.match(
        r"'(.*)' (?:on physical page (\d+)|in (\S+) \(spine position (\d+)\)|page (\d+) by form feeds|\()",
        row.phrase,
    )
    assert quoted, f"unknown phrase column {row.phrase!r}"
    phrase = re.sub(r"\\(u[0-9a-f]{4}|x[0-9a-f]{2})", lambda m: chr(int(m.group(1)[1:], 16)), quoted.group(1))
    if quoted.group(2) or quoted.group(5):
        page = document.tables.pages[int(quoted.group(2) or quoted.group(5)) - 1]
        assert _squeezed(phrase) in _squeezed(document.text[page.start : page.end])
    elif quoted.group(3):
        chapter = document.tables.chapters[int(quoted.group(4)) - 1]
        assert chapter.href == quoted.group(3)
        assert chapter.spine == int(quoted.group(4))
        assert _squeezed(phrase) in _squeezed(document.text[chapter.start : chapter.end])
    else:
        assert phrase.strip() in document.text


def _check_labels(row: Row, document: CanonicalDocument) -> None:
    """Labels are those the file states; where it states none, no field holds one (settlements.md I2.3)."""
    labels = [page.label for page in document.tables.pages]
    if row.file.startswith("pdf/"):
        if row.labels:
            assert labels == row.labels.split(" ")[0].split(",")
        else:
            assert set(labels) == {None}
    first = re.search(r"first print pages \[(.*)\]", row.labels)
    if row.kind == "any:bounded":
        return
    printed = [mark.label for mark in document.tables.print_pages]
    if first:
        expected = re.findall(r"'([^']*)'", first.group(1))
        assert printed[: len(expected)] == expected
        assert len(expected) == 3 or printed == expected
    elif row.kind not in {"ok:html-entities"}:  # its second chapter has the same page break, not listed
        assert printed == []
    if not row.labels and not printed:
        for passage in document.passages:
            cited = document.locate(passage.span).cited_page
            assert cited is None or cited.basis not in PRINTABLE_BASES


def _check_outline(row: Row, document: CanonicalDocument) -> None:
    if not row.outline:
        return
    sections = document.tables.sections
    if row.outline.startswith("["):
        listed = [title for title in re.findall(r"'([^']*)'", row.outline) if title != _YAML_COMMENT]
        own = ["#" * len(section.path) + " " + section.path[-1] for section in sections]
        at = 0
        for title in listed:
            assert title in own[at:]
            at = own.index(title, at) + 1
        return
    match = re.fullmatch(
        r"(\d+) entries, first '(.*)' -> physical page (\d+), last '(.*)' -> (\d+)", row.outline
    )
    assert match, f"unknown outline column {row.outline!r}"
    count, first, first_page, last, last_page = match.groups()
    assert len({section.ordinal for section in sections}) == len(sections) >= int(count)
    assert sections[0].path[-1] == first
    assert sections[0].start == document.tables.pages[int(first_page) - 1].start
    assert sections[-1].path[-1] == last
    assert sections[-1].start == document.tables.pages[int(last_page) - 1].start


def _check_metadata(row: Row, document: CanonicalDocument) -> None:
    """Metadata of the file are candidates with their origin (R102)."""
    if not row.metadata:
        return
    found = [(item.field, item.value) for item in document.candidates]
    assert all(item.origin for item in document.candidates)
    if row.metadata.startswith("titles="):
        # Python's repr of two lists; a title may hold an apostrophe.
        titles, creators = re.findall(r"\[(.*?)\]", row.metadata)[:2]
        expected = [("title", value) for value in _list(titles)]
        expected += [("author", value) for value in _list(creators)]
        if row.file == "epub/idpf-regime-anticancer-arabic.epub":
            expected[-1] = ("translator", expected[-1][1])  # the package says role trl
        for pair in expected:
            assert (pair[0], _squeezed(pair[1])) in found
        order = [value for field, value in found if field == "author"]
        assert order == [value for field, value in expected if field == "author"]
        return
    if row.metadata.startswith("xmp "):
        assert ("title", "Sample PDF with XMP Metadata") in found
        assert ("author", "John Doe") in found
        assert {item.origin for item in document.candidates} == {"XMP"}
        return
    pairs = re.findall(r"(title|author)='([^']*)'", row.metadata)
    assert pairs, f"unknown metadata column {row.metadata!r}"
    for field, value in pairs:
        assert (field, value) in found


def _list(text: str) -> list[str]:
    return [single or double for single, double in re.findall(r"""'([^']*)'|"([^"]*)\"""", text)]


@needs_files
def test_a_given_password_opens_the_file(pool: ReaderPool) -> None:
    row = next(row for row in ROWS if row.file == "pdf/libreoffice-writer-password.pdf")
    document = _ingest(pool, row, password="openpassword")
    assert document.text.startswith("Lorem ipsum")


@needs_files
def test_a_stated_encoding_reads_the_file(pool: ReaderPool) -> None:
    row = next(row for row in ROWS if row.file == "txt/testTXT_win-1252.txt")
    document = _ingest(pool, row, encoding="windows-1252")
    assert "“" in document.text
    assert document.profile.steps[0].name == "decode:cp1252"


@needs_files
def test_worked_example_of_the_hyphen_file(pool: ReaderPool) -> None:
    """D5: hyphens and soft hyphens at line ends stay; joining belongs to the search projection."""
    row = next(row for row in ROWS if row.file == "pdf/hyphens.pdf")
    assert _ingest(pool, row).text == "The evi-\ndence was incon\u00ad\nclusive; well-\nknown co-operation."


@needs_files
def test_exact_unicode_stays(pool: ReaderPool) -> None:
    """R13: NFD, joiners, U+2028 and U+0085 stay, and only LF ends a line."""
    row = next(row for row in ROWS if row.file == "txt/combining-and-emoji.txt")
    document = _ingest(pool, row)
    assert document.text == (FILES / row.file).read_bytes().decode("utf-8")
    assert (
        document.locate(Span(0, len(document.text) - 1)).line_end
        == document.text.rstrip("\n").count("\n") + 1
    )


@needs_files
def test_nul_and_non_bmp_glyphs(pool: ReaderPool) -> None:
    """R13: NUL goes by a counted step, U+1D400 is one code point, the ligature stays."""
    row = next(row for row in ROWS if row.file == "pdf/tounicode-nul-nonbmp-lig.pdf")
    document = _ingest(pool, row)
    assert document.text.replace(" ", "") == "AA\U0001d400\U0001d400\ufb01\ufb01"
    assert {step.name: step.count for step in document.profile.steps}["strip-controls"] == 2

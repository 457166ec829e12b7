"""The contract of ``ports.SourceReader``, for each reader: the four of the kinds, HTML text, and pdfium.

A reader answers consistently and always the same, or raises an IngestError with a hint; nothing else ever
comes out of it, whatever bytes go in.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmtui.errors import IngestError
from cmtui.ingest.build import build_document, check_answer
from cmtui.ingest.profiles import Reading
from cmtui.ingest.readers import reader_for
from cmtui.model.identity import SourceKind, SourceVersion, sha256_bytes
from cmtui.model.ingest import ReadDocument
from cmtui.ports import SourceReader
from support.epub_fixtures import make_epub, make_zip, page
from support.pdf_fixtures import make_pdf, to_unicode_map, xmp_packet


@dataclass(frozen=True)
class Sample:
    kind: SourceKind
    content: bytes
    quotable: str
    reading: Reading = Reading.CANON

    def __str__(self) -> str:
        return str(self.kind) if self.reading is Reading.CANON else str(self.reading)


PDF = make_pdf(
    ["First page of words.\nSecond line.", "Second page.", "Third page."],
    labels="0 << /S /r >> 1 << /S /D >>",
    outline=[(1, "One", 1), (2, "Two", 2)],
    info={"Title": "T", "Author": "A"},
    xmp=xmp_packet(title="X"),
    to_unicode=to_unicode_map({"Z": "D835"}),
)
EPUB = make_epub(
    {
        "a.xhtml": page("<h1>One</h1><p>First page of words.</p><p id='p2'>More.</p>"),
        "b.xhtml": page("<h1>Two</h1><p>Last words &eacute;.</p>"),
    },
    nav="<nav epub:type='toc'><ol><li><a href='a.xhtml'>One</a></li></ol></nav>"
    "<nav epub:type='page-list'><ol><li><a href='a.xhtml#p2'>2</a></li></ol></nav>",
)
SAMPLES = [
    Sample(SourceKind.PDF, PDF, "First page of words."),
    Sample(SourceKind.EPUB, EPUB, "First page of words."),
    Sample(
        SourceKind.MARKDOWN, b"---\ntitle: t\n---\n# One\n\nFirst page of words.\n", "First page of words."
    ),
    Sample(SourceKind.TEXT, b"First page of words.\r\n\r\n\fMore.\n", "First page of words."),
    Sample(
        SourceKind.TEXT,
        b"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>T</title></head><body><h1>One</h1>"
        b"<p>First page of <b>words</b>.</p><ul><li>One</ul><table><tr><td>a<td>b</table></body></html>",
        "First page of words.",
        Reading.HTML_TEXT,
    ),
    Sample(SourceKind.PDF, PDF, "First page of words.", Reading.PDFIUM),
]
needs_pdfium = pytest.mark.skipif(
    find_spec("pypdfium2") is None, reason="the extra [pdfium] is not installed: pip install 'cmtui[pdfium]'"
)
each = pytest.mark.parametrize(
    "sample",
    [
        pytest.param(sample, marks=needs_pdfium if sample.reading is Reading.PDFIUM else (), id=str(sample))
        for sample in SAMPLES
    ],
)


def read_or_refuse(kind: SourceKind, content: bytes, reading: Reading = Reading.CANON) -> ReadDocument | None:
    """The answer, checked; None when the reader refused as its contract allows."""
    refused: IngestError | None = None
    try:
        answer = reader_for(kind, reading).read(content)
    except IngestError as error:
        refused = error
    else:
        check_answer(answer)
        return answer
    assert refused.message.endswith(".")
    assert refused.hint
    return None


@each
def test_a_reader_is_a_source_reader(sample: Sample) -> None:
    reader: SourceReader = reader_for(sample.kind, sample.reading)
    assert reader.read(sample.content, encoding=None, password=None)


@each
def test_the_answer_is_consistent_and_quotable(sample: Sample) -> None:
    answer = reader_for(sample.kind, sample.reading).read(sample.content)
    check_answer(answer)
    version = SourceVersion(sample.kind, sha256_bytes(sample.content), len(sample.content))
    document = build_document(answer, version=version)
    assert any(sample.quotable in document.passage_text(passage) for passage in document.passages)


@each
def test_the_answer_is_always_the_same(sample: Sample) -> None:
    """R191, R23."""
    assert reader_for(sample.kind, sample.reading).read(sample.content) == reader_for(
        sample.kind, sample.reading
    ).read(sample.content)


@each
def test_the_steps_are_named_in_order_whatever_they_counted(sample: Sample) -> None:
    """R16."""
    profile = reader_for(sample.kind, sample.reading).read(sample.content).profile
    assert profile.label == f"{sample.reading.value}/1"
    second = {Reading.HTML_TEXT: ["html-text"], Reading.PDFIUM: ["line-end-hyphens"]}.get(sample.reading, [])
    assert [step.name for step in profile.steps][1:] == [
        *second,
        "repair-surrogates",
        "newlines",
        "strip-controls",
        "join",
    ]


@each
def test_empty_and_foreign_bytes_are_refused_or_read(sample: Sample) -> None:
    assert read_or_refuse(sample.kind, b"", sample.reading) is None
    for content in (
        b"\0" * 100,
        b"\xff\xfe",
        b"%PDF-",
        b"PK\x03\x04",
        make_zip({"a": b"b"}),
        b"\xef\xbb\xbf",
    ):
        read_or_refuse(sample.kind, content, sample.reading)


@each
def test_damaged_bytes_are_refused_or_read(sample: Sample) -> None:
    """Cuts, flipped bytes, doubled and lost stretches, always the same ones."""
    chance = random.Random(20261201)
    content = sample.content
    for _ in range(120):
        at = chance.randrange(len(content))
        width = chance.randrange(1, 40)
        damaged = chance.choice(
            [
                content[:at],
                content[:at] + bytes(chance.randrange(256) for _ in range(width)) + content[at + width :],
                content[:at] + content[at : at + width] * 3 + content[at + width :],
                content[:at] + content[at + width :],
            ]
        )
        read_or_refuse(sample.kind, damaged, sample.reading)


@given(st.binary(max_size=300))
def test_any_bytes_as_text_and_markdown(content: bytes) -> None:
    for kind in (SourceKind.TEXT, SourceKind.MARKDOWN):
        read_or_refuse(kind, content)


@given(st.text(max_size=200))
def test_any_markup_as_a_chapter(body: str) -> None:
    read_or_refuse(SourceKind.EPUB, make_epub({"c.xhtml": page(body).encode("utf-8", "replace")}))


@given(st.text(max_size=200))
def test_any_markup_as_a_web_page(body: str) -> None:
    content = f"<html><body>{body}</body></html>".encode("utf-8", "replace")
    read_or_refuse(SourceKind.TEXT, content, Reading.HTML_TEXT)

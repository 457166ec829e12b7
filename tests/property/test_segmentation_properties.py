"""Invariants of segmentation and canonicalization on any text (R13, D14)."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cmtui.errors import IngestError
from cmtui.ingest.build import build_document, check_answer
from cmtui.ingest.canonical import Canonicalizer
from cmtui.ingest.readers.markdown import MarkdownReader
from cmtui.ingest.readers.text import TextReader
from cmtui.ingest.segmentation import MAXIMUM, passages, sentences
from cmtui.model.identity import SourceKind, SourceVersion, sha256_bytes, sha256_text
from cmtui.model.ingest import Block
from cmtui.model.selectors import Span
from cmtui.model.source import LocatorTables, PageBasis, PageMark

#: Any text, leaning towards the characters that matter here.
_PIECES = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        [". ", "! ", "?", "...", "e.g. ", "Dr. ", "\n", "\n\n", " \n \n", "\f", "\r\n", "\r", "\u2028"]
    ),
    st.sampled_from(
        ["\u0085", "\u00a0", "\u200b", "\ufeff", "\x00", "\x1c", "。", "“Yes.” ", "[12] ", "x" * 700]
    ),
    st.sampled_from(
        ["# H\n", "```\n", "---\n", "- item\n", "| a | b |\n|---|---|\n", "CHAPTER I\n\n", "References\n\n"]
    ),
)
TEXTS = st.lists(_PIECES, max_size=40).map("".join)
#: The same with surrogates, alone and in pairs, as extractors give them.
RAW = st.lists(
    st.one_of(_PIECES, st.sampled_from(["\ud835", "\udc00", "\ud835\udc00", "\ufffe", "\uffff"])), max_size=30
).map("".join)


def _covers(text: str, spans: list[Span], start: int, end: int) -> None:
    at = start
    for span in spans:
        assert at <= span.start < span.end <= end
        assert not text[at : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        at = span.end
    assert not text[at:end].strip()


@given(TEXTS)
def test_sentences_are_sorted_disjoint_trimmed_and_cover_all(text: str) -> None:
    _covers(text, sentences(text), 0, len(text))


@given(TEXTS, st.data())
def test_sentences_of_a_span_stay_inside_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = sentences(text, Span(start, end))
    _covers(text, found, start, end)
    assert found == [span.shift(start) for span in sentences(text[start:end])]


@given(TEXTS, st.data())
def test_passages_cover_their_blocks_and_never_cross_an_edge(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    blocks = [Block(a, b) for a, b in pairwise(cuts)]
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=4)) | {0, len(text)})
    marks = tuple(PageMark(a, b, n) for n, (a, b) in enumerate(pairwise(edges), start=1))
    tables = LocatorTables(pages=marks, page_basis=PageBasis.PHYSICAL)
    made = passages(text, blocks, tables)
    inside = [False] * len(text)
    at = 0
    for index, passage in enumerate(made):
        assert passage.index == index
        assert at <= passage.start < passage.end
        assert passage.end - passage.start <= MAXIMUM
        assert passage.text_sha256 == sha256_text(text[passage.start : passage.end])
        assert not any(passage.start < edge < passage.end for edge in edges)
        inside[passage.start : passage.end] = [True] * (passage.end - passage.start)
        at = passage.end
    if blocks:
        outer = text[blocks[0].start : blocks[-1].end]
        offset = blocks[0].start
        assert all(inside[offset + i] or ch.isspace() for i, ch in enumerate(outer))


@given(RAW, st.booleans(), st.booleans())
def test_canonical_text_is_a_fixed_point_that_can_be_written(raw: str, pdf: bool, keep: bool) -> None:
    first = Canonicalizer("x", noncharacters=pdf, keep_form_feeds=keep)
    text = first.clean(raw)
    text.encode("utf-8")
    again = Canonicalizer("x", noncharacters=pdf, keep_form_feeds=keep)
    assert again.clean(text) == text
    assert all(step.count == 0 for step in again.profile_steps())
    assert "\r" not in text
    assert "\x00" not in text


@given(RAW)
def test_nothing_but_the_recorded_steps_changes_the_text(raw: str) -> None:
    """D5: every character that is not named by a step survives, in order."""
    canon = Canonicalizer("x", keep_form_feeds=True)
    text = canon.clean(raw)
    if not any(step.count for step in canon.profile_steps()):
        assert text == raw
    removed = len(raw) - len(text)
    assert 0 <= removed <= sum(step.count for step in canon.profile_steps())


@given(TEXTS)
def test_readers_answer_with_tables_in_range_that_slice_back(text: str) -> None:
    for reader, kind in ((TextReader(), SourceKind.TEXT), (MarkdownReader(), SourceKind.MARKDOWN)):
        content = text.encode("utf-8")
        try:
            read = reader.read(content, name="any")
        except IngestError:
            continue
        check_answer(read)
        for mark in (*read.blocks, *read.tables.paragraphs):
            piece = read.text[mark.start : mark.end]
            assert piece == piece.strip()
        document = build_document(read, version=SourceVersion(kind, sha256_bytes(content), len(content)))
        for passage in document.passages:
            locators = document.locate(passage.span)
            assert locators.line_start == 1 + document.text.count("\n", 0, passage.start)
            assert locators.line_end == 1 + document.text.count("\n", 0, passage.end)

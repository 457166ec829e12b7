"""A worker's answer is data, not truth: each inconsistency is refused (architecture.md, Processes)."""

from __future__ import annotations

import dataclasses

import pytest

from cmtui.errors import IngestError, NoText
from cmtui.ingest.build import build_document
from cmtui.ingest.limits import ReadLimits
from cmtui.ingest.sandbox import read_source_inline
from cmtui.model.identity import Extractor, ProfileStep, SourceKind, SourceVersion, sha256_bytes, sha256_text
from cmtui.model.ingest import Block, ReadDocument
from cmtui.model.source import (
    ChapterMark,
    IngestWarning,
    LocatorTables,
    MetadataCandidate,
    PageBasis,
    PageMark,
    ParagraphMark,
    PrintPageMark,
    SectionMark,
)

CONTENT = b"First sentence here. Second sentence here.\n\nAnother paragraph.\n"
VERSION = SourceVersion(SourceKind.TEXT, sha256_bytes(CONTENT), len(CONTENT))
READ = read_source_inline(CONTENT, SourceKind.TEXT)


def changed(**fields: object) -> ReadDocument:
    return dataclasses.replace(READ, **fields)  # type: ignore[arg-type]


def tables(**fields: object) -> ReadDocument:
    return changed(tables=LocatorTables(**fields))  # type: ignore[arg-type]


def test_a_consistent_answer_becomes_a_document() -> None:
    document = build_document(READ, version=VERSION)
    assert document.text == CONTENT.decode()
    assert document.text_sha256 == sha256_text(document.text)
    assert document.version is VERSION
    assert document.profile == READ.profile
    (passage,) = document.passages
    assert document.passage_text(passage) == document.text.strip()
    assert document.locate(passage.span).line_end == 3


def test_no_passage_is_no_document() -> None:
    with pytest.raises(NoText):
        build_document(changed(blocks=()), version=VERSION)


PROFILE = READ.profile
N = len(READ.text)

BAD = {
    "block out of range": changed(blocks=(Block(0, N + 1),)),
    "block reversed": changed(blocks=(Block(5, 3),)),
    "block empty": changed(blocks=(Block(3, 3),)),
    "block negative": changed(blocks=(Block(-1, 3),)),
    "blocks overlap": changed(blocks=(Block(0, 9), Block(8, 12))),
    "blocks unsorted": changed(blocks=(Block(8, 12), Block(0, 4))),
    "surrogate": changed(text="a\ud800"),
    "nul": changed(text="a\0"),
    "carriage return": changed(text="a\r\nb"),
    "page order": tables(pages=(PageMark(4, 8, 1), PageMark(0, 3, 2)), page_basis=PageBasis.PHYSICAL),
    "page number": tables(pages=(PageMark(0, 3, 2),), page_basis=PageBasis.PHYSICAL),
    "page basis": tables(pages=(PageMark(0, 3, 1),)),
    "page range": tables(pages=(PageMark(0, N + 1, 1),), page_basis=PageBasis.PHYSICAL),
    "label length": tables(pages=(PageMark(0, 3, 1, "x" * 5000),), page_basis=PageBasis.PHYSICAL),
    "print page range": tables(print_pages=(PrintPageMark(N + 1, "1"),)),
    "print page order": tables(print_pages=(PrintPageMark(5, "1"), PrintPageMark(4, "2"))),
    "chapter overlap": tables(chapters=(ChapterMark(0, 9, 1, "a"), ChapterMark(8, 12, 2, "b"))),
    "chapter spine": tables(chapters=(ChapterMark(0, 9, 0, "a"),)),
    "section path": tables(sections=(SectionMark(0, 9, (), 1),)),
    "section control": tables(sections=(SectionMark(0, 9, ("a\0",), 1),)),
    "paragraph number": tables(paragraphs=(ParagraphMark(0, 9, 0),)),
    "profile name": changed(profile=dataclasses.replace(PROFILE, name="other")),
    "profile version": changed(profile=dataclasses.replace(PROFILE, version="2")),
    "profile steps": changed(profile=dataclasses.replace(PROFILE, steps=PROFILE.steps[1:])),
    "step count": changed(
        profile=dataclasses.replace(PROFILE, steps=(ProfileStep("decode:utf-8", -1), *PROFILE.steps[1:]))
    ),
    "step name": changed(
        profile=dataclasses.replace(PROFILE, steps=(ProfileStep("décode"), *PROFILE.steps[1:]))
    ),
    "extractor": changed(profile=dataclasses.replace(PROFILE, extractor=Extractor("é", "1"))),
    "candidate": changed(candidates=(MetadataCandidate("title", "x" * 5000, "front matter"),)),
    "candidates": changed(candidates=(MetadataCandidate("title", "x", "y"),) * 1001),
    "warning page": changed(warnings=(IngestWarning("code", "message", (0,)),)),
    "language": changed(language="e\ud800"),
}


@pytest.mark.parametrize("answer", BAD.values(), ids=BAD.keys())
def test_an_inconsistent_answer_is_refused(answer: ReadDocument) -> None:
    with pytest.raises(IngestError) as raised:
        build_document(answer, version=VERSION)
    assert raised.value.hint


def test_an_answer_over_the_limit_is_refused() -> None:
    with pytest.raises(IngestError, match="more than 10"):
        build_document(READ, version=VERSION, limits=ReadLimits(characters=10))

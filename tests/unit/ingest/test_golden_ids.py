"""Golden ids: the same bytes give the same ids on every machine, after every rebuild and upgrade (R23, R10).

A change of any value here is a change of identity for every library in the world: it needs a new profile
version (R24), never a new golden value for an old one.
"""

from __future__ import annotations

import dataclasses

from cmtui.ingest.build import build_document
from cmtui.ingest.sandbox import read_source_inline
from cmtui.model.identity import (
    CanonicalContent,
    CanonicalizationProfile,
    Extractor,
    ProfileStep,
    SourceArtifact,
    SourceKind,
    SourceVersion,
    sha256_bytes,
    sha256_text,
    span_id,
)
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument

TEXT = (
    "\ufeffThe evi-\r\ndence was incon\u00ad\nclusive.\r\rCafe\u0301 \ufb01 \U0001d400 \u2028 \x07end.\n"
).encode()
MARKDOWN = b"---\ntitle: A title\n---\n\n# One\n\nA *claim*.\n\n## Two\n\nMore.\n"

GOLDEN = {
    "text version": "00142e63a484fb8bf10fe1975c0968997300619bf246fe46ea3b034186662c4e",
    "text sha256": "3ff0c54ca311c10191c077f61516c9bca2f8c2d7aa96376c00fb92e55cf88d0f",
    "text content": "91debef48b5a6b24cffa49632cd7f27aa6a481372777390aceed73ab6e6cd63c",
    "text span": "5cb829600bfa9f904ad0f1b50a3fa8a7af8b119403d912cb3203acf7bc61baa9",
    "markdown version": "1fc0d48f0985508478cbb93285996364dab580600b927ab6aba67ca3fb3ad4c5",
    "markdown content": "ad70f48829c00e23e32bd49dd563740d3b0d4391ff7df6386abd7ab2ccab440a",
    "markdown span": "a99c8dc22f483155330419c95ceb1d68bbc2d0de232b4f5b11bdb3a023472077",
    "pdf content": "0a18cb5df06d1324b4a05e251b82999119cce0a94650548aa66060807f8fecde",
    "epub content": "b73c29feb23552d11d8ef7c312a05b11257154fdd6cc7193cad62d31e6ea4752",
    "artifact": "ad8a9c0336f6e7ff464ae24af3804e02a6993faaca04d7aee13ca942c3092aa2",
}


def document_of(content: bytes, kind: SourceKind) -> CanonicalDocument:
    version = SourceVersion(kind, sha256_bytes(content), len(content))
    return build_document(read_source_inline(content, kind), version=version)


def span_of(document: CanonicalDocument, text: str) -> str:
    start = document.text.index(text)
    return span_id(document.document_id, Span(start, start + len(text)), sha256_text(text))


def test_text() -> None:
    document = document_of(TEXT, SourceKind.TEXT)
    assert (
        document.text
        == "The evi-\ndence was incon\u00ad\nclusive.\n\nCafe\u0301 \ufb01 \U0001d400 \u2028 end.\n"
    )
    assert document.version.version_id == GOLDEN["text version"]
    assert document.text_sha256 == GOLDEN["text sha256"]
    assert document.document_id == GOLDEN["text content"]
    assert span_of(document, "evi-\ndence") == GOLDEN["text span"]


def test_markdown() -> None:
    document = document_of(MARKDOWN, SourceKind.MARKDOWN)
    assert document.text.encode() == MARKDOWN
    assert document.version.version_id == GOLDEN["markdown version"]
    assert document.document_id == GOLDEN["markdown content"]
    assert span_of(document, "A *claim*.") == GOLDEN["markdown span"]


def _fixed(kind: SourceKind, extraction: str, extractor: Extractor) -> CanonicalContent:
    steps = (extraction, "repair-surrogates", "newlines", "strip-controls", "join")
    text = "Page one.\fPage two."
    return CanonicalContent(
        SourceVersion(kind, sha256_bytes(b"the bytes"), 9).version_id,
        CanonicalizationProfile("cmtui-canon", "1", tuple(map(ProfileStep, steps)), extractor),
        sha256_text(text),
        len(text),
    )


def test_a_fixed_pdf_profile() -> None:
    """settlements.md 2.19: pypdf's version is part of the profile, so a given one is pinned."""
    content = _fixed(SourceKind.PDF, "pdf-text:plain", Extractor("pypdf", "7.1.1"))
    assert content.content_id == GOLDEN["pdf content"]


def test_a_fixed_epub_profile() -> None:
    content = _fixed(SourceKind.EPUB, "epub-text", Extractor("cmtui-epub", "1"))
    assert content.content_id == GOLDEN["epub content"]


def test_artifact() -> None:
    artifact = SourceArtifact(SourceKind.PDF, "https://doi.org/10.1000/182")
    assert artifact.artifact_id == GOLDEN["artifact"]


def test_counts_are_no_part_of_an_id_but_the_profile_version_is() -> None:
    """R13, R24: a new profile version is another content; what a step counted is not."""
    document = document_of(TEXT, SourceKind.TEXT)
    zero = tuple(ProfileStep(step.name) for step in document.profile.steps)
    assert (
        dataclasses.replace(document, profile=dataclasses.replace(document.profile, steps=zero)).document_id
        == GOLDEN["text content"]
    )
    assert (
        dataclasses.replace(document, profile=dataclasses.replace(document.profile, version="2")).document_id
        != GOLDEN["text content"]
    )

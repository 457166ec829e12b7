"""Small canonical documents made in memory, for tests that need a document but not a reader.

The texts are made of paragraphs (split at blank lines); each paragraph is one passage. Everything is
deterministic: the same arguments give the same ids.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cmtui.model.claim import EvidenceEntry
from cmtui.model.identity import (
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
from cmtui.model.selectors import Span, quote_selector
from cmtui.model.source import (
    CanonicalDocument,
    IngestWarning,
    LocatorTables,
    PageBasis,
    PageMark,
    ParagraphMark,
    Passage,
)

DEFAULT_TEXT = "Whales are mammals. They breathe air.\n\nSharks are fish. They have gills.\n"

_SUFFIX = {"text": "txt", "markdown": "md", "pdf": "pdf", "epub": "epub"}


def make_profile(name: str = "cmtui-test", version: str = "1") -> CanonicalizationProfile:
    """A profile of one step."""
    return CanonicalizationProfile(name, version, (ProfileStep("newlines", 0),), Extractor("test", "1"))


def make_document(
    text: str = DEFAULT_TEXT,
    *,
    kind: str = "text",
    name: str | None = None,
    reference: str | None = None,
    content: bytes | None = None,
    profile: CanonicalizationProfile | None = None,
    pages: Sequence[tuple[int, int]] = (),
    language: str | None = "en",
    warnings: Sequence[IngestWarning] = (),
) -> tuple[CanonicalDocument, bytes, SourceArtifact]:
    """A document of ``text`` with one passage per paragraph, its source bytes and its source.

    ``content`` defaults to the UTF-8 form of the text; ``reference`` to ``file:///library/<name>``, and
    ``name`` to one made from the text's digest, so that different texts are different sources.
    """
    source_kind = SourceKind(kind)
    raw = text.encode("utf-8") if content is None else content
    file_name = name or f"{sha256_text(text)[:8]}.{_SUFFIX[kind]}"
    artifact = SourceArtifact(source_kind, reference or f"file:///library/{file_name}")
    spans = [(m.start(), m.end()) for m in re.finditer(r"\S(?:.|\n(?!\n))*", text)]
    spans = [(start, start + len(text[start:end].rstrip())) for start, end in spans]
    document = CanonicalDocument(
        version=SourceVersion(source_kind, sha256_bytes(raw), len(raw)),
        profile=profile or make_profile(),
        text=text,
        text_sha256=sha256_text(text),
        passages=tuple(
            Passage(index, start, end, sha256_text(text[start:end]))
            for index, (start, end) in enumerate(spans)
        ),
        tables=LocatorTables(
            pages=tuple(PageMark(start, end, n) for n, (start, end) in enumerate(pages, 1)),
            page_basis=PageBasis.PHYSICAL if pages else None,
            paragraphs=tuple(ParagraphMark(start, end, n) for n, (start, end) in enumerate(spans, 1)),
        ),
        language=language,
        warnings=tuple(warnings),
    )
    return document, raw, artifact


def make_evidence(document: CanonicalDocument, start: int, end: int) -> EvidenceEntry:
    """The line the evidence log holds for ``[start, end)`` of ``document``."""
    span = Span(start, end)
    selector = quote_selector(document.text, span)
    digest = sha256_text(selector.exact)
    return EvidenceEntry(
        evidence_id=span_id(document.document_id, span, digest),
        document_id=document.document_id,
        start=start,
        end=end,
        text_sha256=digest,
        exact=selector.exact,
        prefix=selector.prefix,
        suffix=selector.suffix,
    )

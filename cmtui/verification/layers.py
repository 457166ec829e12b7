"""Re-verification of recorded evidence: every layer recomputed from what the store holds now."""

from __future__ import annotations

from collections.abc import Callable

from cmtui.errors import CmtuiError
from cmtui.model.claim import EvidenceEntry
from cmtui.model.identity import sha256_bytes, sha256_text, span_id
from cmtui.model.source import CanonicalDocument, SourceRecord
from cmtui.model.verification import EvidenceCheck, Layer, LayerCheck
from cmtui.ports import DocumentRepository


def check_entry(repository: DocumentRepository, entry: EvidenceEntry) -> EvidenceCheck:
    """Recompute the four layers of ``entry``. Never raises for damage: a failed layer says what is wrong."""
    document: CanonicalDocument | None = None

    def artifact() -> str:
        source: SourceRecord = repository.source_of(entry.document_id)
        return f"{source.artifact.kind} {source.artifact.reference}"

    def content() -> str:
        nonlocal document
        document = repository.document(entry.document_id)
        if sha256_text(document.text) != document.text_sha256:
            raise CmtuiError("the canonical text does not hash to its digest")
        if document.content.content_id != entry.document_id:
            raise CmtuiError("the canonical content does not hash to its id")
        return f"{len(document.text):,} characters, {document.profile.label}"

    def version() -> str:
        held = repository.document(entry.document_id)
        data = repository.content_bytes(held.version.bytes_sha256)
        if sha256_bytes(data) != held.version.bytes_sha256:
            raise CmtuiError("the stored bytes do not hash to their digest")
        return f"{len(data):,} bytes match"

    def span() -> str:
        if document is None:
            raise CmtuiError("its canonical content did not verify")
        exact = document.slice(entry.span)
        if exact != entry.exact or sha256_text(exact) != entry.text_sha256:
            raise CmtuiError("the text at the span is not the recorded text")
        if span_id(entry.document_id, entry.span, entry.text_sha256) != entry.evidence_id:
            raise CmtuiError("the span does not hash to the evidence id")
        return f"[{entry.start}, {entry.end}) text equal"

    return EvidenceCheck(
        entry.evidence_id,
        (
            _run(Layer.ARTIFACT, artifact),
            _run(Layer.VERSION, version),
            _run(Layer.CONTENT, content),
            _run(Layer.SPAN, span),
        ),
    )


def _run(layer: Layer, check: Callable[[], str]) -> LayerCheck:
    try:
        return LayerCheck(layer, ok=True, reason=check())
    except CmtuiError as error:
        return LayerCheck(layer, ok=False, reason=error.message)

"""Acquisition: from a lead to a stored document, and to evidence only where the text is exactly there.

The adapter brings complete bytes (R25). They are written to a path that is named by their own digest, and
that path goes through the ordinary ingestion port (R26). What a provider said stays on the receipt (R29,
R30); a highlight becomes evidence only by exact match in the canonical text that was stored (R31 to R33).
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from cmtui.discovery.jsonlike import NotJsonLike, clean_text, json_like
from cmtui.errors import (
    AcquisitionError,
    Cancelled,
    CaptureValidationError,
    CmtuiError,
    CrossesPassage,
    HighlightAlignmentError,
    IngestError,
    InvalidRequest,
    QuoteAmbiguous,
    SpanOutOfRange,
    VerificationError,
)
from cmtui.model.claim import EvidenceSpanIdentity
from cmtui.model.discovery import (
    AcquisitionReceipt,
    CandidateHighlight,
    CapturedSource,
    DiscoveryCandidate,
    DiscoveryMetadata,
)
from cmtui.model.identity import SourceKind, sha256_bytes
from cmtui.model.ingest import IngestStatus
from cmtui.model.source import CanonicalDocument, SourceRecord
from cmtui.ports import CitationAcquisitionAdapter, Clock, KnowledgeRepository
from cmtui.verification.verifier import entry_of, occurrences, shorten, verify_quote

_SUFFIXES = {"pdf": ".pdf", "epub": ".epub", "markdown": ".md", "text": ".txt"}
_HTML = frozenset({"text/html", "application/xhtml+xml"})


class AcquiringMachine(Protocol):
    """What the service needs of a machine: its repository, and its ingestion port for captured bytes."""

    @property
    def repository(self) -> KnowledgeRepository:
        """Where documents, evidence and receipts are kept."""
        ...

    def ingest_captured(
        self, path: Path, *, kind: SourceKind, reference: str, html: str | None = None
    ) -> str:
        """Ingest a captured file under its reference and return the document id. Raises IngestError."""
        ...


class CitationAcquisitionService:
    """Captures candidates into a machine's store (R27, R28).

    ``html`` is how web pages are read: raw (their markup, the default) or text (D3).
    """

    def __init__(
        self, machine: AcquiringMachine, *, html: str | None = None, clock: Clock | None = None
    ) -> None:
        if html not in (None, "raw", "text"):
            raise InvalidRequest(f"There is no way of reading HTML called '{html}'.", "Use raw or text.")
        self._machine = machine
        self._html = html
        self._clock = clock

    def acquire(
        self, adapter: CitationAcquisitionAdapter, candidate: DiscoveryCandidate
    ) -> AcquisitionReceipt:
        """Capture, store, and promote the highlight when it stands exactly in the stored text.

        Raises AcquisitionError and IngestError, and then nothing was stored; HighlightAlignmentError, and
        then the document and its receipt were (R31 to R33); InvalidRequest, StoreError, Cancelled.
        """
        receipt, error = self._acquire(adapter, candidate)
        if error is not None:
            raise error
        return receipt

    def attempt(
        self, adapter: CitationAcquisitionAdapter, candidate: DiscoveryCandidate
    ) -> AcquisitionReceipt:
        """As ``acquire``, with a failure of this candidate on the receipt instead of raised (R68).

        Raises InvalidRequest, StoreError: they would meet every candidate alike.
        """
        try:
            return self._acquire(adapter, candidate)[0]
        except (AcquisitionError, IngestError, Cancelled) as error:
            return _with_error(self._receipt(_checked(candidate).discovery), error)

    # -- one candidate -------------------------------------------------------------------------------

    def _acquire(
        self, adapter: CitationAcquisitionAdapter, candidate: DiscoveryCandidate
    ) -> tuple[AcquisitionReceipt, HighlightAlignmentError | None]:
        candidate = _checked(candidate)
        captured = adapter.capture(candidate)
        _check_captured(captured, candidate)
        document, source, status = self._ingest(captured)
        receipt = replace(
            self._receipt(candidate.discovery),
            url=captured.url or candidate.discovery.url,
            source_id=source.source_id,
            document_id=document.document_id,
            source_version=document.version.version_id,
            status=str(status),
            media_type=captured.media_type,
            length_declared=captured.length_declared,
        )
        error = None
        if candidate.highlight is not None:
            try:
                identity = align(document, source, candidate.highlight)
            except HighlightAlignmentError as problem:
                error = problem
                receipt = _with_error(receipt, problem)
            else:
                self._machine.repository.record_evidence([entry_of(identity)])
                receipt = replace(
                    receipt, evidence=identity, evidence_id=identity.evidence_id, span=identity.span
                )
        return self._machine.repository.add_receipt(receipt), error

    def _ingest(self, captured: CapturedSource) -> tuple[CanonicalDocument, SourceRecord, IngestStatus]:
        """The stored document of captured bytes, its source, and what storing them changed."""
        repository = self._machine.repository
        kind = SourceKind(captured.source_kind)
        digest = sha256_bytes(captured.content)
        reference = captured.url or f"urn:sha256:{digest}"
        twins = set(repository.documents_of_bytes(digest))
        named = [s for s in repository.source_by_reference(reference) if s.artifact.kind is kind]
        suffix = ".html" if captured.media_type in _HTML else _SUFFIXES[str(kind)]
        with _stored_at(repository, digest, suffix, captured.content) as path:
            document_id = self._machine.ingest_captured(path, kind=kind, reference=reference, html=self._html)
        document = repository.document(document_id)
        if document.version.bytes_sha256 != digest:
            raise AcquisitionError(
                "The ingestion port stored other bytes than were captured.",
                "Use a port that stores exact bytes.",
            )
        source = repository.source_of(document_id)
        return document, source, _status(document_id, source, twins, named)

    def _receipt(self, discovery: DiscoveryMetadata) -> AcquisitionReceipt:
        if self._clock is not None:
            now = self._clock.now()
        else:
            from cmtui.store.clock import SystemClock

            now = SystemClock().now()
        return AcquisitionReceipt(discovery, url=discovery.url, acquired_at=now)


def align(
    document: CanonicalDocument, source: SourceRecord, highlight: CandidateHighlight
) -> EvidenceSpanIdentity:
    """The evidence that a highlight is, by exact match alone. Raises HighlightAlignmentError (R31 to R33)."""
    text, offset = highlight.text, highlight.offset
    try:
        return verify_quote(document, source, text, offset=offset)
    except QuoteAmbiguous as error:
        places = len(occurrences(document.text, text))
        raise HighlightAlignmentError(
            f"The highlight “{shorten(clean_text(text))}” stands {places} times in the captured text.",
            "Give the offset of the place that is meant; the document is stored.",
        ) from error
    except CrossesPassage as error:
        raise HighlightAlignmentError(
            f"The highlight “{shorten(clean_text(text))}” runs over the border of a passage.",
            "The document is stored: quote the part inside one passage.",
        ) from error
    except SpanOutOfRange as error:
        raise HighlightAlignmentError(
            f"The highlight's offset {offset} is not inside the captured text.",
            "The document is stored: search it for the words.",
        ) from error
    except VerificationError as error:
        where = "" if offset is None else f" at offset {offset}"
        raise HighlightAlignmentError(
            f"The highlight “{shorten(clean_text(text))}” does not stand{where} in the captured text, "
            "character for character.",
            "That is common: discovery systems shorten, stitch and clean what they show. The document is "
            "stored: search it for the words.",
        ) from error


# -- checks ------------------------------------------------------------------------------------------


def _checked(candidate: DiscoveryCandidate) -> DiscoveryCandidate:
    """The candidate with its metadata as plain JSON values. Raises InvalidRequest for anything opaque."""
    discovery = candidate.discovery
    try:
        named = json_like(
            {name: getattr(discovery, name) for name in discovery.__dataclass_fields__}, where="metadata"
        )
    except NotJsonLike as error:
        raise InvalidRequest(
            f"Discovery metadata holds JSON-like values alone, and {error}.", "Convert it first."
        ) from None
    for name in ("provider", "candidate_id"):
        if not isinstance(named[name], str) or not named[name]:
            raise InvalidRequest(f"The candidate has no {name}.", "Name the provider and its id.")
    highlight = candidate.highlight
    if highlight is not None:
        text, offset = highlight.text, highlight.offset
        whole = isinstance(offset, int) and not isinstance(offset, bool) and offset >= 0
        if not isinstance(text, str) or not text or not (offset is None or whole):
            raise InvalidRequest(
                "A highlight is a text that is not empty, with an offset of 0 or more or none.",
                "Offsets count the characters of the canonical text.",
            )
    return replace(candidate, discovery=DiscoveryMetadata(**named))


def _check_captured(captured: CapturedSource, candidate: DiscoveryCandidate) -> None:
    if not isinstance(captured, CapturedSource) or type(captured.content) is not bytes:
        raise AcquisitionError(
            "The adapter did not return a captured source with immutable bytes.",
            "An adapter's capture() returns CapturedSource(content=bytes, source_kind=...).",
        )
    if not captured.content:
        raise AcquisitionError("The adapter captured nothing (0 bytes).", "Check the candidate.")
    if str(captured.source_kind) not in _SUFFIXES:
        raise AcquisitionError(
            f"The adapter captured something of the kind '{captured.source_kind}'.",
            "The kinds are pdf, epub, markdown and text.",
        )
    if str(captured.source_kind) != str(candidate.source_kind):
        raise AcquisitionError(
            f"The adapter captured {captured.source_kind} where the candidate says {candidate.source_kind}.",
            "Correct the candidate's kind (dataclasses.replace), then capture it again.",
        )


@contextlib.contextmanager
def _stored_at(repository: KnowledgeRepository, digest: str, suffix: str, content: bytes) -> Iterator[Path]:
    """The bytes at a path that is named by their digest, for as long as the ingestion port reads it.

    The commit keeps them in the store under the same digest; a failed one leaves nothing behind.
    """
    derived = repository.derived
    parent = derived if derived is not None and derived.is_dir() else None
    try:
        folder = tempfile.mkdtemp(prefix="capture-", dir=parent)
    except OSError:
        folder = tempfile.mkdtemp(prefix="cmtui-capture-")
    path = Path(folder) / f"{digest}{suffix}"
    try:
        path.write_bytes(content)
        yield path
    finally:
        path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            Path(folder).rmdir()


def _status(
    document_id: str, source: SourceRecord, twins: set[str], named: list[SourceRecord]
) -> IngestStatus:
    """What storing the bytes changed, from what was there before."""
    known = any(document_id in record.documents for record in named)
    if document_id in twins:
        if not known:
            return IngestStatus.ALIAS
        current = any(record.documents[-1] == document_id for record in named)
        return IngestStatus.UNCHANGED if current else IngestStatus.NEW_VERSION
    if twins & set(source.documents):
        return IngestStatus.REPROFILED
    return IngestStatus.NEW_VERSION if named else IngestStatus.ADDED


def _with_error(receipt: AcquisitionReceipt, error: CmtuiError) -> AcquisitionReceipt:
    return replace(
        receipt,
        error=error.code,
        rule=error.rule if isinstance(error, CaptureValidationError) else None,
        message=clean_text(error.sentence),
        hint=clean_text(error.advice),
    )

"""The ports: Protocols that engines, indexes and backends are plugged in through.

Every port has one contract suite under ``tests/contract`` that each adapter passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from cmtui.model.bibliography import BibliographyRecord, CslItem, EditorialNotice, FormattedCitation
from cmtui.model.claim import Assessment, Claim, ClaimRun, EvidenceEntry
from cmtui.model.discovery import (
    AcquisitionReceipt,
    CapturedSource,
    DiscoveryCandidate,
    FoundWork,
    ProviderStatus,
    SavedReference,
)
from cmtui.model.identity import SourceArtifact
from cmtui.model.ingest import IngestStatus, ReadDocument
from cmtui.model.progress import CancelledCallback, ProgressCallback
from cmtui.model.removal import AcceptedQuote, Tombstone
from cmtui.model.retrieval import Filters, PassageProjection, ScoredPassage, SearchResult
from cmtui.model.review import EventDraft, ReviewEvent
from cmtui.model.sections import SectionAudit
from cmtui.model.source import CanonicalDocument, DocumentSummary, SourceRecord


class Clock(Protocol):
    """The time of day, injected so that tests and replays are deterministic."""

    def now(self) -> str:
        """UTC time in ISO 8601 with seconds, such as ``2026-12-01T09:30:00Z``."""
        ...


# -- persistence -------------------------------------------------------------------------------------


class DocumentRepository(Protocol):
    """Canonical documents and their sources. Documents are immutable; sources gain versions and names."""

    def commit_document(
        self,
        document: CanonicalDocument,
        *,
        content: bytes,
        artifact: SourceArtifact,
        aliases: Sequence[str] = (),
    ) -> IngestStatus:
        """Store a document with its exact source bytes, all or nothing.

        ``artifact`` is the source it was read from. The status says what changed: ADDED (a new source),
        NEW_VERSION (the source exists, these bytes are new), REPROFILED (same bytes, new profile) or
        UNCHANGED (this very document is there). Same bytes under another reference do not come here: see
        ``add_alias``.
        """
        ...

    def add_alias(self, source_id: str, reference: str, *, moved: bool) -> SourceRecord:
        """Join another reference to a source; ``moved`` says that the old path is gone."""
        ...

    def remove_document(
        self, document_id: str, *, reason: str, accepted: Sequence[AcceptedQuote] = ()
    ) -> Tombstone:
        """Remove a document, all or nothing; evidence and events stay. Raises NotFound."""
        ...

    def tombstone(self, document_id: str) -> Tombstone | None:
        """What is known of a removed document; None when it was not removed (or is here again)."""
        ...

    def tombstones(self) -> tuple[Tombstone, ...]:
        """The tombstones of all removed documents, sorted by document id."""
        ...

    def document_ids(self) -> tuple[str, ...]:
        """Ids of all documents, sorted."""
        ...

    def summaries(self) -> tuple[DocumentSummary, ...]:
        """One row per document, sorted by source name, then document id."""
        ...

    def summary(self, document_id: str) -> DocumentSummary:
        """The row of one document. Raises NotFound."""
        ...

    def document(self, document_id: str) -> CanonicalDocument:
        """The document, verified against its own id on first load.

        Raises NotFound (DocumentRemoved for one that was removed), SnapshotDamaged.
        """
        ...

    def documents_of_bytes(self, bytes_sha256: str) -> tuple[str, ...]:
        """Ids of the documents made from these bytes, sorted."""
        ...

    def content_bytes(self, bytes_sha256: str) -> bytes:
        """The exact source bytes, verified against their digest. Raises BlobDamaged."""
        ...

    def sources(self) -> tuple[SourceRecord, ...]:
        """All sources, sorted by name, then id."""
        ...

    def source(self, source_id: str) -> SourceRecord:
        """One source. Raises NotFound."""
        ...

    def source_of(self, document_id: str) -> SourceRecord:
        """The source a document belongs to. Raises NotFound."""
        ...

    def source_by_reference(self, reference: str) -> tuple[SourceRecord, ...]:
        """Sources whose reference or alias is ``reference``."""
        ...

    def update_source(
        self,
        source_id: str,
        *,
        page_offset: int | None = None,
        tags: Sequence[str] | None = None,
        clear_page_offset: bool = False,
    ) -> SourceRecord:
        """Change what the user may set; None leaves a field as it is."""
        ...

    def generation(self) -> int:
        """A counter that every commit of documents raises, in whichever process it happens."""
        ...


class EvidenceRepository(Protocol):
    """The append-only log of every layer-4 identity."""

    def record_evidence(self, entries: Sequence[EvidenceEntry]) -> None:
        """Append entries; those already there are no-ops."""
        ...

    def evidence(self, evidence_id: str) -> EvidenceEntry:
        """One entry by id or unique prefix. Raises NotFound, AmbiguousId."""
        ...

    def evidence_entries(self, document_id: str | None = None) -> tuple[EvidenceEntry, ...]:
        """All entries, or those of one document, in log order."""
        ...


class ClaimRepository(Protocol):
    """Claims and their immutable runs."""

    def save_claim(self, claim: Claim) -> None:
        """Create a claim or change its text, query, order or archived flag. Its runs are not touched."""
        ...

    def add_run(self, claim_id: str, run: ClaimRun) -> Claim:
        """Append a run unless the newest one is equal but for its time. Raises NotFound."""
        ...

    def claims(self, *, archived: bool = False) -> tuple[Claim, ...]:
        """Claims by order, then text; archived ones only when asked for."""
        ...

    def claim(self, claim_id: str) -> Claim:
        """One claim by id or unique prefix. Raises NotFound, AmbiguousId."""
        ...


class EventRepository(Protocol):
    """One append-only, hash-chained event log per reviewer."""

    def append_events(
        self, reviewer: str, drafts: Sequence[EventDraft], *, time: str | None = None
    ) -> tuple[ReviewEvent, ...]:
        """Append the drafts as one group, durably, before returning.

        ``time`` is when it happened, for what is imported from another store; None is now.
        """
        ...

    def events(self, reviewer: str) -> tuple[ReviewEvent, ...]:
        """The reviewer's log, oldest first. Raises LogDamaged when its chain is broken."""
        ...

    def reviewers(self) -> tuple[str, ...]:
        """Names of all reviewers with a log, sorted."""
        ...


class BibliographyRepository(Protocol):
    """Bibliography sidecars, keyed by source so that a new version keeps its metadata."""

    def bibliography(self, source_id: str) -> BibliographyRecord | None:
        """The record, or None. Raises SidecarMalformed."""
        ...

    def set_bibliography(
        self, source_id: str, item: CslItem, *, notices: Sequence[EditorialNotice] | None = None
    ) -> BibliographyRecord:
        """Replace the item; the old one goes to the record's history.

        ``notices`` replace the editorial notices of the look-up before; None leaves them as they are.
        """
        ...


class ReceiptRepository(Protocol):
    """Receipts of acquisition: history that nothing is ever verified against (R29, R34)."""

    def add_receipt(self, receipt: AcquisitionReceipt) -> AcquisitionReceipt:
        """Keep a receipt and return it with its id; an equal one is a no-op. Raises InvalidRequest."""
        ...

    def receipts(self, document_id: str | None = None) -> tuple[AcquisitionReceipt, ...]:
        """All receipts, or those of one document (its full id), oldest first, without their evidence."""
        ...


class AuditRepository(Protocol):
    """Audits of section runs (R175)."""

    def add_audit(self, audit: SectionAudit) -> SectionAudit:
        """Keep an audit and return it with its id; an equal one is a no-op. Raises InvalidRequest."""
        ...

    def audits(self) -> tuple[SectionAudit, ...]:
        """All audits, oldest first."""
        ...


class ReferenceRepository(Protocol):
    """Bibliography entries of works that have no source in the store."""

    def save_reference(self, reference: SavedReference) -> SavedReference:
        """Keep an entry, replacing the one with its id. Raises InvalidRequest."""
        ...

    def references(self) -> tuple[SavedReference, ...]:
        """Every entry, by title, then id."""
        ...

    def remove_reference(self, reference_id: str) -> SavedReference:
        """Remove an entry by id or unique prefix. Raises NotFound, AmbiguousId."""
        ...


@runtime_checkable
class KnowledgeRepository(
    DocumentRepository,
    EvidenceRepository,
    ClaimRepository,
    EventRepository,
    BibliographyRepository,
    ReceiptRepository,
    AuditRepository,
    ReferenceRepository,
    Protocol,
):
    """Everything the engine persists. Adapters: the store directory, and memory (R7)."""

    @property
    def root(self) -> Path | None:
        """The store directory, or None for memory."""
        ...

    @property
    def derived(self) -> Path | None:
        """The folder of derived data, which may be deleted at any time; None for memory."""
        ...


# -- the seed's public ports (R1, R7, R71) -----------------------------------------------------------


class CitationIngestionPort(Protocol):
    """Takes a path, gives a document id (R6)."""

    def ingest(self, path: str | Path) -> str:
        """Ingest one file and return its document id. Raises IngestError."""
        ...


class CitationSearchPort(Protocol):
    """Lexical search (R70)."""

    def search(
        self, query: str, *, filters: Filters | Mapping[str, Any] | None = None, limit: int = 10
    ) -> Sequence[SearchResult]:
        """Passages by lexical rank."""
        ...


@runtime_checkable
class CitationCandidatePort(Protocol):
    """Enumerates every eligible persisted passage (R71). A search port that also has this method can be
    searched semantically; one without it is refused by the new APIs (R83)."""

    def candidates(
        self, *, filters: Filters | Mapping[str, Any] | None = None
    ) -> Sequence[PassageProjection]:
        """All eligible passages as ID and text, in a deterministic order."""
        ...


# -- reading -----------------------------------------------------------------------------------------


class SourceReader(Protocol):
    """Turns bytes of one kind into canonical text and locators. Runs in a killable child process."""

    def read(
        self, content: bytes, *, encoding: str | None = None, password: str | None = None
    ) -> ReadDocument:
        """Raises IngestError."""
        ...


# -- retrieval ---------------------------------------------------------------------------------------


class LexicalIndex(Protocol):
    """A derived index over passages. It answers with IDs and scores only (R77)."""

    def covers(self) -> frozenset[str]:
        """Ids of the documents in the index."""
        ...

    def add(
        self,
        documents: Sequence[tuple[DocumentSummary, CanonicalDocument]],
        *,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> None:
        """Index documents; those already there are no-ops."""
        ...

    def remove(self, document_ids: Sequence[str]) -> None:
        """Forget documents."""
        ...

    def search(self, query: str, *, filters: Filters, limit: int) -> Sequence[ScoredPassage]:
        """Passages by BM25, best first; ties by passage id. Raises QueryError."""
        ...


class SemanticMatcher(Protocol):
    """Scores texts against a query; a part of an index that can be swapped (R76, R82)."""

    @property
    def name(self) -> str:
        """Name and revision, recorded with results."""
        ...

    def similarities(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One finite score per text, in order; 0 or less means unrelated."""
        ...


class SemanticIndex(Protocol):
    """Ranks candidates against a query and returns IDs and scores only (R77)."""

    def rank(
        self, query: str, candidates: Sequence[PassageProjection], *, limit: int | None = None
    ) -> Sequence[ScoredPassage]:
        """Candidates with a positive score, best first."""
        ...


@runtime_checkable
class DigestedPassages(Protocol):
    """What a lazy sequence of candidates offers besides being one, so that an index with vectors of its own
    need not read 200,000 texts per request (D4). Indexes also take plain sequences."""

    @property
    def pool_key(self) -> str:
        """Equal keys mean equal candidates in equal order; it may be kept between requests."""
        ...

    def text_digests(self) -> bytes:
        """The SHA-256 of each text (UTF-8) in order, 32 bytes each: ``Passage.text_sha256`` of ingest."""
        ...

    def passage_id(self, place: int) -> str:
        """The id of one candidate, without its text."""
        ...


# -- discovery and capture ---------------------------------------------------------------------------


class DiscoveryProvider(Protocol):
    """A search service for works or pages. Asked on explicit command only (D1)."""

    @property
    def name(self) -> str:
        """One of ``cmtui.model.discovery.PROVIDERS``."""
        ...

    def search(
        self, query: str, *, limit: int, cancelled: CancelledCallback
    ) -> tuple[Sequence[FoundWork], ProviderStatus]:
        """Rows in the provider's order and how it went; a failure is a status, never an exception."""
        ...


class CitationAcquisitionAdapter(Protocol):
    """Fetches the complete bytes behind a candidate (R25)."""

    def capture(self, candidate: DiscoveryCandidate) -> CapturedSource:
        """Complete bytes, never text of the discovery system. Raises AcquisitionError."""
        ...


class Fetcher(Protocol):
    """Fetches a document from its URL (R65)."""

    def fetch(self, url: str, *, timeout: float, max_response_bytes: int) -> Mapping[str, Any]:
        """``{status: int, headers: {str: str}, content: bytes}``. Raises AcquisitionError."""
        ...


# -- inference and formatting ------------------------------------------------------------------------


class InferenceBackend(Protocol):
    """Says how passages stand to a claim (R86). Similarity is never proof."""

    @property
    def name(self) -> str:
        """Name and revision, recorded in runs."""
        ...

    def assess(self, claim: str, passages: Sequence[PassageProjection]) -> Sequence[Assessment]:
        """One assessment per passage, in order."""
        ...


@runtime_checkable
class ObservedInference(Protocol):
    """A backend slow enough to say how far it is and to be stopped within one call."""

    def assess_with(
        self,
        claim: str,
        passages: Sequence[PassageProjection],
        *,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> Sequence[Assessment]:
        """As ``assess``; progress counts passages. Raises Cancelled."""
        ...


class CitationFormatter(Protocol):
    """Formats CSL-JSON items (R106)."""

    def format(
        self,
        item: CslItem,
        *,
        style: str,
        form: str = "reference",
        locator: str | None = None,
        output: str = "plain",
    ) -> FormattedCitation:
        """One item. Raises UnknownStyle, UnsupportedForm, InvalidMetadata."""
        ...

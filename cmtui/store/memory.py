"""The repository in memory (R7): the same rules as the store directory, gone when the process ends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import RLock

from cmtui.errors import AmbiguousId, BlobDamaged, LogDamaged, NotFound
from cmtui.model.bibliography import BibliographyRecord, CslItem, EditorialNotice
from cmtui.model.claim import Claim, ClaimRun, EvidenceEntry
from cmtui.model.discovery import AcquisitionReceipt, SavedReference
from cmtui.model.identity import SourceArtifact, sha256_bytes
from cmtui.model.ingest import IngestStatus
from cmtui.model.removal import AcceptedQuote, Tombstone
from cmtui.model.review import EventDraft, ReviewEvent
from cmtui.model.sections import SectionAudit
from cmtui.model.source import CanonicalDocument, DocumentSummary, SourceRecord
from cmtui.ports import Clock
from cmtui.store.audits import decoded as decoded_audit
from cmtui.store.audits import encoded as encoded_audit
from cmtui.store.audits import in_order as audits_in_order
from cmtui.store.bibliography import revised
from cmtui.store.claims import in_order, merged, with_run
from cmtui.store.clock import SystemClock
from cmtui.store.events import Link, chain, follow
from cmtui.store.evidence_log import by_document, check_entry, log_of
from cmtui.store.ids import resolve
from cmtui.store.layout import reviewer_file_name
from cmtui.store.library import Library, check_commit, row_of
from cmtui.store.receipts import decoded, encoded
from cmtui.store.receipts import in_order as receipts_in_order
from cmtui.store.references import decoded as reference_of
from cmtui.store.references import encoded as reference_bytes
from cmtui.store.references import in_order as references_in_order
from cmtui.store.references import revised as revised_reference
from cmtui.store.removed import removed_error


class InMemoryKnowledgeRepository:
    """A ``cmtui.ports.KnowledgeRepository`` without a directory."""

    def __init__(self, *, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._mutex = RLock()
        self._library = Library()
        self._documents: dict[str, CanonicalDocument] = {}
        self._blobs: dict[str, bytes] = {}
        self._counter = 0
        self._evidence: list[EvidenceEntry] = []
        self._evidence_by_id: dict[str, EvidenceEntry] = {}
        self._claims: dict[str, Claim] = {}
        self._tombstones: dict[str, Tombstone] = {}
        self._events: dict[str, list[Link]] = {}
        self._bibliography: dict[str, BibliographyRecord] = {}
        self._receipts: dict[str, bytes] = {}
        self._audits: dict[str, bytes] = {}
        self._references: dict[str, SavedReference] = {}

    @property
    def root(self) -> Path | None:
        """None: nothing is on disk."""
        return None

    @property
    def derived(self) -> Path | None:
        """None: nothing is on disk."""
        return None

    @property
    def read_only(self) -> str | None:
        """None: memory can always be written."""
        return None

    def notices(self) -> tuple[str, ...]:
        """Nothing is ever put right in memory."""
        return ()

    # -- documents -----------------------------------------------------------------------------------

    def commit_document(
        self,
        document: CanonicalDocument,
        *,
        content: bytes,
        artifact: SourceArtifact,
        aliases: Sequence[str] = (),
    ) -> IngestStatus:
        """Store a document with its exact source bytes. Raises InvalidRequest."""
        check_commit(document, content, artifact)
        with self._mutex:
            placement = self._library.place(document, artifact, aliases, self._clock.now())
            if document.document_id not in self._documents:
                self._documents[document.document_id] = document
                self._blobs.setdefault(document.version.bytes_sha256, bytes(content))
                self._tombstones.pop(document.document_id, None)
                self._library.put_row(row_of(document))
                self._counter += 1
            self._library.put_source(placement.source)
            return placement.status

    def add_alias(self, source_id: str, reference: str, *, moved: bool) -> SourceRecord:
        """Join another reference to a source. Raises NotFound."""
        with self._mutex:
            source = self._library.aliased(source_id, reference, moved=moved)
            self._library.put_source(source)
            return self.source(source.source_id)

    def update_source(
        self,
        source_id: str,
        *,
        page_offset: int | None = None,
        tags: Sequence[str] | None = None,
        clear_page_offset: bool = False,
    ) -> SourceRecord:
        """Change what the user may set. Raises NotFound."""
        with self._mutex:
            source = self._library.updated(source_id, page_offset, tags, clear_page_offset=clear_page_offset)
            self._library.put_source(source)
            return self.source(source.source_id)

    def remove_document(
        self, document_id: str, *, reason: str, accepted: Sequence[AcceptedQuote] = ()
    ) -> Tombstone:
        """Remove a document by id or unique prefix; evidence and events stay. Raises NotFound."""
        with self._mutex, self._telling_removal(document_id):
            library = self._library
            full = library.document_id(document_id)
            row, source = library.rows[full], library.owner(full)
            tombstone = Tombstone(
                document_id=full,
                version_id=row.version_id,
                source_id=source.source_id,
                kind=row.kind,
                reference=source.reference,
                bytes_sha256=row.bytes_sha256,
                size=row.size,
                reason=reason,
                removed_at=self._clock.now(),
                accepted=tuple(accepted),
            )
            self._tombstones[full] = tombstone
            for record in library.without(full):
                library.put_source(record)
            library.remove_row(full)
            del self._documents[full]
            if not library.documents_of_bytes(row.bytes_sha256):
                del self._blobs[row.bytes_sha256]
            self._counter += 1
            return tombstone

    def tombstone(self, document_id: str) -> Tombstone | None:
        """What is known of a removed document, by id or unique prefix; None when it was not removed."""
        with self._mutex:
            found = [key for key in self._tombstones if key.startswith(document_id.strip().lower())]
            return self._tombstones[found[0]] if document_id and len(found) == 1 else None

    def tombstones(self) -> tuple[Tombstone, ...]:
        """The tombstones of all removed documents, sorted by document id."""
        with self._mutex:
            return tuple(self._tombstones[key] for key in sorted(self._tombstones))

    @contextlib.contextmanager
    def _telling_removal(self, value: str) -> Iterator[None]:
        """Turn NotFound into DocumentRemoved where the document was removed."""
        try:
            yield
        except AmbiguousId:
            raise
        except NotFound:
            tombstone = self.tombstone(value)
            if tombstone is None:
                raise
            raise removed_error(tombstone) from None

    def document_ids(self) -> tuple[str, ...]:
        """Ids of all documents, sorted."""
        with self._mutex:
            return self._library.ids

    def summaries(self) -> tuple[DocumentSummary, ...]:
        """One row per document, sorted by source name, then document id."""
        with self._mutex:
            return self._library.summaries()

    def summary(self, document_id: str) -> DocumentSummary:
        """The row of one document, by id or unique prefix. Raises NotFound, AmbiguousId."""
        with self._mutex, self._telling_removal(document_id):
            return self._library.summary(self._library.document_id(document_id))

    def document(self, document_id: str) -> CanonicalDocument:
        """The document, by id or unique prefix. Raises NotFound (DocumentRemoved), AmbiguousId."""
        with self._mutex, self._telling_removal(document_id):
            return self._documents[self._library.document_id(document_id)]

    def documents_of_bytes(self, bytes_sha256: str) -> tuple[str, ...]:
        """Ids of the documents made from these bytes, sorted."""
        with self._mutex:
            return self._library.documents_of_bytes(bytes_sha256)

    def content_bytes(self, bytes_sha256: str) -> bytes:
        """The exact source bytes. Raises NotFound, BlobDamaged."""
        with self._mutex:
            content = self._blobs.get(bytes_sha256)
        if content is None:
            raise NotFound(f"no document was made from bytes {bytes_sha256[:12]}", "give a full digest")
        if sha256_bytes(content) != bytes_sha256:
            raise BlobDamaged(
                f"the bytes {bytes_sha256[:12]} do not hash to their name", "ingest the source file again"
            )
        return content

    def sources(self) -> tuple[SourceRecord, ...]:
        """All sources, sorted by name, then id."""
        with self._mutex:
            return self._library.records()

    def source(self, source_id: str) -> SourceRecord:
        """One source, by id or unique prefix. Raises NotFound, AmbiguousId."""
        with self._mutex:
            record = self._library.record(self._library.source_id(source_id))
            assert record is not None  # source_id() answers with sources that have a document
            return record

    def source_of(self, document_id: str) -> SourceRecord:
        """The source a document belongs to. Raises NotFound, AmbiguousId."""
        with self._mutex, self._telling_removal(document_id):
            owner = self._library.owner(self._library.document_id(document_id))
            return self.source(owner.source_id)

    def source_by_reference(self, reference: str) -> tuple[SourceRecord, ...]:
        """Sources whose reference or alias is ``reference``."""
        with self._mutex:
            return self._library.records_of_reference(reference)

    def generation(self) -> int:
        """How many documents were committed."""
        with self._mutex:
            return self._counter

    # -- evidence ------------------------------------------------------------------------------------

    def record_evidence(self, entries: Sequence[EvidenceEntry]) -> None:
        """Append entries; those already there are no-ops. Raises InvalidRequest."""
        for entry in entries:
            check_entry(entry)
        with self._mutex:
            for entry in entries:
                if entry.evidence_id not in self._evidence_by_id:
                    self._evidence.append(entry)
                    self._evidence_by_id[entry.evidence_id] = entry

    def evidence(self, evidence_id: str) -> EvidenceEntry:
        """One entry by id or unique prefix. Raises NotFound, AmbiguousId."""
        with self._mutex:
            return self._evidence_by_id[resolve(evidence_id, sorted(self._evidence_by_id), "evidence")]

    def evidence_entries(self, document_id: str | None = None) -> tuple[EvidenceEntry, ...]:
        """All entries by document id, or those of one document, in log order."""
        with self._mutex:
            groups = by_document(self._evidence)
            if document_id is not None:
                return tuple(groups.get(log_of(document_id, groups), ()))
            return tuple(entry for key in sorted(groups) for entry in groups[key])

    # -- claims --------------------------------------------------------------------------------------

    def save_claim(self, claim: Claim) -> None:
        """Create a claim or change it; its runs stay. Raises InvalidRequest."""
        with self._mutex:
            self._claims[claim.claim_id] = merged(self._claims.get(claim.claim_id), claim)

    def add_run(self, claim_id: str, run: ClaimRun) -> Claim:
        """Append a run unless the newest one is equal but for its time. Raises NotFound."""
        with self._mutex:
            claim = with_run(self.claim(claim_id), run, self._clock.now())
            self._claims[claim.claim_id] = claim
            return claim

    def claims(self, *, archived: bool = False) -> tuple[Claim, ...]:
        """Claims by order, then text; archived ones only when asked for."""
        with self._mutex:
            return in_order(self._claims.values(), archived=archived)

    def claim(self, claim_id: str) -> Claim:
        """One claim by id or unique prefix. Raises NotFound, AmbiguousId."""
        with self._mutex:
            return self._claims[resolve(claim_id, sorted(self._claims), "claim")]

    # -- events --------------------------------------------------------------------------------------

    def append_events(
        self, reviewer: str, drafts: Sequence[EventDraft], *, time: str | None = None
    ) -> tuple[ReviewEvent, ...]:
        """Append the drafts as one group. Raises InvalidRequest."""
        reviewer_file_name(reviewer)
        if not drafts:
            return ()
        with self._mutex:
            log = self._events.get(reviewer, [])
            last = log[-1] if log else None
            lines = chain(reviewer, last.digest if last else "", drafts, time or self._clock.now())
            try:
                added = follow(lines, reviewer=reviewer, after=last, name=reviewer, number=len(log) + 1)
            except LogDamaged as error:  # pragma: no cover - chain() writes what follow() reads
                raise AssertionError(error.message) from error
            self._events[reviewer] = [*log, *added]
            return tuple(link.event for link in added)

    def events(self, reviewer: str) -> tuple[ReviewEvent, ...]:
        """The reviewer's log, oldest first."""
        reviewer_file_name(reviewer)
        with self._mutex:
            return tuple(link.event for link in self._events.get(reviewer, ()))

    def reviewers(self) -> tuple[str, ...]:
        """Names of all reviewers with a log, sorted."""
        with self._mutex:
            return tuple(sorted(self._events))

    # -- bibliography --------------------------------------------------------------------------------

    def bibliography(self, source_id: str) -> BibliographyRecord | None:
        """The record of a source, or None. Raises AmbiguousId."""
        with self._mutex:
            return self._bibliography.get(self._library.source_id_or_itself(source_id))

    def set_bibliography(
        self, source_id: str, item: CslItem, *, notices: Sequence[EditorialNotice] | None = None
    ) -> BibliographyRecord:
        """Replace the item; the old one goes to the history. Raises NotFound, InvalidRequest."""
        with self._mutex:
            full = self._library.known_source_id(source_id)
            record = revised(self._bibliography.get(full), full, item, self._clock.now(), notices)
            self._bibliography[full] = record
            return record

    # -- receipts ------------------------------------------------------------------------------------

    def add_receipt(self, receipt: AcquisitionReceipt) -> AcquisitionReceipt:
        """Keep a receipt of acquisition. Raises InvalidRequest."""
        receipt_id, data = encoded(receipt)
        with self._mutex:
            self._receipts[receipt_id] = data
        return replace(receipt, receipt_id=receipt_id)

    def receipts(self, document_id: str | None = None) -> tuple[AcquisitionReceipt, ...]:
        """All receipts, or those of one document, oldest first."""
        with self._mutex:
            kept = [decoded(receipt_id, data) for receipt_id, data in self._receipts.items()]
        return receipts_in_order(kept, document_id)

    # -- audits --------------------------------------------------------------------------------------

    def add_audit(self, audit: SectionAudit) -> SectionAudit:
        """Keep the audit of a section run. Raises InvalidRequest."""
        audit_id, data = encoded_audit(audit)
        with self._mutex:
            self._audits[audit_id] = data
        return replace(audit, audit_id=audit_id)

    def audits(self) -> tuple[SectionAudit, ...]:
        """The audits of section runs, oldest first."""
        with self._mutex:
            kept = [decoded_audit(audit_id, data) for audit_id, data in self._audits.items()]
        return audits_in_order(kept)

    # -- references ----------------------------------------------------------------------------------

    def save_reference(self, reference: SavedReference) -> SavedReference:
        """Keep an entry of a work without a source. Raises InvalidRequest."""
        with self._mutex:
            key = reference.reference_id
            new = revised_reference(self._references.get(key), reference, self._clock.now())
            self._references[key] = reference_of(key, reference_bytes(new))
            return self._references[key]

    def references(self) -> tuple[SavedReference, ...]:
        """Every entry, by title."""
        with self._mutex:
            return references_in_order(self._references.values())

    def remove_reference(self, reference_id: str) -> SavedReference:
        """Remove an entry. Raises NotFound, AmbiguousId."""
        with self._mutex:
            return self._references.pop(resolve(reference_id, sorted(self._references), "bibliography entry"))

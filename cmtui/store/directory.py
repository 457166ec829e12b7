"""The store directory as one repository (D10): opening it, and every port by its part."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from cmtui.errors import AmbiguousId, NotFound, StoreFormatError, StoreReadOnly
from cmtui.model.bibliography import BibliographyRecord, CslItem, EditorialNotice
from cmtui.model.claim import Claim, ClaimRun, EvidenceEntry
from cmtui.model.discovery import AcquisitionReceipt, SavedReference
from cmtui.model.identity import SourceArtifact
from cmtui.model.ingest import IngestStatus
from cmtui.model.removal import AcceptedQuote, Tombstone
from cmtui.model.review import EventDraft, ReviewEvent
from cmtui.model.sections import SectionAudit
from cmtui.model.source import CanonicalDocument, DocumentSummary, SourceRecord
from cmtui.ports import Clock
from cmtui.store import atomic
from cmtui.store.audits import audit_files
from cmtui.store.audits import in_order as audits_in_order
from cmtui.store.bibliography import BibliographySidecars
from cmtui.store.capture import Capture, CapturedFile, strangers
from cmtui.store.catalogue import Catalogue
from cmtui.store.claims import ClaimFiles
from cmtui.store.clock import SystemClock
from cmtui.store.disk import disk_errors
from cmtui.store.documents import DocumentStore
from cmtui.store.events import EventLogs
from cmtui.store.evidence_log import EvidenceLogs
from cmtui.store.ids import is_id
from cmtui.store.layout import DIGEST_ALGORITHM, FORMAT_VERSION, TEMPORARY_SUFFIX, Layout
from cmtui.store.locks import FolderLock
from cmtui.store.migration import finish_swap
from cmtui.store.notices import Notices
from cmtui.store.receipts import in_order as receipts_in_order
from cmtui.store.receipts import receipt_files
from cmtui.store.records import StoreFormat, decode, encode
from cmtui.store.references import References
from cmtui.store.removed import removed_error

#: Seconds a commit waits for another process before it gives up with StoreLocked.
LOCK_TIMEOUT = 10.0

#: Files that do not make a folder somebody's: ours of a moment ago, and what a file manager leaves.
_NOBODYS = {"lock", "lock.info", ".DS_Store"}


class StoreRepository:
    """A ``cmtui.ports.KnowledgeRepository`` in a directory. Make one with ``open``. Thread-safe.

    ``read_only`` says why nothing can be written, or is None. Writing then raises StoreReadOnly.
    """

    def __init__(self, layout: Layout, *, clock: Clock, lock_timeout: float, read_only: str | None) -> None:
        self._layout = layout
        self._notices = Notices()
        self.read_only = read_only
        with disk_errors(layout.root):
            self._documents = DocumentStore(
                layout, clock, self._notices, timeout=lock_timeout, read_only=read_only
            )
        self._evidence = EvidenceLogs(layout, clock, self._notices, timeout=lock_timeout, read_only=read_only)
        self._claims = ClaimFiles(layout, clock, timeout=lock_timeout, read_only=read_only)
        self._events = EventLogs(layout, clock, self._notices, timeout=lock_timeout, read_only=read_only)
        self._bibliography = BibliographySidecars(layout, clock, timeout=lock_timeout, read_only=read_only)
        self._receipts = receipt_files(layout, read_only=read_only)
        self._audits = audit_files(layout, read_only=read_only)
        self._references = References(layout, read_only=read_only)
        self._clock = clock

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        clock: Clock | None = None,
        lock_timeout: float = LOCK_TIMEOUT,
        read_only: str | None = None,
    ) -> StoreRepository:
        """Open the store at ``path``, or make an empty one there. ``lock_timeout`` is in seconds.

        ``read_only`` says why a store that could be written is only read this time.

        Raises StoreFormatError for a file, a folder that holds other things or a newer format;
        StoreReadOnly when there is no store yet and none can be made; StoreError for damaged records.
        """
        layout = Layout(Path(os.path.abspath(Path(path).expanduser())))  # noqa: PTH100 - keeps symlinks
        finish_swap(layout.root)
        _check_format(layout)
        read_only = _prepare(layout) or read_only
        return cls(layout, clock=clock or SystemClock(), lock_timeout=lock_timeout, read_only=read_only)

    @property
    def root(self) -> Path | None:
        """The store directory."""
        return self._layout.root

    @property
    def derived(self) -> Path | None:
        """The folder of derived data, which may be deleted at any time."""
        return self._layout.derived

    def notices(self) -> tuple[str, ...]:
        """What was noticed and put right since the store was opened, oldest first."""
        return self._notices.all()

    # -- documents -----------------------------------------------------------------------------------

    def commit_document(
        self,
        document: CanonicalDocument,
        *,
        content: bytes,
        artifact: SourceArtifact,
        aliases: Sequence[str] = (),
    ) -> IngestStatus:
        """Store a document with its exact source bytes, all or nothing.

        Raises InvalidRequest, StoreLocked, StoreReadOnly, StoreError.
        """
        return self._documents.commit(document, content, artifact, aliases)

    def add_alias(self, source_id: str, reference: str, *, moved: bool) -> SourceRecord:
        """Join another reference to a source; ``moved`` says that the old path is gone. Raises NotFound."""
        return self._documents.add_alias(source_id, reference, moved=moved)

    def update_source(
        self,
        source_id: str,
        *,
        page_offset: int | None = None,
        tags: Sequence[str] | None = None,
        clear_page_offset: bool = False,
    ) -> SourceRecord:
        """Change what the user may set; None leaves a field as it is. Raises NotFound."""
        return self._documents.update_source(
            source_id, page_offset, tags, clear_page_offset=clear_page_offset
        )

    def remove_document(
        self, document_id: str, *, reason: str, accepted: Sequence[AcceptedQuote] = ()
    ) -> Tombstone:
        """Remove a document by id or unique prefix, all or nothing; its evidence log and all events stay.

        Raises NotFound, AmbiguousId, StoreLocked, StoreReadOnly, StoreError.
        """
        with self._telling_removal(document_id):
            return self._documents.remove(document_id, reason, accepted)

    def tombstone(self, document_id: str) -> Tombstone | None:
        """What is known of a removed document, by id or unique prefix; None when it was not removed."""
        with disk_errors(self._layout.root):
            return self._documents.tombstones.find(document_id)

    def tombstones(self) -> tuple[Tombstone, ...]:
        """The tombstones of all removed documents, sorted by document id. Raises StoreError when damaged."""
        with disk_errors(self._layout.root):
            found = map(self._documents.tombstones.get, sorted(self._documents.tombstones.ids()))
            return tuple(tombstone for tombstone in found if tombstone is not None)

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
        with self._documents.view() as library:
            return library.ids

    def summaries(self) -> tuple[DocumentSummary, ...]:
        """One row per document, sorted by source name, then document id."""
        with self._documents.view() as library:
            return library.summaries()

    def summary(self, document_id: str) -> DocumentSummary:
        """The row of one document, by id or unique prefix. Raises NotFound, AmbiguousId."""
        with self._telling_removal(document_id), self._documents.view() as library:
            return library.summary(library.document_id(document_id))

    def document(self, document_id: str) -> CanonicalDocument:
        """The document, by id or unique prefix, verified on first load.

        Raises NotFound (DocumentRemoved for one that was), AmbiguousId, SnapshotDamaged, SidecarMalformed.
        """
        with self._telling_removal(document_id), disk_errors(self._layout.root):
            return self._documents.document(document_id)

    def documents_of_bytes(self, bytes_sha256: str) -> tuple[str, ...]:
        """Ids of the documents made from these bytes, sorted."""
        with self._documents.view() as library:
            return library.documents_of_bytes(bytes_sha256)

    def content_bytes(self, bytes_sha256: str) -> bytes:
        """The exact source bytes, verified against their digest. Raises NotFound, BlobDamaged."""
        if not self.documents_of_bytes(bytes_sha256):
            raise NotFound(f"no document was made from bytes {bytes_sha256[:12]}", "give a full digest")
        return self._documents.content_bytes(bytes_sha256)

    def sources(self) -> tuple[SourceRecord, ...]:
        """All sources, sorted by name, then id."""
        with self._documents.view() as library:
            return library.records()

    def source(self, source_id: str) -> SourceRecord:
        """One source, by id or unique prefix. Raises NotFound, AmbiguousId."""
        with self._documents.view() as library:
            record = library.record(library.source_id(source_id))
            assert record is not None  # source_id() answers with sources that have a document
            return record

    def source_of(self, document_id: str) -> SourceRecord:
        """The source a document belongs to. Raises NotFound, AmbiguousId."""
        with self._telling_removal(document_id), self._documents.view() as library:
            record = library.record(library.owner(library.document_id(document_id)).source_id)
            assert record is not None  # the document itself is one of its documents
            return record

    def source_by_reference(self, reference: str) -> tuple[SourceRecord, ...]:
        """Sources whose reference or alias is ``reference``."""
        with self._documents.view() as library:
            return library.records_of_reference(reference)

    def generation(self) -> int:
        """A counter that every commit of documents raises, in whichever process it happens."""
        return self._documents.generation()

    def orphan_blobs(self) -> tuple[str, ...]:
        """Digests of stored bytes that no document was made from."""
        return self._documents.orphan_blobs()

    def remove_orphan_blobs(self) -> tuple[str, ...]:
        """Remove stored bytes that no document was made from, and answer with their digests."""
        return self._documents.remove_orphan_blobs()

    # -- the whole store -----------------------------------------------------------------------------

    @property
    def format_version(self) -> int:
        """The format of this store."""
        return FORMAT_VERSION

    def capture(self) -> tuple[CapturedFile, ...]:
        """Every file of the store at one moment, sorted by name. Raises StoreLocked, StoreError."""
        capture = Capture(
            self._layout,
            self._documents,
            self._evidence,
            self._claims,
            self._bibliography,
            self._events,
            read_only=self.read_only,
        )
        with disk_errors(self._layout.root):
            return capture.files()

    def forget_catalogue(self) -> None:
        """Remove the catalogue, under the lock; whoever opens the store makes it anew."""
        with self._documents.exclusive("forget the catalogue"):
            Catalogue(self._layout.catalogue, timeout=0.0).remove()

    def strangers(self) -> tuple[str, ...]:
        """Names of files in the store directory that are no part of a store."""
        with disk_errors(self._layout.root):
            return strangers(self._layout)

    # -- evidence ------------------------------------------------------------------------------------

    def record_evidence(self, entries: Sequence[EvidenceEntry]) -> None:
        """Append entries; those already there are no-ops. Raises InvalidRequest, LogDamaged."""
        with disk_errors(self._layout.root):
            self._evidence.record(entries)

    def evidence(self, evidence_id: str) -> EvidenceEntry:
        """One entry by id or unique prefix. Raises NotFound, AmbiguousId, LogDamaged."""
        with disk_errors(self._layout.root):
            return self._evidence.get(evidence_id)

    def evidence_entries(self, document_id: str | None = None) -> tuple[EvidenceEntry, ...]:
        """All entries by document id, or those of one document, in log order. Raises LogDamaged."""
        with disk_errors(self._layout.root):
            return self._evidence.all() if document_id is None else self._evidence.of(document_id)

    # -- claims --------------------------------------------------------------------------------------

    def save_claim(self, claim: Claim) -> None:
        """Create a claim or change it; its runs stay. Raises InvalidRequest, StoreError."""
        with disk_errors(self._layout.root):
            self._claims.save(claim)

    def add_run(self, claim_id: str, run: ClaimRun) -> Claim:
        """Append a run unless the newest one is equal but for its time. Raises NotFound."""
        with disk_errors(self._layout.root):
            return self._claims.add_run(claim_id, run)

    def claims(self, *, archived: bool = False) -> tuple[Claim, ...]:
        """Claims by order, then text; archived ones only when asked for. Raises StoreError."""
        with disk_errors(self._layout.root):
            return self._claims.all(archived=archived)

    def claim(self, claim_id: str) -> Claim:
        """One claim by id or unique prefix. Raises NotFound, AmbiguousId, StoreError."""
        with disk_errors(self._layout.root):
            return self._claims.get(claim_id)

    # -- events --------------------------------------------------------------------------------------

    def append_events(
        self, reviewer: str, drafts: Sequence[EventDraft], *, time: str | None = None
    ) -> tuple[ReviewEvent, ...]:
        """Append the drafts as one group, durably, before returning. Raises InvalidRequest, LogDamaged."""
        with disk_errors(self._layout.root):
            return self._events.append(reviewer, drafts, time=time)

    def events(self, reviewer: str) -> tuple[ReviewEvent, ...]:
        """The reviewer's log, oldest first. Raises LogDamaged when its chain is broken."""
        with disk_errors(self._layout.root):
            return self._events.read(reviewer)

    def reviewers(self) -> tuple[str, ...]:
        """Names of all reviewers with a log, sorted."""
        return self._events.reviewers()

    # -- bibliography --------------------------------------------------------------------------------

    def bibliography(self, source_id: str) -> BibliographyRecord | None:
        """The record of a source, or None. Raises AmbiguousId, SidecarMalformed."""
        with self._documents.view() as library:
            full = library.source_id_or_itself(source_id)
        with disk_errors(self._layout.root):
            return self._bibliography.get(full) if is_id(full) else None

    def set_bibliography(
        self, source_id: str, item: CslItem, *, notices: Sequence[EditorialNotice] | None = None
    ) -> BibliographyRecord:
        """Replace the item; the old one goes to the record's history.

        Raises NotFound, InvalidRequest, SidecarMalformed.
        """
        with self._documents.view() as library:
            full = library.known_source_id(source_id)
        with disk_errors(self._layout.root):
            return self._bibliography.set(full, item, notices)

    # -- receipts ------------------------------------------------------------------------------------

    def add_receipt(self, receipt: AcquisitionReceipt) -> AcquisitionReceipt:
        """Keep a receipt of acquisition. Raises InvalidRequest, StoreReadOnly, StoreError."""
        with disk_errors(self._layout.root):
            return self._receipts.add(receipt)

    def receipts(self, document_id: str | None = None) -> tuple[AcquisitionReceipt, ...]:
        """All receipts, or those of one document, oldest first. Raises StoreError for a damaged one."""
        with disk_errors(self._layout.root):
            return receipts_in_order(self._receipts.all(), document_id)

    # -- audits --------------------------------------------------------------------------------------

    def add_audit(self, audit: SectionAudit) -> SectionAudit:
        """Keep the audit of a section run. Raises InvalidRequest, StoreReadOnly, StoreError."""
        with disk_errors(self._layout.root):
            return self._audits.add(audit)

    def audits(self) -> tuple[SectionAudit, ...]:
        """The audits of section runs, oldest first. Raises StoreError for a damaged one."""
        with disk_errors(self._layout.root):
            return audits_in_order(self._audits.all())

    # -- references ----------------------------------------------------------------------------------

    def save_reference(self, reference: SavedReference) -> SavedReference:
        """Keep an entry of a work without a source. Raises InvalidRequest, StoreReadOnly, StoreError."""
        with disk_errors(self._layout.root):
            return self._references.save(reference, self._clock.now())

    def references(self) -> tuple[SavedReference, ...]:
        """Every entry, by title. Raises StoreError for a damaged one."""
        with disk_errors(self._layout.root):
            return self._references.all()

    def remove_reference(self, reference_id: str) -> SavedReference:
        """Remove an entry. Raises NotFound, AmbiguousId, StoreReadOnly, StoreError."""
        with disk_errors(self._layout.root):
            return self._references.remove(reference_id)


def _check_format(layout: Layout) -> None:
    """Refuse what is not a store, before anything is written."""
    root = layout.root
    if root.exists() and not root.is_dir():
        raise StoreFormatError(
            f"{root} is a file, not a store", "a store is a folder: give the path of one, or of a new one"
        )
    try:
        raw = layout.format_file.read_bytes()
    except FileNotFoundError:
        _check_empty(root)
        return
    except OSError as error:
        raise StoreReadOnly(
            f"{layout.format_file} cannot be read: {error.strerror}", "check the permissions of the store"
        ) from error
    try:
        found = decode(raw, StoreFormat)
    except ValueError as error:
        raise StoreFormatError(
            f"{layout.format_file} is not a store's: {error}",
            "give the path of a store, or restore the file from a backup",
        ) from error
    if found.format > FORMAT_VERSION:
        raise StoreFormatError(
            f"{root} was written by a newer program (format {found.format}; this one reads {FORMAT_VERSION})",
            "update cmtui",
        )
    if found.format < FORMAT_VERSION and found.digest == DIGEST_ALGORITHM:
        raise StoreFormatError(
            f"{root} is of format {found.format}; this program reads format {FORMAT_VERSION}",
            "run: citation-machine migrate (it makes a backup first)",
        )
    if found.format != FORMAT_VERSION or found.digest != DIGEST_ALGORITHM:
        raise StoreFormatError(f"{root} has an unknown format", "give the path of another store")


def _check_empty(root: Path) -> None:
    try:
        names = os.listdir(root)  # noqa: PTH208 - names are all that is needed
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreReadOnly(
            f"{root} cannot be read: {error.strerror}", "choose a folder you may read"
        ) from error
    if any(name not in _NOBODYS and not name.endswith(TEMPORARY_SUFFIX) for name in names):
        # Another process may be making the store at this moment: its format file comes first.
        if (root / "store.json").exists():
            return
        raise StoreFormatError(
            f"{root} holds other files and no store", "give the path of a store, or of a new or empty folder"
        )


def _prepare(layout: Layout) -> str | None:
    """Make the store or what is missing of it; the reason when it can only be read."""
    root = layout.root
    is_new = not layout.format_file.exists()
    try:
        if is_new:
            root.mkdir(mode=atomic.FOLDER_MODE, parents=True, exist_ok=True)
            root.chmod(atomic.FOLDER_MODE)
            # First of all: whoever looks now sees a store, not a stranger's folder.
            atomic.write_whole(
                layout.format_file, encode(StoreFormat(format=FORMAT_VERSION, digest=DIGEST_ALGORITHM))
            )
        for folder in layout.folders():
            atomic.make_folder(folder)
    except OSError as error:
        reason = f"the store {root} cannot be written: {error.strerror or error}"
        if is_new or not all(folder.is_dir() for folder in layout.folders() if folder != layout.derived):
            raise StoreReadOnly(reason, "choose a folder you may write to") from error
        return reason
    if not os.access(root, os.W_OK | os.X_OK):
        return f"the store {root} cannot be written: permission denied"
    return FolderLock(layout.lock, timeout=0.0).problem()

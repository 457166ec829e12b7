"""Documents and sources on disk: the commit, and the view every question is answered from.

The commit of a document, under the lock: blob, source record, **snapshot**, identity sidecar, catalogue row,
generation. The rename of the snapshot is the commit. The source record goes before it, as an intention,
because it alone says which source a document belongs to: a snapshot holds layers 2 and 3, not 1. What a crash
leaves after each step:

- blob: bytes nobody refers to; the doctor removes them.
- source record: it names a document that does not exist. Such names are passed over by every reader
  (``Library.living``) and dropped by the next commit of the source; a commit of that document under another
  source removes them first, so that a document never has two sources.
- snapshot: a document. Its sidecar is rebuilt when it is first read, its row and the generation by whoever
  looks next: ``lock.info`` is still there while the lock is free, which only a crash can leave.
- identity, catalogue: as above.

Should a source record be lost later, it is rebuilt from layer 1 in the identity sidecar; if that is lost too,
the source is named by its bytes, ``urn:sha256:<digest>``.

Removal goes the other way. Its commit is the tombstone (``cmtui.store.removed``); after it come the records
of the sources, the catalogue and the generation, so that nobody sees the document any more, then identity
sidecar, snapshot and bytes. Whatever a crash leaves of these is deleted by whoever looks next.

A reader never waits for the lock. It looks at ``generation`` before each question and takes from the
catalogue what changed since.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from threading import Lock, RLock

from msgspec.structs import replace

from cmtui.errors import SidecarMalformed, StoreError, StoreLocked, StoreReadOnly
from cmtui.model.identity import SourceArtifact
from cmtui.model.ingest import IngestStatus
from cmtui.model.removal import AcceptedQuote, Tombstone
from cmtui.model.source import CanonicalDocument, SourceRecord
from cmtui.ports import Clock
from cmtui.store import atomic
from cmtui.store.allocation import without_collection
from cmtui.store.blobs import Blobs
from cmtui.store.cache import DocumentCache
from cmtui.store.catalogue import Catalogue, FileStamp, stamp_of
from cmtui.store.disk import disk_errors
from cmtui.store.ids import is_id
from cmtui.store.layout import Layout
from cmtui.store.library import Library, Row, check_commit, row_of
from cmtui.store.locks import FolderLock, Holder
from cmtui.store.notices import Notices
from cmtui.store.records import Generation, SourceDocument, SourceFile, encode
from cmtui.store.removed import Tombstones
from cmtui.store.scan import Scan, Scanner
from cmtui.store.sidecars import IdentitySidecars, identity_file
from cmtui.store.snapshots import Snapshots


class DocumentStore:
    """``blobs/``, ``snapshots/``, ``identity/``, ``sources/`` and the catalogue. Thread-safe."""

    def __init__(
        self, layout: Layout, clock: Clock, notices: Notices, *, timeout: float, read_only: str | None
    ) -> None:
        self._layout = layout
        self._clock = clock
        self._notices = notices
        self._read_only = read_only
        self._lock = FolderLock(layout.lock, timeout=timeout, clock=clock)
        self._derived_lock = FolderLock(layout.derived_lock, timeout=timeout, clock=clock)
        self._blobs = Blobs(layout)
        self._snapshots = Snapshots(layout)
        self._sidecars = IdentitySidecars(layout)
        self._catalogue = Catalogue(layout.catalogue, timeout=timeout)
        self.tombstones = Tombstones(layout)
        self._scanner = Scanner(layout, self._catalogue, self._snapshots, self.tombstones, notices)
        self._cache = DocumentCache()
        self._writer = Lock()
        self._mutex = RLock()
        self._library = Library()
        self._stamps: dict[str, FileStamp] = {}
        self._unread: frozenset[str] = frozenset()
        self._generation = Generation()
        self._raw = b""
        with self._mutex:
            if not self._heal_crash():
                self._rescan(wait=True)

    # -- questions -----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def view(self) -> Iterator[Library]:
        """The library as it is now, other processes' commits included; this thread's until the end."""
        with self._mutex:
            with disk_errors(self._layout.root):
                if not self._heal_crash() and self._scanner.read_generation() != self._raw:
                    self._follow(locked=False)
            yield self._library

    def generation(self) -> int:
        """How many commits of documents there were, in all processes."""
        with self.view():
            return self._generation.counter

    def document(self, value: str) -> CanonicalDocument:
        """A document by id or prefix. Raises NotFound, AmbiguousId, SnapshotDamaged, SidecarMalformed."""
        with self.view() as library:
            known = value in library.rows
            if not known and is_id(value) and self._layout.snapshot(value).exists():
                # There, but left out of the catalogue because it is damaged: say so.
                self._snapshots.load(value)
            document_id = value if known else library.document_id(value)
            artifact = library.owner(document_id).artifact
        document = self._cache.get(document_id)
        if document is None:
            document, digest = self._snapshots.load(document_id)
            self._check_identity(document, artifact, digest)
            self._cache.put(document)
        return document

    def content_bytes(self, bytes_sha256: str) -> bytes:
        """The exact source bytes. Raises BlobDamaged."""
        return self._blobs.get(bytes_sha256)

    def orphan_blobs(self) -> tuple[str, ...]:
        """Digests of bytes no document was made from: what an interrupted commit may leave.

        None are while a snapshot is damaged: the bytes may be all that is left of its document.
        """
        with self.view() as library:
            if self._unread:
                return ()
            return tuple(d for d in self._blobs.digests() if not library.documents_of_bytes(d))

    # -- changes -------------------------------------------------------------------------------------

    def commit(
        self,
        document: CanonicalDocument,
        content: bytes,
        artifact: SourceArtifact,
        aliases: Sequence[str],
    ) -> IngestStatus:
        """Store a document, all or nothing. One that is there is repaired where files are damaged."""
        check_commit(document, content, artifact)
        document_id = document.document_id
        subject = {"document_id": document_id, "source_id": artifact.artifact_id}
        with self._change("commit a document", subject) as library:
            placement = library.place(document, artifact, aliases, self._clock.now())
            source = placement.source
            is_new = document_id not in library.rows
            self._blobs.put(document.version.bytes_sha256, content)
            changed = [] if source == library.sources.get(source.source_id) else [source]
            if is_new:
                changed += self._withdrawn(library, document_id, source.source_id)
            for record in changed:
                self._write_source(record)
            if is_new:
                self.tombstones.retire(document_id)
            if is_new or not self._snapshots.is_sound(document_id):
                digest = self._snapshots.write(document)
                self._sidecars.write(identity_file(document, source.artifact, digest))
            if is_new or changed:
                self._publish([row_of(document)] if is_new else [], changed)
        return placement.status

    def remove(self, value: str, reason: str, accepted: Sequence[AcceptedQuote]) -> Tombstone:
        """Remove a document by id or prefix; its logs stay. Raises NotFound, AmbiguousId."""
        with self._change("remove a document", {"document_id": value}) as library:
            document_id = library.document_id(value)
            row, source = library.rows[document_id], library.owner(document_id)
            tombstone = Tombstone(
                document_id=document_id,
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
            self.tombstones.write(tombstone)
            changed = library.without(document_id)
            for record in changed:
                self._write_source(record)
            self._publish([], changed, self._generation.counter + 1, removed=(document_id,))
            self._delete_files(tombstone)
        return tombstone

    def add_alias(self, source_id: str, reference: str, *, moved: bool) -> SourceRecord:
        """Join another reference to a source. Raises NotFound, AmbiguousId."""
        with self._change("add an alias", {"source_id": source_id}) as library:
            return self._replace_source(library, library.aliased(source_id, reference, moved=moved))

    def update_source(
        self,
        source_id: str,
        page_offset: int | None,
        tags: Sequence[str] | None,
        *,
        clear_page_offset: bool = False,
    ) -> SourceRecord:
        """Change what the user may set. Raises NotFound, AmbiguousId."""
        with self._change("update a source", {"source_id": source_id}) as library:
            updated = library.updated(source_id, page_offset, tags, clear_page_offset=clear_page_offset)
            return self._replace_source(library, updated)

    @contextlib.contextmanager
    def exclusive(self, operation: str) -> Iterator[Library]:
        """Hold the commit lock for something that is no commit: a backup's list of files, a second look."""
        with self._change(operation, {}) as library:
            yield library

    def remove_orphan_blobs(self) -> tuple[str, ...]:
        """Remove bytes no document was made from, and answer with their digests."""
        with self._change("remove orphan bytes", {}):
            orphans = self.orphan_blobs()
            for digest in orphans:
                self._blobs.remove(digest)
        return orphans

    # -- writing -------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _change(self, operation: str, subject: Mapping[str, str]) -> Iterator[Library]:
        """Hold the commit lock, with the view up to date. One thread of this process at a time."""
        if self._read_only:
            raise StoreReadOnly(self._read_only, "open a copy of the store that you may write to")
        with (
            self._writer,
            disk_errors(self._layout.root),
            self._lock.hold(operation, subject) as unfinished,
        ):
            with self._mutex:
                if unfinished is not None:
                    self._rescan_locked(unfinished)
                elif self._scanner.read_generation() != self._raw:
                    self._follow(locked=True)
                library = self._library
            yield library

    def _replace_source(self, library: Library, source: SourceFile) -> SourceRecord:
        if source != library.sources[source.source_id]:
            self._write_source(source)
            self._publish([], [source])
        record = library.record(source.source_id)
        assert record is not None  # it was resolved among the sources that have a document
        return record

    def _withdrawn(self, library: Library, document_id: str, source_id: str) -> list[SourceFile]:
        """Records of other sources that name this document from a commit that never happened."""
        records = [library.sources[other] for other in library.claimants(document_id) if other != source_id]
        return [
            replace(record, documents=tuple(d for d in record.documents if d.document_id != document_id))
            for record in records
        ]

    def _write_source(self, source: SourceFile) -> None:
        path = self._layout.source(source.source_id)
        atomic.write_whole(path, encode(source))

    def _delete_files(self, tombstone: Tombstone) -> None:
        """Delete what is left of a document that has a tombstone. Under the lock, out of the view."""
        self._sidecars.remove(tombstone.document_id)
        self._snapshots.remove(tombstone.document_id)
        self._cache.drop(tombstone.document_id)
        if not self._unread and not self._library.documents_of_bytes(tombstone.bytes_sha256):
            self._blobs.remove(tombstone.bytes_sha256)

    def _publish(
        self,
        rows: list[Row],
        sources: list[SourceFile],
        counter: int | None = None,
        *,
        removed: tuple[str, ...] = (),
    ) -> None:
        """Make a change visible: to this process, in the catalogue, to the others. Under the lock."""
        before = self._generation
        generation = Generation(
            counter=before.counter + len(rows) if counter is None else counter,
            changes=before.changes + 1,
            added=tuple(row.document_id for row in rows),
            removed=removed,
        )
        stamped = [(s, stamp_of(self._layout.source(s.source_id).stat())) for s in sources]
        with self._mutex:
            for document_id in removed:
                self._library.remove_row(document_id)
            for row in rows:
                self._library.put_row(row)
            for source, stamp in stamped:
                self._library.put_source(source)
                self._stamps[source.source_id] = stamp
        changes = generation.changes
        if not self._catalogue.write(rows, stamped, changes=changes, after=before.changes, removed=removed):
            self._write_catalogue(generation.changes)
        raw = encode(generation)
        atomic.write_whole(self._layout.generation, raw)
        with self._mutex:
            self._generation, self._raw = generation, raw

    def _write_catalogue(self, changes: int) -> None:
        library = self._library
        stamped = [(s, self._stamps[s.source_id]) for s in library.sources.values()]
        if not self._catalogue.write(library.rows.values(), stamped, changes=changes, after=None):
            # A catalogue that is behind would be worse than none.
            self._catalogue.remove()
            self._notices.add(f"the catalogue {self._layout.catalogue} cannot be written")

    def _check_identity(self, document: CanonicalDocument, artifact: SourceArtifact, digest: str) -> None:
        """Read the identity sidecar; rebuild it when it is missing or stale (R20). Malformed raises (R21)."""
        document_id = document.document_id
        expected = identity_file(document, artifact, digest)
        if self._sidecars.read(document_id) == expected or self._read_only:
            return
        # When somebody else holds the lock for long, the sidecar is rebuilt the next time it is read.
        with (
            contextlib.suppress(StoreLocked, StoreReadOnly),
            self._change("rebuild an identity sidecar", {"document_id": document_id}) as library,
        ):
            expected = identity_file(document, library.owner(document_id).artifact, digest)
            if self._sidecars.read(document_id) != expected:
                self._sidecars.write(expected)
                self._notices.add(f"the identity sidecar of document {document_id[:12]} was rebuilt")

    # -- keeping up ----------------------------------------------------------------------------------

    def _heal_crash(self) -> bool:
        """Finish what a process that died (or failed) in a commit left; True when there was something."""
        if self._read_only or not os.path.lexists(self._lock.info):
            return False
        with self._lock.try_hold() as held:
            # A note beside a free lock; looked at again, for its holder may just have finished.
            unfinished = self._lock.holder() if held else None
            if unfinished is None:
                return False
            try:
                self._rescan_locked(unfinished)
                self._lock.clear_note()
            except OSError as error:
                # A full disk does not stop reading; the note stays for whoever can mend the store.
                self._notices.add(f"an interrupted commit could not be mended: {error.strerror}")
        return True

    def _follow(self, *, locked: bool) -> None:
        """Take what other processes changed from the catalogue, or from the directory if it cannot say."""
        raw = self._scanner.read_generation()
        generation = self._scanner.generation(raw)
        listing = self._catalogue.read(self._generation.changes)
        if listing is None or not self._generation.changes <= generation.changes <= listing.changes:
            if locked:
                self._rescan_locked(None)
            else:
                self._rescan(wait=False)
            return
        for document_id in listing.removed:
            self._library.remove_row(document_id)
            self._cache.drop(document_id)
        for row in listing.rows:
            self._library.put_row(row)
        for source, stamp in listing.sources:
            self._library.put_source(source)
            self._stamps[source.source_id] = stamp
        self._generation, self._raw = generation, raw

    def _rescan(self, *, wait: bool) -> None:
        """Compare the catalogue with the directory, and mend it under the lock if they differ.

        Without ``wait`` nothing is mended while somebody else is writing: another thread may hold the lock
        and wait for this one.
        """
        with without_collection():
            scan = self._scanner.scan({}, load=False)
            if not scan.stale:
                self._adopt(scan)
                return
        known = self._library.rows
        if not self._read_only:
            # Reading many snapshots takes long: without the commit lock, one process at a time.
            alone = self._derived_lock.hold("rebuild the catalogue") if wait else contextlib.nullcontext()
            with contextlib.suppress(StoreLocked, StoreReadOnly), alone:
                rows = self._scanner.scan(known, load=True).rows
                with self._lock.hold("rebuild the catalogue", wait=wait) as unfinished:
                    self._rescan_locked(unfinished, rows)
                    return
        self._adopt(self._scanner.scan(known, load=True))

    def _rescan_locked(self, unfinished: Holder | None, rows: Mapping[str, Row] | None = None) -> None:
        """Read the directory, mend what a crash left, and write the catalogue. Under the commit lock."""
        layout = self._layout
        for folder in (layout.root, layout.snapshots, layout.sources, layout.identity, layout.removed):
            atomic.remove_temporaries(folder)
        if unfinished is not None:
            self._blobs.remove_temporaries()
        scan = self._scanner.scan({**self._library.rows, **(rows or {})}, load=True)
        self._adopt(scan)
        orphans = self._adopt_orphans()
        for document_id in sorted(scan.buried if unfinished is None else self.tombstones.ids()):
            orphans += self._finish_removal(document_id)
        for source in orphans:
            self._write_source(source)
        if unfinished is not None or orphans or scan.lagging:
            self._catalogue.remove()
            counter = self._generation.counter + 1
            self._publish([], orphans, counter)
        elif scan.stale:
            self._write_catalogue(self._generation.changes)

    def _finish_removal(self, document_id: str) -> list[SourceFile]:
        """Delete what an interrupted removal left; the source records that no longer name the document."""
        try:
            tombstone = self.tombstones.get(document_id)
        except StoreError as error:
            # What it was about is not known: the document stays hidden and nothing is deleted.
            self._notices.add(error.message)
            return []
        if tombstone is None:
            return []
        changed = self._library.without(document_id)
        for source in changed:
            self._library.put_source(source)
        layout, digest = self._layout, tombstone.bytes_sha256
        left = (layout.identity_of(document_id), layout.snapshot(document_id), layout.blob(digest))
        if any(path.exists() for path in left):
            self._delete_files(tombstone)
        return changed

    def _adopt(self, scan: Scan) -> None:
        self._library = Library(scan.rows.values(), scan.sources.values())
        self._stamps = scan.stamps
        self._unread = scan.unread
        self._generation, self._raw = self._scanner.generation(scan.raw), scan.raw
        if self._read_only:
            self._adopt_orphans()

    def _adopt_orphans(self) -> list[SourceFile]:
        """Give every document without a source its source back; the records that changed."""
        library = self._library
        changed: dict[str, SourceFile] = {}
        for document_id in library.ids:
            if library.claimants(document_id):
                continue
            row = library.rows[document_id]
            try:
                sidecar = self._sidecars.read(document_id)
            except SidecarMalformed as error:
                self._notices.add(error.message)
                sidecar = None
            if sidecar is not None:
                artifact = SourceArtifact(sidecar.artifact.kind, sidecar.artifact.reference)
            else:
                artifact = SourceArtifact(row.kind, f"urn:sha256:{row.bytes_sha256}")
            source = library.sources.get(artifact.artifact_id) or SourceFile(
                source_id=artifact.artifact_id, kind=artifact.kind, reference=artifact.reference
            )
            arrived = SourceDocument(document_id=document_id, version_id=row.version_id)
            source = replace(source, documents=(*source.documents, arrived))
            library.put_source(source)
            changed[source.source_id] = source
            self._notices.add(f"the source record of document {document_id[:12]} was rebuilt")
        return list(changed.values())

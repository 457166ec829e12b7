"""What the directory holds, compared with what the catalogue says it holds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from cmtui.errors import SnapshotDamaged, StoreError
from cmtui.store.catalogue import Catalogue, FileStamp, stamp_of
from cmtui.store.layout import FORMAT_VERSION, Layout, id_of_file
from cmtui.store.library import Row, row_of
from cmtui.store.notices import Notices
from cmtui.store.records import Generation, SourceFile, decode
from cmtui.store.removed import Tombstones
from cmtui.store.snapshots import Snapshots


@dataclass(slots=True)
class Scan:
    """What the directory holds. ``stale`` says that the catalogue does not, ``lagging`` that it never did."""

    raw: bytes
    rows: dict[str, Row] = field(default_factory=dict)
    sources: dict[str, SourceFile] = field(default_factory=dict)
    stamps: dict[str, FileStamp] = field(default_factory=dict)
    stale: bool = False
    lagging: bool = False
    #: Documents that have a tombstone and still a snapshot: their removal was interrupted.
    buried: frozenset[str] = frozenset()
    #: Documents whose snapshot could not be read: which bytes they were made from is not known.
    unread: frozenset[str] = frozenset()


class Scanner:
    """Reads the directory; writes nothing."""

    def __init__(
        self,
        layout: Layout,
        catalogue: Catalogue,
        snapshots: Snapshots,
        tombstones: Tombstones,
        notices: Notices,
    ) -> None:
        self._layout = layout
        self._catalogue = catalogue
        self._snapshots = snapshots
        self._tombstones = tombstones
        self._notices = notices

    def read_generation(self) -> bytes:
        """The bytes of ``generation``; empty before the first commit."""
        # Read whole, not only its status: two commits within one tick of the file system's clock leave the
        # same times and sizes.
        try:
            descriptor = os.open(self._layout.generation, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return b""
        try:
            return os.read(descriptor, 1 << 20)
        finally:
            os.close(descriptor)

    def generation(self, raw: bytes) -> Generation:
        """The counters in these bytes. Raises StoreError."""
        if not raw:
            return Generation()
        try:
            return decode(raw, Generation)
        except ValueError as error:
            raise StoreError(
                f"the generation file {self._layout.generation} cannot be read: {error}",
                "remove the file: it is made anew at the next commit",
            ) from error

    def scan(self, known: Mapping[str, Row], *, load: bool) -> Scan:
        """What the directory holds, with as much as possible from the catalogue and from ``known`` rows.

        Without ``load`` no snapshot is read: documents the catalogue does not know make the scan stale.
        """
        # The generation first: whatever changes while we read is then newer than what we think we know.
        scan = Scan(self.read_generation())
        listing = self._catalogue.read()
        found = set(self._snapshots.ids())
        scan.buried = self._tombstones.ids() & found
        found -= scan.buried
        if listing is not None and listing.changes >= self.generation(scan.raw).changes:
            scan.rows = {row.document_id: row for row in listing.rows if row.document_id in found}
            scan.lagging = len(scan.rows) != len(listing.rows)
        missing = found - scan.rows.keys()
        for document_id in sorted(missing):
            row = known.get(document_id)
            if row is None and load:
                row = self._load_row(document_id)
            if row is not None:
                scan.rows[document_id] = row
                scan.lagging = scan.lagging or listing is not None
        scan.unread = frozenset(found - scan.rows.keys())
        before = {s.source_id: (s, stamp) for s, stamp in listing.sources} if listing is not None else {}
        with os.scandir(self._layout.sources) as entries:
            for entry in entries:
                source_id = id_of_file(entry.name)
                if source_id is None:
                    continue
                stamp = stamp_of(entry.stat())
                source, seen = before.pop(source_id, (None, None))
                if source is None or seen != stamp:
                    source = self._load_source(source_id)
                    scan.stale = True
                scan.sources[source_id] = source
                scan.stamps[source_id] = stamp
        scan.stale = scan.stale or listing is None or scan.lagging or bool(missing or before or scan.buried)
        return scan

    def _load_row(self, document_id: str) -> Row | None:
        try:
            return row_of(self._snapshots.load(document_id)[0])
        except SnapshotDamaged as error:
            # One damaged document does not close the library; asking for it still fails with its name.
            self._notices.add(error.message)
            return None

    def _load_source(self, source_id: str) -> SourceFile:
        path = self._layout.source(source_id)
        hint = "restore the file from a backup, or move it away: it is then rebuilt from the identity sidecar"
        try:
            source = decode(path.read_bytes(), SourceFile)
        except ValueError as error:
            raise StoreError(f"the source record {path} cannot be read: {error}", hint) from error
        if (
            source.format != FORMAT_VERSION
            or not source.source_id == source_id == source.artifact.artifact_id
        ):
            raise StoreError(f"the source record {path} is of another source or format", hint)
        return source

"""A look at every file of a store that changes nothing, and needs nothing but the files.

Everything is read afresh: no cache, no catalogue, no record is believed. Digests are made anew with the
algorithm that ``store.json`` names. One damaged file never hides another.
"""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Iterable
from pathlib import Path

from cmtui.errors import Cancelled, CmtuiError, SidecarMalformed, SnapshotDamaged, StoreError
from cmtui.model.claim import Claim, EvidenceEntry
from cmtui.model.health import Health, HealthCheck
from cmtui.model.identity import sha256_text, span_id
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback
from cmtui.model.review import DECISION_EVENTS
from cmtui.model.source import CanonicalDocument
from cmtui.store.archive import is_alive
from cmtui.store.audits import audit_files
from cmtui.store.bibliography import BibliographySidecars
from cmtui.store.capture import strangers
from cmtui.store.catalogue import Catalogue
from cmtui.store.claims import ClaimFiles
from cmtui.store.clock import SystemClock
from cmtui.store.events import EventLogs
from cmtui.store.evidence_log import EvidenceLogs
from cmtui.store.layout import (
    DIGEST_ALGORITHM,
    FORMAT_VERSION,
    TEMPORARY_SUFFIX,
    Layout,
    id_of_file,
    reviewer_of_file,
)
from cmtui.store.locks import FolderLock
from cmtui.store.notices import Notices
from cmtui.store.receipts import receipt_files
from cmtui.store.records import Generation, SourceFile, StoreFormat, decode
from cmtui.store.references import References
from cmtui.store.removed import Tombstones
from cmtui.store.sidecars import IdentitySidecars, identity_file
from cmtui.store.snapshots import Snapshots

_BACKUP = "restore the file from a backup"
_REPAIR = "run: citation-machine doctor --repair"
_CHUNK = 1 << 20


class Inspection:
    """One look. ``run`` fills ``checks``; ``documents`` are the ids of sound documents."""

    def __init__(self, root: Path, progress: ProgressCallback, cancelled: CancelledCallback) -> None:
        self.checks: list[HealthCheck] = []
        self.characters = 0
        self.documents: set[str] = set()
        self._layout = layout = Layout(root)
        self._progress = progress
        self._cancelled = cancelled
        self._snapshots = Snapshots(layout)
        self._identity = IdentitySidecars(layout)
        self._tombstones = Tombstones(layout)
        self._notices = Notices()
        reading = "the doctor only reads"
        clock = SystemClock()
        self._evidence = EvidenceLogs(layout, clock, self._notices, timeout=0.0, read_only=reading)
        self._events = EventLogs(layout, clock, self._notices, timeout=0.0, read_only=reading)
        self._claims = ClaimFiles(layout, clock, timeout=0.0, read_only=reading)
        self._bibliography = BibliographySidecars(layout, clock, timeout=0.0, read_only=reading)
        self._sources: dict[str, SourceFile] = {}
        self._claim_files: list[Claim] = []
        self._entries: dict[str, tuple[EvidenceEntry, ...]] = {}
        self._needed: dict[str, str] = {}
        self._unknown = False

    def run(self) -> None:
        """Look at everything. Raises Cancelled."""
        for step in (
            self._look_at_format,
            self._look_at_sources,
            self._look_at_tombstones,
            self._look_at_claims,
            self._look_at_evidence,
            self._look_at_documents,
            self._look_at_findings,
            self._look_at_bytes,
            self._look_at_bibliography,
            self._look_at_receipts,
            self._look_at_events,
            self._look_at_locks,
            self._look_at_leftovers,
            self._look_at_catalogue,
        ):
            step()

    # -- small parts ---------------------------------------------------------------------------------

    def _add(
        self,
        layer: str,
        path: Path,
        status: Health = Health.OK,
        sentence: str = "",
        advice: str = "",
        *,
        repairable: bool = False,
    ) -> None:
        name = path.relative_to(self._layout.root).as_posix()
        self.checks.append(HealthCheck(layer, name, status, sentence, advice, repairable))

    def _each(self, layer: str, paths: Iterable[Path]) -> Iterable[Path]:
        listed = sorted(paths)
        for number, path in enumerate(listed):
            if self._cancelled():
                raise Cancelled("The look at the store was cancelled.", "Nothing was changed.")
            self._progress(Progress(f"check {layer}", path.name[:12], number, len(listed)))
            yield path

    def _is_empty(self, layer: str, path: Path, advice: str = _BACKUP) -> bool:
        try:
            if path.stat().st_size:
                return False
        except OSError:
            return False
        self._add(layer, path, Health.EMPTY, "The file has no bytes.", advice)
        return True

    # -- layers --------------------------------------------------------------------------------------

    def _look_at_format(self) -> None:
        path = self._layout.format_file
        try:
            found = decode(path.read_bytes(), StoreFormat)
        except (OSError, ValueError) as error:
            self._add("store", path, Health.DAMAGED, f"The format file cannot be read: {error}.", _BACKUP)
        else:
            known = found.format == FORMAT_VERSION and found.digest == DIGEST_ALGORITHM
            status = Health.OK if known else Health.DAMAGED
            sentence = "" if known else f"Format {found.format} and digest {found.digest} are not this one's."
            newer = found.format > FORMAT_VERSION or found.digest != DIGEST_ALGORITHM
            advice = "update cmtui" if newer else "run: citation-machine migrate"
            self._add("store", path, status, sentence, "" if known else advice)
        path = self._layout.generation
        if path.exists():
            try:
                decode(path.read_bytes(), Generation)
                self._add("store", path)
            except ValueError as error:
                sentence = f"The counter of commits cannot be read: {error}."
                self._add("store", path, Health.DAMAGED, sentence, "remove the file: it is made anew")

    def _look_at_sources(self) -> None:
        for path in self._each("sources", self._layout.sources.glob("*.json")):
            source_id = id_of_file(path.name)
            if source_id is None or self._is_empty("sources", path):
                continue
            try:
                source = decode(path.read_bytes(), SourceFile)
                if not source.source_id == source_id == source.artifact.artifact_id:
                    raise ValueError("it is of another source")
            except ValueError as error:
                advice = f"{_BACKUP}, or move it away: it is then rebuilt from the identity sidecars"
                self._add("sources", path, Health.DAMAGED, f"The record cannot be trusted: {error}.", advice)
                continue
            self._sources[source_id] = source
            self._add("sources", path)

    def _look_at_tombstones(self) -> None:
        for path in self._each("removed", self._layout.removed.glob("*.json")):
            document_id = path.name.partition(".")[0]
            if self._is_empty("removed", path):
                continue
            if id_of_file(path.name) is None:
                self._add("removed", path)  # of a document that came back
                continue
            try:
                self._tombstones.get(document_id)
                self._add("removed", path)
            except StoreError as error:
                self._add("removed", path, Health.DAMAGED, f"{error.message}.", _BACKUP)

    def _look_at_claims(self) -> None:
        for path in self._each("claims", self._layout.claims.glob("*.json")):
            claim_id = id_of_file(path.name)
            if claim_id is None or self._is_empty("claims", path):
                continue
            try:
                self._claim_files.append(self._claims.get(claim_id))
                self._add("claims", path)
            except CmtuiError as error:
                self._add("claims", path, Health.DAMAGED, f"{error.message}.", error.hint)

    def _look_at_evidence(self) -> None:
        note = self._layout.evidence / ".lock.info"
        for path in self._each("evidence", self._layout.evidence.glob("*.jsonl")):
            document_id = id_of_file(path.name)
            begun = note.exists() or path.with_name(path.name + ".torn").exists()
            if document_id is None or (not begun and self._is_empty("evidence", path)):
                continue
            try:
                self._entries[document_id] = self._evidence.of(document_id)
                self._add("evidence", path)
            except CmtuiError as error:
                self._entries[document_id] = ()
                self._add("evidence", path, Health.DAMAGED, f"{error.message}.", error.hint)

    def _look_at_documents(self) -> None:
        layout, removed = self._layout, self._tombstones.ids()
        owners: dict[str, list[SourceFile]] = {}
        for source in self._sources.values():
            for named in source.documents:
                owners.setdefault(named.document_id, []).append(source)
        found = set(self._snapshots.ids())
        for path in self._each("snapshots", map(layout.snapshot, found)):
            document_id = path.stem
            if document_id in removed:
                sentence = "Its removal was interrupted; it counts as removed."
                self._add("snapshots", path, Health.UNREFERENCED, sentence, _REPAIR, repairable=True)
            elif self._is_empty("snapshots", path, f"{_BACKUP}, or move it away and ingest the source again"):
                self._read_identity(document_id)
            else:
                self._look_at_document(document_id, path, owners.get(document_id, []))
        named_elsewhere = {s for s in map(id_of_file, _names(layout.identity)) if s} | self._entries.keys()
        for document_id in sorted(named_elsewhere - found - removed):
            path = layout.snapshot(document_id)
            sentence = "The document is gone, and was not removed."
            advice = f"{_BACKUP}, or ingest its source again"
            self._add("snapshots", path, Health.MISSING, sentence, advice)
            self._read_identity(document_id)

    def _look_at_document(self, document_id: str, path: Path, owners: list[SourceFile]) -> None:
        try:
            document, digest = self._snapshots.load(document_id)
        except SnapshotDamaged as error:
            self._add("snapshots", path, Health.DAMAGED, f"{error.message}.", error.hint)
            self._read_identity(document_id)
            return
        self._add("snapshots", path)
        self.documents.add(document_id)
        self.characters += len(document.text)
        self._needed[document.version.bytes_sha256] = document_id
        self._look_at_entries(document)
        sidecar_path = self._layout.identity_of(document_id)
        if self._is_empty("identity", sidecar_path):
            return
        try:
            sidecar = self._identity.read(document_id)
        except SidecarMalformed as error:
            self._add("identity", sidecar_path, Health.DAMAGED, f"{error.message}.", error.hint)
            return
        expected = [identity_file(document, owner.artifact, digest) for owner in owners]
        if not owners:
            sentence = "No source record names the document."
            self._add("identity", sidecar_path, Health.STALE, sentence, _REPAIR, repairable=True)
        elif sidecar not in expected:
            sentence = "The sidecar is missing." if sidecar is None else "The sidecar is behind its snapshot."
            self._add("identity", sidecar_path, Health.STALE, sentence, _REPAIR, repairable=True)
        else:
            self._add("identity", sidecar_path)

    def _read_identity(self, document_id: str) -> None:
        """Which bytes a document that cannot be read was made from: they may be all that is left of it."""
        path = self._layout.identity_of(document_id)
        try:
            sidecar = self._identity.read(document_id)
        except SidecarMalformed as error:
            sidecar = None
            self._add("identity", path, Health.DAMAGED, f"{error.message}.", error.hint)
        if sidecar is None:
            self._unknown = True
        else:
            self._needed[sidecar.version.bytes_sha256] = document_id

    def _look_at_entries(self, document: CanonicalDocument) -> None:
        for entry in self._entries.get(document.document_id, ()):
            if document.text[entry.start : entry.end] != entry.exact:
                path = self._layout.evidence_log(document.document_id)
                sentence = f"Evidence {entry.evidence_id[:12]} is not the text of its span."
                self._add("evidence", path, Health.DAMAGED, sentence, _BACKUP)

    def _look_at_findings(self) -> None:
        """That every finding hashes to its evidence, and that the evidence log holds it."""
        logged = {entry.evidence_id for entries in self._entries.values() for entry in entries}
        lacking: dict[str, str] = {}
        for claim in self._claim_files:
            for number, run in enumerate(claim.runs, 1):
                for finding in run.findings:
                    if finding.evidence_id is None:
                        continue
                    digest = sha256_text(finding.text)
                    if span_id(finding.document_id, finding.span, digest) != finding.evidence_id:
                        sentence = f"In run {number}, evidence {finding.evidence_id[:12]} has another text."
                        path = self._layout.claim(claim.claim_id)
                        self._add("claims", path, Health.DAMAGED, sentence, f"{_BACKUP}, or evaluate again")
                    elif finding.evidence_id not in logged:
                        lacking.setdefault(finding.document_id, finding.evidence_id)
        self._report_lacking(lacking)

    def _report_lacking(self, lacking: dict[str, str]) -> None:
        for document_id, evidence_id in sorted(lacking.items()):
            sentence = f"The log lacks evidence {evidence_id[:12]}, which a claim names."
            advice = f"{_BACKUP}, or evaluate the claim again"
            self._add("evidence", self._layout.evidence_log(document_id), Health.MISSING, sentence, advice)

    def _look_at_bytes(self) -> None:
        stored = set()
        folders = self._layout.blobs.glob("??/*") if self._layout.blobs.exists() else ()
        for path in self._each("bytes", folders):
            name = path.name
            if len(name) != 64:
                continue
            stored.add(name)
            advice = f"ingest the source again with --reprofile, or {_BACKUP}"
            if self._is_empty("bytes", path, advice):
                continue
            if _digest(path) != name:
                sentence = f"The bytes do not hash ({DIGEST_ALGORITHM}) to their name."
                self._add("bytes", path, Health.DAMAGED, sentence, advice)
            elif name in self._needed:
                self._add("bytes", path)
            elif self._unknown:
                sentence = "No sound document was made from these bytes; a damaged one may have been."
                self._add("bytes", path, Health.UNREFERENCED, sentence, "mend the damaged document first")
            else:
                sentence = "No document was made from these bytes: an interrupted commit leaves such."
                self._add("bytes", path, Health.UNREFERENCED, sentence, _REPAIR, repairable=True)
        for digest in sorted(self._needed.keys() - stored):
            sentence = f"The bytes that document {self._needed[digest][:12]} was made from are gone."
            advice = f"ingest the source again with --reprofile, or {_BACKUP}"
            self._add("bytes", self._layout.blob(digest), Health.MISSING, sentence, advice)

    def _look_at_bibliography(self) -> None:
        for path in self._each("bibliography", self._layout.bibliography.glob("*.json")):
            source_id = id_of_file(path.name)
            if source_id is None or self._is_empty("bibliography", path):
                continue
            try:
                self._bibliography.get(source_id)
            except SidecarMalformed as error:
                self._add("bibliography", path, Health.DAMAGED, f"{error.message}.", error.hint)
                continue
            known = source_id in self._sources
            status = Health.OK if known else Health.UNREFERENCED
            sentence = "" if known else "No source record is of this source."
            self._add("bibliography", path, status, sentence, "" if known else "keep it or delete it")

    def _look_at_receipts(self) -> None:
        reading = "the doctor only reads"
        receipts = receipt_files(self._layout, read_only=reading)
        references = References(self._layout, read_only=reading)
        audits = audit_files(self._layout, read_only=reading)
        for layer, kept in (("receipts", receipts), ("references", references), ("audits", audits)):
            for path in self._each(layer, kept.paths()):
                if self._is_empty(layer, path):
                    continue
                try:
                    kept.read(path)
                    self._add(layer, path)
                except (OSError, ValueError) as error:
                    sentence = f"The file cannot be trusted: {error}."
                    advice = f"{_BACKUP}, or move it away: nothing else depends on it"
                    self._add(layer, path, Health.DAMAGED, sentence, advice)

    def _look_at_events(self) -> None:
        logged = {entry.evidence_id for entries in self._entries.values() for entry in entries}
        for path in self._each("events", self._layout.events.glob("*.jsonl")):
            reviewer = reviewer_of_file(path.stem)
            begun = path.with_name(f".{path.stem}.lock.info").exists()
            begun = begun or path.with_name(path.name + ".torn").exists()
            if reviewer is None or (not begun and self._is_empty("events", path)):
                continue
            try:
                events = self._events.read(reviewer)
            except CmtuiError as error:
                self._add("events", path, Health.DAMAGED, f"{error.message}.", error.hint)
                continue
            self._add("events", path)
            decided = {e.object.partition("/")[2] for e in events if e.type in DECISION_EVENTS}
            for evidence_id in sorted(e for e in decided if len(e) == 64 and e not in logged)[:1]:
                sentence = f"A decision names evidence {evidence_id[:12]}, which no evidence log holds."
                self._add("evidence", self._layout.evidence, Health.MISSING, sentence, _BACKUP)

    def _look_at_locks(self) -> None:
        for path in self._each("locks", self._layout.root.rglob("*.info")):
            if not path.name.endswith("lock.info") or self._layout.derived in path.parents:
                continue
            lock = FolderLock(path.with_name(path.name.removesuffix(".info")), timeout=0.0)
            holder = lock.holder()
            here = holder is not None and holder.host in (socket.gethostname(), "unknown")
            if holder is None or not here or (holder.pid and is_alive(holder.pid)):
                continue
            sentence = f"{holder.describe()} died; its lock is free, its note is left."
            self._add("locks", path, Health.STALE, sentence, _REPAIR, repairable=True)

    def _look_at_leftovers(self) -> None:
        for folder, _, names in os.walk(self._layout.root):
            for name in sorted(names):
                path = Path(folder) / name
                if name.endswith(".torn"):
                    sentence = "A line that a crash cut short was set aside here; nobody was told of it."
                    self._add("leftovers", path, Health.UNREFERENCED, sentence, "look at it, then delete it")
                elif is_dead_temporary(name):
                    sentence = "An interrupted write left this."
                    self._add("leftovers", path, Health.UNREFERENCED, sentence, _REPAIR, repairable=True)
        for notice in self._notices.all():
            self._add("leftovers", self._layout.root, Health.UNREFERENCED, f"{notice}.", "write to that log")
        for inside in strangers(self._layout):
            sentence = "This file is no part of a store; nothing reads it, and no backup holds it."
            self._add(
                "leftovers", self._layout.root / inside, Health.UNREFERENCED, sentence, "move it elsewhere"
            )

    def _look_at_catalogue(self) -> None:
        path = self._layout.catalogue
        if not path.exists() and not self.documents:
            return
        listing = Catalogue(path, timeout=5.0).read()
        if listing is None:
            sentence = "The catalogue is missing or cannot be read."
        elif not self.documents <= {row.document_id for row in listing.rows} <= set(self._snapshots.ids()):
            sentence = "The catalogue does not list the documents that are there."
        elif {source.source_id for source, _ in listing.sources} != self._sources.keys():
            sentence = "The catalogue does not list the sources that are there."
        else:
            self._add("derived", path)
            return
        self._add("derived", path, Health.STALE, sentence, _REPAIR, repairable=True)


def is_dead_temporary(name: str) -> bool:
    """Whether a name is that of a whole-file write (``.<name>.<pid>-<hex>.tmp``) whose process is gone."""
    if not (name.startswith(".") and name.endswith(TEMPORARY_SUFFIX)):
        return False
    pid = name.removesuffix(TEMPORARY_SUFFIX).rpartition(".")[2].partition("-")[0]
    return pid.isdecimal() and not is_alive(int(pid))


def _digest(path: Path) -> str | None:
    digest = hashlib.new(DIGEST_ALGORITHM)
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return None
    return digest.hexdigest()


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are all that is needed
    except FileNotFoundError:
        return []

"""The evidence log: every layer-4 identity that was shown, quoted, copied or accepted, append-only.

One file per document. The store makes no identity: it keeps what verification made, and refuses lines whose
id is not the digest of their own content.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from cmtui.errors import AmbiguousId, InvalidRequest, LogDamaged, NotFound, StoreReadOnly
from cmtui.model.claim import EvidenceEntry
from cmtui.model.identity import sha256_text, span_id
from cmtui.ports import Clock
from cmtui.store import atomic
from cmtui.store.ids import is_id, require_id, resolve
from cmtui.store.layout import Layout, id_of_file
from cmtui.store.locks import FolderLock
from cmtui.store.notices import Notices
from cmtui.store.records import decode, encode


def entry_problem(entry: EvidenceEntry) -> str | None:
    """Where an entry contradicts itself, or None."""
    if not 0 <= entry.start < entry.end or len(entry.exact) != entry.end - entry.start:
        return "its text is not as long as its span"
    try:
        if sha256_text(entry.exact) != entry.text_sha256:
            return "its text does not hash to its text_sha256"
    except UnicodeEncodeError:
        return "its text holds a lone surrogate"
    if span_id(entry.document_id, entry.span, entry.text_sha256) != entry.evidence_id:
        return "it does not hash to its evidence id"
    return None


def check_entry(entry: EvidenceEntry) -> None:
    """That an entry may be recorded. Raises InvalidRequest."""
    require_id(entry.document_id, "document")
    problem = entry_problem(entry)
    if problem:
        raise InvalidRequest(f"evidence {entry.evidence_id[:12]} cannot be recorded: {problem}")


def by_document(entries: Iterable[EvidenceEntry]) -> dict[str, list[EvidenceEntry]]:
    """Entries by document, each id once, in order of arrival."""
    groups: dict[str, dict[str, EvidenceEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.document_id, {}).setdefault(entry.evidence_id, entry)
    return {document_id: list(group.values()) for document_id, group in groups.items()}


def log_of(document_id: str, logs: Iterable[str]) -> str:
    """The document whose log is meant, by id or unique prefix: a log may outlive its document.

    An id without a log is answered as it is. Raises AmbiguousId.
    """
    if is_id(document_id):
        return document_id
    try:
        return resolve(document_id, sorted(logs), "document")
    except AmbiguousId:
        raise
    except NotFound:
        return document_id


@dataclass(slots=True)
class _Known:
    """What was read of one log: the first ``size`` bytes of file ``inode``."""

    inode: int
    size: int
    entries: dict[str, EvidenceEntry]
    lines: int = 0


class EvidenceLogs:
    """The logs in ``evidence/``. Raises what ``cmtui.ports.EvidenceRepository`` says."""

    def __init__(
        self, layout: Layout, clock: Clock, notices: Notices, *, timeout: float, read_only: str | None
    ) -> None:
        self._layout = layout
        self._notices = notices
        self._read_only = read_only
        self._lock = FolderLock(layout.evidence / ".lock", timeout=timeout, clock=clock)
        self._mutex = Lock()
        self._known: dict[str, _Known] = {}
        self._index: dict[str, EvidenceEntry] = {}

    def record(self, entries: Sequence[EvidenceEntry]) -> None:
        """Append entries; those already there are no-ops."""
        for entry in entries:
            check_entry(entry)
        with self._mutex:
            if all(entry.evidence_id in self._index for entry in entries):
                return
            if self._read_only:
                raise StoreReadOnly(self._read_only, "evidence cannot be recorded here")
            with self._lock.hold("record evidence"):
                for document_id, group in by_document(entries).items():
                    known = self._read(document_id, locked=True)
                    new = [entry for entry in group if entry.evidence_id not in known.entries]
                    if new:
                        data = b"".join(map(encode, new))
                        atomic.append(self._layout.evidence_log(document_id), data)
                        self._read(document_id, locked=True)

    def get(self, evidence_id: str) -> EvidenceEntry:
        """One entry by id or unique prefix."""
        with self._mutex:
            # Entries never change, so that one which was seen needs no look at the disk.
            entry = self._index.get(evidence_id)
            if entry is None:
                for document_id in self._document_ids():
                    self._read(document_id, locked=False)
                entry = self._index[resolve(evidence_id, sorted(self._index), "evidence")]
            return entry

    def all(self) -> tuple[EvidenceEntry, ...]:
        """All entries, by document id, then log order."""
        with self._mutex:
            logs = [self._read(document_id, locked=False) for document_id in self._document_ids()]
            return tuple(entry for log in logs for entry in log.entries.values())

    def of(self, document_id: str) -> tuple[EvidenceEntry, ...]:
        """The entries of one document, by id or unique prefix, in log order. Raises AmbiguousId."""
        with self._mutex:
            full = log_of(document_id, () if is_id(document_id) else self._document_ids())
            return tuple(self._read(full, locked=False).entries.values()) if is_id(full) else ()

    def sizes(self) -> dict[Path, int]:
        """How long every log (and what was set aside of it) is, under the lock that writers take."""
        held = contextlib.nullcontext() if self._read_only else self._lock.hold("copy evidence")
        with self._mutex, held:
            paths = [*self._layout.evidence.glob("*.jsonl"), *self._layout.evidence.glob("*.jsonl.torn")]
            return {path: path.stat().st_size for path in sorted(paths)}

    def _document_ids(self) -> list[str]:
        try:
            names = os.listdir(self._layout.evidence)  # noqa: PTH208 - names are all that is needed
        except FileNotFoundError:
            return []
        found = (id_of_file(name) for name in names if name.endswith(".jsonl"))
        return sorted(document_id for document_id in found if document_id is not None)

    def _read(self, document_id: str, *, locked: bool) -> _Known:
        """Bring what is known of a log up to date, reading only what was appended since."""
        path = self._layout.evidence_log(document_id)
        known = self._known.get(document_id)
        try:
            status = path.stat()
            if known is not None and (known.inode, known.size) == (status.st_ino, status.st_size):
                return known
            with path.open("rb") as log:
                inode = os.fstat(log.fileno()).st_ino
                if known is None or known.inode != inode or log.seek(0, 2) < known.size:
                    known = _Known(inode, 0, {})
                log.seek(known.size)
                new = log.read()
        except FileNotFoundError:
            return _Known(0, 0, {})
        *lines, torn = new.split(b"\n")
        entries = dict(known.entries)
        for number, line in enumerate(lines, known.lines + 1):
            entry = _decode(path, number, line, document_id)
            entries.setdefault(entry.evidence_id, entry)
        size = known.size + sum(len(line) + 1 for line in lines)
        if torn:
            if locked:
                aside = atomic.set_aside(path, size)
                self._notices.add(f"{path} ended in a line cut short by a crash; it is kept in {aside.name}")
            elif self._read_only:
                self._notices.add(f"{path} ends in a line cut short by a crash; it is not read")
            else:
                # Either another process is just writing it, or it died doing so: the lock tells.
                with self._lock.try_hold() as held:
                    if held:
                        return self._read(document_id, locked=True)
        fresh = _Known(inode, size, entries, known.lines + len(lines))
        self._known[document_id] = fresh
        self._index.update(entries)
        return fresh


def _decode(path: Path, number: int, line: bytes, document_id: str) -> EvidenceEntry:
    try:
        entry = decode(line, EvidenceEntry)
        problem = entry_problem(entry)
        if entry.document_id != document_id:
            problem = "it belongs to another document"
    except ValueError as error:
        problem = str(error)
    if problem:
        raise LogDamaged(
            f"{path}, line {number}: the entry cannot be trusted ({problem})",
            "restore the file from a backup, or remove that line",
        )
    return entry

"""What a store holds at one moment, while others go on writing to it.

Everything is one of three kinds. Files that never change once they are there (bytes, snapshots) are copied
whenever it suits. Logs only grow: their length at the moment is enough. Records that are replaced (sources,
claims, bibliography, tombstones) are read under the lock of their writers.

Each part is looked at under its own lock, milliseconds each and never two at once, in the order *events,
claims, bibliography, evidence, documents*. Writers go the other way: a document is committed before evidence
of it is recorded, evidence before a run names it, a run before a decision is made on it. So whatever an
earlier part names, a later part holds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cmtui.store.bibliography import BibliographySidecars
from cmtui.store.claims import ClaimFiles
from cmtui.store.documents import DocumentStore
from cmtui.store.events import EventLogs
from cmtui.store.evidence_log import EvidenceLogs
from cmtui.store.layout import Layout, id_of_file

_ID = "[0-9a-f]{64}"
#: Every file that a store is made of, apart from derived data, locks and temporary files.
STORE_FILE = re.compile(
    r"store\.json|generation|concepts\.txt|"
    rf"blobs/sha256/[0-9a-f]{{2}}/{_ID}|(snapshots|identity|sources|bibliography|claims)"
    rf"/{_ID}\.json|evidence/{_ID}\.jsonl(\.torn)?|removed/{_ID}(\.[0-9]+)?\.json|events/[A-Za-z0-9%_-]+\.jsonl"
    rf"(\.torn)?|(receipts|references|audits)/[A-Za-z0-9_-][A-Za-z0-9._-]{{0,200}}"
)
#: What lies in a store directory and is neither copied nor missed.
NOT_COPIED = re.compile(
    r"derived(/.*)?|(.*/)?\.?[^/]*\.lock(\.info)?|lock(\.info)?|(.*/)?\.[^/]*\.tmp|(.*/)?\.DS_Store"
)


@dataclass(frozen=True, slots=True)
class CapturedFile:
    """One file of the moment: ``name`` inside the store (with slashes), and what is to be copied of it.

    ``content`` where it had to be read at once; else the first ``length`` bytes of ``path``, or all of it.
    """

    name: str
    path: Path
    content: bytes | None = None
    length: int | None = None


class Capture:
    """Lists the files of one moment."""

    def __init__(
        self,
        layout: Layout,
        documents: DocumentStore,
        evidence: EvidenceLogs,
        claims: ClaimFiles,
        bibliography: BibliographySidecars,
        events: EventLogs,
        *,
        read_only: str | None,
    ) -> None:
        self._layout = layout
        self._documents = documents
        self._evidence = evidence
        self._claims = claims
        self._bibliography = bibliography
        self._events = events
        self._read_only = read_only

    def files(self) -> tuple[CapturedFile, ...]:
        """Every file of the store, sorted by name. Raises StoreLocked, OSError."""
        layout = self._layout
        found: list[CapturedFile] = []
        for path, size in self._events.sizes().items():
            found.append(self._file(path, length=size))
        for contents in (self._claims.contents(), self._bibliography.contents()):
            found.extend(self._file(path, content=content) for path, content in contents.items())
        for path, size in self._evidence.sizes().items():
            found.append(self._file(path, length=size))
        for folder in (layout.receipts, layout.references, layout.audits):
            found.extend(self._file(path, content=path.read_bytes()) for path in _files_of(folder))
        if self._read_only:
            found.extend(self._of_documents())
        else:
            with self._documents.exclusive("list the files of the store"):
                found.extend(self._of_documents())
        return tuple(sorted((f for f in found if STORE_FILE.fullmatch(f.name)), key=lambda f: f.name))

    def _of_documents(self) -> Iterator[CapturedFile]:
        layout = self._layout
        for path in (layout.format_file, layout.generation, layout.concepts):
            if path.exists():
                yield self._file(path, content=path.read_bytes())
        for folder in (layout.sources, layout.removed):
            for path in _files_of(folder):
                yield self._file(path, content=path.read_bytes())
        for folder in (layout.snapshots, layout.identity):
            for path in _files_of(folder):
                if id_of_file(path.name) is not None:
                    yield self._file(path)
        if layout.blobs.exists():
            for folder in sorted(layout.blobs.iterdir()):
                for path in _files_of(folder):
                    yield self._file(path)

    def _file(self, path: Path, *, content: bytes | None = None, length: int | None = None) -> CapturedFile:
        return CapturedFile(path.relative_to(self._layout.root).as_posix(), path, content, length)


def strangers(layout: Layout) -> tuple[str, ...]:
    """Names of files in the store directory that are no part of a store, sorted. Nothing reads them."""
    found = []
    for folder, _, names in os.walk(layout.root):
        base = Path(folder).relative_to(layout.root)
        for name in names:
            inside = (base / name).as_posix()
            if not STORE_FILE.fullmatch(inside) and not NOT_COPIED.fullmatch(inside):
                found.append(inside)
    return tuple(sorted(found))


def _files_of(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [e.name for e in entries if not e.name.startswith(".") and e.is_file()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [folder / name for name in sorted(names)]

"""Snapshots: canonical documents that verify themselves (D15).

A snapshot is one line of JSON, ``{"format":1,"sha256":"<digest>","document":<document>}``: the digest is that
of the document's bytes, so that one flipped bit anywhere is noticed, in the text or in a locator table. Its
name is the content id, recomputed from what it holds. Nothing is read from a snapshot that fails (R21).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from threading import Lock

import msgspec

from cmtui.errors import SnapshotDamaged
from cmtui.model.identity import sha256_bytes
from cmtui.model.source import CanonicalDocument
from cmtui.store import atomic
from cmtui.store.layout import FORMAT_VERSION, Layout, id_of_file
from cmtui.store.library import document_problem
from cmtui.store.records import decode

_HEAD = f'{{"format":{FORMAT_VERSION},"sha256":"'.encode()
_MIDDLE = b'","document":'
_TAIL = b"}\n"
_BODY = len(_HEAD) + 64 + len(_MIDDLE)

Stamp = tuple[int, int, int]


class Snapshots:
    """The documents in ``snapshots/``, each verified once per process (and again when its file changes)."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._mutex = Lock()
        self._verified: dict[str, tuple[Stamp, str]] = {}

    def write(self, document: CanonicalDocument) -> str:
        """Write a snapshot; this rename is the commit of the document. Returns the file's SHA-256."""
        body = msgspec.json.encode(document)
        raw = b"".join((_HEAD, sha256_bytes(body).encode(), _MIDDLE, body, _TAIL))
        path = self._layout.snapshot(document.document_id)
        atomic.write_whole(path, raw)
        return sha256_bytes(raw)

    def load(self, document_id: str) -> tuple[CanonicalDocument, str]:
        """A document and the SHA-256 of its file. Raises SnapshotDamaged naming the file."""
        path = self._layout.snapshot(document_id)
        try:
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                raw = file.read()
        except OSError as error:
            raise self._damaged(document_id, f"cannot be read: {error.strerror}") from error
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
        with self._mutex:
            known = self._verified.get(document_id)
        if known is not None and known[0] == stamp:
            return self._decode(document_id, raw), known[1]
        document = self._verify(document_id, raw)
        digest = sha256_bytes(raw)
        with self._mutex:
            self._verified[document_id] = (stamp, digest)
        return document, digest

    def remove(self, document_id: str) -> None:
        """Remove a snapshot. The caller holds the lock and has written the tombstone."""
        path = self._layout.snapshot(document_id)
        path.unlink(missing_ok=True)
        atomic.sync_folder(path.parent)
        with self._mutex:
            self._verified.pop(document_id, None)

    def is_sound(self, document_id: str) -> bool:
        """Whether a document's snapshot is there and verifies."""
        try:
            self.load(document_id)
        except SnapshotDamaged:
            return False
        return True

    def ids(self) -> Iterator[str]:
        """Ids of all snapshots, in no order. Files that are none of ours are passed over."""
        for name in os.listdir(self._layout.snapshots):  # noqa: PTH208 - names are all that is needed
            document_id = id_of_file(name)
            if document_id is not None:
                yield document_id

    def _verify(self, document_id: str, raw: bytes) -> CanonicalDocument:
        if not (
            raw.startswith(_HEAD)
            and raw[_BODY - len(_MIDDLE) : _BODY] == _MIDDLE
            and raw.endswith(_TAIL)
            and raw[len(_HEAD) : len(_HEAD) + 64] == sha256_bytes(raw[_BODY : -len(_TAIL)]).encode()
        ):
            raise self._damaged(document_id, "does not hash to the digest it states")
        document = self._decode(document_id, raw)
        problem = document_problem(document)
        if problem:
            raise self._damaged(document_id, f"contradicts itself: {problem}")
        if document.document_id != document_id:
            raise self._damaged(document_id, "does not hash to its own name")
        return document

    def _decode(self, document_id: str, raw: bytes) -> CanonicalDocument:
        try:
            return decode(raw[_BODY : -len(_TAIL)], CanonicalDocument)
        except ValueError as error:
            raise self._damaged(document_id, f"cannot be decoded: {error}") from error

    def _damaged(self, document_id: str, problem: str) -> SnapshotDamaged:
        return SnapshotDamaged(
            f"the snapshot {self._layout.snapshot(document_id)} {problem}",
            "restore the file from a backup, or move it away and ingest the source file again",
        )

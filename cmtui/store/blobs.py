"""Exact source bytes, content-addressed and immutable (R12)."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from cmtui.errors import BlobDamaged
from cmtui.model.identity import sha256_bytes
from cmtui.store import atomic
from cmtui.store.ids import is_id
from cmtui.store.layout import Layout


class Blobs:
    """The bytes in ``blobs/sha256/``."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def put(self, digest: str, content: bytes) -> None:
        """Store bytes whose digest the caller has checked. Bytes of that name and size stay as they are."""
        path = self._layout.blob(digest)
        try:
            if path.stat().st_size == len(content):
                return
        except FileNotFoundError:
            atomic.make_folder(path.parent)
        atomic.write_whole(path, content)

    def get(self, digest: str) -> bytes:
        """The bytes with this digest. Raises BlobDamaged."""
        path = self._layout.blob(digest)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise BlobDamaged(
                f"the source bytes {path} cannot be read: {error.strerror}",
                "ingest the source file again, or restore the file from a backup",
            ) from error
        if sha256_bytes(content) != digest:
            raise BlobDamaged(
                f"the source bytes {path} do not hash to their name",
                "move the file away and ingest the source file again, or restore it from a backup",
            )
        return content

    def digests(self) -> tuple[str, ...]:
        """Digests of all stored bytes, sorted."""
        found: list[str] = []
        try:
            folders = [entry.path for entry in os.scandir(self._layout.blobs) if entry.is_dir()]
        except FileNotFoundError:
            return ()
        for folder in folders:
            found.extend(entry.name for entry in os.scandir(folder) if is_id(entry.name))
        return tuple(sorted(found))

    def remove(self, digest: str) -> None:
        """Remove bytes. The caller holds the lock and knows that no document needs them."""
        self._layout.blob(digest).unlink(missing_ok=True)

    def remove_temporaries(self) -> None:
        """Remove what an interrupted write left. The caller holds the lock."""
        with contextlib.suppress(FileNotFoundError):
            for entry in os.scandir(self._layout.blobs):
                if entry.is_dir():
                    atomic.remove_temporaries(Path(entry.path))

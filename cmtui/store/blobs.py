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
        """Store bytes whose digest the caller has checked. Sound bytes stay, damaged ones are replaced."""
        path = self._layout.blob(digest)
        try:
            if path.stat().st_size == len(content) and path.read_bytes() == content:
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
                "ingest the source file again with --reprofile, or restore the file from a backup",
            ) from error
        if sha256_bytes(content) != digest:
            raise BlobDamaged(
                f"the source bytes {path} do not hash to their name",
                "ingest the source file again with --reprofile, or restore the file from a backup",
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
        path = self._layout.blob(digest)
        path.unlink(missing_ok=True)
        atomic.sync_folder(path.parent)

    def remove_temporaries(self) -> None:
        """Remove what an interrupted write left. The caller holds the lock."""
        with contextlib.suppress(FileNotFoundError):
            for entry in os.scandir(self._layout.blobs):
                if entry.is_dir():
                    atomic.remove_temporaries(Path(entry.path))

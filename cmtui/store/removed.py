"""Tombstones: ``removed/<document_id>.json``, written before anything of a document is deleted.

A tombstone is the commit of a removal: a document that has one counts as removed whatever files of it are
still there, and whoever looks next deletes them. When the document is ingested again, its tombstone is kept
under ``<document_id>.<n>.json``, where it hides nothing any more.
"""

from __future__ import annotations

import os

import msgspec

from cmtui.errors import DocumentRemoved, StoreError
from cmtui.model.removal import Tombstone
from cmtui.store import atomic
from cmtui.store.ids import MIN_PREFIX
from cmtui.store.layout import FORMAT_VERSION, Layout, id_of_file
from cmtui.store.records import decode, encode


class TombstoneFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``removed/<document_id>.json``."""

    format: int = FORMAT_VERSION
    tombstone: Tombstone


def removed_error(tombstone: Tombstone) -> DocumentRemoved:
    """The error for somebody who asks for a removed document."""
    reason = f" ({tombstone.reason})" if tombstone.reason else ""
    return DocumentRemoved(
        f"document {tombstone.document_id[:12]} was removed on {tombstone.removed_at[:10]}{reason}",
        f"ingest its source again: {tombstone.reference}",
    )


class Tombstones:
    """The files in ``removed/``. Writing needs the commit lock."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def ids(self) -> frozenset[str]:
        """Ids of the documents that count as removed, whatever their tombstones hold."""
        try:
            names = os.listdir(self._layout.removed)  # noqa: PTH208 - names are all that is needed
        except FileNotFoundError:
            return frozenset()
        return frozenset(found for found in map(id_of_file, names) if found is not None)

    def find(self, value: str) -> Tombstone | None:
        """The tombstone of a document by id or unique prefix, or None. Raises StoreError when damaged."""
        prefix = value.strip().lower()
        if len(prefix) < MIN_PREFIX:
            return None
        found = [document_id for document_id in self.ids() if document_id.startswith(prefix)]
        return self.get(found[0]) if len(found) == 1 else None

    def get(self, document_id: str) -> Tombstone | None:
        """The tombstone of a document (full id), or None. Raises StoreError when damaged."""
        path = self._layout.tombstone(document_id)
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return None
        hint = "restore the file from a backup; the document counts as removed meanwhile"
        try:
            record = decode(raw, TombstoneFile)
        except ValueError as error:
            raise StoreError(f"the tombstone {path} cannot be read: {error}", hint) from error
        if record.format != FORMAT_VERSION or record.tombstone.document_id != document_id:
            raise StoreError(f"the tombstone {path} is of another document or format", hint)
        return record.tombstone

    def write(self, tombstone: Tombstone) -> None:
        """Write a tombstone; this rename is the commit of the removal."""
        atomic.make_folder(self._layout.removed)
        atomic.write_whole(
            self._layout.tombstone(tombstone.document_id), encode(TombstoneFile(tombstone=tombstone))
        )

    def retire(self, document_id: str) -> None:
        """Keep the tombstone of a document that comes back under a name that hides nothing."""
        path = self._layout.tombstone(document_id)
        number = 1
        while (kept := path.with_name(f"{document_id}.{number}.json")).exists():
            number += 1
        try:
            path.rename(kept)
        except FileNotFoundError:
            return
        atomic.sync_folder(path.parent)

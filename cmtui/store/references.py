"""Bibliography entries of works that have no source in the store: one file each, replaced whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from cmtui.errors import InvalidRequest, StoreError, StoreReadOnly
from cmtui.model.discovery import SavedReference
from cmtui.store import atomic
from cmtui.store.ids import require_id, resolve
from cmtui.store.layout import FORMAT_VERSION, Layout, id_of_file
from cmtui.store.records import decode, encode


class ReferenceFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``references/<reference_id>.json``."""

    format: int = FORMAT_VERSION
    reference_id: str
    item: dict[str, Any]
    origin: dict[str, str] = {}
    added_at: str | None = None


def encoded(reference: SavedReference) -> bytes:
    """The bytes of a reference. Raises InvalidRequest for an item that is not JSON."""
    require_id(reference.reference_id, "reference")
    try:
        data = encode(
            ReferenceFile(
                reference_id=reference.reference_id,
                item=dict(reference.item),
                origin=dict(reference.origin),
                added_at=reference.added_at,
            )
        )
        decode(data, ReferenceFile)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidRequest(f"the entry cannot be kept: {error}", "give a CSL-JSON item") from error
    return data


def decoded(reference_id: str, data: bytes) -> SavedReference:
    """The reference of a file. Raises ValueError that says what is wrong with it."""
    record = decode(data, ReferenceFile)
    if record.format != FORMAT_VERSION or record.reference_id != reference_id:
        raise ValueError("it holds another entry or format")
    return SavedReference(record.reference_id, record.item, record.origin, record.added_at)


def in_order(references: Iterable[SavedReference]) -> tuple[SavedReference, ...]:
    """By title, then id."""
    return tuple(sorted(references, key=lambda r: (str(r.item.get("title", "")).casefold(), r.reference_id)))


def revised(old: SavedReference | None, new: SavedReference, now: str) -> SavedReference:
    """``new`` with the time of its first arrival."""
    return replace(new, added_at=old.added_at if old is not None else new.added_at or now)


class References:
    """The entries in ``references/``."""

    def __init__(self, layout: Layout, *, read_only: str | None) -> None:
        self._layout = layout
        self._read_only = read_only

    def save(self, reference: SavedReference, now: str) -> SavedReference:
        """Keep an entry, replacing the one with its id. Raises InvalidRequest, StoreReadOnly."""
        self._check_writable()
        path = self._layout.reference(require_id(reference.reference_id, "reference"))
        try:
            old = self.read(path)
        except (FileNotFoundError, ValueError):
            old = None
        new = revised(old, reference, now)
        if new != old:
            data = encoded(new)
            atomic.make_folder(path.parent)
            atomic.write_whole(path, data)
        return new

    def remove(self, reference_id: str) -> SavedReference:
        """Remove an entry by id or unique prefix. Raises NotFound, AmbiguousId, StoreReadOnly."""
        self._check_writable()
        full = resolve(reference_id, [path.stem for path in self.paths()], "bibliography entry")
        path = self._layout.reference(full)
        gone = self._load(path)
        path.unlink(missing_ok=True)
        atomic.sync_folder(path.parent)
        return gone

    def all(self) -> tuple[SavedReference, ...]:
        """Every entry, by title. Raises StoreError for a damaged one."""
        return in_order(self._load(path) for path in self.paths())

    def paths(self) -> list[Path]:
        """The files, sorted by name."""
        folder = self._layout.references
        if not folder.is_dir():
            return []
        return sorted(path for path in folder.iterdir() if path.suffix == ".json" and id_of_file(path.name))

    @staticmethod
    def read(path: Path) -> SavedReference:
        """One entry. Raises ValueError that says what is wrong, FileNotFoundError."""
        return decoded(path.stem, path.read_bytes())

    def _load(self, path: Path) -> SavedReference:
        try:
            return self.read(path)
        except ValueError as error:
            raise StoreError(
                f"the bibliography entry {path} cannot be read: {error}",
                "restore the file from a backup, or move it away: nothing else depends on it",
            ) from error

    def _check_writable(self) -> None:
        if self._read_only:
            raise StoreReadOnly(self._read_only, "entries cannot be changed here")

"""Bibliography sidecars, keyed by source: a new version of a source keeps its metadata (R101 to R105).

Nothing here enters an identity (R112).
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from cmtui.errors import InvalidRequest, SidecarMalformed, StoreReadOnly
from cmtui.model.bibliography import BibliographyRecord, CslItem, EditorialNotice
from cmtui.ports import Clock
from cmtui.store import atomic
from cmtui.store.layout import FORMAT_VERSION, Layout
from cmtui.store.locks import FolderLock
from cmtui.store.records import decode, encode


class BibliographyFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``bibliography/<source_id>.json``. The notices are absent until a look-up was accepted."""

    format: int = FORMAT_VERSION
    source_id: str
    item: CslItem
    history: tuple[CslItem, ...] = ()
    updated_at: str | None = None
    notices: tuple[EditorialNotice, ...] | msgspec.UnsetType = msgspec.UNSET
    notices_checked_at: str | msgspec.UnsetType = msgspec.UNSET


def revised(
    old: BibliographyRecord | None,
    source_id: str,
    item: CslItem,
    now: str,
    notices: Sequence[EditorialNotice] | None = None,
) -> BibliographyRecord:
    """The record after ``item`` replaced what was there. An equal item changes nothing.

    ``notices`` replace those of the look-up before; None leaves them. The item is copied
    through JSON, so that the caller's object is never shared. Raises InvalidRequest.
    """
    try:
        if not isinstance(item, dict):
            raise TypeError("not an object")
        copy = json.loads(json.dumps(item, allow_nan=False))
        json.dumps(copy, ensure_ascii=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"the bibliography item is not JSON: {error}") from error
    if old is None:
        new = BibliographyRecord(source_id, copy, (), now)
    elif old.item == copy:
        new = old
    else:
        new = replace(old, item=copy, history=(*old.history, old.item), updated_at=now)
    return new if notices is None else replace(new, notices=tuple(notices), notices_checked_at=now)


class BibliographySidecars:
    """The sidecars in ``bibliography/``. Raises what ``cmtui.ports.BibliographyRepository`` says."""

    def __init__(self, layout: Layout, clock: Clock, *, timeout: float, read_only: str | None) -> None:
        self._layout = layout
        self._clock = clock
        self._read_only = read_only
        self._lock = FolderLock(layout.bibliography / ".lock", timeout=timeout, clock=clock)

    def get(self, source_id: str) -> BibliographyRecord | None:
        """The record of a source (full id), or None. Raises SidecarMalformed."""
        path = self._layout.bibliography_of(source_id)
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return None
        hint = "correct the file by hand, restore it from a backup, or move it away and enter it again"
        try:
            record = decode(raw, BibliographyFile)
        except ValueError as error:
            raise SidecarMalformed(f"the bibliography sidecar {path} is malformed: {error}", hint) from error
        if record.format != FORMAT_VERSION or record.source_id != source_id:
            raise SidecarMalformed(f"the bibliography sidecar {path} is of another source or format", hint)
        return BibliographyRecord(
            record.source_id,
            record.item,
            record.history,
            record.updated_at,
            () if isinstance(record.notices, msgspec.UnsetType) else record.notices,
            None if isinstance(record.notices_checked_at, msgspec.UnsetType) else record.notices_checked_at,
        )

    def contents(self) -> dict[Path, bytes]:
        """The bytes of every sidecar at one moment."""
        held = contextlib.nullcontext() if self._read_only else self._lock.hold("copy bibliography")
        with held:
            return {p: p.read_bytes() for p in sorted(self._layout.bibliography.glob("*.json"))}

    def set(
        self, source_id: str, item: CslItem, notices: Sequence[EditorialNotice] | None = None
    ) -> BibliographyRecord:
        """Replace the item of a source (full id). Raises SidecarMalformed: a malformed one is not lost."""
        if self._read_only:
            raise StoreReadOnly(self._read_only, "the bibliography cannot be changed here")
        with self._lock.hold("set bibliography") as unfinished:
            if unfinished is not None:
                atomic.remove_temporaries(self._layout.bibliography)
            old = self.get(source_id)
            new = revised(old, source_id, item, self._clock.now(), notices)
            if new is not old:
                checked = new.notices_checked_at
                data = encode(
                    BibliographyFile(
                        source_id=source_id,
                        item=new.item,
                        history=new.history,
                        updated_at=new.updated_at,
                        notices=msgspec.UNSET if checked is None else new.notices,
                        notices_checked_at=msgspec.UNSET if checked is None else checked,
                    )
                )
                atomic.write_whole(self._layout.bibliography_of(source_id), data)
            return new

"""Audits of section runs: every candidate, number and reason, written once and never changed (R175, R176)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec

from cmtui.errors import InvalidRequest, StoreError, StoreReadOnly
from cmtui.model.identity import sha256_bytes
from cmtui.model.sections import SectionAudit
from cmtui.store import atomic
from cmtui.store.layout import FORMAT_VERSION, Layout, id_of_file
from cmtui.store.records import decode, encode


class AuditFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``audits/<SHA-256 of the file>.json``."""

    format: int = FORMAT_VERSION
    audit: SectionAudit


def encoded(audit: SectionAudit) -> tuple[str, bytes]:
    """The id of an audit and the bytes of its file. Raises InvalidRequest for values that are not JSON."""
    try:
        data = encode(AuditFile(audit=replace(audit, audit_id="")))
        decode(data, AuditFile)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidRequest(f"The audit cannot be kept: {error}.", "Report this: it is a fault.") from error
    return sha256_bytes(data), data


def decoded(audit_id: str, data: bytes) -> SectionAudit:
    """The audit of a file. Raises ValueError that says what is wrong with it."""
    record = decode(data, AuditFile)
    if record.format != FORMAT_VERSION:
        raise ValueError(f"it has the format {record.format}")
    if sha256_bytes(data) != audit_id:
        raise ValueError("it does not hash to its name")
    return replace(record.audit, audit_id=audit_id)


def in_order(audits: Iterable[SectionAudit]) -> tuple[SectionAudit, ...]:
    """Audits by time, then id."""
    return tuple(sorted(audits, key=lambda audit: (audit.run_at, audit.audit_id)))


class Audits:
    """The audits in ``audits/``."""

    def __init__(self, layout: Layout, *, read_only: str | None) -> None:
        self._layout = layout
        self._read_only = read_only

    def add(self, audit: SectionAudit) -> SectionAudit:
        """Keep an audit. Raises InvalidRequest, StoreReadOnly."""
        if self._read_only:
            raise StoreReadOnly(self._read_only, "Audits cannot be kept here.")
        audit_id, data = encoded(audit)
        path = self._layout.audit(audit_id)
        if not path.exists():
            atomic.make_folder(path.parent)
            atomic.write_whole(path, data)
        return replace(audit, audit_id=audit_id)

    def all(self) -> tuple[SectionAudit, ...]:
        """Audits, oldest first. Raises StoreError for a damaged one."""
        found = []
        for path in self.paths():
            try:
                found.append(self.read(path))
            except FileNotFoundError:
                continue
            except ValueError as error:
                raise StoreError(
                    f"The audit {path} cannot be trusted: {error}.",
                    "Restore the file from a backup, or move it away: nothing else depends on it.",
                ) from error
        return in_order(found)

    def paths(self) -> list[Path]:
        """The files, sorted by name."""
        folder = self._layout.audits
        if not folder.is_dir():
            return []
        return sorted(path for path in folder.iterdir() if path.suffix == ".json" and id_of_file(path.name))

    @staticmethod
    def read(path: Path) -> SectionAudit:
        """One audit. Raises ValueError that says what is wrong, FileNotFoundError."""
        return decoded(path.stem, path.read_bytes())

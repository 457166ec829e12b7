"""Audits of section runs: every candidate, number and reason, written once and never changed (R175, R176)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from cmtui.errors import InvalidRequest
from cmtui.model.identity import sha256_bytes
from cmtui.model.sections import SectionAudit
from cmtui.store.layout import FORMAT_VERSION, Layout
from cmtui.store.records import decode, encode
from cmtui.store.written_once import WrittenOnce


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


def audit_files(layout: Layout, *, read_only: str | None) -> WrittenOnce[SectionAudit]:
    """The audits in ``audits/``."""
    return WrittenOnce(
        layout.audits, "audit", read_only, encoded, decoded, lambda audit, name: replace(audit, audit_id=name)
    )

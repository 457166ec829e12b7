"""Receipts of acquisition: what a discovery system said of a stored document, and which span came of it.

They are history. Nothing here enters an identity (R29, R30), and no document, passage or evidence is read
from one: the span it names is verified anew against the canonical text whenever it is shown (R34).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from cmtui.errors import InvalidRequest, StoreError, StoreReadOnly
from cmtui.model.discovery import AcquisitionReceipt, DiscoveryMetadata
from cmtui.model.identity import sha256_bytes
from cmtui.model.selectors import Span
from cmtui.store import atomic
from cmtui.store.layout import FORMAT_VERSION, Layout, id_of_file
from cmtui.store.records import decode, encode


class ReceiptFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``receipts/<SHA-256 of the file>.json``."""

    format: int = FORMAT_VERSION
    discovery: DiscoveryMetadata
    url: str | None = None
    source_id: str | None = None
    document_id: str | None = None
    source_version: str | None = None
    status: str | None = None
    evidence_id: str | None = None
    span: Span | None = None
    error: str | None = None
    message: str | None = None
    hint: str | None = None
    acquired_at: str | None = None
    media_type: str | None = None
    length_declared: bool | None = None


#: ``rule`` belongs to captures that failed, and those leave no receipt here.
_FIELDS = tuple(name for name in ReceiptFile.__struct_fields__ if name != "format")


def encoded(receipt: AcquisitionReceipt) -> tuple[str, bytes]:
    """The id of a receipt and the bytes of its file. Raises InvalidRequest for metadata that is not JSON."""
    if receipt.evidence is not None and receipt.evidence_id is None:
        receipt = replace(receipt, evidence_id=receipt.evidence.evidence_id)
    values: dict[str, Any] = {name: getattr(receipt, name) for name in _FIELDS}
    try:
        data = encode(ReceiptFile(**values))
        decode(data, ReceiptFile)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidRequest(f"the receipt cannot be kept: {error}", "give JSON-like metadata") from error
    return sha256_bytes(data), data


def decoded(receipt_id: str, data: bytes) -> AcquisitionReceipt:
    """The receipt of a file. Raises ValueError that says what is wrong with it."""
    record = decode(data, ReceiptFile)
    if record.format != FORMAT_VERSION:
        raise ValueError(f"it has the format {record.format}")
    if sha256_bytes(data) != receipt_id:
        raise ValueError("it does not hash to its name")
    return AcquisitionReceipt(**{name: getattr(record, name) for name in _FIELDS}, receipt_id=receipt_id)


def in_order(
    receipts: Iterable[AcquisitionReceipt], document_id: str | None
) -> tuple[AcquisitionReceipt, ...]:
    """Receipts by time, then rank, then id; those of one document when one is named."""
    kept = (r for r in receipts if document_id is None or r.document_id == document_id)
    return tuple(sorted(kept, key=lambda r: (r.acquired_at or "", r.discovery.rank or 0, r.receipt_id or "")))


class Receipts:
    """The receipts in ``receipts/``. Each is written once and never changed, so no lock is needed."""

    def __init__(self, layout: Layout, *, read_only: str | None) -> None:
        self._layout = layout
        self._read_only = read_only

    def add(self, receipt: AcquisitionReceipt) -> AcquisitionReceipt:
        """Keep a receipt. Raises InvalidRequest, StoreReadOnly."""
        if self._read_only:
            raise StoreReadOnly(self._read_only, "receipts cannot be kept here")
        receipt_id, data = encoded(receipt)
        path = self._layout.receipt(receipt_id)
        if not path.exists():
            atomic.make_folder(path.parent)
            atomic.write_whole(path, data)
        return replace(receipt, receipt_id=receipt_id)

    def all(self, document_id: str | None = None) -> tuple[AcquisitionReceipt, ...]:
        """Receipts, oldest first. Raises StoreError for a damaged one."""
        found = []
        for path in self.paths():
            try:
                found.append(self.read(path))
            except FileNotFoundError:
                continue
            except ValueError as error:
                raise StoreError(
                    f"the receipt {path} cannot be trusted: {error}",
                    "restore the file from a backup, or move it away: nothing else depends on it",
                ) from error
        return in_order(found, document_id)

    def paths(self) -> list[Path]:
        """The files, sorted by name."""
        folder = self._layout.receipts
        if not folder.is_dir():
            return []
        return sorted(path for path in folder.iterdir() if path.suffix == ".json" and id_of_file(path.name))

    @staticmethod
    def read(path: Path) -> AcquisitionReceipt:
        """One receipt. Raises ValueError that says what is wrong, FileNotFoundError."""
        return decoded(path.stem, path.read_bytes())

"""Receipts of acquisition: what a discovery system said of a stored document, and which span came of it.

They are history. Nothing here enters an identity (R29, R30), and no document, passage or evidence is read
from one: the span it names is verified anew against the canonical text whenever it is shown (R34).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec

from cmtui.errors import InvalidRequest
from cmtui.model.discovery import AcquisitionReceipt, DiscoveryMetadata
from cmtui.model.identity import sha256_bytes
from cmtui.model.selectors import Span
from cmtui.store.layout import FORMAT_VERSION, Layout
from cmtui.store.records import decode, encode
from cmtui.store.written_once import WrittenOnce


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


def receipt_files(layout: Layout, *, read_only: str | None) -> WrittenOnce[AcquisitionReceipt]:
    """The receipts in ``receipts/``."""
    return WrittenOnce(
        layout.receipts,
        "receipt",
        read_only,
        encoded,
        decoded,
        lambda receipt, name: replace(receipt, receipt_id=name),
    )

"""Removed documents: what stays known of them. Their evidence and every decision on it are kept."""

from __future__ import annotations

from dataclasses import dataclass

from cmtui.model.identity import SourceKind


@dataclass(frozen=True, slots=True)
class AcceptedQuote:
    """A quote of the document that a reviewer had accepted, as the review log holds it.

    ``start`` and ``end`` are code points of the canonical content, half-open.
    """

    reviewer: str
    claim_id: str
    claim: str
    evidence_id: str
    start: int
    end: int
    exact: str
    decided_at: str | None = None


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What stands in ``removed/<document_id>.json``: ids, reason, time (UTC) and the accepted quotes."""

    document_id: str
    version_id: str
    source_id: str
    kind: SourceKind
    reference: str
    bytes_sha256: str
    size: int
    reason: str
    removed_at: str
    accepted: tuple[AcceptedQuote, ...] = ()

"""The trail of what came from outside: captures, and every decision of the section pipeline (R175, R176)."""

from __future__ import annotations

from collections.abc import Iterator

from cmtui.model.audit import ENGINE, AuditEvent
from cmtui.model.sections import CandidateDecision
from cmtui.ports import KnowledgeRepository


def captured(repository: KnowledgeRepository) -> Iterator[AuditEvent]:
    """One event for each receipt: what was captured from where, or why nothing came of its highlight.

    Raises StoreError for a damaged receipt.
    """
    known = {row.document_id: row for row in repository.summaries()}
    for receipt in repository.receipts():
        row = known.get(receipt.document_id or "")
        detail = receipt.error or f"{receipt.status or 'stored'}, by {receipt.discovery.provider}"
        yield AuditEvent(
            receipt.acquired_at,
            ENGINE,
            "source.captured",
            receipt.document_id or receipt.discovery.candidate_id,
            receipt.url or receipt.discovery.url or receipt.discovery.candidate_id,
            detail,
            document_id=row.document_id if row is not None else "",
            source_id=row.source_id if row is not None else "",
            evidence_id=receipt.evidence_id or "",
        )


def examined(repository: KnowledgeRepository) -> Iterator[AuditEvent]:
    """One event for each section of each run, and one for each candidate with the reason of its decision.

    Raises StoreError for a damaged audit.
    """
    for audit in repository.audits():
        for result in audit.sections:
            told = f"{len(result.citations)} kept, {len(result.rejected_candidates)} rejected"
            cached = ", from the cache" if result.cache_hit else ""
            title = result.section_title or "opening"
            yield AuditEvent(
                audit.run_at,
                ENGINE,
                "section.examined",
                audit.document_id,
                f"{audit.name}: {title}",
                told + cached,
            )
            for decision in result.audit:
                candidate = decision.candidate
                yield AuditEvent(
                    audit.run_at,
                    ENGINE,
                    "candidate.accepted" if decision.accepted else "candidate.rejected",
                    candidate.doi or candidate.url or candidate.title,
                    candidate.title or "(no title)",
                    _numbers(decision),
                )


def _numbers(decision: CandidateDecision) -> str:
    parts = [(decision.rejection_reason or "").replace("_", " ")]
    if decision.relevance_score is not None:
        parts.append(f"relevance {decision.relevance_score:.2f}")
    if decision.final_score is not None:
        parts.append(f"score {decision.final_score:.2f}")
    return ", ".join(part for part in parts if part)

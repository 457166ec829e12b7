"""Removing a document: what would go with it, and what stays known of it afterwards.

The evidence log and every event stay. An accept event holds the exact text and the inputs of its citation, so
that accepted findings are exported as before.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from cmtui.errors import RetrievalError
from cmtui.model.removal import AcceptedQuote, Tombstone
from cmtui.model.review import Decision, fold
from cmtui.model.source import DocumentSummary
from cmtui.ports import KnowledgeRepository, LexicalIndex

#: Seconds that a removal waits for the search index.
INDEX_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What removing a document means.

    ``accepted`` are the accepted quotes of every reviewer, which stay in the log; ``evidence`` counts the
    entries of the evidence log, which stay too; ``shares_bytes`` says that another document was made from the
    same bytes, which are then kept; ``successor`` is the document that becomes the current one of the source.
    """

    summary: DocumentSummary
    accepted: tuple[AcceptedQuote, ...]
    evidence: int
    shares_bytes: bool
    successor: str | None


def plan_removal(repository: KnowledgeRepository, document_id: str) -> RemovalPlan:
    """What removing a document (by id or unique prefix) would take away. Changes nothing.

    Raises NotFound, AmbiguousId; LogDamaged when a reviewer's decisions cannot be read.
    """
    summary = repository.summary(document_id)
    versions = repository.source(summary.source_id).documents
    others = [other for other in versions if other != summary.document_id]
    return RemovalPlan(
        summary=summary,
        accepted=accepted_quotes(repository, summary.document_id),
        evidence=len(repository.evidence_entries(summary.document_id)),
        shares_bytes=len(repository.documents_of_bytes(summary.bytes_sha256)) > 1,
        successor=others[-1] if summary.current and others else None,
    )


def accepted_quotes(repository: KnowledgeRepository, document_id: str) -> tuple[AcceptedQuote, ...]:
    """The quotes of a document (full id) that any reviewer has accepted, by reviewer, then place."""
    entries = {entry.evidence_id: entry for entry in repository.evidence_entries(document_id)}
    claims = {claim.claim_id: claim.text for claim in repository.claims(archived=True)}
    found: list[AcceptedQuote] = []
    for reviewer in repository.reviewers():
        for key, state in fold(repository.events(reviewer)).findings.items():
            claim_id, _, evidence_id = key.partition("/")
            entry = entries.get(evidence_id)
            if entry is not None and state.decision is Decision.ACCEPTED:
                text = claims.get(claim_id, "")
                found.append(
                    AcceptedQuote(
                        reviewer,
                        claim_id,
                        text,
                        evidence_id,
                        entry.start,
                        entry.end,
                        entry.exact,
                        state.decided_at,
                    )
                )
    return tuple(sorted(found, key=lambda q: (q.reviewer, q.start, q.end, q.claim_id)))


def remove(
    repository: KnowledgeRepository, document_id: str, *, reason: str, index: LexicalIndex | None
) -> Tombstone:
    """Remove a document; the index forgets it now, or else when it is next searched.

    Raises NotFound, AmbiguousId, LogDamaged, StoreError.
    """
    full = repository.summary(document_id).document_id
    tombstone = repository.remove_document(
        full, reason=reason.strip(), accepted=accepted_quotes(repository, full)
    )
    if index is not None:
        _forget(index, full)
    return tombstone


def _forget(index: LexicalIndex, document_id: str) -> None:
    """Take a document out of the index. One that is damaged, or that another process is building, is brought
    up to date by the next search before it answers: nobody waits for it here."""
    from cmtui.retrieval.lexical import WhooshLexicalIndex

    with contextlib.suppress(RetrievalError):
        if isinstance(index, WhooshLexicalIndex):
            index.remove([document_id], seconds=INDEX_SECONDS)
        else:
            index.remove([document_id])

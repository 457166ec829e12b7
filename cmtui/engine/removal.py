"""Removing a document: what would go with it, and what stays known of it afterwards.

The evidence log and every event stay. An accept event holds the exact text and the inputs of its citation, so
that accepted findings are exported as before.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cmtui.errors import NotFound, RetrievalError
from cmtui.model.claim import Claim, Relation, RunFinding
from cmtui.model.removal import AcceptedQuote, Tombstone
from cmtui.model.review import Decision, EventType, Json, ReviewEvent, ReviewState, fold
from cmtui.model.source import DocumentSummary, passage_id
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


# -- what review still shows ---------------------------------------------------------------------------


def source_of_row(repository: KnowledgeRepository, document_id: str) -> tuple[str | None, bool]:
    """The source id of a finding's document, and whether that document was removed."""
    try:
        return repository.source_of(document_id).source_id, False
    except NotFound:
        tombstone = repository.tombstone(document_id)
        return (None if tombstone is None else tombstone.source_id), True


def accept_events(state: ReviewState, events: tuple[ReviewEvent, ...]) -> dict[str, ReviewEvent]:
    """The newest accept event of every finding, by its object."""
    live = frozenset(state.undoable)
    return {e.object: e for e in events if e.type is EventType.ACCEPTED and e.group in live}


def citation_inputs(event: ReviewEvent | None) -> dict[str, Json] | None:
    """What an accept recorded for the citation: it outlives the source. None before an accept."""
    if event is None:
        return None
    return {key: event.payload.get(key) for key in ("source_id", "reference", "locators", "bibliography")}


def reviewed_findings(
    repository: KnowledgeRepository,
    claim: Claim,
    state: ReviewState,
    accepted: Mapping[str, ReviewEvent],
) -> Iterator[tuple[RunFinding, bool]]:
    """The findings of a claim's newest run, then those decided on that it no longer holds; with which it is.

    A run leaves a finding out when its document was removed or replaced. The decision on it stays, and so
    does the finding: from the newest run that had it, or from the evidence log and the event. One that was
    accepted again in a newer version is represented by that.
    """
    newest = claim.latest.findings if claim.latest is not None else ()
    for finding in newest:
        yield finding, True
    prefix = f"{claim.claim_id}/"
    seen: set[object] = {finding.evidence_id for finding in newest}
    seen |= {e.payload.get("reanchors") for key, e in accepted.items() if key.startswith(prefix)}
    earlier = {f.evidence_id: f for run in claim.runs[:-1] for f in run.findings}
    for key, of in state.findings.items():
        evidence_id = key.removeprefix(prefix)
        if not key.startswith(prefix) or of.decision is Decision.UNDECIDED or evidence_id in seen:
            continue
        kept = earlier.get(evidence_id) or _recorded_finding(repository, evidence_id, accepted.get(key))
        if kept is not None:
            yield kept, False


def _recorded_finding(
    repository: KnowledgeRepository, evidence_id: str, event: ReviewEvent | None
) -> RunFinding | None:
    """A finding that no run holds, from the evidence log and what the accept said of it."""
    try:
        entry = repository.evidence(evidence_id)
    except NotFound:
        return None
    payload = event.payload if event is not None else {}
    relation, confidence = payload.get("relation"), payload.get("confidence")
    return RunFinding(
        relation=Relation(relation) if relation in set(Relation) else Relation.RELATED,
        confidence=float(confidence) if isinstance(confidence, int | float) else 0.0,
        reason="recorded",
        explanation="",
        document_id=entry.document_id,
        passage_id=passage_id(entry.document_id, 0),
        start=entry.start,
        end=entry.end,
        text=entry.exact,
        evidence_id=entry.evidence_id,
    )

"""Claims and their immutable runs: what is stored when a claim is evaluated."""

from __future__ import annotations

from collections.abc import Sequence

from cmtui.engine.evidence import Judged, members_of, passage_identity
from cmtui.errors import NotFound
from cmtui.model.claim import ClaimRun, EvidenceSpanIdentity, Relation, RunFinding
from cmtui.model.progress import CancelledCallback
from cmtui.ports import DocumentRepository

#: A run keeps every supporting and contradicting passage, and this many of the others, best first: they are
#: there so that a person can see what was looked at, not to be reviewed one by one.
KEPT: dict[Relation, int | None] = {
    Relation.SUPPORTS: None,
    Relation.CONTRADICTS: None,
    Relation.RELATED: 5,
    Relation.INSUFFICIENT: 3,
}


def run_of(
    repository: DocumentRepository,
    judged: Sequence[Judged],
    *,
    backend: str,
    mode: str,
    candidate_limit: int,
    documents: Sequence[str],
    cancelled: CancelledCallback,
) -> tuple[ClaimRun, tuple[EvidenceSpanIdentity, ...]]:
    """The run to store, with the identities its rows rest on (for the evidence log).

    A row for each member of an evidence set; refused proposals stay as rows with their error (D7).
    """
    rows: list[RunFinding] = []
    identities: list[EvidenceSpanIdentity] = []
    ranked = sorted(judged, key=lambda j: (-j.assessment.confidence, j.result.rank))
    for relation, limit in KEPT.items():
        chosen = [j for j in ranked if j.assessment.relation is relation][:limit]
        for one in chosen:
            if cancelled():
                break
            if one.refused is not None:
                rows.append(_row(one, None, one.result.passage_id))
                continue
            try:
                members = (
                    members_of(one.evidence)
                    if one.evidence is not None
                    else (passage_identity(repository, one.result),)
                )
            except NotFound:
                continue  # another process removed the document meanwhile
            identities.extend(members)
            rows.extend(_row(one, member, _passage_of(repository, one, member)) for member in members)
    run = ClaimRun(
        backend=backend,
        mode=mode,
        candidate_limit=candidate_limit,
        documents=tuple(sorted(documents)),
        findings=tuple(rows),
    )
    return run, tuple(identities)


def _passage_of(repository: DocumentRepository, judged: Judged, member: EvidenceSpanIdentity) -> str:
    """The passage a member stands in: its own, which in a set need not be the first one's."""
    if judged.result.span.start <= member.span.start and member.span.end <= judged.result.span.end:
        return judged.result.passage_id
    document = repository.document(member.document_id)
    passage = next(p for p in document.passages if p.start <= member.span.start and member.span.end <= p.end)
    return document.passage_id(passage)


def _row(judged: Judged, identity: EvidenceSpanIdentity | None, passage_id: str) -> RunFinding:
    span = identity.span if identity else judged.result.span
    return RunFinding(
        relation=judged.assessment.relation,
        confidence=judged.assessment.confidence,
        reason=judged.assessment.reason,
        explanation=judged.assessment.explanation,
        document_id=judged.result.document_id,
        passage_id=passage_id,
        start=span.start,
        end=span.end,
        text=identity.text if identity else judged.result.text,
        evidence_id=identity.evidence_id if identity else None,
        error=judged.refused.message if judged.refused else None,
    )

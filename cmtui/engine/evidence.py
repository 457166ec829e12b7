"""Finding evidence: candidates, inference, verification, in that order (R84 to R99).

Retrieval gets the query, inference gets the claim, and verification trusts neither.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cmtui.errors import Cancelled, InferenceError, InvalidRequest, NotFound, QuoteNotFound, VerificationError
from cmtui.model.claim import (
    CAVEAT,
    Assessment,
    Evidence,
    EvidenceReport,
    EvidenceSet,
    EvidenceSpanIdentity,
    Finding,
    Relation,
)
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback
from cmtui.model.retrieval import PassageProjection, SearchResult
from cmtui.model.selectors import Span
from cmtui.model.source import PassageRole
from cmtui.ports import DocumentRepository, InferenceBackend, ObservedInference
from cmtui.verification.verifier import verify_proposal, verify_span

#: The candidate pool is at least this large, and ten times the limit (R85).
MINIMUM_POOL = 50
POOL_PER_RESULT = 10
#: Passages given to inference at once: between batches the work can be cancelled.
_BATCH = 16


def pool_size(limit: int, candidate_limit: int | None) -> int:
    """How many candidates inference sees: max(50, 10 x limit) unless stated (R85)."""
    for name, value in (("limit", limit), ("candidate limit", candidate_limit)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise InvalidRequest(f"The {name} must be a whole number above 0, not {value!r}.", "Try 5.")
    return candidate_limit if candidate_limit is not None else max(MINIMUM_POOL, limit * POOL_PER_RESULT)


@dataclass(frozen=True, slots=True)
class Judged:
    """One candidate after inference and verification. ``refused`` holds the verification error."""

    result: SearchResult
    assessment: Assessment
    evidence: Evidence | None = None
    refused: VerificationError | None = None


def judge(
    repository: DocumentRepository,
    backend: InferenceBackend,
    claim: str,
    candidates: Sequence[SearchResult],
    *,
    progress: ProgressCallback,
    cancelled: CancelledCallback,
) -> list[Judged]:
    """Assess every candidate and verify each proposal against its own canonical version.

    Raises InferenceError when the backend answers out of contract, Cancelled.
    """
    judged: list[Judged] = []
    for first in range(0, len(candidates), _BATCH):
        if cancelled():
            raise Cancelled("The search for evidence was cancelled.", "Nothing was changed.")
        batch = candidates[first : first + _BATCH]
        progress(Progress("infer", claim, first, len(candidates)))
        projections = [
            PassageProjection(r.passage_id, r.text, PassageRole(str(r.citation.segment["role"])))
            for r in batch
        ]
        assessments = _assess(backend, claim, projections, first, len(candidates), progress, cancelled)
        _check_contract(backend, projections, assessments)
        for result, assessment in zip(batch, assessments, strict=True):
            # A document that another process removes meanwhile is no evidence any more.
            with contextlib.suppress(NotFound):
                judged.append(_verify(repository, result, assessment))
    progress(Progress("infer", claim, len(candidates), len(candidates)))
    return judged


def _assess(
    backend: InferenceBackend,
    claim: str,
    projections: Sequence[PassageProjection],
    before: int,
    total: int,
    progress: ProgressCallback,
    cancelled: CancelledCallback,
) -> Sequence[Assessment]:
    """Assess one batch; a backend that reports itself does so over all candidates."""
    if not isinstance(backend, ObservedInference):
        return backend.assess(claim, projections)
    return backend.assess_with(
        claim,
        projections,
        progress=lambda one: progress(Progress("infer", claim, before + one.done, total)),
        cancelled=cancelled,
    )


def _check_contract(
    backend: InferenceBackend, asked: Sequence[PassageProjection], answered: Sequence[Assessment]
) -> None:
    if [a.passage_id for a in answered] != [p.passage_id for p in asked]:
        raise InferenceError(
            f"The inference backend '{backend.name}' did not answer for exactly the passages it was given.",
            "This is a fault of the backend; use the local one.",
        )
    for a in answered:
        if (
            not isinstance(a.confidence, int | float)
            or not 0.0 <= a.confidence <= 1.0
            or math.isnan(a.confidence)
        ):
            raise InferenceError(
                f"The inference backend '{backend.name}' gave the confidence {a.confidence!r}.",
                "Confidences lie between 0 and 1.",
            )


def _verify(repository: DocumentRepository, result: SearchResult, assessment: Assessment) -> Judged:
    if assessment.relation not in (Relation.SUPPORTS, Relation.CONTRADICTS):
        return Judged(result, assessment)
    document = repository.document(result.document_id)
    source = repository.source_of(result.document_id)
    passage = document.passages[int(result.citation.segment["index"])]
    try:
        if not assessment.proposals:
            raise QuoteNotFound(
                f"The backend says {assessment.relation} of a part of '{source.name}' but quotes nothing.",
                "A relation without a quote is not evidence.",
            )
        members = tuple(verify_proposal(document, source, passage, p) for p in assessment.proposals)
    except VerificationError as error:
        return Judged(result, assessment, refused=error)
    ordered = tuple(sorted(members, key=lambda member: member.span))
    return Judged(result, assessment, ordered[0] if len(ordered) == 1 else EvidenceSet(ordered))


def passage_identity(repository: DocumentRepository, result: SearchResult) -> EvidenceSpanIdentity:
    """The verified identity of a whole passage, as shown for findings without a quote."""
    document = repository.document(result.document_id)
    source = repository.source_of(result.document_id)
    return verify_span(document, source, result.span, text=result.text)


def finding_of(judged: Judged, *, include_context: bool) -> Finding:
    """A finding for people: the quote where there is one, else the passage (R95)."""
    result, assessment = judged.result, judged.assessment
    text: str | tuple[str, ...] = result.text
    span, locators = result.span, result.locators
    if judged.evidence is not None:
        members = members_of(judged.evidence)
        text = judged.evidence.text
        span = Span(members[0].span.start, members[-1].span.end)
        locators = members[0].locators
    return Finding(
        relation=assessment.relation,
        text=text,
        confidence=assessment.confidence,
        reason=assessment.reason,
        explanation=assessment.explanation,
        document_id=result.document_id,
        source_id=result.source_id,
        passage_id=result.passage_id,
        span=span,
        locators=locators,
        evidence=judged.evidence if assessment.relation is Relation.SUPPORTS else None,
        context=result.text if include_context else None,
        context_span=result.span if include_context else None,
        error=judged.refused.message if judged.refused else None,
    )


def report(
    claim: str,
    judged: Sequence[Judged],
    *,
    limit: int,
    backend: str,
    retrieval_query: str | None,
    diagnostics: bool,
    include_context: bool,
    caveat: str = CAVEAT,
) -> EvidenceReport:
    """Rank by confidence, then by retrieval rank, and sort the rest into its classes (R86, R95)."""
    ranked = sorted(judged, key=lambda j: (-j.assessment.confidence, j.result.rank))
    valid = [j for j in ranked if j.refused is None]

    def of(relation: Relation) -> tuple[Finding, ...]:
        return tuple(
            finding_of(j, include_context=include_context) for j in valid if j.assessment.relation is relation
        )

    answer = EvidenceReport(
        claim=claim,
        findings=of(Relation.SUPPORTS)[:limit],
        refused=tuple(finding_of(j, include_context=include_context) for j in ranked if j.refused),
        candidates=len(judged),
        retrieval_query=retrieval_query,
        backend=backend,
        caveat=caveat,
    )
    if not diagnostics:
        return answer
    return replace(
        answer,
        contradictions=of(Relation.CONTRADICTS),
        related=of(Relation.RELATED),
        insufficient=of(Relation.INSUFFICIENT),
    )


def caveat_of(backend: InferenceBackend) -> str:
    """What is printed beside the answers of a backend: the common words and, where it has some, its own."""
    own = getattr(backend, "caveat", None)
    return f"{CAVEAT} {own}" if isinstance(own, str) and own else CAVEAT


def members_of(evidence: Evidence) -> tuple[EvidenceSpanIdentity, ...]:
    """The identities of evidence, one or several."""
    return evidence.members if isinstance(evidence, EvidenceSet) else (evidence,)

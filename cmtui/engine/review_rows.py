"""A reviewer's findings as plain rows, for the command line and for exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cmtui.engine.review_findings import citation_inputs, recorded, reviewed, source_of_row
from cmtui.engine.versions import VersionDesk
from cmtui.model.claim import RunFinding
from cmtui.model.review import Decision, Json, finding_key, fold
from cmtui.ports import KnowledgeRepository


def rows(
    repository: KnowledgeRepository, reviewer: str, *, where: Callable[[Decision], bool] = lambda _: True
) -> Iterator[dict[str, Json]]:
    """One row per finding with evidence, in claim order: ``ReviewSession.rows`` says what they hold."""
    events = repository.events(reviewer)
    state = fold(events)
    known = recorded(state, events)
    versions = VersionDesk(repository)
    for claim in repository.claims(archived=True):
        for row in reviewed(repository, claim, state, known):
            finding, of = row.finding, row.state
            if finding.evidence_id is None or not where(of.decision):
                continue
            key = finding_key(claim.claim_id, finding.evidence_id)
            source_id, removed = source_of_row(repository, finding.document_id)
            yield {
                "claim_id": claim.claim_id,
                "claim": claim.text,
                "evidence_id": finding.evidence_id,
                "document_id": finding.document_id,
                "source_id": source_id,
                "span": {"start": finding.start, "end": finding.end},
                "text": finding.text,
                "relation": finding.relation.value,
                "reviewer_relation": of.relation,
                "confidence": finding.confidence,
                "explanation": finding.explanation,
                "decision": of.decision.value,
                "reasons": list(of.reasons),
                "note": of.note,
                "tags": list(of.tags),
                "reviewer": reviewer,
                "decided_at": of.decided_at,
                "backend": claim.latest.backend if claim.latest is not None else None,
                "superseded": None if removed else _superseded(versions, finding),
                "removed": removed,
                "in_newest_run": row.newest,
                "citation": citation_inputs(known.accepts.get(key)),
                "adjusted_from": of.adjusted_from,
                "adjusted_to": of.adjusted_to,
                "adjudicated": of.adjudicated.value if of.adjudicated is not None else None,
            }


def _superseded(versions: VersionDesk, finding: RunFinding) -> Json:
    found = versions.superseded(finding.document_id, finding.span)
    if found is None:
        return None
    return {
        "class": found.anchor.value if found.anchor is not None else None,
        "document_id": found.document_id,
    }

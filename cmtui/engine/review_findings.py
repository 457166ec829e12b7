"""The findings that a reviewer has before them: those of the newest runs, and what was decided on besides.

A decision stays with (claim, evidence id). So a finding is still here when a later run leaves it out, when
its document was removed or replaced, and when its span was adjusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from cmtui.errors import NotFound
from cmtui.model.claim import Claim, Relation, RunFinding
from cmtui.model.review import (
    DECISION_EVENTS,
    UNTOUCHED,
    EventType,
    FindingState,
    Json,
    ReviewEvent,
    ReviewState,
    finding_key,
)
from cmtui.model.source import passage_id
from cmtui.ports import KnowledgeRepository

#: Events that say what the engine thought of a finding when they were made.
_RECORDING = frozenset({*DECISION_EVENTS, EventType.ADJUSTED})


@dataclass(frozen=True, slots=True)
class ReviewedFinding:
    """A finding of a claim with what the reviewer said of it. ``newest``: the newest run holds it."""

    finding: RunFinding
    state: FindingState
    newest: bool


@dataclass(frozen=True, slots=True)
class Recorded:
    """The newest live event of every finding, by its object: of any kind that records, and the accepts."""

    last: Mapping[str, ReviewEvent]
    accepts: Mapping[str, ReviewEvent]


def recorded(state: ReviewState, events: Iterable[ReviewEvent]) -> Recorded:
    """What the live events of a log recorded of findings."""
    live = frozenset(state.undoable)
    kept = [event for event in events if event.group in live and event.type in _RECORDING]
    return Recorded(
        {event.object: event for event in kept},
        {event.object: event for event in kept if event.type is EventType.ACCEPTED},
    )


def citation_inputs(event: ReviewEvent | None) -> dict[str, Json] | None:
    """What an accept recorded for the citation: it outlives the source. None before an accept."""
    if event is None:
        return None
    return {key: event.payload.get(key) for key in ("source_id", "reference", "locators", "bibliography")}


def source_of_row(repository: KnowledgeRepository, document_id: str) -> tuple[str | None, bool]:
    """The source id of a finding's document, and whether that document was removed."""
    try:
        return repository.source_of(document_id).source_id, False
    except NotFound:
        tombstone = repository.tombstone(document_id)
        return (None if tombstone is None else tombstone.source_id), True


def reviewed(
    repository: KnowledgeRepository, claim: Claim, state: ReviewState, events: Recorded
) -> tuple[ReviewedFinding, ...]:
    """The findings of a claim's newest run, each followed by what it was adjusted to, then the others.

    The others were decided on and are in no newest run: from the newest run that had them, else from the
    evidence log and the event. One that was accepted again in a newer version is represented by that.
    """
    prefix = f"{claim.claim_id}/"
    rows = [
        ReviewedFinding(finding, _state(state, prefix, finding), newest=True)
        for finding in (claim.latest.findings if claim.latest is not None else ())
    ]
    seen: set[object] = {row.finding.evidence_id for row in rows}
    moved = {e.payload.get("reanchors") for key, e in events.accepts.items() if key.startswith(prefix)}
    earlier = {f.evidence_id: f for run in claim.runs[:-1] for f in run.findings}
    for key, of in state.findings.items():
        evidence_id = key.removeprefix(prefix)
        if not key.startswith(prefix) or evidence_id in seen or evidence_id in moved:
            continue
        if of.open and of.adjusted_from is None:
            continue
        kept = earlier.get(evidence_id) or _recorded_finding(repository, evidence_id, events.last.get(key))
        if kept is not None:
            seen.add(evidence_id)
            _put(rows, ReviewedFinding(kept, of, newest=False))
    return tuple(rows)


def _put(rows: list[ReviewedFinding], row: ReviewedFinding) -> None:
    """After the finding it was adjusted from; at the end when that is not here."""
    at = [other.finding.evidence_id for other in rows]
    origin = row.state.adjusted_from
    if origin is not None and origin in at:
        rows.insert(at.index(origin) + 1, row)
    else:
        rows.append(row)


def _state(state: ReviewState, prefix: str, finding: RunFinding) -> FindingState:
    if finding.evidence_id is None:
        return UNTOUCHED
    return state.findings.get(prefix + finding.evidence_id, UNTOUCHED)


def _recorded_finding(
    repository: KnowledgeRepository, evidence_id: str, event: ReviewEvent | None
) -> RunFinding | None:
    """A finding that no run holds, from the evidence log and what the newest event said of it."""
    try:
        entry = repository.evidence(evidence_id)
    except NotFound:
        return None
    payload = event.payload if event is not None else {}
    relation, confidence = payload.get("relation"), payload.get("confidence")
    return RunFinding(
        relation=Relation(relation) if relation in set(Relation) else Relation.RELATED,
        confidence=float(confidence) if isinstance(confidence, int | float) else 0.0,
        reason=str(payload.get("reason") or "recorded"),
        explanation=str(payload.get("explanation") or ""),
        document_id=entry.document_id,
        passage_id=passage_id(entry.document_id, 0),
        start=entry.start,
        end=entry.end,
        text=entry.exact,
        evidence_id=entry.evidence_id,
    )


def engine_said(
    repository: KnowledgeRepository, claim_id: str, evidence_id: str, events: Callable[[], Recorded]
) -> dict[str, Json]:
    """What the engine said of a finding, for the event of a decision: from the newest run that has it.

    An adjusted finding keeps what was said of the one it was made from: only for it the log is read.
    """
    claim = repository.claim(claim_id)
    for run in reversed(claim.runs):
        finding = next((f for f in run.findings if f.evidence_id == evidence_id), None)
        if finding is not None:
            return {
                "claim": claim.text,
                "relation": finding.relation.value,
                "confidence": finding.confidence,
                "reason": finding.reason,
                "explanation": finding.explanation,
                "backend": run.backend,
            }
    event = events().last.get(finding_key(claim.claim_id, evidence_id))
    kept = event.payload if event is not None else {}
    names = ("relation", "confidence", "reason", "explanation", "backend")
    return {"claim": claim.text, **{name: kept[name] for name in names if name in kept}}

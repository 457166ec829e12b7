"""Review decisions as an append-only, hash-chained event log, and the pure fold that gives their state.

One log per reviewer. Order is position in the log, never time. Undo appends an event that names the newest
group not yet undone; redo names the newest undo; a new action clears what could be redone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

#: A JSON value of a payload: events hold strings, numbers, lists and objects only.
Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


class EventType(StrEnum):
    """What happened."""

    ACCEPTED = "finding.accepted"
    REJECTED = "finding.rejected"
    SKIPPED = "finding.skipped"
    NOTED = "finding.noted"
    TAGGED = "finding.tagged"
    RELATION_SET = "finding.relation"
    BIBLIOGRAPHY_SET = "bibliography.set"
    UNDONE = "undo"
    REDONE = "redo"


class Decision(StrEnum):
    """What a reviewer decided on a finding."""

    UNDECIDED = "undecided"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    SKIPPED = "skipped"


DECISION_EVENTS: Mapping[EventType, Decision] = {
    EventType.ACCEPTED: Decision.ACCEPTED,
    EventType.REJECTED: Decision.REJECTED,
    EventType.SKIPPED: Decision.SKIPPED,
}


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event before the log gives it an id, a place in the chain and a time.

    ``object`` is ``<claim_id>/<evidence_id>`` for findings and a source id for bibliography edits.
    """

    type: EventType
    object: str
    payload: dict[str, Json] = field(default_factory=dict)
    undoes: str | None = None


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """One line of ``events/<reviewer>.jsonl``.

    ``prev`` is the SHA-256 of the line before (empty for the first); ``group`` joins the events of one
    action, so that a bulk action is undone as one; ``undoes`` is the group an undo or redo concerns.
    """

    event_id: str
    prev: str
    group: str
    time: str
    actor: str
    type: EventType
    object: str
    payload: dict[str, Json] = field(default_factory=dict)
    undoes: str | None = None


def finding_key(claim_id: str, evidence_id: str) -> str:
    """The object of a finding's events: decisions stay with (claim, evidence id)."""
    return f"{claim_id}/{evidence_id}"


@dataclass(frozen=True, slots=True)
class FindingState:
    """What one reviewer has said of one finding."""

    decision: Decision = Decision.UNDECIDED
    reasons: tuple[str, ...] = ()
    note: str = ""
    tags: tuple[str, ...] = ()
    relation: str | None = None
    decided_at: str | None = None


UNTOUCHED = FindingState()


@dataclass(frozen=True, slots=True)
class ReviewState:
    """The fold of one reviewer's log. ``undoable`` and ``redoable`` are groups, oldest first."""

    findings: Mapping[str, FindingState]
    undoable: tuple[str, ...] = ()
    redoable: tuple[str, ...] = ()
    events: int = 0

    def of(self, claim_id: str, evidence_id: str) -> FindingState:
        """The state of a finding; untouched findings are undecided."""
        return self.findings.get(finding_key(claim_id, evidence_id), UNTOUCHED)


def fold(events: Iterable[ReviewEvent]) -> ReviewState:
    """The state after ``events``, in log order. Pure: the same events give the same state."""
    log = list(events)
    undoable: list[str] = []
    redoable: list[str] = []
    for event in log:
        if event.type is EventType.UNDONE:
            group = event.undoes or ""
            if group in undoable:
                undoable.remove(group)
                redoable.append(group)
        elif event.type is EventType.REDONE:
            group = event.undoes or ""
            if group in redoable:
                redoable.remove(group)
                undoable.append(group)
        elif not undoable or undoable[-1] != event.group:
            undoable.append(event.group)
            redoable.clear()
    live = set(undoable)
    findings: dict[str, FindingState] = {}
    for event in log:
        if event.group in live and event.type not in (EventType.UNDONE, EventType.REDONE):
            findings[event.object] = _apply(findings.get(event.object, UNTOUCHED), event)
    return ReviewState(findings, tuple(undoable), tuple(redoable), len(log))


def _apply(state: FindingState, event: ReviewEvent) -> FindingState:
    decision = DECISION_EVENTS.get(event.type)
    if decision is not None:
        return replace(
            state, decision=decision, reasons=_strings(event.payload.get("reasons")), decided_at=event.time
        )
    if event.type is EventType.NOTED:
        return replace(state, note=str(event.payload.get("note", "")))
    if event.type is EventType.TAGGED:
        return replace(state, tags=_strings(event.payload.get("tags")))
    if event.type is EventType.RELATION_SET:
        value = event.payload.get("relation")
        return replace(state, relation=None if value is None else str(value))
    return state


def _strings(value: Json) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()

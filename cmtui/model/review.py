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
    ADJUSTED = "finding.adjusted"
    ADJUDICATED = "finding.adjudicated"
    BIBLIOGRAPHY_SET = "bibliography.set"
    UNDONE = "undo"
    REDONE = "redo"
    BLINDED = "review.blinded"
    UNBLINDED = "review.unblinded"


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

#: What a reviewer said of the review itself. It cannot be undone: what was seen cannot be unseen.
_ABOUT_REVIEW = (EventType.BLINDED, EventType.UNBLINDED)
#: What is no action of its own.
_NO_ACTION = (EventType.UNDONE, EventType.REDONE, *_ABOUT_REVIEW)


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
    """What one reviewer has said of one finding.

    ``adjusted_from`` is the evidence id whose span this reviewer changed into this one, ``adjusted_to`` the
    one that stands for it since. ``adjudicated`` is what this reviewer, as adjudicator, settled between
    others; it is no decision of their own.
    """

    decision: Decision = Decision.UNDECIDED
    reasons: tuple[str, ...] = ()
    note: str = ""
    tags: tuple[str, ...] = ()
    relation: str | None = None
    decided_at: str | None = None
    adjusted_from: str | None = None
    adjusted_to: str | None = None
    adjudicated: Decision | None = None

    @property
    def open(self) -> bool:
        """Whether a decision is still to be made here."""
        return self.decision is Decision.UNDECIDED and self.adjusted_to is None


UNTOUCHED = FindingState()


@dataclass(frozen=True, slots=True)
class ReviewState:
    """The fold of one reviewer's log. ``undoable`` and ``redoable`` are groups, oldest first.

    ``blind`` says that this reviewer does not want to see what others decided. It is so until the reviewer
    ends it, and the log keeps when that was.
    """

    findings: Mapping[str, FindingState]
    undoable: tuple[str, ...] = ()
    redoable: tuple[str, ...] = ()
    events: int = 0
    blind: bool = True

    def of(self, claim_id: str, evidence_id: str) -> FindingState:
        """The state of a finding; untouched findings are undecided."""
        return self.findings.get(finding_key(claim_id, evidence_id), UNTOUCHED)


def fold(events: Iterable[ReviewEvent]) -> ReviewState:
    """The state after ``events``, in log order. Pure: the same events give the same state."""
    log = list(events)
    undoable: list[str] = []
    redoable: list[str] = []
    blind = True
    for event in log:
        if event.type is EventType.UNDONE:
            _move(event.undoes or "", undoable, redoable)
        elif event.type is EventType.REDONE:
            _move(event.undoes or "", redoable, undoable)
        elif event.type in _ABOUT_REVIEW:
            blind = event.type is EventType.BLINDED
        elif not undoable or undoable[-1] != event.group:
            undoable.append(event.group)
            redoable.clear()
    live = set(undoable)
    findings: dict[str, FindingState] = {}
    for event in log:
        if event.group in live and event.type not in _NO_ACTION:
            findings[event.object] = _apply(findings.get(event.object, UNTOUCHED), event)
            if event.type is EventType.ADJUSTED:
                old = finding_key(event.object.partition("/")[0], str(event.payload.get("adjusts", "")))
                made = event.object.rpartition("/")[2]
                findings[old] = replace(findings.get(old, UNTOUCHED), adjusted_to=made)
    return ReviewState(findings, tuple(undoable), tuple(redoable), len(log), blind)


def _move(group: str, source: list[str], target: list[str]) -> None:
    """The newest group is nearly always the one: a search from the front would make long logs slow."""
    if source and source[-1] == group:
        target.append(source.pop())
    elif group in source:
        source.remove(group)
        target.append(group)


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
    if event.type is EventType.ADJUSTED:
        # Changed back to what it was, a finding stands for itself again.
        return replace(state, adjusted_from=str(event.payload.get("adjusts", "")), adjusted_to=None)
    if event.type is EventType.ADJUDICATED:
        value = str(event.payload.get("decision", ""))
        return replace(state, adjudicated=Decision(value) if value in set(Decision) else None)
    return state


def _strings(value: Json) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()

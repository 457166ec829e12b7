"""One reviewer's session over the append-only log: decisions, notes, tags, undo and redo (R183)."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from cmtui.engine.review_findings import Recorded, ReviewedFinding, engine_said, recorded, reviewed
from cmtui.errors import InvalidRequest, LogDamaged, NotFound, NothingToUndo, ReviewError, VerificationError
from cmtui.model.claim import Claim, EvidenceSpanIdentity, Relation
from cmtui.model.review import (
    Decision,
    EventDraft,
    EventType,
    Json,
    ReviewEvent,
    ReviewState,
    finding_key,
    fold,
)
from cmtui.model.selectors import Span
from cmtui.ports import KnowledgeRepository
from cmtui.verification.layers import check_entry
from cmtui.verification.verifier import entry_of, verify_span

if TYPE_CHECKING:
    from cmtui.model.bibliography import CslItem

#: A finding: claim id and evidence id, or unique prefixes of them.
Target = tuple[str, str]

_KIND = {
    Decision.ACCEPTED: EventType.ACCEPTED,
    Decision.REJECTED: EventType.REJECTED,
    Decision.SKIPPED: EventType.SKIPPED,
}


@dataclasses.dataclass(frozen=True, slots=True)
class UndoResult:
    """What an undo or redo did: the new state, the objects it touched, and a sentence for people."""

    state: ReviewState
    objects: tuple[str, ...]
    description: str


@dataclasses.dataclass(frozen=True, slots=True)
class Adjusted:
    """A span that was adjusted: the new state, the claim, the evidence it was and the one it is now."""

    state: ReviewState
    claim_id: str
    old_evidence_id: str
    identity: EvidenceSpanIdentity


class ReviewSession:
    """Decisions of one reviewer. Every call is durable before it returns; order is position in the log."""

    def __init__(self, repository: KnowledgeRepository, reviewer: str) -> None:
        if not reviewer.strip():
            raise InvalidRequest(
                "The reviewer's name is empty.", "Set CMTUI_REVIEWER or 'reviewer:' in the config."
            )
        self.repository = repository
        self.reviewer = reviewer

    def state(self) -> ReviewState:
        """The fold of this reviewer's log."""
        return fold(self.repository.events(self.reviewer))

    def findings(self, claim: Claim, state: ReviewState | None = None) -> tuple[ReviewedFinding, ...]:
        """What there is to review of a claim: its newest run, what spans were adjusted to, earlier decisions.

        ``state`` is this reviewer's, when the caller has just folded it.
        """
        events = self.repository.events(self.reviewer)
        state = state or fold(events)
        return reviewed(self.repository, claim, state, recorded(state, events))

    # -- decisions -----------------------------------------------------------------------------------

    def accept(
        self, claim_id: str, evidence_id: str, *, reasons: Sequence[str] = (), note: str | None = None
    ) -> ReviewState:
        """Accept a finding after re-verifying all four layers of its evidence; fail closed.

        The event keeps the exact text, selectors, locators and citation inputs, so that an export survives
        the removal of its source. Raises VerificationError and records nothing when a layer fails.
        """
        return self.decide([(claim_id, evidence_id)], Decision.ACCEPTED, reasons=reasons, note=note)

    def reject(
        self, claim_id: str, evidence_id: str, *, reasons: Sequence[str] = (), note: str | None = None
    ) -> ReviewState:
        """Reject a finding; reasons are tags."""
        return self.decide([(claim_id, evidence_id)], Decision.REJECTED, reasons=reasons, note=note)

    def skip(self, claim_id: str, evidence_id: str) -> ReviewState:
        """Leave a finding for later."""
        return self.decide([(claim_id, evidence_id)], Decision.SKIPPED)

    def decide(
        self,
        targets: Sequence[Target],
        decision: Decision,
        *,
        reasons: Sequence[str] = (),
        note: str | None = None,
    ) -> ReviewState:
        """The same decision on several findings, as one action that is undone as one.

        An accept verifies every one of them first: when one fails, nothing is recorded. Raises
        VerificationError naming it, NotFound, InvalidRequest.
        """
        if decision is Decision.UNDECIDED:
            raise InvalidRequest("Nothing is decided by leaving it undecided.", "Undo takes a decision back.")
        drafts = []
        for claim_id, evidence_id in targets:
            payload: dict[str, Json] = {}
            if decision is Decision.ACCEPTED:
                payload = self._verified(evidence_id)
            payload |= self._said(claim_id, evidence_id)
            if decision is not Decision.SKIPPED:
                payload["reasons"] = [*reasons]
            drafts.append(self._draft(_KIND[decision], claim_id, evidence_id, payload))
            if note is not None:
                drafts.append(self._draft(EventType.NOTED, claim_id, evidence_id, {"note": note}))
        return self._append(drafts)

    def give_reasons(self, targets: Sequence[Target], reasons: Sequence[str]) -> ReviewState:
        """Say why these findings were rejected: the newest action is replaced by one with the reasons.

        So one undo takes the whole rejection back. When that is not the newest action any more, they are
        rejected again with the reasons.
        """
        log = self.repository.events(self.reviewer)
        newest = (fold(log).undoable or ("",))[-1]
        members = [e for e in log if e.group == newest and e.type is not EventType.UNDONE]
        objects = [finding_key(claim_id, evidence_id) for claim_id, evidence_id in targets]
        same = [e.object for e in members if e.type is EventType.REJECTED] == objects
        if not same or any(e.type is not EventType.REJECTED for e in members):
            return self.decide(targets, Decision.REJECTED, reasons=reasons)
        drafts = [EventDraft(EventType.UNDONE, objects[0], {}, undoes=newest)]
        for event in members:
            payload: dict[str, Json] = {**event.payload, "reasons": [*reasons]}
            drafts.append(EventDraft(EventType.REJECTED, event.object, payload))
        return self._append(drafts)

    def accept_again(
        self, claim_ids: Sequence[str], evidence_id: str, *, old_evidence_id: str
    ) -> ReviewState:
        """Accept for each claim the evidence that a newer version of the source holds of the old one.

        One action, undone as one. Each event names the old evidence, and keeps its reasons, note and tags.
        Raises VerificationError and records nothing when a layer fails.
        """
        drafts = []
        verified = self._verified(evidence_id)
        state = self.state()
        for claim_id in claim_ids:
            old = state.of(claim_id, old_evidence_id)
            payload: dict[str, Json] = {**verified, **self._said(claim_id, old_evidence_id)}
            payload.update(reasons=[*old.reasons], reanchors=old_evidence_id)
            drafts.append(self._draft(EventType.ACCEPTED, claim_id, evidence_id, payload))
            drafts += self._kept(state, claim_id, old_evidence_id, evidence_id)
        return self._append(drafts)

    def adjust(self, claim_id: str, evidence_id: str, span: Span) -> Adjusted:
        """Change the span of a finding: a new evidence identity, made by verification; the old one stays.

        ``span`` lies in the same document. The event names both, and note, tags and relation go along; the
        new finding is undecided. Raises VerificationError and records nothing when the old evidence or the
        new span does not verify, InvalidRequest when it is the same span.
        """
        repository = self.repository
        claim = repository.claim(claim_id).claim_id
        old = repository.evidence(evidence_id)
        if span == old.span:
            raise InvalidRequest("The span is the same as before.", "Move its beginning or its end.")
        self._check(old.evidence_id, "Not adjusted")
        document = repository.document(old.document_id)
        identity = verify_span(document, repository.source_of(old.document_id), span)
        repository.record_evidence([entry_of(identity)])
        payload: dict[str, Json] = {
            **self._said(claim, old.evidence_id),
            "adjusts": old.evidence_id,
            "from": {"start": old.start, "end": old.end, "exact": old.exact},
            "to": {"start": span.start, "end": span.end, "exact": identity.text},
            "document_id": old.document_id,
        }
        made = identity.evidence_id
        drafts = [self._draft(EventType.ADJUSTED, claim, made, payload)]
        drafts += self._kept(self.state(), claim, old.evidence_id, made)
        return Adjusted(self._append(drafts), claim, old.evidence_id, identity)

    def adjudicate(
        self,
        claim_id: str,
        evidence_id: str,
        decision: Decision,
        *,
        between: Mapping[str, Decision],
        note: str = "",
    ) -> ReviewState:
        """Settle what other reviewers decided differently; ``between`` is what each of them had decided.

        An event of this reviewer, beside the decisions of the others, which stay. Accepting verifies first.
        Raises VerificationError, InvalidRequest.
        """
        if decision not in (Decision.ACCEPTED, Decision.REJECTED):
            raise InvalidRequest("A conflict is settled by accepting or rejecting.", "Say which.")
        payload: dict[str, Json] = self._verified(evidence_id) if decision is Decision.ACCEPTED else {}
        payload |= self._said(claim_id, evidence_id)
        payload |= {
            "decision": decision.value,
            "between": {who: what.value for who, what in sorted(between.items())},
            "comment": note,
        }
        return self._append([self._draft(EventType.ADJUDICATED, claim_id, evidence_id, payload)])

    # -- annotations ---------------------------------------------------------------------------------

    def note(self, claim_id: str, evidence_id: str, text: str) -> ReviewState:
        """Set the note of a finding (empty removes it)."""
        return self._append([self._draft(EventType.NOTED, claim_id, evidence_id, {"note": text})])

    def tag(self, claim_id: str, evidence_id: str, tags: Sequence[str]) -> ReviewState:
        """Set the tags of a finding."""
        return self._append([self._tags(claim_id, evidence_id, tags)])

    def add_tags(self, targets: Sequence[Target], tags: Sequence[str]) -> ReviewState:
        """Add tags to several findings, as one action; the tags they have stay."""
        state = self.state()
        drafts = []
        for claim_id, evidence_id in targets:
            draft = self._tags(claim_id, evidence_id, ())
            old = state.findings.get(draft.object)
            drafts.append(self._tags(claim_id, evidence_id, [*(old.tags if old else ()), *tags]))
        return self._append(drafts)

    def override_relation(self, claim_id: str, evidence_id: str, relation: Relation | None) -> ReviewState:
        """Keep the reviewer's relation beside the engine's; None takes it back."""
        payload: dict[str, Json] = {"relation": relation.value if relation else None}
        return self._append([self._draft(EventType.RELATION_SET, claim_id, evidence_id, payload)])

    # -- other reviewers -----------------------------------------------------------------------------

    def set_blind(self, *, blind: bool) -> ReviewState:
        """Hide what others decided, or show it. The log keeps when; it cannot be undone."""
        state = self.state()
        if state.blind is blind:
            return state
        return self._append([EventDraft(EventType.BLINDED if blind else EventType.UNBLINDED, "", {})])

    def others(self) -> dict[str, ReviewState]:
        """The states of the other reviewers by name; nothing while this reviewer is blind.

        A log that is damaged is left out: it keeps nobody else from reviewing, and doctor names it.
        """
        found: dict[str, ReviewState] = {}
        if self.state().blind:
            return found
        for name in self.repository.reviewers():
            if name != self.reviewer:
                with contextlib.suppress(LogDamaged):
                    found[name] = fold(self.repository.events(name))
        return found

    def require_sight(self, what: str) -> None:
        """Raises ReviewError while this reviewer is blind."""
        if self.state().blind:
            raise ReviewError(
                f"{what[:1].upper()}{what[1:]} is hidden: {self.reviewer} reviews blind.",
                "When your own decisions are made: citation-machine review unblind (the log keeps when).",
            )

    # -- undo ----------------------------------------------------------------------------------------

    def undo(self) -> UndoResult:
        """Undo this reviewer's newest action that is not undone yet, over all claims."""
        state = self.state()
        if not state.undoable:
            raise NothingToUndo("There is nothing to undo.", "Decisions you make appear here.")
        return self._move(state.undoable[-1], EventType.UNDONE, "Undid")

    def redo(self) -> UndoResult:
        """Redo the newest undo; a new decision clears what could be redone."""
        state = self.state()
        if not state.redoable:
            raise NothingToUndo("There is nothing to redo.", "Only what was undone last can be redone.")
        return self._move(state.redoable[-1], EventType.REDONE, "Redid")

    def _move(self, group: str, kind: EventType, verb: str) -> UndoResult:
        log = self.repository.events(self.reviewer)
        members = [e for e in log if e.group == group and e.type in _DESCRIBED]
        objects = _concerned(members, back=kind is EventType.UNDONE)
        state = self._append([EventDraft(kind, objects[0] if objects else "", {}, undoes=group)])
        for event in members:
            if event.type is EventType.BIBLIOGRAPHY_SET:
                which = "previous" if kind is EventType.UNDONE else "item"
                item = event.payload.get(which)
                with contextlib.suppress(NotFound):  # an imported log may speak of a source not here
                    self.repository.set_bibliography(event.object, cast("CslItem", item) if item else {})
        what = ", ".join(dict.fromkeys(_DESCRIBED[event.type] for event in members))
        count = len({event.object for event in members})
        many = f" ({count})" if count > 1 else ""
        return UndoResult(state, objects, f"{verb}: {what}{many}")

    # -- bibliography edits, undoable as decisions are -------------------------------------------------

    def record_bibliography(self, source_id: str, item: CslItem, previous: CslItem | None) -> ReviewState:
        """Append that this reviewer changed a bibliography item (already saved by the caller)."""
        payload: dict[str, Json] = {"item": cast("Json", item), "previous": cast("Json", previous)}
        return self._append([EventDraft(EventType.BIBLIOGRAPHY_SET, source_id, payload)])

    # -- export --------------------------------------------------------------------------------------

    def rows(self, *, where: Callable[[Decision], bool] = lambda _: True) -> Iterator[dict[str, Json]]:
        """One row per finding of each claim's newest run, in claim order, with this reviewer's state.

        Findings that were decided on and are not in the newest run follow those of their claim
        (``in_newest_run`` is false). ``removed`` says that the document is not in the store any more: text
        and ``citation`` (the inputs that an accept recorded) are still there.

        ``superseded`` says what became of the text when a newer version replaced its document, else None.
        """
        from cmtui.engine.review_rows import rows

        return rows(self.repository, self.reviewer, where=where)

    # -- helpers -------------------------------------------------------------------------------------

    def _append(self, drafts: Sequence[EventDraft]) -> ReviewState:
        self.repository.append_events(self.reviewer, drafts)
        return self.state()

    def _draft(
        self, kind: EventType, claim_id: str, evidence_id: str, payload: dict[str, Json]
    ) -> EventDraft:
        claim = self.repository.claim(claim_id).claim_id
        evidence = self.repository.evidence(evidence_id).evidence_id
        return EventDraft(kind, finding_key(claim, evidence), payload)

    def _tags(self, claim_id: str, evidence_id: str, tags: Sequence[str]) -> EventDraft:
        unique: list[Json] = [*dict.fromkeys(tag.strip() for tag in tags if tag.strip())]
        return self._draft(EventType.TAGGED, claim_id, evidence_id, {"tags": unique})

    def _kept(self, state: ReviewState, claim_id: str, old: str, new: str) -> list[EventDraft]:
        """Note, tags and relation of one evidence, for another."""
        of = state.of(claim_id, old)
        kept: list[tuple[EventType, dict[str, Json]]] = []
        if of.note:
            kept.append((EventType.NOTED, {"note": of.note}))
        if of.tags:
            kept.append((EventType.TAGGED, {"tags": [*of.tags]}))
        if of.relation:
            kept.append((EventType.RELATION_SET, {"relation": of.relation}))
        return [self._draft(kind, claim_id, new, payload) for kind, payload in kept]

    def _said(self, claim_id: str, evidence_id: str) -> dict[str, Json]:
        """What the engine said of the finding when the decision was made."""

        def log() -> Recorded:
            events = self.repository.events(self.reviewer)
            return recorded(fold(events), events)

        evidence = self.repository.evidence(evidence_id).evidence_id
        return engine_said(self.repository, claim_id, evidence, log)

    def _check(self, evidence_id: str, refused: str) -> None:
        check = check_entry(self.repository, self.repository.evidence(evidence_id))
        if not check.ok:
            failed = next(layer for layer in check.layers if not layer.ok)
            raise VerificationError(
                f"{refused}: the {failed.layer} of this evidence no longer verifies ({failed.reason}).",
                "The source changed since it was found; run the claim again.",
            )

    def _verified(self, evidence_id: str) -> dict[str, Json]:
        entry = self.repository.evidence(evidence_id)
        self._check(entry.evidence_id, "Not accepted")
        document = self.repository.document(entry.document_id)
        source = self.repository.source_of(entry.document_id)
        identity = verify_span(document, source, entry.span, text=entry.exact)
        if identity.evidence_id != entry.evidence_id:
            raise VerificationError(
                "Not accepted: the span does not hash to its evidence id.", "Run the claim again."
            )
        record = self.repository.bibliography(source.source_id)
        return {
            "document_id": entry.document_id,
            "source_id": source.source_id,
            "reference": source.artifact.reference,
            "selectors": {
                "position": {"start": entry.start, "end": entry.end},
                "quote": dataclasses.asdict(identity.selector),
            },
            "locators": _plain(dataclasses.asdict(identity.locators)),
            "bibliography": cast("Json", record.item) if record else None,
        }


#: The kinds of event that are actions, in the words of an undo.
_DESCRIBED = {
    EventType.ACCEPTED: "accept",
    EventType.REJECTED: "reject",
    EventType.SKIPPED: "skip",
    EventType.NOTED: "note",
    EventType.TAGGED: "tags",
    EventType.RELATION_SET: "relation",
    EventType.ADJUSTED: "span",
    EventType.ADJUDICATED: "adjudication",
    EventType.BIBLIOGRAPHY_SET: "bibliography edit",
}


def _concerned(members: Sequence[ReviewEvent], *, back: bool) -> tuple[str, ...]:
    """What a group concerns, first what is there after its undo (``back``) or redo: of an adjusted span, that
    is the finding it was made from, or the one it became."""
    found: list[str] = []
    for event in members:
        of = [event.object]
        if event.type is EventType.ADJUSTED:
            origin = finding_key(event.object.partition("/")[0], str(event.payload.get("adjusts", "")))
            of = [origin, event.object] if back else [event.object, origin]
        found += of
    return tuple(dict.fromkeys(found))


def _plain(value: object) -> Json:
    """Tuples as lists, so that an event read back equals the one written."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return cast("Json", value)

"""One reviewer's session over the append-only log: decisions, notes, tags, undo and redo (R183)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from cmtui.engine.removal import accept_events, citation_inputs, reviewed_findings, source_of_row
from cmtui.errors import InvalidRequest, NothingToUndo, VerificationError
from cmtui.model.claim import Relation, RunFinding
from cmtui.model.review import (
    Decision,
    EventDraft,
    EventType,
    Json,
    ReviewState,
    finding_key,
    fold,
)
from cmtui.ports import KnowledgeRepository
from cmtui.verification.layers import check_entry
from cmtui.verification.verifier import verify_span

if TYPE_CHECKING:
    from cmtui.engine.versions import VersionDesk
    from cmtui.model.bibliography import CslItem


@dataclasses.dataclass(frozen=True, slots=True)
class UndoResult:
    """What an undo or redo did: the new state, the objects it touched, and a sentence for people."""

    state: ReviewState
    objects: tuple[str, ...]
    description: str


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

    # -- decisions -----------------------------------------------------------------------------------

    def accept(
        self, claim_id: str, evidence_id: str, *, reasons: Sequence[str] = (), note: str | None = None
    ) -> ReviewState:
        """Accept a finding after re-verifying all four layers of its evidence; fail closed.

        The event keeps the exact text, selectors, locators and citation inputs, so that an export survives
        the removal of its source. Raises VerificationError and records nothing when a layer fails.
        """
        payload: dict[str, Json] = {**self._verified(evidence_id), **self._context(claim_id, evidence_id)}
        payload["reasons"] = [*reasons]
        drafts = [self._draft(EventType.ACCEPTED, claim_id, evidence_id, payload)]
        if note is not None:
            drafts.append(self._draft(EventType.NOTED, claim_id, evidence_id, {"note": note}))
        return self._append(drafts)

    def accept_again(
        self, claim_ids: Sequence[str], evidence_id: str, *, old_evidence_id: str
    ) -> ReviewState:
        """Accept for each claim the evidence that a newer version of the source holds of the old one.

        One action, undone as one. Each event names the old evidence, and keeps its reasons, note and tags.
        Raises VerificationError and records nothing when a layer fails.
        """
        state = self.state()
        drafts = []
        verified = self._verified(evidence_id)
        for claim_id in claim_ids:
            old = state.of(claim_id, old_evidence_id)
            payload: dict[str, Json] = {**verified, **self._context(claim_id, old_evidence_id)}
            payload.update(reasons=[*old.reasons], reanchors=old_evidence_id)
            drafts.append(self._draft(EventType.ACCEPTED, claim_id, evidence_id, payload))
            for kind, kept in (
                (EventType.NOTED, {"note": old.note} if old.note else None),
                (EventType.TAGGED, {"tags": [*old.tags]} if old.tags else None),
                (EventType.RELATION_SET, {"relation": old.relation} if old.relation else None),
            ):
                if kept is not None:
                    drafts.append(self._draft(kind, claim_id, evidence_id, cast("dict[str, Json]", kept)))
        return self._append(drafts)

    def reject(self, claim_id: str, evidence_id: str, *, reasons: Sequence[str] = ()) -> ReviewState:
        """Reject a finding; reasons are tags."""
        payload: dict[str, Json] = {**self._context(claim_id, evidence_id), "reasons": [*reasons]}
        return self._append([self._draft(EventType.REJECTED, claim_id, evidence_id, payload)])

    def skip(self, claim_id: str, evidence_id: str) -> ReviewState:
        """Leave a finding for later."""
        payload = self._context(claim_id, evidence_id)
        return self._append([self._draft(EventType.SKIPPED, claim_id, evidence_id, payload)])

    def note(self, claim_id: str, evidence_id: str, text: str) -> ReviewState:
        """Set the note of a finding (empty removes it)."""
        return self._append([self._draft(EventType.NOTED, claim_id, evidence_id, {"note": text})])

    def tag(self, claim_id: str, evidence_id: str, tags: Sequence[str]) -> ReviewState:
        """Set the tags of a finding."""
        unique: list[Json] = [*dict.fromkeys(tag.strip() for tag in tags if tag.strip())]
        return self._append([self._draft(EventType.TAGGED, claim_id, evidence_id, {"tags": unique})])

    def override_relation(self, claim_id: str, evidence_id: str, relation: Relation | None) -> ReviewState:
        """Keep the reviewer's relation beside the engine's; None takes it back."""
        payload: dict[str, Json] = {"relation": relation.value if relation else None}
        return self._append([self._draft(EventType.RELATION_SET, claim_id, evidence_id, payload)])

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
        members = [event for event in self.repository.events(self.reviewer) if event.group == group]
        objects = tuple(dict.fromkeys(event.object for event in members))
        state = self._append([EventDraft(kind, objects[0] if objects else "", {}, undoes=group)])
        for event in members:
            if event.type is EventType.BIBLIOGRAPHY_SET:
                which = "previous" if kind is EventType.UNDONE else "item"
                item = event.payload.get(which)
                self.repository.set_bibliography(event.object, cast("CslItem", item) if item else {})
        what = ", ".join(dict.fromkeys(_DESCRIBED.get(event.type, event.type.value) for event in members))
        return UndoResult(state, objects, f"{verb}: {what}")

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
        from cmtui.engine.versions import VersionDesk

        events = self.repository.events(self.reviewer)
        state = fold(events)
        accepted = accept_events(state, events)
        versions = VersionDesk(self.repository)
        for claim in self.repository.claims(archived=True):
            for finding, newest in reviewed_findings(self.repository, claim, state, accepted):
                of = state.of(claim.claim_id, finding.evidence_id or "")
                if finding.evidence_id is None or not where(of.decision):
                    continue
                source_id, removed = source_of_row(self.repository, finding.document_id)
                event = accepted.get(finding_key(claim.claim_id, finding.evidence_id))
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
                    "reviewer": self.reviewer,
                    "decided_at": of.decided_at,
                    "backend": claim.latest.backend if claim.latest is not None else None,
                    "superseded": None if removed else _superseded(versions, finding),
                    "removed": removed,
                    "in_newest_run": newest,
                    "citation": citation_inputs(event),
                }

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

    def _verified(self, evidence_id: str) -> dict[str, Json]:
        entry = self.repository.evidence(evidence_id)
        check = check_entry(self.repository, entry)
        if not check.ok:
            failed = next(layer for layer in check.layers if not layer.ok)
            raise VerificationError(
                f"Not accepted: the {failed.layer} of this evidence no longer verifies ({failed.reason}).",
                "The source changed since it was found; run the claim again.",
            )
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

    def _context(self, claim_id: str, evidence_id: str) -> dict[str, Json]:
        """What the engine said of the finding when the decision was made."""
        claim = self.repository.claim(claim_id)
        finding: RunFinding | None = None
        if claim.latest is not None:
            finding = next((f for f in claim.latest.findings if f.evidence_id == evidence_id), None)
        if finding is None or claim.latest is None:
            return {"claim": claim.text}
        return {
            "claim": claim.text,
            "relation": finding.relation.value,
            "confidence": finding.confidence,
            "backend": claim.latest.backend,
        }


_DESCRIBED = {
    EventType.ACCEPTED: "accept",
    EventType.REJECTED: "reject",
    EventType.SKIPPED: "skip",
    EventType.NOTED: "note",
    EventType.TAGGED: "tags",
    EventType.RELATION_SET: "relation",
    EventType.BIBLIOGRAPHY_SET: "bibliography edit",
}


def _superseded(versions: VersionDesk, finding: RunFinding) -> Json:
    found = versions.superseded(finding.document_id, finding.span)
    if found is None:
        return None
    return {
        "class": found.anchor.value if found.anchor is not None else None,
        "document_id": found.document_id,
    }


def _plain(value: object) -> Json:
    """Tuples as lists, so that an event read back equals the one written."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return cast("Json", value)

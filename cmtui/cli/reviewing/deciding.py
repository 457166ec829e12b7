"""The verbs of ``review`` that write: decisions, notes, tags, relations, spans, undo and redo."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from cmtui.cli.reviewing import plain
from cmtui.cli.reviewing.targets import answer, session_of, targets_of
from cmtui.cli.session import Session
from cmtui.errors import InvalidRequest
from cmtui.output import Answer, JsonObject, UsageError

if TYPE_CHECKING:
    from cmtui.cli.reviewing.targets import Target
    from cmtui.engine import ReviewSession
    from cmtui.model.review import ReviewState
    from cmtui.model.selectors import Span


def run_accept(args: Namespace, session: Session) -> Answer:
    """Accept; fails, and records nothing, when a layer of any of the evidence no longer verifies."""
    from cmtui.model.review import Decision

    review, targets = targets_of(args, session)
    state = review.decide(targets, Decision.ACCEPTED, reasons=args.reason, note=args.note)
    return _decided(args, review, state, targets)


def run_reject(args: Namespace, session: Session) -> Answer:
    """Reject."""
    from cmtui.model.review import Decision

    review, targets = targets_of(args, session)
    state = review.decide(targets, Decision.REJECTED, reasons=args.reason, note=args.note)
    return _decided(args, review, state, targets)


def run_skip(args: Namespace, session: Session) -> Answer:
    """Leave for later."""
    from cmtui.model.review import Decision

    review, targets = targets_of(args, session)
    return _decided(args, review, review.decide(targets, Decision.SKIPPED), targets)


def run_note(args: Namespace, session: Session) -> Answer:
    """Set the note."""
    review, [target] = targets_of(args, session)
    return _decided(args, review, review.note(*target, args.text), [target])


def run_tag(args: Namespace, session: Session) -> Answer:
    """Set the tags."""
    review, [target] = targets_of(args, session)
    return _decided(args, review, review.tag(*target, args.tags), [target])


def run_relation(args: Namespace, session: Session) -> Answer:
    """Keep the reviewer's relation beside the engine's."""
    from cmtui.model.claim import Relation

    review, [target] = targets_of(args, session)
    relation = None if args.relation == "engine" else Relation(args.relation)
    return _decided(args, review, review.override_relation(*target, relation), [target])


def run_adjust(args: Namespace, session: Session) -> Answer:
    """Change the span; the new one is verified and is evidence of its own."""
    review, [(claim, evidence)] = targets_of(args, session)
    made = review.adjust(claim, evidence, _span(args, session, evidence))
    identity = made.identity
    body: JsonObject = {
        "reviewer": review.reviewer,
        "claim_id": made.claim_id,
        "old_evidence_id": made.old_evidence_id,
        "evidence_id": identity.evidence_id,
        "span": {"start": identity.span.start, "end": identity.span.end},
        "text": identity.text,
        "decision": made.state.of(made.claim_id, identity.evidence_id).decision.value,
    }
    said = [
        f"Quote: {identity.text}",
        "Verified. It is undecided; the old finding stays.",
        f"Evidence id: {identity.evidence_id}",
        f"Old evidence id: {made.old_evidence_id}",
    ]
    return answer(args, body, plain.text(said))


def _span(args: Namespace, session: Session, evidence: str) -> Span:
    """The new span from whichever way it was stated."""
    from cmtui.engine.review_span import Edge, Unit, bounds_of, move, place_of
    from cmtui.model.selectors import Span

    entry = session.machine.recorded(evidence)
    document = session.machine.document(entry.document_id)
    steps = [args.words_before, args.words_after, args.sentences_before, args.sentences_after]
    ways = [args.quote is not None, args.start is not None or args.end is not None, any(steps)]
    if sum(ways) != 1:
        raise UsageError(
            "Say in one way what the span becomes.",
            "Give --quote TEXT, or --start and --end, or --words-before N, --words-after N, "
            "--sentences-before N, --sentences-after N.",
        )
    if args.quote is not None:
        found = place_of(document, entry.span, args.quote)
        if found is None:
            raise InvalidRequest(
                "That text does not stand exactly once in the passage of this finding.",
                "Give its exact words, or --start and --end.",
            )
        return found
    if not any(steps):
        start = entry.start if args.start is None else args.start
        return Span(start, entry.end if args.end is None else args.end)
    bounds, span = bounds_of(document, entry.span), entry.span
    for edge, unit, by in (
        (Edge.START, Unit.WORD, -args.words_before),
        (Edge.END, Unit.WORD, args.words_after),
        (Edge.START, Unit.SENTENCE, -args.sentences_before),
        (Edge.END, Unit.SENTENCE, args.sentences_after),
    ):
        if by:
            span = move(document.text, bounds, span, edge, unit, by)
    return span


def run_undo(args: Namespace, session: Session) -> Answer:
    """Undo."""
    return _moved(args, session_of(args, session), back=True)


def run_redo(args: Namespace, session: Session) -> Answer:
    """Redo."""
    return _moved(args, session_of(args, session), back=False)


def _moved(args: Namespace, review: ReviewSession, *, back: bool) -> Answer:
    result = review.undo() if back else review.redo()
    body: JsonObject = {
        "reviewer": review.reviewer,
        "description": result.description,
        "objects": list(result.objects),
        "undoable": len(result.state.undoable),
        "redoable": len(result.state.redoable),
    }
    left = f"{body['undoable']} actions can be undone, {body['redoable']} redone."
    return answer(args, body, plain.text([f"{result.description}.", left]))


def _decided(args: Namespace, review: ReviewSession, state: ReviewState, targets: list[Target]) -> Answer:
    """One finding as an object; several as a list of them."""
    rows: list[JsonObject] = []
    for claim, evidence in targets:
        finding = state.of(claim, evidence)
        rows.append(
            {
                "reviewer": review.reviewer,
                "claim_id": claim,
                "evidence_id": evidence,
                "decision": finding.decision.value,
                "reasons": list(finding.reasons),
                "note": finding.note,
                "tags": list(finding.tags),
                "decided_at": finding.decided_at,
                "reviewer_relation": finding.relation,
            }
        )
    body = rows[0] if len(rows) == 1 else {"reviewer": review.reviewer, "findings": rows}
    return answer(args, body, plain.decided(rows), rows)

"""``review diff``, ``conflicts``, ``adjudicate``, ``blind``, ``unblind``: several reviewers."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from cmtui.cli.reviewing import plain
from cmtui.cli.reviewing.targets import answer, session_of
from cmtui.cli.session import Session
from cmtui.errors import NotFound
from cmtui.output import Answer, JsonObject, UsageError, significant

if TYPE_CHECKING:
    from cmtui.engine.review_agreement import Comparison, Conflict
    from cmtui.model.review import FindingState


def _comparison(args: Namespace, session: Session) -> Comparison:
    return session.machine.compare_reviewers(
        args.first, args.second, reviewer=session.reviewer(args.reviewer)
    )


def run_diff(args: Namespace, session: Session) -> Answer:
    """How far two reviewers agree, and in what they do not."""
    found = _comparison(args, session)
    one = found.agreement
    table: dict[str, dict[str, int]] = {}
    for (first, second), count in one.table.items():
        table.setdefault(first.value, {})[second.value] = count
    rows = [_conflict(each) for each in found.conflicts]
    body: JsonObject = {
        "reviewers": [found.first, found.second],
        "compared": one.compared,
        "only_first": one.only_first,
        "only_second": one.only_second,
        "table": table,
        "observed": significant(one.observed),
        "expected": significant(one.expected),
        "kappa": significant(one.kappa),
        "undefined": one.undefined or None,
        "open": len(found.open),
        "conflicts": rows,
    }
    return answer(args, body, plain.difference(body), rows)


def run_conflicts(args: Namespace, session: Session) -> Answer:
    """The conflict queue: what is not settled, or all of it."""
    found = _comparison(args, session)
    rows = [_conflict(each) for each in (found.conflicts if args.all else found.open)]
    body: JsonObject = {
        "reviewers": [found.first, found.second],
        "open": len(found.open),
        "conflicts": rows,
    }
    return answer(args, body, plain.conflicts(body), rows)


def run_outcome(args: Namespace, session: Session) -> Answer:
    """What stands in the end: judged alike by both, or settled; what is open is counted."""
    found = _comparison(args, session)
    machine = session.machine
    settled = {(one.claim_id, one.evidence.evidence_id) for one in found.conflicts}
    rows: list[JsonObject] = []
    for claim_id, evidence_id, decision in found.outcome:
        entry = machine.recorded(evidence_id)
        rows.append(
            {
                "claim_id": claim_id,
                "claim": machine.claim(claim_id).text,
                "evidence_id": evidence_id,
                "document_id": entry.document_id,
                "text": entry.exact,
                "decision": decision.value,
                "by": "adjudication" if (claim_id, evidence_id) in settled else "both",
            }
        )
    rows.sort(key=lambda row: row["claim"])
    body: JsonObject = {
        "reviewers": [found.first, found.second],
        "adjudicator": session.reviewer(args.reviewer),
        "open": len(found.open),
        "findings": rows,
    }
    return answer(args, body, plain.outcome(body), rows)


def run_adjudicate(args: Namespace, session: Session) -> Answer:
    """Settle one conflict."""
    from cmtui.model.review import Decision

    if args.accept == args.reject:
        raise UsageError("Accept it or reject it.", "Give --accept or --reject.")
    first, second = args.between
    args.first, args.second = first, second
    found = _comparison(args, session)
    evidence = session.machine.recorded(args.evidence_id).evidence_id
    matching = [
        each
        for each in found.conflicts
        if each.evidence.evidence_id == evidence
        and (args.claim is None or each.claim_id.startswith(args.claim))
    ]
    if len(matching) != 1:
        raise NotFound(
            f"{first} and {second} do not differ on that evidence{' of that claim' if args.claim else ''}."
            if not matching
            else "They differ on that evidence under several claims.",
            "See review conflicts." if not matching else "Say which one: --claim CLAIM_ID.",
        )
    [conflict] = matching
    review = session_of(args, session)
    decision = Decision.ACCEPTED if args.accept else Decision.REJECTED
    review.adjudicate(
        conflict.claim_id,
        evidence,
        decision,
        between={first: conflict.first.decision, second: conflict.second.decision},
        note=args.note,
    )
    body: JsonObject = {
        "reviewer": review.reviewer,
        "claim_id": conflict.claim_id,
        "evidence_id": evidence,
        "settled": decision.value,
        "between": {first: conflict.first.decision.value, second: conflict.second.decision.value},
        "note": args.note,
        "open": len(found.open) - (conflict.settled is None),
    }
    said = f"Settled as {decision.value}. {body['open']} conflicts are open."
    return answer(args, body, plain.text([said]))


def run_blind(args: Namespace, session: Session) -> Answer:
    """Hide what others decide."""
    return _blind(args, session, blind=True)


def run_unblind(args: Namespace, session: Session) -> Answer:
    """Show what others decided; the log keeps when."""
    return _blind(args, session, blind=False)


def _blind(args: Namespace, session: Session, *, blind: bool) -> Answer:
    review = session_of(args, session)
    state = review.set_blind(blind=blind)
    others = sorted(review.others())
    body: JsonObject = {"reviewer": review.reviewer, "blind": state.blind, "others": others}
    said = [f"{review.reviewer} reviews blind: what others decide is hidden."]
    if not blind:
        names = f"Others: {', '.join(others)}." if others else "Nobody else has decided anything here."
        said = [f"{review.reviewer} sees what others decided. The log keeps since when.", names]
    return answer(args, body, plain.text(said))


def _conflict(one: Conflict) -> JsonObject:
    return {
        "claim_id": one.claim_id,
        "claim": one.claim,
        "evidence_id": one.evidence.evidence_id,
        "document_id": one.evidence.document_id,
        "text": one.evidence.exact,
        "first": _said(one.first),
        "second": _said(one.second),
        "settled": one.settled.value if one.settled is not None else None,
    }


def _said(state: FindingState) -> JsonObject:
    return {
        "decision": state.decision.value,
        "reasons": list(state.reasons),
        "note": state.note,
        "tags": list(state.tags),
        "relation": state.relation,
        "decided_at": state.decided_at,
    }

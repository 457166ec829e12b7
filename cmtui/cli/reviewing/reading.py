"""``review list``, ``next``, ``summary``."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from cmtui.cli.reviewing import plain
from cmtui.cli.reviewing.targets import answer, is_open, rows_of, session_of, source_name
from cmtui.cli.session import Session
from cmtui.output import Answer, JsonObject

if TYPE_CHECKING:
    from cmtui.engine.review_summary import Tally

#: What ``next`` offers unless told otherwise: the findings that say something about the claim.
DECIDABLE = ("SUPPORTS", "CONTRADICTS")
#: Code points of the source that ``next`` shows on each side of a finding, unless told otherwise.
CONTEXT = 400


def run_list(args: Namespace, session: Session) -> Answer:
    """Findings with this reviewer's state."""
    review = session_of(args, session)
    rows = rows_of(args, session.machine, review, args.relation)
    rows = [row for row in rows if not args.decision or row["decision"] in args.decision]
    names = {row["source_id"]: source_name(session.machine, row["source_id"]) for row in rows}
    body = {"reviewer": review.reviewer, "findings": rows}
    return answer(args, body, plain.listing(rows, names), rows)


def run_next(args: Namespace, session: Session) -> Answer:
    """The next finding that this reviewer has not decided on, in its source, with what is left."""
    from cmtui.cli import shapes
    from cmtui.model.claim import CAVEAT

    machine = session.machine
    review = session_of(args, session)
    rows = rows_of(args, machine, review, args.relation or list(DECIDABLE))
    # What was removed can be read in the list, but no longer in its source.
    open_rows = [row for row in rows if is_open(row) and not row["removed"]]
    body: JsonObject = {
        "reviewer": review.reviewer,
        "remaining": len(open_rows),
        "total": sum(row["adjusted_to"] is None or row["decision"] != "undecided" for row in rows),
        "finding": None,
        "caveat": CAVEAT,
    }
    if open_rows:
        row = open_rows[0]
        document = machine.document(row["document_id"])
        identity = machine.identity(row["evidence_id"])
        start, end = identity.span.start, identity.span.end
        body["finding"] = {
            **row,
            "source": machine.source(row["source_id"]).name,
            "title": machine.title(row["source_id"]),
            "locators": shapes.locators(identity.locators),
            "context": {
                "before": document.text[max(0, start - args.context) : start],
                "after": document.text[end : end + args.context],
            },
        }
    return answer(args, body, plain.following(body))


def run_summary(args: Namespace, session: Session) -> Answer:
    """Counts by decision and relation, over all claims and for each."""
    from cmtui.engine.review_summary import total

    reviewer = session.reviewer(args.reviewer)
    tallies = session.machine.review_tallies(reviewer)
    body: JsonObject = {
        "reviewer": reviewer,
        "total": _tally(total(each.tally for each in tallies)),
        "claims": [
            {"claim_id": each.claim.claim_id, "claim": each.claim.text, **_tally(each.tally)}
            for each in tallies
        ],
    }
    return answer(args, body, plain.summary(body), body["claims"])


def _tally(tally: Tally) -> JsonObject:
    from cmtui.model.review import Decision

    counts = {
        decision.value: {r.value: count for r, count in tally.by_relation(decision).items()}
        for decision in (Decision.ACCEPTED, Decision.REJECTED, Decision.SKIPPED, Decision.UNDECIDED)
    }
    return {"findings": tally.total, "decided": tally.decided, **counts, "refused": tally.refused}

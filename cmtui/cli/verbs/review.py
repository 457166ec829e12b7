"""``review``: the whole review flow without the screen (R183)."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cmtui.cli.arguments import Run, Subparsers, family, verb
from cmtui.cli.session import Session
from cmtui.errors import AmbiguousId, NotFound
from cmtui.output import Answer, JsonObject, significant

if TYPE_CHECKING:
    from cmtui.engine import LocalCitationMachine, ReviewSession
    from cmtui.model.review import ReviewState

RELATIONS = ("SUPPORTS", "CONTRADICTS", "RELATED", "INSUFFICIENT")
DECISIONS = ("undecided", "accepted", "rejected", "skipped")

#: What ``next`` offers unless told otherwise: the findings that say something about the claim.
_DECIDABLE = ("SUPPORTS", "CONTRADICTS")
#: Code points of the source that ``next`` shows on each side of a finding.
_CONTEXT = 400


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    verbs = family(subparsers, "review", "decide on findings: accept, reject, skip, note, tag, undo")

    listing = _verb(verbs, "list", run_list, "list the findings of every claim's newest run")
    _which(listing, ())
    listing.add_argument("--decision", action="append", choices=DECISIONS, help="only these (all)")

    following = _verb(verbs, "next", run_next, "show the next undecided finding in its source")
    _which(following, _DECIDABLE)
    following.add_argument(
        "--plain", action="store_true", help="plain text, in reading order, instead of JSON"
    )

    accept = _decision(verbs, "accept", run_accept, "accept a finding; its evidence is verified again first")
    _reasons(accept)
    accept.add_argument("--note", metavar="TEXT")
    reject = _decision(verbs, "reject", run_reject, "reject a finding")
    _reasons(reject)
    _decision(verbs, "skip", run_skip, "leave a finding for later")

    note = _decision(verbs, "note", run_note, "write a note on a finding ('' removes it)")
    note.add_argument("text", metavar="TEXT")
    tag = _decision(verbs, "tag", run_tag, "set the tags of a finding (none removes them)")
    tag.add_argument("tags", nargs="*", metavar="TAG")

    _verb(verbs, "undo", run_undo, "undo your newest action, over all claims")
    _verb(verbs, "redo", run_redo, "redo what was undone last")

    export = _verb(verbs, "export", run_export, "export findings with your decisions, notes and tags")
    export.add_argument(
        "--decision", action="append", choices=DECISIONS, help="only these (accepted and rejected)"
    )


def _verb(verbs: Subparsers, name: str, run: Run, summary: str) -> argparse.ArgumentParser:
    parser = verb(verbs, name, run, summary)
    parser.add_argument(
        "--reviewer", metavar="NAME", help="who reviews (CMTUI_REVIEWER, the settings, the login name)"
    )
    return parser


def _decision(verbs: Subparsers, name: str, run: Run, summary: str) -> argparse.ArgumentParser:
    parser = _verb(verbs, name, run, summary)
    parser.add_argument("evidence_id", metavar="EVIDENCE_ID", help="an evidence id or its beginning")
    parser.add_argument(
        "--claim", metavar="CLAIM_ID", help="needed when the evidence stands under several claims"
    )
    return parser


def _which(parser: argparse.ArgumentParser, relations: tuple[str, ...]) -> None:
    parser.add_argument("--claim", metavar="CLAIM_ID", help="only this claim")
    parser.add_argument(
        "--relation",
        action="append",
        choices=RELATIONS,
        help=f"only these ({' and '.join(relations) or 'all'})",
    )


def _reasons(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reason", action="append", default=[], metavar="R", help="may be repeated")


# -- reading -----------------------------------------------------------------------------------------


def run_list(args: Namespace, session: Session) -> Answer:
    """Findings with this reviewer's state."""
    review = _review(args, session)
    rows = _rows(session.machine, review, args.claim, args.relation)
    rows = [row for row in rows if not args.decision or row["decision"] in args.decision]
    return Answer({"reviewer": review.reviewer, "findings": rows}, rows=rows)


def run_next(args: Namespace, session: Session) -> Answer:
    """The next finding that this reviewer has not decided on, in its source, with what is left."""
    from cmtui.cli import shapes
    from cmtui.model.claim import CAVEAT

    machine = session.machine
    review = _review(args, session)
    rows = _rows(machine, review, args.claim, args.relation or list(_DECIDABLE))
    # What was removed can be read in the list, but no longer in its source.
    open_rows = [row for row in rows if row["decision"] == "undecided" and not row["removed"]]
    body: JsonObject = {
        "reviewer": review.reviewer,
        "remaining": len(open_rows),
        "total": len(rows),
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
                "before": document.text[max(0, start - _CONTEXT) : start],
                "after": document.text[end : end + _CONTEXT],
            },
        }
    return Answer(body, plain=_plain(body) if args.plain else None)


def _plain(body: JsonObject) -> str:
    """The same in the order in which it is read aloud: one fact a line, nothing drawn."""
    finding: JsonObject | None = body["finding"]
    if finding is None:
        return f"Nothing left to decide. {body['total']} findings in all.\n"
    where = finding["locators"]
    cited = where["cited_page"]
    places = [
        f"page {cited['value']} ({cited['basis']})" if cited else "",
        f"chapter {where['chapter']}" if where["chapter"] else "",
        f"section {', '.join(where['section'])}" if where["section"] else "",
        _lines(where["line_start"], where["line_end"]),
    ]
    lines = [
        f"{body['remaining']} of {body['total']} findings left to decide.",
        f"Claim: {finding['claim']}",
        f"Relation: {finding['relation'].lower()}, confidence {finding['confidence']:.2f}",
        f"Reason: {finding['explanation']}",
        f"Source: {finding['title'] or finding['source']}",
        f"Place: {'; '.join(place for place in places if place) or 'not known'}",
        f"Before: {' '.join(finding['context']['before'].split())}",
        f"Quote: {finding['text']}",
        f"After: {' '.join(finding['context']['after'].split())}",
        f"Evidence id: {finding['evidence_id']}",
        body["caveat"],
    ]
    return "\n".join(lines) + "\n"


def _lines(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return f"line {first}" if last in (None, first) else f"lines {first} to {last}"


def run_export(args: Namespace, session: Session) -> Answer:
    """Rows for other programs: text, place, relation, decision, notes and tags."""
    review = _review(args, session)
    wanted = args.decision or ["accepted", "rejected"]
    rows = [row for row in _rows(session.machine, review, None, None) if row["decision"] in wanted]
    return Answer({"reviewer": review.reviewer, "rows": rows}, rows=rows)


# -- deciding ----------------------------------------------------------------------------------------


def run_accept(args: Namespace, session: Session) -> Answer:
    """Accept; fails, and records nothing, when a layer of the evidence no longer verifies."""
    review, claim, evidence = _target(args, session)
    state = review.accept(claim, evidence, reasons=args.reason, note=args.note)
    return _decided(review, state, claim, evidence)


def run_reject(args: Namespace, session: Session) -> Answer:
    """Reject."""
    review, claim, evidence = _target(args, session)
    return _decided(review, review.reject(claim, evidence, reasons=args.reason), claim, evidence)


def run_skip(args: Namespace, session: Session) -> Answer:
    """Leave for later."""
    review, claim, evidence = _target(args, session)
    return _decided(review, review.skip(claim, evidence), claim, evidence)


def run_note(args: Namespace, session: Session) -> Answer:
    """Set the note."""
    review, claim, evidence = _target(args, session)
    return _decided(review, review.note(claim, evidence, args.text), claim, evidence)


def run_tag(args: Namespace, session: Session) -> Answer:
    """Set the tags."""
    review, claim, evidence = _target(args, session)
    return _decided(review, review.tag(claim, evidence, args.tags), claim, evidence)


def run_undo(args: Namespace, session: Session) -> Answer:
    """Undo."""
    return _moved(_review(args, session), back=True)


def run_redo(args: Namespace, session: Session) -> Answer:
    """Redo."""
    return _moved(_review(args, session), back=False)


def _moved(review: ReviewSession, *, back: bool) -> Answer:
    result = review.undo() if back else review.redo()
    return Answer(
        {
            "reviewer": review.reviewer,
            "description": result.description,
            "objects": list(result.objects),
            "undoable": len(result.state.undoable),
            "redoable": len(result.state.redoable),
        }
    )


def _decided(review: ReviewSession, state: ReviewState, claim: str, evidence: str) -> Answer:
    finding = state.of(claim, evidence)
    return Answer(
        {
            "reviewer": review.reviewer,
            "claim_id": claim,
            "evidence_id": evidence,
            "decision": finding.decision.value,
            "reasons": list(finding.reasons),
            "note": finding.note,
            "tags": list(finding.tags),
            "decided_at": finding.decided_at,
        }
    )


# -- finding what is meant ---------------------------------------------------------------------------


def _review(args: Namespace, session: Session) -> ReviewSession:
    return session.machine.review(session.reviewer(args.reviewer))


def _rows(
    machine: LocalCitationMachine, review: ReviewSession, claim: str | None, relations: list[str] | None
) -> list[JsonObject]:
    """The reviewer's rows of one claim or of all, in claim order."""
    claim_id = None if claim is None else machine.claim(claim).claim_id
    return [
        row
        for row in _all(review)
        if (claim_id is None or row["claim_id"] == claim_id)
        and (not relations or row["relation"] in relations)
    ]


def _all(review: ReviewSession) -> Iterator[JsonObject]:
    for row in review.rows():
        shaped: JsonObject = dict(row)
        shaped["confidence"] = significant(shaped["confidence"])
        yield shaped


def _target(args: Namespace, session: Session) -> tuple[ReviewSession, str, str]:
    """The claim and the evidence that are meant, whole ids. Raises NotFound, AmbiguousId."""
    review = _review(args, session)
    machine = session.machine
    evidence = machine.recorded(args.evidence_id).evidence_id
    if args.claim is not None:
        return review, machine.claim(args.claim).claim_id, evidence
    claims = {row["claim_id"]: row["claim"] for row in _all(review) if row["evidence_id"] == evidence}
    if not claims:
        raise NotFound(
            f"The evidence {evidence[:12]}… stands under no claim.",
            "Add the claim first: citation-machine claims add TEXT, or name it with --claim.",
        )
    if len(claims) > 1:
        listed = "; ".join(f"{claim_id[:12]} {text}" for claim_id, text in claims.items())
        raise AmbiguousId(
            f"The evidence {evidence[:12]}… stands under {len(claims)} claims: {listed}.",
            "Say which one: --claim CLAIM_ID.",
        )
    return review, str(next(iter(claims))), evidence

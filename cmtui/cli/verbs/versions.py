"""``reanchor``: what became of evidence when its source got a newer version."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.output import Answer, JsonObject, UsageError, significant

if TYPE_CHECKING:
    from cmtui.model.reanchor import Anchoring, Reanchoring, VersionReport


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb(
        subparsers,
        "reanchor",
        run,
        "compare evidence of older versions with the current version of its source",
        description="Compare evidence of older versions with the current version of its source. Each is "
        "exact_same_offset, exact_moved, changed (with the difference, or the places when several are "
        "possible) or lost. Nothing is moved unless --accept says so; the old evidence stays.",
    )
    parser.add_argument(
        "source_id", nargs="?", metavar="SOURCE_ID", help="a source or document, or its beginning (all)"
    )
    parser.add_argument(
        "--accept",
        metavar="EVIDENCE_ID",
        help="record this evidence at its exact place in the current version, and accept it again for the "
        "claims that the reviewer had accepted it for",
    )
    parser.add_argument("--claim", metavar="CLAIM_ID", help="with --accept: only for this claim")
    parser.add_argument(
        "--offset", type=int, metavar="N", help="with --accept: which of several places is meant"
    )
    parser.add_argument("--reviewer", metavar="NAME", help="who accepts (as for review)")


def run(args: Namespace, session: Session) -> Answer:
    """The report, or one proposal accepted."""
    if args.accept is None:
        if args.claim is not None or args.offset is not None:
            raise UsageError("--claim and --offset belong to --accept.", "Add --accept EVIDENCE_ID.")
        reports = session.machine.version_reports(args.source_id)
        reports = tuple(_seen(report, _visible(args, session)) for report in reports)
        rows = [_row(row) for report in reports for row in report.rows]
        counts = {name: sum(1 for row in rows if row["class"] == name) for name in _CLASSES}
        return Answer({"sources": [_report(report) for report in reports], **counts}, rows=rows)
    if args.source_id is not None:
        raise UsageError("--accept names the evidence, and that names its source.", "Leave SOURCE_ID out.")
    return _accept(args, session)


def _visible(args: Namespace, session: Session) -> frozenset[str]:
    """Whose acceptances the reviewer may see: a blind reviewer sees no other's."""
    review = session.machine.review(session.reviewer(args.reviewer))
    return frozenset({review.reviewer, *review.others()})


def _seen(report: VersionReport, visible: frozenset[str]) -> VersionReport:
    rows = [
        replace(row, acceptances=tuple(a for a in row.acceptances if a.reviewer in visible))
        for row in report.rows
    ]
    return replace(report, rows=tuple(rows))


_CLASSES = ("exact_same_offset", "exact_moved", "changed", "lost")


def _accept(args: Namespace, session: Session) -> Answer:
    accepted = session.machine.accept_reanchoring(
        args.accept, reviewer=session.reviewer(args.reviewer), claim_id=args.claim, offset=args.offset
    )
    return Answer(
        {
            "old_evidence_id": accepted.old_evidence_id,
            "evidence_id": accepted.new_evidence_id,
            "document_id": accepted.document_id,
            "class": accepted.anchoring.anchor.value,
            "span": {"start": accepted.span.start, "end": accepted.span.end},
            "text": accepted.text,
            "reviewer": accepted.reviewer,
            "claims": list(accepted.claims),
        }
    )


def _report(report: VersionReport) -> JsonObject:
    return {
        "source_id": report.source_id,
        "name": report.name,
        "documents": list(report.documents),
        "current_document_id": report.current_document_id,
        "evidence": [_row(row) for row in report.rows],
    }


def _row(row: Reanchoring) -> JsonObject:
    from cmtui.cli import shapes

    return {
        "evidence_id": row.evidence_id,
        "class": row.anchoring.anchor.value,
        "reason": row.anchoring.reason.value,
        "document_id": row.document_id,
        "span": shapes.span(row.span),
        "text": row.text,
        "locators": shapes.locators(row.locators),
        "current": _current(row, row.anchoring),
        "accepted_by": [
            {"reviewer": who.reviewer, "claim_id": who.claim_id, "carried": who.carried}
            for who in row.acceptances
        ],
    }


def _current(row: Reanchoring, anchoring: Anchoring) -> JsonObject:
    """What the current version holds: the proposed place, or every place when one cannot be chosen."""
    from cmtui.cli import shapes

    return {
        "document_id": row.current_document_id,
        "evidence_id": row.new_evidence_id,
        "span": None if anchoring.span is None else shapes.span(anchoring.span),
        "text": anchoring.text,
        "locators": None if row.new_locators is None else shapes.locators(row.new_locators),
        "places": [shapes.span(place) for place in anchoring.places],
        "similarity": significant(anchoring.similarity),
        "difference": [
            {"op": part.op, "quote": part.quote, "source": part.source} for part in anchoring.difference
        ],
    }

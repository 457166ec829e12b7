"""``claims``: statements to be checked, and their runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from cmtui.cli.arguments import Subparsers, family, verb
from cmtui.cli.session import Session
from cmtui.cli.verbs.evidence import add_inference, inference_of
from cmtui.output import Answer, UsageError

if TYPE_CHECKING:
    from cmtui.model.claim import Claim


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    verbs = family(subparsers, "claims", "state claims, evaluate them, keep them in order")

    listing = verb(
        verbs, "list", run_list, "list the claims, their runs and how many sources are new to them"
    )
    listing.add_argument("--archived", action="store_true", help="also those in the archive")

    add = verb(verbs, "add", run_add, "state a claim and evaluate it over the current documents")
    add.add_argument("text", metavar="TEXT", help="a statement, in one sentence")
    add.add_argument("--retrieval-query", metavar="Q", help="search with these words instead of the claim")
    add.add_argument("--no-run", action="store_true", help="do not evaluate it now")
    add_inference(add)

    rename = verb(verbs, "rename", run_rename, "change the wording; the id, the runs and the decisions stay")
    _claim(rename)
    rename.add_argument("text", metavar="TEXT")
    rename.add_argument(
        "--retrieval-query", metavar="Q", help="words to search with ('' for the claim's own)"
    )

    order = verb(verbs, "order", run_order, "say where a claim stands in the list")
    _claim(order)
    order.add_argument("position", type=int, metavar="N")

    archive = verb(verbs, "archive", run_archive, "put a claim away; nothing is deleted")
    _claim(archive)
    archive.add_argument("--undo", action="store_true", help="take it out again")

    rerun = verb(verbs, "rerun", run_rerun, "evaluate claims over the current documents")
    rerun.add_argument("claim_ids", nargs="*", metavar="CLAIM_ID", help="ids or their beginnings")
    rerun.add_argument("--all", action="store_true", dest="everything", help="every claim not in the archive")
    add_inference(rerun)


def _claim(parser: ArgumentParser) -> None:
    parser.add_argument("claim_id", metavar="CLAIM_ID", help="a claim id or its beginning")


def run_list(args: Namespace, session: Session) -> Answer:
    """All claims in order."""
    from cmtui.cli import shapes

    machine = session.machine
    rows = [
        shapes.claim(claim, unseen=machine.unseen_documents(claim))
        for claim in machine.claims(archived=args.archived)
    ]
    return Answer({"claims": rows}, rows=rows)


def run_add(args: Namespace, session: Session) -> Answer:
    """State a claim; without ``--no-run`` its first run is made now."""
    backend = inference_of(args)
    machine = session.open_or_create()
    claim = machine.add_claim(args.text, retrieval_query=args.retrieval_query)
    if not args.no_run:
        claim = machine.evaluate_claim(claim.claim_id, inference=backend, progress=session.progress)
    return _one(session, claim)


def run_rename(args: Namespace, session: Session) -> Answer:
    """New words for a claim."""
    claim = session.machine.update_claim(args.claim_id, text=args.text, retrieval_query=args.retrieval_query)
    return _one(session, claim)


def run_order(args: Namespace, session: Session) -> Answer:
    """A new place for a claim."""
    return _one(session, session.machine.update_claim(args.claim_id, order=args.position))


def run_archive(args: Namespace, session: Session) -> Answer:
    """Into the archive, or out of it."""
    return _one(session, session.machine.update_claim(args.claim_id, archived=not args.undo))


def run_rerun(args: Namespace, session: Session) -> Answer:
    """New runs; decisions stay with their evidence."""
    from cmtui.cli import shapes

    if args.everything == bool(args.claim_ids):
        raise UsageError("Give claim ids or --all.", "citation-machine claims list shows the ids.")
    backend = inference_of(args)
    machine = session.machine
    chosen = machine.claims() if args.everything else [machine.claim(claim_id) for claim_id in args.claim_ids]
    rows = []
    for claim in chosen:
        evaluated = machine.evaluate_claim(claim.claim_id, inference=backend, progress=session.progress)
        rows.append(shapes.evaluated_claim(evaluated, unseen=machine.unseen_documents(evaluated)))
    return Answer({"claims": rows}, rows=rows)


def _one(session: Session, claim: Claim) -> Answer:
    from cmtui.cli import shapes

    body = shapes.evaluated_claim(claim, unseen=session.machine.unseen_documents(claim))
    return Answer(body, rows=body["findings"])

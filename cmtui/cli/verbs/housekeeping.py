"""``remove``, ``relink``, ``tag``, ``source``, ``open``: documents, sources and the files they are from."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.errors import CmtuiError
from cmtui.output import DONE, FAILED, Answer, JsonObject, UsageError

if TYPE_CHECKING:
    from cmtui.model.removal import AcceptedQuote
    from cmtui.model.source import SourceRecord


class NoViewer(CmtuiError):
    """Nothing on this machine shows the file."""

    code = "no-viewer"


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    remove = verb(
        subparsers,
        "remove",
        run_remove,
        "remove a document; its evidence log and every decision stay",
        description="Lists the accepted evidence of every reviewer. Without --yes nothing is removed, and "
        "the exit status is 1.",
    )
    remove.add_argument("document_id", metavar="DOCUMENT_ID", help="a document id or its beginning")
    remove.add_argument("--reason", default="", metavar="TEXT", help="kept with what stays known of it")
    remove.add_argument("--yes", action="store_true", help="remove it")

    relink = verb(subparsers, "relink", run_relink, "say where the file of a source is now")
    _source(relink)
    relink.add_argument("path", metavar="PATH", help="a file with the bytes of one of its versions")

    tag = verb(subparsers, "tag", run_tag, "list, add and remove the tags of a source")
    _source(tag)
    tag.add_argument("tags", nargs="*", metavar="TAG", help="tags to add")
    tag.add_argument("--remove", action="append", default=[], metavar="TAG", help="may be repeated")

    source = verb(subparsers, "source", run_source, "show a source, and set the page offset of its citations")
    _source(source)
    offset = source.add_mutually_exclusive_group()
    offset.add_argument(
        "--page-offset", type=int, metavar="N", help="printed page = physical page + N (N may be negative)"
    )
    offset.add_argument("--no-page-offset", action="store_true", help="cite pages as the file states them")

    opening = verb(subparsers, "open", run_open, "show the original of a document in the system viewer")
    opening.add_argument("document_id", metavar="DOCUMENT_ID", help="a document id or its beginning")
    opening.add_argument("--page", type=int, metavar="N", help="physical page, where the viewer can be told")
    opening.add_argument("--print", action="store_true", dest="only_print", help="only print its path")


def _source(parser: ArgumentParser) -> None:
    parser.add_argument("source_id", metavar="SOURCE_ID", help="a source or document id, or its beginning")


def run_remove(args: Namespace, session: Session) -> Answer:
    """What goes, then (with ``--yes``) the removal."""
    machine = session.machine
    plan = machine.plan_removal(args.document_id)
    row = plan.summary
    body: JsonObject = {
        "document_id": row.document_id,
        "source_id": row.source_id,
        "name": row.name,
        "title": machine.title(row.source_id),
        "reference": row.reference,
        "accepted": [_quote(quote) for quote in plan.accepted],
        "evidence": plan.evidence,
        "shares_bytes": plan.shares_bytes,
        "successor": plan.successor,
        "removed": False,
        "removed_at": None,
        "reason": args.reason,
    }
    if not args.yes:
        body["hint"] = "Nothing was removed. Give --yes to remove it."
        return Answer(body, status=FAILED)
    tombstone = machine.remove(row.document_id, reason=args.reason)
    body.update(
        accepted=[_quote(quote) for quote in tombstone.accepted],
        removed=True,
        removed_at=tombstone.removed_at,
        reason=tombstone.reason,
    )
    return Answer(body)


def _quote(quote: AcceptedQuote) -> JsonObject:
    return {
        "reviewer": quote.reviewer,
        "claim_id": quote.claim_id,
        "claim": quote.claim,
        "evidence_id": quote.evidence_id,
        "span": {"start": quote.start, "end": quote.end},
        "text": quote.exact,
        "decided_at": quote.decided_at,
    }


def run_relink(args: Namespace, session: Session) -> Answer:
    """The source with its new place."""
    return Answer(_shape(session.machine.relink(args.source_id, args.path)))


def run_tag(args: Namespace, session: Session) -> Answer:
    """The source with its tags."""
    machine = session.machine
    return Answer(_shape(machine.change_tags(args.source_id, add=args.tags, drop=args.remove)))


def run_source(args: Namespace, session: Session) -> Answer:
    """The source, with its offset as it is now."""
    machine = session.machine
    if args.page_offset is None and not args.no_page_offset:
        return Answer(_shape(machine.source(args.source_id)))
    return Answer(_shape(machine.set_page_offset(args.source_id, args.page_offset)))


def _shape(source: SourceRecord) -> JsonObject:
    return {
        "source_id": source.source_id,
        "kind": source.artifact.kind.value,
        "name": source.name,
        "reference": source.artifact.reference,
        "moved_to": source.moved_to,
        "aliases": list(source.aliases),
        "documents": list(source.documents),
        "versions": list(source.versions),
        "page_offset": source.page_offset,
        "tags": list(source.tags),
    }


def run_open(args: Namespace, session: Session) -> Answer:
    """Where the original is, and the viewer that was started."""
    from cmtui.engine.housekeeping import show, viewer_command

    if args.page is not None and args.page < 1:
        raise UsageError(f"There is no page {args.page}.", "Physical pages are counted from 1.")
    found = session.machine.original(args.document_id, args.page)
    command = None if args.only_print else viewer_command(found)
    opened = command is not None and show(command)
    body: JsonObject = {
        "document_id": found.document_id,
        "path": str(found.path),
        "copied": found.copied,
        "page": found.page,
        "command": None if command is None else list(command),
        "opened": opened,
    }
    if opened or args.only_print:
        return Answer(body, status=DONE)
    failure = NoViewer("There is no viewer to open the file with.", f"Open it yourself: {found.path}")
    return Answer(body, failure=failure)

"""``quote``: whether a text stands in the sources, and where."""

from __future__ import annotations

from argparse import Namespace

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.output import DONE, FAILED, Answer, UsageError


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb(
        subparsers,
        "quote",
        run,
        "check a quotation character for character",
        description="Check a quotation character for character. The exit status is 1 unless it is exact.",
    )
    parser.add_argument("text", metavar="TEXT", help="the quoted text")
    parser.add_argument("--document-id", metavar="ID", help="where the quotation is said to stand")
    parser.add_argument(
        "--offset", type=int, metavar="N", help="its first character (code points from 0; with --document-id)"
    )


def run(args: Namespace, session: Session) -> Answer:
    """Check the quotation."""
    from cmtui.cli import shapes
    from cmtui.model.quote import Verdict

    if args.offset is not None and args.document_id is None:
        raise UsageError("--offset counts inside a document.", "Add --document-id ID.")
    check = session.machine.check_quote(args.text, document_id=args.document_id, offset=args.offset)
    body = shapes.quote_check(check)
    proven = check.verdict in (Verdict.EXACT, Verdict.EXACT_SPLIT)
    return Answer(body, rows=body["locations"], status=DONE if proven else FAILED)

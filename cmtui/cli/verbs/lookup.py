"""``lookup``: what Crossref or DataCite says of a DOI, and which of it is taken over (D1)."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.errors import InvalidRequest
from cmtui.output import Answer, JsonObject

_DESCRIPTION = """\
Look a DOI up at Crossref, then at DataCite, and print where it differs from what the source has.
This verb uses the network. Nothing is written unless a field is accepted; what was there stays in the
history. Retractions, expressions of concern and corrections are kept with the source once its DOI
is accepted.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb(
        subparsers, "lookup", run, "look a DOI up and take over accepted fields", description=_DESCRIPTION
    )
    parser.add_argument(
        "id", nargs="?", metavar="DOCUMENT_ID", help="a document or source id or its beginning"
    )
    parser.add_argument("--doi", metavar="DOI", help="this DOI instead of the source's own")
    accept = parser.add_mutually_exclusive_group()
    accept.add_argument(
        "--accept", action="append", default=[], metavar="FIELD", help="write this field (repeatable)"
    )
    accept.add_argument("--accept-all", action="store_true", help="write every field that differs")
    parser.add_argument(
        "--reviewer", metavar="NAME", help="record the edit in this reviewer's log, to be undone"
    )


def run(args: Namespace, session: Session) -> Answer:
    """Look up, and write what was accepted."""
    if args.id is None and args.doi is None:
        raise InvalidRequest(
            "Neither a document nor a DOI was given.", "Try: citation-machine lookup --doi 10.1000/182"
        )
    if args.id is None and (args.accept or args.accept_all):
        raise InvalidRequest("A field is accepted for a source.", "Give the document id, then --doi DOI.")
    from cmtui.config import load

    providers = load().providers
    if args.id is None:
        from cmtui.engine.lookup import look_up

        found = look_up(args.doi, providers=providers)
    else:
        found = session.machine.lookup_doi(args.id, doi=args.doi, providers=providers)
    accepted = [d.field for d in found.differences] if args.accept_all else args.accept
    if args.accept or args.accept_all:
        session.machine.apply_lookup(found, accepted, reviewer=args.reviewer)
    body: JsonObject = {
        "doi": found.doi,
        "provider": found.provider,
        "source_id": found.source_id,
        "item": found.item,
        "differences": [asdict(difference) for difference in found.differences],
        "notices": [asdict(notice) for notice in found.notices],
        "warnings": list(found.warnings),
        "accepted": accepted,
        "looked_up_at": found.looked_up_at,
    }
    return Answer(body, rows=body["differences"])

"""``events``: what happened in the store, and whether the logs of decisions are whole."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.output import DONE, FAILED, Answer, JsonObject

_DESCRIPTION = """\
What the store holds a record of, newest first: decisions of all reviewers, ingests, evaluations, removals and
edits of the bibliography; and whether each hash chain is whole (exit status 1 when one is broken).

Filter: event:finding.* actor:any object:7f3a since:today until:2026-11-30, and free words.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb(
        subparsers,
        "events",
        run,
        "what happened, by whom, and whether the logs hold",
        description=_DESCRIPTION,
    )
    parser.add_argument("filter", nargs="*", metavar="FILTER", help="event:finding.* actor:any since:today")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="at most N, the newest (all)")


def run(args: Namespace, session: Session) -> Answer:
    """The trail."""
    from cmtui.engine.trail import as_row

    trail = session.machine.audit_trail(" ".join(args.filter))
    events = trail.events[: args.limit] if args.limit > 0 else trail.events
    rows: list[JsonObject] = [dict(as_row(event)) for event in events]
    chains = [{**asdict(chain), "ok": chain.ok} for chain in trail.chains]
    body: JsonObject = {"total": len(trail.events), "chains": chains, "events": rows}
    return Answer(body, rows=rows, status=DONE if trail.whole else FAILED)

"""``discover``: what the search services find for a query, and how each of them did (D1)."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import Any

from cmtui.cli.arguments import Subparsers, add_limit, verb
from cmtui.cli.session import Session
from cmtui.model.discovery import PROVIDERS, FoundWork, ProviderStatus
from cmtui.output import Answer, JsonObject

_DESCRIPTION = """\
Ask Semantic Scholar, Crossref, Brave Search and Exa, all at once. This verb uses the network. What it
finds are leads: nothing is stored, and nothing of it can be quoted. Brave needs BRAVE_API_KEY, Exa
EXA_API_KEY (a search there is billed); Semantic Scholar takes SEMANTIC_SCHOLAR_API_KEY.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb(subparsers, "discover", run, "ask the search services for works", description=_DESCRIPTION)
    parser.add_argument("query", metavar="QUERY", help="what to look for")
    parser.add_argument(
        "--provider", action="append", choices=PROVIDERS, help="only this one (repeatable; all by default)"
    )
    add_limit(parser, 10)


def run(args: Namespace, session: Session) -> Answer:
    """Ask, and print the rows of each provider in its order."""
    from cmtui.config import load

    settings = load().providers
    if session.store.exists():
        report = session.machine.discover(
            args.query,
            providers=args.provider,
            limit=args.limit,
            settings=settings,
            progress=session.progress,
        )
    else:
        from cmtui.engine.discovering import discover

        report = discover(
            args.query,
            providers=args.provider,
            limit=args.limit,
            settings=settings,
            progress=session.progress,
        )
    session.progress.finish()
    body: JsonObject = {
        "query": report.query,
        "providers": [provider_row(status) for status in report.providers],
        "candidates": [candidate_row(work) for work in report.candidates],
    }
    return Answer(body, rows=body["candidates"])


def provider_row(status: ProviderStatus) -> dict[str, Any]:
    """A provider's part of the answer: ``attempts`` counts its ``requests``."""
    return {
        "name": status.name,
        "status": status.state.value,
        "attempts": len(status.attempts),
        "ms": status.ms,
        "results": status.results,
        "message": status.message,
        "hint": status.hint,
        "requests": [asdict(attempt) for attempt in status.attempts],
    }


def candidate_row(work: FoundWork) -> dict[str, Any]:
    """One found work."""
    return {
        "provider": work.provider,
        "rank": work.rank,
        "title": work.title,
        "authors": [dict(name) for name in work.authors],
        "year": work.year,
        "doi": work.doi,
        "url": work.url,
        "abstract": work.abstract,
        "citation_count": work.citation_count,
        "snippet": work.snippet,
        "container": work.container,
        "type": work.type,
        "language": work.language,
        "sources": list(work.sources),
        "same_as": [list(key) for key in work.same_as],
        "related": [list(key) for key in work.related],
        "identifiers": dict(work.identifiers),
        "notices": list(work.notices),
        "in_library": work.in_library,
    }

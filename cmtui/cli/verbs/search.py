"""``search``, ``semantic-search`` and ``hybrid-search``."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from cmtui.cli.arguments import Run, Subparsers, add_filters, add_limit, check_limit, verb
from cmtui.cli.session import Session
from cmtui.cli.verbs.embed import add_index, index_of
from cmtui.errors import InvalidRequest
from cmtui.output import Answer

if TYPE_CHECKING:
    from cmtui.engine import LocalCitationMachine
    from cmtui.model.retrieval import Filters


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    _add(subparsers, "search", run_search, "find passages by their words (BM25)")
    _add(subparsers, "semantic-search", run_semantic, "find passages by likeness of meaning")
    _add(subparsers, "hybrid-search", run_hybrid, "find passages by both, fused by rank")


def _add(subparsers: Subparsers, name: str, run: Run, summary: str) -> None:
    parser = verb(subparsers, name, run, summary)
    parser.add_argument("query", metavar="QUERY")
    add_limit(parser, 10)
    if name != "search":
        add_index(parser)
    add_filters(parser)


def run_search(args: Namespace, session: Session) -> Answer:
    """Lexical search."""
    return _run(args, session, "search")


def run_semantic(args: Namespace, session: Session) -> Answer:
    """Semantic search."""
    return _run(args, session, "semantic_search")


def run_hybrid(args: Namespace, session: Session) -> Answer:
    """Hybrid search."""
    return _run(args, session, "hybrid_search")


def _run(args: Namespace, session: Session, method: str) -> Answer:
    from cmtui.cli import shapes

    check_limit(args.limit)
    if not args.query.strip():
        raise InvalidRequest("The query is empty.", "Give at least one word.")
    machine = session.machine
    filters = filters_of(args, machine)
    if method == "search":
        response = machine.search(args.query, filters=filters, limit=args.limit, progress=session.progress)
    else:
        find = machine.semantic_search if method == "semantic_search" else machine.hybrid_search
        response = find(
            args.query,
            filters=filters,
            limit=args.limit,
            index=index_of(args, machine),
            progress=session.progress,
        )
    body = shapes.search_response(response)
    return Answer(body, rows=body["results"])


def filters_of(args: Namespace, machine: LocalCitationMachine) -> Filters:
    """The filters of R115; beginnings of ids are made whole. Raises NotFound, AmbiguousId."""
    from cmtui.model.identity import SourceKind
    from cmtui.model.retrieval import Filters

    return Filters(
        source_ids=frozenset(machine.source(key).source_id for key in args.source_id),
        document_ids=frozenset(machine.summary(key).document_id for key in args.document_id),
        kinds=frozenset(SourceKind(kind) for kind in args.source_kind),
    )

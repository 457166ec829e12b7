"""``format`` cites stored sources and evidence; ``cite`` formats plain CSL-JSON without a store."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from cmtui.cli.arguments import Subparsers, add_citation_style, verb
from cmtui.cli.reading import read_items, read_json
from cmtui.cli.session import Session
from cmtui.errors import InvalidMetadata
from cmtui.output import Answer, UsageError


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    one = verb(
        subparsers,
        "format",
        run_format,
        "cite evidence, a document or a source",
        description="Cite evidence, a document or a source from its explicit metadata. A page is printed "
        "only where the file or the user states one.",
    )
    one.add_argument("id", metavar="ID", help="an evidence, document or source id or its beginning")
    add_citation_style(one)

    many = verb(
        subparsers,
        "cite",
        run_cite,
        "format CSL-JSON items without a store",
        description="Format CSL-JSON items without a store: references as one bibliography in the order of "
        "the style, or inline citations and footnotes in the order of --cites.",
    )
    many.add_argument("--items", required=True, metavar="FILE", help="CSL-JSON items (- for standard input)")
    many.add_argument(
        "--cites",
        metavar="FILE",
        help="a list of clusters, each a list of {id, locator, label, prefix, suffix} (- for standard input)",
    )
    add_citation_style(many, required=True)


def run_format(args: Namespace, session: Session) -> Answer:
    """A citation of something stored."""
    from cmtui.cli import shapes

    engine = session.citation_engine(args.engine)
    citation = session.machine.cite(
        args.id, style=args.style, form=args.form, output=args.output, engine=engine
    )
    return Answer(shapes.formatted_citation(citation))


def run_cite(args: Namespace, session: Session) -> Answer:
    """One bibliography, or the citations of it."""
    from cmtui.cli import shapes
    from cmtui.engine import CitationMachine

    if args.items == "-" and args.cites == "-":
        raise UsageError("Standard input can be read once.", "Give --items or --cites as a file.")
    cites = None if args.cites is None else _clusters(args.cites)
    formatted = CitationMachine.format_items(
        read_items(args.items),
        style=args.style,
        form=args.form,
        cites=cites,
        output=args.output,
        engine=session.citation_engine(args.engine),
    )
    body = shapes.formatted_bibliography(formatted)
    return Answer(body, rows=body["entries"] or [{"text": text} for text in body["citations"]])


def _clusters(name: str) -> list[list[dict[str, Any]]]:
    """A list of lists of objects that each name an item."""
    value = read_json(name)
    whole = isinstance(value, list) and all(
        isinstance(cluster, list) and all(isinstance(cite, dict) and "id" in cite for cite in cluster)
        for cluster in value
    )
    if not whole:
        raise InvalidMetadata(
            f"'{name}' is not a list of clusters.", 'Write [[{"id": "smith2020", "locator": "12"}]].'
        )
    clusters: list[list[dict[str, Any]]] = value
    return clusters

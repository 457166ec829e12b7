"""``documents`` and ``document``: what is in the store."""

from __future__ import annotations

from argparse import Namespace

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.output import Answer


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    listing = verb(subparsers, "documents", run_documents, "list the documents of the store")
    listing.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="TAG",
        help="only sources with this tag (each of several)",
    )
    parser = verb(
        subparsers, "document", run_document, "show one document: its text, pages, sections and profile"
    )
    parser.add_argument("document_id", metavar="ID", help="a document id or its beginning")


def run_documents(args: Namespace, session: Session) -> Answer:
    """One row per document; versions that a newer one replaced are not 'current'."""
    from cmtui.cli import shapes
    from cmtui.engine.listing import listing

    if args.tag:
        return _tagged(session, set(args.tag))
    listed = listing(session.store)
    if listed is not None:
        rows = [shapes.document_row(row, title=row.title, status=None) for row in listed]
        return Answer({"documents": rows}, rows=rows)
    machine = session.machine
    rows = [
        shapes.document_row(row, title=machine.title(row.source_id), status=None)
        for row in machine.documents()
    ]
    return Answer({"documents": rows}, rows=rows)


def _tagged(session: Session, wanted: set[str]) -> Answer:
    """The rows of the sources that have every tag that is asked for, with their tags."""
    from cmtui.cli import shapes

    machine = session.machine
    tags = {source.source_id: source.tags for source in machine.sources()}
    rows = [
        shapes.document_row(row, title=machine.title(row.source_id), status=None)
        | {"tags": list(tags[row.source_id])}
        for row in machine.documents()
        if wanted <= set(tags[row.source_id])
    ]
    return Answer({"documents": rows}, rows=rows)


def run_document(args: Namespace, session: Session) -> Answer:
    """The row of a document with its canonical text and tables (``pages`` is the table, not the count)."""
    from cmtui.cli import shapes

    machine = session.machine
    row = machine.summary(args.document_id)
    document = machine.document(row.document_id)
    body = shapes.document_row(row, title=machine.title(row.source_id), status=None)
    body.update(shapes.document_parts(document))
    return Answer(body)

"""``ingest``: bring files into the store."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from cmtui.cli.arguments import KINDS, Subparsers, verb
from cmtui.cli.session import Session
from cmtui.errors import Cancelled, CmtuiError, IngestError
from cmtui.output import Answer, UsageError

if TYPE_CHECKING:
    from cmtui.model.ingest import IngestReport


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb(
        subparsers,
        "ingest",
        run,
        "bring files and folders into the store",
        description="Read PDF, EPUB, Markdown, plain text and saved web pages. Folders are walked. One bad "
        "file never stops the others: it is listed under 'errors', and the exit status is 2.",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file or a folder")
    parser.add_argument(
        "--changed", action="store_true", help="also every source whose file has other bytes than before"
    )
    parser.add_argument("--kind", choices=KINDS, help="what the files are, whatever their names say")
    parser.add_argument("--encoding", metavar="E", help="encoding of text files that are not UTF-8")
    parser.add_argument(
        "--reference",
        metavar="R",
        help="a DOI, URL, ISBN or name that stands for one file instead of its path",
    )
    parser.add_argument("--password", metavar="P", help="password of encrypted PDFs")
    parser.add_argument(
        "--reprofile", action="store_true", help="read known bytes again with this version's profile"
    )
    parser.add_argument(
        "--html",
        choices=("raw", "text"),
        help="web pages as their markup (raw, the default) or as the text that is read on them",
    )
    parser.add_argument(
        "--backend",
        choices=("pypdf", "pdfium"),
        help="the PDF reader: pypdf (the default), or pdfium where pypdf's text is bad; its text differs, so "
        "it makes another document of the same file",
    )


def run(args: Namespace, session: Session) -> Answer:
    """Ingest the paths."""
    from cmtui.cli import shapes

    if args.reference is not None:
        _check_single(args.paths)
    if not args.paths and not args.changed:
        raise UsageError(
            "Give files or folders to ingest, or --changed.",
            "Usage: citation-machine ingest PATH... (see --help)",
        )
    machine = session.open_or_create()
    states = machine.file_states(progress=session.progress) if args.changed else ()
    changed = [state.path for state in states if state.state.value == "changed"]
    report = machine.ingest_paths(
        [*args.paths, *changed],
        kind=args.kind,
        encoding=args.encoding,
        reference=args.reference,
        password=args.password,
        reprofile=args.reprofile,
        html=args.html,
        backend=args.backend,
        progress=session.progress,
    )
    documents = [
        shapes.document_row(one.summary, title=machine.title(one.summary.source_id), status=one.status.value)
        | {"path": one.path, "profile": one.summary.profile}
        for one in report.documents
    ]
    errors = [shapes.ingest_failure(failure) for failure in report.errors]
    body = {"documents": documents, "errors": errors}
    if args.changed:
        gone = [state for state in states if state.state.value in ("missing", "unreadable")]
        body["missing"] = [
            {"source_id": s.source_id, "name": s.name, "path": str(s.path), "state": s.state.value}
            for s in gone
        ]
    return Answer(body, rows=[*documents, *errors], failure=_failure(report))


def _failure(report: IngestReport) -> CmtuiError | None:
    if report.cancelled:
        return Cancelled("The ingest was cancelled.", "What is listed under 'documents' is stored.")
    if not report.errors:
        return None
    total = len(report.errors) + len(report.documents)
    first = report.errors[0]
    return IngestError(
        f"{len(report.errors)} of {total} files could not be ingested; the first: {first.message}",
        first.hint or "Each stands under 'errors' with what to do.",
    )


def _check_single(paths: list[str]) -> None:
    from pathlib import Path

    from cmtui.errors import InvalidRequest

    if len(paths) != 1 or Path(paths[0]).is_dir():
        raise InvalidRequest(
            "--reference names one source, so it goes with exactly one file.", "Ingest the files one by one."
        )

"""``bibliography``: explicit metadata of the sources: show, set, import, export, and duplicates."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.cli.arguments import OUTPUTS, Subparsers, add_citation_engine, family, verb
from cmtui.cli.reading import InputMissing, read_items
from cmtui.cli.session import Session
from cmtui.cli.verbs import found
from cmtui.errors import BibliographyError, CmtuiError, IngestError, InvalidMetadata
from cmtui.model.importing import (
    FORMATS,
    AppliedEntry,
    EntryProposal,
    ImportChoices,
    ImportPlan,
    LinkedSource,
)
from cmtui.output import Answer, JsonObject, UsageError

if TYPE_CHECKING:
    from cmtui.engine import LocalCitationMachine
    from cmtui.model.source import SourceRecord


class OutputFailed(CmtuiError):
    """A file named on the command line cannot be written."""

    code = "output"


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    verbs = family(subparsers, "bibliography", "show, set, import and export the metadata of sources")

    show = verb(verbs, "show", run_show, "show CSL-JSON items, and what the files say of themselves")
    show.add_argument(
        "ids", nargs="*", metavar="ID", help="document or source ids or their beginnings (all sources)"
    )

    setting = verb(verbs, "set", run_set, "set the item of a source; what it was stays in its history")
    setting.add_argument("id", metavar="DOCUMENT_ID", help="a document or source id or its beginning")
    setting.add_argument(
        "--from",
        dest="origin",
        required=True,
        metavar="FILE",
        help="a file with one CSL-JSON item (- for standard input)",
    )
    setting.add_argument(
        "--reviewer",
        metavar="NAME",
        help="record the edit in this reviewer's log, to be undone like a decision",
    )

    _add_import(verbs)

    export = verb(
        verbs,
        "export",
        run_export,
        "export the items of sources, or print them as one bibliography",
        description="Export the items of sources; 'warnings' names every field that the format cannot carry."
        " With --style the sources are printed as one bibliography instead, each once, in the order of first"
        " citation where the style numbers them.",
    )
    export.add_argument("ids", nargs="*", metavar="ID", help="document or source ids (all sources)")
    export.add_argument("--format", choices=FORMATS, help="(csl-json)")
    export.add_argument(
        "--style", metavar="STYLE", help="print a bibliography in this style (see cite --help)"
    )
    export.add_argument("--output", choices=OUTPUTS, help="markup of the bibliography (plain)")
    add_citation_engine(export)
    export.add_argument(
        "--accepted", action="store_true", help="only sources of evidence that the reviewer accepted"
    )
    export.add_argument("--reviewer", metavar="NAME", help="whose decisions --accepted means (you)")
    export.add_argument("--to", metavar="FILE", help="write the file instead of printing its text")

    found.add_verbs(verbs)

    verb(
        verbs,
        "duplicates",
        run_duplicates,
        "list sources whose items seem to be of one work",
        description="List sources whose items seem to be of one work: by DOI, by ISBN, or by title with first"
        " author and year. They are never merged.",
    )


def _add_import(verbs: Subparsers) -> None:
    parser = verb(
        verbs,
        "import",
        run_import,
        "import a BibTeX, BibLaTeX, RIS or CSL-JSON file",
        description="Import a BibTeX, BibLaTeX, RIS or CSL-JSON file. Fields that a linked source does not"
        " have are stored; fields that differ are left as they are, unless accepted for that entry.",
    )
    parser.add_argument("file", metavar="FILE", help="the file (- for standard input)")
    parser.add_argument("--format", choices=FORMATS, help="what the file is (its content decides)")
    parser.add_argument("--dry-run", action="store_true", help="show what would be stored, and store nothing")
    parser.add_argument(
        "--link",
        action="append",
        default=[],
        metavar="KEY=ID",
        help="this entry is of that document or source",
    )
    parser.add_argument(
        "--accept",
        action="append",
        default=[],
        metavar="KEY=FIELD[,FIELD]",
        help="store these fields of this entry, also over what the source has",
    )
    parser.add_argument(
        "--accept-all",
        action="append",
        default=[],
        metavar="KEY",
        help="overwrite every field this entry has",
    )
    parser.add_argument(
        "--ingest-attachments",
        action="store_true",
        help="first ingest the files that entries name, when they exist",
    )
    parser.add_argument(
        "--reviewer",
        metavar="NAME",
        help="record the import in this reviewer's log, to be undone as one action",
    )


def run_show(args: Namespace, session: Session) -> Answer:
    """The items of sources; null where nobody has stated one."""
    from cmtui.cli import shapes

    machine = session.machine
    rows = []
    for source in _sources(machine, args.ids):
        record = machine.bibliography(source.source_id)
        current = source.documents[-1] if source.documents else None
        rows.append(
            {
                "source_id": source.source_id,
                "document_id": current,
                "name": source.name,
                "item": None if record is None else record.item,
                "history": [] if record is None else list(record.history),
                "notices": [asdict(notice) for notice in machine.editorial_notices(source.source_id)],
                "candidates": []
                if current is None
                else [shapes.candidate(c) for c in machine.metadata_candidates(current)],
            }
        )
    return Answer({"items": rows}, rows=rows)


def run_set(args: Namespace, session: Session) -> Answer:
    """Store one item after validation."""
    machine = session.machine
    source = machine.source(args.id)
    items = read_items(args.origin)
    if len(items) != 1:
        raise InvalidMetadata(
            f"'{args.origin}' holds {len(items)} items, and a source has one.", "Give one CSL-JSON item."
        )
    record = machine.set_bibliography(source.source_id, items[0], reviewer=args.reviewer)
    return Answer({"source_id": record.source_id, "name": source.name, "item": record.item})


def run_export(args: Namespace, session: Session) -> Answer:
    """All stated items; sources without one are left out when none was named, and an error when one was."""
    if args.accepted and args.ids:
        raise UsageError("--accepted chooses the sources, so no ids go with it.", "Leave one of them out.")
    if args.reviewer is not None and not args.accepted:
        raise UsageError("--reviewer says whose decisions --accepted means.", "Add --accepted.")
    if args.style is None and (args.output is not None or args.engine is not None):
        raise UsageError("--output and --engine are for a printed bibliography.", "Add --style.")
    if args.style is not None and args.format is not None:
        raise UsageError("--format writes records, --style prints them.", "Leave one of them out.")
    machine = session.machine
    reviewer = session.reviewer(args.reviewer) if args.accepted else None
    if args.style is not None:
        return _printed(args, session, reviewer)
    args.format = args.format or "csl-json"
    made = machine.export_bibliography(args.ids, file_format=args.format, reviewer=reviewer)
    body: JsonObject = {"format": made.format}
    if args.to is not None:
        body |= {"path": args.to, "bytes": _write(args.to, made.text)}
    elif args.format == "csl-json":
        items = list(machine.export_items(args.ids, reviewer=reviewer))
        return Answer(body | {"items": items, "warnings": list(made.warnings)}, rows=items)
    else:
        body["text"] = made.text
    return Answer(body | {"warnings": list(made.warnings)})


def _printed(args: Namespace, session: Session, reviewer: str | None) -> Answer:
    """The sources as one bibliography in a style."""
    made = session.machine.bibliography_of(
        args.ids or None,
        reviewer=reviewer,
        style=args.style,
        output=args.output or "plain",
        engine=session.citation_engine(args.engine),
    )
    rows = [{"id": item_id, "text": text} for item_id, text in made.entries]
    body: JsonObject = {
        "style": made.style,
        "output": made.output,
        "engine": made.engine,
        "style_sha256": made.style_sha256,
    }
    if args.to is not None:
        body |= {"path": args.to, "bytes": _write(args.to, made.text)}
    else:
        body |= {"text": made.text, "entries": rows}
    return Answer(body | {"warnings": list(made.warnings)}, rows=rows)


def _write(name: str, text: str) -> int:
    """Write a file whole and return its size in bytes. Raises OutputFailed."""
    content = text.encode("utf-8")
    try:
        Path(name).expanduser().write_bytes(content)
    except OSError as error:
        raise OutputFailed(f"'{name}' cannot be written: {error.strerror}.", "Check the path.") from None
    return len(content)


def run_duplicates(_: Namespace, session: Session) -> Answer:
    """Pairs of sources, each with the reasons."""
    machine = session.machine

    def named(source_id: str) -> JsonObject:
        record = machine.bibliography(source_id)
        return {
            "source_id": source_id,
            "name": machine.source(source_id).name,
            "title": None if record is None else record.item.get("title"),
        }

    rows = [
        {"sources": [named(one.first), named(one.second)], "reasons": list(one.reasons)}
        for one in machine.duplicates()
    ]
    return Answer({"duplicates": rows}, rows=rows)


# -- import ------------------------------------------------------------------------------------------


def run_import(args: Namespace, session: Session) -> Answer:
    """Propose, store what is accepted, and say what was left and why."""
    machine = session.open_or_create() if args.ingest_attachments and not args.dry_run else session.machine
    content, folder = _read(args.file)
    read = machine.read_bibliography(content, file_format=args.format, name=args.file)
    links = dict(_pair(text, "--link", "ID") for text in args.link)
    accept: dict[str, frozenset[str]] = {}
    for text in args.accept:
        key, fields = _pair(text, "--accept", "FIELD")
        chosen = frozenset(part.strip() for part in fields.split(",") if part.strip())
        accept[key] = accept.get(key, frozenset()) | chosen
    choices = ImportChoices(accept, frozenset(args.accept_all))
    plan = machine.plan_entries(read, folder=folder, links=links)
    ingested: JsonObject = {"documents": [], "errors": []}
    if args.ingest_attachments and not args.dry_run:
        from cmtui.cli import shapes

        report = machine.ingest_attachments(plan, progress=session.progress)
        ingested["documents"] = [
            {"path": one.path, "document_id": one.summary.document_id, "status": one.status.value}
            for one in report.documents
        ]
        ingested["errors"] = [shapes.ingest_failure(failure) for failure in report.errors]
        plan = machine.plan_entries(read, folder=folder, links=links)
    applied: dict[tuple[str, str], AppliedEntry] = {}
    if not args.dry_run:
        done = machine.apply_import(plan, choices, reviewer=args.reviewer)
        applied = {(one.key, one.source_id): one for one in done}
    entries = [_proposal(proposal, applied) for proposal in plan.proposals]
    problems = [{"line": one.line, "key": one.key or None, "message": one.message} for one in plan.problems]
    body: JsonObject = {
        "format": plan.format,
        "dry_run": args.dry_run,
        "entries": entries,
        "unlinked": [proposal.entry.key for proposal in plan.unlinked],
        "problems": problems,
        "warnings": list(plan.warnings),
        "ingested": ingested,
    }
    return Answer(body, rows=[*entries, *problems], failure=_failure(plan, ingested))


def _read(name: str) -> tuple[bytes, Path]:
    """The bytes of a file and its folder. Raises InputMissing."""
    try:
        if name == "-":
            buffer = getattr(sys.stdin, "buffer", None)
            return (sys.stdin.read().encode("utf-8") if buffer is None else buffer.read()), Path.cwd()
        path = Path(name).expanduser()
        return path.read_bytes(), path.absolute().parent
    except FileNotFoundError:
        raise InputMissing(f"There is no file '{name}'.", "Check the path.") from None
    except OSError as error:
        raise InputMissing(f"'{name}' cannot be read: {error.strerror}.", "Check the path.") from None


def _pair(text: str, option: str, what: str) -> tuple[str, str]:
    key, equals, value = text.rpartition("=")
    if not equals or not key.strip() or not value.strip():
        raise UsageError(f"{option} wants KEY={what}, not '{text}'.", f"Write {option} smith2020={what}.")
    return key.strip(), value.strip()


def _proposal(proposal: EntryProposal, applied: dict[tuple[str, str], AppliedEntry]) -> JsonObject:
    entry = proposal.entry
    return {
        "key": entry.key,
        "line": entry.line,
        "type": entry.item.get("type"),
        "title": entry.item.get("title"),
        "links": [_link(link, applied.get((entry.key, link.source_id))) for link in proposal.links],
        "candidates": [_source(link) for link in proposal.candidates],
        "attachments": [
            {
                "path": one.attachment.path,
                "title": one.attachment.title,
                "media_type": one.attachment.media_type,
                "file": one.file,
                "document_id": one.document_id,
            }
            for one in proposal.attachments
        ],
        "warnings": [*entry.warnings, *proposal.warnings],
    }


def _source(link: LinkedSource) -> JsonObject:
    return {
        "source_id": link.source_id,
        "document_id": link.document_id,
        "name": link.name,
        "basis": link.basis,
    }


def _link(link: LinkedSource, applied: AppliedEntry | None) -> JsonObject:
    fields = [
        {"field": one.field, "status": one.status, "current": one.current, "proposed": one.proposed}
        for one in link.fields
    ]
    return _source(link) | {
        "fields": fields,
        "stored": [] if applied is None else list(applied.stored),
        "left": [one.field for one in link.fields if one.status == "differs"]
        if applied is None
        else list(applied.left),
        "warnings": list(link.warnings),
    }


def _failure(plan: ImportPlan, ingested: JsonObject) -> CmtuiError | None:
    """An error beside the answer when something of the file did not come in (as ``ingest`` does)."""
    if plan.problems:
        first = plan.problems[0]
        return BibliographyError(
            f"{len(plan.problems)} places of the file did not come in; the first, line {first.line}:"
            f" {first.message}",
            "The rest came in. Each place stands under 'problems' with its line.",
        )
    if ingested["errors"]:
        first_error = ingested["errors"][0]
        return IngestError(
            f"{len(ingested['errors'])} attachments could not be ingested; the first:"
            f" {first_error['message']}",
            "Each stands under 'ingested' with what to do.",
        )
    return None


def _sources(machine: LocalCitationMachine, ids: list[str]) -> list[SourceRecord]:
    """The named sources, or every source of the store once, in the order of the document list."""
    keys = ids or list(dict.fromkeys(row.source_id for row in machine.documents()))
    return [machine.source(key) for key in keys]

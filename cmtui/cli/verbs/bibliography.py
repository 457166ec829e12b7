"""``bibliography``: explicit metadata of the sources, as CSL-JSON."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from cmtui.cli.arguments import Subparsers, family, verb
from cmtui.cli.reading import read_items
from cmtui.cli.session import Session
from cmtui.errors import InvalidMetadata, MetadataMissing
from cmtui.output import Answer, JsonObject

if TYPE_CHECKING:
    from cmtui.engine import LocalCitationMachine
    from cmtui.model.source import SourceRecord


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    verbs = family(subparsers, "bibliography", "show, set and export the metadata of sources")

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

    export = verb(verbs, "export", run_export, "export the items of sources")
    export.add_argument("ids", nargs="*", metavar="ID", help="document or source ids (all sources)")
    export.add_argument("--format", default="csl-json", choices=("csl-json", "bibtex"), help="(csl-json)")


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
    machine = session.machine
    items: list[JsonObject] = []
    for source in _sources(machine, args.ids):
        record = machine.bibliography(source.source_id)
        if record is not None:
            items.append(_identified(record.item, source))
        elif args.ids:
            raise MetadataMissing(
                f"'{source.name}' has no bibliographic metadata; nothing is guessed from its name.",
                f"Set it: citation-machine bibliography set {source.source_id[:12]} --from FILE",
            )
    if args.format == "csl-json":
        return Answer({"format": "csl-json", "items": items}, rows=items)
    text = "\n".join(machine.preview(item, style="bibtex").text for item in items)
    return Answer({"format": "bibtex", "text": text})


def _identified(item: dict[str, Any], source: SourceRecord) -> JsonObject:
    """The item with an id, which CSL-JSON demands: its own, else the source's."""
    return item if item.get("id") else {"id": source.source_id[:12], **item}


def _sources(machine: LocalCitationMachine, ids: list[str]) -> list[SourceRecord]:
    """The named sources, or every source of the store once, in the order of the document list."""
    keys = ids or list(dict.fromkeys(row.source_id for row in machine.documents()))
    return [machine.source(key) for key in keys]

"""``bibliography add`` and ``bibliography entries``: works by DOI, with or without a source in the store."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.output import Answer, JsonObject

if TYPE_CHECKING:
    from cmtui.model.discovery import ImportedWork, SavedReference


def add_verbs(verbs: Subparsers) -> None:
    """Add the verbs to the family ``bibliography``."""
    add = verb(
        verbs,
        "add",
        run_add,
        "add a work by its DOI",
        description="Fetch the record of a DOI from Crossref, then DataCite, and store it: with the document "
        "that is named, else with the source that has this DOI, else as an entry of its own. Fields that a "
        "source already has are left as they are. This verb uses the network.",
    )
    add.add_argument("document_id", nargs="?", metavar="DOCUMENT_ID", help="join it to this document")
    add.add_argument("--doi", required=True, metavar="DOI", help="the DOI of the work")
    add.add_argument("--reviewer", metavar="NAME", help="record the edit in this reviewer's log")

    entries = verb(verbs, "entries", run_entries, "list the entries of works that have no source here")
    entries.add_argument("--remove", metavar="ID", help="remove this entry, by its id or the id's beginning")


def run_add(args: Namespace, session: Session) -> Answer:
    """Look up and store."""
    from cmtui.config import load

    machine = session.open_or_create()
    found = machine.add_by_doi(
        args.doi, document=args.document_id, providers=load().providers, reviewer=args.reviewer
    )
    return Answer(imported_object(found))


def run_entries(args: Namespace, session: Session) -> Answer:
    """List, after removing what was named."""
    body: JsonObject = {}
    if args.remove is not None:
        body["removed"] = entry_row(session.machine.remove_reference(args.remove))
    body["entries"] = [entry_row(entry) for entry in session.machine.references()]
    return Answer(body, rows=body["entries"])


def imported_object(found: ImportedWork) -> JsonObject:
    """What was stored, and where."""
    return {
        "entry_id": None if found.reference is None else found.reference.reference_id,
        "source_id": found.source_id,
        "item": dict(found.item),
        "origin": dict(found.origin),
        "stored": list(found.stored),
        "left": list(found.left),
        "notices": list(found.notices),
        "warnings": list(found.warnings),
    }


def entry_row(entry: SavedReference) -> dict[str, Any]:
    """One entry."""
    return {
        "entry_id": entry.reference_id,
        "item": dict(entry.item),
        "origin": dict(entry.origin),
        "added_at": entry.added_at,
    }

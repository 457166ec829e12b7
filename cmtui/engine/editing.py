"""What a bibliography form asks before anything is stored: is the item valid, and what would be copied."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cmtui.engine.core import MachineCore
from cmtui.model.bibliography import CslItem

if TYPE_CHECKING:
    from cmtui.model.bibliography import CopyForm


@dataclass(frozen=True, slots=True)
class ItemCheck:
    """An item as read: ``errors`` (variable, reason) stop it from being stored, ``notes`` do not."""

    errors: tuple[tuple[str, str], ...] = ()
    notes: tuple[tuple[str, str], ...] = ()


class EditingOperations(MachineCore):
    """Operations on an item that is not stored yet."""

    @staticmethod
    def check_item(item: CslItem) -> ItemCheck:
        """Every problem of an item at once, by variable; never raises. Storing it refuses the errors."""
        from cmtui.bibliography.metadata import read_item

        reading = read_item(item)
        errors = [(_variable(place), _told(place, reason)) for place, reason in reading.errors]
        errors += [
            (_variable(place), _told(place, "CSL has no such field; keep it under 'custom'."))
            for place in reading.unknown
        ]
        return ItemCheck(tuple(errors), tuple(_notes(reading.item)))

    def copy_item(
        self, item: CslItem, form: str = "plain", style: str = "mla", *, cite_form: str = "reference"
    ) -> CopyForm:
        """As ``copy_forms``, of an item that is not stored. Raises InvalidMetadata, UnsupportedForm."""
        from cmtui.bibliography.copying import copy_citation

        return copy_citation(self.desk.formatter, item, form=form, style=style, cite_form=cite_form)


def _variable(place: str) -> str:
    return re.split(r"[\[.]", place, maxsplit=1)[0]


def _told(place: str, reason: str) -> str:
    """The reason, with the name or part it is about: ``name 2: it is empty.``"""
    match = re.fullmatch(r"[\w-]+\[(\d+)\](?:\.(.+))?", place)
    if match is not None:
        part = f" ({match[2]})" if match[2] else ""
        return f"name {int(match[1]) + 1}{part}: {reason}"
    _, dot, part = place.partition(".")
    return f"{part}: {reason}" if dot else reason


def _notes(item: CslItem) -> list[tuple[str, str]]:
    from cmtui.scholarly.identifiers import normalise_doi, normalise_isbn

    notes = []
    if not str(item.get("title", "")).strip():
        notes.append(("title", "no title yet"))
    doi, isbn, url = (str(item.get(name, "")).strip() for name in ("DOI", "ISBN", "URL"))
    if doi and normalise_doi(doi) is None:
        notes.append(("DOI", "not a DOI: these look like 10.1000/182"))
    if isbn and not all(normalise_isbn(part) for part in re.split(r"[;,]\s*|\s+(?=97[89])", isbn)):
        notes.append(("ISBN", "the check digit or the length is wrong"))
    if url and not re.match(r"[a-z][a-z0-9+.-]*:", url, re.IGNORECASE):
        notes.append(("URL", "without a scheme such as https:"))
    for name in ("issued", "accessed", "original-date", "event-date"):
        date = item.get(name)
        if isinstance(date, dict) and "literal" in date:
            notes.append((name, f"kept as the words '{date['literal']}': no date of numbers"))
    return notes

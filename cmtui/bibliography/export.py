"""Bibliography files of many items. What a format could not carry is found by reading the file back."""

from __future__ import annotations

from collections.abc import Sequence

from cmtui.bibliography import bibtex, comparison, ris
from cmtui.bibliography.metadata import validate_item
from cmtui.bibliography.reading import csl_json
from cmtui.bibliography.reading.detect import read_bibliography
from cmtui.errors import InvalidRequest
from cmtui.model.bibliography import CslItem
from cmtui.model.importing import FORMATS, ExportedBibliography

#: Keys that name the record and not the work.
RECORD = frozenset(("id", "citation-key"))


def write_bibliography(items: Sequence[CslItem], format_name: str) -> ExportedBibliography:
    """A file of valid items in their order, with the same bytes for the same items.

    Raises InvalidRequest for an unknown format, InvalidMetadata for an item that is not valid.
    """
    if format_name not in FORMATS:
        raise InvalidRequest(
            f"There is no bibliography format '{format_name}'.", f"Formats: {', '.join(FORMATS)}."
        )
    valid = [validate_item(item) for item in items]
    if format_name == "csl-json":
        return ExportedBibliography(format_name, csl_json.write(distinct_ids(valid)))
    if format_name == "ris":
        text = ris.write_ris(valid)
    else:
        text = "".join(f"{entry}\n\n" for entry in bibtex.write_entries(valid, flavour=format_name))
        text = text.removesuffix("\n")
    return ExportedBibliography(format_name, text, losses(valid, text, format_name))


def distinct_ids(items: Sequence[CslItem]) -> list[CslItem]:
    """The items with an id each, as CSL-JSON demands; one that is missing or used before is made."""
    made: list[CslItem] = []
    taken = {str(item["id"]) for item in items if item.get("id") not in (None, "")}
    used: set[str] = set()
    for index, item in enumerate(items, 1):
        own = str(item.get("id") or "")
        name, number = own or f"item{index}", 1
        while name in used or (name != own and name in taken):
            number += 1
            name = f"{own or f'item{index}'}-{number}"
        used.add(name)
        made.append({"id": name, **{key: value for key, value in item.items() if key != "id"}})
    return made


def losses(items: Sequence[CslItem], text: str, format_name: str) -> tuple[str, ...]:
    """One sentence for each item that does not come back whole from the written file."""
    if not items:
        return ()
    read = read_bibliography(text, stated=format_name).entries
    warnings = []
    for item, entry in zip(items, read, strict=True):
        lost = lost_fields(item, entry.item)
        if lost:
            name = str(item.get("title") or entry.key)
            warnings.append(f"'{name[:60]}': {format_name} does not carry {', '.join(lost)} unchanged.")
    return tuple(warnings)


def lost_fields(item: CslItem, back: CslItem) -> list[str]:
    """The fields of an item that another does not have, or has otherwise."""
    values = {comparison.variable(name): value for name, value in back.items()}
    return [
        name
        for name, value in item.items()
        if name not in RECORD
        and not comparison.equal(name, value, values.get(comparison.variable(name)))
        and comparison.canonical(name, value) not in ("", None, ())
    ]

"""The fields of the bibliography form, and the way between them and a CSL-JSON item.

What the form does not show stays in the item as it is. Nothing is guessed: an empty field is no field.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cmtui.model.bibliography import CslItem

#: CSL types offered, the common ones first (CSL 1.0.2, appendix III).
TYPES = (
    "book",
    "chapter",
    "article-journal",
    "article-magazine",
    "article-newspaper",
    "paper-conference",
    "report",
    "thesis",
    "webpage",
    "post-weblog",
    "manuscript",
    "standard",
    "dataset",
    "document",
)


@dataclass(frozen=True, slots=True)
class FormField:
    """One line of the form: its label, the CSL variable, and what may be typed."""

    label: str
    variable: str
    kind: str = "text"
    hint: str = ""


FIELDS: tuple[FormField, ...] = (
    FormField("Title", "title"),
    FormField("Authors", "author", "names", "Family, Given; Family, Given; an organisation"),
    FormField("Editors", "editor", "names", "Family, Given; …"),
    FormField("Issued", "issued", "date", "2024, 2024-05 or 2024-05-31"),
    FormField("Container", "container-title", hint="journal, site or book it stands in"),
    FormField("Volume", "volume"),
    FormField("Issue", "issue"),
    FormField("Pages", "page", hint="first–last"),
    FormField("Publisher", "publisher"),
    FormField("Place", "publisher-place"),
    FormField("Edition", "edition"),
    FormField("DOI", "DOI", hint="10.…"),
    FormField("URL", "URL", hint="https://…"),
    FormField("Accessed", "accessed", "date", "2024-05-31"),
)


def values(item: CslItem) -> dict[str, str]:
    """The texts of the fields for an item."""
    found = {"type": str(item.get("type", ""))}
    for field in FIELDS:
        value = item.get(field.variable)
        if field.kind == "names":
            found[field.variable] = names_text(value)
        elif field.kind == "date":
            found[field.variable] = date_text(value)
        else:
            found[field.variable] = "" if value is None else str(value)
    return found


def item_of(texts: Mapping[str, str], before: CslItem) -> CslItem:
    """The item that the texts make of ``before``: fields whose text did not change keep their value."""
    item: CslItem = copy.deepcopy(before)
    unchanged = values(before)
    for variable, typed in texts.items():
        text = typed.strip()
        if text == unchanged.get(variable, "").strip():
            continue
        kind = next((field.kind for field in FIELDS if field.variable == variable), "text")
        if not text:
            item.pop(variable, None)
        elif kind == "names":
            item[variable] = names(text)
        elif kind == "date":
            item[variable] = date(text)
        else:
            item[variable] = text
    return item


def names_text(value: object) -> str:
    """Names as typed: ``Writer, Jane; Alvarez, Maria; Example Press``."""
    parts = []
    for person in value if isinstance(value, list) else []:
        if isinstance(person, dict):
            family = " ".join(filter(None, (person.get("non-dropping-particle"), person.get("family"))))
            text = str(person.get("literal") or family)
            parts.append(f"{text}, {person['given']}" if person.get("given") else text)
    return "; ".join(parts)


def names(text: str) -> list[dict[str, str]]:
    """CSL names: with a comma a person, without one an organisation or a one-name author."""
    people = []
    for part in text.split(";"):
        family, comma, given = (piece.strip() for piece in part.partition(","))
        if comma and given:
            people.append({"family": family, "given": given})
        elif family:
            people.append({"literal": family})
    return people


def date_text(value: object) -> str:
    """A CSL date as typed: ``2024-05-31``; what it does not understand as it is."""
    if not isinstance(value, dict):
        return "" if value is None else str(value)
    parts = value.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        return "/".join("-".join(f"{int(n):02d}" for n in part) for part in parts if part)
    return str(value.get("raw") or value.get("literal") or "")


def date(text: str) -> dict[str, Any]:
    """A CSL date. Numbers become date parts; other words stay a literal, for the engine to judge."""
    ranges = []
    for part in text.split("/"):
        pieces = part.strip().split("-")
        if not all(piece.isdecimal() for piece in pieces) or len(pieces) > 3:
            return {"literal": text}
        ranges.append([int(piece) for piece in pieces])
    return {"date-parts": ranges}

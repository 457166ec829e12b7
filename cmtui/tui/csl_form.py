"""The fields of the bibliography form, and the way between them and a CSL-JSON item.

What the form does not show stays in the item as it is. Nothing is guessed: an empty field is no field.
"""

# ruff: noqa: SIM905  (field sets read better as words)
from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cmtui.model.bibliography import CslItem

#: CSL types with a field set of their own, the common ones first (CSL 1.0.2, appendix III).
FIELD_SETS: Mapping[str, tuple[str, ...]] = {
    name: tuple(f"title author {variables} language".split())
    for name, variables in {
        "book": "editor translator edition volume number-of-volumes collection-title collection-number "
        "publisher publisher-place issued original-date ISBN DOI URL accessed",
        "chapter": "container-title container-author editor translator edition volume collection-title page "
        "publisher publisher-place issued ISBN DOI URL accessed",
        "article-journal": "translator container-title volume issue number page issued DOI ISSN URL accessed",
        "article-magazine": "container-title volume issue page issued DOI ISSN URL accessed",
        "article-newspaper": "container-title section edition page publisher-place issued DOI ISSN URL "
        "accessed",
        "paper-conference": "editor container-title event-title event-place collection-title volume page "
        "publisher publisher-place issued ISBN DOI URL accessed",
        "report": "editor genre number collection-title publisher publisher-place page issued ISBN DOI URL "
        "accessed",
        "thesis": "genre publisher publisher-place number archive issued DOI URL accessed",
        "webpage": "container-title publisher issued DOI URL accessed",
        "post": "container-title genre issued DOI URL accessed",
        "dataset": "version genre publisher publisher-place issued DOI URL accessed",
        "software": "version genre publisher publisher-place issued DOI URL accessed",
        "motion_picture": "director producer translator genre medium version publisher publisher-place "
        "issued original-date DOI URL accessed",
        "document": "editor translator genre container-title number page publisher publisher-place issued "
        "archive archive_location DOI URL accessed",
    }.items()
}

#: The fields of every other type, and of an item without one.
GENERAL = tuple(
    "title author editor translator genre container-title volume issue number page edition publisher "
    "publisher-place issued archive archive_location DOI ISBN URL accessed language".split()
)

#: Types offered; those without a set of their own have the general fields.
TYPES = (*FIELD_SETS, "post-weblog", "manuscript", "standard")


@dataclass(frozen=True, slots=True)
class FormField:
    """One line of the form: its label, the CSL variable, text, names or date, and what may be typed."""

    label: str
    variable: str
    kind: str = "text"
    hint: str = ""


_DATE = "2024, 2024-05 or 2024-05-31; a range 2023/2024; about 2024~"

#: Every field, in the order of the form.
FIELDS: tuple[FormField, ...] = (
    FormField("Title", "title"),
    FormField("Authors", "author", "names"),
    FormField("Directors", "director", "names"),
    FormField("Producers", "producer", "names"),
    FormField("Container", "container-title", hint="what it stands in: journal, book, site"),
    FormField("Book by", "container-author", "names"),
    FormField("Editors", "editor", "names"),
    FormField("Translators", "translator", "names"),
    FormField("Event", "event-title", hint="name of the conference"),
    FormField("Event place", "event-place"),
    FormField("Genre", "genre", hint="such as PhD thesis, Technical report, Tweet"),
    FormField("Medium", "medium"),
    FormField("Version", "version"),
    FormField("Section", "section"),
    FormField("Edition", "edition", hint="2, or words"),
    FormField("Volume", "volume"),
    FormField("Volumes", "number-of-volumes", hint="how many there are"),
    FormField("Issue", "issue"),
    FormField("Number", "number"),
    FormField("Pages", "page", hint="first–last"),
    FormField("Series", "collection-title"),
    FormField("Series no.", "collection-number"),
    FormField("Publisher", "publisher"),
    FormField("Place", "publisher-place"),
    FormField("Issued", "issued", "date", _DATE),
    FormField("Original", "original-date", "date", "date of the first publication"),
    FormField("Archive", "archive"),
    FormField("Shelf mark", "archive_location"),
    FormField("DOI", "DOI", hint="10.…   f5 looks it up"),
    FormField("ISBN", "ISBN"),
    FormField("ISSN", "ISSN"),
    FormField("URL", "URL", hint="https://…"),
    FormField("Accessed", "accessed", "date", "2024-05-31"),
    FormField("Language", "language", hint="en, de-AT"),
)
FIELD: Mapping[str, FormField] = {field.variable: field for field in FIELDS}

#: What a field is called for a type, where it has a better name than the general one.
_LABELS: Mapping[tuple[str, str], str] = {
    ("chapter", "container-title"): "Book",
    ("article-journal", "container-title"): "Journal",
    ("article-magazine", "container-title"): "Magazine",
    ("article-newspaper", "container-title"): "Newspaper",
    ("paper-conference", "container-title"): "Proceedings",
    ("webpage", "container-title"): "Site",
    ("post", "container-title"): "Site",
    ("post-weblog", "container-title"): "Blog",
    ("thesis", "publisher"): "University",
    ("report", "publisher"): "Institution",
    ("dataset", "publisher"): "Repository",
    ("motion_picture", "publisher"): "Studio",
    ("motion_picture", "author"): "Writers",
    ("article-journal", "number"): "Article no.",
    ("report", "genre"): "Kind",
    ("thesis", "genre"): "Kind",
    ("post", "genre"): "Kind",
}

#: What stands in the form: a text per variable, or a list of CSL names.
FormValues = dict[str, Any]


def fields_of(kind: str) -> tuple[FormField, ...]:
    """The fields shown for a CSL type, in the order of the form."""
    wanted = set(FIELD_SETS.get(kind, GENERAL))
    return tuple(field for field in FIELDS if field.variable in wanted)


def label_of(variable: str, kind: str = "") -> str:
    """What a variable is called in the form of a type; a variable without a line by its own name."""
    if variable == "type":
        return "Type"
    field = FIELD.get(variable)
    return _LABELS.get((kind, variable)) or (field.label if field else variable)


def kept(item: CslItem) -> tuple[str, ...]:
    """The variables of an item that have a value and no line for its type; they stay as they are."""
    shown = {field.variable for field in fields_of(str(item.get("type", "")))}
    return tuple(name for name in item if name not in shown and name not in ("type", "id"))


def values(item: CslItem, variables: Iterable[str] | None = None) -> FormValues:
    """What stands in the fields for an item."""
    found: FormValues = {"type": str(item.get("type", ""))}
    for name in variables if variables is not None else FIELD:
        value = item.get(name)
        kind = FIELD[name].kind
        if kind == "names":
            found[name] = copy.deepcopy(people(value))
        elif kind == "date":
            found[name] = date_text(value)
        else:
            found[name] = "" if value is None else str(value)
    return found


def item_of(typed: Mapping[str, Any], before: CslItem) -> CslItem:
    """The item that the form makes of ``before``: fields that say what they said keep their value."""
    item: CslItem = copy.deepcopy(before)
    unchanged = values(before)
    for variable, value in typed.items():
        field = FIELD.get(variable)
        kind = field.kind if field else "text"
        if kind == "names":
            if value == unchanged[variable]:
                continue
            item[variable] = copy.deepcopy(value)
        else:
            text = str(value).strip()
            if text == str(unchanged[variable]).strip():
                continue
            item[variable] = date(text) if kind == "date" and text else text
        if not item[variable]:
            del item[variable]
    return item


def people(value: object) -> list[dict[str, Any]]:
    """The names of a CSL variable that are names at all."""
    return [person for person in value if isinstance(person, dict)] if isinstance(value, list) else []


def shown_value(variable: str, value: object) -> str:
    """Any CSL value as one line, for a comparison: names, a date, or a text."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(name_text(person) for person in people(value)) or str(value)
    if isinstance(value, dict) and variable not in ("custom",):
        return date_text(value) or str(value)
    return " ".join(str(value).split())


def name_text(person: Mapping[str, Any]) -> str:
    """A name in one line: ``van Gogh, Vincent``, ``King, Martin Luther, Jr.``, ``Harbour Board``."""
    if person.get("literal"):
        return str(person["literal"])
    particle = person.get("non-dropping-particle") or person.get("dropping-particle")
    family = " ".join(str(part) for part in (particle, person.get("family")) if part)
    return ", ".join(str(part) for part in (family, person.get("given"), person.get("suffix")) if part)


def date_text(value: object) -> str:
    """A CSL date as typed: ``2024-05-31``, ``2024-21`` for a season, ``2024~`` for about."""
    if not isinstance(value, dict):
        return "" if value is None else str(value)
    parts = value.get("date-parts")
    if isinstance(parts, list) and parts and all(isinstance(part, list) for part in parts):
        dates = [[str(number) for number in part if number not in (None, "")] for part in parts]
        season = value.get("season")
        if isinstance(season, int) and len(dates[0]) == 1:
            dates[0].append(str(20 + season) if season <= 4 else str(season))
        text = "/".join("-".join([d[0], *(n.zfill(2) for n in d[1:])]) for d in dates if d)
    else:
        text = str(value.get("raw") or value.get("literal") or "")
    return f"{text}~" if text and value.get("circa") else text


def date(text: str) -> dict[str, Any]:
    """A CSL date. Numbers become date parts; other words stay a literal, for a person to read."""
    about = text.endswith("~") or text.startswith("~")
    dates = []
    season = None
    for part in text.strip("~ ").split("/"):
        before_christ = part.strip().startswith("-")
        pieces = part.strip().removeprefix("-").split("-")
        if not all(piece.isdecimal() for piece in pieces) or len(pieces) > 3:
            return {"literal": text}
        numbers = [int(piece) for piece in pieces]
        if before_christ:
            numbers[0] = -numbers[0]
        if len(numbers) == 2 and 21 <= numbers[1] <= 24:
            season = numbers.pop() - 20
        dates.append(numbers)
    made: dict[str, Any] = {"date-parts": dates}
    if season is not None and len(dates) == 1:
        made["season"] = season
    return made | ({"circa": True} if about else {})

"""Validation of bibliographic metadata (R101 to R105). Nothing is inferred and nothing invented (R102)."""

from __future__ import annotations

import calendar
import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cmtui.bibliography import vocabulary as csl
from cmtui.errors import InvalidMetadata
from cmtui.model.bibliography import BibliographicDate, BibliographicMetadata, CslItem

#: The four kinds of the simple form and their CSL types (R105).
KINDS = {"book": "book", "paper": "article-journal", "webpage": "webpage", "document": "document"}

_ISO_DATE = re.compile(r"(-?\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_KNOWN = csl.TEXT_VARIABLES | csl.NUMBER_VARIABLES | csl.DATE_VARIABLES | csl.NAME_VARIABLES | csl.RECORD_KEYS


@dataclass(slots=True)
class Reading:
    """An item as read: ``item`` holds the valid fields, ``errors`` (field, message) what stops its use, and
    ``unknown`` the fields that CSL does not have."""

    item: CslItem = field(default_factory=dict)
    errors: list[tuple[str, str]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def csl_item(metadata: BibliographicMetadata) -> CslItem:
    """The CSL-JSON item of the simple form (R103). Raises InvalidMetadata naming the field."""
    if metadata.kind not in KINDS:
        raise InvalidMetadata(f"kind: '{metadata.kind}' is no kind of source.", f"Kinds: {', '.join(KINDS)}.")
    if not metadata.title.strip():
        raise InvalidMetadata("title: it is empty.", "Give the title as the work has it.")
    item: CslItem = {"type": KINDS[metadata.kind], "title": metadata.title}
    authors = []
    for author in metadata.authors:
        parts = {"family": author.family, "given": author.given, "literal": author.literal}
        authors.append({key: value for key, value in parts.items() if value})
    if authors:
        item["author"] = authors
    fields = {
        "publisher": metadata.publisher,
        "publisher-place": metadata.publisher_place,
        "container-title": metadata.container_title,
        "volume": metadata.volume,
        "issue": metadata.issue,
        "page": metadata.pages,
        "edition": metadata.edition,
        "DOI": metadata.doi,
        "URL": metadata.url,
    }
    item.update({key: value for key, value in fields.items() if value is not None})
    for key, date in (("issued", metadata.issued), ("accessed", metadata.accessed)):
        if date is not None:
            item[key] = {"date-parts": [_parts_of(date, key)]}
    return validate_item(item)


def _parts_of(date: BibliographicDate, key: str) -> list[int]:
    if date.month is None and date.day is not None:
        raise InvalidMetadata(f"{key}: a day without its month.", "Give the month, or leave out the day.")
    return [part for part in (date.year, date.month, date.day) if part is not None]


def validate_item(item: Mapping[str, Any], *, allow_unknown: bool = False) -> CslItem:
    """The item, checked field by field; a copy without null fields, with dates as ``date-parts``.

    A list of one text (Crossref's titles) is that text. Raises InvalidMetadata naming every wrong field, and
    every field that CSL-JSON does not have unless ``allow_unknown``.
    """
    reading = read_item(item)
    messages = [f"{name}: {message}" for name, message in reading.errors]
    hint = "Fields and types: https://docs.citationstyles.org, appendices III and IV."
    if reading.unknown and not allow_unknown:
        messages += [_unknown_message(name) for name in reading.unknown]
        if not reading.errors:
            hint = "Correct the spelling, or move fields of your own under 'custom'."
    if messages:
        raise InvalidMetadata(" ".join(messages), hint)
    return reading.item


def _unknown_message(name: str) -> str:
    near = difflib.get_close_matches(name, _KNOWN, n=1)
    return f"{name}: CSL has no such field." + (f" Did you mean '{near[0]}'?" if near else "")


def read_item(item: Any) -> Reading:
    """Read any CSL-JSON object without raising, so that a form can show every problem at once."""
    reading = Reading()
    if not isinstance(item, Mapping):
        reading.errors.append(("item", "a CSL-JSON item is an object."))
        return reading
    kind = item.get("type")
    if not isinstance(kind, str) or not kind:
        reading.errors.append(("type", "it is missing."))
    elif kind not in csl.ITEM_TYPES:
        near = difflib.get_close_matches(kind, csl.ITEM_TYPES, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        reading.errors.append(("type", f"'{kind}' is no CSL type.{hint}"))
    name: Any
    for name, value in item.items():
        if not isinstance(name, str):
            reading.errors.append((str(name), "a field name is a text."))
        elif value is not None:
            _read_field(reading, name, value)
    return reading


def _read_field(reading: Reading, name: str, value: Any) -> None:
    if name in csl.RECORD_KEYS:
        if name == "id" and (isinstance(value, bool) or not isinstance(value, (str, int))):
            reading.errors.append((name, "an id is a text or a whole number."))
        else:
            reading.item[name] = value
    elif name in csl.NAME_VARIABLES:
        names = _read_names(reading, name, value)
        if names:
            reading.item[name] = names
    elif name in csl.DATE_VARIABLES:
        date = _read_date(reading, name, value)
        if date:
            reading.item[name] = date
    elif name in csl.TEXT_VARIABLES or name in csl.NUMBER_VARIABLES:
        text = _read_text(reading, name, value)
        if text is not None and str(text).strip():
            reading.item[name] = text
    else:
        reading.unknown.append(name)


def _read_text(reading: Reading, name: str, value: Any) -> str | int | None:
    if isinstance(value, list):
        present = [part for part in value if part is not None]
        if not present:
            return None
        if len(present) > 1:
            reading.errors.append((name, 'one text is wanted, not a list of several, such as "The Voyage".'))
            return None
        value = present[0]
    if isinstance(value, int) and not isinstance(value, bool):
        # A volume may be a number; a book called 1984 has a title.
        return value if name in csl.NUMBER_VARIABLES else str(value)
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return str(value)
    reading.errors.append((name, 'a text or a number is wanted, such as "The Voyage" or 12.'))
    return None


def _read_names(reading: Reading, name: str, value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        reading.errors.append(
            (name, 'a list of names is wanted, such as [{"family": "Writer", "given": "Jane"}].')
        )
        return []
    names: list[dict[str, Any]] = []
    for index, entry in enumerate(value):
        place = f"{name}[{index}]"
        if not isinstance(entry, Mapping):
            example = '{"family": "Writer", "given": "Jane"} or {"literal": "WHO"}'
            reading.errors.append((place, f"a name is an object, such as {example}."))
            continue
        parts: dict[str, Any] = {}
        for key, part in entry.items():
            if part is None or part == "":
                continue
            if key in csl.NAME_HINTS:
                parts[key] = part
            elif key not in csl.NAME_PARTS:
                reading.unknown.append(f"{place}.{key}")
            elif not isinstance(part, str):
                reading.errors.append((f"{place}.{key}", "a text is wanted."))
            elif part.strip():
                parts[key] = part
        if not any(key in parts for key in ("family", "given", "literal")):
            reading.errors.append((place, "the name is empty."))
        else:
            names.append(parts)
    return names


def _read_date(reading: Reading, name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        value = {"raw": value}
    if not isinstance(value, Mapping):
        reading.errors.append((name, "a date is an object with date-parts, such as [[2024, 5, 1]]."))
        return {}
    reading.unknown.extend(f"{name}.{key}" for key in value if key not in csl.DATE_KEYS)
    date: dict[str, Any] = {}
    parts = value.get("date-parts")
    raw = value.get("raw")
    if parts is not None:
        date_parts = _read_date_parts(reading, name, parts)
        if date_parts:
            date["date-parts"] = date_parts
    elif isinstance(raw, str) and raw.strip():
        iso = _iso_dates(raw.strip())
        if iso is not None:
            if _all_dates_valid(reading, name, iso):
                date["date-parts"] = iso
        else:
            date["literal"] = raw.strip()
    literal = value.get("literal")
    if not date and isinstance(literal, (str, int)) and str(literal).strip():
        date["literal"] = str(literal).strip()
    if not date:
        return {}
    if value.get("circa") not in (None, False, 0, "", "0", "false"):
        date["circa"] = True
    season = value.get("season")
    if season not in (None, ""):
        number = _whole(season)
        if number is not None and (1 <= number <= 4 or 13 <= number <= 16 or 21 <= number <= 24):
            date["season"] = (number - 1) % 4 + 1
        else:
            reading.errors.append((name, f"season {season!r} is not 1 (spring) to 4 (winter)."))
    return date


def _iso_dates(text: str) -> list[list[int]] | None:
    dates = []
    for part in text.split("/"):
        match = _ISO_DATE.fullmatch(part)
        if match is None:
            return None
        dates.append([int(group) for group in match.groups() if group is not None])
    return dates if len(dates) <= 2 else None


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d{1,6}\s*", value):
        return int(value)
    return None


def _read_date_parts(reading: Reading, name: str, value: Any) -> list[list[int]]:
    if not isinstance(value, list) or not all(isinstance(part, list) for part in value):
        reading.errors.append((name, "date-parts is a list of one or two dates, such as [[2024, 5, 1]]."))
        return []
    dates: list[list[int]] = []
    for entry in value:
        given = list(entry)
        while given and given[-1] in (None, ""):
            given.pop()
        if not given:
            continue  # Crossref writes [[null]] for "no date"
        numbers = [_whole(part) for part in given]
        if any(number is None for number in numbers):
            reading.errors.append((name, f"{given!r} is not a date of whole numbers."))
            return []
        dates.append([number for number in numbers if number is not None])
    if len(dates) > 2:
        reading.errors.append((name, "a date range has two ends."))
        return []
    return dates if _all_dates_valid(reading, name, dates) else []


def _all_dates_valid(reading: Reading, name: str, dates: list[list[int]]) -> bool:
    for index, parts in enumerate(dates):
        problem = _date_problem(parts, open_end=index == 1)
        if problem:
            reading.errors.append((name, problem))
            return False
    return True


def _date_problem(parts: list[int], *, open_end: bool) -> str:
    if len(parts) > 3:
        return f"{parts} has more than year, month and day."
    year = parts[0]
    if open_end and parts == [0]:
        return ""
    if year == 0 or not -9999 <= year <= 9999:
        return f"{year} is not a year."
    if len(parts) > 1:
        month = parts[1]
        if not (1 <= month <= 12 or 13 <= month <= 16 or 21 <= month <= 24):
            return f"{month} is not a month (1 to 12)."
        if len(parts) > 2:
            # Years before 1 have the calendar's leap-year rule too; any leap year stands in for them.
            days = calendar.monthrange(year if year > 0 else 2000, month)[1] if month <= 12 else 0
            if not 1 <= parts[2] <= days:
                return f"day {parts[2]} is not in month {month} of {year}."
    return ""

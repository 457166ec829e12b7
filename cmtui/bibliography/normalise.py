"""From a valid CSL-JSON item to what the processor prints: clean text, parsed names, parsed dates.

Nothing here adds information; it changes how the given information is written (curly quotes, particles split
from family names, names of scripts that are not spaced).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cmtui.bibliography import vocabulary as csl
from cmtui.bibliography.markup import FORMATTING, clean, enrich, verbatim
from cmtui.model.bibliography import CslItem

#: Scripts written without a blank between family and given name: kana, Han, Hangul.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff々・]+")
_PARTICLE = re.compile(
    r"((?:(?:van|von|vom|zu|zum|zur|auf|den|der|de|del|della|dello|di|da|das|do|dos|du|des|la|las|le|les|los"
    r"|ten|ter|te|af|av|ibn|bin|al)\s+|(?:d|l|al|el|de)['’-])+)(?=\w)"
)
_TRAILING_PARTICLE = re.compile(
    r"^(.+?)\s+((?:van|von|zu|den|der|de|del|della|di|da|dos|du|des|la|le)(?:\s+(?:der|den|la|le|zu|los))?)$"
)
_QUOTE_OPENS_AFTER = re.compile(rf"(?:^|[\s(\[{{\u2013\u2014“‘/-])[{FORMATTING}]*$")
_PAGE_DASH = re.compile(r"\s*(?:--+|[\u2010-\u2015\u2212-])\s*")


@dataclass(frozen=True, slots=True)
class Person:
    """A name as the processor prints it. ``literal`` is an organisation, a one-name or an unspaced name."""

    family: str = ""
    given: str = ""
    dropping: str = ""
    non_dropping: str = ""
    suffix: str = ""
    literal: str = ""


@dataclass(frozen=True, slots=True)
class DatePoint:
    """Year and, as far as known, month, day or season (1 to 4). Year 0 is the open end of a range."""

    year: int
    month: int | None = None
    day: int | None = None
    season: int | None = None


@dataclass(frozen=True, slots=True)
class DateValue:
    """A date, a range, or words that stand for a date."""

    begin: DatePoint | None = None
    end: DatePoint | None = None
    literal: str = ""
    circa: bool = False

    def sort_key(self) -> str:
        """Chronological order as text; years before 1 come first."""
        if self.begin is None:
            return self.literal
        points = (self.begin, self.end) if self.end else (self.begin,)
        return "-".join(
            f"{point.year + 10000:05}{point.month or 0:02}{point.day or 0:02}" for point in points
        )


class Reference(dict[str, Any]):
    """The variables of one item under their CSL names; the processor's underscore spelling is read too."""

    def __init__(self, kind: str, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.type = kind

    def __contains__(self, key: object) -> bool:
        return super().__contains__(str(key).replace("_", "-")) or super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a variable, or the default."""
        if super().__contains__(key):
            return super().__getitem__(key)
        return super().get(key.replace("_", "-"), default)


def smarten(text: str) -> str:
    """Straight quotation marks and apostrophes as typographic ones."""
    if '"' not in text and "'" not in text:
        return text
    written = ""
    for index, character in enumerate(text):
        rest = text[index + 1 :]
        after_blank = bool(_QUOTE_OPENS_AFTER.search(written))
        if character == '"':
            if after_blank and '"' in rest:
                written += "“"
            else:  # without an opening one it is a mark of inches
                written += "”" if "“" in written else character
        elif character == "'":
            opens = after_blank and re.search(r"\w[^\w\s]*'(?!\w)", rest) is not None
            written += "‘" if opens and not rest[:1].isdigit() else "’"
        else:
            written += character
    return written


def prose(value: Any) -> str:
    """A text field: cleaned, its tags as sentinels, its quotation marks typographic."""
    return smarten(enrich(clean(str(value))))


def person(name: Mapping[str, Any]) -> Person:
    """A name, with particles that stand inside family or given split off."""
    part = {key: smarten(clean(str(name.get(key, "")))) for key in csl.NAME_PARTS}
    family, given, suffix = part["family"], part["given"], part["suffix"]
    if part["literal"]:
        return Person(literal=part["literal"])
    if not family or not given:
        rest = " ".join(
            x
            for x in (part["dropping-particle"], part["non-dropping-particle"], family or given, suffix)
            if x
        )
        return Person(literal=rest)
    if _UNSPACED.fullmatch(family) and _UNSPACED.fullmatch(given.replace(" ", "")):
        return Person(literal=family + given)
    dropping, non_dropping = part["dropping-particle"], part["non-dropping-particle"]
    if not suffix and "," in given:
        given, _, suffix = (piece.strip() for piece in given.partition(","))
    if not dropping and not non_dropping:
        match = _PARTICLE.match(family)
        if match and family[match.end() : match.end() + 1].isupper():
            non_dropping, family = match.group().rstrip(), family[match.end() :]
        elif trailing := _TRAILING_PARTICLE.match(given):
            given, dropping = trailing.groups()
    if not given:
        return Person(literal=" ".join(x for x in (non_dropping, family, suffix) if x))
    return Person(family, given, dropping, non_dropping, suffix)


def date(value: Mapping[str, Any]) -> DateValue | None:
    """A date that ``metadata.read_item`` has read; None when nothing is left of it."""
    circa = bool(value.get("circa"))
    points = []
    for parts in value.get("date-parts", ()):
        year, month, day = (*parts, None, None)[:3]
        season = value.get("season")
        if month is not None and month > 12:
            season, month = (int(month) - 1) % 4 + 1, None
        points.append(DatePoint(year, month, day, None if month is not None else season))
    if points:
        return DateValue(points[0], points[1] if len(points) > 1 else None, circa=circa)
    literal = prose(value.get("literal", ""))
    return DateValue(literal=literal, circa=circa) if literal else None


def doi(value: str) -> str:
    """A DOI without its resolver, so that every style can put its own before it."""
    return re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", value, flags=re.IGNORECASE)


def reference(item: CslItem) -> Reference:
    """The engine's view of an item that ``metadata.read_item`` has read."""
    values: dict[str, Any] = {}
    for key, value in item.items():
        if key in csl.RECORD_KEYS:
            continue
        if key in csl.NAME_VARIABLES:
            people = [person(name) for name in value]
            present = [someone for someone in people if someone.family or someone.literal]
            if present:
                values[key] = present
        elif key in csl.DATE_VARIABLES:
            when = date(value)
            if when is not None:
                values[key] = when
        else:
            name = {"shortTitle": "title-short", "journalAbbreviation": "container-title-short"}.get(key, key)
            if name in csl.VERBATIM_VARIABLES:
                text = verbatim("".join(clean(str(value)).split()) if name == "URL" else clean(str(value)))
                if name == "DOI":
                    text = verbatim(doi(clean(str(value))))
            elif name == "page":
                text = _PAGE_DASH.sub("-", clean(str(value))).strip(" -,;")
            else:
                text = prose(value)
            if text and name not in values:
                values[name] = text
    language = str(values.get("language", "")).lower()
    values.pop("language", None)
    if language:
        values["language"] = language
    return Reference(str(item.get("type", "document")), values)

"""Names of authors as providers give them. What is not known to be a person stays one literal name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cmtui.scholarly.text import fold, plain

#: ``{family, given, suffix}`` of a person, or ``{literal}``.
Name = dict[str, str]

_PARTICLES = frozenset(
    {"van", "von", "de", "la", "del", "der", "den", "da", "dos", "di", "du", "le", "bin", "al", "ter", "ten"}
)
_SUFFIX = re.compile(r"(?:Jr|Sr)\.?|I{2,3}|IV", re.IGNORECASE)
_ORGANISATION = re.compile(
    r"\b(?:university|institut\w*|organi[sz]ation|association|associates|society|committee|consorti\w+|group"
    r"|collaboration|team|network|foundation|ministry|department|agency|center|centre|council|company|inc|ltd"
    r"|gmbh|college|school|bank|union|commission|office|press|world|national|international|project|the|and|of"
    r"|for)\b",
    re.IGNORECASE,
)


def crossref_name(entry: Mapping[str, Any]) -> Name | None:
    """The name of a Crossref contributor; None for one without any name (``{"sequence": ...}``, ``-``)."""
    family, given, suffix, name = (_part(entry.get(key)) for key in ("family", "given", "suffix", "name"))
    if family:
        person = {"family": family}
        if given:
            person["given"] = given
        if suffix:
            person["suffix"] = suffix
        return person
    literal = name or given
    return {"literal": literal} if literal else None


def datacite_name(entry: Mapping[str, Any]) -> Name | None:
    """The name of a DataCite creator or contributor.

    Given and family name are used where they stand; ``Family, Given`` is split unless the creator is an
    organisation; anything else stays literal.
    """
    name = _part(entry.get("name"))
    organisation = entry.get("nameType") == "Organizational"
    family, given = _part(entry.get("familyName")), _part(entry.get("givenName"))
    if family and not organisation:
        return {"family": family, "given": given} if given else {"family": family}
    if name and not organisation and name.count(",") == 1 and not _ORGANISATION.search(name):
        family, given = (part.strip() for part in name.split(","))
        if family and given:
            return {"family": family, "given": given}
    literal = name or family or given
    return {"literal": literal} if literal else None


def parse_display_name(text: str) -> tuple[Name, bool]:
    """A display name (Semantic Scholar) and whether it was split, which an editor shows as a guess.

    Split are two to four words without comma, digits or words of organisations, at the last word with the
    particles before it; everything else stays literal.
    """
    name = plain(text)
    words = name.split()
    suffix = ""
    if len(words) > 2 and _SUFFIX.fullmatch(words[-1]):
        suffix = words.pop()
    splittable = 2 <= len(words) <= 4 and not re.search(r"[,\d]", name) and not _ORGANISATION.search(name)
    if not splittable:
        return {"literal": name}, False
    start = len(words) - 1
    while start > 1 and words[start - 1].lower() in _PARTICLES:
        start -= 1
    person = {"family": " ".join(words[start:]), "given": " ".join(words[:start])}
    if suffix:
        person["suffix"] = suffix
    return person, True


def family_key(name: Mapping[str, Any]) -> str:
    """The family name (or the literal one) folded, for comparing first authors."""
    family = " ".join(
        str(name[key]) for key in ("non-dropping-particle", "family") if isinstance(name.get(key), str)
    )
    return fold(family or str(name.get("literal") or name.get("given") or ""))


def _part(value: Any) -> str:
    text = plain(value) if isinstance(value, str) else ""
    return text if any(character.isalnum() for character in text) else ""

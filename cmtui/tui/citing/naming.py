"""One name of a form line: its parts as typed, and the CSL name they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

_PARTICLES = ("non-dropping-particle", "dropping-particle")


@dataclass(frozen=True, slots=True)
class NameParts:
    """A person in four parts, or an organisation (or a one-name author) in ``family`` alone."""

    family: str = ""
    given: str = ""
    particle: str = ""
    suffix: str = ""
    organisation: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing was typed."""
        return not (self.family or self.given or self.particle or self.suffix)


def parts_of(name: Mapping[str, Any]) -> NameParts:
    """The parts of a CSL name."""
    if name.get("literal"):
        return NameParts(str(name["literal"]), organisation=True)
    particle = next((str(name[key]) for key in _PARTICLES if name.get(key)), "")
    return NameParts(
        str(name.get("family") or ""), str(name.get("given") or ""), particle, str(name.get("suffix") or "")
    )


def name_of(parts: NameParts, before: Mapping[str, Any]) -> dict[str, Any] | None:
    """The CSL name of the parts, or None when they are empty.

    ``before`` is the name that stood there: parts that say the same keep it whole, hints such as
    ``comma-suffix`` stay, and a particle stays the kind that it was.
    """
    if parts == parts_of(before) and before:
        return dict(before)
    if parts.empty:
        return None
    if parts.organisation:
        return {"literal": parts.family}
    old = parts_of(before)
    own = {"family", "given", "suffix", "literal", *_PARTICLES}
    made: dict[str, Any] = {"family": parts.family, "given": parts.given, "suffix": parts.suffix}
    if parts.particle:
        if parts.particle == old.particle:
            made |= {key: before[key] for key in _PARTICLES if before.get(key)}
        else:
            made[next((key for key in _PARTICLES if before.get(key)), _PARTICLES[0])] = parts.particle
    made = {key: value for key, value in made.items() if value}
    return made | {key: value for key, value in before.items() if key not in own}


def turned(parts: NameParts) -> NameParts:
    """A person as an organisation, or an organisation as a person: on command alone, and shown at once.

    ``Writer, Jane`` is parted at the comma, ``Jane Writer`` before its last word.
    """
    if not parts.organisation:
        whole = " ".join(filter(None, (parts.given, parts.particle, parts.family)))
        return NameParts(", ".join(filter(None, (whole, parts.suffix))), organisation=True)
    family, comma, given = (part.strip() for part in parts.family.partition(","))
    if not comma:
        given, _, family = (part.strip() for part in parts.family.strip().rpartition(" "))
    return replace(NameParts(), family=family, given=given)

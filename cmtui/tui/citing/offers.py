"""What the file says about itself, beside the field it may be taken into (R102: shown, never written)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cmtui.model.source import MetadataCandidate
from cmtui.tui.csl_form import FIELD

#: Names that readers give to metadata, and the CSL variable they belong to.
_VARIABLES: Mapping[str, str] = {variable.casefold(): variable for variable in FIELD} | {
    "authors": "author",
    "creator": "author",
    "editors": "editor",
    "date": "issued",
    "year": "issued",
    "published": "issued",
    "container_title": "container-title",
    "journal": "container-title",
    "publisher_place": "publisher-place",
    "place": "publisher-place",
    "pages": "page",
}


@dataclass(frozen=True, slots=True)
class Offers:
    """Candidates by the variable they belong to, and those that belong to none."""

    fields: Mapping[str, tuple[MetadataCandidate, ...]]
    others: tuple[MetadataCandidate, ...] = ()


def sort_offers(candidates: Iterable[MetadataCandidate]) -> Offers:
    """Candidates with the field that each may be taken into; equal values of a field once."""
    fields: dict[str, list[MetadataCandidate]] = {}
    others = []
    for candidate in candidates:
        variable = _VARIABLES.get(candidate.field.casefold())
        if variable is None:
            others.append(candidate)
        elif all(candidate.value != known.value for known in fields.setdefault(variable, [])):
            fields[variable].append(candidate)
    return Offers({name: tuple(found) for name, found in fields.items()}, tuple(others))

"""YAML front matter: bibliography candidates, never metadata by itself (R102), and never evidence.

The block is read by YAML's safe loader after its events show neither anchors nor aliases, and only up to
64 KiB (design/ingest.md 3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cmtui.ingest.limits import ReadLimits
from cmtui.ingest.structure import WarningLog, tidy
from cmtui.model.source import MetadataCandidate

ORIGIN = "front matter"

#: Collections inside one another; PyYAML takes quadratic time on more.
_DEPTH = 16

_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY_LINE = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[A-Za-z_][\w .-]*:(?:[ \t]|\n|$)")

#: Names that writers use, as the field of the candidate.
_FIELDS = {
    "title": "title",
    "subtitle": "subtitle",
    "author": "author",
    "authors": "author",
    "editor": "editor",
    "editors": "editor",
    "date": "date",
    "year": "date",
    "published": "date",
    "publisher": "publisher",
    "journal": "container-title",
    "container-title": "container-title",
    "volume": "volume",
    "issue": "issue",
    "doi": "doi",
    "isbn": "isbn",
    "url": "url",
    "lang": "language",
    "language": "language",
    "keywords": "keywords",
    "tags": "keywords",
    "bibliography": "bibliography",
}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Where the front matter ends (0 when there is none) and what it offers."""

    end: int = 0
    candidates: tuple[MetadataCandidate, ...] = ()
    language: str | None = None


def read_front_matter(text: str, log: WarningLog, limits: ReadLimits) -> FrontMatter:
    """The front matter of a Markdown text. What cannot be read safely is left out with a warning."""
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter()
    closing = _CLOSING.search(text, opening.end(), opening.end() + limits.front_matter_bytes)
    block = text[opening.end() : closing.start()] if closing else ""
    if closing is None or not _KEY_LINE.match(block):
        if _KEY_LINE.match(text, opening.end()):
            log.add("front-matter", "The front matter does not end within 64 KiB, so it is read as text.")
        return FrontMatter()
    end = closing.end()
    if len(block.encode("utf-8")) > limits.front_matter_bytes:
        log.add("front-matter", "The front matter is larger than 64 KiB, so no metadata is offered from it.")
        return FrontMatter(end)
    data = _load(block, log)
    if data is None:
        return FrontMatter(end)
    candidates = tuple(_candidates(data))
    language = next((item.value for item in candidates if item.field == "language"), None)
    return FrontMatter(end, candidates, language)


def _load(block: str, log: WarningLog) -> Mapping[object, object] | None:
    import yaml

    try:
        # The safe loader on libyaml where PyYAML has it: the same answers, ten times as fast.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        depth = 0
        for event in yaml.parse(block, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or depth > _DEPTH:
                log.add(
                    "front-matter", "The front matter is too intricate, so no metadata is offered from it."
                )
                return None
        data = yaml.load(block, Loader=loader)  # noqa: S506 - one of the two safe loaders
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError):
        log.add("front-matter", "The front matter is not valid YAML, so no metadata is offered from it.")
        return None
    return data if isinstance(data, Mapping) else None


def _candidates(data: Mapping[object, object]) -> Iterator[MetadataCandidate]:
    for key, value in data.items():
        field = _FIELDS.get(str(key).lower().replace("_", "-"))
        if field is None:
            continue
        for item in value if isinstance(value, list) else [value]:
            shown = tidy(_scalar(item))
            if shown:
                yield MetadataCandidate(field, shown[:2000], ORIGIN)


def _scalar(item: object) -> str:
    """A scalar as text; for a person given as a mapping the name."""
    if isinstance(item, Mapping):
        if "name" in item:
            return _scalar(item["name"])
        given = item.get("given", item.get("given-names", item.get("first-name", "")))
        family = item.get("family", item.get("surname", item.get("last-name", "")))
        return f"{_scalar(given)} {_scalar(family)}"
    if isinstance(item, list) or item is None:
        return ""
    return str(item)

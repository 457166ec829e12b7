"""Which rows are the same work, and what is known of it together (providers.md 3).

A DOI or, without one, an address makes two rows the same. Title, first author and year make them related: two
works of the same name are too frequent for more, so that such rows are linked and never merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from cmtui.model.discovery import PROVIDERS, FoundWork, PersonName
from cmtui.scholarly.identifiers import arxiv_id, url_identity
from cmtui.scholarly.names import family_key, parse_display_name
from cmtui.scholarly.text import fold

#: Fields that one provider gives better than the others, in order; else the first that has them.
_PREFERRED = {
    "title": ("crossref", "semantic_scholar", "exa", "brave"),
    "authors": ("crossref", "semantic_scholar", "exa", "brave"),
    "year": ("crossref", "semantic_scholar", "exa", "brave"),
    "container": ("crossref", "semantic_scholar", "exa", "brave"),
    "type": ("crossref", "semantic_scholar", "exa", "brave"),
    "language": ("crossref", "semantic_scholar", "exa", "brave"),
    "citation_count": ("semantic_scholar", "crossref", "exa", "brave"),
    "doi": PROVIDERS,
    "url": PROVIDERS,
    "snippet": PROVIDERS,
}

#: Providers whose description is a text of the search engine and no abstract.
WEB = frozenset({"brave", "exa"})


def identity_key(work: FoundWork) -> tuple[str, str] | None:
    """What makes rows the same work: DOI, arXiv id, or address; None when a row has none of them.

    arXiv's own DOI, its id and its address are one. A published DOI wins over the arXiv id beside it.
    """
    if work.doi:
        arxiv = arxiv_id(work.doi)
        return ("arxiv", arxiv) if arxiv else ("doi", work.doi)
    for text in (work.identifiers.get("arxiv"), work.url):
        arxiv = arxiv_id(text) if text else None
        if arxiv:
            return ("arxiv", arxiv)
    url = url_identity(work.url) if work.url else None
    return ("url", url) if url else None


def linked(rows: Iterable[FoundWork]) -> tuple[FoundWork, ...]:
    """Rows in provider order, then rank, each with the keys of those that are the same or related."""
    ordered = sorted(rows, key=lambda work: (PROVIDERS.index(work.provider), work.rank))
    same: defaultdict[tuple[str, str], list[FoundWork]] = defaultdict(list)
    for work in ordered:
        key = identity_key(work)
        if key is not None:
            same[key].append(work)
    near = _related(ordered)
    found = []
    for work in ordered:
        key = identity_key(work)
        group = same[key] if key is not None else [work]
        others = tuple(other.key for other in group if other.key != work.key)
        related = tuple(key for key in near[work.key] if key not in others)
        sources = tuple(dict.fromkeys(other.provider for other in group))
        found.append(replace(work, same_as=others, related=related, sources=sources))
    return tuple(found)


def merged(rows: Sequence[FoundWork]) -> tuple[FoundWork, ...]:
    """One work for each group of linked rows, in the place of its first row, with the origin of each field.

    ``rows`` are those of ``linked``. Title, authors and date come from Crossref, the abstract is the longest
    (a search engine's description only where there is none), citations are counted by Semantic Scholar.
    """
    by_key = {work.key: work for work in rows}
    found = []
    for work in rows:
        group = sorted(
            [work, *(by_key[key] for key in work.same_as if key in by_key)],
            key=lambda row: (PROVIDERS.index(row.provider), row.rank),
        )
        if group[0].key == work.key:
            found.append(_one(group))
    return tuple(found)


def first_author(work: FoundWork) -> str:
    """The folded family name of the first author, or an empty text. Display names are split to compare."""
    return family_key(structured(work.authors[0])) if work.authors else ""


def structured(name: PersonName) -> PersonName:
    """A display name split into its parts and marked so (``parsed``), where that is safe; else as it is."""
    literal = name.get("literal")
    if literal is None or name.get("family"):
        return name
    parts, split = parse_display_name(literal)
    return {**parts, "parsed": "true"} if split else name


def is_preprint(work: FoundWork) -> bool:
    """Whether a row is of a preprint server's version."""
    key = identity_key(work)
    return work.type == "posted-content" or bool(key and key[0] == "arxiv")


def _related(rows: Sequence[FoundWork]) -> dict[tuple[str, int], list[tuple[str, int]]]:
    named: defaultdict[tuple[str, str], list[FoundWork]] = defaultdict(list)
    by_doi: defaultdict[str, list[FoundWork]] = defaultdict(list)
    by_arxiv: defaultdict[str, list[FoundWork]] = defaultdict(list)
    for work in rows:
        kind, value = identity_key(work) or ("", "")
        if kind == "arxiv":
            by_arxiv[value].append(work)
        title, author = fold(work.title or ""), first_author(work)
        if title and author and work.year is not None:
            named[(title, author)].append(work)
        if work.doi:
            by_doi[work.doi].append(work)
    links: dict[tuple[str, int], set[tuple[str, int]]] = {work.key: set() for work in rows}
    for group in named.values():
        for one in group:
            links[one.key] |= {
                other.key
                for other in group
                if other.key != one.key and abs((one.year or 0) - (other.year or 0)) <= 1
            }
    for work in rows:
        others = [
            *by_doi.get(work.identifiers.get("published_as", ""), ()),
            *by_doi.get(work.identifiers.get("preprint", ""), ()),
            *by_arxiv.get(arxiv_id(work.identifiers.get("arxiv", "")) or "", ()),
        ]
        for other in others:
            if other.key != work.key:
                links[work.key].add(other.key)
                links[other.key].add(work.key)
    order = {work.key: place for place, work in enumerate(rows)}
    return {key: sorted(found, key=order.__getitem__) for key, found in links.items()}


def _one(group: Sequence[FoundWork]) -> FoundWork:
    origins: dict[str, str] = {}
    values: dict[str, Any] = {}
    for name, order in _PREFERRED.items():
        for row in sorted(group, key=lambda row: order.index(row.provider)):
            value = getattr(row, name)
            if value not in (None, "", ()):
                values[name], origins[name] = value, row.provider
                break
    told = [row for row in group if row.abstract]
    if told:
        best = max(told, key=lambda row: (row.provider not in WEB, len(row.abstract or "")))
        values["abstract"], origins["abstract"] = best.abstract, best.provider
    keys = {row.key for row in group}
    return replace(
        group[0],
        **values,
        sources=tuple(dict.fromkeys(row.provider for row in group)),
        fields_from=origins,
        same_as=tuple(row.key for row in group[1:]),
        related=tuple(dict.fromkeys(k for row in group for k in row.related if k not in keys)),
        identifiers={name: text for row in reversed(group) for name, text in row.identifiers.items()},
        notices=tuple(dict.fromkeys(notice for row in group for notice in row.notices)),
    )

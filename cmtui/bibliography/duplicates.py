"""Records that seem to be of one work. They are shown as links and never merged.

By DOI; by ISBN, but not between a part and its whole or between parts; by folded title together with first
author and year. Not by ISSN, which all articles of a journal share (JabRef #2708, #7770), and not by title
alone (JabRef #1424, #11850). Two different DOIs are two works whatever their titles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from cmtui.bibliography.comparison import PARTS, canonical, first_author, folded, isbns, year_of
from cmtui.model.bibliography import CslItem
from cmtui.model.importing import Duplicate

Record = tuple[str, CslItem]


def find_duplicates(records: Sequence[Record]) -> tuple[Duplicate, ...]:
    """Links between records (id, item), in their order. Of several records of one work each later one is
    linked to the first, so that the number of links is at most the number of records per reason."""
    places = {identifier: index for index, (identifier, _) in enumerate(records)}
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for reason, pairs in (
        ("doi", _by_doi(records)),
        ("isbn", _by_isbn(records)),
        ("title-author-year", _by_title(records)),
    ):
        for pair in pairs:
            if reason not in reasons[pair]:
                reasons[pair].append(reason)
    ordered = sorted(reasons, key=lambda pair: (places[pair[0]], places[pair[1]]))
    return tuple(Duplicate(first, second, tuple(reasons[first, second])) for first, second in ordered)


def _doi(item: CslItem) -> str:
    return str(canonical("DOI", item.get("DOI")) or "")


def _links(keyed: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    first: dict[str, str] = {}
    for key, identifier in keyed:
        if key in first and first[key] != identifier:
            yield first[key], identifier
        first.setdefault(key, identifier)


def _by_doi(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    return _links((key, identifier) for identifier, item in records if (key := _doi(item)))


def _by_isbn(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    return _links(
        (key, identifier)
        for identifier, item in records
        if item.get("type") not in PARTS
        for key in isbns(str(item.get("ISBN", "")))
    )


def _by_title(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    groups: dict[tuple[str, str, int], list[Record]] = defaultdict(list)
    for identifier, item in records:
        title, (family, _), year = folded(item.get("title", "")), first_author(item), year_of(item)
        if not title or not family or year is None:
            continue
        group = groups[title, family, year]
        match = next((other for other in group if _compatible(other[1], item)), None)
        if match is None:
            group.append((identifier, item))
        else:
            yield match[0], identifier


def _compatible(one: CslItem, other: CslItem) -> bool:
    """Whether nothing says that these are two works: given names and DOIs do not contradict each other."""
    initials = first_author(one)[1], first_author(other)[1]
    dois = _doi(one), _doi(other)
    return (not all(initials) or initials[0] == initials[1]) and (not all(dois) or dois[0] == dois[1])

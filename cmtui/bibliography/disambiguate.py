"""Telling apart works whose citations would read the same (CSL 1.0.2, "Disambiguation").

The steps in order, each for what the ones before left ambiguous: more names before "et al.", initials or
given names, the style's own variant (MLA: the title), and a year suffix in the order of the bibliography.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from cmtui.bibliography.cite import Cite
from cmtui.bibliography.normalise import Person

#: Renders one cite alone.
Render = Callable[[Cite], str]

if TYPE_CHECKING:
    from cmtui.bibliography.csl import Processor


def disambiguate(processor: Processor, cites: Sequence[Cite]) -> None:
    """Mark the cites so that each of them reads differently, as far as the style has means for it."""
    if len(cites) < 2 or not processor.disambiguates:
        return
    render = _Renderer(processor).bare
    add_names = processor.citation_option("disambiguate-add-names") == "true"
    add_given = processor.citation_option("disambiguate-add-givenname") == "true"
    rule = processor.citation_option("givenname-disambiguation-rule") or "by-cite"
    if add_given and rule.startswith(("primary", "all")):
        _namesakes(cites, whole=not rule.endswith("initials"), primary=rule.startswith("primary"))
    groups = _ambiguous(render, cites)
    if add_names:
        for group in groups:
            _more_names(render, group)
        groups = _ambiguous(render, chain.from_iterable(groups))
    if add_given:
        for group in groups:
            _given_names(render, group, whole="initials" not in rule)
        groups = _ambiguous(render, chain.from_iterable(groups))
    for group in groups:
        _variant(render, group)
    if processor.citation_option("disambiguate-add-year-suffix") == "true" and groups:
        order = {id(cite): place for place, cite in enumerate(processor.in_order(cites))}
        for group in _ambiguous(render, chain.from_iterable(groups)):
            for number, cite in enumerate(sorted(group, key=lambda one: order[id(one)])):
                cite.year_suffix = letters(number)


class _Renderer:
    """Citations alone, each rendered once per state: the steps ask for the same ones over and over."""

    def __init__(self, processor: Processor) -> None:
        self._processor = processor
        self._known: dict[tuple[object, ...], str] = {}

    def bare(self, cite: Cite) -> str:
        """The citation of one item alone."""
        state = (
            cite.key,
            cite.disambiguate,
            cite.names_shown,
            cite.year_suffix,
            *sorted(cite.given_level.items()),
        )
        if state not in self._known:
            self._known[state] = self._processor.bare(cite)
        return self._known[state]


def _variant(render: Render, group: list[Cite]) -> None:
    """The style's own variant, kept only when it tells at least two of the works apart."""
    for cite in group:
        cite.disambiguate = True
    if len({render(cite) for cite in group}) == 1:
        for cite in group:
            cite.disambiguate = False


def letters(number: int) -> str:
    """0 is a, 25 is z, 26 is aa."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(97 + rest) + text
    return text


def _ambiguous(render: Render, cites: Iterable[Cite]) -> list[list[Cite]]:
    groups: dict[str, list[Cite]] = defaultdict(list)
    for cite in cites:
        groups[render(cite)].append(cite)
    return [group for group in groups.values() if len(group) > 1]


def _people(cite: Cite) -> list[Person]:
    for role in ("author", "editor", "translator"):
        people: list[Person] = cite.reference.get(role, [])
        if people:
            return people
    return []


def _more_names(render: Render, group: list[Cite]) -> None:
    most = max(len(_people(cite)) for cite in group)
    best, best_shown = len({render(cite) for cite in group}), 0
    for shown in range(2, most + 1):
        for cite in group:
            cite.names_shown = shown
        distinct = len({render(cite) for cite in group})
        if distinct > best:
            best, best_shown = distinct, shown
        if distinct == len(group):
            break
    for cite in group:
        cite.names_shown = best_shown


def _given_names(render: Render, group: list[Cite], *, whole: bool) -> None:
    most = max(len(_people(cite)) for cite in group)
    before = len({render(cite) for cite in group})
    for level in (1, 2) if whole else (1,):
        for index in range(most):
            for cite in group:
                cite.given_level[index] = level
            if len({render(cite) for cite in group}) > before:
                return
            for cite in group:
                del cite.given_level[index]


def _namesakes(cites: Sequence[Cite], *, whole: bool, primary: bool) -> None:
    """Initials wherever two people share a family name, whether or not the citations are ambiguous (APA)."""
    given: dict[tuple[str, str], set[str]] = defaultdict(set)
    for cite in cites:
        for person in _people(cite)[: 1 if primary else None]:
            if not person.literal:
                given[person.non_dropping, person.family].add(person.given)
    for cite in cites:
        for index, person in enumerate(_people(cite)[: 1 if primary else None]):
            namesakes = given.get((person.non_dropping, person.family), set())
            if len(namesakes) > 1 and not person.literal:
                initials = [name[:1] for name in namesakes]
                if whole or len(set(initials)) > 1:
                    cite.given_level[index] = 2 if whole and len(set(initials)) < len(initials) else 1

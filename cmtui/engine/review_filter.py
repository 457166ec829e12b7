"""The free filter of a review: ``rel:con conf:>.8 tag:primary source:voyage``.

Terms stand side by side and must all hold; commas inside a term mean any of them; ``-`` before a term means
not. A word without a name is looked for in the quote. Values with blanks stand in double quotation marks.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from cmtui.errors import InvalidRequest
from cmtui.model.claim import Relation
from cmtui.model.review import Decision, FindingState

_T = TypeVar("_T")

EXAMPLE = "rel:con conf:>.8 is:undecided tag:primary source:voyage"

_RELATIONS = {
    "sup": Relation.SUPPORTS,
    "con": Relation.CONTRADICTS,
    "rel": Relation.RELATED,
    "ins": Relation.INSUFFICIENT,
    **{relation.value.lower(): relation for relation in Relation},
}
_TERM = re.compile(r'(-?)(?:([A-Za-z]+):)?(?:"([^"]*)"|(\S+))')
_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(%?)")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a filter looks at: a finding, its place and state. ``refused``: without verified evidence."""

    relation: Relation
    confidence: float
    state: FindingState
    source: str
    claim: str
    text: str
    refused: bool = False
    superseded: bool = False


Test = Callable[[Subject], bool]


@dataclass(frozen=True, slots=True)
class ReviewFilter:
    """A filter that was understood. ``text`` is what was typed; an empty one lets everything through."""

    text: str = ""
    tests: tuple[Test, ...] = ()

    def matches(self, subject: Subject) -> bool:
        """Whether every term holds."""
        return all(test(subject) for test in self.tests)


def parse(text: str) -> ReviewFilter:
    """The filter that ``text`` states. Raises InvalidRequest that names the wrong term and a right one."""
    tests: list[Test] = []
    at = 0
    clean = text.strip()
    while at < len(clean):
        match = _TERM.match(clean, at)
        if match is None or (match.group(4) or "").count('"') % 2:
            raise InvalidRequest(
                f"The filter is not understood from “{clean[at:]}”.", f"Write it like this: {EXAMPLE}"
            )
        minus, name, quoted, bare = match.groups()
        value = quoted if quoted is not None else bare
        if name is None and bare is not None and re.fullmatch(r"[A-Za-z]+:", bare):
            name, value = bare[:-1], ""
        test = _test(name.lower() if name else "text", value, quoted=quoted is not None)
        tests.append(_not(test) if minus else test)
        at = match.end()
        while at < len(clean) and clean[at].isspace():
            at += 1
    return ReviewFilter(clean, tuple(tests))


def _not(test: Test) -> Test:
    return lambda subject: not test(subject)


def _test(name: str, value: str, *, quoted: bool) -> Test:
    known = {
        "rel": _relation,
        "conf": _confidence,
        "is": _is,
        "tag": _tag,
        "reason": _reason,
        "source": _words(lambda s: s.source),
        "claim": _words(lambda s: s.claim),
        "note": _words(lambda s: s.state.note),
        "text": _words(lambda s: s.text),
    }
    aliases = {"relation": "rel", "confidence": "conf", "decision": "is", "tags": "tag", "src": "source"}
    name = aliases.get(name, name)
    if name not in known:
        near = difflib.get_close_matches(name, [*known, *aliases], n=1, cutoff=0.5)
        raise InvalidRequest(
            f"There is no filter “{name}:”.",
            f"Did you mean “{near[0]}:”?" if near else f"There are {', '.join(f'{k}:' for k in known)}.",
        )
    values = [value] if quoted else [part for part in value.split(",") if part]
    if not values or not all(values):
        raise InvalidRequest(f"“{name}:” needs a value.", f"Write it like this: {EXAMPLE}")
    return known[name](values)


def _words(of: Callable[[Subject], str]) -> Callable[[Sequence[str]], Test]:
    def make(values: Sequence[str]) -> Test:
        folded = [value.casefold() for value in values]
        return lambda s: any(value in of(s).casefold() for value in folded)

    return make


def _relation(values: Sequence[str]) -> Test:
    """The reviewer's own relation counts where there is one, else the engine's."""
    wanted = {_choice("rel", value, _RELATIONS).value for value in values}
    return lambda s: (s.state.relation or s.relation.value) in wanted


def _is(values: Sequence[str]) -> Test:
    tests: dict[str, Test] = {
        "accepted": lambda s: s.state.decision is Decision.ACCEPTED,
        "rejected": lambda s: s.state.decision is Decision.REJECTED,
        "skipped": lambda s: s.state.decision is Decision.SKIPPED,
        # What was adjusted is not open any more: the finding it was adjusted to is.
        "undecided": lambda s: s.state.open and not s.refused,
        "decided": lambda s: s.state.decision is not Decision.UNDECIDED,
        "noted": lambda s: bool(s.state.note),
        "tagged": lambda s: bool(s.state.tags),
        "verified": lambda s: not s.refused,
        "refused": lambda s: s.refused,
        "adjusted": lambda s: s.state.adjusted_from is not None,
        "overridden": lambda s: s.state.relation is not None,
        "superseded": lambda s: s.superseded,
    }
    chosen = [_choice("is", value, tests) for value in values]
    return lambda s: any(test(s) for test in chosen)


def _tag(values: Sequence[str]) -> Test:
    folded = {value.casefold() for value in values}
    return lambda s: any(tag.casefold() in folded for tag in s.state.tags)


def _reason(values: Sequence[str]) -> Test:
    folded = [value.casefold() for value in values]
    return lambda s: any(value in reason.casefold() for reason in s.state.reasons for value in folded)


def _choice(name: str, value: str, table: dict[str, _T]) -> _T:
    found = table.get(value.lower())
    if found is None:
        near = difflib.get_close_matches(value.lower(), table, n=1, cutoff=0.5)
        raise InvalidRequest(
            f"“{name}:{value}” is not known.",
            f"Did you mean “{name}:{near[0]}”?" if near else f"There are {', '.join(table)}.",
        )
    return found


def _confidence(values: Sequence[str]) -> Test:
    tests = [_range(value) for value in values]
    return lambda s: any(test(s) for test in tests)


def _range(value: str) -> Test:
    """``>.8``, ``>=.8``, ``<.5``, ``<=50%``, ``.5-.8``, or ``.9`` (equal to two digits, as it is shown)."""
    sign = re.match(r"[<>]=?|=", value)
    rest = value[sign.end() :] if sign else value
    parts = rest.split("-") if not sign else [rest]
    matches = [_NUMBER.fullmatch(part) for part in parts]
    numbers = [float(m.group(1)) / (100 if m.group(2) else 1) for m in matches if m is not None]
    if len(numbers) != len(parts) or len(numbers) > 2 or any(number > 1 for number in numbers):
        raise InvalidRequest(
            f"“conf:{value}” is no confidence.", "Write conf:>.8, conf:<=.5, conf:.5-.8 or conf:>80%."
        )
    if len(numbers) == 2:
        low, high = numbers
        return lambda s: low <= s.confidence <= high
    [number] = numbers
    compare: dict[str, Test] = {
        ">": lambda s: s.confidence > number,
        ">=": lambda s: s.confidence >= number,
        "<": lambda s: s.confidence < number,
        "<=": lambda s: s.confidence <= number,
        "=": lambda s: round(s.confidence, 2) == round(number, 2),
    }
    return compare[sign.group() if sign else "="]

"""The lexicon of the rules: cue words, concepts and opposites, read from ``lexicon.toml`` once.

Stems are compared where words inflect; :data:`LEXICON` holds the words as the file has them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("lexicon.toml")


def _words(value: str) -> frozenset[str]:
    return frozenset(value.split())


def _pairs(value: str, separator: str) -> dict[str, str]:
    return dict(item.split(separator, 1) for item in value.split())


@dataclass(frozen=True, slots=True)
class Concept:
    """What is so (``states``) when someone did or was this: directional (R90)."""

    states: frozenset[str]
    verbs: frozenset[str]
    adjectives: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The parsed ``lexicon.toml``. ``cues`` maps a cue word to its reason code."""

    cues: Mapping[str, str]
    openers: frozenset[str]
    distress_labels: frozenset[str]
    subordinators: frozenset[str]
    place_time_prepositions: frozenset[str]
    prepositions: frozenset[str]
    places_and_times: frozenset[str]
    months: frozenset[str]
    intersective: frozenset[str]
    privative: frozenset[str]
    irregular_plurals: frozenset[str]
    is_a: Mapping[str, frozenset[str]]
    concepts: tuple[Concept, ...]
    verb_entails: Mapping[str, frozenset[str]]
    adjective_opposites: frozenset[tuple[str, str]]
    verb_opposites: frozenset[tuple[str, str]]
    auxiliaries: frozenset[str]
    contractions: Mapping[str, str]
    once_only: frozenset[str]
    optional_object: frozenset[str]
    base_verbs: frozenset[str]
    irregular: Mapping[str, str]
    words: Mapping[str, frozenset[str]]
    numbers: Mapping[str, str]


def _both_ways(value: str) -> frozenset[tuple[str, str]]:
    pairs = [tuple(item.split("/")) for item in value.split()]
    return frozenset((a, b) for a, b in pairs) | frozenset((b, a) for a, b in pairs)


def _closure(table: Mapping[str, str]) -> dict[str, frozenset[str]]:
    direct = {key: _words(value) for key, value in table.items()}
    closed: dict[str, frozenset[str]] = {}
    for key in direct:
        seen: set[str] = set()
        waiting = [key]
        while waiting:
            for parent in direct.get(waiting.pop(), frozenset()) - seen:
                seen.add(parent)
                waiting.append(parent)
        closed[key] = frozenset(seen - {key})
    return closed


def _load() -> Lexicon:
    data: dict[str, Any] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    cues: dict[str, str] = {}
    for code, listed in data["cues"].items():
        for word in listed.split():
            cues.setdefault(word, code)
    structure, nouns, verbs = data["structure"], data["nouns"], data["verbs"]
    return Lexicon(
        cues=cues,
        openers=_words(structure["openers"]),
        distress_labels=_words(structure["distress-labels"]),
        subordinators=_words(structure["factive-subordinators"]),
        place_time_prepositions=_words(structure["place-time-prepositions"]),
        prepositions=_words(structure["prepositions"]),
        places_and_times=_words(structure["places-and-times"]),
        months=_words(structure["months"]),
        intersective=_words(nouns["intersective"]),
        privative=_words(nouns["privative"]),
        irregular_plurals=_words(nouns["irregular-plurals"]),
        is_a=_closure(nouns["is-a"]),
        concepts=tuple(
            Concept(_words(c["state"]), _words(c["verbs"]), _words(c["adjectives"])) for c in data["concept"]
        ),
        verb_entails=_closure(verbs["entails"]),
        adjective_opposites=_both_ways(data["opposites"]["pairs"]),
        verb_opposites=_both_ways(data["opposites"]["verbs"]),
        auxiliaries=_words(verbs["auxiliaries"]),
        contractions=_pairs(verbs["contractions"], "="),
        once_only=_words(verbs["once-only"]),
        optional_object=_words(verbs["optional-object"]),
        base_verbs=_words(verbs["base"]),
        irregular=_pairs(verbs["irregular"], "="),
        words={name: _words(listed) for name, listed in data["words"].items()},
        numbers={word: str(value) for value, word in enumerate(data["words"]["number-words"].split())}
        | {word: str(30 + 10 * at) for at, word in enumerate(data["words"]["tens"].split())},
    )


#: The lexicon, read at import (about 25 kB).
LEXICON = _load()

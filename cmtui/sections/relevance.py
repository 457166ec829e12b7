"""Topical relevance of a found work to a section: Jaccard similarity of stems (R160).

A whole abstract shares too little with a whole section to pass 0.16 (a paper's own abstract does so in 34 %
of its sections, a title never), so the relevance is the larger of the whole and of the best pair of sentences
(78 %, random 1.9 %; design/providers.md 7.2 and 7.3). It says that both are about the same, never that one
supports the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cmtui.sections.words import language, sentences, stems, tokens

#: Words of a sentence that is compared by itself, and stems that must be shared for anything to count.
MIN_SENTENCE_WORDS = 5
MIN_SHARED = {"abstract": 3, "snippet": 3, "title": 2}


@dataclass(frozen=True, slots=True)
class Relevance:
    """``score`` in [0, 1] with both measures, what was compared, the shared stems and the best pair."""

    score: float
    whole: float
    pair: float
    basis: str
    shared: tuple[str, ...] = ()
    sentence: str = ""
    of_section: str = ""


@dataclass(slots=True)
class SectionText:
    """A section made ready once for many candidates."""

    text: str
    language: str | None = None
    whole: frozenset[str] = frozenset()
    parts: list[tuple[str, frozenset[str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.language = language(self.text)
        self.whole = stems(self.text, self.language)
        self.parts = _parts(self.text, self.language)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Shared over all: 1 for equal sets, 0 for disjoint or empty ones (Jaccard 1901)."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def relevance(section: SectionText, text: str, *, basis: str) -> Relevance:
    """How far a candidate's text is about what the section is about. ``basis`` is a key of MIN_SHARED."""
    whole_stems = stems(text, section.language)
    shared = whole_stems & section.whole
    if len(shared) < MIN_SHARED[basis]:
        return Relevance(0.0, 0.0, 0.0, basis, tuple(sorted(shared)))
    whole = jaccard(whole_stems, section.whole)
    pair, sentence, of_section = _best_pair(section, text, MIN_SHARED[basis])
    return Relevance(max(whole, pair), whole, pair, basis, tuple(sorted(shared)), sentence, of_section)


def _best_pair(section: SectionText, text: str, least: int) -> tuple[float, str, str]:
    best = (0.0, "", "")
    for sentence, own in _parts(text, section.language):
        for part, theirs in section.parts:
            # An upper bound first: most pairs share too little to win.
            smaller, larger = sorted((len(own), len(theirs)))
            if not larger or smaller / larger <= best[0]:
                continue
            if len(own & theirs) >= least and (score := jaccard(own, theirs)) > best[0]:
                best = (score, sentence, part)
    return best


def _parts(text: str, code: str | None) -> list[tuple[str, frozenset[str]]]:
    return [(sentence, made) for sentence in _long_enough(sentences(text)) if (made := stems(sentence, code))]


def _long_enough(parts: Iterable[str]) -> Iterable[str]:
    found = list(parts)
    # A title is one sentence, however short.
    return found if len(found) == 1 else [part for part in found if len(tokens(part)) >= MIN_SENTENCE_WORDS]

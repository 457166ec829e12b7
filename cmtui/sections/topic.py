"""The query of a section: its key terms, in English or Spanish, short enough for every provider (R156)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from cmtui.sections.stopwords import ENGLISH, STOP_WORDS
from cmtui.sections.words import folded, language, sentences, tokens

#: Terms and code points of a query (design/providers.md 4).
MAX_TERMS = 12
MAX_CHARACTERS = 200

_RUN = re.compile(
    r"(?<![.!?¿¡]\s)(?<!^)\b([A-ZÁÉÍÓÚÑ][\w'’-]+(?:\s+(?:of|de|del|la|the|and|y)\s+[A-ZÁÉÍÓÚÑ][\w'’-]+"
    r"|\s+[A-ZÁÉÍÓÚÑ][\w'’-]+){0,3})"
)
_MARKS = re.compile(r"[\"“”«»‘`*~^\\|<>{}\[\]():+!?]|\B-|-\B|[\x00-\x1f\x7f]")
_SYMBOL = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w-]+|[A-Z]{2,}[\w-]*|[^\W\d_]+(?:-[^\W_]+)+")
_NUMBERING = re.compile(r"^\s*(?:\d+(?:\.\d+)*\.?|[IVXLC]+\.|[A-Za-z]\))\s+")


@dataclass(frozen=True, slots=True)
class Topic:
    """The terms of a section in order of weight, the query made of them, and the language it was read in."""

    terms: tuple[str, ...]
    query: str
    language: str | None


def clean_topic(section_title: str, section_content: str, document_topic: str = "") -> Topic:
    """Key terms: those of the title first, then names and symbols, then frequent words of the content.

    Stop words and operators are left out; a word keeps its own form (stems are for matching only). The topic
    of the document adds its words last. Twelve terms and 200 code points at most.
    """
    title = _NUMBERING.sub("", section_title)
    code = language(f"{title}. {section_content} {document_topic}")
    stops = STOP_WORDS.get(code or "en", ENGLISH)
    ordered = [
        *_words(title, stops),
        *_names(section_content, stops),
        *_frequent(section_content, stops),
        *_words(document_topic, stops),
    ]
    return _fitted(ordered, code)


def _words(text: str, stops: frozenset[str]) -> list[str]:
    return [word for word in tokens(_MARKS.sub(" ", text)) if _carries(word, stops)]


def _carries(word: str, stops: frozenset[str]) -> bool:
    low = folded(word)
    if low in stops or len(low) < 2:
        return False
    return not low.isdigit() or len(low) >= 3


def _names(text: str, stops: frozenset[str]) -> list[str]:
    """Capitalised runs inside sentences, and symbols such as ``IL-6`` and ``DNA``, most frequent first."""
    found: Counter[str] = Counter()
    for sentence in sentences(text):
        for match in _RUN.finditer(sentence):
            name = _MARKS.sub(" ", match.group(1)).strip()
            if any(_carries(part, stops) for part in tokens(name)):
                found[name] += 1
        for word in tokens(sentence):
            if _SYMBOL.fullmatch(word) and _carries(word, stops):
                found[word] += 1
    first = {name: place for place, name in enumerate(found)}
    return sorted(found, key=lambda name: (-found[name], first[name]))[: MAX_TERMS // 2]


def _frequent(text: str, stops: frozenset[str]) -> list[str]:
    """Words and pairs of words by frequency and how early they stand."""
    weights: dict[str, float] = {}
    forms: dict[str, str] = {}
    parts = sentences(_MARKS.sub(" ", text))
    for place, sentence in enumerate(parts):
        early = 1.0 + 0.5 * (1.0 - place / max(1, len(parts)))
        words = tokens(sentence)
        for at, word in enumerate(words):
            if not _carries(word, stops):
                continue
            key = folded(word)
            forms.setdefault(key, word if word[1:] != word[1:].lower() else word.lower())
            weights[key] = weights.get(key, 0.0) + early
            if at + 1 < len(words) and _carries(words[at + 1], stops):
                pair = f"{key} {folded(words[at + 1])}"
                forms.setdefault(pair, pair)
                weights[pair] = weights.get(pair, 0.0) + early
    repeated = {key: weight for key, weight in weights.items() if " " not in key or weight > 2.5}
    first = {key: place for place, key in enumerate(weights)}
    ordered = sorted(repeated, key=lambda key: (-repeated[key] * (1.4 if " " in key else 1.0), first[key]))
    return [forms[key] for key in ordered]


def _fitted(ordered: Iterable[str], code: str | None) -> Topic:
    terms: list[str] = []
    used: set[str] = set()
    length = 0
    for term in ordered:
        words = [folded(word) for word in tokens(term)]
        if not words or all(word in used for word in words):
            continue
        size = len(term) + (1 if terms else 0)
        if len(terms) == MAX_TERMS or length + size > MAX_CHARACTERS:
            continue
        terms.append(term)
        used.update(words)
        length += size
    return Topic(tuple(terms), " ".join(terms), code)

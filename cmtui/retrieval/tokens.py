"""Words as search sees them: tokens of the projection with their stems and positions.

One tokenizer serves the lexical index, the query, highlighting and the local semantic features, so that what
one of them finds the others can show. Stemming is English (Snowball); words with letters outside of ASCII
are not stemmed. Runs of Han, Hiragana and Katakana become overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from cmtui.retrieval.projection import Projection, fold, fold_text

_STOPS = """
    a about all also am an and any are as at be because been before being but by can could did do
    does doing during each few for from further had has have having he her here hers herself him
    himself his how i if in into is it its itself just may me might more most must my myself no nor
    not of off on once only or other our ours ourselves own same shall she should so some such than
    that the their theirs them themselves then there these they this those through to too until upon
    very was we were what when where which while who whom whose why will with would yet you your
    yours yourself yourselves
"""
#: Words that carry no topic: skipped when ranking, required inside a phrase.
STOP_WORDS = frozenset(_STOPS.split())
#: Families that Snowball throws together with another word (experiment with experience, author with
#: authority, import with important): words that begin so have this stem.
_APART = (
    "affection",
    "animal",
    "authorit",
    "candidat",
    "commodit",
    "compassion",
    "department",
    "experiment",
    "important",
    "optimism",
    "powerful",
    "responsib",
)
#: ASCII text without inner separators of numbers, which is most text, needs no more than this.
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_NUMBER_PART = re.compile(r"\d[,.]\d")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"


class Token(NamedTuple):
    """One word of a projection. ``start`` and ``end`` are offsets in the projected text.

    Halves of a word joined over a line end have the position of the joined word.
    """

    text: str
    stem: str
    start: int
    end: int
    position: int

    @property
    def is_stop(self) -> bool:
        """Whether the word carries no topic."""
        return self.text in STOP_WORDS


def tokenize(projection: Projection) -> list[Token]:
    """The tokens of a projection in order of position, then start."""
    tokens: list[Token] = []
    position = 0
    joins = projection.joins
    next_join = 0
    for match in _pattern().finditer(projection.text):
        start, end = match.span()
        text = match.group()
        if match.lastgroup == "cjk":
            for at in range(start, max(start + 1, end - 1)):
                pair = projection.text[at : min(at + 2, end)]
                tokens.append(Token(pair, pair, at, min(at + 2, end), position))
                position += 1
            continue
        if match.lastgroup == "number":
            text = text.replace(",", "")
        tokens.append(Token(text, stem(text), start, end, position))
        while next_join < len(joins) and joins[next_join] <= start:
            next_join += 1
        cut = start
        while next_join < len(joins) and joins[next_join] < end:
            tokens.append(_half(projection.text, cut, joins[next_join], position))
            cut = joins[next_join]
            next_join += 1
        if cut > start:
            tokens.append(_half(projection.text, cut, end, position))
        position += 1
    return tokens


def words(text: str) -> list[Token]:
    """The tokens of any text, folded first. Offsets are those of its projection."""
    return tokenize(fold(text))


def word_counts(text: str) -> Counter[str]:
    """How often each folded word stands in a text; a word joined over a line end counts once, joined."""
    folded = fold_text(text)
    if folded.isascii() and not _NUMBER_PART.search(folded):
        return Counter(_ASCII_WORD.findall(folded))
    counts: Counter[str] = Counter()
    for match in _pattern().finditer(folded):
        found = match.group()
        if match.lastgroup == "cjk":
            counts.update(found[at : at + 2] for at in range(max(1, len(found) - 1)))
        else:
            counts[found.replace(",", "")] += 1
    return counts


@lru_cache(maxsize=131072)
def stem(word: str) -> str:
    """The stem of a folded word."""
    if not word.isascii() or not word[0].isalpha():
        return word
    for beginning in _APART:
        if word.startswith(beginning):
            return beginning
    return _stem_word()(word)


@cache
def stemmer_version() -> str:
    """Name and version of the stemmer, part of the key of every index built with it."""
    try:
        return f"snowball-english-{version('snowballstemmer')}+{len(_APART)}"
    except PackageNotFoundError:
        return "snowball-english"


def _half(text: str, start: int, end: int, position: int) -> Token:
    word = text[start:end]
    return Token(word, stem(word), start, end, position)


@cache
def _stem_word() -> Callable[[str], str]:
    from snowballstemmer.english_stemmer import EnglishStemmer

    stem_word: Callable[[str], str] = EnglishStemmer().stemWord
    return stem_word


@cache
def _pattern() -> re.Pattern[str]:
    """Numbers with their separators, runs of CJK characters, and words with inner apostrophes.

    Python's ``\\w`` has no combining marks, without which Indic scripts fall into single letters.
    """
    marks: list[str] = []
    start = None
    for code in range(0x300, 0x1F000):
        if unicodedata.category(chr(code))[0] == "M":
            start = code if start is None else start
        elif start is not None:
            marks.append(f"{chr(start)}-{chr(code - 1)}")
            start = None
    letter = rf"(?:[^\W_{_CJK}]|[{''.join(marks)}])"
    return re.compile(
        rf"(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)+(?![^\W_])|\d{{1,3}}(?:,\d{{3}})+(?![^\W_]))"
        rf"|(?P<cjk>[{_CJK}]+)|(?P<word>{letter}+(?:'{letter}+)*)"
    )

"""Words with exact offsets, compared exactly but for case.

Nothing typographic is folded here: curly and straight apostrophes, ligatures, invisible characters,
look-alike letters of other scripts and composed or decomposed accents stay different words. ``skeleton``
folds all of these and serves one purpose only: to say that two unequal words are typographic twins.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from cmtui.inference.cues import LEXICON

# Invisible characters and combining marks belong to the word they stand in, so that they make it differ.
_WORD_CHARACTER = r"[\w\u0300-\u036f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
_TOKEN = re.compile(
    rf"(?P<number>[0-9]+(?:[.,][0-9]+)*)(?!{_WORD_CHARACTER})"
    rf"|(?P<word>{_WORD_CHARACTER}+(?:['’ʼ‐‑&./-]{_WORD_CHARACTER}+)*)"
    r"|(?P<mark>[^ \t\n\r\f\v])"
)

#: Letters of other scripts that look like Latin ones; enough to name a twin, not a security table.
_LOOKALIKES = str.maketrans(
    "аеорсухівкмнтАВЕКМНОРСТХІЅЈѕјԁһ" + "αεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "‘’ʼ“”«»‐‑‒–—―−ıſ",
    "aeopcyxibkmhtABEKMHOPCTXISJsjdh" + "aeiknoptuxABEZHIKMNOPTYX" + '\'\'\'""""-------is',
)

_NUMBER_WORDS = LEXICON.numbers


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or mark. ``start`` and ``end`` are code-point offsets, half-open.

    ``norm`` is the text with case folded one character at a time, and never across scripts.
    """

    text: str
    start: int
    end: int
    norm: str
    is_word: bool
    number: str | None = None

    @property
    def capital(self) -> bool:
        """Whether the first character is an upper-case letter."""
        return self.text[:1].isupper()


def _fold_character(character: str) -> str:
    lower = character.lower()
    # U+212A KELVIN SIGN lowers to an ASCII k and U+0130 to two characters: a fold must not make twins equal.
    return lower if len(lower) == 1 and character.isascii() == lower.isascii() else character


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """``word`` in lower case, without making characters of different scripts or forms equal."""
    return word.lower() if word.isascii() else "".join(map(_fold_character, word))


def skeleton(text: str) -> str:
    """``text`` with typography folded away; equal skeletons of unequal words are typographic twins."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_LOOKALIKES))
    kept = (c for c in decomposed if unicodedata.category(c) not in {"Cf", "Mn"})
    return " ".join("".join(kept).translate(_LOOKALIKES).lower().split())


@lru_cache(maxsize=8192)
def number_value(norm: str) -> str | None:
    """The value a numeral or a number word stands for, as plain digits; None for any other word."""
    if norm[:1].isdigit() and norm.isascii():
        if not re.fullmatch(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?", norm):
            return None
        plain = norm.replace(",", "")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    return _NUMBER_WORDS.get(norm)


def tokenize(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of ``text[start:end]`` with offsets into ``text``.

    Spaces, tabs and line ends separate words; any other white space is a mark of its own, because a no-break
    space is not the space a claim was typed with.
    """
    found = []
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        raw = match.group()
        norm = fold(raw)
        word = match.lastgroup != "mark"
        found.append(Token(raw, match.start(), match.end(), norm, word, number_value(norm) if word else None))
    return found


_local = threading.local()


@lru_cache(maxsize=65536)
def stem(norm: str) -> str:
    """The Porter2 stem of a folded ASCII word; every other word is its own stem."""
    if not norm.isascii() or not norm.isalpha():
        return norm
    # A Snowball stemmer keeps its word in itself, so each thread has one.
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        from snowballstemmer.english_stemmer import EnglishStemmer

        stemmer = _local.stemmer = EnglishStemmer()
    return str(stemmer.stemWord(norm))


@lru_cache(maxsize=65536)
def lemma(norm: str) -> str:
    """The stem of the base form: ``wept`` and ``weeping`` both give the stem of ``weep``."""
    return stem(LEXICON.irregular.get(norm, norm))

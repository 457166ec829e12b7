"""Words of a section or an abstract: tokens, language and stems. For matching, never for a query."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from cmtui.sections.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable

#: Letters and digits with inner hyphens, apostrophes or points: ``3-D``, ``IL-6``, ``p53``, ``1.5``.
_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[¿¡]*[A-ZÁÉÍÓÚÑ0-9])|\n\s*\n")

#: Hits of a list below which a text has no language, and the share by which one list must lead.
_MIN_HITS = 2
_LEAD = 1.5


def tokens(text: str) -> list[str]:
    """The words of a text as they stand."""
    return _WORD.findall(text)


def folded(text: str) -> str:
    """NFKC and casefold."""
    return unicodedata.normalize("NFKC", text).casefold()


def language(text: str) -> str | None:
    """``en`` or ``es`` by hits of the stop words, None when neither leads clearly.

    The lists are never united: Spanish ``son``, ``sin`` and ``era`` are English topics.
    """
    words = [folded(word) for word in tokens(text)]
    hits = {code: sum(word in stops for word in words) for code, stops in STOP_WORDS.items()}
    (first, most), (_, second) = sorted(hits.items(), key=lambda pair: (-pair[1], pair[0]))[:2]
    if most < _MIN_HITS or most < second * _LEAD:
        return None
    return first


def stems(text: str, code: str | None) -> frozenset[str]:
    """The stems of the words that carry a topic, in the language ``code`` (English when None)."""
    lang = code or "en"
    stops = STOP_WORDS.get(lang, STOP_WORDS["en"])
    found = set()
    for word in tokens(text):
        low = folded(word)
        if low not in stops and len(low) > 1:
            found.add(_stem(lang, low))
    return frozenset(found)


def sentences(text: str) -> list[str]:
    """The sentences of a text, roughly: for comparing, not for quoting."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


@lru_cache(maxsize=65_536)
def _stem(lang: str, word: str) -> str:
    # A word with digits or inner marks is a name (p53, 3-D) and stays as it is.
    return str(_stemmer(lang)(word)) if word.isalpha() else word


@cache
def _stemmer(lang: str) -> Callable[[str], Any]:
    from snowballstemmer import stemmer

    return stemmer("spanish" if lang == "es" else "english").stemWord  # type: ignore[no-any-return]

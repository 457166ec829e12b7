"""Letter case of titles and terms, as the manuals have it and the processor does not."""

from __future__ import annotations

import re

from cmtui.bibliography.markup import NO_CASE, VERBATIM

# ruff: noqa: SIM905  (a list of words reads better as words)
#: Lower case inside an English title: articles, coordinating conjunctions and short prepositions, and "to"
#: (CSL 1.0.2, "Title Case Conversion", which CMOS 18 §8.160 and MLA 9 §2.90 agree with for these words).
STOP_WORDS = frozenset(
    "a an and as at but by d' de down du for from in into l' la le nor of on onto or over per so the till to"
    " up upon v. van via von vs vs. with yet".split()
)
_BLANKS = re.compile(r"(\s+)")
_HYPHENS = re.compile(r"([-‐‑–—/])")
_SENTENCE_END = re.compile(r"[:.?!—–]$")
_OUTER = "\ue100-\ue111"
_TRAILING = re.compile(f"[{_OUTER}”’\"')\\]]+$")


def _core(word: str) -> str:
    return re.sub(f"[{_OUTER}]|^[^\\w]+|[^\\w.']+$", "", word)


def _capitalised(word: str) -> str:
    for index, character in enumerate(word):
        if character.isalnum():
            return word[:index] + character.upper() + word[index + 1 :] if character.isalpha() else word
    return word


def _has_upper(word: str) -> bool:
    return any(character.isupper() for character in word)


def title_case(text: str) -> str:
    """English headline case; words that have capitals already, and no-case parts, stay as they are."""
    parts = _BLANKS.split(text)
    last = max((i for i, part in enumerate(parts) if any(c.isalnum() for c in part)), default=-1)
    output: list[str] = []
    first = True
    frozen = 0
    for index, part in enumerate(parts):
        opened = part.count(NO_CASE[0]) + part.count(VERBATIM[0])
        closed = part.count(NO_CASE[1]) + part.count(VERBATIM[1])
        if not part.strip() or frozen or opened:
            output.append(part)
        else:
            output.append(_title_word(part, forced=first or index == last))
        frozen += opened - closed
        if any(character.isalnum() for character in part):
            first = bool(_SENTENCE_END.search(_TRAILING.sub("", part))) and _core(part) not in STOP_WORDS
    return "".join(output)


def _title_word(word: str, *, forced: bool) -> str:
    pieces = _HYPHENS.split(word)
    for index in range(0, len(pieces), 2):
        core = _core(pieces[index])
        if not core or _has_upper(core):
            continue
        if core in STOP_WORDS and not (forced and index == 0) and not (forced and index == len(pieces) - 1):
            continue
        pieces[index] = _capitalised(pieces[index])
    return "".join(pieces)


def capitalise_first(text: str) -> str:
    """The first letter in upper case, unless the first word is of mixed case (arXiv) or no-case."""
    word = _core(text.split(" ", 1)[0])
    if _has_upper(word[1:]) or text.startswith((NO_CASE[0], VERBATIM[0])):
        return text
    return _capitalised(text)


def apply(text: str, case: str | None, *, english: bool = True) -> str:
    """Apply a CSL ``text-case`` value; title case is for English text only."""
    if case is None or not text:
        return text
    if case == "title":
        return title_case(text) if english else text
    if case == "capitalize-first" or case == "sentence":
        return capitalise_first(text)
    if case == "capitalize-all":
        return "".join(_capitalised(part) for part in _BLANKS.split(text))
    if case == "lowercase":
        return text.lower()
    if case == "uppercase":
        return text.upper()
    return text

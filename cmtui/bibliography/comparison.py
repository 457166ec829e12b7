"""When two values of a field say the same, and keys under which the same work is found again."""

# ruff: noqa: SIM905  (lists of names read better as words)
from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from cmtui.bibliography import markup
from cmtui.bibliography import vocabulary as csl
from cmtui.bibliography.normalise import date, doi, person, prose
from cmtui.model.bibliography import CslItem

_SPELLINGS = {"shortTitle": "title-short", "journalAbbreviation": "container-title-short"}
_DASHES = re.compile(r"\s*[-\u2010-\u2015\u2212]+\s*")
_WITHOUT_CASE_MARKS = str.maketrans("", "", "".join(markup.NO_CASE))
#: Markup around nothing.
_EMPTY = re.compile("|".join(f"{opening}{closing}" for closing, opening in markup.CLOSING.items()))
#: Types that are a part of something: they share the ISBN of the whole.
PARTS = frozenset(
    "chapter paper-conference entry entry-dictionary entry-encyclopedia article-journal article-magazine"
    " article-newspaper review review-book".split()
)


def variable(name: str) -> str:
    """The usual name of a variable that has two."""
    return _SPELLINGS.get(name, name)


def canonical(name: str, value: Any) -> Any:
    """A value as it is compared: typography, markup of case, resolvers and dashes do not count."""
    if value is None:
        return None
    if name in csl.NAME_VARIABLES and isinstance(value, list):
        return tuple(person(each) for each in value if isinstance(each, Mapping))
    if name in csl.DATE_VARIABLES and isinstance(value, Mapping):
        return date(value)
    if name in ("categories", "custom"):
        return repr(value)
    text = markup.clean(str(value))
    if name == "DOI":
        return doi(text).casefold()
    if name in ("ISBN", "ISSN"):
        return tuple(isbns(text)) or text.casefold()
    if name == "URL":
        escapes = {"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"}
        return "".join(escapes.get(character, character) for character in text)
    if name == "page":
        return _DASHES.sub("-", text)
    marked = prose(text).translate(_WITHOUT_CASE_MARKS).replace("\u00a0", " ")
    while (without := _EMPTY.sub("", marked)) != marked:
        marked = without
    return marked


def equal(name: str, one: Any, other: Any) -> bool:
    """Whether two values of a field say the same."""
    return bool(one == other or canonical(name, one) == canonical(name, other))


def isbns(text: str) -> list[str]:
    """The ISBNs in a text as 13 digits; those of 10 are converted; wrong check digits are kept."""
    found = []
    for match in re.finditer(r"(?<![\dXx])(?:\d[\s-]?){9,12}[\dXx](?![\dXx])", text):
        digits = re.sub(r"[\s-]", "", match[0]).upper()
        if len(digits) == 10:
            core = f"978{digits[:9]}"
            weights = sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(core))
            digits = core + str(-weights % 10)
        if len(digits) == 13 and digits not in found:
            found.append(digits)
    return found


def folded(text: Any) -> str:
    """A text without case, accents, markup and punctuation."""
    plain = markup.strip(markup.enrich(markup.clean(str(text))))
    decomposed = unicodedata.normalize("NFKD", plain.casefold().translate(markup.LETTERS))
    letters = "".join(c if c.isalnum() else " " for c in decomposed if not unicodedata.combining(c))
    return " ".join(letters.split())


def year_of(item: CslItem) -> int | None:
    """The year a work was issued, or None."""
    parts = (item.get("issued") or {}).get("date-parts") or [[]]
    return int(parts[0][0]) if parts[0] else None


def first_author(item: CslItem) -> tuple[str, str]:
    """The folded family name (or whole name) of the first author or editor, and the first letter of the
    given name; empty where there is none."""
    for role in ("author", "editor", "director", "translator"):
        for name in item.get(role) or ():
            someone = person(name)
            given = folded(someone.given)[:1]
            return folded(someone.literal or someone.family), given
    return "", ""

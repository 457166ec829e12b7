"""Name lists of BibTeX and RIS as CSL names. Names are split on the raw value, before LaTeX is decoded:
afterwards ``{Barnes and Noble}`` would be two people and ``{World Health Organization}`` a person.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cmtui.bibliography.reading.latex import group_end, plain, strip_whole

Name = dict[str, str]

_SUFFIX = re.compile(r"(?:[JS]r\.?|I{2,3}|IV|VI{0,3})")
_TRAILING = re.compile(
    r"(?P<given>.+?)\s+(?P<particle>(?:van|von|vom|zu|zur|den|der|de|del|della|di|da|dos|du|des|la|le|los|af|av)"
    r"(?:\s+(?:der|den|la|le|zu|los|las))?)"
)
_ORGANISATION = re.compile(
    r"\b(?:University|Universit[àä]t|Université|Universidad|Institut[eo]?|Organi[sz]ation|Council|Commission|Ministry"
    r"|Department|Agency|Association|Society|Committee|Consortium|Foundation|Inc|Ltd|GmbH|Group|Bureau)\b"
)
_EXTENDED = re.compile(r"\s*\"?(?:family|given|prefix|suffix|useprefix)(?:-i)?\s*=", re.IGNORECASE)


@dataclass(slots=True)
class NameList:
    """The names of a field, and what is doubtful about them."""

    names: list[Name] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def bibtex_names(value: str) -> NameList:
    """The names of a raw BibTeX value, separated by ``and`` outside braces."""
    read = NameList()
    pieces = split_outside(value, re.compile(r"\s+and(?=\s|$)|^and(?=\s)", re.IGNORECASE))
    for piece in (piece.strip() for piece in pieces):
        if not piece:
            read.warnings.append("an empty name between two 'and' is left out")
        elif piece.lower() == "others":
            read.warnings.append("the list ends in 'and others': it names only some of the people")
        else:
            name = _bibtex_name(piece)
            if any(name.values()):
                read.names.append(name)
                if "{" not in piece and "literal" not in name and _ORGANISATION.search(piece):
                    read.warnings.append(
                        f"'{piece}' was read as a person; an organisation stands in double braces"
                    )
    return read


def split_outside(text: str, separator: re.Pattern[str]) -> list[str]:
    """The parts of a text between matches of ``separator`` that stand outside braces."""
    parts: list[str] = []
    start = position = 0
    while position < len(text):
        if text[position] == "{":
            position = group_end(text, position)
        elif match := separator.match(text, position):
            parts.append(text[start:position])
            start = position = max(match.end(), position + 1)
        else:
            position += 2 if text[position] == "\\" else 1
    parts.append(text[start:])
    return parts


def _bibtex_name(piece: str) -> Name:
    if piece.startswith("{") and group_end(piece, 0) == len(piece):
        return {"literal": plain(strip_whole(piece))}
    if _EXTENDED.match(piece):
        return _extended_name(piece)
    sections = [part.strip() for part in split_outside(piece, re.compile(","))]
    if len(sections) > 3:  # "Last, Jr, First, Error": BibTeX would stop; the rest belongs to the given name
        sections = [sections[0], sections[1], ", ".join(sections[2:])]
    if len(sections) == 1:
        words = _words(sections[0])
        first, von, last = _first_von_last(words)
        return _name(last, first, von)
    von, last = _von_last(_words(sections[0]))
    suffix, given = ("", sections[1]) if len(sections) == 2 else (sections[1], sections[2])
    if not suffix and len(last) > 1 and _SUFFIX.fullmatch(last[-1]):
        last, suffix = last[:-1], last[-1]  # "King Jr., Martin Luther", as pandoc writes it
    return _name(last, _words(given), von, suffix)


def _extended_name(piece: str) -> Name:
    """BibLaTeX's ``family=Müller, given=Jan, prefix=von, useprefix=true``."""
    parts: Name = {}
    for section in split_outside(piece, re.compile(",")):
        key, _, value = section.strip().strip('"').partition("=")
        parts[key.strip().lower()] = plain(value)
    name = {key: parts.get(key, "") for key in ("family", "given", "suffix")}
    kind = "non-dropping-particle" if parts.get("useprefix", "").lower() == "true" else "dropping-particle"
    name[kind] = parts.get("prefix", "")
    return _alone({key: value for key, value in name.items() if value})


def _words(text: str) -> list[str]:
    return [word for word in split_outside(text, re.compile(r"[\s~]+")) if word]


def _small(word: str) -> bool:
    """Whether BibTeX counts a word as small: its first letter outside braces is."""
    if word.startswith("{") and not word.startswith("{\\"):
        return False
    letters = [c for c in (plain(word) if "\\" in word or "{" in word else word) if c.isalpha()]
    return bool(letters) and letters[0].islower()


def _first_von_last(words: list[str]) -> tuple[list[str], list[str], list[str]]:
    small = [index for index, word in enumerate(words[:-1]) if _small(word)]
    if not small:
        return words[:-1], [], words[-1:]
    return words[: small[0]], words[small[0] : small[-1] + 1], words[small[-1] + 1 :]


def _von_last(words: list[str]) -> tuple[list[str], list[str]]:
    """The leading small words, and the rest; the last word always belongs to the family name."""
    count = 0
    while count < len(words) - 1 and _small(words[count]):
        count += 1
    return words[:count], words[count:]


def _name(last: list[str], first: list[str], von: list[str], suffix: str = "") -> Name:
    def text(words: list[str]) -> str:
        return plain(" ".join(words)) if words else ""

    return person(text(last), text(first), text(von), plain(suffix))


def person(family: str, given: str, particle: str = "", suffix: str = "") -> Name:
    """A CSL name; particles behind the given name ("Goethe, J. W. von") are dropping ones."""
    dropping = ""
    if match := _TRAILING.fullmatch(given):
        given, dropping = match["given"], match["particle"]
    parts = {
        "family": family,
        "given": given,
        "suffix": suffix,
        "non-dropping-particle": particle,
        "dropping-particle": dropping,
    }
    return _alone({key: value for key, value in parts.items() if value})


def _alone(name: Name) -> Name:
    """A name of one part, as citations print it: particle and suffix belong to it."""
    if "family" in name and "given" in name:
        return name
    order = ("dropping-particle", "non-dropping-particle", "given", "family", "suffix")
    whole = " ".join(name[key] for key in order if key in name)
    return {"family": whole} if "family" in name else {"literal": whole} if whole else {}


def ris_name(value: str) -> Name:
    """A RIS name: ``Family, Given, Suffix``; without a comma an organisation or a single name.

    A doubled comma stands for a comma inside the name of an organisation, as EndNote writes it, and a comma
    at the end marks an organisation.
    """
    value = re.sub(r"\s+", " ", value).strip()
    if ",," in value:
        return {"literal": value.replace(",,", ",")}
    if value.endswith(","):
        value = value.rstrip(" ,")
    sections = [part.strip() for part in value.split(",")]
    if len(sections) == 1:
        return {"literal": value} if value else {}
    words = sections[0].split()
    von, last = _von_last(words)
    suffix = sections[2] if len(sections) > 2 else ""
    given = sections[1]
    if len(sections) > 3:
        given, suffix = ", ".join(sections[1:-1]), sections[-1]
    return person(" ".join(last), given, " ".join(von), suffix)


def write_ris_name(name: Name) -> str:
    """The inverse of ``ris_name``."""
    family, given = name.get("family", ""), name.get("given", "")
    particle, dropping = name.get("non-dropping-particle", ""), name.get("dropping-particle", "")
    suffix = name.get("suffix", "")
    if name.get("literal") or not family or not given:
        whole = name.get("literal") or " ".join(x for x in (dropping, particle, given, family, suffix) if x)
        return whole.replace(",", ",,")
    last = f"{particle} {family}" if particle else family
    first = f"{given} {dropping}" if dropping else given
    return ", ".join(x for x in (last, first, suffix) if x)

"""BibTeX and BibLaTeX records, written with an exact table of escapes (R106: a safely escaped serializer).

The table is applied in one pass over the characters, never as chained replacements, so that no escape is
escaped again. Unicode is kept (UTF-8, as biber and current BibTeX styles read it).
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cmtui._version import __version__
from cmtui.bibliography import biblatex, markup
from cmtui.bibliography.disambiguate import letters
from cmtui.bibliography.normalise import doi
from cmtui.bibliography.reading.dates import write_edtf
from cmtui.model.bibliography import CslItem

ENGINE = f"cmtui {__version__}"

_ENTRY_TYPES = {
    "article": "article",
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "review": "article",
    "review-book": "article",
    "book": "book",
    "collection": "book",
    "chapter": "incollection",
    "entry-dictionary": "incollection",
    "entry-encyclopedia": "incollection",
    "paper-conference": "inproceedings",
    "pamphlet": "booklet",
    "manuscript": "unpublished",
    "report": "techreport",
    "standard": "techreport",
    "thesis": "phdthesis",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ESCAPES = {
    "&": "\\&",
    "%": "\\%",
    "$": "\\$",
    "#": "\\#",
    "_": "\\_",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "\\": "\\textbackslash{}",
    "\u00a0": "~",
}
_COMMANDS = {
    markup.ITALIC[0]: "\\textit{",
    markup.BOLD[0]: "\\textbf{",
    markup.SUPERSCRIPT[0]: "\\textsuperscript{",
    markup.SUBSCRIPT[0]: "\\textsubscript{",
    markup.SMALL_CAPS[0]: "\\textsc{",
    markup.NO_CASE[0]: "{",
}
_CLOSINGS = frozenset(
    pair[1]
    for pair in (
        markup.ITALIC,
        markup.BOLD,
        markup.SUPERSCRIPT,
        markup.SUBSCRIPT,
        markup.SMALL_CAPS,
        markup.NO_CASE,
    )
)
_DASHES = re.compile(r"\s*(?:-+|[\u2010-\u2015\u2212])\s*")
_KEY = re.compile(r"[A-Za-z0-9:_-]+")
#: Words as capitals are protected in them: what stands between blanks, punctuation, braces and markup.
_WORD = re.compile(r"([\s:;,.!?()\[\]{}/\u2010-\u2015\ue100-\ue111-]+)")


def _table(text: str) -> dict[str, str]:
    """The escapes for a text; those of braces depend on whether its braces are balanced."""
    depth = 0
    balanced = True
    for character in text:
        depth += (character == "{") - (character == "}")
        balanced = balanced and depth >= 0
    braces = (
        {"{": "\\{", "}": "\\}"}
        if balanced and depth == 0
        else {"{": "\\textbraceleft{}", "}": "\\textbraceright{}"}
    )
    return {**_ESCAPES, **braces, **_COMMANDS, **dict.fromkeys(_CLOSINGS, "}")}


#: Pairs that TeX prints as one character; a group between them keeps them apart.
_LIGATURE = re.compile(r"-(?=-)|`(?=`)|'(?=')|[?!](?=`)")


def escape(text: str) -> str:
    """A text so that LaTeX prints exactly it.

    Braces become ``\\{`` and ``\\}`` when they are balanced. BibTeX counts braces without regard to the
    backslash, so that unbalanced ones would break the whole file: they become ``\\textbraceleft{}`` and
    ``\\textbraceright{}``.
    """
    return _translate(text, _table(text))


def _translate(text: str, table: Mapping[str, str]) -> str:
    """One pass over the characters, with TeX's ligatures kept apart."""
    written = "".join(table.get(character, character) for character in text)
    return _LIGATURE.sub(lambda match: f"{match[0]}{{}}", written)


def protect(text: str) -> str:
    """Escape a title and put words with capitals after their first letter in braces (NASA, iPhone, DNA), so
    that no style lowers them."""
    table = _table(text)
    output: list[str] = []
    for token in _WORD.split(text):
        escaped = _translate(token, table)
        output.append(f"{{{escaped}}}" if any(c.isupper() for c in token[1:]) else escaped)
    return "".join(output)


def address(url: str) -> str:
    """A URL or identifier, verbatim but for what would end the field or the line."""
    table = {"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"}
    return "".join(table.get(character, character) for character in url)


def name_list(names: Sequence[Mapping[str, Any]]) -> str:
    """Names as ``von Last, Jr, First`` joined by ``and``; organisations and single names in braces."""
    return " and ".join(_name(name) for name in names)


def _name(name: Mapping[str, Any]) -> str:
    part = {key: markup.clean(str(value)) for key, value in name.items() if isinstance(value, str)}
    literal = part.get("literal", "")
    family, given = part.get("family", ""), part.get("given", "")
    if literal or not family or not given:
        around = (part.get("dropping-particle", ""), part.get("non-dropping-particle", ""))
        whole = literal or " ".join(x for x in (*around, family or given, part.get("suffix", "")) if x)
        return f"{{{escape(whole)}}}"
    particle = part.get("non-dropping-particle", "")
    last = f"{particle} {_guarded(family)}" if particle else _guarded(family)
    first = " ".join(x for x in (_guarded(given), part.get("dropping-particle", "")) if x)
    suffix = part.get("suffix", "")
    return ", ".join(x for x in (last, _guarded(suffix) if suffix else "", first) if x)


def _guarded(text: str) -> str:
    escaped = escape(text)
    return f"{{{escaped}}}" if "," in text or re.search(r"\band\b", text, re.IGNORECASE) else escaped


def citation_key(item: CslItem) -> str:
    """The item's own ``citation-key`` when BibTeX can use it, else first author and year (smith2020)."""
    own = str(item.get("citation-key", ""))
    if _KEY.fullmatch(own):
        return own
    people = item.get("author") or item.get("editor") or item.get("translator") or []
    base = ""
    if people:
        base = str(people[0].get("family") or people[0].get("literal") or people[0].get("given") or "")
    base = _ascii(base) or _ascii(" ".join(str(item.get("title", "")).split()[:3])) or "ref"
    parts = (item.get("issued") or {}).get("date-parts") or []
    return base[:40] + (str(abs(parts[0][0])) if parts else "")


def _ascii(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold().translate(markup.LETTERS))
    return re.sub(r"[^a-z0-9]", "", folded)


def keys(items: Sequence[CslItem]) -> list[str]:
    """One key per item, unique without regard to case (biber treats them so)."""
    wanted = [citation_key(item) for item in items]
    groups: dict[str, list[int]] = defaultdict(list)
    for index, key in enumerate(wanted):
        groups[key.casefold()].append(index)
    taken = {key for key, places in groups.items() if len(places) == 1}
    made = list(wanted)
    for places in groups.values():
        number = 0
        for index in places if len(places) > 1 else ():
            while (candidate := wanted[index] + letters(number)).casefold() in taken:
                number += 1
            taken.add(candidate.casefold())
            made[index] = candidate
    return made


def write_entries(items: Sequence[CslItem], *, flavour: str = "bibtex") -> list[str]:
    """One record per valid item (``metadata.validate_item``), in their order, with distinct keys.

    ``flavour`` is bibtex or biblatex; the latter carries more fields and its dates are whole.
    """
    write = _biblatex_entry if flavour == "biblatex" else _entry
    return [write(item, key) for item, key in zip(items, keys(items), strict=True)]


def _biblatex_entry(item: CslItem, key: str) -> str:
    kind = str(item["type"])
    entry = biblatex.FROM_CSL.get(kind, "misc")
    lines = [f"@{entry}{{{key},"]
    if biblatex.TO_CSL.get(entry) != kind:
        usual = {csl: name for name, csl in biblatex.SUBTYPES.items()}
        lines.append(f"  entrysubtype = {{{usual.get(kind, kind)}}},")
    lines += [f"  {name} = {{{value}}}," for name, value in _biblatex_fields(item, kind) if value]
    return "\n".join([*lines, "}"])


def _biblatex_fields(item: CslItem, kind: str) -> Iterable[tuple[str, str]]:
    for name, role in biblatex.ROLES:
        yield name, name_list(item.get(role, ()))
    others = [role for role in biblatex.EDITOR_TYPES if item.get(role)]
    for letter, role in zip("abc", others, strict=False):
        yield f"editor{letter}", name_list(item[role])
        yield f"editor{letter}type", role

    def text(variable: str, *, title: bool = False) -> str:
        if variable not in item:
            return ""
        value = markup.enrich(markup.clean(str(item[variable])))
        return protect(value) if title else escape(value)

    where = biblatex.places(kind)
    yield "title", text("title", title=True)
    if "volume-title" in item and "container-title" in item and kind in biblatex.CONTAINED:
        yield "maintitle", text("container-title", title=True)
        yield "booktitle", text("volume-title", title=True)
    else:
        yield where.container, text("container-title", title=True)
    yield "shortjournal", text("container-title-short", title=True)
    yield where.publisher, text("publisher")
    yield where.issue, text("issue")
    yield where.number, text("number")
    yield where.collection_number, text("collection-number")
    for name, variable, title in biblatex.TEXT:
        yield name, text(variable, title=title)
    if "page" in item:
        yield "pages", _pages(item["page"])
    for name, variable in biblatex.DATES:
        yield name, write_edtf(item.get(variable) or {})
    issued = item.get("issued") or {}
    if not issued.get("date-parts") and issued.get("literal"):
        yield "year", escape(markup.clean(str(issued["literal"])))
    for name, variable in biblatex.IDENTIFIERS:
        value = markup.clean(str(item.get(variable, "")))
        yield name, address(doi(value) if variable == "DOI" else value)
    if "archive_location" in item:
        yield "eprint", address(markup.clean(str(item["archive_location"])))
        archive = markup.clean(str(item.get("archive", "")))
        yield "eprinttype", "arxiv" if archive == "arXiv" else escape(archive)


def _entry(item: CslItem, key: str) -> str:
    kind = _ENTRY_TYPES.get(item["type"], "misc")
    if kind == "phdthesis" and "master" in str(item.get("genre", "")).lower():
        kind = "mastersthesis"
    lines = [f"@{kind}{{{key},"]
    lines += [f"  {name} = {value}," for name, value in _fields(item, kind)]
    return "\n".join([*lines, "}"])


def _fields(item: CslItem, kind: str) -> Iterable[tuple[str, str]]:
    for role in ("author", "editor", "translator"):
        if item.get(role):
            yield role, f"{{{name_list(item[role])}}}"
    container = {"article": "journal", "incollection": "booktitle", "inproceedings": "booktitle"}
    publisher = {
        "phdthesis": "school",
        "mastersthesis": "school",
        "techreport": "institution",
        "booklet": "howpublished",
        "misc": "howpublished",
    }
    number = "issue" if "issue" in item else "number"
    table = [
        ("title", "title", True),
        ("container-title", container.get(kind, "booktitle" if kind != "misc" else "organization"), False),
        ("collection-title", "series", False),
        ("edition", "edition", False),
        ("volume", "volume", False),
        (number, "number", False),
        ("publisher", publisher.get(kind, "publisher"), False),
        ("publisher-place", "address", False),
        ("genre", "type", False),
    ]
    for variable, name, title in table:
        if variable in item and (text := markup.clean(str(item[variable]))):
            text = markup.enrich(text)
            yield name, f"{{{protect(text) if title else escape(text)}}}"
    if "page" in item:
        yield "pages", f"{{{_pages(item['page'])}}}"
    yield from _date_fields(item.get("issued") or {})
    for variable, name in (("ISBN", "isbn"), ("ISSN", "issn")):
        if variable in item:
            yield name, f"{{{address(markup.clean(str(item[variable])))}}}"
    if "DOI" in item:
        yield "doi", f"{{{address(doi(markup.clean(str(item['DOI']))))}}}"
    if "URL" in item:
        yield "url", f"{{{address(markup.clean(str(item['URL'])))}}}"
    accessed = (item.get("accessed") or {}).get("date-parts")
    if accessed and _iso(accessed[0]):
        yield "urldate", f"{{{_iso(accessed[0])}}}"
    for variable, name in (("keyword", "keywords"), ("note", "note")):
        if variable in item:
            yield name, f"{{{escape(markup.clean(str(item[variable])))}}}"


def _pages(value: Any) -> str:
    """Pages with the double hyphen of a range."""
    return "--".join(escape(part) for part in _DASHES.split(markup.clean(str(value))))


def _date_fields(issued: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    dates = issued.get("date-parts") or []
    if not dates:
        if issued.get("literal"):
            yield "year", f"{{{escape(markup.clean(str(issued['literal'])))}}}"
        return
    first = dates[0]
    yield "year", f"{{{first[0] if first[0] > 0 else f'{-first[0]} BC'}}}"
    if len(first) > 1 and 1 <= first[1] <= 12:
        yield "month", _MONTHS[first[1] - 1]
    ends = [_iso(parts) for parts in dates]
    # BibLaTeX reads ``date``; it is written where year and month would lose something.
    if all(ends) and (len(ends) > 1 or len(first) > 2 or issued.get("circa")):
        yield "date", f"{{{'/'.join(ends)}{'~' if issued.get('circa') else ''}}}"
    elif ends[0] and len(ends) > 1 and dates[1] == [0]:
        yield "date", f"{{{ends[0]}/}}"


def _iso(parts: Sequence[int]) -> str:
    if not 1 <= parts[0] <= 9999 or (len(parts) > 1 and parts[1] > 12):
        return ""
    return "-".join(f"{part:0{width}}" for part, width in zip(parts, (4, 2, 2), strict=False))

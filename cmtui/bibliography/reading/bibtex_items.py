"""One BibTeX or BibLaTeX entry as a CSL-JSON item."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from cmtui.bibliography import biblatex
from cmtui.bibliography.metadata import read_item
from cmtui.bibliography.normalise import doi
from cmtui.bibliography.reading import dates, latex
from cmtui.bibliography.reading.files import bibtex_attachments
from cmtui.bibliography.reading.names import bibtex_names
from cmtui.bibliography.vocabulary import ITEM_TYPES
from cmtui.model.bibliography import CslItem
from cmtui.model.importing import Attachment

_URL_ONLY = re.compile(
    r"(?:(?:available|online|url)\s*(?:at|from)?:?\s*)?(\\url\s*\{[^{}]*\}|https?://\S+)\s*\.?", re.IGNORECASE
)


@dataclass(slots=True)
class Fields:
    """The raw values of one entry by field name, and which of them were used."""

    kind: str
    key: str
    raw: Mapping[str, str]
    used: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    def take(self, *names: str) -> str:
        """The raw value of the first of these fields that is there."""
        found = ""
        for name in names:
            if name in self.raw:
                self.used.add(name)
                found = found or self.raw[name]
        return found

    def text(self, *names: str, cased: bool = False) -> str:
        """The decoded text of the first of these fields that is there."""
        raw = self.take(*names)
        if not raw:
            return ""
        decoder = latex.Decoder(cased=cased)
        text = decoder.decode(raw)
        if decoder.unknown:
            commands = ", ".join(dict.fromkeys(decoder.unknown))
            self.warnings.append(f"LaTeX in '{names[0]}' is kept as it stands: {commands}")
        return text


@dataclass(slots=True)
class MadeItem:
    """The item of an entry, its attachments, and what is doubtful."""

    item: CslItem
    attachments: tuple[Attachment, ...]
    warnings: list[str]


def item_of(entry: Fields) -> MadeItem:
    """The item of an entry. Fields that CSL cannot hold are named in a warning, never dropped in silence."""
    entry = Fields(entry.kind, entry.key, {biblatex.ALIASES.get(k, k): v for k, v in _unaliased(entry.raw)})
    item: CslItem = {"id": entry.key, "type": _type(entry), "citation-key": entry.key}
    _names(entry, item)
    _titles(entry, item)
    _numbers_and_publisher(entry, item)
    for name, variable, cased in biblatex.TEXT:
        if text := entry.text(name, cased=cased):
            item.setdefault(variable, text)
    _language(entry, item)
    if "page" not in item and (pages := entry.text("pages")):
        item["page"] = re.sub(r"\s*[-\u2010-\u2015\u2212]+\s*", "-", pages)
    _dates(entry, item)
    _identifiers(entry, item)
    attachments = bibtex_attachments(entry.take("file", "localfile", "pdf"))
    entry.used |= biblatex.TECHNICAL
    left = [name for name in entry.raw if name not in entry.used and not name.startswith(("bdsk-", "opt"))]
    if left:
        entry.warnings.append(f"fields without a place in CSL are left out: {', '.join(sorted(left))}")
    reading = read_item(item)
    entry.warnings += [f"{name}: {message} It is left out." for name, message in reading.errors]
    return MadeItem(reading.item, attachments, entry.warnings)


def _unaliased(raw: Mapping[str, str]) -> list[tuple[str, str]]:
    """The fields, those under another spelling only where the usual one is missing."""
    return [
        (name, value)
        for name, value in raw.items()
        if biblatex.ALIASES.get(name, name) == name or biblatex.ALIASES[name] not in raw
    ]


def _type(entry: Fields) -> str:
    subtype = entry.take("entrysubtype").strip().lower()
    if subtype in ITEM_TYPES:
        return subtype
    if subtype in biblatex.SUBTYPES and entry.kind in ("article", "review", "suppperiodical"):
        return biblatex.SUBTYPES[subtype]
    if entry.kind in biblatex.TO_CSL:
        return biblatex.TO_CSL[entry.kind]
    entry.warnings.append(f"the type '@{entry.kind}' is not known and was read as a document")
    return "document"


def _names(entry: Fields, item: CslItem) -> None:
    def read(field_name: str, role: str) -> None:
        if raw := entry.take(field_name):
            people = bibtex_names(raw)
            entry.warnings += [f"{field_name}: {warning}" for warning in people.warnings]
            if people.names:
                item.setdefault(role, []).extend(people.names)

    editors = entry.text("editortype").lower()
    for field_name, role in biblatex.ROLES:
        kept = editors if field_name == "editor" and editors in biblatex.EDITOR_TYPES else role
        read(field_name, kept)
    for letter in "abc":
        kind = entry.text(f"editor{letter}type").lower()
        if kind in biblatex.EDITOR_TYPES or kind in ("", "editor"):
            read(f"editor{letter}", kind or "editor")


def _titles(entry: Fields, item: CslItem) -> None:
    def joined(name: str) -> str:
        title = entry.text(f"{name}title" if name else "title", cased=True)
        subtitle = entry.text(f"{name}subtitle" if name else "subtitle", cased=True)
        if title and subtitle:
            return f"{title}{' ' if title[-1] in '?!:.–—' else ': '}{subtitle}"
        return title or subtitle

    if title := joined(""):
        item["title"] = title
    if addition := entry.text("titleaddon", cased=True):
        item["title"] = f"{item.get('title', '')}. {addition}".lstrip(". ")
    kind = item["type"]
    book, journal, main = joined("book"), joined("journal"), joined("main")
    if kind in biblatex.CONTAINED and book and main:
        item["container-title"], item["volume-title"] = main, book
    else:
        first, *others = [x for x in (journal, book, main) if x] or [""]
        if kind in biblatex.CONTAINED or entry.kind.startswith("in"):
            first, *others = [x for x in (book, journal, main) if x] or [""]
        if first:
            item["container-title"] = first
        if others:
            entry.warnings.append(f"a second container is left out: {'; '.join(others)}")
    if entry.kind == "periodical" and "issuetitle" in entry.raw:
        entry.warnings.append(f"issuetitle is left out: {entry.text('issuetitle')}")
    if short := entry.text("shortjournal", "shortbooktitle", cased=True):
        item["container-title-short"] = short


def _numbers_and_publisher(entry: Fields, item: CslItem) -> None:
    where = biblatex.places(item["type"])
    issue = entry.text("issue") if where.issue != "issue" else ""
    for name, variable in (
        (where.issue, "issue"),
        (where.collection_number, "collection-number"),
        (where.number, "number"),
    ):
        if text := entry.text(name):
            item[variable] = text
    if issue:  # BibLaTeX: "Spring" beside the number
        item["issue"] = f"{item['issue']}, {issue}" if "issue" in item else issue
    if eid := entry.text("eid", "article-number", "articleno"):
        item.setdefault("number", eid)
    howpublished = entry.take("howpublished")
    if howpublished and (match := _URL_ONLY.fullmatch(howpublished.strip())):
        entry_url = latex.verbatim(match[1])
        if not entry.raw.get("url"):
            item["URL"] = entry_url
        howpublished = ""
    names = ("publisher", "institution", "school", "organization")
    found = [text for name in names if (text := entry.text(name))]
    if howpublished:
        text = latex.plain(howpublished)
        if found and "organization" in entry.raw and entry.kind == "misc":
            item.setdefault("container-title", found.pop())
        found.insert(0, text)
    found = list(dict.fromkeys(found))
    if found:
        item["publisher"] = found[0]
        if len(found) > 1:
            entry.warnings.append(f"a second publisher is left out: {'; '.join(found[1:])}")
    if entry.kind in ("phdthesis", "mastersthesis", "masterthesis") and "type" not in entry.raw:
        item["genre"] = "PhD thesis" if entry.kind == "phdthesis" else "Master's thesis"
    if (kind := entry.raw.get("type", "").strip("{} ").lower()) in ("phdthesis", "mathesis", "techreport"):
        names_of = {
            "phdthesis": "PhD thesis",
            "mathesis": "Master's thesis",
            "techreport": "Technical report",
        }
        item["genre"] = names_of[kind]


def _language(entry: Fields, item: CslItem) -> None:
    known = str(item.get("language", "")).strip().lower() or entry.take("langid").strip().lower()
    if known in biblatex.LANGUAGES:
        item["language"] = biblatex.LANGUAGES[known]
    elif known and "language" not in item:
        item["language"] = known


def _dates(entry: Fields, item: CslItem) -> None:
    for name, variable in biblatex.DATES:
        raw = latex.strip_whole(entry.take(name))
        if raw:
            made = dates.edtf(raw.replace("\\textasciitilde{}", "~"))
            if made is None:
                made = dates.year_and_month(latex.plain(raw), "", "")
            if made is not None:
                item[variable] = made
    year, month, day = entry.text("year"), entry.text("month"), entry.text("day")
    if "issued" not in item and (year or month):
        made = dates.year_and_month(year, month, day)
        if made is not None:
            item["issued"] = made
        else:
            entry.warnings.append(f"a month without a year is left out: {month}")


def _identifiers(entry: Fields, item: CslItem) -> None:
    for name, variable in biblatex.IDENTIFIERS:
        if raw := entry.take(name):
            value = latex.verbatim(raw)
            item.setdefault(variable, doi(value) if variable == "DOI" else value)
    if note := re.fullmatch(_URL_ONLY, entry.raw.get("note", "").strip()):
        item.setdefault("URL", latex.verbatim(note[1]))
        if item["URL"] == latex.verbatim(note[1]):
            item.pop("note", None)
    if eprint := latex.verbatim(entry.take("eprint")):
        kind = latex.verbatim(entry.take("eprinttype"))
        if kind.lower() in ("pubmed", "pmid"):
            item.setdefault("PMID", eprint)
        elif kind.lower() in ("pmc", "pmcid"):
            item.setdefault("PMCID", eprint)
        elif kind.lower() == "doi":
            item.setdefault("DOI", doi(eprint))
        else:
            item["archive"] = "arXiv" if kind.lower() == "arxiv" else kind
            item["archive_location"] = eprint
            if not kind:
                del item["archive"]

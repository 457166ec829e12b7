"""RIS, read and written by tags.

Carried in both directions: the types of ``TYPES`` that are their own inverse; authors, editors, series
editors and translators; the text fields of ``TEXT``; pages, ISBN, ISSN, DOI, URL, keywords, a note;
``issued`` and ``accessed`` as one date from year 1 on with month, day, or season, or circa, or as words.

Not carried, and warned of on export: ranges and earlier years, other roles and variables, a single page
number of a book, thesis or report (SP is the number of pages there), and a book's container without a series.
White space is folded. A family name alone comes back as an organisation's, which prints the same.
"""

# ruff: noqa: SIM905  (lists of names read better as words)
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from cmtui.bibliography import markup
from cmtui.bibliography.bibtex import keys
from cmtui.bibliography.metadata import read_item
from cmtui.bibliography.normalise import doi
from cmtui.bibliography.reading.dates import ris_date, write_ris_date
from cmtui.bibliography.reading.files import file_path
from cmtui.bibliography.reading.names import ris_name, write_ris_name
from cmtui.model.bibliography import CslItem
from cmtui.model.importing import Attachment, ImportedBibliography, ImportedEntry, ImportProblem

#: RIS types to CSL.
TYPES = {
    "ABST": "article-journal", "ADVS": "motion_picture", "AGGR": "dataset", "ANCIENT": "classic",
    "ART": "graphic", "BILL": "bill", "BLOG": "post-weblog", "BOOK": "book", "CASE": "legal_case",
    "CHAP": "chapter", "CHART": "figure", "CLSWK": "classic", "COMP": "software", "CONF": "paper-conference",
    "CPAPER": "paper-conference", "CTLG": "book", "DATA": "dataset", "DBASE": "dataset",
    "DICT": "entry-dictionary", "EBOOK": "book", "ECHAP": "chapter", "EDBOOK": "book",
    "EJOUR": "article-journal",
    "ELEC": "webpage", "ENCYC": "entry-encyclopedia", "EQUA": "figure", "FIGURE": "figure", "GEN": "document",
    "GOVDOC": "report", "GRANT": "document", "HEAR": "hearing", "ICOMM": "post", "INPR": "article",
    "JFULL": "periodical", "JOUR": "article-journal", "LEGAL": "regulation", "MANSCPT": "manuscript",
    "MAP": "map", "MGZN": "article-magazine", "MPCT": "motion_picture", "MULTI": "webpage",
    "MUSIC": "musical_score", "NEWS": "article-newspaper", "PAMP": "pamphlet", "PAT": "patent",
    "PCOMM": "personal_communication", "PREPRINT": "article", "RPRT": "report", "SER": "book",
    "SLIDE": "speech", "SOUND": "song", "STAND": "standard", "STAT": "legislation", "STD": "standard",
    "THES": "thesis", "UNBILL": "bill", "UNPB": "manuscript", "UNPD": "manuscript", "VIDEO": "motion_picture",
    "WEB": "webpage", "INTV": "interview", "TREAT": "treaty",
}  # fmt: skip
#: CSL types to RIS where several RIS types mean the same; any other type is written as GEN.
_PREFERRED = (
    "JOUR MPCT DATA CLSWK BOOK CHAP CONF ELEC RPRT MANSCPT FIGURE STAND PREPRINT GEN BILL GRANT INPR".split()
)
FROM_CSL = {csl: tag for tag, csl in TYPES.items()} | {
    TYPES[tag]: tag for tag in _PREFERRED if tag not in ("GRANT", "INPR", "PREPRINT")
}
FROM_CSL |= {"document": "GEN", "article": "INPR", "interview": "GEN", "treaty": "GEN", "manuscript": "UNPB"}

#: Tags with one text: written tag, CSL variable, other tags that are read for it.
TEXT: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("TI", "title", ("T1", "CT")),
    ("ST", "title-short", ()),
    ("T2", "container-title", ("JF", "BT", "JO")),
    ("T3", "collection-title", ()),
    ("J2", "container-title-short", ("JA", "J1")),
    ("VL", "volume", ()),
    ("IS", "issue", ()),
    ("M1", "number", ()),
    ("NV", "number-of-volumes", ()),
    ("SE", "section", ()),
    ("ET", "edition", ()),
    ("PB", "publisher", ()),
    ("CY", "publisher-place", ("PP",)),
    ("M3", "genre", ()),
    ("LA", "language", ()),
    ("AB", "abstract", ("N2",)),
    ("RN", "annote", ()),
    ("CN", "call-number", ()),
    ("AN", "archive_location", ()),
    ("DP", "source", ("DB",)),
    ("C2", "PMCID", ()),
)
ROLES = (
    ("AU", "author", ("A1",)),
    ("A2", "editor", ("ED",)),
    ("A3", "collection-editor", ()),
    ("A4", "translator", ()),
)
_FILES = ("L1", "L2", "L3", "L4", "LK")
_IGNORED = frozenset(
    "ER ID AD U1 U2 U3 U4 U5 RP TT CA SR NO CP FN VR CR C1 C3 C4 C5 C6 C7 C8 M2 RI OP A5 A6 PN".split()
)
_LOST_IF_IGNORED = frozenset("U1 U2 U3 U4 U5 TT CA C1 C3 C4 C5 C6 C7 C8 M2 RI OP A5 A6".split())
_KNOWN = (
    {tag for row in (*TEXT, *ROLES) for tag in (row[0], *row[2])}
    | set(_FILES)
    | _IGNORED
    | set("TY SP EP SN DO DI UR KW N1 PY Y1 DA Y2".split())
)
_TAG = re.compile(r"\s*([A-Z][A-Z0-9]) {1,2}-(?: ?)(.*)")
_BARE_END = re.compile(r"\s*ER\s*-?\s*")
_LONG = frozenset(("AB", "N2", "N1", "RN"))
_PAGES_COUNTED = frozenset(("book", "thesis", "report"))


@dataclass(slots=True)
class _Record:
    kind: str
    line: int
    tags: list[tuple[str, str, int]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def values(self, *names: str) -> list[str]:
        return [value for tag, value, _ in self.tags if tag in names and value]

    def first(self, *names: str) -> str:
        for name in names:
            for value in self.values(name):
                return value
        return ""


def read(text: str) -> ImportedBibliography:
    """The records of a RIS file. A missing ER ends at the next TY or the end; text outside of records is
    reported by line and ignored, but for blank lines and numbers of records."""
    records: list[_Record] = []
    problems: list[ImportProblem] = []
    current: _Record | None = None
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text.lstrip("\ufeff")), 1):
        match = _TAG.fullmatch(line)
        tag = match[1] if match else ""
        if tag == "TY" and match:
            if current is not None:
                current.warnings.append(f"the record has no ER line; it was ended at line {number}")
            current = _Record(match[2].strip().upper(), number)
            records.append(current)
        elif current is None:
            if (
                line.strip()
                and not re.fullmatch(r"\s*\d+[.)]?\s*|\x1a", line)
                and not _BARE_END.fullmatch(line)
            ):
                problems.append(
                    ImportProblem(number, f"Text outside of any record is ignored: '{line[:60]}'.")
                )
        elif tag == "ER" or _BARE_END.fullmatch(line):
            current = None
        else:
            _take_line(current, line, number, match)
    if current is not None:
        current.warnings.append("the record has no ER line; it was ended at the end of the file")
    entries = _entries(records, problems)
    problems.sort(key=lambda problem: problem.line)
    return ImportedBibliography("ris", tuple(entries), tuple(problems))


def _take_line(record: _Record, line: str, number: int, match: re.Match[str] | None) -> None:
    last = record.tags[-1] if record.tags else None
    if match is not None and (match[1] in _KNOWN or last is None or last[0] not in _LONG):
        if match[1] in _KNOWN:
            record.tags.append((match[1], match[2].strip(), number))
        elif match[2].strip():
            record.warnings.append(f"line {number}: the tag '{match[1]}' is not known and was left out")
    elif last is not None and line.strip():
        joint = "\n" if last[0] in _LONG else " "
        record.tags[-1] = (last[0], f"{last[1]}{joint}{line.strip()}".strip(), last[2])
    elif line.strip():
        record.warnings.append(f"line {number}: text without a tag is left out: '{line.strip()[:60]}'")


def _entries(records: Sequence[_Record], problems: list[ImportProblem]) -> Iterable[ImportedEntry]:
    taken: dict[str, int] = {}
    for index, record in enumerate(records, 1):
        own = record.first("ID")
        key = own or f"ris{index}"
        if not record.tags:
            problems.append(ImportProblem(record.line, "This record is empty and was left out."))
            continue
        if (line := taken.get(key)) is not None:
            problems.append(
                ImportProblem(
                    record.line,
                    f"The ID '{key}' is already used in line {line}; this record is left out.",
                    key,
                )
            )
            continue
        taken[key] = record.line
        item = _item(record, key, own)
        files = [part for value in record.values(*_FILES) for part in re.split(r";\s*(?=\S)", value)]
        attachments = tuple(dict.fromkeys(Attachment(file_path(path)) for path in files if path.strip()))
        warnings = tuple(dict.fromkeys(record.warnings))
        yield ImportedEntry(key, item, attachments, record.line, warnings)


def _item(record: _Record, key: str, own: str) -> CslItem:
    kind = TYPES.get(record.kind)
    if kind is None:
        record.warnings.append(f"the type '{record.kind}' is not known and was read as a document")
        kind = "document"
    item: CslItem = {"id": key, "type": kind}
    if own:
        item["citation-key"] = own
    for tag, role, spellings in ROLES:
        people = [name for value in record.values(tag, *spellings) if (name := ris_name(value))]
        if people:
            item[role] = people
    for tag, variable, others in TEXT:
        if value := record.first(tag, *others):
            item[variable] = value
    if kind == "book" and record.first("T3") == "" and "container-title" in item:
        item["collection-title"] = item.pop("container-title")  # T2 of a book is its series
    if kind == "software" and "edition" in item:
        item["version"] = item.pop("edition")
    if keywords := record.values("KW"):
        item["keyword"] = ", ".join(part for value in keywords for part in value.split("\n") if part)
    if notes := record.values("N1"):
        item["note"] = "\n".join(notes)
    _pages(record, item)
    _numbers(record, item)
    for variable, tags in (("issued", ("DA", "PY", "Y1")), ("accessed", ("Y2",))):
        found = [made for tag in tags if (made := ris_date(record.first(tag)))]
        if found:  # the most exact one: DA with a day beside PY with the year alone
            item[variable] = max(found, key=lambda made: len(made.get("date-parts", [[]])[0]))
    lost = sorted({tag for tag, value, _ in record.tags if tag in _LOST_IF_IGNORED and value})
    if lost:
        record.warnings.append(f"tags without a place in CSL are left out: {', '.join(lost)}")
    reading = read_item(item)
    record.warnings += [f"{name}: {message} It is left out." for name, message in reading.errors]
    return reading.item


def _pages(record: _Record, item: CslItem) -> None:
    start, end = record.first("SP"), record.first("EP")
    if start and end and not re.search(r"[-\u2013\u2014]", start) and start != end:
        item["page"] = f"{start}-{end}"
    elif start and not end and item["type"] in _PAGES_COUNTED and start.isdigit():
        item["number-of-pages"] = start
    elif start or end:
        item["page"] = start or end


def _numbers(record: _Record, item: CslItem) -> None:
    for value in record.values("SN"):
        for written in re.split(r"[;\n]|\s{2,}", value):
            part = re.sub(
                r"\s*\((?:print|online|electronic|linking|pbk|hbk)[^)]*\)", "", written, flags=re.I
            ).strip()
            digits = re.sub(r"[^0-9Xx]", "", part)
            if re.fullmatch(r"\d{4}-?\d{3}[\dXx]", part):
                item.setdefault("ISSN", part)
            elif len(digits) in (10, 13):
                item["ISBN"] = f"{item['ISBN']} {part}" if "ISBN" in item else part
            elif part and item["type"] in ("report", "standard", "patent"):
                item.setdefault("number", part)
            elif part:
                item.setdefault("ISBN" if item["type"] in ("book", "chapter") else "ISSN", part)
    if value := record.first("DO", "DI"):
        item["DOI"] = doi(value)
    addresses = record.values("UR")
    if addresses:
        item["URL"] = re.split(r"[;\n]\s*(?=https?:)", addresses[0])[0].strip()
        if len(addresses) > 1:
            record.warnings.append(f"further addresses are left out: {'; '.join(addresses[1:])}")


def write_ris(items: Sequence[CslItem]) -> str:
    """Valid items (``metadata.validate_item``) as a RIS file, with CRLF line ends as RIS wants them."""
    return "".join(
        "".join(f"{tag}  - {value}\r\n" for tag, value in _tags(item, key)) + "ER  - \r\n\r\n"
        for item, key in zip(items, keys(items), strict=True)
    )


def _tags(item: CslItem, key: str) -> Iterable[tuple[str, str]]:
    kind = str(item["type"])
    yield "TY", FROM_CSL.get(kind, "GEN")
    yield "ID", key
    for tag, role, _ in ROLES:
        for name in item.get(role, ()):
            parts = {part: _line(value) for part, value in name.items() if isinstance(value, str)}
            yield tag, write_ris_name(parts)
    for tag, variable, _ in TEXT:
        if kind == "book" and tag == "T2" and "collection-title" not in item:
            continue  # T2 alone is the series of a book
        source = "version" if kind == "software" and variable == "edition" else variable
        if value := _line(item.get(source, "")):
            yield tag, value
    if "page" in item:
        pages = _line(item["page"])
        ends = re.fullmatch(r"([^\s,;-]+)\s*[-\u2010-\u2015\u2212]+\s*([^\s,;-]+)", pages)
        yield "SP", ends[1] if ends else pages
        if ends:
            yield "EP", ends[2]
    elif "number-of-pages" in item and kind in _PAGES_COUNTED:
        yield "SP", _line(item["number-of-pages"])
    for value in re.split(r",\s+", _line(item.get("keyword", ""))):
        if value:
            yield "KW", value
    if note := _line(item.get("note", "")):
        yield "N1", note
    for tag, variable in (("SN", "ISBN"), ("SN", "ISSN"), ("DO", "DOI"), ("UR", "URL")):
        if value := _line(item.get(variable, "")):
            yield tag, doi(value) if tag == "DO" else value
    issued = item.get("issued") or {}
    if date := write_ris_date(issued):
        if not date.startswith("/"):
            yield "PY", date[:4]
        yield "DA", date
    if date := write_ris_date(item.get("accessed") or {}):
        yield "Y2", date


def _line(value: Any) -> str:
    """One line of plain text: a line break would begin a new tag."""
    return markup.clean(str(value))

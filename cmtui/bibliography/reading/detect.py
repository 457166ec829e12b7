"""Which bibliography format some bytes are, and the entries in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

from cmtui.errors import InvalidRequest, WrongBibliographyFormat
from cmtui.model.importing import FORMATS, ImportedBibliography

_NAMES = {"csl-json": "CSL-JSON", "bibtex": "BibTeX", "biblatex": "BibLaTeX", "ris": "RIS"}
_HINT = "BibTeX, BibLaTeX, RIS and CSL-JSON can be imported; every reference manager exports one of them."
_BINARY = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP container (Word, OpenDocument, EPUB or an archive)"),
    (b"SQLite format 3\x00", "an SQLite database, such as zotero.sqlite"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xd0\xcf\x11\xe0", "an old Microsoft Office document"),
    (b"{\\rtf", "an RTF document"),
)
_TEXTS = (
    (r"\s*<!doctype html|\s*<html", "a web page (HTML)"),
    (r"\s*<\?xml[^>]*>\s*(?:<!--.*?-->\s*)*<xml>\s*<records>|\s*<xml>\s*<records>", "EndNote XML"),
    (r"(?=[\s\S]{0,600}<rdf:RDF)", "RDF, such as Zotero's own"),
    (r"(?=[\s\S]{0,600}<mods(?:Collection)?\b)", "MODS XML"),
    (r"(?=[\s\S]{0,600}<PubmedArticle)", "PubMed XML"),
    (r"\s*<\?xml|\s*<[a-zA-Z][\w:-]*[\s>]", "XML"),
    (r"\s*%0 [A-Z]", "EndNote's tagged format (.enw)"),
    (r"\s*PMID- \d", "PubMed's MEDLINE format (.nbib)"),
    (r"\s*FN (?:Clarivate|Thomson|ISI)|\s*PT [A-Z]\s*[\r\n]", "Web of Science's tagged format"),
    (r"\s*cff-version\s*:", "a CITATION.cff file"),
    (r"\s*---\s*[\r\n]", "a YAML file"),
    (r"\s*\\(?:documentclass|begin|bibitem)", "a LaTeX document"),
    (r"(?:\"?[\w ]+\"?[,;\t]){3,}", "a table (CSV or TSV)"),
)  # fmt: skip
_RIS = re.compile(r"(?m)^\s*TY {1,2}- ?[A-Za-z]")
_BIBTEX = re.compile(r"(?m)^\s*@\s*[A-Za-z]+\s*[{(]")


def decode(content: bytes) -> tuple[str, str]:
    """The text of a file, and a warning when its encoding had to be guessed.

    UTF-8 and UTF-16 by their marks, UTF-8 without, else Windows-1252, which old exports are in.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace"), ""
    try:
        return content.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return content.decode("cp1252", "replace"), (
            f"The file is not UTF-8 (first in line {line}) and was read as Windows-1252; check the accents."
        )


def detect(text: str) -> str | None:
    """The format of a text by its content, or None."""
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith(("[", "{")) and _json_items(text):
        return "csl-json"
    ris, bibtex = _RIS.search(text), _BIBTEX.search(text)
    if ris and (not bibtex or ris.start() < bibtex.start()):
        return "ris"
    return "bibtex" if bibtex else None


def _json_items(text: str) -> bool:
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return False
    if isinstance(value, dict):
        value = value["items"] if isinstance(value.get("items"), list) else [value]
    return isinstance(value, list) and (
        not value or any(isinstance(item, dict) and ("type" in item) for item in value)
    )


def looks_like(content: bytes, text: str) -> str:
    """What some content is, for people, when it is none of the formats."""
    for magic, name in _BINARY:
        if content.startswith(magic):
            return name
    if not text.strip():
        return "an empty file"
    if b"\x00" in content[:4096] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "a binary file"
    for pattern, name in _TEXTS:
        if re.match(pattern, text, re.IGNORECASE if "<" in pattern else 0):
            return name
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith(("[", "{")):
        return _json_kind(text)
    return "plain text"


def _json_kind(text: str) -> str:
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except RecursionError:
        return "JSON that is nested too deeply"
    except json.JSONDecodeError as error:
        return f"broken JSON ({error.msg} in line {error.lineno}, column {error.colno})"
    if "itemType" in text[:100_000]:
        return "Zotero's own JSON; export it as CSL JSON, BibTeX or RIS"
    if isinstance(value, dict) and "message" in value:
        return "an answer of the Crossref interface; its 'message' holds the item"
    return "JSON, but not CSL-JSON"


def read_bibliography(
    content: bytes | str, *, stated: str | None = None, name: str = ""
) -> ImportedBibliography:
    """The entries of a bibliography file; ``stated`` is one of FORMATS, else the content decides.

    Raises WrongBibliographyFormat, which says what the content looks like; InvalidRequest for an unknown
    format.
    """
    if stated is not None and stated not in FORMATS:
        raise InvalidRequest(
            f"There is no bibliography format '{stated}'.", f"Formats: {', '.join(FORMATS)}."
        )
    raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    text, warning = decode(raw)
    found = None if any(raw.startswith(magic) for magic, _ in _BINARY) else detect(text)
    where = f"'{name}'" if name else "This"
    if found is None:
        wanted = f", not {_NAMES[stated]}" if stated else ""
        raise WrongBibliographyFormat(f"{where} is {looks_like(raw, text)}{wanted}.", _HINT)
    if stated is not None and _family(stated) != _family(found):
        raise WrongBibliographyFormat(
            f"{where} is {_NAMES[found]}, not {_NAMES[stated]}.", f"Leave the format out, or state {found}."
        )
    read = _reader(found)(text.lstrip("\ufeff"))
    if stated is not None:
        read = replace(read, format=stated)
    if warning:
        read = replace(read, warnings=(warning, *read.warnings))
    return read


def _family(name: str) -> str:
    return "bibtex" if name == "biblatex" else name


def _reader(name: str) -> Callable[[str], ImportedBibliography]:
    if name == "ris":
        from cmtui.bibliography.ris import read
    elif name == "csl-json":
        from cmtui.bibliography.reading.csl_json import read
    else:
        from cmtui.bibliography.reading.bibtex import read
    return read

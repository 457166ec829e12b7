"""BibTeX and BibLaTeX as Zotero, JabRef, Mendeley, publishers and people write them.

The file is cut into blocks by bibtexparser without any of its LaTeX steps. Macros and ``#`` are resolved and
names are split on the raw values; LaTeX is decoded field by field, never in identifiers.
"""

# ruff: noqa: SIM905  (lists of names read better as words)
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cmtui.bibliography.reading.bibtex_items import Fields, item_of
from cmtui.bibliography.reading.latex import group_end
from cmtui.model.importing import ImportedBibliography, ImportedEntry, ImportProblem

_MONTHS = "January February March April May June July August September October November December".split()
_MACROS = {month[:3].lower(): month for month in _MONTHS}
#: Only BibLaTeX has these: they decide what the file is called, not how it is read.
_BIBLATEX = re.compile(
    r"(?im)(?:^\s*@(?:online|thesis|report|collection|inreference|mvbook|dataset|software|xdata|movie|audio)\s*[{(]"
    r"|(?:^|,)\s*(?:date|journaltitle|location|urldate|entrysubtype|langid|eventtitle|shorttitle)\s*=)"
)
#: What a child does not take from its parent: its identifiers and files are of another work.
_NOT_INHERITED = frozenset(
    "crossref xdata xref ids label options presort sortkey sorttitle sortname sortyear shorthand entrysubtype"
    " entryset execute related relatedtype relatedstring relatedoptions doi url urldate file abstract"
    " keywords eprint eprinttype eprintclass pages pagetotal title subtitle titleaddon shorttitle"
    " note annotation pmid pmcid".split()
)
_CONTAINED = frozenset(
    "inbook bookinbook suppbook incollection suppcollection inreference inproceedings conference".split()
)


@dataclass(slots=True)
class _Block:
    kind: str
    key: str
    line: int
    fields: dict[str, str]
    warnings: list[str] = field(default_factory=list)


def read(text: str) -> ImportedBibliography:
    """The entries of a file, with broken and duplicate ones as problems by line."""
    import logging

    from bibtexparser.entrypoint import parse_string

    # Broken blocks are reported as problems; without a handler they would also go to stderr.
    log = logging.getLogger("bibtexparser")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    # The parser takes a backslash for an escape even when it is escaped itself: "D\\}" would not end.
    library = parse_string(re.sub(r"(?<!\\)((?:\\\\)+)(?=[{}\"])", r"\1 ", text), parse_stack=[])
    problems: list[ImportProblem] = []
    macros = dict(_MACROS)
    found: list[_Block] = []
    seen: dict[str, _Block] = {}
    for block in library.blocks:
        _take(block, found, seen, macros, problems)
    entries: list[ImportedEntry] = []
    by_key = {made.key.casefold(): made for made in found} | {made.key: made for made in found}
    for one in found:
        if one.kind in ("xdata", "set"):
            continue
        fields = _inherit(one, by_key, one.warnings)
        made = item_of(Fields(one.kind, one.key, fields))
        warnings = tuple(dict.fromkeys(one.warnings + made.warnings))
        entries.append(ImportedEntry(one.key, made.item, made.attachments, one.line, warnings))
    problems.sort(key=lambda problem: problem.line)
    flavour = "biblatex" if _BIBLATEX.search(text) else "bibtex"
    return ImportedBibliography(flavour, tuple(entries), tuple(problems))


def _take(
    block: Any,
    found: list[_Block],
    seen: dict[str, _Block],
    macros: dict[str, str],
    problems: list[ImportProblem],
) -> None:
    from bibtexparser import model

    line = (block.start_line or 0) + 1
    duplicate_fields = isinstance(block, model.DuplicateFieldKeyBlock)
    if isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock):
        block = block.ignore_error_block
    if isinstance(block, model.ParsingFailedBlock):
        problems.append(_broken(block, line))
    elif isinstance(block, model.String):
        warnings: list[str] = []
        macros[block.key.lower()] = resolve(block.value, macros, warnings)
        problems += [ImportProblem(line, f"@string {block.key}: {warning}") for warning in warnings]
    elif isinstance(block, model.Entry):
        made = _entry(block, line, macros, merge=duplicate_fields)
        if not made.key or re.search(r"[\s{}=]", made.key):
            problems.append(
                ImportProblem(
                    line, f"This @{made.kind} entry has no usable key ('{made.key[:40]}'); left out."
                )
            )
        elif (first := seen.get(made.key.casefold())) is None:
            seen[made.key.casefold()] = made
            found.append(made)
        else:
            same = "" if first.key == made.key else f" as '{first.key}' (keys differ only in case)"
            problems.append(
                ImportProblem(
                    line,
                    f"The key '{made.key}' is already used in line {first.line}{same}; left out.",
                    made.key,
                )
            )


def _broken(block: Any, line: int) -> ImportProblem:
    key = re.match(r"@\w+\s*[{(]\s*([^,\s{}]+)\s*,", block.raw or "")
    reason = re.sub(r"\s+", " ", str(getattr(block.error, "abort_reason", "") or block.error)).strip()
    name = f"The entry '{key[1]}'" if key else "This block"
    return ImportProblem(
        line, f"{name} is broken and was left out: {reason.rstrip('.')}.", key[1] if key else ""
    )


def _entry(entry: Any, line: int, macros: Mapping[str, str], *, merge: bool) -> _Block:
    made = _Block(entry.entry_type.lower(), entry.key.strip(), line, {})
    for each in entry.fields:
        name = each.key.strip().lower()
        value = resolve(each.value, macros, made.warnings, name)
        if not value.strip():
            continue
        if name in made.fields:
            if merge and name in ("file", "keywords"):
                made.fields[name] += (";" if name == "file" else ", ") + value
            elif made.fields[name] != value:
                where = each.start_line + 1
                made.warnings.append(
                    f"the field '{name}' is given again in line {where}; the first one holds"
                )
        else:
            made.fields[name] = value
    return made


def resolve(value: Any, macros: Mapping[str, str], warnings: list[str], name: str = "") -> str:
    """A raw value with its delimiters taken off, macros replaced and pieces joined by ``#`` (bibtexparser
    leaves ``jn # { and More}`` as it is, its issue 396)."""
    text = str(value).strip()
    pieces: list[str] = []
    position = 0
    while position < len(text):
        character = text[position]
        if character in "# \t\r\n":
            position += 1
        elif character == "{":
            end = group_end(text, position)
            pieces.append(text[position + 1 : end - 1])
            position = end
        elif character == '"':
            end = _quote_end(text, position)
            pieces.append(text[position + 1 : end])
            position = end + 1
        else:
            match = re.compile(r"[^#\s{}\"]+").match(text, position)
            word = match[0] if match else character
            position += len(word)
            if word.isdigit() or word.lower() in macros:
                pieces.append(macros.get(word.lower(), word))
            else:
                pieces.append(word)
                if name != "month":
                    place = f" in '{name}'" if name else ""
                    warnings.append(f"the macro '{word}'{place} is not defined; the word itself was kept")
    return "".join(pieces)


def _quote_end(text: str, start: int) -> int:
    position = start + 1
    while position < len(text):
        if text[position] == "{":
            position = group_end(text, position)
        elif text[position] == '"' and text[position - 1] != "\\":
            return position
        else:
            position += 1
    return len(text)


def _inherit(block: _Block, by_key: Mapping[str, _Block], warnings: list[str]) -> dict[str, str]:
    fields = dict(block.fields)
    for name in re.split(r"\s*,\s*", fields.get("xdata", "").strip()):
        if name:
            shared = by_key.get(name) or by_key.get(name.casefold())
            if shared is None:
                warnings.append(f"xdata '{name}' is not in the file")
            else:
                fields = {**shared.fields, **fields}
    visited = {block.key}
    child = block
    while key := child.fields.get("crossref", "").strip():
        parent = by_key.get(key) or by_key.get(key.casefold())
        if parent is None:
            warnings.append(f"crossref '{key}' is not in the file; nothing was inherited")
            break
        if parent.key in visited:
            warnings.append(f"crossref '{key}' leads back to this entry")
            break
        visited.add(parent.key)
        for name, value in _inherited(child, parent).items():
            fields.setdefault(name, value)
        child = parent
    return fields


def _inherited(child: _Block, parent: _Block) -> dict[str, str]:
    """What a parent gives: its title as the child's container, and what is not of the parent only."""
    given = {name: value for name, value in parent.fields.items() if name not in _NOT_INHERITED}
    prefix = ""
    if child.kind in _CONTAINED:
        prefix = "main" if parent.kind.startswith("mv") else "book"
    elif child.kind in ("article", "suppperiodical", "review"):
        prefix = "journal"
    elif parent.kind.startswith("mv"):
        prefix = "main"
    for name in ("title", "subtitle") if prefix and f"{prefix}title" not in child.fields else ():
        if name in parent.fields:
            given[f"{prefix}{name}"] = parent.fields[name]
    if prefix == "journal" and "journal" in child.fields:
        given.pop("journaltitle", None)
    if child.kind in ("inbook", "bookinbook", "suppbook") and "author" in parent.fields:
        given["bookauthor"] = parent.fields["author"]
    elif prefix:
        given.pop("author", None)
    return given

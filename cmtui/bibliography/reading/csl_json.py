"""CSL-JSON, as Zotero, pandoc, citeproc and ``bibliography export`` write it."""

from __future__ import annotations

import json
from typing import Any

from cmtui.bibliography.metadata import read_item
from cmtui.model.importing import ImportedBibliography, ImportedEntry, ImportProblem


def read(text: str) -> ImportedBibliography:
    """The items of a file: a list, one item, or an object with ``items``. Wrong fields are left out and
    named; an item that cannot be used, or whose id was used before, is a problem by line.

    Raises ValueError when the text is no JSON.
    """
    value = json.loads(text)
    if isinstance(value, dict):
        value = value["items"] if isinstance(value.get("items"), list) else [value]
    lines = _lines(text, len(value))
    entries: list[ImportedEntry] = []
    problems: list[ImportProblem] = []
    seen: dict[str, int] = {}
    for index, (item, line) in enumerate(zip(value, lines, strict=True), 1):
        key = str(item.get("id", "") or f"item{index}") if isinstance(item, dict) else f"item{index}"
        if key in seen:
            problems.append(
                ImportProblem(line, f"The id '{key}' is already used in line {seen[key]}; left out.", key)
            )
            continue
        reading = read_item(item)
        fatal = [message for name, message in reading.errors if name in ("item", "type")]
        if fatal:
            problems.append(ImportProblem(line, f"Item '{key}' was left out: {' '.join(fatal)}", key))
            continue
        seen[key] = line
        warnings = [f"{name}: {message} It is left out." for name, message in reading.errors]
        warnings += [f"{name}: CSL has no such field; it is left out." for name in reading.unknown]
        entries.append(ImportedEntry(key, reading.item, (), line, tuple(warnings)))
    return ImportedBibliography("csl-json", tuple(entries), tuple(problems))


def _lines(text: str, count: int) -> list[int]:
    """The line on which each item of the outermost list of objects begins."""
    decoder = json.JSONDecoder()
    start = text.find("[")
    if not text.lstrip().startswith("["):
        marker = text.find('"items"')
        if marker < 0:
            return [text[: len(text) - len(text.lstrip())].count("\n") + 1] * count
        start = text.find("[", marker)
    position, line = start + 1, text.count("\n", 0, start + 1) + 1
    lines: list[int] = []
    while len(lines) < count:
        begin = position
        while position < len(text) and text[position] in ", \t\r\n":
            position += 1
        line += text.count("\n", begin, position)
        lines.append(line)
        try:
            end = decoder.raw_decode(text, position)[1]
        except ValueError:  # "items" named something else before: the lines are unknown, the items are not
            return [1] * count
        line += text.count("\n", position, end)
        position = end
    return lines


def write(items: list[dict[str, Any]]) -> str:
    """Items as a JSON file, one list, two blanks of indent, keys in their order."""
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"

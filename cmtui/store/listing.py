"""What is in a store, as its catalogue says, without opening it.

For a process that lists and leaves. It answers only when everything is as a finished commit leaves it: no
commit under way, the catalogue of this very generation, the same files in the directory. In every other case
the answer is None, and whoever asked opens the store, which mends it or says what is wrong. Nothing here
writes, and nothing is imported that takes long to import.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from cmtui.store.layout import CATALOGUE_SCHEMA, DIGEST_ALGORITHM, FORMAT_VERSION, Layout, id_of_file

_GENERATION = {"counter", "changes", "added", "removed"}
_BIBLIOGRAPHY = {
    "format",
    "source_id",
    "item",
    "history",
    "updated_at",
    "notices",
    "notices_checked_at",
}


class ListedWarning(NamedTuple):
    """As ``cmtui.model.source.IngestWarning``."""

    code: str
    message: str
    pages: tuple[int, ...]


class ListedDocument(NamedTuple):
    """The fields of ``cmtui.model.source.DocumentSummary`` that a listing prints, and the stated title."""

    document_id: str
    source_id: str
    source_version: str
    kind: str
    name: str
    reference: str
    characters: int
    pages: int
    passages: int
    language: str | None
    warnings: tuple[ListedWarning, ...]
    current: bool
    title: str | None


def quick_listing(root: Path) -> list[ListedDocument] | None:
    """One row per document, sorted by source name, then document id; None when the store must be opened."""
    layout = Layout(root)
    try:
        if os.path.lexists(layout.lock.with_name("lock.info")) or not _is_known_format(layout):
            return None
        before = layout.generation.read_bytes()
        listed = _read(layout, before)
        # A commit in between may have been seen half.
        return listed if layout.generation.read_bytes() == before else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _is_known_format(layout: Layout) -> bool:
    stated = json.loads(layout.format_file.read_bytes())
    return bool(stated == {"format": FORMAT_VERSION, "digest": DIGEST_ALGORITHM})


def _read(layout: Layout, raw: bytes) -> list[ListedDocument] | None:
    import sqlite3

    generation = json.loads(raw)
    if not generation.keys() <= _GENERATION:
        return None
    try:
        connection = sqlite3.connect(f"{layout.catalogue.as_uri()}?mode=ro", uri=True, timeout=0.0)
        try:
            schema, changes = connection.execute("select schema, changes from meta").fetchone()
            if schema != CATALOGUE_SCHEMA or changes != generation["changes"]:
                return None
            documents = connection.execute(
                "select document_id, version_id, kind, characters, pages, passages, language, warnings"
                " from documents"
            ).fetchall()
            sources = connection.execute("select source_id, record, inode, size, mtime_ns from sources")
            records = {source_id: (record, tuple(stamp)) for source_id, record, *stamp in sources}
        finally:
            connection.close()
    except sqlite3.Error:
        return None
    rows = {document[0]: document for document in documents}
    if _ids(layout.snapshots) != rows.keys() or _ids(layout.removed) & rows.keys():
        return None
    if _stamps(layout.sources) != {source_id: stamp for source_id, (_, stamp) in records.items()}:
        return None
    return _rows(layout, rows, [json.loads(record) for record, _ in records.values()])


def _rows(layout: Layout, rows: dict[str, Any], sources: list[dict[str, Any]]) -> list[ListedDocument] | None:
    described = _ids(layout.bibliography)
    listed: list[ListedDocument] = []
    for source in sources:
        source_id, reference = source["source_id"], source["reference"]
        title = _title(layout.bibliography_of(source_id), source_id) if source_id in described else None
        documents = source["documents"]
        for place, document in enumerate(documents, 1):
            # Each document once, in a source that names no other: anything else is for the store to settle.
            values = rows.pop(document["document_id"], None)
            if values is None:
                return None
            document_id, version_id, kind, characters, pages, passages, language, warnings = values
            listed.append(
                ListedDocument(
                    document_id,
                    source_id,
                    version_id,
                    kind,
                    _name(reference),
                    reference,
                    characters,
                    pages,
                    passages,
                    language,
                    ()
                    if warnings == b"[]"
                    else tuple(
                        ListedWarning(w["code"], w["message"], tuple(w.get("pages", ())))
                        for w in json.loads(warnings)
                    ),
                    place == len(documents),
                    title,
                )
            )
    if rows:
        return None
    listed.sort(key=lambda row: (row.name, row.document_id))
    return listed


def _title(path: Path, source_id: str) -> str | None:
    """The title that a bibliography sidecar states. Raises ValueError for one the store must look at."""
    record = json.loads(path.read_bytes())
    if (
        not record.keys() <= _BIBLIOGRAPHY
        or record["format"] != FORMAT_VERSION
        or record["source_id"] != source_id
    ):
        raise ValueError("not a sidecar of this format")
    title = record["item"].get("title")
    return title if isinstance(title, str) and title else None


def _name(reference: str) -> str:
    """As ``cmtui.model.source.source_name``."""
    from urllib.parse import unquote

    return unquote(reference.rstrip("/").rsplit("/", 1)[-1])


def _ids(folder: Path) -> set[str]:
    """The ids that files of a folder are named for; none when there is no such folder."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names are all that is needed
    except FileNotFoundError:
        return set()
    return {found for name in names if (found := id_of_file(name)) is not None}


def _stamps(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Inode, size and modification time of each source's file."""
    found = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            source_id = id_of_file(entry.name)
            if source_id is not None:
                status = entry.stat()
                found[source_id] = (status.st_ino, status.st_size, status.st_mtime_ns)
    return found

"""The catalogue: one SQLite row per document and source, so that opening a store reads no snapshot.

Derived data: whatever is wrong with the file, the answer is None ("ask the directory") and the file is made
anew. Each row carries the number of the change that wrote it, so that a process reads only what others
changed since it last looked. Connections live as long as one call: no thread or deleted file can hold a stale
one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cmtui.model.identity import SourceKind
from cmtui.model.source import IngestWarning
from cmtui.store import atomic
from cmtui.store.layout import CATALOGUE_SCHEMA
from cmtui.store.library import Row
from cmtui.store.records import SourceFile, decode, encode

if TYPE_CHECKING:
    import sqlite3

SCHEMA = CATALOGUE_SCHEMA

_KINDS = {str(kind): kind for kind in SourceKind}

_TABLES = """
create table meta (schema integer not null, changes integer not null);
create table documents (
  document_id text primary key, version_id text not null, kind text not null, bytes_sha256 text not null,
  size integer not null, profile text not null, characters integer not null, pages integer not null,
  passages integer not null, language text, warnings blob not null, change integer not null
) without rowid;
create index documents_change on documents (change);
create table sources (
  source_id text primary key, record blob not null, inode integer not null, size integer not null,
  mtime_ns integer not null, change integer not null
) without rowid;
create index sources_change on sources (change);
create table removed (document_id text primary key, change integer not null) without rowid;
"""

#: Inode, size and modification time of a source's file: when they differ, the file is read again.
FileStamp = tuple[int, int, int]


def stamp_of(status: os.stat_result) -> FileStamp:
    """The stamp of a file."""
    return (status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class Listing:
    """What the catalogue says: documents, sources with their stamps, and up to which change.

    ``removed`` are documents that left; none of them is in ``rows``.
    """

    rows: list[Row]
    sources: list[tuple[SourceFile, FileStamp]]
    changes: int
    removed: list[str]


class Catalogue:
    """``derived/catalogue.sqlite``."""

    def __init__(self, path: Path, *, timeout: float) -> None:
        self._path = path
        self._timeout = timeout

    def read(self, since: int = -1) -> Listing | None:
        """Everything that changed after change ``since``; None when the catalogue cannot say."""
        import sqlite3

        if not self._path.exists():
            return None
        try:
            with _connect(self._path, self._timeout) as connection:
                schema, changes = connection.execute("select schema, changes from meta").fetchone()
                if schema != SCHEMA:
                    return None
                documents = connection.execute(
                    "select document_id, version_id, kind, bytes_sha256, size, profile, characters, pages,"
                    " passages, language, warnings from documents where change > ?",
                    (since,),
                ).fetchall()
                sources = connection.execute(
                    "select record, inode, size, mtime_ns from sources where change > ?", (since,)
                ).fetchall()
                removed = connection.execute(
                    "select document_id from removed where change > ?", (since,)
                ).fetchall()
                return Listing(
                    rows=[_row(values) for values in documents],
                    sources=[
                        (decode(record, SourceFile), (inode, size, mtime_ns))
                        for record, inode, size, mtime_ns in sources
                    ],
                    changes=changes,
                    removed=[document_id for (document_id,) in removed],
                )
        except (sqlite3.Error, ValueError, TypeError, KeyError, OSError):
            return None

    def write(
        self,
        rows: Iterable[Row],
        sources: Iterable[tuple[SourceFile, FileStamp]],
        *,
        changes: int,
        after: int | None,
        removed: Iterable[str] = (),
    ) -> bool:
        """Store rows as of change ``changes``, and forget ``removed`` ones.

        False when the catalogue must be written whole.
        ``after`` is the change the file must be at; None writes it whole. A file that cannot be written is
        removed: a catalogue that is behind would be worse than none.
        """
        import sqlite3

        path = self._path if after is not None else self._path.with_name(f"catalogue.{os.getpid()}.new")
        try:
            if after is None:
                # Under the commit lock: whatever others left half written, nobody is writing it now.
                for leftover in self._path.parent.glob("catalogue.*.new"):
                    _forget(leftover)
            elif not path.exists():
                return False
            with _connect(path, self._timeout) as connection, connection:
                if after is None:
                    connection.executescript(_TABLES)
                    connection.execute("insert into meta values (?, ?)", (SCHEMA, changes))
                else:
                    found = connection.execute("select schema, changes from meta").fetchone()
                    if found is None or found[0] != SCHEMA or found[1] < after:
                        return False
                    connection.execute("update meta set changes = ?", (changes,))
                gone = [(document_id, changes) for document_id in removed]
                connection.executemany("insert or replace into removed values (?, ?)", gone)
                connection.executemany("delete from documents where document_id = ?", [g[:1] for g in gone])
                added = [_values(row, changes) for row in rows]
                connection.executemany(
                    f"insert or replace into documents values ({', '.join('?' * 12)})",  # noqa: S608
                    added,
                )
                if after is not None:
                    connection.executemany(
                        "delete from removed where document_id = ?", [values[:1] for values in added]
                    )
                connection.executemany(
                    "insert or replace into sources values (?, ?, ?, ?, ?, ?)",
                    ((s.source_id, encode(s), *stamp, changes) for s, stamp in sources),
                )
            if after is None:
                # Whole or not at all: a reader must never take half a list for the library.
                _forget(self._path, keep_database=True)
                path.replace(self._path)
        except (sqlite3.Error, OSError):
            _forget(path)
            return False
        return True

    def remove(self) -> None:
        """Forget everything."""
        _forget(self._path)


@contextlib.contextmanager
def _connect(path: Path, timeout: float) -> Iterator[sqlite3.Connection]:
    import sqlite3

    if not path.exists():
        path.parent.mkdir(mode=atomic.FOLDER_MODE, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, atomic.FILE_MODE))
    connection = sqlite3.connect(path, timeout=timeout)
    try:
        # No fsync: after a power cut the file may be damaged, and is then made anew.
        connection.execute("pragma synchronous = off")
        yield connection
    finally:
        connection.close()


def _forget(path: Path, *, keep_database: bool = False) -> None:
    for suffix in ("-journal", "-wal", "-shm") if keep_database else ("", "-journal", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).unlink()


def _values(row: Row, change: int) -> tuple[object, ...]:
    return (
        row.document_id,
        row.version_id,
        str(row.kind),
        row.bytes_sha256,
        row.size,
        row.profile,
        row.characters,
        row.pages,
        row.passages,
        row.language,
        msgspec.json.encode(row.warnings),
        change,
    )


def _row(values: tuple[str, str, str, str, int, str, int, int, int, str | None, bytes]) -> Row:
    document_id, version_id, kind, digest, size, profile, characters, pages, passages, language, raw = values
    warnings = () if raw == b"[]" else decode(raw, tuple[IngestWarning, ...])
    return Row(
        document_id,
        version_id,
        _KINDS[kind],
        digest,
        size,
        profile,
        characters,
        pages,
        passages,
        language,
        warnings,
    )

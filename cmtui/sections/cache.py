"""The citation cache: what complete answers held, by query hash (R157, R163, R171 to R173).

Derived data in SQLite. An entry holds the candidates of complete answers, never a verdict: every hit is
judged anew against the section that asks (R172). An answer with a failure in it is not kept, so a bad minute
cannot pass for an empty literature. Each entry carries the SHA-256 of its payload; one that does not match is
ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from cmtui.model.sections import CitationCandidate

_SCHEMA = """
CREATE TABLE IF NOT EXISTS citation_cache (
    query_hash TEXT PRIMARY KEY,
    query TEXT NOT NULL,
    providers TEXT NOT NULL,
    stored_at TEXT NOT NULL,
    payload TEXT NOT NULL,
    payload_sha256 TEXT NOT NULL
) STRICT
"""


@dataclass(frozen=True, slots=True)
class CacheState:
    """How many entries there are, how many of them are too old, and the bytes of the file."""

    entries: int
    expired: int
    size: int


class CitationCache:
    """The table in the file at ``path``. A file that cannot be read is deleted: nothing in it is truth."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, query_hash: str, *, now: datetime, ttl_days: int) -> tuple[CitationCandidate, ...] | None:
        """The candidates of an entry that is young enough and whole, else None (R171)."""
        with self._open() as base:
            row = base.execute(
                "SELECT stored_at, payload, payload_sha256 FROM citation_cache WHERE query_hash = ?",
                (query_hash,),
            ).fetchone()
        if row is None or _expired(row[0], now, ttl_days) or _digest(row[1]) != row[2]:
            return None
        try:
            return tuple(_candidate(one) for one in json.loads(row[1]))
        except (TypeError, ValueError):
            return None

    def put(
        self,
        query_hash: str,
        *,
        query: str,
        providers: Sequence[str],
        candidates: Sequence[CitationCandidate],
        now: datetime,
    ) -> None:
        """Keep the candidates of complete answers, over what was there."""
        payload = json.dumps([asdict(one) for one in candidates], ensure_ascii=False, sort_keys=True)
        with self._open() as base:
            base.execute(
                "INSERT OR REPLACE INTO citation_cache VALUES (?, ?, ?, ?, ?, ?)",
                (query_hash, query, ",".join(providers), now.isoformat(), payload, _digest(payload)),
            )

    def state(self, *, now: datetime, ttl_days: int) -> CacheState:
        """Counts and size."""
        with self._open() as base:
            stamps = [row[0] for row in base.execute("SELECT stored_at FROM citation_cache")]
        expired = sum(_expired(stamp, now, ttl_days) for stamp in stamps)
        return CacheState(len(stamps), expired, self._path.stat().st_size)

    def purge(self, *, now: datetime, ttl_days: int) -> int:
        """Remove entries that are too old (R173). Returns how many."""
        with self._open() as base:
            old = [
                key
                for key, stamp in base.execute("SELECT query_hash, stored_at FROM citation_cache")
                if _expired(stamp, now, ttl_days)
            ]
            base.executemany("DELETE FROM citation_cache WHERE query_hash = ?", [(key,) for key in old])
        return len(old)

    def clear(self) -> int:
        """Remove every entry. Returns how many."""
        with self._open() as base:
            return base.execute("DELETE FROM citation_cache").rowcount

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            base = self._connected()
        except sqlite3.DatabaseError:
            self._path.unlink(missing_ok=True)
            base = self._connected()
        try:
            with base:
                yield base
        finally:
            base.close()

    def _connected(self) -> sqlite3.Connection:
        base = sqlite3.connect(self._path, timeout=10.0)
        try:
            base.execute(_SCHEMA)
        except sqlite3.DatabaseError:
            base.close()
            raise
        return base


def _expired(stamp: str, now: datetime, ttl_days: int) -> bool:
    try:
        stored = datetime.fromisoformat(stamp)
    except ValueError:
        return True
    # A stamp of the future is a clock that was wrong.
    return not stored <= now < stored + timedelta(days=ttl_days)


def _digest(payload: str) -> str:
    return hashlib.sha256(payload.encode("utf-8")).hexdigest()


def _candidate(row: dict[str, Any]) -> CitationCandidate:
    return CitationCandidate(**{**row, "authors": tuple(row["authors"]), "sources": tuple(row["sources"])})

"""Embeddings in one growing file of records, mapped as float32, keyed by model and text (D4).

A record is the SHA-256 of a text, the window and the number of windows, the vector, and a check sum. Records
are appended in one write under a lock; a torn end is cut off, a record whose sum is wrong counts as absent,
and a text counts as embedded only when all of its windows are there. The file may be deleted at any time.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cmtui.store.locks import FolderLock

#: Seconds to wait for another process that appends.
LOCK_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Embeddings:
    """``vectors[order[starts[t]:starts[t] + counts[t]]]`` are the windows of the text ``digests[t]``;
    digests ascend."""

    digests: npt.NDArray[np.bytes_]
    starts: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float32]

    def find(self, digests: npt.NDArray[np.bytes_]) -> npt.NDArray[np.int64]:
        """The place of each digest among ``digests``, or -1."""
        if not self.digests.size:
            return np.full(digests.size, -1, np.int64)
        at = np.searchsorted(self.digests, digests)
        at[at == self.digests.size] = 0
        return np.where(self.digests[at] == digests, at, -1)


class EmbeddingFile:
    """The file of one model, or memory where ``path`` is None or cannot be written."""

    def __init__(self, path: Path | None, dimensions: int) -> None:
        self._path = path
        self._dtype = np.dtype(
            [
                ("digest", "S32"),
                ("window", "<u2"),
                ("windows", "<u2"),
                ("vector", "<f4", (dimensions,)),
                ("check", "<u4"),
            ]
        )
        self._own: list[npt.NDArray[Any]] = []

    def read(self) -> Embeddings:
        """Everything that is whole."""
        parts = [*self._mapped(), *self._own]
        records = (
            parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0, self._dtype)
        )
        good = np.flatnonzero((records["check"] == _checks(records)) & (records["windows"] > 0))
        digests, window = records["digest"][good], records["window"][good]
        by_text = good[np.lexsort((window, digests))]
        key = records["digest"][by_text]
        number = records["window"][by_text]
        first = np.ones(by_text.size, np.bool_)
        first[1:] = (key[1:] != key[:-1]) | (number[1:] != number[:-1])
        by_text = by_text[first]  # two processes may have embedded one text
        texts, starts, counts = np.unique(records["digest"][by_text], return_index=True, return_counts=True)
        whole = counts == records["windows"][by_text[starts]]
        return Embeddings(
            texts[whole],
            starts[whole].astype(np.int64),
            counts[whole].astype(np.int64),
            by_text.astype(np.int64),
            records["vector"],
        )

    def append(self, digest: bytes, vectors: npt.NDArray[np.float32]) -> None:
        """Keep the windows of one text."""
        self.append_many([(digest, vectors)])

    def append_many(self, rows: list[tuple[bytes, npt.NDArray[np.float32]]]) -> None:
        """Keep several texts in one write."""
        records = np.zeros(sum(len(vectors) for _, vectors in rows), self._dtype)
        at = 0
        for digest, vectors in rows:
            for window, vector in enumerate(vectors):
                records[at]["digest"] = digest
                records[at]["window"], records[at]["windows"] = window, len(vectors)
                records[at]["vector"] = vector
                at += 1
        records["check"] = _checks(records)
        if self._path is None or not self._written(records.tobytes()):
            self._own.append(records)

    def clear(self) -> None:
        """Forget what is in memory alone."""
        self._own.clear()

    def _written(self, data: bytes) -> bool:
        from cmtui.errors import StoreError

        assert self._path is not None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FolderLock(self._path.with_suffix(".lock"), timeout=LOCK_SECONDS).hold("embeddings"):
                descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
                try:
                    size = os.fstat(descriptor).st_size
                    whole = size - size % self._dtype.itemsize
                    if whole != size:
                        os.ftruncate(descriptor, whole)
                    if os.write(descriptor, data) != len(data):
                        os.ftruncate(descriptor, whole)
                        return False
                finally:
                    os.close(descriptor)
        except (OSError, StoreError):
            return False
        return True

    def _mapped(self) -> list[npt.NDArray[Any]]:
        if self._path is None:
            return []
        try:
            count = self._path.stat().st_size // self._dtype.itemsize
            return [np.memmap(self._path, self._dtype, "r", shape=(count,))] if count else []
        except OSError:
            return []


def _checks(records: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """A weighted sum of the 32-bit words of each record, apart from the sum itself."""
    size = records.dtype.itemsize // 4
    words = np.ascontiguousarray(records).view(np.uint8).reshape(records.size, -1) if records.size else None
    if words is None:
        return np.empty(0, np.uint32)
    weights = np.arange(1, size, dtype=np.uint64) * np.uint64(2_654_435_761)
    sums = np.empty(records.size, np.uint32)
    for first in range(0, records.size, 4_096):
        part = words[first : first + 4_096].view("<u4")[:, : size - 1].astype(np.uint64)
        sums[first : first + 4_096] = ((part * weights).sum(axis=1) >> np.uint64(16)).astype(np.uint32)
    return sums

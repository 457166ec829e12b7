"""One file of feature rows, mapped into memory: by row (CSR) for exact scores, by place (CSC) for a query.

A segment never changes. Its header names the features and carries a CRC-32 of every array; a file that does
not agree with its header is not used (and its texts are read again). No pickles: plain arrays.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
import numpy.typing as npt

from cmtui.errors import IndexDamaged
from cmtui.retrieval.vectors import DIMENSIONS, FeatureRows, ragged
from cmtui.store.layout import TEMPORARY_SUFFIX

#: Rows of the largest segment: a row number fits two bytes.
MAX_ROWS = 65_536
MAGIC = b"cmtui-vectors-1\n"
#: Relative error of the weights by place, which are halved to 16 bits; exact ones lie by row.
HALF_ERROR = 2.0**-11

_DTYPES: Mapping[str, str] = {
    "digests": "|S32",
    "order": "<u2",  # rows in the order of their digests
    "starts": "<u4",
    "places": "<u2",
    "weights": "<f4",
    "column_starts": "<u4",
    "column_rows": "<u2",
    "column_weights": "<f2",
    "keys": "<u8",
    "key_starts": "<u4",
    "key_rows": "<u2",
}
_ALIGN = 64
_COLUMNS_TOGETHER = 2_048

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Segment:
    """The arrays of one segment, mapped or in memory; ``sorted_digests`` are in ascending order."""

    path: Path | None
    arrays: Mapping[str, npt.NDArray[Any]]
    sorted_digests: npt.NDArray[np.bytes_]

    @property
    def rows(self) -> int:
        """How many texts."""
        return int(self.arrays["order"].size)

    def find(self, digests: npt.NDArray[np.bytes_]) -> npt.NDArray[np.int64]:
        """The row of each digest, or -1."""
        at = np.searchsorted(self.sorted_digests, digests)
        at[at == self.rows] = 0
        found = self.sorted_digests[at] == digests
        return np.where(found, self.arrays["order"][at].astype(np.int64), -1)

    def column(self, place: int) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float16]]:
        """The rows that have a place, with their weights to 11 bits."""
        starts = self.arrays["column_starts"]
        part = slice(int(starts[place]), int(starts[place + 1]))
        return self.arrays["column_rows"][part], self.arrays["column_weights"][part]

    def rows_of_key(self, key: int) -> npt.NDArray[np.uint16]:
        """The rows that have a stem or concept."""
        keys = self.arrays["keys"]
        at = int(np.searchsorted(keys, np.uint64(key)))
        if at == keys.size or int(keys[at]) != key:
            return np.empty(0, np.uint16)
        starts = self.arrays["key_starts"]
        return self.arrays["key_rows"][int(starts[at]) : int(starts[at + 1])]

    def cells(self, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The indexes into ``places`` and ``weights`` of some rows, and how many each row has."""
        starts = self.arrays["starts"].astype(np.int64)
        sizes = starts[rows + 1] - starts[rows]
        return ragged(starts[rows], sizes), sizes


def built(rows: FeatureRows, digests: npt.NDArray[np.bytes_]) -> Segment:
    """A segment in memory, at most MAX_ROWS long."""
    size = rows.rows
    row_of = np.repeat(np.arange(size, dtype=np.int64), np.diff(rows.starts)).astype(np.uint16)
    by_place = np.argsort(rows.places, kind="stable")
    key_row_of = np.repeat(np.arange(size, dtype=np.int64), np.diff(rows.key_starts)).astype(np.uint16)
    by_key = np.argsort(rows.keys, kind="stable")
    keys, counts = np.unique(rows.keys, return_counts=True)
    return _segment(
        None,
        {
            "digests": digests,
            "order": np.argsort(digests, kind="stable").astype(np.uint16),
            "starts": rows.starts.astype(np.uint32),
            "places": rows.places,
            "weights": rows.weights,
            "column_starts": _counted(np.bincount(rows.places, minlength=DIMENSIONS)),
            "column_rows": row_of[by_place],
            "column_weights": rows.weights[by_place].astype(np.float16),
            "keys": keys,
            "key_starts": _counted(counts),
            "key_rows": key_row_of[by_key],
        },
    )


def write_segment(segment: Segment, path: Path, name: str) -> Segment:
    """Write a segment to ``path``, all at once, and map it. Raises OSError."""
    sizes = {key: array.size for key, array in segment.arrays.items()}
    return _write(path, name, sizes, lambda out: _copy(segment, out))


def merge_segments(segments: Sequence[Segment], path: Path, name: str) -> Segment:
    """Write the rows of several segments as one, straight from file to file. Raises OSError."""
    keys = np.unique(np.concatenate([one.arrays["keys"] for one in segments]))
    sizes = {key: sum(one.arrays[key].size for one in segments) for key in _DTYPES}
    sizes["starts"] = sizes["order"] + 1
    sizes["column_starts"] = DIMENSIONS + 1
    sizes["keys"], sizes["key_starts"] = keys.size, keys.size + 1
    return _write(path, name, sizes, lambda out: _merge(segments, keys, out))


def open_segment(path: Path, name: str) -> Segment:
    """Map a segment and hold it to its header. Raises IndexDamaged, and OSError when there is no file."""
    with path.open("rb") as file:
        try:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise _damaged(path) from error
    try:
        arrays = _views(mapped, name)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(path) from error
    segment = _segment(path, arrays)
    starts = arrays["starts"]
    if segment.rows > MAX_ROWS or starts.size != segment.rows + 1 or int(starts[-1]) != arrays["places"].size:
        raise _damaged(path)
    return segment


# -- files -----------------------------------------------------------------------------------------------


def _write(path: Path, name: str, sizes: Mapping[str, int], fill: Any) -> Segment:
    layout: dict[str, list[int]] = {}
    offset = 0
    for key, dtype in _DTYPES.items():
        layout[key] = [offset, sizes[key]]
        offset += -(-sizes[key] * np.dtype(dtype).itemsize // _ALIGN) * _ALIGN
    blank = json.dumps({"name": name, "arrays": layout, "crc": dict.fromkeys(_DTYPES, 0xFFFFFFFF)})
    base = -(-(len(MAGIC) + 8 + len(blank)) // _ALIGN) * _ALIGN
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{token_hex(4)}{TEMPORARY_SUFFIX}")
    try:
        with temporary.open("x+b") as file:
            temporary.chmod(0o600)
            file.truncate(base + max(offset, _ALIGN))
            # Reserves the blocks: a full disk is an error here and not a bus error on the mapped file.
            os.posix_fallocate(file.fileno(), 0, base + max(offset, _ALIGN))
            with mmap.mmap(file.fileno(), 0) as mapped:
                out = {
                    key: np.frombuffer(mapped, _DTYPES[key], size, base + place)
                    for key, (place, size) in layout.items()
                }
                fill(out)
                crc = {key: _crc(array) for key, array in out.items()}
                header = json.dumps({"name": name, "arrays": layout, "crc": crc}).encode("ascii")
                header = header.ljust(base - len(MAGIC) - 8)
                mapped[:base] = MAGIC + len(header).to_bytes(8, "little") + header
                mapped.flush()
                del out
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return open_segment(path, name)


def _views(mapped: mmap.mmap, name: str) -> Arrays:
    if mapped[: len(MAGIC)] != MAGIC:
        raise ValueError("not a segment")
    length = int.from_bytes(mapped[len(MAGIC) : len(MAGIC) + 8], "little")
    base = len(MAGIC) + 8 + length
    header = json.loads(mapped[len(MAGIC) + 8 : base])
    if header["name"] != name:
        raise ValueError("other features")
    arrays = {
        key: np.frombuffer(mapped, dtype, header["arrays"][key][1], base + header["arrays"][key][0])
        for key, dtype in _DTYPES.items()
    }
    for key, array in arrays.items():
        if _crc(array) != header["crc"][key]:
            raise ValueError(f"{key} is damaged")
    return arrays


def _segment(path: Path | None, arrays: Arrays) -> Segment:
    return Segment(path, arrays, arrays["digests"][arrays["order"]])


def _copy(segment: Segment, out: Arrays) -> None:
    for key, array in segment.arrays.items():
        out[key][:] = array


def _merge(segments: Sequence[Segment], keys: npt.NDArray[np.uint64], out: Arrays) -> None:
    row = cell = 0
    for one in segments:
        size, cells = one.rows, one.arrays["places"].size
        out["digests"][row : row + size] = one.arrays["digests"]
        out["starts"][row : row + size] = one.arrays["starts"][:-1] + np.uint32(cell)
        out["places"][cell : cell + cells] = one.arrays["places"]
        out["weights"][cell : cell + cells] = one.arrays["weights"]
        row, cell = row + size, cell + cells
    out["starts"][row] = cell
    out["order"][:] = np.argsort(out["digests"], kind="stable").astype(np.uint16)
    counts = [_sizes(one.arrays["column_starts"]) for one in segments]
    out["column_starts"][:] = _counted(np.sum(counts, axis=0))
    key_counts = []
    for one in segments:
        count = np.zeros(keys.size, np.int64)
        count[np.searchsorted(keys, one.arrays["keys"])] = _sizes(one.arrays["key_starts"])
        key_counts.append(count)
    out["keys"][:] = keys
    out["key_starts"][:] = _counted(np.sum(key_counts, axis=0))
    next_column = out["column_starts"][:-1].astype(np.int64)
    next_key = out["key_starts"][:-1].astype(np.int64)
    row = 0
    for one, count, key_count in zip(segments, counts, key_counts, strict=True):
        source = 0
        for first in range(0, DIMENSIONS, _COLUMNS_TOGETHER):
            part = slice(first, first + _COLUMNS_TOGETHER)
            to = ragged(next_column[part], count[part])
            taken = slice(source, source + to.size)
            out["column_rows"][to] = one.arrays["column_rows"][taken] + np.uint16(row)
            out["column_weights"][to] = one.arrays["column_weights"][taken]
            source += to.size
        out["key_rows"][ragged(next_key, key_count)] = one.arrays["key_rows"] + np.uint16(row)
        next_column += count
        next_key += key_count
        row += one.rows


def _counted(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.uint32)


def _sizes(starts: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    return np.asarray(starts[1:], np.int64) - np.asarray(starts[:-1], np.int64)


def _crc(array: npt.NDArray[Any]) -> int:
    return zlib.crc32(array.view(np.uint8).data) if array.size else 0


def _damaged(path: Path) -> IndexDamaged:
    return IndexDamaged(
        f"The file of vectors '{path}' is damaged.", "It is made anew when it is next needed."
    )

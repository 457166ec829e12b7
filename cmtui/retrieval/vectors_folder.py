"""A folder of segments: found by the digest of a text, added to, merged in tiers, shared by processes.

Everything in it is derived (D4): the folder may be deleted at any time, and a file that is damaged or of
other features counts as absent. Where nothing can be written, segments live as long as the process.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from secrets import token_hex

import numpy as np
import numpy.typing as npt

from cmtui.errors import IndexDamaged, StoreError
from cmtui.retrieval.vectors import FeatureRows
from cmtui.retrieval.vectors_segment import (
    MAX_ROWS,
    Segment,
    built,
    merge_segments,
    open_segment,
    write_segment,
)
from cmtui.store.atomic import remove_temporaries, write_whole
from cmtui.store.locks import FolderLock

#: Seconds to wait for another process that publishes; after that the rows stay in memory.
LOCK_SECONDS = 10.0
#: Segments of one tier that are merged into one of the next; a tier has eight times the rows of the last.
MERGED = 8
_TIERS = (512, 4_096, 32_768)
_LIST = "segments.json"


class VectorFolder:
    """The segments of one kind of features under ``folder`` (None: in memory alone). Not safe for threads."""

    def __init__(self, folder: Path | None, name: str) -> None:
        self._name = name
        self._root = folder
        self._folder = None if folder is None else folder / name.replace("/", "-")
        self._segments: dict[str, Segment] = {}
        self._own: list[Segment] = []

    def segments(self) -> tuple[Segment, ...]:
        """All segments that can be read now, those in memory last. Damaged files are left out."""
        listed = self._listed()
        for name in set(self._segments) - set(listed):
            del self._segments[name]
        for name in listed:
            if name not in self._segments and self._folder is not None:
                with contextlib.suppress(OSError, IndexDamaged):
                    self._segments[name] = open_segment(self._folder / name, self._name)
        return (*(self._segments[name] for name in listed if name in self._segments), *self._own)

    def add(self, rows: FeatureRows, digests: npt.NDArray[np.bytes_]) -> None:
        """Keep rows, at most MAX_ROWS of them; merge when a tier is full."""
        segment = built(rows, digests)
        if self._folder is None:
            self._own.append(segment)
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FolderLock(self._folder / "lock", timeout=LOCK_SECONDS).hold("vectors"):
                remove_temporaries(self._folder)
                self._remove_other_versions()
                listed = [name for name in self._listed() if self._readable(name)]
                name = f"{token_hex(8)}.vec"
                self._segments[name] = write_segment(segment, self._folder / name, self._name)
                self._publish(self._merged([*listed, name]))
        except (OSError, StoreError):
            self._own.append(segment)

    def _publish(self, names: Sequence[str]) -> None:
        assert self._folder is not None
        write_whole(self._folder / _LIST, json.dumps(list(names)).encode("ascii"))
        for path in self._folder.glob("*.vec"):
            if path.name not in names:
                path.unlink(missing_ok=True)
                self._segments.pop(path.name, None)

    def _merged(self, names: list[str]) -> list[str]:
        """The list after merging every full tier, smallest first."""
        assert self._folder is not None
        for tier in range(len(_TIERS)):
            for chosen in self._full(names, tier):
                name = f"{token_hex(8)}.vec"
                parts = [self._segments[one] for one in chosen]
                self._segments[name] = merge_segments(parts, self._folder / name, self._name)
                names = [one for one in names if one not in chosen] + [name]
        return names

    def _full(self, names: Sequence[str], tier: int) -> Iterator[list[str]]:
        least = _TIERS[tier - 1] if tier else 0
        inside = [n for n in names if least <= self._segments[n].rows < _TIERS[tier]]
        while len(inside) >= MERGED:
            taken: list[str] = []
            rows = 0
            while inside and rows + self._segments[inside[0]].rows <= MAX_ROWS and len(taken) < MERGED:
                rows += self._segments[inside[0]].rows
                taken.append(inside.pop(0))
            yield taken

    def _readable(self, name: str) -> bool:
        """Whether a listed segment can be read; one that cannot leaves the list."""
        assert self._folder is not None
        if name not in self._segments or not (self._folder / name).exists():
            self._segments.pop(name, None)
            with contextlib.suppress(OSError, IndexDamaged):
                self._segments[name] = open_segment(self._folder / name, self._name)
        return name in self._segments

    def _listed(self) -> list[str]:
        if self._folder is None:
            return []
        try:
            names = json.loads((self._folder / _LIST).read_bytes())
        except (OSError, ValueError):
            return []
        good = isinstance(names, list) and all(isinstance(n, str) and Path(n).name == n for n in names)
        return list(dict.fromkeys(names)) if good else []

    def _remove_other_versions(self) -> None:
        """Vectors of features that this program no longer makes. Others that are open stay mapped."""
        assert self._root is not None
        assert self._folder is not None
        for other in self._root.glob("local-hash-*"):
            if other != self._folder:
                shutil.rmtree(other, ignore_errors=True)

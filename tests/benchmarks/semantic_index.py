"""The semantic index over many passages: ``python -m tests.benchmarks.semantic_index PASSAGES.jsonl [N]``.

Rows are ``{"t": text}`` or ``{"text": text}``. Prints the time to make the vectors, a first query in a new
process, warm queries, and the anonymous memory of the process beside what it has mapped.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from cmtui.model.retrieval import PassageProjection
from cmtui.retrieval.vectors_index import MappedSemanticIndex, text_digests


class Digested(Sequence[PassageProjection]):
    """Candidates that are read from the file only when they are asked for."""

    def __init__(self, path: str, count: int) -> None:
        self._path, self._count = path, count
        self._texts: list[str] = []
        cache = Path(f"{path}.{count}.digests")
        if not cache.exists():
            cache.write_bytes(text_digests(self).tobytes())
        self._digests = cache.read_bytes()
        self.pool_key = f"{path}:{count}"

    def text_digests(self) -> bytes:
        return self._digests

    def passage_id(self, place: int) -> str:
        return f"{'0' * 64}#{place}"

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> PassageProjection:  # type: ignore[override]
        if not self._texts:
            with Path(self._path).open(encoding="utf-8") as lines:
                rows = (json.loads(line) for line in islice(lines, self._count))
                self._texts = [row.get("t") or row["text"] for row in rows]
        return PassageProjection(self.passage_id(place), self._texts[place])


def memory() -> dict[str, int]:
    """Anonymous and mapped megabytes."""
    rows = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {key: int(rows[key].split()[0]) // 1024 for key in ("RssAnon", "RssFile")}


def asked(path: str, count: int, folder: str) -> None:
    """Queries in a process of its own, as a person's next session is."""
    candidates = Digested(path, count)
    before = memory()
    pick = random.Random(3)
    index = MappedSemanticIndex(Path(folder))
    start = time.perf_counter()
    index.rank("increase of the yield of wheat after rain", candidates, limit=1_000)
    first = time.perf_counter() - start
    with Path(path).open(encoding="utf-8") as lines:
        texts = [json.loads(line).get("t", "") for line in islice(lines, 0, count, max(1, count // 60))]
    queries = [" ".join(pick.sample(text.split(), 10)) for text in texts if len(text.split()) >= 10]
    times = []
    for query in queries:
        start = time.perf_counter()
        index.rank(query, candidates, limit=1_000)
        times.append((time.perf_counter() - start) * 1_000)
    times.sort()
    print(
        f"{count:,} passages: first query {first * 1_000:.0f} ms; {len(times)} warm ones, ten words each: "
        f"p50 {times[len(times) // 2]:.0f}, p95 {times[int(len(times) * 0.95)]:.0f} ms; "
        f"memory before {before}, after {memory()} MB"
    )


def main(path: str, count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        candidates = Digested(path, count)
        start = time.perf_counter()
        MappedSemanticIndex(Path(folder)).prepare(candidates)
        seconds = time.perf_counter() - start
        size = sum(file.stat().st_size for file in Path(folder).rglob("*.vec")) / 1e6
        print(f"{count:,} passages: vectors made in {seconds:.1f} s, {size:.0f} MB, peak now {memory()} MB")
        subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.semantic_index", path, str(count), folder], check=True
        )


if __name__ == "__main__":
    if len(sys.argv) > 3:
        asked(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    else:
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200_000)

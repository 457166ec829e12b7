"""Ingest end to end against bare pypdf on one core, small files, and segmentation (issue 3).

The PDFs are the good ones of ../shared/data/files with ten pages or more. Ingest is everything a person waits
for: read, canonicalise, segment, snapshot, identity, and the lexical index. One run warms the workers.
"""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from cmtui.engine import LocalCitationMachine
from cmtui.engine.ingestion import CitationIngestionService, IngestOptions
from cmtui.ingest.sandbox import ReaderPool
from cmtui.ingest.segmentation import passages
from cmtui.model.ingest import Block
from tests.benchmarks.engine import prose
from tests.benchmarks.timing import milliseconds, table

FILES = Path(__file__).parents[2] / ".." / "shared" / "data" / "files"
#: Copies of each PDF, made different by a comment, so that several files are there for several readers.
_COPIES = 2
#: Rounds of all measurements in turn; the best of each counts, because the machine is shared.
_ROUNDS = 3
_SMALL = 100


def run() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _pdfs(root)
        _small(root)
    _segmentation()


def _pdfs(root: Path) -> None:
    good = _good_pdfs()
    if not good:
        print("\nIngest of PDFs: ../shared/data/files is not here")
        return
    files: list[Path] = []
    for path in good:
        for copy in range(_COPIES):
            target = root / f"{path.stem}-{copy}.pdf"
            target.write_bytes(path.read_bytes() + f"\n% copy {copy}\n".encode())
            files.append(target)
    pages = 0
    bare_times: list[float] = []
    times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    for number in range(_ROUNDS):
        pages, seconds = _bare_pypdf(files)
        bare_times.append(seconds)
        for workers, found in times.items():
            found.append(_ingest(root / f"store-{workers}-{number}", files, workers))
    bare = min(bare_times)
    rows = [["bare pypdf extract_text", milliseconds(bare), f"{pages / bare:.0f} pages/s", "1.00", ""]]
    for workers, target in ((1, 0.6), (2, 1.5)):
        best = min(seconds for seconds, _ in times[workers])
        whole = min(map(sum, times[workers]))
        for what, value in (("", best), (" and index", whole)):
            ratio = bare / value
            met = "met" if ratio >= target else "missed"
            rows.append(
                [
                    f"ingest{what}, {workers} worker{'s' * (workers > 1)}",
                    milliseconds(value),
                    f"{pages / value:.0f} pages/s",
                    f"{ratio:.2f}",
                    f"at least {target}: {met}",
                ]
            )
    table(f"Ingest of {len(files)} PDFs, {pages} pages", ["work", "time", "", "of pypdf", "target"], rows)


def _good_pdfs() -> list[Path]:
    import pypdf

    manifest = FILES / "manifest.tsv"
    if not manifest.exists():
        return []
    with manifest.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    good = [
        FILES / row["file"]
        for row in rows
        if row["file"].startswith("pdf/") and row["class(expected)"].startswith("ok:")
    ]
    return [path for path in good if len(pypdf.PdfReader(path).pages) >= 10]


def _bare_pypdf(files: list[Path]) -> tuple[int, float]:
    import pypdf

    def read() -> int:
        pages = 0
        for path in files:
            for page in pypdf.PdfReader(path).pages:
                page.extract_text()
                pages += 1
        return pages

    start = time.perf_counter()
    pages = read()
    return pages, time.perf_counter() - start


def _ingest(store: Path, files: list[Path], workers: int) -> tuple[float, float]:
    """Seconds of ingest and of bringing the index up to date, with warm workers."""
    with ReaderPool(workers) as pool:
        for name in ("warm", "measured"):
            machine = LocalCitationMachine.open(store / name)
            service = CitationIngestionService(machine.repository, pool=pool)
            report = []
            seconds = _seconds(lambda: report.append(service.ingest_paths(files, IngestOptions())))  # noqa: B023
            assert not report[0].errors
            indexed = _seconds(lambda: machine.search("rabbit"))  # noqa: B023
        return seconds, indexed


def _small(root: Path) -> None:
    folder = root / "small"
    folder.mkdir()
    for number in range(_SMALL):
        suffix = ("txt", "md")[number % 2]
        (folder / f"{number:03}.{suffix}").write_text(prose(12, number), encoding="utf-8")
    rows = []
    for workers in (1, 2):
        seconds, indexed = _ingest(root / f"small-{workers}", sorted(folder.iterdir()), workers)
        for what, value in (("", seconds), (" and index", seconds + indexed)):
            rate = _SMALL / value
            met = "met" if rate >= 20 else "missed"
            rows.append(
                [f"{_SMALL} files{what}, {workers} worker{'s' * (workers > 1)}", milliseconds(value),
                 f"{rate:.0f} files/s", f"at least 20: {met}"]
            )  # fmt: skip
    shutil.rmtree(folder)
    sync = min(_seconds(lambda: _synced(root / "synced")) for _ in range(20))
    rows.append(["one fsync of a new file (best of 20)", milliseconds(sync), "", "a commit makes about 11"])
    table("Ingest of small files", ["work", "time", "", "target"], rows)


def _synced(path: Path) -> None:
    with path.open("wb") as stream:
        stream.write(b"x")
        stream.flush()
        os.fsync(stream.fileno())


def _segmentation() -> None:
    rows = []
    texts = {"generated prose": prose(12_000)}
    alice = FILES / "txt" / "alice30.txt"
    if alice.exists():
        texts["alice30.txt, 10 times"] = alice.read_text(encoding="utf-8").replace("\r", "") * 10
    for name, text in texts.items():
        blocks = [Block(0, len(text))]
        seconds = min(_seconds(lambda: passages(text, blocks)) for _ in range(3))  # noqa: B023
        rate = len(text) / seconds / 1e6
        met = "met" if rate >= 0.5 else "missed"
        rows.append([name, milliseconds(seconds), f"{rate:.1f} Mchar/s", f"at least 0.5: {met}"])
    table("Segmentation", ["text", "time", "", "target"], rows)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start

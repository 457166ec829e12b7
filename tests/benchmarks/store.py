"""What a store costs as it grows, and how quickly a quote is checked.

Growth: libraries of 100, 1,000 and 10,000 generated documents, each committed as ingest commits one. The cost
of one document must not grow with the library (issue 3, part 10).
"""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from cmtui.engine import LocalCitationMachine
from cmtui.model.identity import (
    CanonicalizationProfile,
    Extractor,
    ProfileStep,
    SourceArtifact,
    SourceKind,
    SourceVersion,
    sha256_bytes,
    sha256_text,
)
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument, LocatorTables, Passage, SourceRecord
from cmtui.store.directory import StoreRepository
from cmtui.verification.verifier import occurrences, stands_at, verify_span
from tests.benchmarks.engine import prose
from tests.benchmarks.timing import median_seconds, milliseconds, process_seconds, table

SIZES = (100, 1_000, 10_000)
_PROFILE = CanonicalizationProfile("bench", "1", (ProfileStep("none"),), Extractor("bench", "1"))


def run() -> None:
    _quotes()
    _growth()


# -- quotes ------------------------------------------------------------------------------------------


def document_of(text: str, name: str) -> tuple[CanonicalDocument, bytes, SourceArtifact]:
    """A document with a passage for each paragraph, its bytes and its source."""
    content = text.encode()
    passages, at = [], 0
    for paragraph in text.split("\n\n"):
        end = at + len(paragraph.rstrip())
        passages.append(Passage(len(passages), at, end, sha256_text(text[at:end])))
        at += len(paragraph) + 2
    document = CanonicalDocument(
        version=SourceVersion(SourceKind.TEXT, sha256_bytes(content), len(content)),
        profile=_PROFILE,
        text=text,
        text_sha256=sha256_text(text),
        passages=tuple(passages),
        tables=LocatorTables(),
    )
    return document, content, SourceArtifact(SourceKind.TEXT, f"file:///library/{name}")


def _quotes() -> None:
    text = prose(12_000, 99)
    document, _, artifact = document_of(text, "long.txt")
    source = SourceRecord(artifact, documents=(document.document_id,))
    passages = [p for p in document.passages if p.end - p.start > 120]
    spans = [Span(p.start, p.start + 120) for p in passages[:: len(passages) // 1_000][:1_000]]
    quotes = [(document.slice(span), span) for span in spans]
    quote, span = quotes[len(quotes) // 2]

    def check() -> int:
        return sum(stands_at(document, text, span.start) for text, span in quotes)

    def verify() -> None:
        for text, span in quotes:
            verify_span(document, source, span, text=text)

    assert check() == len(quotes)
    checked, verified = median_seconds(check, 15), median_seconds(verify, 7)
    # Alternately, so that both see the same machine.
    finds, located = [], []
    for _ in range(40):
        finds.append(_once(lambda: (text.find(quote), text.find(quote, span.start + 1))))
        located.append(_once(lambda: occurrences(text, quote)))
    ratio = sorted(located)[20] / sorted(finds)[20]
    table(
        "Quotes",
        ["work", "median", "", "target"],
        [
            [
                "check a quote at a given offset",
                milliseconds(checked / len(quotes)),
                f"{len(quotes) / checked:,.0f} /s",
                ">= 200,000 /s",
            ],
            [
                "make its evidence identity too",
                milliseconds(verified / len(quotes)),
                f"{len(quotes) / verified:,.0f} /s",
                "",
            ],
            [
                f"two str.find of 120 characters in {len(text):,}",
                milliseconds(sorted(finds)[20]),
                "",
                "",
            ],
            ["all its occurrences", milliseconds(sorted(located)[20]), f"{ratio:.2f} x", "<= 1.3 x"],
        ],
    )


# -- growth ------------------------------------------------------------------------------------------


def fill(repository: StoreRepository, first: int, last: int) -> None:
    """Commit generated documents, numbered from ``first``."""
    for number in range(first, last):
        document, content, artifact = generated(number)
        repository.commit_document(document, content=content, artifact=artifact)


def generated(number: int) -> tuple[CanonicalDocument, bytes, SourceArtifact]:
    """The document of this number: four short paragraphs."""
    return document_of(
        "\n\n".join(f"Paragraph {part} of document {number} says what it says." for part in range(4)),
        f"folder/document-{number:05}.txt",
    )


def _growth() -> None:
    rows = []
    base: dict[str, float] = {}
    bare = _rss("pass")
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "store"
        done = 0
        for size in SIZES:
            with _unsynced():
                fill(StoreRepository.open(root), done, size)
            done = size
            figures = _measure(root, size)
            for what, (seconds, target) in figures.items():
                base.setdefault(what, seconds)
                rows.append(
                    [
                        f"{what}, {size:,} documents",
                        milliseconds(seconds),
                        f"{seconds / base[what]:.1f} x",
                        target,
                    ]
                )
        memory = _rss(
            "import sys; from cmtui.engine import LocalCitationMachine as M; m = M.open(sys.argv[1]); "
            "assert len(m.documents()) >= 10_000",
            str(root),
        )
        rows.append(
            [f"memory of opening {SIZES[-1]:,}", f"{memory - bare:.0f} MB", "", "< 300 MB over bare Python"]
        )
        rows += _verb(root)
    table("Growth of the store", ["work", "median", "against 100 (or --help)", "target"], rows)


def _measure(root: Path, size: int) -> dict[str, tuple[float, str]]:
    """Median seconds of each piece of work at this size, with what is promised of it."""

    def opened() -> None:
        with LocalCitationMachine.open(root) as machine:
            assert len(machine.documents()) >= size

    limit = {1_000: "<= 30 ms", 10_000: "<= 12 x that of 1,000"}.get(size, "")
    gc.collect()
    figures = {"open and list": (median_seconds(opened, 9), limit)}
    path = root.parent / "one.txt"
    ingest, remove, listing = [], [], []
    with LocalCitationMachine.open(root) as machine:
        for number in range(9):
            path.write_text(f"Number {number} of {size} is one more.\n\nIt is short.\n", encoding="utf-8")
            ingest.append(_once(lambda: machine.ingest_paths([path])))
            row = next(row for row in machine.documents() if row.name == "one.txt" and row.current)
            listing.append(_once(machine.documents))
            delete: Callable[..., object] | None = getattr(machine, "remove", None)
            if delete is not None:
                remove.append(_once(lambda d=delete, r=row: d(r.document_id, reason="benchmark")))
    figures["list again"] = (sorted(listing)[4], "")
    figures["ingest one"] = (sorted(ingest)[4], "constant")
    if remove:
        figures["remove one"] = (sorted(remove)[4], "constant")
    return figures


def _verb(root: Path) -> list[list[str]]:
    """The ``documents`` verb against ``--help``, in processes of their own."""
    rows = []
    help_seconds = process_seconds(["-m", "cmtui.cli.main", "--help"], 9)
    rows.append(["citation-machine --help", milliseconds(help_seconds), "1.0 x", ""])
    with tempfile.TemporaryDirectory() as name:
        small = Path(name) / "store"
        with _unsynced():
            fill(StoreRepository.open(small), 0, 10)
        StoreRepository.open(small).summaries()
        for label, store, target in (("10", small, "<= 1.5 x"), (f"{SIZES[-1]:,}", root, "")):
            seconds = process_seconds(["-m", "cmtui.cli.main", "--store", str(store), "documents"], 9)
            rows.append(
                [
                    f"citation-machine documents, {label}",
                    milliseconds(seconds),
                    f"{seconds / help_seconds:.2f} x",
                    target,
                ]
            )
    return rows


def _rss(code: str, *arguments: str) -> float:
    """Peak resident memory of a Python process that runs ``code``, in MB."""
    tail = "\nimport resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    ran = subprocess.run(
        [sys.executable, "-c", code + tail, *arguments], check=True, capture_output=True, text=True
    )
    return int(ran.stdout) / 1024


def _once(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@contextlib.contextmanager
def _unsynced() -> Iterator[None]:
    """Without fsync while a library is made up: 10,000 documents are no test of the disk."""
    real = os.fsync
    os.fsync = lambda _: None  # type: ignore[assignment]
    try:
        yield
    finally:
        os.fsync = real

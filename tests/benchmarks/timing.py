"""Timing helpers of the benchmark tables."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

#: As people run it: with compiled files kept between starts, which containers often switch off.
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def median_seconds(work: Callable[[], object], repeat: int = 7) -> float:
    """The median wall time of ``work`` over ``repeat`` runs, after one run that is not counted."""
    work()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def process_seconds(arguments: Sequence[str], repeat: int = 7) -> float:
    """The median wall time of a whole Python process with these arguments."""

    def run() -> None:
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=COMPILED)

    return median_seconds(run, repeat)


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print an aligned table."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, ["-" * width for width in widths], *rows]:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def milliseconds(seconds: float) -> str:
    """Seconds as milliseconds with a sensible number of digits."""
    return f"{seconds * 1000:.3g} ms"

"""Captures of 1 MB from a loopback server, one after the other: time each, and memory that must stay flat."""

from __future__ import annotations

import itertools
import tempfile
import time
from pathlib import Path

from cmtui.discovery.addresses import AddressPolicy
from cmtui.discovery.capture import WebCapture, candidate_of_url
from cmtui.engine import LocalCitationMachine
from tests.benchmarks.engine import prose
from tests.benchmarks.timing import milliseconds, table
from tests.support.local_http import Reply, Seen, serving

CAPTURES = 200
SIZE = 1_000_000
#: Issue 7: memory held after the run, above what it was at the start, in MiB.
TARGET = 60


def run() -> None:
    """Capture, and print the growth of this process (the reader's child is not counted)."""
    with tempfile.TemporaryDirectory() as folder:
        rows = measured(Path(folder), CAPTURES)
    table(f"Capture ({CAPTURES} pages of 1 MB, loopback)", ["measure", "value", ""], rows)


def measured(root: Path, captures: int) -> list[list[str]]:
    """The rows of the table."""
    text = prose(14_000).encode()
    text = (text * (SIZE // len(text) + 1))[:SIZE]
    number = itertools.count()

    def page(_: Seen) -> Reply:
        mark = f"Page {next(number)} begins.\n\n".encode()
        return Reply(200, mark + text[len(mark) :], {"Content-Type": "text/plain"})

    machine = LocalCitationMachine.open(root / "store")
    adapter = WebCapture(policy=AddressPolicy(frozenset({"127.0.0.1"}), ports=None))
    with serving(page) as server:

        def capture(count: int) -> None:
            leads = [candidate_of_url(f"{server.url}/{at}") for at in range(count)]
            for receipt in machine.acquire(candidates=leads, adapter=adapter):
                assert receipt.error is None, receipt.message

        capture(2)  # imports, the reader's process, buffers of the server
        server.seen.clear()
        before, peak_before = resident()
        start = time.perf_counter()
        capture(captures)
        seconds = time.perf_counter() - start
        server.seen.clear()
        after, peak = resident()
    grown, high = (after - before) / 2**20, (peak - peak_before) / 2**20
    verdict = "ok" if grown < TARGET else "ABOVE"
    return [
        ["one capture, stored and cut into passages", milliseconds(seconds / captures), ""],
        ["memory at the start", f"{before / 2**20:.0f} MiB", ""],
        ["held above the start", f"{grown:.1f} MiB", f"target < {TARGET}: {verdict}"],
        ["peak above the peak at the start", f"{high:.1f} MiB", ""],
    ]


def resident() -> tuple[int, int]:
    """Resident bytes of this process now, and their highest so far."""
    values = {}
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in ("VmRSS", "VmHWM"):
            values[name] = int(rest.split()[0]) * 1024
    return values["VmRSS"], values["VmHWM"]

"""Ingest, search, evidence and verification on self-made text."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from cmtui.engine import LocalCitationMachine
from cmtui.model.selectors import Span
from cmtui.verification.verifier import verify_span
from tests.benchmarks.timing import median_seconds, milliseconds, table

_WORDS = """
king nurse harbour committee lighthouse keeper vessel report survey captain river engine
watched measured repaired described crossed reached questioned lost recovered counted
the harbour wall | the old lamp | a sealed letter | seven barrels | the northern channel | the report
before dawn | in the spring of 1893 | without a word | after the storm | near the mole | at low water
"""
_LINES = _WORDS.strip().splitlines()
_SUBJECTS, _VERBS = _LINES[0].split(), _LINES[1].split()
_OBJECTS, _ENDS = _LINES[2].split(" | "), _LINES[3].split(" | ")


def prose(sentences: int, seed: int = 7) -> str:
    """Deterministic prose of short sentences in paragraphs of six."""
    pick = random.Random(seed)
    parts = []
    for number in range(sentences):
        parts.append(
            f"The {pick.choice(_SUBJECTS)} {pick.choice(_VERBS)} {pick.choice(_OBJECTS)} "
            f"{pick.choice(_ENDS)}, as entry {number} of book {seed} says."
        )
    return "\n\n".join(" ".join(parts[i : i + 6]) for i in range(0, len(parts), 6)) + "\n"


def run() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for number in range(40):
            (root / f"book-{number:02}.txt").write_text(prose(300, number), encoding="utf-8")
        machine = LocalCitationMachine.open(root / "store")

        files = sorted(root.glob("*.txt"))
        seconds = _once(lambda: machine.ingest_paths(files))
        rows.append(["ingest, 40 text files", milliseconds(seconds), f"{40 / seconds:.0f} files/s"])
        seconds = _once(lambda: machine.search("harbour"))
        passages = sum(row.passages for row in machine.documents())
        rows.append([f"first search ({passages:,} passages indexed)", milliseconds(seconds), ""])
        for name, call in (
            ("lexical", lambda: machine.search("keeper repaired the old lamp")),
            ("semantic", lambda: machine.semantic_search("keeper repaired the old lamp")),
            ("hybrid", lambda: machine.hybrid_search("keeper repaired the old lamp")),
            ("find_evidence", lambda: machine.find_evidence("The keeper repaired the old lamp")),
        ):
            rows.append([f"{name}, warm", milliseconds(median_seconds(call)), ""])
        table("Engine", ["work", "median", ""], rows)
        _verification(machine)


def _verification(machine: LocalCitationMachine) -> None:
    text = prose(12_000, 99)
    path = machine.path.parent / "long.txt"
    path.write_text(text, encoding="utf-8")
    document = machine.document(machine.ingest(path))
    source = machine.source(document.document_id)
    passage = document.passages[len(document.passages) // 2]
    span = Span(passage.start, passage.start + 120)
    quote = document.slice(span)

    finds = median_seconds(lambda: [document.text.find(quote), document.text.find(quote, span.start + 1)], 50)
    at_place = median_seconds(
        lambda: [verify_span(document, source, span, text=quote) for _ in range(1_000)], 7
    )
    rows = [
        ["verify a span at its place", milliseconds(at_place / 1_000), f"{1_000 / at_place:,.0f} /s"],
        ["two str.find over the text", milliseconds(finds), f"{len(text):,} characters"],
    ]
    table("Verification", ["work", "median", ""], rows)


def _once(work: object) -> float:
    import time

    assert callable(work)
    start = time.perf_counter()
    work()
    return time.perf_counter() - start

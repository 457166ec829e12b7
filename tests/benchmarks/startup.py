"""Process starts against a bare Python start."""

from __future__ import annotations

import tempfile
from pathlib import Path

from cmtui.engine import LocalCitationMachine
from tests.benchmarks.timing import milliseconds, process_seconds, table


def run() -> None:
    """Budgets of issue 6: ``--version`` at most 2 times bare Python, the first byte of any verb at most 6."""
    bare = process_seconds(["-c", "pass"])
    scratch = tempfile.TemporaryDirectory()
    store = str(Path(scratch.name) / "store")
    text = Path(scratch.name) / "a.txt"
    text.write_text("The old king wept beside the harbour.\n", encoding="utf-8")
    with LocalCitationMachine.open(store) as machine:
        document = machine.ingest(text)
    opened = ["-m", "cmtui.cli.main", "--store", store]
    commands = {
        "python -c pass": ["-c", "pass"],
        "import cmtui": ["-c", "import cmtui"],
        "import cmtui.engine": ["-c", "import cmtui.engine"],
        "citation-machine --version": ["-m", "cmtui.cli.main", "--version"],
        "cmtui --version": ["-m", "cmtui.tui.main", "--version"],
        "citation-machine --help": ["-m", "cmtui.cli.main", "--help"],
        "citation-machine keys": ["-m", "cmtui.cli.main", "keys"],
        "citation-machine config show": ["-m", "cmtui.cli.main", "config", "show"],
        "citation-machine documents": ["-m", "cmtui.cli.main", "--store", store, "documents"],
        "citation-machine document ID": [*opened, "document", document],
        "citation-machine search (cold)": [*opened, "search", "king"],
        "import whoosh.index": ["-W", "ignore", "-c", "import whoosh.index"],
        "import textual.app": ["-c", "import textual.app"],
    }
    rows = []
    for name, arguments in commands.items():
        seconds = process_seconds(arguments)
        budget = "2 x" if "--version" in name else "6 x" if name.startswith("citation-machine") else ""
        rows.append([name, milliseconds(seconds), f"{seconds / bare:.1f} x", budget])
    scratch.cleanup()
    table("Process start", ["command", "median", "against bare Python", "budget"], rows)

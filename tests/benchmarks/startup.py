"""Process starts against a bare Python start."""

from __future__ import annotations

from tests.benchmarks.timing import milliseconds, process_seconds, table


def run() -> None:
    bare = process_seconds(["-c", "pass"])
    commands = {
        "python -c pass": ["-c", "pass"],
        "import cmtui": ["-c", "import cmtui"],
        "import cmtui.engine": ["-c", "import cmtui.engine"],
        "citation-machine --version": ["-m", "cmtui.cli.main", "--version"],
        "citation-machine --help": ["-m", "cmtui.cli.main", "--help"],
        "import whoosh.index": ["-W", "ignore", "-c", "import whoosh.index"],
        "import textual.app": ["-c", "import textual.app"],
    }
    rows = []
    for name, arguments in commands.items():
        seconds = process_seconds(arguments)
        rows.append([name, milliseconds(seconds), f"{seconds / bare:.1f} x"])
    table("Process start", ["command", "median", "against bare Python"], rows)

"""Runs the command line in process on real files, and reads what it printed."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cmtui.cli.main import main

ULYSSES = """# The Odyssey, retold

## Book V: Calypso

Ulysses sat on the shore and wept. His eyes were never dry of tears.

The nymph Calypso kept him in her island for seven years.

## Book VI: Nausicaa

Nausicaa washed the clothes in the river.
The girls played with a ball.
"""

WHALES = """Whales are mammals. They breathe air with lungs.

Sharks are fish. Sharks are not mammals.

The harbour of Skerrow was built in 1871. It has two piers.
"""

BOOK = {
    "id": "homer1900",
    "type": "book",
    "title": "The Odyssey",
    "author": [{"family": "Butler", "given": "Samuel"}],
    "issued": {"date-parts": [[1900]]},
    "publisher": "Longmans, Green",
    "publisher-place": "London",
}


@dataclass
class Ran:
    """One run: exit status and the exact text of both streams."""

    status: int
    out: str
    err: str

    @property
    def object(self) -> dict[str, Any]:
        """The one JSON object on stdout; fails when there is anything else."""
        assert self.out.count("\n") == 1, self.out
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    @property
    def error(self) -> dict[str, str]:
        """The JSON error on stderr; fails when there is anything else."""
        value = json.loads(self.err)
        assert list(value) == ["error"]
        assert list(value["error"]) == ["type", "message", "hint"]
        return value["error"]


class CommandLine:
    """``citation-machine --store STORE`` with a store and a few sources of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], prepared: Path) -> None:
        self.folder = folder
        self.store = folder / "store"
        self._capsys = capsys
        self._prepared = prepared

    def __call__(self, *argv: str | Path) -> Ran:
        """Run with the store."""
        return self.bare("--store", self.store, *argv)

    def bare(self, *argv: str | Path) -> Ran:
        """Run exactly these arguments."""
        self._capsys.readouterr()
        status = main([str(word) for word in argv])
        captured = self._capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    def ok(self, *argv: str | Path) -> dict[str, Any]:
        """Run, expect success and a silent stderr, and give the object."""
        ran = self(*argv)
        assert ran.status == 0, ran.err
        assert ran.err == ""
        return ran.object

    def fails(self, *argv: str | Path) -> dict[str, str]:
        """Run, expect exit status 2 and an empty stdout, and give the error."""
        ran = self(*argv)
        assert ran.status == 2, ran.out
        assert ran.out == ""
        assert ran.error["message"]
        assert ran.error["hint"]
        return ran.error

    def write(self, name: str, content: str | bytes) -> Path:
        """A file beside the store."""
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def ingested(self) -> dict[str, str]:
        """Two small sources in the store, ``ulysses.md`` and ``whales.txt``; their ids by file name.

        The store is a copy of one that was ingested once: reading files is tested by ``ingest`` itself.
        """
        shutil.copytree(self._prepared / "store", self.store)
        return {row["name"]: row["document_id"] for row in self.ok("documents")["documents"]}


def prepare(folder: Path) -> Path:
    """A folder with two small sources and the store they were ingested into."""
    (folder / "ulysses.md").write_text(ULYSSES, encoding="utf-8")
    (folder / "whales.txt").write_text(WHALES, encoding="utf-8")
    files = [str(folder / name) for name in ("ulysses.md", "whales.txt")]
    assert main(["--store", str(folder / "store"), "ingest", *files]) == 0
    return folder

"""The sequence that the issue and the README show, in fresh processes, as a person's shell runs it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.cli import BOOK, ULYSSES, WHALES

pytestmark = pytest.mark.e2e

STYLES = ("mla", "apa", "chicago", "chicago-notes", "ieee")


class Shell:
    """Runs the program in a process of its own, stdout as bytes."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def raw(self, *argv: str | Path) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "cmtui.cli.main", "--store", self.store, *argv]
        # An ASCII stream on purpose: what is printed must not depend on its encoding.
        environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
        return subprocess.run(command, capture_output=True, timeout=120, env=environment)

    def __call__(self, *argv: str | Path) -> dict[str, Any]:
        ran = self.raw(*argv)
        assert ran.returncode == 0, ran.stderr.decode()
        assert ran.stderr == b""
        assert ran.stdout.endswith(b"}\n")
        assert ran.stdout.count(b"\n") == 1
        value = json.loads(ran.stdout)
        assert isinstance(value, dict)
        return value


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    folder = tmp_path_factory.mktemp("cli")
    sources = folder / "sources"
    sources.mkdir()
    (sources / "ulysses.md").write_text(ULYSSES, encoding="utf-8")
    (sources / "whales.txt").write_text(WHALES + "\nŽižek’s whale — “wépt”.\n", encoding="utf-8")
    return Shell(folder / "store")


def test_ingest_find_reconstruct_format_and_ingest_again(shell: Shell) -> None:
    """Shows when done: ingest, find-evidence, reconstruct byte for byte, five styles, unchanged."""
    sources = shell.store.parent / "sources"
    ingested = shell("ingest", sources)
    assert [row["status"] for row in ingested["documents"]] == ["added", "added"]
    ids = {row["name"]: row["document_id"] for row in ingested["documents"]}

    [finding] = shell("find-evidence", "Whales are mammals")["findings"]
    [evidence_id] = finding["evidence_ids"]
    assert shell("reconstruct", evidence_id)["text"] == finding["text"]
    text = shell("document", ids["whales.txt"])["text"]
    span = finding["span"]
    assert text[span["start"] : span["end"]] == finding["text"]
    exact = finding["text"].encode("utf-8")
    assert exact in (sources / "whales.txt").read_bytes()

    item = shell.store.parent / "book.json"
    item.write_text(json.dumps(BOOK), encoding="utf-8")
    shell("bibliography", "set", ids["whales.txt"], "--from", item)
    for style in STYLES:
        assert "Odyssey" in shell("format", evidence_id, "--style", style)["text"]

    again = shell("ingest", sources)
    assert [row["status"] for row in again["documents"]] == ["unchanged", "unchanged"]
    assert {row["name"]: row["document_id"] for row in again["documents"]} == ids


def test_deleting_derived_data_changes_no_answer(shell: Shell) -> None:
    """Shows when done: deleting derived/ changes no answer, to the byte."""
    questions: list[tuple[str, ...]] = [
        ("documents",),
        ("search", "whales mammals"),
        ("semantic-search", "sad"),
        ("hybrid-search", "whales wept"),
        ("find-evidence", "Whales are mammals", "--diagnostics", "--context"),
        ("quote", "Žižek’s whale — “wépt”."),
        ("verify",),  # last, as the two before it record evidence
    ]
    before = [shell.raw(*argv) for argv in questions]
    assert [ran.returncode for ran in before] == [0] * len(questions)
    shutil.rmtree(shell.store / "derived")
    after = [shell.raw(*argv) for argv in questions]
    assert [ran.stdout for ran in after] == [ran.stdout for ran in before]
    assert [ran.stderr for ran in after] == [b""] * len(questions)


def test_stdout_is_one_object_in_utf8_whatever_the_stream(shell: Shell) -> None:
    """R114 on an ASCII stream: UTF-8, one line, and nothing on stderr when it is no terminal."""
    ran = shell.raw("quote", "Žižek’s whale — “wépt”.")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "Žižek’s whale — “wépt”.".encode() in ran.stdout
    assert b"\\u" not in ran.stdout


def test_errors_leave_stdout_empty(shell: Shell) -> None:
    """R116: operational errors to stderr as JSON, exit status 2."""
    ran = shell.raw("reconstruct", "ffffffffffff")
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert json.loads(ran.stderr)["error"]["type"] == "NotFound"


def test_narration_goes_to_stderr_and_only_when_asked(shell: Shell) -> None:
    quiet = shell.raw("search", "whales")
    told = shell.raw("--verbose", "ingest", shell.store.parent / "sources")
    assert quiet.stderr == b""
    assert b"ingest" in told.stderr
    assert json.loads(told.stdout)["errors"] == []

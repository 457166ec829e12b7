"""The README says nothing that does not run: its command block and its library example are executed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _blocks(language: str) -> list[str]:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)


@pytest.mark.e2e
def test_the_command_line_tour_runs_as_printed(tmp_path: Path) -> None:
    """R113, R114: each line prints one JSON object, and the lines agree with each other."""
    tour = next(block for block in _blocks("sh") if "CMTUI_STORE" in block)
    tour = tour.replace("source .venv/bin/activate\n", "")
    tour = tour.replace("/tmp/my-first-store", str(tmp_path / "store"))
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", tour],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    decoder = json.JSONDecoder()
    answers, rest = [], done.stdout.strip()
    while rest:
        answer, end = decoder.raw_decode(rest)
        answers.append(answer)
        rest = rest[end:].lstrip()
    found, rebuilt = answers[1], answers[2]
    assert found["findings"][0]["text"] == rebuilt["text"] == "The old king wept beside the harbour."
    assert answers[4]["contradictions"][0]["text"] == "The ships did not return."
    formatted = {answer["style"]: answer["text"] for answer in answers if "style" in answer}
    assert formatted["mla"] == "(Writer 9)"
    assert formatted["apa"] == "Writer, J. (2024). The Voyage. Example Press."
    assert formatted["chicago"] == "Writer, Jane. 2024. The Voyage. Example Press."
    assert formatted["chicago-notes"] == "Jane Writer, The Voyage (Example Press, 2024), 9."
    assert formatted["ieee"].startswith("[1] J. Writer, The Voyage. Example Press, 2024.")
    assert formatted["bibtex"].startswith("@book{writer2024,")
    assert next(answer for answer in answers if "verdict" in answer)["verdict"] == "near_miss"
    again = answers[-2]
    assert {row["status"] for row in again["documents"]} == {"unchanged"}
    # Deleting derived data changes no answer but the citation metadata that was set in between.
    assert answers[-1]["findings"] == found["findings"]


@pytest.mark.e2e
def test_the_library_example_runs_as_printed(tmp_path: Path) -> None:
    example = _blocks("python")[0].replace('"my-store"', repr(str(tmp_path / "store")))
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("SUPPORTS The old king wept beside the harbour. ('2be21d53")


def test_both_commands_stand_first() -> None:
    """The two commands are the first code in the README."""
    assert _blocks("sh")[0].split()[:2] == ["make", "demo"]
    assert "make test" in _blocks("sh")[0]

"""The log file: what failed unexpectedly, for the person who reports it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from cmtui import logfile
from cmtui.cli.main import main
from cmtui.errors import NotFound
from cmtui.output import Answer, run_program


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("CMTUI_STATE", str(folder))
    monkeypatch.setattr(logfile, "_folder", None)
    return folder


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def broken() -> Answer:
    raise ZeroDivisionError("by zero")


def test_an_unexpected_error_is_logged_and_the_hint_names_the_file(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_program(broken) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    error = json.loads(captured.err)["error"]
    assert error["type"] == "InternalError"
    assert str(state / "cmtui.log") in error["hint"]
    text = (state / "cmtui.log").read_text("utf-8")
    assert "ERROR" in text
    assert "Traceback (most recent call last)" in text
    assert "in broken" in text
    assert text.endswith("ZeroDivisionError: by zero\n")


def test_the_file_is_its_owners_alone(state: Path) -> None:
    state.mkdir(mode=0o755)
    path = state / "cmtui.log"
    path.touch(mode=0o644)
    assert logfile.record(raised(ValueError("x"))) == path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_at_most_three_files_of_one_megabyte(state: Path) -> None:
    for number in range(9):
        logfile.record(raised(ValueError(f"{number} " + "x" * 480_000)))
    assert sorted(path.name for path in state.iterdir()) == ["cmtui.log", "cmtui.log.1", "cmtui.log.2"]
    for path in state.iterdir():
        assert path.stat().st_size <= logfile.MAX_BYTES
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "ValueError: 8 x" in (state / "cmtui.log").read_text("utf-8")


def test_no_key_of_the_environment_is_written(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """R42: secrets enter neither the log nor what is printed."""
    monkeypatch.setenv("SOME_API_KEY", "s3cret/with space")
    monkeypatch.setenv("OTHER_API_KEY", "s3cret")
    monkeypatch.setenv("EMPTY_API_KEY", "")
    monkeypatch.setenv("NOT_A_KEY_AT_ALL", "harmless")

    def leaks() -> Answer:
        raise ValueError("s3cret/with space, https://x/?key=s3cret%2Fwith%20space, s3cret; harmless")

    assert run_program(leaks, verbose=True) == 2
    printed = capsys.readouterr().err
    written = (state / "cmtui.log").read_text("utf-8")
    for text in (printed, written):
        # The line of this file that a traceback quotes is the test's own.
        assert "[SOME_API_KEY], https://x/?key=[SOME_API_KEY], [OTHER_API_KEY]; harmless" in text
        assert "s3cret" not in text


def test_an_expected_error_is_logged_only_when_verbose(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def expected() -> Answer:
        raise NotFound("There is no such thing.", "Look elsewhere.")

    assert run_program(expected) == 2
    assert not state.exists()
    assert run_program(expected, verbose=True) == 2
    text = (state / "cmtui.log").read_text("utf-8")
    assert "started (Python" in text
    assert "There is no such thing." in text
    assert '"hint": "Look elsewhere."' in capsys.readouterr().err


def test_a_log_that_cannot_be_written_hides_nothing(
    tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state.write_text("a file where the folder should be")
    assert run_program(broken, verbose=True) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert "ZeroDivisionError: by zero" in json.loads(error)["error"]["message"]
    assert "cmtui.log" not in json.loads(error)["error"]["hint"]
    folder = tmp_path / "other"
    (folder / "cmtui.log").mkdir(parents=True)
    logfile.start(folder, verbose=True)
    assert logfile.record(raised(ValueError("x"))) is None


def test_the_application_says_where_it_logs(tmp_path: Path, state: Path) -> None:
    folder = tmp_path / "elsewhere"
    logfile.start(folder, verbose=False)
    assert not folder.exists()
    assert logfile.record(raised(ValueError("lone \udcff surrogate"))) == folder / "cmtui.log"
    assert "lone \\udcff surrogate" in (folder / "cmtui.log").read_text("utf-8")
    assert not state.exists()


@pytest.mark.parametrize("argv", [["--version"], ["--help"], ["search", "--help"], ["--verbose", "--help"]])
def test_version_and_help_touch_no_log(
    state: Path, argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 0
    assert capsys.readouterr().out
    assert not state.exists()


@pytest.mark.parametrize("argv", [["--version"], ["--help"], ["completion", "bash", "--help"]])
def test_logging_is_imported_only_when_there_is_something_to_log(state: Path, argv: list[str]) -> None:
    code = (
        "import sys, cmtui.cli.main as m; m.main(sys.argv[1:]);"
        "print([n for n in ('logging', 'cmtui.logfile', 'shtab') if n in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *argv], capture_output=True, text=True, timeout=60, env=dict(os.environ)
    )
    assert ran.stdout.splitlines()[-1] == "[]"
    assert not state.exists()

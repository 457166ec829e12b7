"""The program around the application: arguments, refusals, and what is not loaded for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cmtui._version import __version__
from cmtui.engine import LocalCitationMachine
from cmtui.tui.demo import prepare
from cmtui.tui.main import main


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    assert capsys.readouterr().out == f"cmtui {__version__}\n"


def test_help_names_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    for word in ("demo", "doctor clipboard", "--version", "CMTUI_STORE", "citation-machine"):
        assert word in out


@pytest.mark.parametrize("argv", [["--wrong"], ["a", "b"], ["demo", "a", "b"], ["doctor"], ["doctor", "x"]])
def test_wrong_calls_exit_2_with_one_line(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("cmtui: ")
    assert captured.err.count("\n") == 1


def test_a_dumb_terminal_is_refused_with_a_pointer(monkeypatch, capsys) -> None:
    """tui.md 2.2: Textual would paint all the same."""
    monkeypatch.setenv("TERM", "dumb")
    assert main([]) == 2
    assert "citation-machine" in capsys.readouterr().err


def test_a_standard_error_that_goes_elsewhere_is_refused_before_a_blank_screen(monkeypatch, capsys) -> None:
    """The screens are drawn there: with ``2>file`` a person would see nothing and could type blindly."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    assert main([]) == 2
    assert "standard error" in capsys.readouterr().err


def test_without_a_terminal_it_says_so(monkeypatch, capsys) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    assert main([]) == 2
    assert "citation-machine" in capsys.readouterr().err


def test_doctor_clipboard_prints_the_ways(capsys) -> None:
    assert main(["doctor", "clipboard"]) == 0
    assert "last-copy.txt" in capsys.readouterr().out


def test_version_help_and_doctor_load_no_textual() -> None:
    """tui.md 0.2: importing Textual costs fifteen times a bare start."""
    code = (
        "import sys; from cmtui.tui.main import main; "
        "main(['--version']); main(['--help']); main(['doctor', 'clipboard']); "
        "bad = {'textual', 'rich', 'whoosh', 'pypdf', 'numpy', 'yaml'} & set(sys.modules); "
        "sys.exit(repr(bad) if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_preparing_the_demo_twice_changes_nothing(prepared_store: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(prepared_store, tmp_path / "again")
    with LocalCitationMachine.open(tmp_path / "again") as machine:
        before = (machine.documents(), machine.claims())
        first = prepare(machine)
        assert first == machine.claims()[0].claim_id
        assert (machine.documents(), machine.claims()) == before

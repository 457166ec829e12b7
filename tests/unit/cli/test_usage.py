"""The command line before any verb runs: help, version, usage errors, streams, lazy imports."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from cmtui._version import __version__
from cmtui.cli.main import build_parser, main
from cmtui.output import Answer, UsageError, dumps, run_program, significant
from support.cli import CommandLine

HEAVY = ("textual", "whoosh", "pypdf", "lxml", "httpx", "citeproc", "numpy", "torch")

VERBS = """
ingest documents document search semantic-search hybrid-search embed
find-evidence identity reconstruct verify quote
claims review reanchor bibliography lookup discover sections acquire receipts format cite
remove relink tag source open doctor backup restore
migrate serve events config keys completion
"""


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    """The house: importing the CLI loads none of these; building the parser and usage errors neither."""
    code = (
        "import sys, json, cmtui.cli.main as m; m.build_parser(); m.main(['search']);"
        f"print(json.dumps([n for n in {HEAVY!r} if n in sys.modules] + "
        "[n for n in sys.modules if n.startswith(('cmtui.engine', 'cmtui.store'))]))"
    )
    assert json.loads(python("-c", code).stdout) == []


def test_version_is_answered_before_argparse_is_loaded() -> None:
    code = (
        "import sys, cmtui.cli.main as m; m.main(['--version']);"
        "print([n for n in ('argparse', 'json', 'dataclasses') if n in sys.modules])"
    )
    ran = python("-c", code)
    assert ran.stdout == f"citation-machine {__version__}\n[]\n"


@pytest.mark.parametrize("argv", [["--version"], ["--pretty", "--version"], ["--store", "x", "--version"]])
def test_version_stands_before_the_verb(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 0
    assert capsys.readouterr().out == f"citation-machine {__version__}\n"


def test_the_installed_script_answers() -> None:
    """R4: the console script is there and prints its version."""
    script = Path(sys.executable).with_name("citation-machine")
    if not script.exists():
        pytest.skip("the package is not installed with its scripts")
    ran = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"citation-machine {__version__}\n", "")


def test_every_verb_is_there_and_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    """R113: the verbs of the contract that this version has, and no others."""
    main(["--help"])
    text = capsys.readouterr().out
    table = text.split("\n  VERB\n")[-1].splitlines()
    verbs = [line.split()[0] for line in table if line.startswith("    ") and line[4] != " "]
    assert verbs == VERBS.split()
    for verb in verbs:
        assert main([verb, "--help"]) == 0
        assert capsys.readouterr().err == ""


def test_each_family_adds_the_verbs_that_the_table_says() -> None:
    """The table is how a verb loads its own module alone."""
    from cmtui.cli.verbs import FAMILIES, family
    from cmtui.output import JsonArgumentParser

    for name, verbs in FAMILIES.items():
        subparsers = JsonArgumentParser(prog="x").add_subparsers()
        family(name).add_parser(subparsers)
        assert tuple(subparsers.choices) == verbs, name


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["nothing"],
        ["search"],
        ["search", "a", "b"],
        ["search", "a", "--limit", "many"],
        ["search", "a", "--source-kind", "scroll"],
        ["search", "a", "--lim", "3"],
        ["ingest"],
        ["review"],
        ["bibliography", "import"],
        ["find-evidence", "a", "--inference", "oracle"],
        ["format", "x", "--form", "sung"],
    ],
)
def test_usage_errors_are_json_with_exit_status_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """R116 and the contract: usage errors are the same JSON error."""
    assert main(argv) == 2
    captured = capsys.readouterr()
    error = json.loads(captured.err)["error"]
    assert captured.out == ""
    assert error["type"] == "UsageError"
    assert error["hint"].startswith("Usage: citation-machine")


def test_options_may_stand_before_and_after_the_verb() -> None:
    parser = build_parser()
    before = parser.parse_args(["--store", "a", "--pretty", "documents"])
    after = parser.parse_args(["documents", "--store", "a", "--pretty"])
    nested = parser.parse_args(["review", "list", "--store", "a", "--jsonl"])
    assert (before.store, before.pretty, before.jsonl) == (after.store, after.pretty, after.jsonl)
    assert (nested.store, nested.pretty, nested.jsonl) == ("a", False, True)


def test_reading_never_makes_a_store(cli: CommandLine) -> None:
    """A mistyped --store is an error with the way forward, not a new directory."""
    for argv in (["documents"], ["search", "a"], ["claims", "list"], ["review", "next"], ["verify"]):
        assert cli.fails(*argv)["type"] == "NotFound"
    assert not cli.store.exists()


def test_the_store_comes_from_the_environment(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ingested()
    monkeypatch.setenv("CMTUI_STORE", str(cli.store))
    assert len(cli.bare("documents").object["documents"]) == 2
    elsewhere = cli.bare("documents", "--store", cli.folder / "elsewhere")
    assert elsewhere.status == 2


def test_the_default_store_is_the_one_of_the_settings(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(cli.folder / "data"))
    source = cli.write("a.txt", "Whales are mammals.\n")
    assert cli.bare("ingest", source).status == 0
    assert (cli.folder / "data" / "cmtui" / "store" / "store.json").is_file()


def test_a_file_is_no_store(cli: CommandLine) -> None:
    cli.store.write_text("not a directory")
    assert cli.fails("documents")["type"] == "StoreFormatError"


# -- the edge ----------------------------------------------------------------------------------------


def test_unexpected_errors_are_json_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> Answer:
        raise ZeroDivisionError("by zero")

    assert run_program(fails) == 2
    captured = capsys.readouterr()
    error = json.loads(captured.err)["error"]
    assert captured.out == ""
    assert error["type"] == "InternalError"
    assert "ZeroDivisionError: by zero" in error["message"]
    assert run_program(fails, verbose=True) == 2
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_ends_quietly(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> Answer:
        raise KeyboardInterrupt

    assert run_program(interrupted) == 130
    assert capsys.readouterr() == ("", "")


def test_what_a_library_prints_never_reaches_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    def chatty() -> Answer:
        print("hello")
        return Answer({"a": 1})

    assert run_program(chatty) == 0
    assert capsys.readouterr() == ('{"a": 1}\n', "hello\n")


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    """The reader of the pipe is gone before the answer is written."""
    code = (
        "import sys; from cmtui.output import *; "
        "sys.exit(run_program(lambda: Answer({'a': 'x' * 1_000_000})))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 130


def test_output_is_utf8_whatever_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    """The contract: UTF-8, nothing escaped to ASCII; a lone surrogate becomes its JSON escape."""
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", stdout)
    assert run_program(lambda: Answer({"text": "Žižek — wépt", "name": "\udcff"})) == 0
    written = stdout.buffer.getvalue()  # type: ignore[attr-defined]
    assert written == '{"text": "Žižek — wépt", "name": "\\udcff"}\n'.encode()
    assert json.loads(written)["name"] == "\udcff"


def test_rows_and_indentation(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Answer({"rows": [{"a": 1}, {"a": 2}]}, rows=[{"a": 1}, {"a": 2}])
    assert run_program(lambda: answer, jsonl=True) == 0
    assert capsys.readouterr().out == '{"a": 1}\n{"a": 2}\n'
    assert run_program(lambda: answer, pretty=True) == 0
    assert capsys.readouterr().out.startswith('{\n  "rows": [')


@pytest.mark.parametrize(
    ("value", "printed"),
    [(12.3456789, b"12.3457\n"), (0.0163934426, b"0.0163934\n"), (1.0, b"1.0\n"), (None, b"null\n")],
)
def test_scores_print_with_six_significant_digits(value: float | None, printed: bytes) -> None:
    assert dumps(significant(value)) == printed


def test_usage_error_is_an_error_of_the_tree() -> None:
    assert UsageError("m", "h").code == "usage"

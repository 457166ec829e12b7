"""``completion``: the script a shell reads, made from the parser of all verbs."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

import pytest

from cmtui.cli.main import build_parser
from support.cli import CommandLine

SHELLS = ("bash", "zsh", "fish")


def verbs() -> list[str]:
    (action,) = (one for one in build_parser()._actions if isinstance(one, argparse._SubParsersAction))
    return list(action.choices)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed_as_it_is_and_names_every_verb(cli: CommandLine, shell: str) -> None:
    """The one verb whose output is for a shell: no JSON, whatever was asked for; no store is made."""
    ran = cli.bare("completion", shell)
    assert (ran.status, ran.err) == (0, "")
    assert not ran.out.startswith("{")
    assert ran.out.endswith("\n")
    for verb in verbs():
        assert verb in ran.out
    for word in ("find-evidence", "source-kind", "epub", "duplicates"):
        assert word in ran.out
    assert cli.bare("completion", shell, "--jsonl").out == ran.out
    assert not cli.store.exists()


def test_help_says_that_it_is_no_json(cli: CommandLine) -> None:
    assert "not JSON" in cli.bare("completion", "--help").out


def test_a_shell_that_is_not_known_is_a_usage_error(cli: CommandLine) -> None:
    assert cli.bare("completion", "csh").error["type"] == "UsageError"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_can_read_the_script(cli: CommandLine, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed; its script is checked by content only")
    script = cli.write(f"completion.{shell}", cli.bare("completion", shell).out)
    ran = subprocess.run([shell, "-n", script], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")


_ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
registered=$(complete -p citation-machine); function=${registered##*-F }
"${function%% *}" 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(script: Path, *words: str) -> list[str]:
    """What bash offers for the last word."""
    ran = subprocess.run(
        ["bash", "--norc", "-c", _ASK, "bash", script, "citation-machine", *words],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=script.parent,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_verbs_options_choices_and_files(cli: CommandLine) -> None:
    script = cli.write("completion.bash", cli.bare("completion", "bash").out)
    (cli.folder / "sources").mkdir()
    assert completed(script, "") == verbs()
    assert completed(script, "re") == [verb for verb in verbs() if verb.startswith("re")]
    assert completed(script, "--pretty", "sem") == ["semantic-search"]
    assert completed(script, "bibliography", "im") == ["import"]
    assert completed(script, "search", "--source-k") == ["--source-kind"]
    assert completed(script, "search", "whales", "--source-kind", "e") == ["epub"]
    assert completed(script, "completion", "") == list(SHELLS)
    assert completed(script, "--store", "sou") == ["sources"]
    assert completed(script, "ingest", "sou") == ["sources"]

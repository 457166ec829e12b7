"""The application in a real terminal: settings, sizes, colours, stores, and an interrupted ingest."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.tui.demo import prepare
from support.tmux import AVAILABLE, Terminal

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(not AVAILABLE, reason="tmux is not installed")]

CMTUI = [sys.executable, "-m", "cmtui.tui.main"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus."""
    path = tmp_path_factory.mktemp("e2e") / "thesis"
    with LocalCitationMachine.open(path) as machine:
        prepare(machine)
    return path


def environment(tmp_path: Path, config: str = "", **more: str) -> dict[str, str]:
    path = tmp_path / "config.yaml"
    path.write_text(config, encoding="utf-8")
    return {"CMTUI_CONFIG": str(path), "CMTUI_STATE": str(tmp_path / "state"), **more}


def test_vim_keys_from_the_file_jump_palette_audit_and_resize(store: Path, tmp_path: Path) -> None:
    config = "keymap: vim\nreviewer: ada\n"
    with Terminal(tmp_path, [*CMTUI, str(store)], environment=environment(tmp_path, config)) as terminal:
        terminal.wait_for("Sources 7")
        terminal.keys("G")
        terminal.wait_for("row 7/7")
        terminal.keys("g")
        terminal.wait_for("row 1/7")
        terminal.keys("'")
        terminal.wait_for(r"\[a\]")
        terminal.keys("Escape")
        terminal.wait_until(lambda screen: "[a]" not in screen, "screen without letters")
        terminal.keys(":")
        terminal.wait_for("Search for commands")
        terminal.type("audit")
        terminal.wait_for("(?s)Audit.*What happened")
        terminal.keys("Enter")
        terminal.wait_for(r"chain ✔")
        for columns, rows in ((80, 24), (50, 10), (61, 16), (130, 40), (100, 30)):
            terminal.resize(columns, rows)
            wanted = "60x15 needed" if columns < 60 else "6 Audit"
            terminal.wait_for(wanted)
        terminal.keys("q")
        assert terminal.wait_for_exit() == 0


def test_a_wrong_setting_is_told_before_anything_is_painted(store: Path, tmp_path: Path) -> None:
    config = "theme: cmtui\ncitation_stile: apa\n"
    with Terminal(tmp_path, [*CMTUI, str(store)], environment=environment(tmp_path, config)) as terminal:
        screen = terminal.wait_for("ended with status 2")
        assert "line 2" in screen
        assert "citation_style" in screen


def test_another_store_is_opened_without_leaving(store: Path, tmp_path: Path) -> None:
    with LocalCitationMachine.open(tmp_path / "second") as machine:
        text = tmp_path / "letter.txt"
        text.write_text("The ship left the harbour.\n", encoding="utf-8")
        machine.ingest(text)
    with Terminal(tmp_path, [*CMTUI, str(store)], environment=environment(tmp_path)) as terminal:
        terminal.wait_for("Sources 7")
        terminal.keys("S", "p")
        terminal.wait_for("Open or make a store")
        terminal.type(str(tmp_path / "second"))
        terminal.keys("Enter")
        terminal.wait_for("(?s)second.*letter.txt")
        terminal.keys("S")
        terminal.wait_for("thesis")
        terminal.keys("1")
        terminal.wait_for("Sources 7")
        terminal.keys("q")
        assert terminal.wait_for_exit() == 0


def test_no_color_sends_no_colour_and_every_state_keeps_its_glyph(store: Path, tmp_path: Path) -> None:
    env = environment(tmp_path, NO_COLOR="1")
    with Terminal(tmp_path, [*CMTUI, str(store)], environment=env) as terminal:
        terminal.wait_for("Sources 7")
        terminal.keys("3")
        terminal.wait_for(r"(?s)Findings 0/\d.*▌ ")
        raw = terminal._tmux("capture-pane", "-p", "-e").stdout
        colours = set(re.findall(r"\x1b\[[0-9;]*(?:38|48);2;(\d+;\d+;\d+)", raw))
        assert all(len(set(colour.split(";"))) == 1 for colour in colours), colours  # greys alone
        assert "▌" in raw
        terminal.keys("a")
        terminal.wait_for("✔")
        terminal.keys("q")
        assert terminal.wait_for_exit() == 0


@pytest.mark.parametrize("term", ["screen", "linux", "xterm"])
def test_sixteen_colours_use_the_terminals_own(store: Path, tmp_path: Path, term: str) -> None:
    env = environment(tmp_path, TERM=term, COLORTERM="")
    with Terminal(tmp_path, [*CMTUI, str(store)], environment=env) as terminal:
        terminal.wait_for("Sources 7")
        raw = terminal._tmux("capture-pane", "-p", "-e").stdout
        assert not re.search(r"\x1b\[[0-9;]*[34]8;2;", raw)
        terminal.keys("q")
        assert terminal.wait_for_exit() == 0


def test_a_dumb_terminal_is_refused_and_the_command_line_named(store: Path, tmp_path: Path) -> None:
    with Terminal(tmp_path, [*CMTUI, str(store)], environment=environment(tmp_path, TERM="dumb")) as terminal:
        screen = terminal.wait_for("ended with status 2")
        assert "citation-machine" in screen


def test_ctrl_c_says_how_to_quit_and_a_cancelled_ingest_leaves_no_partial_source(tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    for number in range(400):
        (folder / f"letter-{number:03}.txt").write_text(f"Letter {number} tells of rain.\n" * 200, "utf-8")
    command = [*CMTUI, str(tmp_path / "store")]
    with Terminal(tmp_path, command, environment=environment(tmp_path)) as terminal:
        terminal.wait_for("Welcome")
        terminal.keys("a")
        terminal.wait_for("Add a file")
        terminal.type(str(folder))
        terminal.keys("Enter")
        terminal.wait_for(r"\d+/400")
        terminal.keys("C-c")
        terminal.keys("1", "J")
        terminal.wait_for("running")
        terminal.keys("x")
        terminal.wait_for("cancelled|done")
        terminal.keys("C-q")
        assert terminal.wait_for_exit() == 0
    done = subprocess.run(
        [sys.executable, "-m", "cmtui.cli.main", "--store", str(tmp_path / "store"), "doctor"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_killed_in_the_middle_of_an_ingest_it_opens_clean_again(tmp_path: Path) -> None:
    """kill -9, open again, and every source that is there is whole (tui.md 6.5)."""
    folder = tmp_path / "letters"
    folder.mkdir()
    for number in range(300):
        (folder / f"letter-{number:03}.txt").write_text(f"Letter {number} tells of rain.\n" * 100, "utf-8")
    command, env = [*CMTUI, str(tmp_path / "store")], environment(tmp_path)
    with Terminal(tmp_path, command, environment=env) as terminal:
        terminal.wait_for("Welcome")
        terminal.keys("a")
        terminal.wait_for("Add a file")
        terminal.type(str(folder))
        terminal.keys("Enter")
        terminal.wait_for(r"[1-9]\d*/300")
        shell = int(terminal._tmux("display-message", "-p", "#{pane_pid}").stdout)
        child = int(Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0])
        os.kill(child, signal.SIGKILL)
        terminal.wait_for("ended with status 137")
    with Terminal(tmp_path, command, environment=env) as terminal:
        terminal.wait_for(r"Sources \d+")
        terminal.keys("6")
        terminal.wait_for("source.ingested")
        terminal.keys("V")
        terminal.wait_for("✔ .* verified")
        terminal.keys("q")
        assert terminal.wait_for_exit() == 0

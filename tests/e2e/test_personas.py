"""Two people of the design (peers.md, part 5) do their work in a real terminal, step by step.

P1 is a systematic reviewer, P3 a doctoral student. Decision keys are those of tui.md: a, x, space, u. Each
scenario is one test, because each step stands on the one before; its steps are marked (1) to (6).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.model.review import Decision
from support.pdf_fixtures import make_pdf
from support.tmux import AVAILABLE, Terminal

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not AVAILABLE, reason="tmux is not installed; it plays the person's terminal"),
]

PROGRAM = Path(sys.executable).with_name("cmtui")
COMMAND = Path(sys.executable).with_name("citation-machine")


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {
        "CMTUI_STORE": str(folder / "store"),
        "CMTUI_REVIEWER": "ada",
        "CMTUI_CLIPBOARD": "tmux",
        "CMTUI_STATE": str(folder / "state"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "data"),
        **more,
    }


def command(folder: Path, *words: str, store: str = "store") -> dict:
    """Run ``citation-machine`` as a person in another window does."""
    done = subprocess.run(
        [str(COMMAND), "--store", str(folder / store), *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment(folder)},
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout) if done.stdout.startswith("{") else {"text": done.stdout}


# -- P1: a systematic reviewer -------------------------------------------------------------------------


def trials(folder: Path) -> None:
    """Forty papers, one of them damaged, and a library in RIS that describes two of them."""
    folder.mkdir()
    results = {
        3: "The drug lowered blood pressure.",
        7: "The drug lowered blood pressure in every group.",
        11: "In this trial the drug lowered blood pressure.",
        19: "The drug did not lower blood pressure.",
        23: "The drug did not lower blood pressure. It caused headaches.",
    }
    for number in range(1, 41):
        body = results.get(number, f"Ward {number} was painted in spring. Nothing else was measured.")
        page = f"{body} The nurses of ward {number} wrote the report."
        (folder / f"trial-{number:02}.pdf").write_bytes(make_pdf([page]))
    (folder / "trial-40.pdf").write_bytes(b"%PDF-1.4\nthis is no paper")
    (folder / "library.ris").write_text(
        "TY  - JOUR\nTI  - The third trial\nAU  - Writer, Jane\nPY  - 2020\nJO  - Trials\n"
        "L1  - trial-03.pdf\nER  - \n"
        "TY  - JOUR\nTI  - The seventh trial\nAU  - Lee, Ann\nPY  - 2021\nL1  - trial-07.pdf\nER  - \n",
        encoding="utf-8",
    )


def ended_by_force(terminal: Terminal) -> None:
    """kill -9 of the program in the terminal, and of nothing else."""
    shell = terminal._tmux("display-message", "-p", "#{pane_pid}").stdout.strip()
    listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    [pid] = [row[0] for row in rows if row[1] == shell and "cmtui" in row[2]]
    os.kill(int(pid), signal.SIGKILL)
    terminal.wait_for(r"\[ended with status 137\]")


def test_p1_a_systematic_reviewer(tmp_path: Path) -> None:
    """P1, steps 1 to 6, and its pass mark: a kill loses at most the key in flight; every quote verifies."""
    trials(tmp_path / "papers")
    keys = environment(tmp_path)
    # (1) A store, the library, then forty papers by their folder: how far, and what failed, by name.
    made = command(
        tmp_path, "bibliography", "import", str(tmp_path / "papers" / "library.ris"), "--ingest-attachments"
    )
    assert len(made["entries"]) == 2
    with Terminal(tmp_path, [str(PROGRAM)], environment=keys) as terminal:
        terminal.wait_for(r"Sources 2")
        terminal.keys("a")
        terminal.wait_for(r"┏━ \S[^━]* ━")
        terminal.type(str(tmp_path / "papers"))
        terminal.keys("Enter")
        terminal.wait_for(r"\b\d+/4\d\b")
        terminal.wait_for(r"Sources 39")
        terminal.wait_until(lambda screen: "trial-40.pdf" in screen, "the name of what failed")

        # (2) The claim, and what was found for and against it.
        terminal.keys("3")
        terminal.wait_for(r"\[3 Review\]")
        terminal.keys("c")
        terminal.wait_for(r"┏━ New claim ━")
        terminal.type("The drug lowered blood pressure")
        terminal.keys("Enter")
        terminal.wait_for(r"Claim ▏The drug lowered blood pressure")
        terminal.wait_for(r"Findings 0/5")
        terminal.wait_for(r"✔ evaluated: 1 SUP, 2 CON, 2 REL; every quote verified")

        # (3) Move, read in full with the span marked, accept, reject with reason and note, later, undo.
        terminal.keys("j")
        terminal.wait_for(r"2/\d ━┛")
        terminal.keys("k")
        terminal.wait_for(r"1/\d ━┛")
        terminal.keys("Enter")
        terminal.wait_for(r"⟦The drug lowered blood pressure")
        terminal.wait_for(r"chars .* of .*(sheet|page) 1")
        terminal.keys("Escape")
        terminal.wait_for(r"Findings 0/\d")
        terminal.keys("a")
        # (4) The status line says what was saved, each time.
        terminal.wait_for(r"✔ accepted .* u to undo")
        terminal.keys("x")
        terminal.wait_for(r"✘ rejected; why\?\s+1 off-topic")
        terminal.keys("5")
        terminal.wait_for(r"Note ━")
        terminal.type("wrong dose")
        terminal.keys("Enter")
        terminal.wait_for(r"✔ note saved")
        terminal.keys("Space")
        terminal.wait_for(r"– skipped .* u to undo")
        terminal.keys("u")
        terminal.wait_for(r"Undid: skip")
        terminal.wait_for(r"Findings 2/\d")
        ended_by_force(terminal)

    # (5) Reopened after a kill: the same cursor, the same decisions.
    with Terminal(tmp_path, [str(PROGRAM)], environment=keys) as terminal:
        terminal.wait_for(r"Sources 39")
        terminal.keys("3")
        terminal.wait_for(r"Findings 2/\d")
        terminal.wait_for(r"3/\d ━┛")
        # (6) The decisions and the bundle for a colleague, from the screen.
        terminal.keys("E")
        terminal.wait_for(r"proof for a colleague")
        terminal.keys("z")
        terminal.wait_for(r"Write bundle to")
        for name in ("C-a", "C-k"):
            terminal.keys(name)
        terminal.wait_until(lambda screen: "review-ada" not in screen, "an empty line")
        terminal.type(str(tmp_path / "ada.zip"))
        terminal.keys("Enter")
        terminal.wait_for(r"✔ 1 finding written")
        terminal.keys("q")
        assert terminal.wait_for_exit() == 0

    with LocalCitationMachine.open(tmp_path / "store") as machine:
        state = machine.review("ada").state()
        [rejected] = [s for s in state.findings.values() if s.decision is Decision.REJECTED]
        assert (rejected.reasons, rejected.note) == (("other",), "wrong dose")
        assert sum(s.decision is Decision.ACCEPTED for s in state.findings.values()) == 1
        assert not any(s.decision is Decision.SKIPPED for s in state.findings.values())

    # The colleague verifies with Python alone, imports, reviews blind, and sees kappa and the conflicts.
    with zipfile.ZipFile(tmp_path / "ada.zip") as archive:
        archive.extractall(tmp_path / "bundle")
    checked = subprocess.run(
        [sys.executable, "-I", "-S", str(tmp_path / "bundle" / "verify.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
    (tmp_path / "papers" / "trial-40.pdf").unlink()
    command(tmp_path, "ingest", str(tmp_path / "papers"), store="colleague")
    imported = command(tmp_path, "review", "import", str(tmp_path / "ada.zip"), store="colleague")
    assert imported["identical"]
    ben = ("--reviewer", "ben")
    rows = command(tmp_path, "review", "list", *ben, store="colleague")["findings"]
    decided = [s for s in state.findings.items() if s[1].decision in (Decision.ACCEPTED, Decision.REJECTED)]
    assert {row["decision"] for row in rows} == {"undecided"}
    for key, _ in decided:
        command(tmp_path, "review", "accept", key.partition("/")[2], *ben, store="colleague")
    command(tmp_path, "review", "unblind", *ben, store="colleague")
    found = command(tmp_path, "review", "diff", "ada", "ben", *ben, store="colleague")
    assert (found["compared"], len(found["conflicts"]), found["kappa"]) == (2, 1, 0)


# -- P3: a doctoral student ----------------------------------------------------------------------------


def library(folder: Path) -> None:
    """A BibTeX library with two papers of one author and year, whose pages have roman labels."""
    folder.mkdir()
    roman = "0 << /S /r >>"
    one = "The old king wept beside the harbour. At dusk somebody brought a blanket."
    two = "The queen mourned for a year. At night the bells were silent."
    (folder / "one.pdf").write_bytes(make_pdf(["Title page of the book.", one], labels=roman))
    (folder / "two.pdf").write_bytes(make_pdf(["Title page of the other.", two], labels=roman))
    (folder / "library.bib").write_text(
        "@book{w1, title={The Long Shore}, author={Writer, Jane}, year={2020}, file={:one.pdf:PDF}}\n"
        "@book{w2, title={The Short Shore}, author={Writer, Jane}, year={2020},"
        " publisher={Example Press}, file={:two.pdf:PDF}}\n",
        encoding="utf-8",
    )


def test_p3_a_doctoral_student(tmp_path: Path) -> None:
    """P3, steps 1 to 5, and its pass mark: a change of style changes no evidence id."""
    library(tmp_path / "zotero")
    keys = environment(tmp_path, CMTUI_CLIPBOARD="osc52", CMTUI_STYLE="apa")
    # (1) The library with its attachments.
    made = command(
        tmp_path, "bibliography", "import", str(tmp_path / "zotero" / "library.bib"), "--ingest-attachments"
    )
    assert len(made["entries"]) == 2
    with Terminal(tmp_path, [str(PROGRAM)], environment=keys) as terminal:
        terminal.wait_for(r"Sources 2")
        # (2) "sad" finds "wept" by meaning, and the screen says which mode found it.
        terminal.keys("2")
        terminal.wait_for(r"\[2 Search\]")
        terminal.keys("/")
        terminal.type("sad king")
        terminal.keys("Enter")
        terminal.wait_for(r"Hits \d")
        terminal.keys("m")
        terminal.wait_until(lambda screen: "[hybrid]" not in screen, "another mode")
        while "[semantic]" not in terminal.screen():
            terminal.keys("m")
            terminal.wait_for(r"\[(semantic|lexical)\]")
        terminal.wait_for(r"Hits [1-9]")
        terminal.wait_for(r"wept")

        # (3) Two quotes accepted, and what is missing filled in; nothing is guessed.
        terminal.keys("3")
        terminal.wait_for(r"\[3 Review\]")
        for claim, quote in (("The old king was sad", "wept"), ("The queen mourned", "mourned")):
            terminal.keys("c")
            terminal.wait_for(r"┏━ New claim ━")
            terminal.type(claim)
            terminal.keys("Enter")
            terminal.wait_for(rf"Claim ▏{claim}")
            terminal.wait_for(rf"⟦[^⟧]*{quote}")
            terminal.keys("a")
            terminal.wait_for(r"✔ accepted")
        terminal.keys("K")
        terminal.wait_for(r"Claim ▏The old king was sad")
        terminal.wait_for(r"▌ SUP .*✔")
        terminal.keys("e")
        terminal.wait_for(r"\[4 Cite\]")
        terminal.wait_for(r"The Long Shore")
        terminal.keys("3")
        terminal.wait_for(r"▌ SUP .*✔")

        # (4) The citation in the text, with the printed page; where the copy went is said.
        terminal.keys("y")
        terminal.wait_for(r"citation in the text \(APA\)")
        terminal.keys("t")
        terminal.wait_for(r"unconfirmed")
        terminal.keys("q")
        assert terminal.wait_for_exit() == 0
    copied = (tmp_path / "state" / "last-copy.txt").read_text("utf-8")
    assert copied == "(Writer, 2020, p. ii)"

    with LocalCitationMachine.open(tmp_path / "store") as machine:
        accepted = [
            s for s in machine.review("ada").state().findings.values() if s.decision is Decision.ACCEPTED
        ]
        assert len(accepted) == 2
        before = {entry.evidence_id for entry in machine.repository.evidence_entries()}
        sources = {source.name: source for source in machine.repository.sources()}
        item = machine.bibliography(sources["one.pdf"].source_id).item
        assert "publisher" not in item
        machine.set_bibliography(sources["one.pdf"].source_id, {**item, "publisher": "Long Press"})

    # (5) The whole bibliography: one author and year, told apart by letters, in the style that was chosen.
    printed = command(tmp_path, "bibliography", "export", "--accepted", "--style", "apa")["text"]
    assert "(2020a)" in printed
    assert "(2020b)" in printed
    assert "Long Press" in printed
    other = command(tmp_path, "bibliography", "export", "--accepted", "--style", "ieee")["text"]
    assert "[1]" in other
    with LocalCitationMachine.open(tmp_path / "store") as machine:
        assert {entry.evidence_id for entry in machine.repository.evidence_entries()} == before

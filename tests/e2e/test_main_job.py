"""The main job as a person does it, in a real terminal: from the demo to a pasted citation, and back again.

Skipped where tmux is missing (``apt-get install tmux``, ``brew install tmux``).
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.model.claim import Claim, Relation, RunFinding
from cmtui.model.review import Decision
from support.tmux import AVAILABLE, Terminal

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not AVAILABLE, reason="tmux is not installed; it plays the person's terminal"),
]

PROGRAM = Path(sys.executable).with_name("cmtui")
SENTENCE = "The old king wept beside the harbour."
REVIEWER = "tester"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "demo-store"


@pytest.fixture
def environment(tmp_path: Path, store: Path) -> dict[str, str]:
    """The person's settings: a store and a name of their own, and tmux as their clipboard."""
    return {
        "CMTUI_DEMO_STORE": str(store),
        "CMTUI_REVIEWER": REVIEWER,
        "CMTUI_CLIPBOARD": "tmux",
        "CMTUI_STATE": str(tmp_path / "state"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }


def the_claim(machine: LocalCitationMachine, text: str) -> Claim:
    [claim] = [claim for claim in machine.claims() if claim.text == text]
    return claim


def the_finding(claim: Claim, relation: Relation) -> RunFinding:
    assert claim.latest is not None
    [finding] = [f for f in claim.latest.findings if f.relation is relation]
    return finding


def test_the_main_job_from_demo_to_citation(tmp_path: Path, store: Path, environment: dict[str, str]) -> None:
    """Demo, search, claim, accept, reject, undo, copy, quit, reopen: the decisions are still there
    (R180, R183, R184, R186)."""
    with Terminal(tmp_path, [str(PROGRAM), "demo"], environment=environment) as terminal:
        # The demo lands in Review on a prepared claim, with its best finding under the cursor.
        terminal.wait_for(r"Claim ▏The old king was sad")
        terminal.wait_for(r"▌ SUP ")
        terminal.wait_for(r"SUPPORTS \.\d\d \(derived, fallible\)")
        screen = terminal.wait_for(r"wept beside the harbour")
        assert "CON " in screen
        assert "verification proves text and provenance" in " ".join(screen.split())

        # Search: the words of the query find the sentence.
        terminal.keys("2")
        terminal.wait_for(r"\[2 Search\]")
        terminal.keys("/")
        terminal.type("king wept at the harbour")
        terminal.keys("Enter")
        terminal.wait_for(r"Hits \d+")
        terminal.wait_for(r"The old ⟪king⟫\s+⟪wept⟫")

        # A claim of one's own is evaluated at once and shown.
        terminal.keys("3")
        terminal.wait_for(r"\[3 Review\]")
        terminal.keys("c")
        terminal.wait_for(r"(?i)claim")
        terminal.type("The inquiry blamed the keepers")
        terminal.keys("Enter")
        terminal.wait_for(r"Claim ▏The inquiry blamed the keepers")
        terminal.wait_for(r"▌ CON ")

        # Accept its finding, which contradicts the claim.
        terminal.keys("a")
        terminal.wait_for(r"✔ accepted")

        # Back on the prepared claim: reject the support, think again, undo, accept.
        terminal.keys("q")
        assert terminal.wait_for_exit() == 0

    with Terminal(tmp_path, [str(PROGRAM), "demo"], environment=environment) as terminal:
        terminal.wait_for(r"Claim ▏The old king was sad")
        terminal.wait_for(r"▌ SUP .* · ")
        terminal.keys("x")
        terminal.wait_for(r"✘ rejected")
        terminal.wait_for(r"SUP .*✘")
        terminal.keys("u")
        terminal.wait_for(r"▌ SUP .* · ")
        terminal.keys("a")
        terminal.wait_for(r"✔ accepted")
        terminal.wait_for(r"SUP .*✔")

        # The cursor went on to the next finding; back to the accepted one, and copy its citation.
        terminal.keys("k")
        terminal.wait_for(r"▌ SUP .*✔")
        terminal.keys("y")
        terminal.wait_for(r"BibTeX")
        terminal.keys("c")
        terminal.wait_for(r"Copied .*citation \(tmux\)")
        copied = terminal.wait_for_buffer(r"Voyage")
        terminal.keys("q")
        assert terminal.wait_for_exit() == 0

    # What the terminal pasted is what the engine formats, and every decision is in the log.
    with LocalCitationMachine.open(store) as machine:
        king = the_claim(machine, "The old king was sad")
        support = the_finding(king, Relation.SUPPORTS)
        against = the_finding(the_claim(machine, "The inquiry blamed the keepers"), Relation.CONTRADICTS)
        assert support.evidence_id is not None
        assert against.evidence_id is not None
        assert machine.reconstruct(support.evidence_id) == SENTENCE
        assert copied == machine.format_citation(support.evidence_id, style="mla")
        assert (tmp_path / "state" / "last-copy.txt").read_text("utf-8") == copied
        review = machine.review(REVIEWER)
        state = review.state()
        assert state.of(king.claim_id, support.evidence_id).decision is Decision.ACCEPTED
        keepers = the_claim(machine, "The inquiry blamed the keepers")
        assert state.of(keepers.claim_id, against.evidence_id).decision is Decision.ACCEPTED
        kinds = [event.type.value for event in machine.repository.events(REVIEWER)]
        assert kinds == ["finding.accepted", "finding.rejected", "undo", "finding.accepted"]
        assert all(check.ok for check in machine.verify([support.evidence_id, against.evidence_id]))

    # Reopened, the decisions are on the screen.
    with Terminal(tmp_path, [str(PROGRAM), "demo"], environment=environment) as terminal:
        terminal.wait_for(r"Claim ▏The old king was sad")
        terminal.wait_for(r"SUP .*✔")
        terminal.keys("q")
        assert terminal.wait_for_exit() == 0


def test_a_small_terminal_and_a_large_one(tmp_path: Path, environment: dict[str, str]) -> None:
    """Resizing while it runs keeps the claim on the screen, and a tiny terminal says what it needs (R180)."""
    with Terminal(tmp_path, [str(PROGRAM), "demo"], environment=environment, size=(140, 40)) as terminal:
        terminal.wait_for(r"Claim ▏The old king was sad")
        terminal.resize(80, 24)
        terminal.wait_for(r"The old king was sad")
        terminal.resize(50, 10)
        terminal.wait_for(r"(?i)too small")
        terminal.resize(100, 30)
        terminal.wait_for(r"Claim ▏The old king was sad")
        terminal.keys("q")
        assert terminal.wait_for_exit() == 0


def test_a_terminal_that_cannot_is_told_the_other_way(tmp_path: Path, environment: dict[str, str]) -> None:
    """TERM=dumb gets one sentence and the name of the plain command (R4)."""
    with Terminal(tmp_path, [str(PROGRAM), "demo"], environment={**environment, "TERM": "dumb"}) as terminal:
        screen = terminal.wait_for(r"citation-machine")
        assert "cannot show a full screen" in " ".join(screen.split())
        assert terminal.wait_for_exit() == 2

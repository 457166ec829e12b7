"""Other reviewers on the review screen: blindness, conflicts, adjudication."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui.model.review import EventType
from cmtui.tui.reviewing.conflicts import ConflictScreen
from cmtui.tui.screens.source import SourceScreen
from support.review_screen import decided
from tui.harness import press, running, screen_lines, screen_text, status, toasts, type_line


@pytest.fixture
def ben(machine) -> None:
    """Another reviewer, who rejected two findings that the engine calls support and contradiction."""
    claim = machine.claims()[0]
    session = machine.review("ben")
    for finding in claim.latest.findings[:2]:
        session.reject(claim.claim_id, finding.evidence_id, reasons=["bens-reason"])
    session.note(claim.claim_id, claim.latest.findings[0].evidence_id, "bens-note")


async def test_nothing_of_others_is_shown_until_the_reviewer_looks(machine, tmp_path: Path, ben) -> None:
    """Rule 9: blind by default, and the log keeps when somebody looked."""
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "D")
        assert "You review blind. B shows" in status(app)
        await press(pilot, "i")
        assert "ben" not in screen_text(app)
        await press(pilot, "escape", "equals_sign")
        assert "ben" not in screen_text(app)
        await press(pilot, "escape")
        assert "ben" not in screen_text(app)
        assert app.screen.here.others == ()
        await press(pilot, "6")
        assert "ben" not in screen_text(app)
        await press(pilot, "3")
        await press(pilot, "B", "n")
        assert "ben" not in screen_text(app)
        await press(pilot, "B", "y")
        assert "✘ ben: rejected  bens-reason  “bens-note”" in screen_text(app)
        assert machine.repository.events("tester")[-1].type is EventType.UNBLINDED
        await press(pilot, "B")
        assert "bens-reason" not in screen_text(app)


async def test_what_a_colleague_wrote_cannot_steer_the_terminal(machine, tmp_path: Path) -> None:
    """Notes, tags, claims and sources are other people's text: no escape sequence of them is painted."""
    evil = "bad \x1b[31m red \u202e turned \x07\x9b2J"
    claim = machine.claims()[0]
    evidence = claim.latest.findings[0].evidence_id
    machine.update_claim(claim.claim_id, text=evil)
    for name in ("ben", "tester"):
        machine.review(name).note(claim.claim_id, evidence, evil)
        machine.review(name).tag(claim.claim_id, evidence, [evil])
    machine.review("ben").reject(claim.claim_id, evidence, reasons=[evil])
    source = machine.summary(claim.latest.findings[0].document_id).source_id
    machine.set_bibliography(source, {"type": "book", "title": evil})
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "a", "B", "y", "k")
        seen = [screen_text(app)]
        for keys in (("i",), ("escape", "equals_sign"), ("escape", "D"), ("escape", "s"), ("escape", "y")):
            await press(pilot, *keys)
            seen.append(screen_text(app))
        assert "ben: rejected" in seen[0]
        for text in seen:
            assert "bad" in text
            assert not set("\x1b\u202e\x07\x9b") & set(text)


async def test_conflicts_are_walked_and_settled(machine, tmp_path: Path, ben) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "a", "a", "B", "y", "D")
        assert isinstance(app.screen, ConflictScreen)
        text = screen_text(app)
        assert "ben (1) and tester (2): Cohen's kappa 0.00 · 0 % of 2 judged alike" in text
        assert "Conflicts 0/2 settled" in text
        await press(pilot, "j")
        text += screen_text(app)
        await press(pilot, "k")
        assert "“bens-note”" in text
        assert "⟦The old king wept" in text
        first = app.screen.here.evidence.evidence_id
        await press(pilot, "n")
        await type_line(pilot, "a figure of speech")
        assert "Comment ▏a figure of speech" in screen_text(app)
        await press(pilot, "x")
        assert "settled as rejected" in status(app)
        assert machine.repository.events("tester")[-1].payload["comment"] == "a figure of speech"
        assert app.screen.comment == ""
        assert app.screen.here.evidence.evidence_id != first
        await press(pilot, "a")
        assert "Every conflict is settled." in toasts(app)
        assert "Conflicts 2/2 settled" in screen_text(app)
        await press(pilot, "a")
        assert "Already settled" in status(app)
        kinds = [event.type for event in machine.repository.events("tester")]
        assert kinds[-2:] == [EventType.ADJUDICATED] * 2
        await press(pilot, "u")
        assert "Undid: adjudication" in status(app)
        assert "Conflicts 1/2 settled" in screen_text(app)
        await press(pilot, "o")
        assert isinstance(app.screen, SourceScreen)
        await press(pilot, "escape", "escape")
        assert app.current_mode == "review"
        # Nobody's own decision was touched.
        assert decided(app) == ["accepted", "accepted"]


async def test_three_reviewers_are_chosen_by_letter(machine, tmp_path: Path, ben) -> None:
    claim = machine.claims()[0]
    machine.review("carol").reject(claim.claim_id, claim.latest.findings[0].evidence_id)
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "a", "B", "y", "D")
        assert "Two reviewers: whom first?" in screen_text(app)
        await press(pilot, "a", "b")
        assert isinstance(app.screen, ConflictScreen)
        assert (app.screen.first, app.screen.second) == ("ben", "carol")
        assert "both rejected everything" in screen_text(app)
        assert "They differ in nothing" in screen_text(app)
        await press(pilot, "a", "x", "o", "u")
        assert "Undid" in status(app)


async def test_alone_there_is_nobody_to_compare_with(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "a", "B", "y", "D")
        assert "Only one person has reviewed here" in status(app)


async def test_every_screen_of_the_review_fits(machine, tmp_path: Path, ben) -> None:
    size = (60, 20)
    async with running(machine, tmp_path, mode="review", size=size) as (app, pilot):
        await press(pilot, "s")
        assert "⟦The old king" in screen_text(app)
        await press(pilot, "right")
        assert "enter Verify" in screen_lines(app)[-1]
        await press(pilot, "escape", "a", "B", "y", "D")
        assert "kappa" in screen_text(app)
        assert "Conflicts" in screen_text(app)
        for line in screen_lines(app):
            assert len(line) <= size[0]

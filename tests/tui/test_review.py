"""The review screen: decisions, undo, notes, copies, filters, and refusal to accept what does not verify."""

from __future__ import annotations

from pathlib import Path

from cmtui.errors import VerificationError
from cmtui.model.claim import CAVEAT, Relation, RunFinding
from cmtui.model.review import Decision
from cmtui.tui.screens.cite import CiteScreen
from cmtui.tui.screens.source import SourceScreen
from tui.harness import press, running, screen_lines, screen_text, settle, status, toasts, type_line


def copied(tmp_path: Path) -> str:
    return (tmp_path / "state" / "last-copy.txt").read_text(encoding="utf-8")


def decisions(app) -> list[str]:
    state = app.session.state()
    return [s.decision.value for s in state.findings.values() if s.decision is not Decision.UNDECIDED]


async def test_a_prepared_claim_is_shown_with_its_span_caveat_and_citation(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, _):
        text = screen_text(app)
        assert "⟦The old king wept beside the harbour.⟧" in text
        assert "SUPPORTS" in text
        assert "(derived, fallible)" in text
        assert "verified char-exact" in text
        assert CAVEAT in " ".join(" ".join(screen_lines(app)[-4:-2]).split())
        assert "Writer, Jane. The Voyage." in text
        assert "claim 1/" in screen_lines(app)[0]


async def test_accept_moves_on_and_undo_comes_back(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        first = app.screen.here
        await press(pilot, "a")
        assert decisions(app) == ["accepted"]
        assert app.screen.here.key != first.key
        assert "accepted" in status(app)
        assert "u to undo" in status(app)
        await press(pilot, "k", "a")
        assert "Already accepted; u to undo." in status(app)
        assert decisions(app) == ["accepted"]
        await press(pilot, "j", "u")
        assert decisions(app) == []
        assert app.screen.here.key == first.key
        await press(pilot, "U")
        assert decisions(app) == ["accepted"]
        await press(pilot, "U")
        assert "nothing to redo" in status(app)


async def test_decisions_survive_and_are_written_in_the_order_of_the_keys(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await pilot.press("a", "x", "space")
        await settle(pilot)
        events = machine.repository.events("tester")
        assert [event.type.value for event in events] == [
            "finding.accepted",
            "finding.rejected",
            "finding.skipped",
        ]
        assert "3/" in screen_lines(app)[0]
    async with running(machine, tmp_path, mode="review") as (app, _):
        assert [row.state.decision.value for row in app.screen.visible_rows[:3]] == [
            "accepted",
            "rejected",
            "skipped",
        ]


async def test_accepting_verifies_again_and_fails_closed(machine, tmp_path: Path, monkeypatch) -> None:
    """R87, tui 3.3 rule 8: nothing is recorded when the span no longer verifies."""
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        first = app.screen.here

        def damaged(*_: object, **__: object) -> None:
            raise VerificationError("Not accepted: the span no longer verifies.", "Run the claim again.")

        monkeypatch.setattr(app.session, "_verified", damaged)
        await press(pilot, "a")
        assert decisions(app) == []
        assert app.screen.here.key == first.key
        assert app.screen.here.undecided
        assert "Not accepted" in status(app)
        assert "Run the claim again." in toasts(app)


async def test_a_rejection_may_take_a_reason_and_digits_go_back_to_screens(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        key = app.screen.here.key
        await press(pilot, "x")
        assert "1 off-topic" in status(app)
        await press(pilot, "2")
        assert app.current_mode == "review"
        assert app.session.state().findings[key].reasons == ("figurative",)
        await press(pilot, "2")
        assert app.current_mode == "search"


async def test_the_end_of_a_claim_leads_to_the_next_and_the_last_to_a_sum(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        total = sum(view.total for view in app.screen.findings_data.claims)
        claims = set()
        for _ in range(total):
            claims.add(app.screen.number)
            await pilot.press("space")
            await pilot.pause()
        await settle(pilot)
        assert claims == set(range(len(app.screen.findings_data.claims)))
        assert len(decisions(app)) == total
        assert "Every finding is decided" in toasts(app)
        assert f"{total} skipped" in toasts(app)
        await press(pilot, "space")
        assert len(decisions(app)) == total


async def test_notes_and_tags_are_shown_and_undone(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        key = app.screen.here.key
        await press(pilot, "n")
        await type_line(pilot, "good primary")
        await press(pilot, "t")
        await type_line(pilot, "grief primary")
        text = screen_text(app)
        assert "Note ▏good primary" in text
        assert "Tags ▏grief  primary" in text
        await press(pilot, "u", "u")
        state = app.session.state().findings.get(key)
        assert state is None or (state.note, state.tags) == ("", ())
        assert "good primary" not in screen_text(app)


async def test_the_reviewers_relation_stands_beside_the_engines(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        row = app.screen.here
        await press(pilot, "R", "c")
        state = app.session.state().of(row.claim_id, row.finding.evidence_id)
        assert state.relation == Relation.CONTRADICTS
        assert app.screen.here.finding.relation is Relation.SUPPORTS
        assert "yours: CONTRADICTS" in screen_text(app)
        await press(pilot, "R", "e")
        assert app.session.state().of(row.claim_id, row.finding.evidence_id).relation is None


async def test_the_copy_menu_copies_each_thing(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        finding = app.screen.here.finding
        await press(pilot, "y", "y")
        assert copied(tmp_path) == machine.reconstruct(finding.evidence_id) == finding.text
        await press(pilot, "y", "c")
        assert copied(tmp_path) == machine.format_citation(finding.evidence_id, "mla")
        await press(pilot, "y", "b")
        assert copied(tmp_path).startswith("@book{")
        await press(pilot, "y", "m")
        assert copied(tmp_path).startswith(f"> {finding.text}\n>\n> — Writer")
        await press(pilot, "y", "i")
        assert copied(tmp_path) == finding.evidence_id
        await press(pilot, "y")
        assert "y  quote, exactly" in screen_text(app)
        await press(pilot, "escape")
        assert app.current_mode == "review"
        assert decisions(app) == []


async def test_a_fast_y_c_copies_and_does_not_open_a_claim(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await pilot.press("y", "c")
        await settle(pilot)
        assert copied(tmp_path).startswith("Writer, Jane.")
        assert len(app.screen_stack) == 1


async def test_filter_goes_through_decisions_and_relations(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        total = len(app.screen.visible_rows)
        await press(pilot, "a", "full_stop")
        assert app.screen.filter_name == "undecided"
        assert len(app.screen.visible_rows) == total - 1
        await press(pilot, "full_stop")
        assert [row.state.decision.value for row in app.screen.visible_rows] == ["accepted"]
        assert "· accepted" in screen_text(app)
        while app.screen.filter_name != "CON":
            await press(pilot, "full_stop")
        assert {row.finding.relation for row in app.screen.visible_rows} <= {Relation.CONTRADICTS}


async def test_moving_over_findings_claims_and_undecided(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "j")
        assert app.screen.findings.cursor == 1
        await press(pilot, "k", "k")
        assert app.screen.findings.cursor == 0
        await press(pilot, "J")
        assert app.screen.number == 1
        await press(pilot, "p")
        assert app.screen.number == 0
        assert app.screen.findings.cursor == len(app.screen.visible_rows) - 1
        await press(pilot, "K")
        assert "first claim" in status(app)


async def test_context_widens_and_narrows_and_the_source_opens_at_the_span(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        span = app.screen.here.finding.span
        before = len(app.screen.query_one("#text").window)
        await press(pilot, "right_square_bracket")
        wide = len(app.screen.query_one("#text").window)
        assert wide > before
        await press(pilot, "left_square_bracket", "left_square_bracket")
        assert len(app.screen.query_one("#text").window) < wide
        await press(pilot, "o")
        assert isinstance(app.screen, SourceScreen)
        assert "⟦" in screen_text(app)
        assert app.screen.spans == (span,)
        await press(pilot, "escape", "i")
        assert "Backend" in screen_text(app)
        assert "Reason" in screen_text(app)


async def test_a_new_claim_is_evaluated_at_once(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "c")
        await type_line(pilot, "Brannoch was happy")
        await settle(pilot)
        assert app.screen.view.claim.text == "Brannoch was happy"
        assert app.screen.view.claim.latest is not None
        runs = len(app.screen.view.claim.runs)
        await press(pilot, "r")
        await settle(pilot)
        assert len(machine.claim(app.screen.view.claim.claim_id).runs) >= runs


async def test_new_sources_since_the_run_are_announced(machine, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("The old king was sad, the letter says.\n")
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        app.ingest([tmp_path / "more.txt"])
        await settle(pilot)
        assert "1 new: r" in screen_text(app)
        await press(pilot, "a", "r")
        await settle(pilot)
        assert "new: r" not in screen_text(app)
        assert decisions(app) == ["accepted"]


async def test_a_finding_of_an_older_version_says_where_its_text_stands_now(machine, tmp_path: Path) -> None:
    source = tmp_path / "mill.txt"
    source.write_text("The miller was happy.\n")
    machine.ingest(source)
    claim = machine.evaluate_claim(machine.add_claim("The miller was happy").claim_id)
    source.write_text("A line that was not there before.\n\nThe miller was happy.\n")
    machine.ingest(source)
    async with running(machine, tmp_path, mode="review", claim=claim.claim_id) as (app, _):
        assert "The miller was happy" in app.screen.here.finding.text
        shown = screen_text(app)
        assert "! the source has a newer version: there the text stands" in shown
        assert "another place" in shown


async def test_refused_rows_are_shown_with_their_reason_and_cannot_be_decided(
    machine, tmp_path: Path, monkeypatch
) -> None:
    """D7: an invalid proposal is neither evidence nor hidden."""
    import dataclasses

    claim = machine.claims()[0]
    run = claim.latest
    refused = RunFinding(
        Relation.SUPPORTS,
        0.9,
        "model",
        "A model proposed it.",
        run.findings[0].document_id,
        run.findings[0].passage_id,
        run.findings[0].start,
        run.findings[0].end,
        "The old king sobbed.",
        None,
        "the quote does not stand in the passage",
    )
    machine.repository.add_run(claim.claim_id, dataclasses.replace(run, findings=(refused, *run.findings)))
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        text = screen_text(app)
        assert "the quote does not stand in the passage" in text
        assert "refused" in text
        await press(pilot, "a")
        assert decisions(app) == []
        assert "Refused" in status(app)
        await press(pilot, "y", "y")
        assert "no verified quote" in status(app)


async def test_e_edits_the_bibliography_of_the_source_and_style_cycles(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "S")
        assert app.style == "apa"
        assert "APA  Writer, J." in screen_text(app)
        source = machine.summary(app.screen.here.finding.document_id).source_id
        await press(pilot, "e")
        assert isinstance(app.screen, CiteScreen)
        assert app.screen.loaded.source_id == source


async def test_a_store_without_claims_says_how_to_begin(machine, tmp_path: Path) -> None:
    for claim in machine.claims():
        machine.update_claim(claim.claim_id, archived=True)
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        assert "c  states one" in screen_text(app)
        await press(pilot, "a", "x", "space", "J", "o", "i", "y", "n", "t", "p", "full_stop")
        assert decisions(app) == []
        assert len(app.screen_stack) == 1

"""Ranges, filters, spans, sums, exports, reviewers and newer versions on the review screen (tui.md 3.3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cmtui.model.review import Decision, EventType
from cmtui.tui.reviewing.adjust import AdjustScreen
from cmtui.tui.screens.deciding import offered
from cmtui.tui.screens.source import SourceScreen
from support.review_screen import decided
from tui.harness import press, running, screen_lines, screen_text, settle, status, toasts, type_line


def copied(tmp_path: Path) -> str:
    return (tmp_path / "state" / "last-copy.txt").read_text(encoding="utf-8")


async def write_line(pilot, text: str) -> None:
    """Replace what stands in the line of text and press enter."""
    pilot.app.screen.query_one("Input").value = text
    await press(pilot, "enter")


# -- a range -----------------------------------------------------------------------------------------


async def test_a_range_is_rejected_with_a_reason_and_undone_as_one(machine, tmp_path: Path) -> None:
    """Rule 6: v, then x acts on all of it, and one undo takes all of it back."""
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        first = app.screen.here.key
        await press(pilot, "v", "j", "j")
        assert "3 marked" in screen_text(app)
        assert sum("┃CON" in line or "┃REL" in line or "┃SUP" in line for line in screen_lines(app)) == 3
        await press(pilot, "x")
        assert decided(app) == ["rejected"] * 3
        assert "3 rejected, u undo" in status(app)
        assert "1 off-topic" in status(app)
        await press(pilot, "2")
        reasons = [s.reasons for s in app.session.state().findings.values()]
        assert reasons == [("figurative",)] * 3
        assert "3 rejected: figurative   u to undo" in status(app)
        assert app.screen.here.undecided
        await press(pilot, "u")
        assert decided(app) == []
        assert app.screen.here.key == first
        await press(pilot, "U")
        assert [s.reasons for s in app.session.state().findings.values()] == [("figurative",)] * 3


async def test_a_range_is_accepted_skipped_and_tagged(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "v", "j", "a")
        assert "2 accepted, u to undo" in status(app)
        await press(pilot, "v", "j", "space")
        assert sorted(decided(app)) == ["accepted", "accepted", "skipped", "skipped"]
        await press(pilot, "home", "t")
        await type_line(pilot, "own")
        await press(pilot, "v", "j", "t")
        await type_line(pilot, "grief sea")
        tags = [s.tags for s in app.session.state().findings.values() if s.tags]
        assert tags == [("own", "grief", "sea"), ("grief", "sea")]
        assert "2 tagged" in status(app)


async def test_a_range_ends_without_deciding(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        for end in ("v", "escape"):
            await press(pilot, "v", "j")
            assert "marked" in screen_text(app)
            await press(pilot, end)
            assert "marked" not in screen_text(app)
        await press(pilot, "v", "full_stop")
        assert app.screen.range_from == ""
        assert decided(app) == []


async def test_a_range_with_an_unverified_span_is_not_accepted(machine, tmp_path: Path) -> None:
    """Rule 6: bulk accept is refused for unverified spans; rejecting takes the others."""
    import dataclasses

    claim = machine.claims()[0]
    run = claim.latest
    bare = dataclasses.replace(run.findings[1], evidence_id=None, error="not exact")
    machine.repository.add_run(
        claim.claim_id, dataclasses.replace(run, findings=(run.findings[0], bare, *run.findings[2:]))
    )
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "v", "j", "j", "a")
        assert decided(app) == []
        assert "Nothing accepted: 1 of the 3 have no verified span." in status(app)
        await press(pilot, "x")
        assert decided(app) == ["rejected"] * 2


def test_reasons_are_cut_alike_where_there_is_no_room() -> None:
    reasons = ("off-topic", "figurative", "wrong subject", "wrong relation", "other")
    assert offered(reasons, 90).endswith("4 wrong relation  5 other")
    short = offered(reasons, 52)
    assert len(short) <= 52
    assert [part.split()[0] for part in short.split("  ")] == ["1", "2", "3", "4", "5"]


# -- moving on -----------------------------------------------------------------------------------------


async def test_the_end_shows_the_sum_and_never_wraps_silently(machine, tmp_path: Path) -> None:
    """Rule 2."""
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "j", "a")
        assert toasts(app) == ""
        await press(pilot, "end", "x")
        assert "Back up" in toasts(app)
        assert app.screen.here.key == app.screen.visible_rows[0].key
        total = sum(view.total for view in app.screen.findings_data.claims)
        for _ in range(total - 2):
            await pilot.press("space")
            await pilot.pause()
        await settle(pilot)
        assert "Every finding is decided" in toasts(app)
        assert f"1 accepted (1 CON) · 1 rejected (1 INS) · {total - 2} skipped" in toasts(app)
        await press(pilot, "equals_sign")
        text = screen_text(app)
        assert "Review of tester" in text
        assert "✔ 1    ✘ 1" in text


async def test_progress_is_in_the_header_and_in_the_claims(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        total = app.screen.view.total
        await press(pilot, "a", "x")
        assert f"2/{total}" in screen_lines(app)[0]
        assert screen_text(app).count(f"2/{total}") >= 3
        await press(pilot, "u", "u")
        assert f"0/{total}" in screen_lines(app)[0]


async def test_auto_advance_can_be_turned_off(machine, tmp_path: Path) -> None:
    from cmtui.config import ReviewSettings

    still = ReviewSettings(auto_advance=False)
    async with running(machine, tmp_path, mode="review", review=still) as (app, pilot):
        key = app.screen.here.key
        await press(pilot, "a")
        assert app.screen.here.key == key
        assert decided(app) == ["accepted"]


async def test_the_cursor_is_where_it_was(machine, tmp_path: Path) -> None:
    """P1 step 5: quit, reopen: the same cursor, the same decisions."""
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "J", "a", "j")
        key = app.screen.here.key
    async with running(machine, tmp_path, mode="review") as (app, _):
        assert app.screen.number == 1
        assert app.screen.here.key == key
        assert decided(app) == ["accepted"]
    async with running(machine, tmp_path, mode="review", reviewer="somebody") as (app, _):
        assert app.screen.number == 0
    (tmp_path / "state" / "review-places.json").write_text("[")
    async with running(machine, tmp_path, mode="review") as (app, _):
        assert app.screen.number == 0


# -- filters -------------------------------------------------------------------------------------------


async def test_a_typed_filter_holds_over_claims_and_decisions_stay_inside_it(machine, tmp_path: Path) -> None:
    """Rule 7."""
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "f")
        await write_line(pilot, "rel:sup,con conf:>.5")
        rows = app.screen.visible_rows
        assert {row.finding.relation.value for row in rows} <= {"SUPPORTS", "CONTRADICTS"}
        assert "rel:sup,con conf:>.5" in screen_text(app)
        assert "in all claims" in status(app)
        for _ in range(len(rows)):
            await press(pilot, "a")
        assert app.screen.number == 1
        assert {row.finding.relation.value for row in app.screen.visible_rows} <= {"SUPPORTS", "CONTRADICTS"}
        await press(pilot, "full_stop")
        assert app.screen.filter_name == "all"


async def test_a_filter_that_is_not_understood_is_asked_again(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "f")
        await write_line(pilot, "rel:cno")
        assert "Did you mean “rel:con”?" in screen_text(app)
        await write_line(pilot, "rel:con")
        assert app.screen.filter_name == "rel:con"
        await press(pilot, "f")
        await write_line(pilot, "")
        assert app.screen.filter_name == "all"


async def test_an_empty_filter_says_how_to_go_on(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "f")
        await write_line(pilot, "tag:nowhere")
        assert "None passes tag:nowhere." in screen_text(app)
        await press(pilot, "a", "x", "s", "v", "R", "A")
        assert decided(app) == []


# -- the span ------------------------------------------------------------------------------------------


async def test_a_span_is_adjusted_by_keys_and_verified(machine, tmp_path: Path) -> None:
    """A new evidence identity; the old finding is kept and the event records both."""
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        old = app.screen.here.finding
        await press(pilot, "n")
        await type_line(pilot, "keep me")
        await press(pilot, "s")
        assert isinstance(app.screen, AdjustScreen)
        assert "as it was" in screen_text(app)
        await press(pilot, "right", "right")
        assert app.screen.document.slice(app.screen.span) == f"{old.text} It was"
        await press(pilot, "left", "left", "tab", "right")
        assert app.screen.document.slice(app.screen.span) == "old king wept beside the harbour."
        await press(pilot, "shift+right", "L", "H", "shift+left", "up", "r")
        assert app.screen.span == old.span
        await press(pilot, "tab", "down")
        longer = app.screen.document.slice(app.screen.span)
        assert longer.startswith(old.text)
        assert longer.endswith("said nothing at all.")
        await press(pilot, "p")
        assert app.screen.span == app.screen.bounds
        await press(pilot, "r", "right", "enter")
        row = app.screen.here
        assert row.finding.text == f"{old.text} It"
        assert row.finding.evidence_id != old.evidence_id
        assert row.state.note == "keep me"
        assert "✔ span adjusted and verified" in status(app)
        text = screen_text(app)
        assert "↳" in text
        assert "adjusted span" in text
        event = next(e for e in machine.repository.events("tester") if e.type is EventType.ADJUSTED)
        assert event.payload["from"]["exact"] == old.text
        assert event.payload["to"]["exact"] == row.finding.text
        assert machine.reconstruct(row.finding.evidence_id) == row.finding.text
        assert machine.reconstruct(old.evidence_id) == old.text
        await press(pilot, "a")
        assert app.session.state().of(*row.target).decision is Decision.ACCEPTED
        await press(pilot, "u", "u")
        assert app.screen.visible_rows[0].finding.evidence_id == old.evidence_id
        assert "↳" not in screen_text(app)
        assert app.screen.here.key == app.screen.visible_rows[0].key


async def test_a_span_stays_in_its_passage_and_esc_leaves(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "s", *["down"] * 8)
        assert "evidence stays inside it" in status(app)
        assert app.screen.bounds.contains(app.screen.span)
        await press(pilot, "escape")
        assert len(app.screen_stack) == 1
        assert machine.repository.events("tester") == ()


async def test_a_span_is_selected_with_the_mouse(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        view = app.screen.query_one("#text")
        lines = screen_lines(app)
        row = next(n for n, line in enumerate(lines) if "⟦The old king wept" in line)
        column = lines[row].index("king")
        await pilot.mouse_down(offset=(column, row))
        await pilot.hover(offset=(column + 8, row))
        await pilot.mouse_up(offset=(column + 8, row))
        await settle(pilot)
        assert view.selected_text == "king wept"
        await press(pilot, "s")
        assert app.screen.document.slice(app.screen.span) == "king wept"
        lines = screen_lines(app)
        row = next(n for n, line in enumerate(lines) if "⟦king wept⟧" in line)
        column = lines[row].index("beside")
        await pilot.mouse_down(offset=(column, row))
        await pilot.hover(offset=(column + 5, row))
        await pilot.mouse_up(offset=(column + 5, row))
        await settle(pilot)
        assert app.screen.document.slice(app.screen.span) == "beside"
        await press(pilot, "enter")
        assert app.screen.here.finding.text == "beside"


# -- newer versions ------------------------------------------------------------------------------------


@pytest.fixture
def superseded(machine, tmp_path: Path) -> str:
    """A claim whose finding stands in a version that a newer one has replaced; the path of the source."""
    source = tmp_path / "mill.txt"
    source.write_text("The miller was happy.\n")
    machine.ingest(source)
    claim = machine.evaluate_claim(machine.add_claim("The miller was happy").claim_id)
    source.write_text("A line that was not there before.\n\nThe miller was happy.\n")
    machine.ingest(source)
    return claim.claim_id


async def test_a_finding_is_accepted_in_the_newer_version(machine, tmp_path: Path, superseded: str) -> None:
    async with running(machine, tmp_path, mode="review", claim=superseded) as (app, pilot):
        old = app.screen.here.finding
        assert app.screen.here.superseded
        await press(pilot, "A")
        assert "the same text, exactly" in screen_text(app)
        await press(pilot, "o")
        assert isinstance(app.screen, SourceScreen)
        await press(pilot, "escape", "A", "a")
        row = app.screen.here
        assert (row.finding.text, row.finding.start) == (old.text, 35)
        assert row.state.decision is Decision.ACCEPTED
        assert not row.superseded
        event = machine.repository.events("tester")[-1]
        assert event.payload["reanchors"] == old.evidence_id
        assert machine.reconstruct(old.evidence_id) == old.text
        await press(pilot, "u")
        assert app.session.state().of(*row.target).decision is Decision.UNDECIDED


async def test_one_accepted_before_is_carried_over(machine, tmp_path: Path, superseded: str) -> None:
    async with running(machine, tmp_path, mode="review", claim=superseded) as (app, pilot):
        old = app.screen.here
        await press(pilot, "a")
        numbers = [v.claim.claim_id for v in app.screen.findings_data.claims]
        app.screen.go(numbers.index(superseded), old.key)
        await press(pilot, "A", "a")
        assert app.screen.here.state.decision is Decision.ACCEPTED
        assert app.screen.here.finding.start == 35


async def test_a_changed_text_is_shown_and_not_accepted(machine, tmp_path: Path, superseded: str) -> None:
    source = tmp_path / "mill.txt"
    source.write_text("The miller was very happy.\n")
    machine.ingest(source)
    async with running(machine, tmp_path, mode="review", claim=superseded) as (app, pilot):
        await press(pilot, "A")
        assert "The text was changed there" in screen_text(app)
        await press(pilot, "a")
        assert decided(app) == []


# -- files ---------------------------------------------------------------------------------------------


async def test_decisions_are_exported_and_imported_from_the_screen(machine, tmp_path: Path) -> None:
    """Rule 10: E says what each format is for."""
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "a", "x", "1")
        await press(pilot, "E")
        assert "for spreadsheets and statistics" in screen_text(app)
        await press(pilot, "w")
        target = tmp_path / "page.jsonld"
        await write_line(pilot, str(target))
        assert "2 findings written" in status(app)
        assert len(json.loads(target.read_text("utf-8"))["items"]) == 2
        await press(pilot, "E", "w")
        await write_line(pilot, str(target))
        assert "Replace the file" in screen_text(app)
        await press(pilot, "n", "E", "j")
        await write_line(pilot, str(tmp_path / "all.jsonl"))
        await press(pilot, "E", "i")
        await write_line(pilot, str(tmp_path / "all.jsonl"))
        assert "0 actions imported, 3 known" in status(app)
        await press(pilot, "E", "i")
        await write_line(pilot, str(tmp_path / "nothing"))
        assert "nothing' cannot be rea" in status(app)


async def test_formats_are_written_from_the_menu(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (_, pilot):
        await press(pilot, "a")
        for letter in "crz":  # what each holds is tested with the engine
            await press(pilot, "E", letter)
            await write_line(pilot, str(tmp_path / f"out-{letter}"))
            assert (tmp_path / f"out-{letter}").stat().st_size > 2, letter


async def test_more_can_be_copied(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        text = app.screen.here.finding.text
        await press(pilot, "y", "q")
        assert copied(tmp_path) == f"“{text}” (Writer 9)"
        await press(pilot, "y", "t")
        assert copied(tmp_path) == "(Writer 9)"

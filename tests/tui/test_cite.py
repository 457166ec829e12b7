"""The bibliography screen, key by key."""

from __future__ import annotations

from pathlib import Path

from tui.harness import press, running, screen_text, settle, status


async def open_form(pilot, title: str) -> None:
    screen = pilot.app.screen
    screen.sources.cursor = [row.title for row in screen.rows].index(title)
    await settle(pilot)


def copied(tmp_path: Path) -> str:
    return (tmp_path / "state" / "last-copy.txt").read_text(encoding="utf-8")


async def test_the_form_shows_the_item_and_every_style_lives_below(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        text = screen_text(app)
        assert "Writer, Jane" in text
        for style in ("MLA", "APA", "Chicago", "IEEE", "BibTeX"):
            assert style in text
        assert "Writer, Jane. The Voyage." in text
        assert "editing metadata never changes an evidence id" in text
        assert "6 of 7 complete" in text


async def test_editing_previews_at_once_and_f2_saves(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        evidence = {e.evidence_id for e in machine.repository.evidence_entries()}
        app.screen.query_one("#f-title").focus()
        await press(pilot, *" Home")
        assert "modified ●" in screen_text(app)
        assert "The Voyage Home" in screen_text(app)
        await press(pilot, "f2")
        assert "saved" in status(app)
        source = app.screen.loaded.source_id
        assert machine.bibliography(source).item["title"] == "The Voyage Home"
        assert {e.evidence_id for e in machine.repository.evidence_entries()} == evidence


async def test_esc_asks_before_changes_are_lost(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        app.screen.query_one("#f-title").focus()
        await press(pilot, "X", "escape")
        assert "Throw away" in screen_text(app)
        await press(pilot, "n")
        assert app.screen.query_one("#f-title").value == "The VoyageX"
        await press(pilot, "escape", "y")
        assert app.screen.query_one("#f-title").value == "The Voyage"
        assert app.screen.sources.has_focus


async def test_going_to_another_source_does_not_lose_changes(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        app.screen.query_one("#f-title").focus()
        await press(pilot, "X")
        app.screen.sources.focus()
        await press(pilot, "k")
        assert app.screen.query_one("#f-title").value == "The VoyageX"
        assert "Save (f2) or revert (esc)" in status(app)


async def test_f3_changes_the_style_and_f4_copies_it(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        await press(pilot, "f3", "f4", "p")
        assert app.style == "apa"
        assert copied(tmp_path) == machine.format_citation(app.screen.loaded.source_id, "apa")


async def test_a_source_without_metadata_has_nothing_to_copy_and_says_so(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "notes-on-provenance.md")
        assert "no metadata" in screen_text(app)
        await press(pilot, "f4")
        assert "Nothing to copy" in status(app)


async def test_what_the_file_says_stands_beside_its_field_and_is_never_written_unasked(
    machine, tmp_path: Path
) -> None:
    """R102."""
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "notes-on-provenance.md")
        screen = app.screen
        source = screen.loaded.source_id
        assert "◂ f7 Notes on Provenance  (front matter)" in screen_text(app)
        assert machine.bibliography(source) is None
        screen.query_one("#f-title").focus()
        await press(pilot, "f7")
        assert screen.item() == {"title": "Notes on Provenance"}
        screen.form.rows["author"].focus_field()
        await press(pilot, "f7")
        assert screen.item()["author"] == [{"literal": "Working group on quotations"}]
        assert machine.bibliography(source) is None
        assert "keywords: hashing  (front matter)" in screen.form.query_one("#notes").content


async def test_an_invalid_item_is_refused_with_the_field(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        app.screen.query_one("#f-title").value = ""
        app.screen.query_one("#f-issued").value = "2024-99-99"
        await press(pilot, "f2")
        assert status(app).lstrip().startswith("✘ not saved: Issued: 99 is not a month")
        assert app.focused is app.screen.query_one("#f-issued")
        assert "✘ 99 is not a month (1 to 12)." in screen_text(app)
        assert machine.bibliography(app.screen.loaded.source_id).item["title"] == "The Voyage"

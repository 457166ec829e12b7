"""The library screen, key by key."""

from __future__ import annotations

from pathlib import Path

from cmtui.tui.jobs import JobState
from cmtui.tui.screens.cite import CiteScreen
from cmtui.tui.screens.jobs import JobsScreen
from cmtui.tui.screens.source import SourceScreen
from tui.harness import press, running, screen_lines, screen_text, settle, status, type_line


async def test_rows_show_title_author_year_and_kind_and_the_pane_the_four_layers(
    machine, tmp_path: Path
) -> None:
    async with running(machine, tmp_path) as (app, _):
        text = screen_text(app)
        assert "Sources 7" in text
        assert "Writer, J." in text
        assert "2024" in text
        for word in ("1 artifact", "2 version", "3 canonical", "profile", "passages", "Findings", "Citation"):
            assert word in text
        assert "7 sources" in screen_lines(app)[0]


async def test_a_source_without_metadata_is_shown_by_its_file_name_and_nothing_is_guessed(
    machine, tmp_path: Path
) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        names = [row.title for row in app.screen.shown]
        app.screen.sources.cursor = names.index("notes-on-provenance.md")
        await settle(pilot)
        assert "no metadata yet" in screen_text(app)


async def test_filter_narrows_while_typing_and_esc_leaves(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "slash", *"voy")
        assert [row.title for row in app.screen.shown] == ["The Voyage"]
        assert "Sources 1 of 7" in screen_text(app)
        await press(pilot, "escape", "escape")
        assert len(app.screen.shown) == 7
        await press(pilot, "slash", *"zzz", "enter")
        assert "No source matches" in screen_text(app)


async def test_sort_by_year(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "s", "y")
        years = [row.row().cells[3] for row in app.screen.shown]
        assert years[-1] == "—"
        assert years[:-1] == sorted(years[:-1])
        assert "sort:year" in screen_text(app)


async def test_verify_one_and_all(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "v")
        assert "✔ 1 source verified" in status(app)
        assert "✔ text and" in screen_text(app)
        await press(pilot, "V")
        assert "✔ 7 sources verified" in status(app)


async def test_open_reads_the_source_and_esc_comes_back(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "enter")
        assert isinstance(app.screen, SourceScreen)
        await type_line_after(pilot, "slash", "harbour")
        assert "⟪" in screen_text(app)
        assert "match" in status(app)
        first = app.screen.at
        await press(pilot, "n")
        assert app.screen.at.start > first.start
        await press(pilot, "N")
        assert app.screen.at == first
        await press(pilot, "y")
        copied = (tmp_path / "state" / "last-copy.txt").read_text()
        assert "harbour" in copied.lower()
        assert copied in app.screen.document.text
        await type_line_after(pilot, "slash", "xyzzy")
        assert "does not stand in this source" in status(app)
        await press(pilot, "escape")
        assert not isinstance(app.screen, SourceScreen)


async def type_line_after(pilot, key: str, text: str) -> None:
    """Open a prompt with ``key``, empty it and type a line."""
    await press(pilot, key)
    pilot.app.screen.query_one("Input").value = ""
    await type_line(pilot, text)


async def test_edit_goes_to_cite_with_this_source(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        wanted = app.screen.here.source_id
        await press(pilot, "e")
        assert isinstance(app.screen, CiteScreen)
        assert app.screen.loaded.source_id == wanted


async def test_find_evidence_in_this_source_alone(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        names = [row.title for row in app.screen.shown]
        app.screen.sources.cursor = names.index("The Voyage")
        await settle(pilot)
        source = app.screen.here.summary.document_id
        await press(pilot, "f")
        await type_line(pilot, "The ships returned")
        await settle(pilot)
        assert app.current_mode == "review"
        assert "The ships returned" in screen_text(app)
        assert {row.finding.document_id for row in app.screen.visible_rows} == {source}


async def test_jobs_are_listed_with_what_they_did(machine, tmp_path: Path) -> None:
    (tmp_path / "new.md").write_text("# One\n\nThe tower is tall and the boats were gone.\n")
    (tmp_path / "bad.pdf").write_bytes(b"not a pdf")
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "a")
        app.screen.query_one("Input").value = f"{tmp_path / 'new.md'} {tmp_path / 'bad.pdf'}"
        await press(pilot, "enter")
        await settle(pilot)
        assert "1 added, 1 error" in status(app)
        assert "Sources 8" in screen_text(app)
        await press(pilot, "J")
        assert isinstance(app.screen, JobsScreen)
        assert "bad.pdf" in screen_text(app)
        assert "added" in screen_text(app)
        await press(pilot, "escape")
        assert not isinstance(app.screen, JobsScreen)


async def test_a_job_can_be_cancelled_and_leaves_no_partial_source(
    machine, tmp_path: Path, monkeypatch
) -> None:
    import asyncio
    import threading

    from cmtui.model.ingest import IngestReport

    started = threading.Event()

    def slow(paths, *, progress, cancelled):
        started.set()
        while not cancelled():
            threading.Event().wait(0.01)
        return IngestReport((), (), cancelled=True)

    async with running(machine, tmp_path) as (app, pilot):
        monkeypatch.setattr(machine, "ingest_paths", slow)
        job = app.ingest([tmp_path])
        await asyncio.to_thread(started.wait, 5)
        await pilot.press("J")
        await pilot.pause()
        await pilot.press("x")
        await settle(pilot)
        assert job.state is JobState.CANCELLED
        assert "cancelled" in screen_text(app)

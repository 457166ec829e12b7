"""``O``: the original file in the system's viewer, from the library and at the page from the source."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cmtui.tui.screens.source import SourceScreen
from support.pdf_fixtures import make_pdf
from tui.harness import press, running, settle, status, toasts, type_line

# A viewer is started and left alone, so nothing ever waits for its process.
pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")


@pytest.fixture
def viewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Callable[[], list[str]]]:
    """Puts a viewer of a name on PATH, alone; what it gives back reads the arguments it was started with."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr("sys.platform", "linux")

    def install(name: str) -> Callable[[], list[str]]:
        pipe = tmp_path / f"{name}.pipe"
        os.mkfifo(pipe)
        program = programs / name
        program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{pipe}'\n")
        program.chmod(0o755)
        return lambda: pipe.read_text().splitlines()

    return install


async def at(app, pilot, title: str) -> None:
    """Put the cursor on a source."""
    app.screen.sources.cursor = [row.title for row in app.screen.shown].index(title)
    await settle(pilot)


def pages(machine, tmp_path: Path) -> Path:
    """A PDF of three pages in the store."""
    path = tmp_path / "three.pdf"
    path.write_bytes(make_pdf(["Page one is about herons.", "Page two names gulls.", "Page three, terns."]))
    machine.ingest_paths([path])
    return path


async def test_the_source_opens_at_the_page_of_the_match(machine, tmp_path: Path, viewer) -> None:
    path, arguments = pages(machine, tmp_path), viewer("evince")
    async with running(machine, tmp_path) as (app, pilot):
        await at(app, pilot, "three.pdf")
        await press(pilot, "enter")
        assert isinstance(app.screen, SourceScreen)
        await press(pilot, "slash")
        await type_line(pilot, "gulls")
        await pilot.press("O")
        assert await asyncio.to_thread(arguments) == ["--page-index=2", str(path)]
        await settle(pilot)
        assert "three.pdf, page 2: opened with evince" in status(app)
        app.screen.view.select(app.screen.document.passages[-1].span)
        await settle(pilot)
        await pilot.press("O")
        assert await asyncio.to_thread(arguments) == ["--page-index=3", str(path)]


async def test_the_library_opens_the_file(machine, tmp_path: Path, viewer) -> None:
    path, arguments = pages(machine, tmp_path), viewer("xdg-open")
    async with running(machine, tmp_path) as (app, pilot):
        await at(app, pilot, "three.pdf")
        await pilot.press("O")
        assert await asyncio.to_thread(arguments) == [str(path)]
        await settle(pilot)
        assert "three.pdf: opened with xdg-open" in status(app)


async def test_a_file_that_is_gone_opens_from_the_stored_bytes(machine, tmp_path: Path, viewer) -> None:
    path, arguments = pages(machine, tmp_path), viewer("xdg-open")
    content = path.read_bytes()
    path.unlink()
    async with running(machine, tmp_path) as (app, pilot):
        await at(app, pilot, "three.pdf")
        await pilot.press("O")
        (opened,) = await asyncio.to_thread(arguments)
        assert Path(opened).read_bytes() == content


async def test_without_a_viewer_a_toast_shows_the_path(machine, tmp_path: Path, viewer) -> None:
    path = pages(machine, tmp_path)
    async with running(machine, tmp_path) as (app, pilot):
        await at(app, pilot, "three.pdf")
        await press(pilot, "O")
        assert str(path) in toasts(app)
        await press(pilot, "enter", "O")
        assert f"{path}, page 1" in toasts(app)

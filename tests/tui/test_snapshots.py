"""Every screen as text, in its states and sizes (tui.md 6.3).

The expected screens are tests/tui/snapshots/<screen>-<state>-<size>.txt. After a wanted change run
``make snapshots`` and read the difference before it is committed.
"""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.tui.app import CmtuiApp
from cmtui.tui.screens.jobs import JobsScreen
from cmtui.tui.screens.source import SourceScreen
from cmtui.tui.screens.welcome import WelcomeScreen
from support.album import Noon, prepare_album, source_masks
from tui.harness import press, screen_lines, settings, settle, type_line

FOLDER = Path(__file__).with_name("snapshots")
SIZES = ((100, 30), (80, 24), (60, 20))


class Album:
    """Takes screens at every size and compares them with the expected ones."""

    def __init__(self, app: CmtuiApp, pilot, state: str, masks: dict[str, str]) -> None:
        self.app, self.pilot, self.state, self.masks = app, pilot, state, masks
        self.wrong: list[str] = []

    async def take(self, name: str) -> None:
        """The screen as it is, at each size."""
        for width, height in SIZES:
            await self.pilot.resize_terminal(width, height)
            self.app.clear_notifications()
            await settle(self.pilot)
            text = "\n".join(screen_lines(self.app)) + "\n"
            for shown, mask in self.masks.items():
                text = text.replace(shown, mask)
            self._compare(FOLDER / f"{name}-{self.state}-{width}x{height}.txt", text)

    def _compare(self, path: Path, text: str) -> None:
        if os.environ.get("UPDATE_SNAPSHOTS"):
            path.write_text(text, encoding="utf-8")
            return
        expected = path.read_text("utf-8") if path.exists() else ""
        if text != expected:
            lines = difflib.unified_diff(expected.splitlines(), text.splitlines(), path.name, "now", n=0)
            self.wrong.append("\n".join(lines))


@pytest.fixture(scope="session")
def fixed_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus, decided on, at noon."""
    return prepare_album(tmp_path_factory.mktemp("album"))


@asynccontextmanager
async def album(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> AsyncIterator[Album]:
    """The application of a fixed person on a fixed day; fails at the end with every screen that differs."""
    monkeypatch.setattr(CmtuiApp, "today", staticmethod(lambda: "2026-03-14"))
    monkeypatch.setattr(CmtuiApp, "store_path", property(lambda _: "/home/ada/thesis"))
    for name in ("SEMANTIC_SCHOLAR_API_KEY", "BRAVE_API_KEY", "EXA_API_KEY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    with LocalCitationMachine.open(store, clock=Noon()) as machine:
        masks = source_masks(machine)
        app = CmtuiApp(machine, settings(tmp_path, reviewer="ada"))
        async with app.run_test(size=SIZES[0]) as pilot:
            await settle(pilot)
            taken = Album(app, pilot, state, masks)
            yield taken
            assert not taken.wrong, "\n".join([*taken.wrong, "", "wanted? make snapshots"])


async def _modes(taken: Album, *names: str) -> None:
    for name in names:
        await taken.app.switch_mode(name)
        await settle(taken.pilot)
        await taken.take(name)


async def test_screens_with_something_in_them(fixed_store: Path, tmp_path: Path, monkeypatch) -> None:
    shutil.copytree(fixed_store, tmp_path / "thesis")
    async with album(tmp_path / "thesis", tmp_path, monkeypatch, "normal") as taken:
        app, pilot = taken.app, taken.pilot
        await _modes(taken, "library", "cite", "acquire", "audit")
        await press(pilot, "2", "m", "slash")  # by words alone: meaning is tuned more often than drawn
        await type_line(pilot, "king wept")
        await taken.take("search")
        await press(pilot, "1", "question_mark")
        await taken.take("help")
        await press(pilot, "escape", "J")
        await taken.take("jobs")
        await press(pilot, "escape", "enter")
        assert isinstance(app.screen, SourceScreen)
        await taken.take("source")


async def test_screens_with_nothing_in_them(tmp_path: Path, monkeypatch) -> None:
    async with album(tmp_path / "thesis", tmp_path, monkeypatch, "empty") as taken:
        assert isinstance(taken.app.screen, WelcomeScreen)
        await taken.take("welcome")
        taken.app.pop_screen()
        await _modes(taken, "library", "search", "cite", "audit")
        await press(taken.pilot, "2", "slash")
        await type_line(taken.pilot, "nothing")
        await taken.take("search-unanswered")


def _break(path: Path, change: Callable[[str], str]) -> None:
    path.chmod(0o600)
    path.write_text(change(path.read_text("utf-8")), encoding="utf-8")


async def test_screens_where_something_went_wrong(fixed_store: Path, tmp_path: Path, monkeypatch) -> None:
    store = tmp_path / "thesis"
    shutil.copytree(fixed_store, store)
    voyage = next(
        path for path in store.glob("bibliography/*.json") if "The Voyage" in path.read_text("utf-8")
    )
    _break(voyage, lambda text: text[:-30])
    async with album(store, tmp_path, monkeypatch, "error") as taken:
        app, pilot = taken.app, taken.pilot
        ids = [row.title for row in app.screen.shown]
        app.screen.sources.cursor = ids.index("the-voyage.epub")
        await taken.take("library")
        await press(pilot, "2", "slash")
        await type_line(pilot, '"king')
        await taken.take("search")
        await press(pilot, "1")
        app.ingest([Path("/nowhere/letters.txt")])
        await settle(pilot)
        app.push_screen(JobsScreen())
        await settle(pilot)
        await taken.take("jobs")


async def test_a_log_that_was_tampered_with(fixed_store: Path, tmp_path: Path, monkeypatch) -> None:
    store = tmp_path / "thesis"
    shutil.copytree(fixed_store, store)
    _break(next(store.glob("events/*.jsonl")), lambda text: text.replace("figurative", "literal"))
    async with album(store, tmp_path, monkeypatch, "error") as taken:
        await taken.take("damaged")
        while len(taken.app.screen_stack) > 1:
            taken.app.pop_screen()
        await _modes(taken, "audit")

"""Driving the application in tests: a real engine over a store in memory, real keys, text off the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from cmtui.config import Settings
from cmtui.engine import CitationMachine
from cmtui.tui.app import CmtuiApp


def settings(tmp_path: Path, **more: object) -> Settings:
    """Settings of a test person; copies go to a file alone."""
    base = {"store": tmp_path / "store", "demo_store": tmp_path / "demo", "reviewer": "tester"}
    return Settings(**{**base, "clipboard": "file", **more})  # type: ignore[arg-type]


def screen_lines(app: CmtuiApp) -> list[str]:
    """The text of every line on the screen. The one place that knows Textual's compositor."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def screen_text(app: CmtuiApp) -> str:
    """The whole screen as text."""
    return "\n".join(screen_lines(app))


async def settle(pilot: Pilot[None]) -> None:
    """Wait until workers, timers of the screens and messages have had their turn."""
    for _ in range(4):
        await pilot.pause(0.06)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


@asynccontextmanager
async def running(
    machine: CitationMachine,
    tmp_path: Path,
    *,
    size: tuple[int, int] = (100, 30),
    mode: str = "library",
    **more: object,
) -> AsyncIterator[tuple[CmtuiApp, Pilot[None]]]:
    """The application on a screen of ``size``, settled."""
    app = CmtuiApp(machine, settings(tmp_path, **more), mode=mode)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield app, pilot


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys and let everything settle."""
    await pilot.press(*keys)
    await settle(pilot)

"""Driving the application in tests: a real engine over a real store, real keys, text off the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from textual.pilot import Pilot
from textual.worker import WorkerCancelled

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


def footer(app: CmtuiApp) -> str:
    """The key line."""
    return screen_lines(app)[-1]


def status(app: CmtuiApp) -> str:
    """The status line."""
    return screen_lines(app)[-2]


def toasts(app: CmtuiApp) -> str:
    """Titles and texts of the toasts that are up."""
    return "\n".join(f"{toast.title} {toast.message}" for toast in app._notifications)


async def settle(pilot: Pilot[None]) -> None:
    """Wait until workers, the screens' short timers and messages have had their turn."""
    quiet = 0
    while quiet < 2:
        await pilot.pause(0.005)
        if any(not worker.is_finished for worker in pilot.app.workers):
            quiet = 0
            with suppress(WorkerCancelled):  # newer work of its topic replaced it
                await pilot.app.workers.wait_for_complete()
        else:
            quiet += 1
    await pilot.pause()  # the layout follows what was updated once the process is idle


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Wait for what must come; a minute without it is a failure."""
    for _ in range(3_000):
        if condition():
            return
        await pilot.pause(0.02)
    raise AssertionError("it never came")


@asynccontextmanager
async def running(
    machine: CitationMachine,
    tmp_path: Path,
    *,
    size: tuple[int, int] = (100, 30),
    mode: str = "library",
    claim: str | None = None,
    **more: object,
) -> AsyncIterator[tuple[CmtuiApp, Pilot[None]]]:
    """The application on a screen of ``size``, settled."""
    app = CmtuiApp(machine, settings(tmp_path, **more), mode=mode, claim=claim)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield app, pilot


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys and let everything settle."""
    await pilot.press(*keys)
    await settle(pilot)


async def type_line(pilot: Pilot[None], text: str) -> None:
    """Type a line and press enter."""
    keys = {" ": "space", "/": "slash", ".": "full_stop", "-": "minus", "_": "underscore", ",": "comma"}
    await press(pilot, *(keys.get(character, character) for character in text), "enter")

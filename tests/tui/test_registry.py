"""Every action of the registry: it acts where it is valid, and does no harm where it is not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from cmtui.tui.actions import ACTIONS, EVERYWHERE, LISTS, PANES, Action, actions
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.help import HelpScreen
from cmtui.tui.screens.jobs import JobsScreen
from cmtui.tui.screens.source import SourceScreen
from cmtui.tui.widgets.row_list import RowList
from tui.harness import press, running, screen_text, settle, type_line

MODES = ("library", "search", "review", "cite", "acquire", "audit")


def state(app, machine, tmp_path: Path) -> tuple[object, ...]:
    """Everything a key could change."""
    copy = tmp_path / "state" / "last-copy.txt"
    return (
        app.current_mode,
        [type(screen).__name__ for screen in app.screen_stack],
        screen_text(app),
        str(app.focused),
        app.session.state().events,
        copy.stat().st_mtime_ns if copy.exists() else 0,
        app._exit,
    )


async def home(app, pilot, mode: str) -> None:
    """Back to the base screen of a mode, whatever was opened."""
    while len(app.screen_stack) > 1:
        app.pop_screen()
        await pilot.pause(0)
    if app.current_mode != mode:
        await app.switch_mode(mode)
    if app.screen.typing:
        app.screen.set_focus(app.screen.query(RowList).first())
    await settle(pilot)


async def _ready(app, pilot, scope: str) -> None:
    """The scope's screen in a state where its actions are valid."""
    if scope == "search":
        await press(pilot, "slash")
        await type_line(pilot, "king harbour")
    if scope == "audit":
        app.screen.query_one("#filter").value = "source.ingested"
        await settle(pilot)
    if scope == "source":
        row = app.screen.here
        app.push_screen(SourceScreen(row.summary.document_id))
        await settle(pilot)
        await press(pilot, "slash")
        await type_line(pilot, "the")


async def _modify(app, pilot) -> None:
    app.screen.query_one("#f-title").focus()
    await press(pilot, "X")


async def _form_of(app, pilot, title: str) -> None:
    if app.screen.modified:
        await press(pilot, "escape", "y")
    app.screen.sources.focus()
    app.screen.sources.cursor = [row.title for row in app.screen.rows].index(title)
    await settle(pilot)


async def _offered(app, pilot) -> None:
    await _form_of(app, pilot, "notes-on-provenance.md")
    app.screen.query_one("#f-title").focus()
    await settle(pilot)


async def _edited_before(app, pilot) -> None:
    await _form_of(app, pilot, "The Voyage")
    await _modify(app, pilot)
    await press(pilot, "f2")


def _on_name(number: int) -> Callable[..., Awaitable[None]]:
    async def ready(app, pilot) -> None:
        await _form_of(app, pilot, "Water Quality in Skerrow Harbour, 2019")
        app.screen.form.rows["author"].lines[number].handle.focus()
        await settle(pilot)

    return ready


async def _doubled(app, pilot) -> None:
    same = {"type": "book", "title": "One Work", "DOI": "10.1000/182"}
    for row in app.screen.rows[:2]:
        app.machine.set_bibliography(row.source_id, same)
    if app.screen.modified:
        await press(pilot, "escape", "y")
    app.screen.sources.focus()
    app.screen.reload()
    await settle(pilot)
    app.screen.sources.cursor = [row.title for row in app.screen.rows].index("One Work")
    await settle(pilot)


async def _on_pdf(app, pilot) -> None:
    kinds = [row.summary.kind.value for row in app.screen.shown]
    app.screen.sources.cursor = kinds.index("pdf")
    await settle(pilot)


async def _lower(app, pilot) -> None:
    app.screen.sources.cursor = 3
    await settle(pilot)


BEFORE: dict[str, Callable[..., Awaitable[None]]] = {
    "library.read_again": _on_pdf,
    "list.up": _lower,
    "list.page_up": _lower,
    "list.first": _lower,
    "cite.save": _modify,
    "cite.revert": _modify,
    "cite.take": _offered,
    "cite.history": _edited_before,
    "cite.name_add": _on_name(0),
    "cite.name_drop": _on_name(0),
    "cite.name_turn": _on_name(0),
    "cite.name_up": _on_name(1),
    "cite.name_down": _on_name(0),
    "cite.same": _doubled,
}

#: Actions whose screens are opened for a moment by another test.
ELSEWHERE = {
    # What needs candidates is pressed in test_acquire.py, over services on loopback.
    "acquire.capture",
    "acquire.select",
    "acquire.capture_selected",
    "acquire.record",
    "acquire.rejected",
    "acquire.browse",
    "acquire.copy",
    "acquire.rerun",
    "acquire.next_section",
    "acquire.previous_section",
    "acquire.cancel",
    "audit.cancel",
    "search.cancel",
    "help.search",
    "help.edit",
    "help.text",
    "help.close",
    "jobs.cancel",
    "jobs.close",
    "welcome.sample",
    "welcome.add",
    "welcome.stores",
    "source.close",
    "review.newer",
}


@pytest.mark.parametrize("scope", [*MODES, "source", EVERYWHERE, PANES, LISTS])
async def test_every_action_acts_where_it_is_valid(
    machine, tmp_path: Path, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no viewer opens on the screen of whoever runs the tests
    mode = scope if scope in MODES else "library"
    async with running(machine, tmp_path, mode=mode, size=(120, 40)) as (app, pilot):
        await _ready(app, pilot, scope)
        dead = []
        for action in (a for a in actions(scope) if a.id not in ELSEWHERE):
            if scope == EVERYWHERE:
                await home(app, pilot, "search" if action.name == "library" else "library")
            if action.id in BEFORE:
                await BEFORE[action.id](app, pilot)
            assert app.screen.valid(action), action.id
            before = state(app, machine, tmp_path)
            await press(pilot, action.keys[0])
            if state(app, machine, tmp_path) == before:
                dead.append(action.id)
            app._exit = False
            if scope == "source":
                while not isinstance(app.screen, SourceScreen):
                    app.pop_screen()
                    await settle(pilot)
            else:
                await home(app, pilot, mode)
        assert dead == []


@pytest.mark.parametrize("mode", MODES)
async def test_every_key_is_harmless_in_an_empty_store(empty, tmp_path: Path, mode: str) -> None:
    async with running(empty, tmp_path, mode=mode) as (app, pilot):
        await home(app, pilot, mode)
        for action in actions(mode):
            for key in action.keys:
                await pilot.press(key)
                await home(app, pilot, mode)
        assert empty.documents() == ()
        assert empty.claims() == ()
        assert app.session.state().events == 0
        assert not app._exit


@pytest.mark.parametrize("mode", MODES)
async def test_footer_and_screen_agree_on_what_is_valid(empty, tmp_path: Path, mode: str) -> None:
    async with running(empty, tmp_path, mode=mode) as (app, pilot):
        await home(app, pilot, mode)
        last = screen_text(app).splitlines()[-1]
        for action in actions(mode):
            if action.priority and not app.screen.valid(action):
                assert f" {action.shown} {action.label} " not in f"{last} ", action.id


@pytest.mark.parametrize("action", ACTIONS, ids=lambda a: a.id)
def test_every_action_has_a_method_on_its_screen(action: Action) -> None:
    from cmtui.tui.app import CmtuiApp
    from cmtui.tui.reviewing.adjust import AdjustScreen
    from cmtui.tui.reviewing.conflicts import ConflictScreen
    from cmtui.tui.screens.acquire import AcquireScreen
    from cmtui.tui.screens.audit import AuditScreen
    from cmtui.tui.screens.cite import CiteScreen
    from cmtui.tui.screens.library import LibraryScreen
    from cmtui.tui.screens.review import ReviewScreen
    from cmtui.tui.screens.search import SearchScreen
    from cmtui.tui.screens.welcome import WelcomeScreen

    screens: dict[str, type] = {
        screen.scope: screen
        for screen in (
            AcquireScreen,
            AdjustScreen,
            AuditScreen,
            ConflictScreen,
            CiteScreen,
            LibraryScreen,
            ReviewScreen,
            SearchScreen,
            WelcomeScreen,
            SourceScreen,
            HelpScreen,
            JobsScreen,
        )
    }
    screens |= {EVERYWHERE: CmtuiApp, PANES: BaseScreen, LISTS: RowList}
    assert callable(getattr(screens[action.scope], f"action_{action.name}", None)), action.id
    assert issubclass(screens[action.scope], CmtuiApp | BaseScreen | RowList)


async def test_the_sample_corpus_is_prepared_from_the_welcome_screen(empty, tmp_path: Path) -> None:
    async with running(empty, tmp_path) as (app, pilot):
        await press(pilot, "s")
        await settle(pilot)
        assert app.current_mode == "review"
        assert "The old king was sad" in screen_text(app)
        assert len([row for row in empty.documents() if row.current]) == 7
        assert app.screen.view.claim.latest is not None

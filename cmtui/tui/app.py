"""The application: modes, jobs, messages and copying. It holds no engine logic; see cmtui.engine."""

from __future__ import annotations

import difflib
import os
import re
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from cmtui import clipboard, logfile
from cmtui.config import Settings
from cmtui.errors import BlobDamaged, CmtuiError, LogDamaged, SidecarMalformed, SnapshotDamaged, StoreLocked
from cmtui.keymap import resolve
from cmtui.model.claim import Claim
from cmtui.model.progress import Progress
from cmtui.tui.actions import EVERYWHERE, bindings
from cmtui.tui.controls import Controls
from cmtui.tui.jobs import Clock, RunsJobs
from cmtui.tui.labels import evaluated
from cmtui.tui.reading import Reader
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import PromptScreen, TextScreen
from cmtui.tui.theme import CALM, MONO, theme_name
from cmtui.tui.widgets.bars import Status
from cmtui.tui.widgets.source_view import SourceView
from cmtui.tui.workers import Call

if TYPE_CHECKING:
    from textual.command import Provider

    from cmtui.engine import CitationMachine, ReviewSession


#: A full id in a message; its first twelve digits name it well enough for a person.
_FULL_ID = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")

#: Failures that say that the store is not what was written.
DAMAGE = SidecarMalformed | SnapshotDamaged | BlobDamaged | LogDamaged


def _library() -> Screen[Any]:
    from cmtui.tui.screens.library import LibraryScreen

    return LibraryScreen()


def _search() -> Screen[Any]:
    from cmtui.tui.screens.search import SearchScreen

    return SearchScreen()


def _review() -> Screen[Any]:
    from cmtui.tui.screens.review import ReviewScreen

    return ReviewScreen()


def _cite() -> Screen[Any]:
    from cmtui.tui.screens.cite import CiteScreen

    return CiteScreen()


def _acquire() -> Screen[Any]:
    from cmtui.tui.screens.acquire import AcquireScreen

    return AcquireScreen()


def _audit() -> Screen[Any]:
    from cmtui.tui.screens.audit import AuditScreen

    return AuditScreen()


def _sources() -> type[Provider]:
    from cmtui.tui.palette import SourceCommands

    return SourceCommands


def _claims() -> type[Provider]:
    from cmtui.tui.palette import ClaimCommands

    return ClaimCommands


class CmtuiApp(RunsJobs):
    """Citation Machine in a terminal."""

    TITLE = "Citation Machine"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(EVERYWHERE)
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "library": _library,
        "search": _search,
        "review": _review,
        "cite": _cite,
        "acquire": _acquire,
        "audit": _audit,
    }
    COMMANDS = App.COMMANDS | {_sources, _claims}
    CSS = """
    Toast { max-width: 80%; }
    """

    def __init__(
        self,
        machine: CitationMachine,
        settings: Settings,
        *,
        mode: str = "library",
        claim: str | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._controls = Controls()
        super().__init__(clock=clock)
        self.machine = machine
        self.settings = settings
        self.reader = Reader(machine)
        self.session: ReviewSession = machine.review(settings.reviewer)
        self.first_mode, self.first_claim = mode, claim
        self.style = settings.citation_style
        self.animation_level = "none"
        #: The registry as it is bound now. Set here and not on mount, else the footer shows the old keys.
        self.live_keys = resolve(settings.keymap)
        self.set_keymap({name: ",".join(keys) for name, keys in self.live_keys.changed.items()})
        self.register_theme(CALM)
        self.register_theme(MONO)
        chosen = theme_name(settings.theme, os.environ)
        self.theme = chosen if chosen in self.available_themes else CALM.name
        self.copied: list[clipboard.CopyResult] = []
        self._failures = 0
        self._told: set[str] = set()
        #: Where to go after this run: another store, and why it is only read. None ends the program.
        self.next_store: Path | None = None
        self.next_read_only: str | None = None

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What every painted line passes: text of files and colleagues never steers the terminal."""
        return [*super().get_line_filters(), self._controls]

    # -- start -------------------------------------------------------------------------------------------

    async def on_mount(self) -> None:
        """Show the first screen; an empty store gets the welcome."""
        await self.switch_mode(self.first_mode)
        self._tell_settings()
        self.ask("start", lambda _: len(self.machine.documents()), self._started)

    def _tell_settings(self) -> None:
        """Say what of the settings cannot be as it was wished: keys that clash, a theme that is not there."""
        clashes = self.live_keys.clashes
        if clashes:
            text = "\n".join(clash.sentence for clash in clashes[:5])
            self.notify(text, title="Keys that clash", severity="warning", timeout=15, markup=False)
            self.say(f"! {clashes[0].sentence}", "bad")
        wished = theme_name(self.settings.theme, os.environ)
        if wished not in self.available_themes:
            near = difflib.get_close_matches(wished, self.available_themes, n=1, cutoff=0.4)
            text = f"Did you mean '{near[0]}'?" if near else f"Themes: {', '.join(self.available_themes)}."
            title = f"There is no theme '{wished}'."
            self.notify(text, title=title, severity="warning", timeout=15, markup=False)
            self.say(f"! {title} {text}", "bad")

    def _started(self, documents: int) -> None:
        if not documents:
            from cmtui.tui.screens.welcome import WelcomeScreen

            self.push_screen(WelcomeScreen())

    @property
    def mode_below(self) -> str:
        """The mode that the screens on the stack lie over."""
        return self.current_mode

    @property
    def store_path(self) -> str:
        """Where the store is."""
        try:
            return str(getattr(self.machine, "path", "in memory"))
        except CmtuiError:
            return "in memory"

    @property
    def store_name(self) -> str:
        """The name of the store directory, and whether it is only read."""
        return Path(self.store_path).name + (" (read-only)" if self.read_only else "")

    @staticmethod
    def today() -> str:
        """The day by UTC, as times are stored and shown."""
        return datetime.now(tz=UTC).strftime("%Y-%m-%d")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """With reduced motion no cursor blinks."""
        if self.settings.reduced_motion and isinstance(event.widget, Input):
            event.widget.cursor_blink = False

    def inside(self, text: str) -> str:
        """A message without the store's path before the names of its files, and with ids cut to 12 digits."""
        return _FULL_ID.sub(r"\1…", text.replace(f"{self.machine.repository.root}/", ""))

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written to the store."""
        return bool(getattr(self.machine, "read_only", None))

    # -- stores --------------------------------------------------------------------------------------------

    def open_store(self, path: Path) -> None:
        """Leave this store for another one, which must open; jobs that run keep it open."""
        if self.running():
            self.say("A job is still running. J shows it, x there cancels it.", "bad")
            return

        def work(_: Call) -> Path:
            from cmtui.engine import LocalCitationMachine

            with LocalCitationMachine.open(path) as machine:
                return machine.path

        def then(found: Path) -> None:
            self.next_store = found
            self.exit()

        self.ask("store", work, then)

    def reopen_read_only(self) -> None:
        """Open this store again so that nothing is written to it."""
        self.next_store = Path(self.store_path)
        self.next_read_only = "The store was opened read-only because another process held its lock."
        self.exit()

    def reload_all(self) -> None:
        """Read again what the screens show."""
        for screen in self.screen_stack:
            if isinstance(screen, BaseScreen):
                screen.reload()

    # -- keys --------------------------------------------------------------------------------------------

    async def _on_key(self, event: events.Key) -> None:
        # A key that was on its way when a line of text opened belongs to that line: a text field takes every
        # letter itself, so one that arrives here came from the widget below. Fast typing loses nothing, and
        # no letter acts as a key by accident. Textual's own handler runs after this one unless prevented.
        if isinstance(self.screen, PromptScreen) and not isinstance(self.focused, Input):
            if event.key not in ("escape", "tab"):
                event.prevent_default()
                self.screen.early_key(event)
        elif isinstance(self.focused, Input) and event.is_printable and event.character:
            event.prevent_default()
            self.focused.insert_text_at_cursor(event.character)

    async def _go(self, mode: str) -> None:
        if self.current_mode == mode:
            while len(self.screen_stack) > 1:
                await self.pop_screen()
        else:
            await self.switch_mode(mode)

    async def action_library(self) -> None:
        """Show the sources."""
        await self._go("library")

    async def action_search(self) -> None:
        """Show the search."""
        await self._go("search")

    async def action_review(self) -> None:
        """Show the review."""
        await self._go("review")

    async def action_cite(self) -> None:
        """Show the bibliography."""
        await self._go("cite")

    async def action_acquire(self) -> None:
        """Show the providers."""
        await self._go("acquire")

    async def action_audit(self) -> None:
        """Show the trail."""
        await self._go("audit")

    def action_jump(self) -> None:
        """Put a letter on every pane; the letter moves the focus there."""
        from cmtui.tui.jump import JumpScreen, targets

        screen = self.screen
        found = targets(screen)
        if isinstance(screen, BaseScreen) and found:
            self.push_screen(JumpScreen(found), partial(self._jumped, screen))

    def _jumped(self, screen: BaseScreen, widget: Widget | None) -> None:
        if widget is not None:
            screen.show_pane_of(widget)
            screen.set_focus(widget)

    def action_help(self) -> None:
        """Show every key of the focused screen."""
        from cmtui.tui.screens.help import HelpScreen

        if isinstance(self.screen, BaseScreen) and not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen.scope))

    def action_palette(self) -> None:
        """Open the command palette."""
        self.action_command_palette()

    def action_copy_selection(self) -> None:
        """Copy what is selected in the focused view or field; without a selection say how to quit."""
        focused = self.focused
        text = ""
        if isinstance(focused, Input) and focused.password:
            return  # A password goes nowhere but to the file it opens.
        if isinstance(focused, Input | SourceView):
            text = focused.selected_text
        text = text or self.screen.get_selected_text() or ""
        if text:
            self.copy(text, "selection")
        else:
            self.say("Nothing is selected. q or ctrl+q quits.")

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """The palette: every action that is valid on the screen below it, and the themes."""
        scope = screen.scope if isinstance(screen, BaseScreen) else ""
        keys = self.live_keys
        for action in (*keys.actions(scope), *keys.actions(EVERYWHERE)):
            if isinstance(screen, BaseScreen) and not screen.valid(action):
                continue
            if action.name == "palette":
                continue
            target = "app" if action.scope == EVERYWHERE else "screen"
            title = f"{action.description[:1].upper()}{action.description[1:]}  ({action.shown})"
            yield SystemCommand(title, action.tooltip, partial(self._run, f"{target}.{action.name}", screen))
        yield SystemCommand("Theme", "Choose the colours for this session", self.action_change_theme)

    def _run(self, action: str, screen: Screen[Any]) -> None:
        self.call_later(self.run_action, action, screen)

    # -- messages ----------------------------------------------------------------------------------------

    def say(self, text: str, look: str = "note") -> None:
        """A message in the status lines, so that it is still there when the front screen closes."""
        for screen in self.screen_stack:
            if isinstance(screen, BaseScreen):
                screen.say(text, look)

    def show_error(self, error: BaseException, trace: str = "") -> None:
        """An expected failure as a toast with its hint; a locked or damaged store, and what was not foreseen,
        as a dialog. None is fatal."""
        if isinstance(error, DAMAGE | StoreLocked) and str(error) not in self._told:
            from cmtui.tui.screens.trouble import DamagedScreen, LockedScreen, locked_answer

            self._told.add(str(error))
            self.say(f"✘ {self.inside(error.sentence)}", "bad")
            if isinstance(error, StoreLocked):
                self._told.clear()
                self.push_screen(LockedScreen(error), locked_answer(self))
            else:
                self.push_screen(DamagedScreen(error))
            return
        if isinstance(error, CmtuiError):
            sentence, advice = self.inside(error.sentence), self.inside(error.advice)
            self.notify(advice, title=sentence, severity="error", timeout=8, markup=False)
            self.say(f"✘ {sentence}", "bad")
            return
        from cmtui.tui.reporting import write_report

        logfile.record(error)
        size = f"{self.size.width}x{self.size.height}"
        about = {"mode": self.current_mode, "screen": type(self.screen).__name__, "size": size}
        report = write_report(error, trace, about)
        text = (
            "Something went wrong that was not foreseen. What you did before is saved.\n"
            "esc closes this; if the screen does not answer any more, ctrl+q quits.\n\n"
            f"{type(error).__name__}: {error}\n\n"
        )
        if report is not None:
            text += (
                f"A report for the people who make this: {report}\nRead it through before you send it.\n\n"
            )
        self.push_screen(TextScreen("Unexpected error", logfile.redact(text + trace), error=True))

    def _handle_exception(self, error: Exception) -> None:
        # Textual ends the program here. A person in the middle of a review is told instead, unless errors
        # come so thick that the screen itself must be broken. Tests see the error as it is.
        self._failures += 1
        if self.is_headless or self._failures > 3:
            super()._handle_exception(error)
            return
        self.call_later(self.show_error, error, "".join(traceback.format_exception(error)))

    def working(self, text: str) -> None:
        """Show what is going on at the right of the status lines; an empty text ends it."""
        for screen in self.screen_stack:
            for status in screen.query(Status):
                status.work(text)

    # -- copying -----------------------------------------------------------------------------------------

    def copy(self, text: str, what: str) -> None:
        """Copy by the chain of cmtui.clipboard in a thread, and say what became of it."""

        def osc52(value: str) -> None:
            self.call_from_thread(self.copy_to_clipboard, value)

        def work(_: Call) -> clipboard.CopyResult:
            return clipboard.copy(text, what=what, preference=self.settings.clipboard, osc52=osc52)

        self.ask("copy", work, self._copied, exclusive=False)

    def _copied(self, result: clipboard.CopyResult) -> None:
        self.copied.append(result)
        self.say(f"✔ {result.message}" if result.confirmed else result.message)

    # -- the original ------------------------------------------------------------------------------------

    def open_original(self, document_id: str, page: int | None = None) -> None:
        """Show the original file in the system viewer, at physical ``page`` where the viewer can be told."""
        from cmtui.engine.housekeeping import Original, show, viewer_command

        def work(_: Call) -> tuple[Original, str]:
            found = self.machine.original(document_id, page)
            command = viewer_command(found)
            started = command is not None and show(command)
            return found, command[0] if command is not None and started else ""

        def then(opened: tuple[Original, str]) -> None:
            found, viewer = opened
            at = f", page {found.page}" if found.page is not None else ""
            if viewer:
                self.say(f"✔ {found.path.name}{at}: opened with {viewer}", "good")
            else:
                self.notify(
                    f"{found.path}{at}", title="No viewer here: open it yourself", timeout=20, markup=False
                )
                self.say(f"No viewer here: {found.path}{at}")

        self.ask("original", work, then, exclusive=False)

    # -- moving between screens ----------------------------------------------------------------------------

    async def open_cite(self, source_id: str) -> None:
        """Go to Cite with this source."""
        await self.action_cite()
        from cmtui.tui.screens.cite import CiteScreen

        if isinstance(self.screen, CiteScreen):
            self.screen.choose(source_id)

    async def open_review(self, claim_id: str, message: str = "") -> None:
        """Go to Review with this claim, and say something there."""
        await self.action_review()
        from cmtui.tui.screens.review import ReviewScreen

        if isinstance(self.screen, ReviewScreen):
            self.screen.choose(claim_id)
        if message:
            self.say(message, "good")

    def make_claim(self, text: str, *, source_id: str | None = None) -> None:
        """Add a claim, evaluate it (over one source when named) and go to its findings."""
        filters = {"source_id": source_id} if source_id else None

        def work(call: Call) -> Claim:
            claim = self.machine.add_claim(text)
            call.progress(Progress("evaluate", text))
            return self.machine.evaluate_claim(
                claim.claim_id, filters=filters, progress=call.progress, cancelled=call.cancelled
            )

        def then(claim: Claim) -> None:
            self.working("")
            self.call_later(self.open_review, claim.claim_id, f"✔ {evaluated(claim)}; every quote verified")

        def failed(error: BaseException) -> None:
            self.working("")
            self.show_error(error, "".join(traceback.format_exception(error)))

        self.say("⟳ evaluating the claim…")
        self.ask("claim", work, then, failed=failed)

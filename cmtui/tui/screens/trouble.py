"""Dialogs for a store that cannot do what was asked: locked by another process, or damaged."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Label, Static

from cmtui.errors import CmtuiError, SidecarMalformed, StoreLocked
from cmtui.model.health import DoctorReport, Health
from cmtui.model.progress import Progress
from cmtui.tui.labels import plural
from cmtui.tui.workers import Asks

if TYPE_CHECKING:
    from cmtui.tui.app import CmtuiApp


class LockedScreen(ModalScreen[str | None]):
    """Another process held the lock for longer than the wait. Gives ``read-only``, ``quit`` or None."""

    DEFAULT_CSS = """
    LockedScreen { background: $background 60%; color: $foreground; align: center middle; }
    LockedScreen > Vertical {
        height: auto; width: 76; max-width: 100%; border: heavy $warning; background: $surface;
        padding: 1 2; border-title-color: $warning;
    }
    LockedScreen Label { width: 100%; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "give('read-only')", "read-only", show=False, id="locked.read_only"),
        Binding("q", "give('quit')", "quit", show=False, id="locked.quit"),
        Binding("escape", "give('')", "go on", show=False, id="locked.leave"),
    ]

    def __init__(self, error: StoreLocked) -> None:
        super().__init__()
        self.error = error

    def compose(self) -> ComposeResult:
        """Who holds it, what that means, and the keys."""
        with Vertical() as box:
            box.border_title = "Another process is writing to this store"
            yield Label(self.error.sentence, markup=False)
            yield Label("\nNothing was changed, and nothing you did before is lost.", markup=False)
            keys = "\nesc  Go on, and try again      r  Read-only for now      q  Quit"
            yield Label(keys, markup=False)

    def action_give(self, what: str) -> None:
        """Close with the choice."""
        self.dismiss(what or None)


class DamagedScreen(Asks, ModalScreen[None]):
    """Something in the store is not what was written. Nothing is read from it, and nothing mended unasked."""

    DEFAULT_CSS = """
    DamagedScreen { background: $background 60%; color: $foreground; align: center middle; }
    DamagedScreen > VerticalScroll {
        height: auto; max-height: 90%; width: 90%; max-width: 96; border: heavy $error; background: $surface;
        padding: 1 2; border-title-color: $error; border-subtitle-color: $foreground-muted;
    }
    DamagedScreen Static, DamagedScreen Label { width: 100%; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "verify", "verify", show=False, id="damaged.verify"),
        Binding("b", "rebuild", "rebuild from the snapshot", show=False, id="damaged.rebuild"),
        Binding("escape,enter", "close", "close", show=False, id="damaged.close"),
    ]

    def __init__(self, error: CmtuiError) -> None:
        super().__init__()
        self.error = error

    @property
    def rebuildable(self) -> bool:
        """Whether it is an identity sidecar, which its snapshot can give again."""
        return isinstance(self.error, SidecarMalformed) and "identity sidecar" in self.error.message

    def compose(self) -> ComposeResult:
        """What is wrong, what can be done, and what came of it."""
        keys = "v  Verify the whole store"
        if self.rebuildable:
            keys += "      b  Rebuild it from its snapshot"
        with VerticalScroll() as box:
            box.border_title, box.border_subtitle = "Damaged: not read", "esc: close"
            yield Label(f"In {self.cmtui.store_path}:\n", markup=False)
            yield Label(self.cmtui.inside(self.error.sentence), markup=False)
            yield Label(f"\n{self.error.advice}", markup=False)
            yield Label(f"\n{keys}      esc  Close\n", markup=False)
            yield Static("", id="result", markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only an identity sidecar can be rebuilt."""
        return self.rebuildable if action == "rebuild" else super().check_action(action, parameters)

    @property
    def cmtui(self) -> CmtuiApp:
        """The application."""
        return cast("CmtuiApp", self.app)

    def progressed(self, topic: str, progress: Progress) -> None:
        """How far the verification is."""
        del topic
        share = f" {progress.done}/{progress.total}" if progress.total else ""
        self._show(f"⟳ {progress.operation}{share}")

    def _show(self, text: str) -> None:
        self.query_one("#result", Static).update(text)

    def _failed(self, error: BaseException) -> None:
        text = f"{error.sentence} {error.advice}" if isinstance(error, CmtuiError) else str(error)
        self._show(f"✘ {text}")

    def action_verify(self) -> None:
        """Hash every file of the store."""
        self._show("⟳ verifying…")
        machine = self.cmtui.machine
        self.ask(
            "doctor",
            lambda call: machine.doctor(progress=call.progress, cancelled=call.cancelled),
            self._verified,
            failed=self._failed,
        )

    def _verified(self, report: DoctorReport) -> None:
        checked = sum(sum(states.values()) for states in report.counts.values())
        lines = [
            f"✘ {check.path}\n  {check.status.value}: {check.sentence}"
            for check in report.problems
            if check.status in (Health.DAMAGED, Health.MISSING, Health.EMPTY)
        ]
        head = f"{plural(checked, 'file')} hashed with {report.digest}: {plural(len(lines), 'problem')}"
        self._show("\n".join([head, *lines]))

    def action_rebuild(self) -> None:
        """Make the sidecar again from its snapshot, which is verified first; the old file is kept aside."""
        self._show("⟳ rebuilding…")
        machine = self.cmtui.machine
        self.ask("rebuild", lambda _: machine.rebuild_sidecars(), self._rebuilt, failed=self._failed)

    def _rebuilt(self, names: tuple[str, ...]) -> None:
        lines = [f"✔ {name[:12]}… was rebuilt from its verified snapshot" for name in names]
        self._show("\n".join([*lines, "The damaged file is kept beside it, with .damaged after its name."]))
        self.cmtui.reload_all()

    def action_close(self) -> None:
        """Close it."""
        self.dismiss(None)


def locked_answer(app: CmtuiApp) -> Callable[[str | None], None]:
    """What the answer to LockedScreen does."""

    def then(answer: str | None) -> None:
        if answer == "read-only":
            app.reopen_read_only()
        elif answer == "quit":
            app.exit()

    return then

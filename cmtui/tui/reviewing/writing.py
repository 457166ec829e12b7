"""Writing to the log: one step after another in a thread, in the order of the keys.

The cursor moves on at once; when a step fails (the span no longer verifies) its rows are as they were and the
person is told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cmtui.errors import NothingToUndo
from cmtui.model.review import Decision, ReviewState
from cmtui.tui.review_data import FindingRow, ReviewData
from cmtui.tui.screens.base import BaseScreen

if TYPE_CHECKING:
    from cmtui.engine import UndoResult


@dataclass(frozen=True)
class Step:
    """One write to the log: what to do in the thread, whose rows it concerns, and what to say when done.

    ``reload`` reads the findings again afterwards, because other ones are there now.
    """

    write: Callable[[], ReviewState | UndoResult]
    keys: tuple[str, ...] = ()
    done: str = ""
    reload: bool = False


class Writing(BaseScreen):
    """The queue of writes; the screen shows what comes of them."""

    def __init__(self) -> None:
        super().__init__()
        self.findings_data = ReviewData()
        self.steps: list[Step] = []
        self.pending: dict[str, Decision] = {}
        self.writing = False
        self.wanted_key = ""

    @property
    def here(self) -> FindingRow | None:
        """The finding under the cursor."""
        raise NotImplementedError

    def repaint(self, *, cursor: str | None = None) -> None:
        """Show the findings again; ``cursor`` is the key of the row to stand on."""
        raise NotImplementedError

    def go(self, claim: int, key: str) -> None:
        """Put the cursor on a finding of a claim."""
        raise NotImplementedError

    def decision_of(self, row: FindingRow) -> Decision:
        """The decision as the person sees it, a write on its way included."""
        return self.pending.get(row.key, row.state.decision)

    def is_open(self, row: FindingRow) -> bool:
        """Whether a decision is still to be made, a write on its way included."""
        return row.undecided and row.key not in self.pending

    def write(self, step: Step) -> None:
        """Write after everything that was asked before."""
        self.steps.append(step)
        self._write_next()

    def _write_next(self) -> None:
        if self.writing or not self.steps:
            return
        self.writing = True
        step = self.steps.pop(0)
        self.ask(
            "decide",
            lambda _: step.write(),
            lambda value: self._written(step, value),
            failed=lambda error: self._refused(step, error),
        )

    def _forget_pending(self, step: Step) -> None:
        self.writing = False
        for key in step.keys:
            self.pending.pop(key, None)

    def _written(self, step: Step, value: ReviewState | UndoResult) -> None:
        self._forget_pending(step)
        state = value if isinstance(value, ReviewState) else value.state
        self.findings_data = self.findings_data.with_state(state)
        self.repaint()
        if isinstance(value, ReviewState):
            self.say(step.done, "good" if step.done.startswith("✔") else "note")
            if step.reload:
                self.reload()
        else:
            found = [self.findings_data.find(key) for key in value.objects]
            where = next((one for one in found if one is not None), None)
            if where is not None:
                self.go(where[0], where[1].key)
            name = f" · {where[1].name}" if where is not None and len(value.objects) == 1 else ""
            self.say(f"{value.description}{name}")
            if None in found or "span" in value.description:
                self.wanted_key = value.objects[0] if value.objects else ""
                self.reload()  # an adjusted finding has come or gone
        self._write_next()

    def _refused(self, step: Step, error: BaseException) -> None:
        self._forget_pending(step)
        if isinstance(error, NothingToUndo):
            self.say(str(error))
        else:
            where = self.findings_data.find(step.keys[0]) if step.keys else None
            if where is not None:
                self.go(where[0], step.keys[0])
            self.cmtui.show_error(error)
        self.repaint()
        self._write_next()

"""Jump mode: a letter on every pane and field of the screen; pressing it moves the focus there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Label

#: Letters in the order in which they are given out: the home row first.
LETTERS = "asdfjklhgqwertyuiopzxcvbnm"


def targets(screen: Screen[object]) -> list[Widget]:
    """What can take the focus and is on the screen now, from the top left; at most as many as letters."""
    seen = [widget for widget in screen.focus_chain if widget.region and _visible(screen, widget)]
    seen.sort(key=lambda widget: (widget.region.y, widget.region.x))
    return seen[: len(LETTERS)]


def _visible(screen: Screen[object], widget: Widget) -> bool:
    return bool(widget.region.intersection(screen.region))


class JumpScreen(ModalScreen[Widget | None]):
    """The letters over the screen below. A letter gives its widget back, anything else None."""

    DEFAULT_CSS = """
    JumpScreen { background: $background 30%; }
    JumpScreen Label {
        position: absolute; width: 3; height: 1; background: $accent; color: $background; text-style: bold;
        text-align: center;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave", show=False, id="jump.leave"),
    ]

    def __init__(self, widgets: Sequence[Widget]) -> None:
        super().__init__()
        self.letters = dict(zip(LETTERS, widgets, strict=False))

    def compose(self) -> ComposeResult:
        """One letter at the top left corner of each."""
        for letter, widget in self.letters.items():
            label = Label(f"[{letter}]", markup=False)
            label.absolute_offset = Offset(widget.region.x, widget.region.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        """A letter jumps; every other key leaves."""
        event.stop()
        event.prevent_default()
        self.dismiss(self.letters.get(event.character or ""))

    def action_leave(self) -> None:
        """Back to where the focus was."""
        self.dismiss(None)

"""The lines around every screen: modes at the top, status and keys at the bottom. None takes the focus."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from cmtui.tui.actions import Action
from cmtui.tui.cells import fit, width

#: The screens in the order of their digits: mode, title.
MODES = (
    ("library", "1 Library"),
    ("search", "2 Search"),
    ("review", "3 Review"),
    ("cite", "4 Cite"),
    ("acquire", "5 Acquire"),
    ("audit", "6 Audit"),
)


class Line(Widget):
    """One painted line of (text, component class, action) pieces; clicking a piece runs its action."""

    DEFAULT_CSS = "Line { height: 1; width: 1fr; background: $background; color: $foreground-muted; }"

    def pieces(self) -> list[tuple[str, str, str]]:
        """What the line shows: text, component class (or empty), and the action of a click (or empty)."""
        return []

    def right(self) -> str:
        """Text at the right end."""
        return ""

    def render_line(self, y: int) -> Strip:
        """Left pieces, then the right text when there is room for it."""
        if y:
            return Strip.blank(self.size.width, self.rich_style)
        total, base = self.size.width, self.rich_style
        segments, used = [], 0
        for text, name, _ in self.pieces():
            room = total - used
            if room <= 0:
                break
            shown = fit(text, min(width(text), room))
            segments.append(Segment(shown, base + self._look(name)))
            used += width(shown)
        right = self.right()
        room = total - used - 1
        if right and room > 1:
            segments.append(Segment(" " + fit(right, room, align="right"), base))
        return Strip(segments).adjust_cell_length(total, base)

    def _look(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True) if name else Style()

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the piece under the pointer."""
        used = 0
        for text, _, action in self.pieces():
            used += width(text)
            if event.x < used:
                if action:
                    await self.app.run_action(action, self.screen)
                return


class Header(Line):
    """Row 1: the modes, the current one in brackets, and the context at the right."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"header--here"}
    DEFAULT_CSS = """
    Header { dock: top; }
    Header > .header--here { color: $accent; text-style: bold; }
    """

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode
        self.context = self.short = ""

    def show(self, context: str, short: str = "") -> None:
        """Set the text at the right, and its short form."""
        if (context, short) != (self.context, self.short):
            self.context, self.short = context, short
            self.refresh()

    def pieces(self) -> list[tuple[str, str, str]]:
        """The modes as drawn: ` [1 Library] 2 Search  3 Review  4 Cite`."""
        found = [(" ", "", "")]
        for name, title in MODES:
            here = name == self.mode
            found.append(
                (f"[{title}]" if here else f" {title} ", "header--here" if here else "", f"app.{name}")
            )
        return found

    def right(self) -> str:
        """The context, such as ``7 sources · 5 open``."""
        room = self.size.width - 2 - sum(width(text) for text, _, _ in self.pieces())
        context = self.context if width(self.context) <= room or not self.short else self.short
        return f"{context} " if width(context) <= room or not self.short else ""


class Status(Line):
    """The line above the keys: the newest message, or the progress of work. It never takes the focus."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"status--good", "status--bad", "status--note"}
    DEFAULT_CSS = """
    Status > .status--good { color: $success; }
    Status > .status--bad { color: $error; text-style: bold; }
    Status > .status--note { color: $foreground; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.text, self.look, self.working = "", "", ""
        #: Where a narrow terminal is among its panes; shown while nothing else is.
        self.place = ""

    def say(self, text: str, look: str = "note") -> None:
        """Show a message until the next one."""
        self.text, self.look = text, look
        self.refresh()

    def work(self, text: str) -> None:
        """Show progress at the right; an empty text ends it."""
        self.working = text
        self.refresh()

    def pieces(self) -> list[tuple[str, str, str]]:
        """The message."""
        return [(f" {self.text}  ", f"status--{self.look}" if self.look else "", "")] if self.text else []

    def right(self) -> str:
        """The progress."""
        return f"{self.working or self.place} " if self.working or self.place else ""


class Keys(Line):
    """The last row: the keys that are valid now, most used first, ``?`` last. Made from the registry."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"keys--key"}
    DEFAULT_CSS = """
    Keys { color: $foreground-muted; }
    Keys > .keys--key { color: $accent; text-style: bold; }
    """

    class Changed(Message):
        """The set of valid actions may have changed."""

    def __init__(self, actions: list[Action], valid: Callable[[Action], bool]) -> None:
        super().__init__()
        self.actions, self.valid = actions, valid

    def shown(self) -> list[Action]:
        """The actions that fit, in order; help is always among them."""
        live = [action for action in self.actions if self.valid(action)]
        if not live:
            return []
        last = live[-1]
        room = self.size.width - 1 - self._cells(last)
        kept = []
        for action in live[:-1]:
            room -= self._cells(action)
            if room < 0:
                break
            kept.append(action)
        return [*kept, last]

    @staticmethod
    def _cells(action: Action) -> int:
        return width(action.shown) + width(action.label) + 3

    def pieces(self) -> list[tuple[str, str, str]]:
        """Key, blank, word, two blanks."""
        found = [(" ", "", "")]
        for action in self.shown():
            target = f"app.{action.name}" if action.scope == "everywhere" else f"screen.{action.name}"
            found.append((action.shown, "keys--key", target))
            found.append((f" {action.label}  ", "", target))
        return found

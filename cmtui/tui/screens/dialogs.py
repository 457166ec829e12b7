"""Small screens that ask for one thing: a line of text, one of several letters, yes or no, or attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.widgets import Input, Label, Static


class SecretInput(Input):
    """A masked field whose text cannot be copied or cut out of it."""

    def __init__(self) -> None:
        super().__init__(password=True, select_on_focus=False)

    def action_copy(self) -> None:
        """Nothing: the clipboard keeps what it holds."""

    def action_cut(self) -> None:
        """Nothing, for the same reason."""


class PromptScreen(ModalScreen[str | None]):
    """One line of text at the foot of the screen. Enter gives it back, esc gives None.

    Keys typed before the line is on the screen are kept for it (``early_key``), so fast typing loses nothing.
    ``secret`` masks the line, for a password.
    """

    DEFAULT_CSS = """
    PromptScreen { background: transparent; color: $foreground; align: left bottom; }
    PromptScreen > Vertical {
        height: auto; border: heavy $accent; background: $surface; padding: 0 1;
        border-title-color: $accent; border-subtitle-color: $foreground-muted;
    }
    PromptScreen Input, PromptScreen Input:focus {
        border: none; height: 1; padding: 0; background: $surface;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave", show=False, id="prompt.leave", priority=True),
        Binding("tab", "complete", "complete", show=False, id="prompt.complete", priority=True),
    ]

    def __init__(
        self,
        title: str,
        value: str = "",
        *,
        hint: str = "enter: done   esc: leave",
        suggester: Suggester | None = None,
        live: Callable[[str], None] | None = None,
        secret: bool = False,
    ) -> None:
        super().__init__()
        self.prompt_title, self.hint, self.live = title, hint, live
        self._field = SecretInput() if secret else Input(value, suggester=suggester, select_on_focus=False)
        self._early_end = False

    def compose(self) -> ComposeResult:
        """The line in a box."""
        with Vertical() as box:
            box.border_title, box.border_subtitle = self.prompt_title, self.hint
            yield self._field

    def on_mount(self) -> None:
        """Type at the end of what is there."""
        self._field.focus()
        self._field.cursor_position = len(self._field.value)
        if self._early_end:
            self.dismiss(self._field.value)

    def early_key(self, event: events.Key) -> None:
        """A key that was on its way to the screen below when this one opened."""
        if event.key == "enter":
            self._early_end = True
            if self.is_mounted:
                self.dismiss(self._field.value)
        elif event.key == "backspace":
            self._field.value = self._field.value[:-1]
        elif event.is_printable and event.character:
            self._field.value += event.character
            self._field.cursor_position = len(self._field.value)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.live is not None:
            self.live(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)

    def action_leave(self) -> None:
        """Give nothing back."""
        self.dismiss(None)

    def action_complete(self) -> None:
        """Take the suggestion."""
        self._field.action_cursor_right()
        if self._field.cursor_position < len(self._field.value):
            self._field.action_end()


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a menu: the key that takes it, its words, and what it stands for."""

    key: str
    label: str
    value: str


class MenuScreen(ModalScreen[str | None]):
    """A few choices, each with a key. The key takes it at once; esc gives None."""

    DEFAULT_CSS = """
    MenuScreen { background: transparent; color: $foreground; align: left bottom; }
    MenuScreen > Vertical {
        height: auto; width: auto; max-width: 100%; border: heavy $accent; background: $surface;
        padding: 0 1; border-title-color: $accent; border-subtitle-color: $foreground-muted;
    }
    MenuScreen Static { width: auto; max-width: 100%; height: auto; }
    """

    def __init__(self, title: str, choices: Sequence[Choice], *, note: str = "") -> None:
        super().__init__()
        self.menu_title, self.choices, self.note = title, tuple(choices), note
        for choice in self.choices:
            self._bindings.bind(choice.key, f"take({choice.key!r})", choice.label, show=False)
        self._bindings.bind("escape", "take('')", "leave", show=False)

    def compose(self) -> ComposeResult:
        """One line per choice."""
        lines = [self.note] if self.note else []
        lines += [f"{choice.key:<2} {choice.label}" for choice in self.choices]
        with Vertical() as box:
            box.border_title, box.border_subtitle = self.menu_title, "esc: leave"
            yield Static("\n".join(lines), markup=False)

    def action_take(self, key: str) -> None:
        """Give back what the key stands for."""
        self.dismiss(next((choice.value for choice in self.choices if choice.key == key), None))


class ConfirmScreen(ModalScreen[bool]):
    """A question before something is lost. The key that opened it never answers it."""

    DEFAULT_CSS = """
    ConfirmScreen { background: $background 60%; color: $foreground; align: center middle; }
    ConfirmScreen > Vertical {
        height: auto; width: 64; max-width: 100%; border: heavy $warning; background: $surface;
        padding: 1 2; border-title-color: $warning;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "yes", "yes", show=False, id="confirm.yes"),
        Binding("n", "no", "no", show=False, id="confirm.no"),
        Binding("escape", "no", "no", show=False, id="confirm.leave"),
    ]

    def __init__(self, title: str, question: str) -> None:
        super().__init__()
        self.confirm_title, self.question = title, question

    def compose(self) -> ComposeResult:
        """The question and its keys."""
        with Vertical() as box:
            box.border_title = self.confirm_title
            yield Label(self.question, markup=False)
            yield Label("\ny  Yes     n  No", markup=False)

    def action_yes(self) -> None:
        """Do it."""
        self.dismiss(result=True)

    def action_no(self) -> None:
        """Leave everything as it is."""
        self.dismiss(result=False)


class TextScreen(ModalScreen[None]):
    """Text to read: details, or an unexpected error with its trace. Any of esc, enter or q closes it."""

    DEFAULT_CSS = """
    TextScreen { background: $background 60%; color: $foreground; align: center middle; }
    TextScreen > VerticalScroll {
        height: auto; max-height: 80%; width: 90%; max-width: 100; border: heavy $primary;
        background: $surface; padding: 0 2; border-title-color: $primary;
        border-subtitle-color: $foreground-muted;
    }
    TextScreen.-error > VerticalScroll { border: heavy $error; border-title-color: $error; }
    TextScreen Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "close", "close", show=False, id="text.close"),
    ]

    def __init__(self, title: str, text: str, *, error: bool = False) -> None:
        super().__init__(classes="-error" if error else "")
        self.text_title, self.text = title, text

    def compose(self) -> ComposeResult:
        """The text, scrolling when it is long."""
        with VerticalScroll() as box:
            box.border_title, box.border_subtitle = self.text_title, "esc: close"
            yield Static(self.text, markup=False)

    def action_close(self) -> None:
        """Close it."""
        self.dismiss(None)

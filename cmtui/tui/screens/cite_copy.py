"""What to copy of a citation: its form and style, and the kind of text that goes on the clipboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from cmtui.tui.citing.previewing import FORMS, Line
from cmtui.tui.labels import STYLE

#: The key, the form of cmtui.model.bibliography.CopyForm, and its name.
KINDS = (
    ("p", "plain", "plain text"),
    ("m", "markdown", "Markdown"),
    ("h", "html", "HTML"),
    ("r", "rtf", "RTF"),
    ("b", "bibtex", "BibTeX"),
    ("c", "csl-json", "CSL-JSON"),
    ("i", "ris", "RIS"),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to copy: the clipboard form, the style and the form of the citation."""

    form: str
    style: str
    cite_form: str


class CopyScreen(ModalScreen[Wanted | None]):
    """``s`` and ``f`` change style and form, a letter copies; enter copies plain text, esc gives None."""

    DEFAULT_CSS = """
    CopyScreen { background: transparent; color: $foreground; align: left bottom; }
    CopyScreen > Vertical {
        height: auto; width: 100%; border: heavy $accent; background: $surface; padding: 0 1;
        border-title-color: $accent; border-subtitle-color: $foreground-muted;
    }
    CopyScreen Static { height: auto; max-height: 12; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "style", "next style", show=False, id="copy.style"),
        Binding("f", "form", "next form", show=False, id="copy.form"),
        Binding("enter", "first", "copy plain text", show=False, id="copy.enter"),
        Binding("escape", "leave", "leave", show=False, id="copy.leave"),
        *(Binding(key, f"take('{form}')", name, show=False, id=f"copy.{form}") for key, form, name in KINDS),
    ]

    def __init__(
        self, style: str, cite_form: str, styles: Sequence[str], preview: Callable[[str, str], Line]
    ) -> None:
        super().__init__()
        # BibTeX is a record of its own below, and no style that other forms could take.
        self.names = [name for name in styles if name != "bibtex"]
        self.style = style if style in self.names else self.names[0]
        self.cite_form = cite_form
        self._preview = preview
        self._first = "bibtex" if style == "bibtex" else "plain"

    def compose(self) -> ComposeResult:
        """Style and form, the citation, and the kinds of text."""
        with Vertical() as box:
            box.border_title, box.border_subtitle = "Copy", f"enter: {self._first}   esc: leave"
            yield Static("", markup=False)

    def on_mount(self) -> None:
        """Show what would be copied."""
        self._paint()

    def _paint(self) -> None:
        made = self._preview(self.style, self.cite_form)
        kinds = "   ".join(f"{key} {name}" for key, _, name in KINDS[:4])
        records = "   ".join(f"{key} {name}" for key, _, name in KINDS[4:])
        self.query_one(Static).update(
            f"s style  {STYLE.get(self.style, self.style)}      f form  {self.cite_form}\n\n"
            f"{' '.join(made.text.split())}\n\n"
            f"citation  {kinds}\nrecord    {records}"
        )

    def action_style(self) -> None:
        """The next style."""
        self.style = self.names[(self.names.index(self.style) + 1) % len(self.names)]
        self._paint()

    def action_form(self) -> None:
        """The next form."""
        self.cite_form = FORMS[(FORMS.index(self.cite_form) + 1) % len(FORMS)]
        self._paint()

    def action_first(self) -> None:
        """Copy plain text, or the BibTeX record when that is the current style."""
        self.action_take(self._first)

    def action_take(self, form: str) -> None:
        """Copy it as this."""
        self.dismiss(Wanted(form, self.style, self.cite_form))

    def action_leave(self) -> None:
        """Copy nothing."""
        self.dismiss(None)

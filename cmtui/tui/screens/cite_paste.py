"""A place to paste a BibTeX entry, a RIS record or a CSL-JSON item into."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static, TextArea

from cmtui.errors import CmtuiError
from cmtui.model.importing import ImportedBibliography, ImportedEntry
from cmtui.tui.csl_form import shown_value
from cmtui.tui.labels import plural
from cmtui.tui.screens.dialogs import Choice

#: Entries that a pasted text may offer; more than that is a file to import.
MOST = 12


class PasteScreen(ModalScreen[ImportedBibliography | None]):
    """Text in, entries out. It says while you paste what it is and what is wrong with it."""

    DEFAULT_CSS = """
    PasteScreen { background: $background 60%; color: $foreground; align: center middle; }
    PasteScreen > Vertical {
        width: 90%; height: 80%; border: heavy $accent; background: $surface; padding: 0 1;
        border-title-color: $accent; border-subtitle-color: $foreground-muted;
    }
    PasteScreen TextArea, PasteScreen TextArea:focus { border: none; background: $background; height: 1fr; }
    PasteScreen Static { height: auto; max-height: 6; padding: 1 0 0 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "read", "read it", show=False, id="paste.read", priority=True),
        Binding("escape", "leave", "leave", show=False, id="paste.leave", priority=True),
    ]

    def __init__(self, read: Callable[[str], ImportedBibliography]) -> None:
        super().__init__()
        self._read = read
        self.found: ImportedBibliography | None = None

    def compose(self) -> ComposeResult:
        """The text and what it is."""
        with Vertical() as box:
            box.border_title = "Paste a BibTeX entry, a RIS record or a CSL-JSON item"
            box.border_subtitle = "f2 compare with the form   esc leave"
            yield TextArea(soft_wrap=True)
            yield Static("Nothing is written; each field is shown beside what stands now.", markup=False)

    def on_mount(self) -> None:
        """Keys go to the text."""
        self.query_one(TextArea).focus()

    @on(TextArea.Changed)
    def _changed(self) -> None:
        self.query_one(Static).update(self._tell())

    def _tell(self) -> str:
        text = self.query_one(TextArea).text
        self.found = None
        if not text.strip():
            return "Nothing is pasted yet."
        try:
            found = self._read(text)
        except CmtuiError as error:
            return f"✘ {error} {getattr(error, 'hint', '')}"
        lines = [f"line {problem.line}: {problem.message}" for problem in found.problems[:3]]
        if not found.entries:
            return "\n".join(["✘ no entry could be read", *lines])
        self.found = found
        first = found.entries[0]
        head = f"✔ {plural(len(found.entries), 'entry').replace('entrys', 'entries')} ({found.format}): "
        return "\n".join([head + describe(first)[:70], *lines, *first.warnings[:2]])

    def action_read(self) -> None:
        """Give back what was read."""
        self.query_one(Static).update(self._tell())
        if self.found is not None:
            self.dismiss(self.found)

    def action_leave(self) -> None:
        """Give nothing back."""
        self.dismiss(None)


def describe(entry: ImportedEntry) -> str:
    """An entry in one line: its key, title, first author and year."""
    item = entry.item
    parts = [str(item.get("title") or "without title"), shown_value("author", item.get("author") or [])]
    parts.append(shown_value("issued", item.get("issued")))
    return f"{entry.key}  " + " · ".join(part for part in parts if part and part != "[]")


def choices(found: ImportedBibliography) -> list[Choice]:
    """The entries of a pasted text, as a menu."""
    keys = "123456789abc"
    return [
        Choice(key, describe(entry)[:80], str(number))
        for number, (key, entry) in enumerate(zip(keys, found.entries[:MOST], strict=False))
    ]

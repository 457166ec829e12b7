"""What the bibliography of a source was before: earlier items, each with what differs from now."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from cmtui.model.bibliography import BibliographyRecord, CslItem
from cmtui.tui.csl_form import label_of, shown_value
from cmtui.tui.labels import day, plural
from cmtui.tui.widgets.row_list import Column, Row, RowList


def changes(now: CslItem, then: CslItem) -> list[tuple[str, object, object]]:
    """(variable, now, then) of every variable that differs, in the order of ``now``."""
    names = [*now, *(name for name in then if name not in now)]
    return [(name, now.get(name), then.get(name)) for name in names if now.get(name) != then.get(name)]


class HistoryScreen(ModalScreen[CslItem | None]):
    """Earlier items, the newest first. Enter gives the one under the cursor back, esc gives None."""

    DEFAULT_CSS = """
    HistoryScreen { background: $background 60%; color: $foreground; align: center middle; }
    HistoryScreen > Vertical {
        width: 96%; height: 90%; border: heavy $accent; background: $surface; padding: 0 1;
        border-title-color: $accent; border-subtitle-color: $foreground-muted;
    }
    HistoryScreen RowList { border: none; background: $surface; max-height: 40%; }
    HistoryScreen RowList:focus { border: none; }
    HistoryScreen VerticalScroll { height: 1fr; border-top: solid $panel-lighten-2; }
    HistoryScreen Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "make it the item again", show=False, id="history.take"),
        Binding("escape", "leave", "leave", show=False, id="history.leave"),
    ]

    def __init__(self, record: BibliographyRecord) -> None:
        super().__init__()
        self.record = record
        self.earlier = tuple(item for item in reversed(record.history) if item)

    def compose(self) -> ComposeResult:
        """The items and the difference."""
        with Vertical() as box:
            box.border_title = (
                f"{plural(len(self.earlier), 'earlier item')}; now since {day(self.record.updated_at)}"
            )
            box.border_subtitle = "enter make it the item again (an edit, to be undone)   esc leave"
            yield RowList([Column("", 4), Column("Title"), Column("Differs in")], id="items")
            with VerticalScroll(can_focus=False):
                yield Static("", markup=False)

    def on_mount(self) -> None:
        """Keys go to the list."""
        shown = []
        for number, item in enumerate(self.earlier):
            kind = str(item.get("type", ""))
            names = ", ".join(label_of(name, kind) for name, _, _ in changes(self.record.item, item))
            shown.append(Row((f"−{number + 1}", str(item.get("title") or "— empty"), names or "nothing")))
        self.rows.show(shown)
        self.rows.focus()

    @property
    def rows(self) -> RowList:
        """The list of items."""
        return self.query_one("#items", RowList)

    @on(RowList.Highlighted)
    def _highlighted(self) -> None:
        item = self.earlier[self.rows.cursor]
        lines = []
        for name, now, then in changes(self.record.item, item):
            lines.append(f"{label_of(name)}")
            lines.append(f"  now   {shown_value(name, now) or '—'}")
            lines.append(f"  then  {shown_value(name, then) or '—'}")
        self.query_one(Static).update("\n".join(lines) or "The same as now.")

    def action_take(self) -> None:
        """Give the item back."""
        self.dismiss(self.earlier[self.rows.cursor])

    def action_leave(self) -> None:
        """Change nothing."""
        self.dismiss(None)

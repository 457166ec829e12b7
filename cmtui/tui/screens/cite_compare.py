"""A comparison, field by field: what stands now beside what is proposed. Nothing is taken unasked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from cmtui.tui.csl_form import label_of, shown_value
from cmtui.tui.widgets.row_list import Column, Row, RowList


@dataclass(frozen=True, slots=True)
class Proposed:
    """A field with what stands now (None: nothing) and what is proposed."""

    variable: str
    current: Any
    proposed: Any

    @property
    def new(self) -> bool:
        """Whether nothing would be overwritten."""
        return self.current is None


class CompareScreen(ModalScreen[tuple[str, ...] | None]):
    """Fields to accept one by one. Enter gives the accepted ones back (possibly none), esc gives None.

    ``heads`` stand above the fields, first what matters most: notices, then warnings. ``empty_is_useful``
    says that enter without an accepted field does something (it keeps the notices of a look-up).
    """

    DEFAULT_CSS = """
    CompareScreen { background: $background 60%; color: $foreground; align: center middle; }
    CompareScreen > Vertical {
        width: 96%; height: 90%; border: heavy $accent; background: $surface; padding: 0 1;
        border-title-color: $accent; border-subtitle-color: $foreground-muted;
    }
    CompareScreen #heads { height: auto; max-height: 8; color: $warning; }
    CompareScreen #heads Static, CompareScreen #whole { height: auto; }
    CompareScreen RowList { border: none; background: $surface; }
    CompareScreen RowList:focus { border: none; }
    CompareScreen #about { height: 6; border-top: solid $panel-lighten-2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pick", "take or leave the field", show=False, id="compare.toggle"),
        Binding("a", "empty", "take all that are empty now", show=False, id="compare.empty"),
        Binding("A", "every", "take all", show=False, id="compare.every"),
        Binding("enter", "apply", "apply what is taken", show=False, id="compare.apply"),
        Binding("escape", "leave", "leave", show=False, id="compare.leave"),
    ]

    def __init__(
        self,
        title: str,
        fields: Sequence[Proposed],
        *,
        heads: Sequence[str] = (),
        kind: str = "",
        empty_is_useful: bool = False,
    ) -> None:
        super().__init__()
        self.compare_title, self.heads, self.kind = title, tuple(heads), kind
        self.fields = tuple(fields)
        self.accepted: set[str] = set()
        self.empty_is_useful = empty_is_useful

    def compose(self) -> ComposeResult:
        """Warnings, the fields, and the whole of the field under the cursor."""
        with Vertical() as box:
            box.border_title = self.compare_title
            box.border_subtitle = "space take  a all empty  A all  enter apply  esc leave"
            with VerticalScroll(id="heads", can_focus=False) as heads:
                heads.display = bool(self.heads)
                yield Static("\n".join(self.heads), markup=False)
            yield RowList(
                [Column("", 2), Column("Field", 11), Column("Now"), Column("Proposed")],
                empty="Nothing differs." + (" enter keeps the notices" if self.empty_is_useful else ""),
                id="fields",
            )
            with VerticalScroll(id="about", can_focus=False):
                yield Static("", id="whole", markup=False)

    def on_mount(self) -> None:
        """Keys go to the list."""
        self._paint()
        self.rows.focus()

    @property
    def rows(self) -> RowList:
        """The list of fields."""
        return self.query_one("#fields", RowList)

    def _paint(self) -> None:
        shown = []
        for field in self.fields:
            taken = field.variable in self.accepted
            now = "—" if field.new else shown_value(field.variable, field.current)
            cells = (
                "✔" if taken else "·",
                label_of(field.variable, self.kind),
                now,
                shown_value(field.variable, field.proposed),
            )
            shown.append(Row(cells, style="good" if taken else ""))
        self.rows.show(shown)

    @on(RowList.Highlighted)
    def _highlighted(self) -> None:
        if self.rows.cursor < len(self.fields):
            field = self.fields[self.rows.cursor]
            now = shown_value(field.variable, field.current) or "— nothing"
            text = f"now       {now}\nproposed  {shown_value(field.variable, field.proposed)}"
            self.query_one("#whole", Static).update(text)

    @on(RowList.Selected)
    def _selected(self) -> None:
        self.action_pick()

    def action_pick(self) -> None:
        """Take the field, or leave it; then the next."""
        if self.rows.cursor < len(self.fields):
            self.accepted ^= {self.fields[self.rows.cursor].variable}
            self._paint()
            self.rows.cursor += 1

    def action_empty(self) -> None:
        """Take every field that is empty now."""
        self.accepted |= {field.variable for field in self.fields if field.new}
        self._paint()

    def action_every(self) -> None:
        """Take every field, also those that overwrite; again: none."""
        everything = {field.variable for field in self.fields}
        self.accepted = set() if self.accepted == everything else everything
        self._paint()

    def action_apply(self) -> None:
        """Give the accepted fields back."""
        if not self.accepted and not self.empty_is_useful:
            if not self.fields:
                self.dismiss(None)
                return
            self.query_one("#whole", Static).update("Nothing is taken yet: space takes the field.")
            return
        self.dismiss(tuple(f.variable for f in self.fields if f.variable in self.accepted))

    def action_leave(self) -> None:
        """Take nothing."""
        self.dismiss(None)

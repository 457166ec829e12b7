"""The bibliography form: the fields of the chosen CSL type, built as they are needed."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widgets import Label, Select, Static

from cmtui.engine.editing import ItemCheck
from cmtui.model.bibliography import CslItem
from cmtui.model.source import MetadataCandidate
from cmtui.tui.citing.offers import Offers, sort_offers
from cmtui.tui.citing.rows import Handle, NameLine, NamesRow, Row, TextRow, row_of
from cmtui.tui.csl_form import FIELDS, TYPES, fields_of, item_of, kept, label_of, values

#: Further candidates that are listed below the form.
_OTHERS = 4


class ItemForm(VerticalScroll):
    """The form. ``show`` an item, read it back with ``item``; it posts Changed."""

    DEFAULT_CSS = """
    ItemForm .row, ItemForm .field, ItemForm .name { height: auto; }
    ItemForm .label { width: 12; color: $foreground-muted; }
    ItemForm Input, ItemForm Input:focus {
        border: none; height: 1; padding: 0 1; width: 1fr; background: $surface;
    }
    ItemForm Input:focus { background: $panel; }
    ItemForm .name Input { margin-right: 1; }
    ItemForm .name .given { width: 1fr; }
    ItemForm .name .particle { width: 7; }
    ItemForm .name .suffix { width: 6; margin-right: 0; }
    ItemForm Handle { width: 5; color: $foreground-muted; }
    ItemForm Handle:focus { background: $primary; color: $background; text-style: bold; }
    ItemForm .below { padding-left: 12; height: auto; }
    ItemForm .field Select { width: 1fr; height: 1; }
    ItemForm #kept, ItemForm #notes { height: auto; color: $foreground-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(1)", "next field", show=False, id="form.down"),
        Binding("up", "step(-1)", "previous field", show=False, id="form.up"),
    ]

    class Changed(Message):
        """The item that the form makes may have changed."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(classes="pane", id=id, can_focus=False)
        self.base: CslItem = {}
        self.kind = ""
        self.offers = Offers({})
        self.rows: dict[str, Row] = {}
        self.notes: Sequence[str] = ()
        self._loose: list[str] = []

    def compose(self) -> ComposeResult:
        """The type; the rows come with an item."""
        with Horizontal(classes="field"):
            yield Label("Type", classes="label")
            yield Select([(name, name) for name in TYPES], id="type", compact=True, prompt="choose a type")
        yield Static("", id="kept", markup=False)
        yield Static("", id="notes", markup=False)

    # -- the item ------------------------------------------------------------------------------------

    def show(self, item: CslItem, candidates: Sequence[MetadataCandidate] | None = None) -> None:
        """Show an item, in place of what was typed; ``candidates`` None leaves those that are shown."""
        self.base = copy.deepcopy(item)
        if candidates is not None:
            self.offers = sort_offers(candidates)
        select = self.query_one("#type", Select)
        self.kind = str(item.get("type", ""))
        with select.prevent(Select.Changed):
            if self.kind and self.kind not in TYPES:
                select.set_options([(name, name) for name in (*TYPES, self.kind)])
            if self.kind:
                select.value = self.kind
            else:
                select.clear()
        texts = values(self.base)
        for variable, row in self.rows.items():
            row.fill(texts[variable])
        self._arrange()

    def item(self) -> CslItem:
        """The item as the form says it, with everything that it does not show."""
        typed: dict[str, Any] = {variable: row.value() for variable, row in self.rows.items()}
        kind = self.query_one("#type", Select).value
        typed["type"] = kind if isinstance(kind, str) else ""
        return item_of(typed, self.base)

    def put(self, changes: CslItem) -> None:
        """Take accepted values into the form, unsaved."""
        self.show(self.item() | changes)
        self.post_message(self.Changed())

    def _arrange(self) -> None:
        """Show the rows of the type; those that are missing are made in their place."""
        wanted = {field.variable for field in fields_of(self.kind)}
        texts = values(self.base)
        last: Row | Horizontal = self.query_one(".field", Horizontal)
        for field in FIELDS:
            row = self.rows.get(field.variable)
            if row is None and field.variable in wanted:
                value = texts[field.variable]
                row = NamesRow(field, value) if field.kind == "names" else TextRow(field, value)
                self.rows[field.variable] = row
                self.mount(row, after=last)
            if row is not None:
                row.display = field.variable in wanted
                row.offers = self.offers.fields.get(field.variable, ())
                last = row
        for variable, row in self.rows.items():
            row.name_it(label_of(variable, self.kind))
            row.refresh_below()

    # -- what is said about it -----------------------------------------------------------------------

    def judge(self, check: ItemCheck, item: CslItem, notes: Sequence[str] = ()) -> None:
        """Show reasons and remarks beside their fields, and the rest below the form."""
        errors, remarks = dict(reversed(check.errors)), dict(reversed(check.notes))
        self._loose = []
        for variable, row in self.rows.items():
            row.problem, row.remark = errors.get(variable, ""), remarks.get(variable, "")
            row.refresh_below()
        for variable, reason in check.errors:
            if variable not in self.rows or not self.rows[variable].display:
                self._loose.append(f"✘ {label_of(variable, self.kind)}: {reason}")
        self.call_after_refresh(self._show_reason)
        names = [f"{label_of(name, self.kind)}" for name in kept(item)]
        more = f"+ kept, not shown for {self.kind or 'no type'}: {', '.join(names)}" if names else ""
        self.query_one("#kept", Static).update(more)
        self.query_one("#kept").display = bool(more)
        lines = [*self._loose, *notes]
        lines += [f"◂ {c.field}: {c.value[:60]}  ({c.origin})" for c in self.offers.others[:_OTHERS]]
        for name, found in self.offers.fields.items():
            if name not in self.rows or not self.rows[name].display:
                lines += [f"◂ {label_of(name)}: {c.value[:60]}  ({c.origin})" for c in found[:1]]
        self.query_one("#notes", Static).update("\n".join(lines))

    # -- the focus -----------------------------------------------------------------------------------

    @property
    def row(self) -> Row | None:
        """The row that has the focus."""
        row = row_of(self.screen.focused)
        return row if row is not None and row.display else None

    @property
    def name_line(self) -> tuple[NamesRow, NameLine] | None:
        """The name whose handle has the focus."""
        focused = self.screen.focused
        line = focused.parent if isinstance(focused, Handle) else None
        row = self.row
        return (row, line) if isinstance(row, NamesRow) and isinstance(line, NameLine) else None

    def enter(self, variable: str = "title") -> None:
        """Go to a field; to the type when it has no line."""
        row = self.rows.get(variable)
        if row is not None and row.display:
            row.focus_field()
        else:
            self.query_one("#type", Select).focus()

    def on_descendant_focus(self) -> None:
        """What is said of a field is on the screen with it."""
        self.call_after_refresh(self._show_reason)

    def _show_reason(self) -> None:
        row = self.row
        if row is not None and row.below.display:
            line = self.screen.focused.parent if self.screen.focused is not None else None
            if not isinstance(row, NamesRow) or line is row.lines[-1]:
                self.scroll_to_widget(row.below, animate=False)

    def action_step(self, by: int) -> None:
        """The field below or above; in names the same part of the next line."""
        focused = self.screen.focused
        line = focused.parent if focused is not None else None
        row = self.row
        if isinstance(row, NamesRow) and isinstance(line, NameLine) and focused is not None:
            at = row.lines.index(line) + by
            if 0 <= at < len(row.lines):
                part = next((n for n, field in line.inputs.items() if field is focused), "")
                target = row.lines[at]
                (target.inputs["family" if target.organisation else part] if part else target.handle).focus()
                return
        shown = [each for each in self.children if isinstance(each, Row) and each.display]
        if row is None:
            if by > 0 and shown:
                shown[0].focus_field()
            return
        at = shown.index(row) + by
        if at < 0:
            self.query_one("#type", Select).focus()
        elif at < len(shown):
            target_row = shown[at]
            if isinstance(target_row, NamesRow) and by < 0:
                target_row.lines[-1].inputs["family"].focus()
            else:
                target_row.focus_field()

    # -- events --------------------------------------------------------------------------------------

    @on(Row.Edited)
    def _edited(self, event: Row.Edited) -> None:
        event.stop()
        event.row.refresh_below()
        self.post_message(self.Changed())

    @on(Select.Changed, "#type")
    def _type(self, event: Select.Changed) -> None:
        event.stop()
        kind = event.value if isinstance(event.value, str) else ""
        if kind != self.kind:
            self.kind = kind
            self._arrange()
            self.post_message(self.Changed())

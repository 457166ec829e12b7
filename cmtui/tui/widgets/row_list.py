"""A list that paints only what is visible: 100,000 rows cost what ten do (tui.md 2.3).

Rows are read by index from a sequence, so the data stay where they are. Every row takes the same number of
lines: one for its columns, and possibly more for text such as a snippet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from cmtui.tui.actions import LISTS, bindings
from cmtui.tui.cells import fit

#: Cells left of every row: one blank or the cursor, one blank.
GUTTER = 2


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, its width in cells (0 takes what is left over), and where its text stands.

    ``above`` is the width of the list in cells below which the column is left out.
    """

    title: str
    width: int = 0
    align: str = "left"
    above: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a text per column, further lines below them, and a component class for its style.

    ``marked`` rows are those a group action would act on: a bar stands before them.
    """

    cells: Sequence[str]
    lines: Sequence[str] = ()
    style: str = ""
    marked: bool = False


class RowList(ScrollView, can_focus=True):
    """The list. Set ``columns``, then ``show(rows)``; it posts Highlighted and Selected."""

    DEFAULT_CSS = """
    RowList {
        height: 1fr; border: solid $panel-lighten-2; background: $background; color: $foreground;
        border-title-color: $foreground-muted; border-subtitle-color: $foreground-muted;
        scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; overflow-x: hidden;
        &:focus { border: heavy $primary; border-title-color: $foreground; }
        & > .row-list--header { color: $foreground-muted; text-style: italic; }
        & > .row-list--cursor { background: $panel; text-style: bold; }
        & > .row-list--dim { color: $foreground-muted; }
        & > .row-list--good { color: $success; }
        & > .row-list--bad { color: $error; }
        & > .row-list--warn { color: $warning; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row-list--header",
        "row-list--cursor",
        "row-list--dim",
        "row-list--good",
        "row-list--bad",
        "row-list--warn",
    }
    BINDINGS: ClassVar[list[BindingType]] = bindings(LISTS)

    cursor: reactive[int] = reactive(0)

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another row, or on other rows than before."""

        list: RowList
        index: int

        @property
        def control(self) -> RowList:
            """The list that sent it."""
            return self.list

    @dataclass
    class Selected(Message):
        """A row was chosen with a double click (enter belongs to the screens' own actions)."""

        list: RowList
        index: int

        @property
        def control(self) -> RowList:
            """The list that sent it."""
            return self.list

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        title: str = "",
        row_height: int = 1,
        position: str = "row ",
        empty: str = "",
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.columns = tuple(columns)
        self.heading = 1 if any(column.title for column in columns) else 0
        self.row_height = row_height
        self.position = position
        self.empty = empty
        self.rows: Sequence[Row] = ()
        self.border_title = title

    def show(self, rows: Sequence[Row], *, cursor: int | None = None) -> None:
        """Show ``rows``; the cursor goes to ``cursor``, or stays as near as the rows allow."""
        self.rows = rows
        target = self.cursor if cursor is None else cursor
        target = max(0, min(target, len(rows) - 1))
        self._measure()
        self._subtitle(target)
        if target != self.cursor:
            self.cursor = target
        else:
            self._follow()
            self.post_message(self.Highlighted(self, target))
        self.refresh()

    def touch(self, rows: Sequence[Row]) -> None:
        """Show changed rows without moving the cursor or saying that it moved."""
        self.rows = rows
        self._measure()
        self._subtitle(self.cursor)
        self.refresh()

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    # -- moving ---------------------------------------------------------------------------------------

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, len(self.rows) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Repaint, scroll the row into view and tell."""
        if old != new:
            self._follow()
            self._subtitle(new)
            self.refresh()
            self.post_message(self.Highlighted(self, new))

    def action_move(self, by: int) -> None:
        """Move the cursor by rows."""
        self.cursor += by

    def action_down(self) -> None:
        """The next row."""
        self.cursor += 1

    def action_up(self) -> None:
        """The row before."""
        self.cursor -= 1

    def action_page_down(self) -> None:
        """A page on."""
        self.action_page(1)

    def action_page_up(self) -> None:
        """A page back."""
        self.action_page(-1)

    def action_first(self) -> None:
        """The first row."""
        self.action_edge(0)

    def action_last(self) -> None:
        """The last row."""
        self.action_edge(1)

    def action_page(self, by: int) -> None:
        """Move the cursor by what fits on the screen."""
        self.cursor += by * max(1, self._page() - 1)

    def action_edge(self, last: int) -> None:
        """Go to the first or the last row."""
        self.cursor = len(self.rows) - 1 if last else 0

    def _page(self) -> int:
        return max(1, (self.scrollable_content_region.height - self.heading) // self.row_height)

    def _follow(self) -> None:
        if self.rows and self.is_mounted:
            height = max(1, self.scrollable_content_region.height - self.heading)
            top = self.cursor * self.row_height
            low, high = self.scroll_offset.y, self.scroll_offset.y + height
            if top < low:
                self.scroll_to(y=top, animate=False, force=True)
            elif top + self.row_height > high:
                self.scroll_to(y=top + self.row_height - height, animate=False, force=True)

    def _measure(self) -> None:
        self.virtual_size = Size(
            self.scrollable_content_region.width, len(self.rows) * self.row_height + self.heading
        )

    def _subtitle(self, cursor: int) -> None:
        count = len(self.rows)
        self.border_subtitle = f"{self.position}{cursor + 1}/{count}" if count else ""

    def on_resize(self) -> None:
        """Keep the cursor in view at every size."""
        self._measure()
        self._follow()

    async def on_click(self, event: events.Click) -> None:
        """A click puts the cursor on a row; a double click chooses it."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y < self.heading:
            return
        index = (offset.y - self.heading + self.scroll_offset.y) // self.row_height
        if 0 <= index < len(self.rows):
            self.cursor = index
            if event.chain == 2:
                self.post_message(self.Selected(self, index))

    # -- painting --------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """The heading, or one line of one row."""
        width = self.scrollable_content_region.width
        base = self.rich_style
        if y < self.heading:
            text = " " * GUTTER + self._line([column.title for column in self.columns], width - GUTTER)
            return self._strip(text, base + self.get_component_rich_style("row-list--header"), width)
        index, line = divmod(y - self.heading + self.scroll_offset.y, self.row_height)
        if index >= len(self.rows):
            lines = self.empty.split("\n") if not self.rows else []
            at = y - self.heading - 1
            shown = lines[at] if 0 <= at < len(lines) else ""
            return self._strip(
                "  " + fit(shown, max(0, width - 2)),
                base + self.get_component_rich_style("row-list--dim"),
                width,
            )
        row = self.rows[index]
        style = base
        if row.style:
            style += self.get_component_rich_style(f"row-list--{row.style}", partial=True)
        if line:
            text = "  " + (row.lines[line - 1] if line <= len(row.lines) else "")
            text = fit(text, width - GUTTER)
            style += self.get_component_rich_style("row-list--dim", partial=True)
        else:
            text = self._line(row.cells, width - GUTTER)
        here = index == self.cursor
        if here:
            style += self.get_component_rich_style("row-list--cursor", partial=True)
        return self._strip(
            ("▌" if here and not line else " ") + ("┃" if row.marked else " ") + text, style, width
        )

    def _line(self, cells: Sequence[str], width: int) -> str:
        shown = [column for column in self.columns if width + GUTTER >= column.above]
        fixed = sum(column.width + 1 for column in shown if column.width)
        flexible = sum(1 for column in shown if not column.width)
        spare = max(0, width - fixed)
        share, rest = divmod(spare, flexible) if flexible else (0, 0)
        parts = []
        for column, cell in zip(self.columns, cells, strict=False):
            if width + GUTTER < column.above:
                continue
            size = column.width
            if not size:
                size = max(0, share + (1 if rest > 0 else 0) - 1)
                rest -= 1
            parts.append(fit(cell, size, align=column.align) + " ")
        return "".join(parts)

    def _strip(self, text: str, style: Style, width: int) -> Strip:
        return Strip([Segment(text, style)]).adjust_cell_length(max(0, width), style)

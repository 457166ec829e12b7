"""A view of canonical text that stays exact: offsets on the screen are offsets in the store.

Rows are offsets (cmtui.tui.wrap); a line is cut out of the text when it is painted. The text is never
normalised, so a mouse selection gives the exact span and the exact characters, without wrap breaks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from cmtui.model.selectors import Span
from cmtui.tui.cells import clusters, fit, shown
from cmtui.tui.wrap import Mark, rewrap, row_of, wrap

#: Glyphs that carry the meaning where colour does not.
VERIFIED, MATCH = ("⟦", "⟧"), ("⟪", "⟫")

#: The bar left of the current passage.
BAR = "▌"

#: Gives the label of the passage that begins at an offset in ``[start, end)``, or an empty text.
Labels = Callable[[int, int], str]


def verified(span: Span) -> Mark:
    """The mark of a verified span."""
    return Mark(span, *VERIFIED, "verified")


def match(span: Span) -> Mark:
    """The mark of a search match."""
    return Mark(span, *MATCH, "match")


class SourceView(ScrollView, can_focus=True):
    """Canonical text with marks, a current passage, a label column and exact selection."""

    ALLOW_SELECT = False  # Its own selection knows offsets; the screen's knows only cells.

    DEFAULT_CSS = """
    SourceView {
        height: 1fr; border: solid $panel-lighten-2; background: $background; color: $foreground;
        border-title-color: $foreground-muted; border-subtitle-color: $foreground-muted;
        scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; overflow-x: hidden;
        &:focus { border: heavy $primary; border-title-color: $foreground; }
        & > .source--label { color: $foreground-muted; }
        & > .source--bar { color: $accent; }
        & > .source--current { color: $foreground; }
        & > .source--verified { color: $success; text-style: bold; }
        & > .source--match { color: $accent; text-style: bold; }
        & > .source--selection { text-style: reverse; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "source--label",
        "source--bar",
        "source--current",
        "source--verified",
        "source--match",
        "source--selection",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll_by(1)", "down", show=False, id="text.down"),
        Binding("up,k", "scroll_by(-1)", "up", show=False, id="text.up"),
        Binding("pagedown", "scroll_page(1)", "page down", show=False, id="text.page_down"),
        Binding("pageup", "scroll_page(-1)", "page up", show=False, id="text.page_up"),
        Binding("home", "scroll_edge(0)", "beginning", show=False, id="text.first"),
        Binding("end", "scroll_edge(1)", "end", show=False, id="text.last"),
    ]

    @dataclass
    class SelectionChanged(Message):
        """The person selected other text; None when nothing is selected."""

        view: SourceView
        span: Span | None

        @property
        def control(self) -> SourceView:
            """The view that sent it."""
            return self.view

    @dataclass
    class SelectionMade(Message):
        """The mouse button was let go on a selection."""

        view: SourceView
        span: Span

        @property
        def control(self) -> SourceView:
            """The view that sent it."""
            return self.view

    def __init__(self, *, title: str = "", label_width: int = 0, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.border_title = title
        self.label_width = label_width
        self.text = ""
        self.window = Span(0, 0)
        self.rows: list[int] = [0]
        self.marks: tuple[Mark, ...] = ()
        self.current: Span | None = None
        self.selection: Span | None = None
        self.labels: Labels | None = None
        self._columns = 0
        self._target: int | None = None
        self._anchor: int | None = None

    # -- what is shown -----------------------------------------------------------------------------------

    def show(
        self,
        text: str,
        *,
        window: Span | None = None,
        marks: Sequence[Mark] = (),
        current: Span | None = None,
        labels: Labels | None = None,
        at: int | None = None,
    ) -> None:
        """Show ``text`` (or the ``window`` of it), with the row of offset ``at`` a third down."""
        self.text = text
        self.window = window or Span(0, len(text))
        self.marks = tuple(marks)
        self.current = current
        self.labels = labels
        self.selection = None
        self._columns = 0
        self._layout_rows()
        self._target = at
        self._settle()

    def set_marks(self, marks: Sequence[Mark], *, current: Span | None = None) -> None:
        """Replace the marks; only the paragraphs that they touch are wrapped again."""
        touched = [mark.span for mark in (*self.marks, *marks)]
        self.marks, self.current = tuple(marks), current
        if self._columns:
            rewrap(self.text, self.rows, self.window.end, self._columns, self.marks, touched)
            self.virtual_size = Size(self.scrollable_content_region.width, len(self.rows))
        self.refresh()

    def goto(self, span: Span) -> None:
        """Put the row of ``span``'s start a third down the view."""
        self._target = span.start
        self._settle()

    def row_text(self, row: int) -> str:
        """The exact text of a visual row."""
        start, end = self._bounds(row)
        return self.text[start:end]

    @property
    def selected_text(self) -> str:
        """The exact text of the selection; empty without one."""
        return self.text[self.selection.start : self.selection.end] if self.selection else ""

    @property
    def first_offset(self) -> int:
        """The offset of the first visible row."""
        return self._bounds(self.scroll_offset.y)[0]

    def _bounds(self, row: int) -> tuple[int, int]:
        row = max(0, min(row, len(self.rows) - 1))
        end = self.rows[row + 1] if row + 1 < len(self.rows) else self.window.end
        return self.rows[row], end

    @property
    def _margin(self) -> int:
        return self.label_width + 1

    def _layout_rows(self) -> None:
        # One column is kept free for the scroll bar, so that its coming does not wrap the text again.
        columns = max(1, self.content_region.width - self._margin - 2)
        if self.content_region.width and columns != self._columns:
            self._columns = columns
            self.rows = wrap(self.text, self.window.start, self.window.end, columns, self.marks)
        self.virtual_size = Size(self.scrollable_content_region.width, len(self.rows))
        self._position()
        self.refresh()

    def _settle(self) -> None:
        if not self._columns:
            return  # No size yet: on_resize brings the target into view.
        target = self.window.start if self._target is None else self._target
        height = self.scrollable_content_region.height
        top = row_of(self.rows, target) - max(0, height // 3)
        if self._target is None:
            top = 0
        self.scroll_to(y=max(0, top), animate=False, force=True, immediate=True)
        self._position()
        self.refresh()

    def on_resize(self) -> None:
        """Wrap to the new width and stay at the same text."""
        had = self._columns
        anchor = self._target if not had else self.first_offset
        self._layout_rows()
        if self._columns != had:
            if had and self._target is None:
                self.scroll_to(y=row_of(self.rows, anchor or 0), animate=False, force=True, immediate=True)
            else:
                self._settle()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Keep the percentage in the border right."""
        super().watch_scroll_y(old_value, new_value)
        self._position()

    def _position(self) -> None:
        if not self.text:
            self.border_subtitle = ""
            return
        last = self._bounds(self.scroll_offset.y + self.scrollable_content_region.height - 1)[1]
        self.border_subtitle = f"{100 * last // max(1, len(self.text))} %"

    # -- scrolling ---------------------------------------------------------------------------------------

    def action_scroll_by(self, rows: int) -> None:
        """Scroll by rows."""
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False, force=True)

    def action_scroll_page(self, by: int) -> None:
        """Scroll by what fits, keeping one row."""
        self.action_scroll_by(by * max(1, self.scrollable_content_region.height - 1))

    def action_scroll_edge(self, last: int) -> None:
        """Go to the beginning or the end."""
        self.scroll_to(y=len(self.rows) if last else 0, animate=False, force=True)

    # -- selecting ---------------------------------------------------------------------------------------

    def offset_at(self, x: int, y: int) -> int:
        """The offset of the character in content cell (x, y); past the end of a row, its end."""
        row = max(0, min(y + self.scroll_offset.y, len(self.rows) - 1))
        column = self._margin
        for piece, start, _ in self._pieces(row):
            if start < 0:
                column += 1
                continue
            for at, _, size in clusters(self.text, start, start + len(piece)):
                if column + max(1, size) > x:
                    return at
                column += size
        start, end = self._bounds(row)
        return end - 1 if end > start and self.text[end - 1] == "\n" else end

    def select(self, span: Span | None) -> None:
        """Select ``span`` (None: nothing)."""
        if span is not None and not len(span):
            span = None
        if span != self.selection:
            self.selection = span
            self.refresh()
            self.post_message(self.SelectionChanged(self, span))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a selection."""
        offset = event.get_content_offset(self)
        if offset is not None and event.button == 1:
            self._anchor = self.offset_at(offset.x, offset.y)
            self.select(None)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the selection to the character under the pointer."""
        if self._anchor is not None:
            offset = event.get_content_offset_capture(self)
            at = self.offset_at(offset.x, offset.y)
            low, high = min(self._anchor, at), max(self._anchor, at)
            whole = next((end for _, end, _ in clusters(self.text, high, self.window.end)), high)
            self.select(Span(low, whole))

    def on_mouse_up(self, _: events.MouseUp) -> None:
        """End the selection."""
        if self._anchor is not None and self.selection is not None:
            self.post_message(self.SelectionMade(self, self.selection))
        self._anchor = None
        self.release_mouse()

    # -- painting ----------------------------------------------------------------------------------------

    def _pieces(self, row: int) -> list[tuple[str, int, str]]:
        """The row as (text, its offset, style name); glyphs of marks have the offset -1."""
        start, end = self._bounds(row)
        stop = start + len(self.text[start:end].rstrip("\n").rstrip(" "))
        touching = [mark for mark in self.marks if mark.span.start < end and start < mark.span.end]
        if not touching:
            return [(self.text[start:stop], start, "")]
        cuts = {start, stop}
        for mark in touching:
            cuts.update(edge for edge in (mark.span.start, mark.span.end) if start < edge < stop)
        points = sorted(cuts)
        pieces: list[tuple[str, int, str]] = []
        for at, point in enumerate(points):
            if at:
                pieces.extend(
                    (mark.closing, -1, mark.style)
                    for mark in reversed(touching)
                    if mark.span.start < point
                    and (mark.span.end == point or (point == stop and mark.span.end > stop))
                )
            if at + 1 < len(points):
                active = [mark for mark in touching if mark.span.start <= point < mark.span.end]
                pieces.extend(
                    (mark.opening, -1, mark.style)
                    for mark in active
                    if mark.span.start == point or point == start
                )
                style = active[-1].style if active else ""
                pieces.append((self.text[point : points[at + 1]], point, style))
        return pieces

    def render_line(self, y: int) -> Strip:
        """One visual row: label, bar, text."""
        width = self.scrollable_content_region.width
        base = self.rich_style
        row = y + self.scroll_offset.y
        if row >= len(self.rows) or not self.text:
            return Strip.blank(width, base)
        start, end = self._bounds(row)
        label = self.labels(start, end) if self.labels and self.label_width else ""
        segments = []
        if self.label_width:
            segments.append(Segment(fit(label, self.label_width), base + self._style("label")))
        here = self.current is not None and self.current.start < end and start < self.current.end
        segments.append(Segment(BAR if here else " ", base + self._style("bar")))
        plain = base + self._style("current") if here else base
        for text, offset, name in self._pieces(row):
            style = plain + self._style(name) if name else plain
            segments.extend(self._selected(text, offset, style))
        return Strip(segments).adjust_cell_length(max(0, width), base)

    def _selected(self, text: str, offset: int, style: Style) -> list[Segment]:
        """The piece as segments, the selected part of it reversed."""
        span = self.selection
        if span is None or offset < 0 or span.end <= offset or offset + len(text) <= span.start:
            return [Segment(shown(text), style)]
        low, high = max(0, span.start - offset), min(len(text), span.end - offset)
        chosen = style + self._style("selection")
        parts = ((text[:low], style), (text[low:high], chosen), (text[high:], style))
        return [Segment(shown(part), look) for part, look in parts if part]

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"source--{name}", partial=True)


def labels_of(starts: Sequence[int], label: Callable[[int], str]) -> Labels:
    """Labels for the rows in which a passage begins; ``starts`` is sorted, ``label`` takes its index."""

    def at(start: int, end: int) -> str:
        index = bisect_left(starts, start)
        return label(index) if index < len(starts) and starts[index] < end else ""

    return at

"""Changing the span of a finding: its edges move by characters, words and sentences, or the mouse selects.

The span never leaves its passage. ``enter`` verifies it; only then there is new evidence, and the old stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from cmtui.engine.review_span import Edge, Unit, bounds_of, move
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument
from cmtui.tui.actions import bindings
from cmtui.tui.labels import plural
from cmtui.tui.review_data import FindingRow
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.widgets.source_view import Labels, SourceView, verified
from cmtui.tui.workers import Call

#: Passages shown on each side.
AROUND = 2


class AdjustScreen(BaseScreen):
    """The passage with the span in it, and the new quote below."""

    scope = "adjust"
    BINDINGS: ClassVar[list[BindingType]] = bindings("adjust")
    CSS = """
    AdjustScreen #text { height: 1fr; border: heavy $primary; }
    AdjustScreen #made { height: auto; max-height: 9; }
    AdjustScreen #quote { height: auto; color: $foreground; }
    """

    def __init__(self, row: FindingRow, begin: Span, keep: Callable[[Span], None]) -> None:
        super().__init__()
        self.row, self.keep = row, keep
        self.span = begin
        self.edge = Edge.END
        self.bounds = begin
        self.document: CanonicalDocument | None = None

    def body(self) -> Iterable[Widget]:
        """The text and the new quote."""
        view = SourceView(label_width=8, id="text")
        view.can_focus = False  # the keys move edges, they do not scroll
        yield view
        with Vertical(classes="pane", id="made") as made:
            made.border_title = "New quote"
            yield Static("", id="quote", markup=False)

    @property
    def view(self) -> SourceView:
        """The text."""
        return self.query_one(SourceView)

    def on_mount(self) -> None:
        """Read the document."""
        finding = self.row.finding

        def work(_: Call) -> tuple[CanonicalDocument, Span, Labels]:
            document = self.reader.document(finding.document_id)
            window = self.reader.window(finding.document_id, finding.span, AROUND)
            return document, window, self.reader.labels(finding.document_id)

        self.ask("open", work, self._opened)

    def _opened(self, opened: tuple[CanonicalDocument, Span, Labels]) -> None:
        self.document, window, labels = opened
        self.bounds = bounds_of(self.document, self.row.finding.span)
        self.span = self._inside(self.span)
        marks, at = [verified(self.span)], self.span.start
        self.view.show(
            self.document.text, window=window, marks=marks, current=self.bounds, labels=labels, at=at
        )
        self._paint()

    def _inside(self, span: Span) -> Span:
        start, end = max(span.start, self.bounds.start), min(span.end, self.bounds.end)
        return Span(start, end) if start < end else self.row.finding.span

    def _paint(self) -> None:
        if self.document is None:
            return
        self.view.set_marks([verified(self.span)], current=self.bounds)
        self.view.border_title = f"{self.row.name} · the {self.edge} moves (tab: the other)"
        quote = self.document.slice(self.span)
        same = self.span == self.row.finding.span
        self.query_one("#quote", Static).update(quote)
        made = self.query_one("#made")
        made.border_subtitle = f"{plural(len(quote), 'character')}" + (" · as it was" if same else "")
        self.context(f"chars {self.span.start:,}–{self.span.end:,}")
        self.refresh_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keeping needs another span."""
        del parameters
        if action in ("keep", "reset"):
            return self.document is not None and self.span != self.row.finding.span
        return True

    def _move(self, unit: Unit, by: int) -> None:
        if self.document is not None:
            before = self.span
            self.span = move(self.document.text, self.bounds, self.span, self.edge, unit, by)
            if self.span == before:
                self.say("Here the passage ends; evidence stays inside it.")
            self._paint()

    def action_word_on(self) -> None:
        """The edge a word on."""
        self._move(Unit.WORD, 1)

    def action_word_back(self) -> None:
        """The edge a word back."""
        self._move(Unit.WORD, -1)

    def action_character_on(self) -> None:
        """The edge a character on."""
        self._move(Unit.CHARACTER, 1)

    def action_character_back(self) -> None:
        """The edge a character back."""
        self._move(Unit.CHARACTER, -1)

    def action_sentence_on(self) -> None:
        """The edge a sentence on."""
        self._move(Unit.SENTENCE, 1)

    def action_sentence_back(self) -> None:
        """The edge a sentence back."""
        self._move(Unit.SENTENCE, -1)

    def action_edge(self) -> None:
        """Move the other edge."""
        self.edge = Edge.START if self.edge is Edge.END else Edge.END
        self._paint()

    def action_passage(self) -> None:
        """The whole passage, without the blanks at its ends."""
        if self.document is not None:
            text = self.document.slice(self.bounds)
            start = self.bounds.start + len(text) - len(text.lstrip())
            end = self.bounds.end - (len(text) - len(text.rstrip()))
            self.span = self._inside(Span(start, end))
            self._paint()

    def action_reset(self) -> None:
        """The span as it was."""
        self.span = self.row.finding.span
        self._paint()

    @on(SourceView.SelectionMade)
    def _selected(self, event: SourceView.SelectionMade) -> None:
        chosen = self._inside(event.span)
        self.view.select(None)
        if chosen == self.row.finding.span and not self.bounds.contains(event.span):
            self.say("Select inside the passage with the bar; evidence stays inside it.", "bad")
            return
        if not self.bounds.contains(event.span):
            self.say("Cut at the end of the passage; evidence stays inside it.")
        self.span = chosen
        self._paint()

    def action_keep(self) -> None:
        """Verify the span and keep it as evidence of its own."""
        if self.document is not None and self.span != self.row.finding.span:
            self.dismiss()
            self.keep(self.span)

    def action_close(self) -> None:
        """Back; nothing changes."""
        self.dismiss()

"""A source full screen: its canonical text, searched and quoted exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Label

from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument
from cmtui.tui.actions import bindings
from cmtui.tui.labels import every_place, plural
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import PromptScreen
from cmtui.tui.widgets.source_view import Labels, SourceView, match, verified
from cmtui.tui.workers import Call
from cmtui.tui.wrap import row_of

#: Matches shown at once; a text with more is searched further from the last one.
MOST_MATCHES = 2000


@dataclass(frozen=True)
class Opened:
    """A document ready to be shown."""

    document: CanonicalDocument
    name: str
    labels: Labels


class SourceScreen(BaseScreen):
    """The text with the verified spans, and the matches of a search in it."""

    scope = "source"
    BINDINGS: ClassVar[list[BindingType]] = bindings("source")

    def __init__(self, document_id: str, *, at: Span | None = None, spans: Iterable[Span] = ()) -> None:
        super().__init__()
        self.document_id = document_id
        self.at = at
        self.spans = tuple(spans)
        self.document: CanonicalDocument | None = None
        self.matches: tuple[Span, ...] = ()
        self.needle = ""

    def body(self) -> Iterable[Widget]:
        """The text and one line that says where it stands."""
        yield SourceView(label_width=9, id="source")
        with Horizontal(classes="line"):
            yield Label("", id="where", markup=False)

    @property
    def view(self) -> SourceView:
        """The text."""
        return self.query_one(SourceView)

    def on_mount(self) -> None:
        """Read the document."""
        self.view.focus()

        def work(_: Call) -> Opened:
            document = self.reader.document(self.document_id)
            name = self.reader.name(self.document_id)
            return Opened(document, name, self.reader.labels(self.document_id))

        self.ask("open", work, self._opened)

    def _opened(self, opened: Opened) -> None:
        self.document = opened.document
        view = self.view
        view.border_title = opened.name
        at = self.at.start if self.at is not None else None
        marks = [verified(span) for span in self.spans]
        view.show(
            opened.document.text, marks=marks, current=self._passage(self.at), labels=opened.labels, at=at
        )
        count = len(opened.document.text)
        self.context(f"{plural(count, 'character')} · {plural(len(opened.document.passages), 'passage')}")
        self._where(self.at or Span(0, 0))
        self.refresh_keys()

    def _passage(self, span: Span | None) -> Span | None:
        if span is None or self.document is None:
            return None
        passage = self.document.passage_at(span.start)
        return passage.span if passage is not None else span

    def _where(self, span: Span) -> None:
        if self.document is None:
            return
        total = len(self.document.text)
        text = f" chars {span.start:,}–{span.end:,} of {total:,}   "
        self.query_one("#where", Label).update(text + every_place(self.document.locate(span)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Going from match to match needs matches or verified spans."""
        del parameters
        if action in ("next_match", "previous_match"):
            return bool(self.matches or self.spans)
        if action == "original":
            return self.document is not None
        if action == "quote":
            return self.document is not None and (self.view.selection is not None or self.at is not None)
        return True

    def action_find(self) -> None:
        """Ask for a text and go to its next place."""
        self.app.push_screen(PromptScreen("Find in this source", self.needle), self._find)

    def _find(self, needle: str | None) -> None:
        if needle is None or self.document is None:
            return
        self.needle = needle
        text = self.document.text
        found = []
        if needle:
            for hit in re.finditer(re.escape(needle), text, re.IGNORECASE):
                found.append(Span(*hit.span()))
                if len(found) >= MOST_MATCHES:
                    break
        self.matches = tuple(found)
        self._mark()
        if found:
            self.say(plural(len(found), "match").replace("matchs", "matches"))
            self._step(forward=True, here=True)
        elif needle:
            self.say(f"“{needle}” does not stand in this source.", "bad")
        self.refresh_keys()

    def _mark(self) -> None:
        marks = [*(verified(span) for span in self.spans), *(match(span) for span in self.matches)]
        self.view.set_marks(marks, current=self._passage(self.at))

    def _step(self, *, forward: bool, here: bool = False) -> None:
        spans = sorted(self.matches or self.spans)
        if not spans:
            return
        now = self.at.start if self.at is not None else self.view.first_offset
        if forward:
            after = [span for span in spans if span.start > now or (here and span.start == now)]
            target = after[0] if after else None
        else:
            before = [span for span in spans if span.start < now]
            target = before[-1] if before else None
        if target is None:
            self.say("This was the last match." if forward else "This was the first match.")
            return
        self.at = target
        self._mark()
        self.view.goto(target)
        self._where(target)
        self.refresh_keys()

    def action_next_match(self) -> None:
        """Go on."""
        self._step(forward=True)

    def action_previous_match(self) -> None:
        """Go back."""
        self._step(forward=False)

    @on(SourceView.SelectionChanged)
    def _selection(self, event: SourceView.SelectionChanged) -> None:
        if event.span is not None:
            self._where(event.span)
        self.refresh_keys()

    def action_quote(self) -> None:
        """Verify the selection (or the passage) and copy its exact characters."""
        span = self.view.selection or self._passage(self.at)
        if span is None:
            return

        def then(text: str) -> None:
            self.cmtui.copy(text, "quote (verified)")

        self.ask("quote", lambda _: self.machine.quote_span(self.document_id, span).text, then)

    def action_original(self) -> None:
        """Show the file itself, at the page of the selection, of the match in view, or of the first row."""
        if self.document is None:
            return
        view = self.view
        at = view.selection
        if at is None and self.at is not None:
            row = row_of(view.rows, self.at.start) - view.scroll_offset.y
            at = self.at if 0 <= row < view.scrollable_content_region.height else None
        if at is None:
            at = Span(view.first_offset, view.first_offset)
        self.cmtui.open_original(self.document_id, self.document.locate(at).page)

    def action_close(self) -> None:
        """Back."""
        self.dismiss()

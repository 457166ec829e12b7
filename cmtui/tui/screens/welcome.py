"""The first screen of an empty store: what can be done here, instead of an empty table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from cmtui.model.ingest import IngestReport
from cmtui.tui.actions import bindings
from cmtui.tui.demo import prepare
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import PromptScreen
from cmtui.tui.screens.paths import PathSuggester, split_paths

TEXT = """\
Citation Machine finds, verifies, reviews and cites exact evidence
in your own sources. This store is empty.

  s   Try the sample corpus: a few small files and prepared claims
  a   Add a file or folder of your own (PDF, EPUB, Markdown, text)
  S   Open another store
  ?   Every key        q   Quit

This store:      {path}"""


class WelcomeScreen(BaseScreen):
    """A short text and two keys."""

    scope = "welcome"
    BINDINGS: ClassVar[list[BindingType]] = bindings("welcome")
    CSS = """
    WelcomeScreen { align: center middle; }
    WelcomeScreen #box {
        width: 72; max-width: 100%; height: auto; border: heavy $primary; padding: 1 2;
        border-title-color: $foreground;
    }
    """

    def body(self) -> Iterable[Widget]:
        """The text in a box."""
        with Vertical(id="box") as box:
            box.border_title = "Welcome"
            yield Static(TEXT.format(path=self.cmtui.store_path), markup=False)

    def action_sample(self) -> None:
        """Ingest the sample corpus and go to its first prepared claim."""

        def then(claim_id: str | None) -> None:
            self.cmtui.working("")
            self.dismiss()
            if claim_id is not None:
                self.app.call_later(self.cmtui.open_review, claim_id)

        self.say("⟳ preparing the sample corpus…")
        self.ask("sample", lambda call: prepare(self.machine, call.progress, call.cancelled), then)

    def action_add(self) -> None:
        """Ask for a path and ingest it."""
        prompt = PromptScreen(
            "Add a file or folder",
            hint="tab: complete   enter: ingest   esc: leave",
            suggester=PathSuggester(),
        )
        self.app.push_screen(prompt, self._add)

    def _add(self, text: str | None) -> None:
        paths = split_paths(text or "")

        def then(report: IngestReport) -> None:
            if report.documents and self.is_current:
                self.dismiss()

        if paths:
            self.cmtui.ingest(paths, then)

    def action_stores(self) -> None:
        """Open another store."""
        from cmtui.tui.stores import ask_for_store

        ask_for_store(self.cmtui)

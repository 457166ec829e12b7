"""Evidence review: claims, their findings, the source around each, and its citation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Label, Static

from cmtui.model.claim import CAVEAT, Claim
from cmtui.model.progress import Progress
from cmtui.tui import review_data
from cmtui.tui.actions import bindings
from cmtui.tui.labels import DECISION, bar, evaluated
from cmtui.tui.review_data import FindingRow, Known, ReviewData
from cmtui.tui.reviewing import place
from cmtui.tui.reviewing.moving import Moving
from cmtui.tui.screens.dialogs import PromptScreen
from cmtui.tui.widgets.row_list import Column, Row, RowList
from cmtui.tui.widgets.source_view import SourceView
from cmtui.tui.workers import Call

#: Actions that need a finding under the cursor, and those that need one with a verified span.
NEEDS_FINDING = frozenset(
    {"source", "widen", "narrow", "details", "copy", "edit", "accept", "reject", "skip", "range"}
)
NEEDS_EVIDENCE = frozenset({"note", "tag", "relation", "adjust"})
NEEDS_CLAIM = frozenset(
    {"next_claim", "previous_claim", "evaluate", "filter", "find", "previous_undecided", "sum"}
)


class ReviewScreen(Moving):
    """Focus stays on the findings; context and citation follow the cursor."""

    scope = "review"
    mode = "review"
    panes = ("#left", "#right")
    slides_below = 76  # above it the finding and its context still stand side by side, which reviewing needs
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("review"),
        *(
            Binding(str(n), f"reason({n})", "reason of the rejection", show=False, id=f"review.reason_{n}")
            for n in range(1, 10)
        ),
    ]
    CSS = """
    ReviewScreen #left { width: 36; }
    ReviewScreen #right { width: 1fr; }
    ReviewScreen #claims { height: 8; }
    ReviewScreen #claim { width: 1fr; }
    ReviewScreen #backend { padding: 0 1; }
    ReviewScreen #context { height: 1fr; }
    ReviewScreen #context:focus-within { border: heavy $primary; border-title-color: $foreground; }
    ReviewScreen #text, ReviewScreen #text:focus { border: none; }
    ReviewScreen #head { height: auto; max-height: 7; }
    ReviewScreen #notes { height: auto; max-height: 5; }
    ReviewScreen #head { color: $foreground; }
    ReviewScreen #notes { color: $foreground-muted; }
    ReviewScreen #citation { height: 7; }
    ReviewScreen #caveat { width: 1fr; height: auto; color: $foreground-muted; padding: 0 1; }
    ReviewScreen.-narrow #left { width: 32; }
    ReviewScreen.-narrow #claims { height: 6; }
    ReviewScreen.-narrow #citation { height: 5; }
    ReviewScreen.-short #citation { display: none; }
    ReviewScreen.-short #claims { height: 4; }
    ReviewScreen.-short #caveat { height: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.known: Known = {}
        self.wanted = ""
        self.placed = False

    def body(self) -> Iterable[Widget]:
        """Claim line, four panes, and the caveat that belongs to every relation."""
        with Horizontal(classes="line"):
            yield Label("", id="claim", markup=False)
            yield Label("", id="backend", markup=False)
        with Horizontal(id="panes"):
            with Vertical(id="left"):
                yield RowList(
                    [Column("", 2), Column(""), Column("", 5, "right")],
                    title="Claims",
                    position="",
                    empty="No claim yet.\nc  states one",
                    id="claims",
                )
                yield RowList(
                    [
                        Column("Rel", 3),
                        Column("Conf", 4),
                        Column("Source"),
                        Column("Where", 7),
                        Column("D", 1),
                    ],
                    title="Findings",
                    position="",
                    id="findings",
                )
            with Vertical(id="right"):
                with Vertical(classes="pane", id="context") as context:
                    context.border_title = "Source context"
                    yield Static("", id="head", markup=False)
                    yield SourceView(label_width=8, id="text")
                    yield Static("", id="notes", markup=False)
                with Vertical(classes="pane", id="citation") as citation:
                    citation.border_title = "Citation preview"
                    citation.border_subtitle = "y c copy"
                    yield Static("", id="cited", markup=False)
        yield Label(CAVEAT, id="caveat", markup=False)

    def on_mount(self) -> None:
        """Keys go to the findings."""
        self.findings.focus()
        self.wanted = self.wanted or self.cmtui.first_claim or ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What applies depends on the finding under the cursor."""
        if action == "reason":
            reasons = self.cmtui.settings.review.reject_reasons
            number = parameters[0] if parameters else 0
            return bool(self.reasons_for) and isinstance(number, int) and number <= len(reasons)
        if action == "unmark":
            return bool(self.range_from)
        if action == "newer":
            return self.here is not None and self.here.decidable and self.here.superseded
        if action in NEEDS_FINDING:
            return self.here is not None
        if action in NEEDS_EVIDENCE:
            return self.here is not None and self.here.decidable
        if action in NEEDS_CLAIM:
            return self.view is not None
        return True

    # -- the store ----------------------------------------------------------------------------------

    def choose(self, claim_id: str) -> None:
        """Show this claim as soon as it is read."""
        self.wanted = claim_id
        self.reload()

    def reload(self) -> None:
        """Read claims and decisions again."""

        first, store = not self.placed, self.cmtui.store_path

        def work(_: Call) -> ReviewData:
            if first and not self.wanted:
                self.wanted_key = place.recall(store, self.cmtui.session.reviewer)
            return review_data.load(self.machine, self.cmtui.session, self.reader, self.known)

        self.ask("review", work, self._loaded)

    def _loaded(self, data: ReviewData) -> None:
        before = self.view.claim.claim_id if self.view is not None else ""
        key = self.here.key if self.here is not None else ""
        if data.state.events < self.findings_data.state.events:
            # A decision was written while this was being read: the newer log counts.
            data = data.with_state(self.findings_data.state)
        self.findings_data = data
        self.placed = True
        ids = [view.claim.claim_id for view in data.claims]
        target = self.wanted or before
        self.number = ids.index(target) if target in ids else 0
        fresh = bool(self.wanted)
        self.wanted = ""
        self.shown_for = ""
        self.repaint(cursor=None if fresh else key)
        if fresh:
            self.findings.cursor = 0
        found = data.find(self.wanted_key) if self.wanted_key else None
        if found is not None:
            self.go(found[0], self.wanted_key)
            self.wanted_key = ""

    def repaint(self, *, cursor: str | None = None) -> None:
        """Show claims and findings as they are now."""
        view = self.view
        key = cursor or (self.here.key if self.here is not None else "")
        claims = self.findings_data.claims
        self.claims.show([each.row(n) for n, each in enumerate(claims, 1)], cursor=self.number)
        self.rows = [row for row in view.rows if row.passes(self.filter_)] if view else []
        keys = [row.key for row in self.rows]
        self.findings.empty = self._why_empty()
        at = keys.index(key) if key in keys else min(self.findings.cursor, max(0, len(keys) - 1))
        marks = self._marks(keys, at)
        rows = [self._row(row, marked=n in marks) for n, row in enumerate(self.rows)]
        self.findings.show(rows, cursor=at)
        self.findings.border_title = f"Findings {view.decided}/{view.total}" if view else "Findings"
        if self.filter_name != "all":
            self.findings.border_title += f" · {self.filter_name}"
        if marks:
            self.findings.border_title += f" · {len(marks)} marked"
        if view is not None:
            done = bar(view.decided, view.total or 1, 6)
            share = f"{view.decided}/{view.total}"
            self.context(f"claim {self.number + 1}/{len(claims)} {done} {share}", share)
            self.query_one("#claim", Label).update(f" Claim ▏{view.claim.text}")
            run = view.claim.latest
            new = f" · {view.unseen} new: r" if view.unseen else ""
            text = f"{run.mode} · {run.backend}{new}" if run is not None else "not evaluated: r"
            self.query_one("#backend", Label).update(text)
        else:
            self.context("no claim")
        if self.here is None:
            self.clear_context()
        else:
            self.show_head(self.here)
        self.refresh_keys()

    def _marks(self, keys: list[str], at: int) -> range:
        """The numbers of the rows of the range; empty without one."""
        if self.range_from not in keys:
            self.range_from = ""
            return range(0)
        low, high = sorted((keys.index(self.range_from), at))
        return range(low, high + 1)

    def mark_rows(self) -> None:
        """Show the range as it is now that the cursor moved."""
        if self.range_from:
            marks = self._marks([row.key for row in self.rows], self.findings.cursor)
            self.findings.touch([self._row(row, marked=n in marks) for n, row in enumerate(self.rows)])
            self.findings.border_title = f"Findings · {len(marks)} marked"

    def _row(self, row: FindingRow, *, marked: bool = False) -> Row:
        made = row.row(marked=marked)
        if row.key in self.pending:
            return Row((*made.cells[:-1], DECISION[self.pending[row.key]]), style="dim", marked=marked)
        return made

    def _why_empty(self) -> str:
        view = self.view
        if view is None:
            return "c states a claim"
        if view.claim.latest is None:
            return "Not evaluated yet.\nr runs it."
        if view.rows:
            return f"None passes {self.filter_name}.\n. goes on, f changes it."
        return "No passage came near it.\nAdd sources, then r."

    # -- following the cursor -----------------------------------------------------------------------

    @on(RowList.Highlighted, "#claims")
    def _claim_highlighted(self) -> None:
        # The message may be older than the newest key, so the list itself is asked.
        index = self.claims.cursor
        if index != self.number and index < len(self.findings_data.claims):
            self.number = index
            self.repaint()
            self.findings.cursor = 0

    # -- reading ------------------------------------------------------------------------------------

    def action_source(self) -> None:
        """The source full screen at the span; from the claims, the findings first."""
        from cmtui.tui.screens.source import SourceScreen

        row = self.here
        if self.claims.has_focus:
            self.findings.focus()
        elif row is not None:
            spans = [row.finding.span] if row.decidable else []
            self.app.push_screen(SourceScreen(row.finding.document_id, at=row.finding.span, spans=spans))

    @on(RowList.Selected)
    def _selected(self) -> None:
        self.action_source()

    # -- claims and citations -----------------------------------------------------------------------

    def action_claim(self) -> None:
        """State a claim; it is evaluated at once."""

        def then(text: str | None) -> None:
            if text and text.strip():
                self.cmtui.make_claim(text.strip())

        self.app.push_screen(PromptScreen("New claim"), then)

    def action_evaluate(self) -> None:
        """Run the claim again over the sources as they are now."""
        view = self.view
        if view is None:
            return
        claim = view.claim.claim_id

        def work(call: Call) -> Claim:
            call.progress(Progress("evaluate", view.claim.text))
            return self.machine.evaluate_claim(claim, progress=call.progress, cancelled=call.cancelled)

        def then(made: Claim) -> None:
            self.cmtui.working("")
            self.say(f"✔ {evaluated(made)}; decisions stay with their evidence", "good")
            self.reload()

        self.ask("evaluate", work, then)

    def action_edit(self) -> None:
        """Edit the bibliography of the source."""
        if self.here is None:
            return
        document = self.here.finding.document_id

        def then(source_id: str) -> None:
            self.app.call_later(self.cmtui.open_cite, source_id)

        self.ask("edit", lambda _: self.machine.summary(document).source_id, then)

"""Evidence review: claims, their findings, the source around each, and its citation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Label, Static

from cmtui.engine.review_filter import ReviewFilter, parse
from cmtui.errors import InvalidRequest
from cmtui.model.claim import CAVEAT
from cmtui.model.progress import Progress
from cmtui.tui import review_data
from cmtui.tui.actions import bindings
from cmtui.tui.labels import DECISION, bar
from cmtui.tui.review_data import FILTERS, ClaimView, FindingRow, Known, ReviewData
from cmtui.tui.screens.dialogs import PromptScreen
from cmtui.tui.screens.following import Following
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


class ReviewScreen(Following):
    """Focus stays on the findings; context and citation follow the cursor."""

    scope = "review"
    mode = "review"
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
    ReviewScreen #head, ReviewScreen #notes { height: auto; max-height: 5; }
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
        self.number = 0
        self.filter_name = "all"
        self.filter_ = FILTERS["all"]
        self.rows: list[FindingRow] = []
        self.known: Known = {}
        self.wanted = ""

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

    @property
    def claims(self) -> RowList:
        """The list of claims."""
        return self.query_one("#claims", RowList)

    @property
    def findings(self) -> RowList:
        """The list of findings."""
        return self.query_one("#findings", RowList)

    @property
    def view(self) -> ClaimView | None:
        """The claim whose findings are shown."""
        claims = self.findings_data.claims
        return claims[self.number] if self.number < len(claims) else None

    @property
    def visible_rows(self) -> list[FindingRow]:
        """The findings in the list, in order."""
        return self.rows

    @property
    def here(self) -> FindingRow | None:
        """The finding under the cursor."""
        index = self.findings.cursor
        return self.rows[index] if index < len(self.rows) else None

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

    # -- reading ------------------------------------------------------------------------------------

    def choose(self, claim_id: str) -> None:
        """Show this claim as soon as it is read."""
        self.wanted = claim_id
        self.reload()

    def reload(self) -> None:
        """Read claims and decisions again."""

        def work(_: Call) -> ReviewData:
            return review_data.load(self.machine, self.cmtui.session, self.reader, self.known)

        self.ask("review", work, self._loaded)

    def _loaded(self, data: ReviewData) -> None:
        before = self.view.claim.claim_id if self.view is not None else ""
        key = self.here.key if self.here is not None else ""
        if data.state.events < self.findings_data.state.events:
            # A decision was written while this was being read: the newer log counts.
            data = data.with_state(self.findings_data.state)
        self.findings_data = data
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
            self.context(f"claim {self.number + 1}/{len(claims)} {done} {view.decided}/{view.total}")
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

    # -- moving -------------------------------------------------------------------------------------

    def go(self, claim: int, key: str) -> None:
        """Put the cursor on a finding of a claim."""
        self.number = claim
        if self.view is not None and key not in [
            row.key for row in self.view.rows if row.passes(self.filter_)
        ]:
            self._filter("all", FILTERS["all"])
        self.repaint(cursor=key)

    def advance(self, row: FindingRow) -> None:
        """Go to the next open finding that the filter lets through; at the end say so, with the sum.

        In this claim after the row, then before it, then in the next claims; never silently around.
        """
        settings = self.cmtui.settings.review
        if not settings.auto_advance:
            return
        if settings.advance_to == "next":
            self.findings.action_move(1)
            return
        found = self.findings_data.find(row.key)
        number = found[0] if found is not None else self.number
        claims = self.findings_data.claims
        rows = claims[number].rows
        at = next((i for i, other in enumerate(rows) if other.key == row.key), 0)
        order = [(number, r) for r in (*rows[at + 1 :], *rows[:at])]
        for step in range(1, len(claims)):
            there = (number + step) % len(claims)
            order += [(there, r) for r in claims[there].rows]
        for claim, other in order:
            if self.is_open(other) and other.passes(self.filter_):
                if claim != number:
                    self.notify(claims[claim].claim.text, title="Next claim", timeout=3, markup=False)
                self.go(claim, other.key)
                return
        if not any(self.is_open(other) for _, other in order):
            self.notify(
                f"{self.summary()}\n= shows it by claim, E exports, . filters",
                title="Every finding is decided",
                timeout=10,
                markup=False,
            )
        elif row.undecided:
            self.notify(
                f"Filter: {self.filter_name}. Other findings are open: . or f changes it.",
                title="Nothing else is open here",
                timeout=6,
                markup=False,
            )

    def action_down(self) -> None:
        """The next finding."""
        self.findings.action_move(1)

    def action_up(self) -> None:
        """The finding before."""
        self.findings.action_move(-1)

    def action_next_claim(self) -> None:
        """The next claim."""
        self._claim(self.number + 1)

    def action_previous_claim(self) -> None:
        """The claim before."""
        self._claim(self.number - 1)

    def _claim(self, number: int) -> None:
        if 0 <= number < len(self.findings_data.claims):
            self.number = number
            self.repaint()
            self.findings.cursor = 0
        else:
            self.say("This is the last claim." if number > 0 else "This is the first claim.")

    def action_previous_undecided(self) -> None:
        """The undecided finding before this one, over all claims."""
        view, here = self.view, self.here
        if view is None:
            return
        order = [(n, row) for n, each in enumerate(self.findings_data.claims) for row in each.rows]
        at = next(
            (i for i, (_, row) in enumerate(order) if here is not None and row.key == here.key), len(order)
        )
        for claim, row in reversed(order[:at]):
            if self.is_open(row):
                self.go(claim, row.key)
                return
        self.say("No undecided finding before this one.")

    # -- filters ------------------------------------------------------------------------------------

    def _filter(self, name: str, filter_: ReviewFilter) -> None:
        self.filter_name, self.filter_ = name, filter_
        self.range_from = ""

    def action_filter(self) -> None:
        """The next filter; from a typed one the first."""
        names = list(FILTERS)
        at = names.index(self.filter_name) + 1 if self.filter_name in names else 0
        name = names[at % len(names)]
        self._filter(name, FILTERS[name])
        self.repaint()
        self.say(f"Filter: {name}")

    def action_find(self) -> None:
        """Type a filter; what is not understood is said and asked again."""
        self._ask_filter("" if self.filter_name in FILTERS else self.filter_name)

    def _ask_filter(self, value: str) -> None:
        def then(text: str | None) -> None:
            if text is None:
                return
            try:
                filter_ = parse(text)
            except InvalidRequest as error:
                self.say(f"{error.sentence} {error.advice}", "bad")
                self._ask_filter(text)
                return
            self._filter(filter_.text or "all", filter_)
            self.repaint()
            claims = self.findings_data.claims
            passing = sum(row.passes(filter_) for view in claims for row in view.rows)
            here = len(self.rows)
            self.say(f"Filter: {self.filter_name} · {here} here, {passing} in all claims")

        hint = "rel:con conf:>.8 is:undecided tag:x source:y -tag:z   enter: filter   esc: leave"
        self.app.push_screen(PromptScreen("Filter", value, hint=hint), then)

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

        def work(call: Call) -> None:
            call.progress(Progress("evaluate", view.claim.text))
            self.machine.evaluate_claim(claim, progress=call.progress, cancelled=call.cancelled)

        def then(_: None) -> None:
            self.cmtui.working("")
            self.say("✔ evaluated again; decisions stay with their evidence", "good")
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

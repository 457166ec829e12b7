"""Evidence review: claims, their findings, the source around each, and its citation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Label, Static

from cmtui.model.claim import CAVEAT
from cmtui.model.progress import Progress
from cmtui.model.review import Decision
from cmtui.tui import review_data
from cmtui.tui.actions import bindings
from cmtui.tui.labels import DECISION, STYLE, bar, confidence, short_id
from cmtui.tui.review_data import FILTERS, ClaimView, FindingRow, ReviewData, Shown
from cmtui.tui.screens.deciding import Deciding
from cmtui.tui.screens.dialogs import PromptScreen
from cmtui.tui.widgets.row_list import Column, Row, RowList
from cmtui.tui.widgets.source_view import SourceView, verified
from cmtui.tui.workers import Call

#: Passages shown on each side of the one with the finding, by steps of ``[`` and ``]``; -1 is the whole text.
AROUND = (0, 1, 2, 4, 8, 16, -1)

#: Seconds the cursor rests before context and citation follow it.
REST = 0.04

#: Actions that need a finding under the cursor, and those that need one with a verified span.
NEEDS_FINDING = frozenset(
    {"source", "widen", "narrow", "details", "copy", "edit", "accept", "reject", "skip"}
)
NEEDS_EVIDENCE = frozenset({"note", "tag", "relation"})
NEEDS_CLAIM = frozenset({"next_claim", "previous_claim", "evaluate", "filter", "previous_undecided"})


class ReviewScreen(Deciding):
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
        self.visible_rows: list[FindingRow] = []
        self.around = AROUND.index(2)
        self.wanted = ""
        self._rest: Timer | None = None
        self._shown_for = ""

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
    def here(self) -> FindingRow | None:
        """The finding under the cursor."""
        index = self.findings.cursor
        return self.visible_rows[index] if index < len(self.visible_rows) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What applies depends on the finding under the cursor."""
        if action == "reason":
            reasons = self.cmtui.settings.review.reject_reasons
            number = parameters[0] if parameters else 0
            return self.reasons_for is not None and isinstance(number, int) and number <= len(reasons)
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
            return review_data.load(self.machine, self.cmtui.session, self.reader)

        self.ask("review", work, self._loaded)

    def _loaded(self, data: ReviewData) -> None:
        before = self.view.claim.claim_id if self.view is not None else ""
        key = self.here.key if self.here is not None else ""
        self.findings_data = data
        ids = [view.claim.claim_id for view in data.claims]
        target = self.wanted or before
        self.number = ids.index(target) if target in ids else 0
        fresh = bool(self.wanted)
        self.wanted = ""
        self._shown_for = ""
        self.repaint(cursor=None if fresh else key)
        if fresh:
            self.findings.cursor = 0

    def repaint(self, *, cursor: str | None = None) -> None:
        """Show claims and findings as they are now."""
        view = self.view
        key = cursor or (self.here.key if self.here is not None else "")
        claims = self.findings_data.claims
        self.claims.show([each.row(n) for n, each in enumerate(claims, 1)], cursor=self.number)
        self.visible_rows = [row for row in view.rows if row.passes(self.filter_name)] if view else []
        keys = [row.key for row in self.visible_rows]
        self.findings.empty = self._why_empty()
        rows = [self._row(row) for row in self.visible_rows]
        self.findings.show(rows, cursor=keys.index(key) if key in keys else None)
        self.findings.border_title = f"Findings {view.decided}/{view.total}" if view else "Findings"
        if self.filter_name != "all":
            self.findings.border_title += f" · {self.filter_name}"
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
        if not self.visible_rows:
            self._clear()
        self.refresh_keys()

    def _row(self, row: FindingRow) -> Row:
        made = row.row()
        if row.key in self.pending:
            return Row((*made.cells[:-1], DECISION[self.pending[row.key]]), style="dim")
        return made

    def _why_empty(self) -> str:
        view = self.view
        if view is None:
            return "c states a claim"
        if view.claim.latest is None:
            return "Not evaluated yet.\nr runs it."
        if view.rows:
            return f"None is {self.filter_name}.\n. goes on."
        return "No passage came near it.\nAdd sources, then r."

    def _clear(self) -> None:
        self._shown_for = ""
        self.query_one("#text", SourceView).show("")
        for name in ("#head", "#notes", "#cited"):
            self.query_one(name, Static).update("")

    # -- following the cursor -----------------------------------------------------------------------

    @on(RowList.Highlighted, "#claims")
    def _claim_highlighted(self) -> None:
        # The message may be older than the newest key, so the list itself is asked.
        index = self.claims.cursor
        if index != self.number and index < len(self.findings_data.claims):
            self.number = index
            self.repaint()
            self.findings.cursor = 0

    @on(RowList.Highlighted, "#findings")
    def _finding_highlighted(self) -> None:
        self.refresh_keys()
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(REST, self._follow)

    def _follow(self) -> None:
        row = self.here
        if row is None:
            return
        self._head(row)
        style, around = self.cmtui.style, AROUND[self.around]
        wide = around if around >= 0 else 1_000_000
        stamp = f"{row.key} {around} {style}"
        if stamp == self._shown_for:
            return

        def work(_: Call) -> Shown:
            return review_data.show(self.machine, self.reader, row, wide, style)

        def then(shown: Shown) -> None:
            self._shown_for = stamp
            self._show_context(row, shown)

        self.ask("context", work, then)

    def _head(self, row: FindingRow) -> None:
        finding = row.finding
        relation = finding.relation.value
        if row.state.relation:
            relation += f" · yours: {row.state.relation}"
        proof = "✔ verified char-exact" if row.decidable else "✘ refused, not evidence"
        lines = [f"{relation} {confidence(finding.confidence)} (derived, fallible)   {proof}"]
        lines.append(f"! {finding.error}" if finding.error else finding.explanation)
        self.query_one("#head", Static).update("\n".join(lines))
        state, notes = row.state, []
        if state.note:
            notes.append(f"Note ▏{state.note}")
        if state.tags or state.reasons:
            notes.append(f"Tags ▏{'  '.join((*state.tags, *state.reasons))}")
        self.query_one("#notes", Static).update("\n".join(notes))
        decided = f" · {state.decision.value}" if state.decision is not Decision.UNDECIDED else ""
        self.query_one("#context").border_title = f"{row.name}{decided}"

    def _show_context(self, row: FindingRow, shown: Shown) -> None:
        span = row.finding.span
        marks = [verified(span)] if row.decidable and len(span) else []
        self.query_one("#text", SourceView).show(
            shown.text,
            window=shown.window,
            marks=marks,
            current=shown.passage,
            labels=shown.labels,
            at=span.start,
        )
        around = AROUND[self.around]
        wide = "whole text" if around < 0 else f"±{around} passages"
        self.query_one("#context").border_subtitle = f"[ ] {wide}"
        style = STYLE.get(self.cmtui.style, self.cmtui.style)
        evidence = short_id(row.finding.evidence_id) if row.finding.evidence_id else "none"
        lines = [f"{style}  {shown.citation}"]
        if shown.inline != shown.citation:
            lines.append(f"in-text  {shown.inline}")
        lines.append(f"evidence {evidence}   chars {span.start:,}–{span.end:,}")
        self.query_one("#cited", Static).update("\n".join(lines))

    # -- moving -------------------------------------------------------------------------------------

    def go(self, claim: int, key: str) -> None:
        """Put the cursor on a finding of a claim."""
        self.number = claim
        if self.view is not None and key not in [
            row.key for row in self.view.rows if row.passes(self.filter_name)
        ]:
            self.filter_name = "all"
        self.repaint(cursor=key)

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
            if row.decidable and self.decision_of(row) is Decision.UNDECIDED:
                self.go(claim, row.key)
                return
        self.say("No undecided finding before this one.")

    def action_filter(self) -> None:
        """The next filter."""
        self.filter_name = FILTERS[(FILTERS.index(self.filter_name) + 1) % len(FILTERS)]
        self.repaint()
        self.say(f"Filter: {self.filter_name}")

    def action_widen(self) -> None:
        """More passages around."""
        self.around = min(self.around + 1, len(AROUND) - 1)
        self._follow()

    def action_narrow(self) -> None:
        """Fewer passages around."""
        self.around = max(self.around - 1, 0)
        self._follow()

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

    async def action_edit(self) -> None:
        """Edit the bibliography of the source."""
        if self.here is not None:
            source = self.machine.summary(self.here.finding.document_id).source_id
            await self.cmtui.open_cite(source)

    def action_style(self) -> None:
        """The next citation style."""
        styles = self.machine.citation_styles()
        at = styles.index(self.cmtui.style) if self.cmtui.style in styles else -1
        self.cmtui.style = styles[(at + 1) % len(styles)]
        self.say(f"Citation style: {STYLE.get(self.cmtui.style, self.cmtui.style)}")
        self._follow()

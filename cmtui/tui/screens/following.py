"""Context, citation and notes of the finding under the cursor, as the review screen shows them."""

from __future__ import annotations

from textual import on
from textual.timer import Timer
from textual.widgets import Static

from cmtui.model.review import Decision, FindingState
from cmtui.tui import review_data
from cmtui.tui.labels import DECISION, STYLE, confidence, notice_mark, short_id
from cmtui.tui.review_data import FindingRow, Shown
from cmtui.tui.reviewing import place
from cmtui.tui.reviewing.sharing import Sharing
from cmtui.tui.widgets.row_list import RowList
from cmtui.tui.widgets.source_view import SourceView, verified
from cmtui.tui.workers import Call

#: Passages shown on each side of the one with the finding, by steps of ``[`` and ``]``; -1 is the whole text.
AROUND = (0, 1, 2, 4, 8, 16, -1)

#: Seconds the cursor rests before context and citation follow it.
REST = 0.04


class Following(Sharing):
    """What follows the cursor of the findings; ReviewScreen lays it out."""

    def __init__(self) -> None:
        super().__init__()
        self.around = AROUND.index(2)
        self.shown_for = ""
        self._rest: Timer | None = None

    def mark_rows(self) -> None:
        """Show the range that a group action would act on."""
        raise NotImplementedError

    @on(RowList.Highlighted, "#findings")
    def _finding_highlighted(self) -> None:
        self.refresh_keys()
        self.mark_rows()
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(REST, self._follow)

    def _follow(self) -> None:
        row = self.here
        if row is None:
            return
        self.show_head(row)
        style, around = self.cmtui.style, AROUND[self.around]
        wide = around if around >= 0 else 1_000_000
        stamp = f"{row.key} {around} {style}"
        if stamp == self.shown_for:
            return

        store, reviewer = self.cmtui.store_path, self.cmtui.session.reviewer

        def work(_: Call) -> Shown:
            place.remember(store, reviewer, row.key)
            return review_data.show(self.machine, self.reader, row, wide, style)

        def then(shown: Shown) -> None:
            self.shown_for = stamp
            self._show_context(row, shown)

        self.ask("context", work, then)

    def _arrange_for(self, width: int, height: int) -> None:
        super()._arrange_for(width, height)
        # The lines above the text are worded for the width.
        if self.is_mounted and self.here is not None:
            self.show_head(self.here)

    def show_head(self, row: FindingRow) -> None:
        """Relation, proof and explanation above the text; note and tags below it."""
        finding = row.finding
        narrow = self.has_class("-narrow")
        exact = "✔ exact" if narrow else "✔ verified char-exact"
        proof = exact if row.decidable else "✘ refused, not evidence"
        said = f"{finding.relation.value} {confidence(finding.confidence)} (derived, fallible)"
        if row.state.relation:
            lines = [f"{said} · yours: {row.state.relation}", proof]
        else:
            lines = [said + (" " if narrow else "   ") + proof]
        before = "Before its span was adjusted: " if row.state.adjusted_from is not None else ""
        lines.append(f"! {finding.error}" if finding.error else before + finding.explanation)
        lines += [_said(name, of) for name, of in row.others]
        self.query_one("#head", Static).update("\n".join(lines))
        state, notes = row.state, []
        if state.note:
            notes.append(f"Note ▏{state.note}")
        if state.tags or state.reasons:
            notes.append(f"Tags ▏{'  '.join((*state.tags, *state.reasons))}")
        self.query_one("#notes", Static).update("\n".join(notes))
        decided = f" · {state.decision.value}" if state.decision is not Decision.UNDECIDED else ""
        mark = f"{notice_mark(row.notices[0])}  " if row.notices else ""
        if row.state.adjusted_to is not None:
            decided += " · adjusted, see below"
        elif row.state.adjusted_from is not None:
            decided += " · adjusted span"
        self.query_one("#context").border_title = f"{mark}{row.name}{decided}"

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
        lines = [shown.newer] if shown.newer else []
        lines.append(f"{style}  {shown.citation}")
        if shown.inline != shown.citation:
            lines.append(f"in-text  {shown.inline}")
        lines.append(f"evidence {evidence}   chars {span.start:,}–{span.end:,}")
        self.query_one("#cited", Static).update("\n".join(lines))

    def action_widen(self) -> None:
        """More passages around."""
        self.around = min(self.around + 1, len(AROUND) - 1)
        self._follow()

    def action_narrow(self) -> None:
        """Fewer passages around."""
        self.around = max(self.around - 1, 0)
        self._follow()

    def action_style(self) -> None:
        """The next citation style."""
        styles = self.machine.citation_styles()
        at = styles.index(self.cmtui.style) if self.cmtui.style in styles else -1
        self.cmtui.style = styles[(at + 1) % len(styles)]
        self.say(f"Citation style: {STYLE.get(self.cmtui.style, self.cmtui.style)}")
        self._follow()

    def clear_context(self) -> None:
        """Show nothing: there is no finding under the cursor."""
        self.shown_for = ""
        self.query_one("#context").border_title = "Source context"
        self.query_one("#text", SourceView).show("")
        for name in ("#head", "#notes", "#cited"):
            self.query_one(name, Static).update("")


def _said(name: str, state: FindingState) -> str:
    """What another reviewer said, in one line; shown to a reviewer who is not blind."""
    parts = [f"{DECISION[state.decision]} {name}: {state.decision}"]
    parts += [", ".join(state.reasons)] if state.reasons else []
    parts += [f"“{' '.join(state.note.split())}”"] if state.note else []
    return "  ".join(parts)

"""Two reviewers compared: how far they agree, and their conflicts one by one, to be settled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Static

from cmtui.engine.review_agreement import Comparison, Conflict
from cmtui.errors import NothingToUndo
from cmtui.model.review import Decision, FindingState
from cmtui.model.selectors import Span
from cmtui.tui.actions import bindings
from cmtui.tui.labels import DECISION, DECISION_STYLE, margin, plural
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import PromptScreen
from cmtui.tui.screens.source import SourceScreen
from cmtui.tui.widgets.row_list import Column, Row, RowList
from cmtui.tui.widgets.source_view import Labels, SourceView, verified
from cmtui.tui.workers import Call

#: Passages shown on each side.
AROUND = 2


@dataclass(frozen=True)
class Compared:
    """The comparison with the names of the sources by document."""

    comparison: Comparison
    names: dict[str, str]
    places: dict[str, str]


def agreement_line(found: Comparison) -> str:
    """``kappa .40 · 70 % of 20 equal``, or why there is no kappa."""
    one = found.agreement
    if one.observed is None:
        return f"no kappa: {one.undefined}"
    kappa = f"Cohen's kappa {one.kappa:.2f}" if one.kappa is not None else f"no kappa: {one.undefined}"
    return f"{kappa} · {100 * one.observed:.0f} % of {one.compared} judged alike"


class ConflictScreen(BaseScreen):
    """The queue at the left, the finding in its source and what each reviewer said at the right."""

    scope = "conflicts"
    BINDINGS: ClassVar[list[BindingType]] = bindings("conflicts")
    CSS = """
    ConflictScreen #queue { width: 40; }
    ConflictScreen #right { width: 1fr; }
    ConflictScreen #agreement { height: auto; padding: 0 1; color: $foreground; }
    ConflictScreen #text { height: 1fr; }
    ConflictScreen #said { height: auto; max-height: 12; }
    ConflictScreen #words { height: auto; color: $foreground; }
    ConflictScreen.-narrow #queue { width: 30; }
    """

    def __init__(self, first: str, second: str) -> None:
        super().__init__()
        self.first, self.second = first, second
        self.found: Compared | None = None
        self.shown = ""
        self.comment = ""

    def body(self) -> Iterable[Widget]:
        """One line of agreement, the queue and the finding."""
        yield Static("", id="agreement", markup=False)
        with Horizontal():
            yield RowList(
                [Column("Source"), Column("Where", 7), Column("1", 1), Column("2", 1), Column("=", 1)],
                title="Conflicts",
                position="",
                empty="They differ in nothing that both judged.",
                id="queue",
            )
            with Vertical(id="right"):
                yield SourceView(label_width=8, id="text")
                with Vertical(classes="pane", id="said") as said:
                    said.border_title = "What they said"
                    yield Static("", id="words", markup=False)

    @property
    def queue(self) -> RowList:
        """The conflicts."""
        return self.query_one("#queue", RowList)

    @property
    def here(self) -> Conflict | None:
        """The conflict under the cursor."""
        rows = self.found.comparison.conflicts if self.found is not None else ()
        return rows[self.queue.cursor] if self.queue.cursor < len(rows) else None

    def on_mount(self) -> None:
        """Compare."""
        self.queue.focus()
        self.reload()

    def reload(self) -> None:
        """Compare again."""
        self._compare(None)

    def _compare(self, key: str | None) -> None:
        def work(_: Call) -> Compared:
            found = self.machine.compare_reviewers(
                self.first, self.second, reviewer=self.cmtui.session.reviewer
            )
            documents = {one.evidence.document_id for one in found.conflicts}
            names = {document_id: self.reader.name(document_id) for document_id in documents}
            places = {
                one.evidence.evidence_id: margin(
                    self.reader.locate(one.evidence.document_id, one.evidence.span)
                )
                for one in found.conflicts
            }
            return Compared(found, names, places)

        self.ask("compare", work, lambda found: self._compared(found, key))

    def _compared(self, found: Compared, key: str | None) -> None:
        self.found = found
        one, rows = found.comparison, found.comparison.conflicts
        self.query_one("#agreement", Static).update(
            f"{one.first} (1) and {one.second} (2): {agreement_line(one)}\n"
            f"alone judged: {one.first} {one.agreement.only_first}, {one.second} {one.agreement.only_second}"
        )
        cursor = next((n for n, each in enumerate(rows) if _key(each) == key), None)
        if key is None:
            cursor = next((n for n, each in enumerate(rows) if each.settled is None), None)
        self.queue.show([self._row(each) for each in rows], cursor=cursor)
        self.queue.border_title = f"Conflicts {len(rows) - len(one.open)}/{len(rows)} settled"
        self.context(plural(len(one.open), "conflict") + " open")
        self._follow()
        self.refresh_keys()

    def _row(self, one: Conflict) -> Row:
        assert self.found is not None
        name = self.found.names.get(one.evidence.document_id, "")
        where = self.found.places.get(one.evidence.evidence_id, "")
        settled = DECISION[one.settled] if one.settled is not None else DECISION[Decision.UNDECIDED]
        glyphs = (DECISION[one.first.decision], DECISION[one.second.decision], settled)
        style = DECISION_STYLE[one.settled] if one.settled is not None else ""
        return Row((name, where, *glyphs), style=style)

    @on(RowList.Highlighted, "#queue")
    def _highlighted(self) -> None:
        if self.here is not None and _key(self.here) != self.shown:
            self.comment = ""  # it was meant for the one before
        self._follow()
        self.refresh_keys()

    def _follow(self) -> None:
        one = self.here
        words = self.query_one("#words", Static)
        if one is None:
            self.shown = ""
            self.query_one(SourceView).show("")
            words.update("")
            return
        lines = [f"Claim  {one.claim}"]
        lines += [self._said(self.first, one.first), self._said(self.second, one.second)]
        if one.settled is not None:
            lines.append(f"{DECISION[one.settled]} settled by {self.cmtui.session.reviewer}: {one.settled}")
        if self.comment:
            lines.append(f"Comment ▏{self.comment}   a or x settles with it")
        words.update("\n".join(lines))
        if self.shown == _key(one):
            return
        entry = one.evidence

        def work(_: Call) -> tuple[str, Span, Labels]:
            document = self.reader.document(entry.document_id)
            window = self.reader.window(entry.document_id, entry.span, AROUND)
            return document.text, window, self.reader.labels(entry.document_id)

        def then(read: tuple[str, Span, Labels]) -> None:
            text, window, labels = read
            self.shown = _key(one)
            view = self.query_one(SourceView)
            view.border_title = self.found.names.get(entry.document_id, "") if self.found else ""
            view.show(text, window=window, marks=[verified(entry.span)], labels=labels, at=entry.start)

        self.ask("context", work, then)

    def _said(self, name: str, state: FindingState) -> str:
        parts = [f"{DECISION[state.decision]} {name}: {state.decision}"]
        parts += [", ".join(state.reasons)] if state.reasons else []
        parts += [f"“{' '.join(state.note.split())}”"] if state.note else []
        parts += [f"tags {' '.join(state.tags)}"] if state.tags else []
        return "  ".join(parts)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Settling needs a conflict."""
        del parameters
        if action in ("accept", "reject", "source", "note"):
            return self.here is not None
        return True

    # -- settling -----------------------------------------------------------------------------------

    def action_accept(self) -> None:
        """Settle it as accepted; the span is verified again first."""
        self._settle(Decision.ACCEPTED)

    def action_reject(self) -> None:
        """Settle it as rejected."""
        self._settle(Decision.REJECTED)

    def _settle(self, decision: Decision) -> None:
        one = self.here
        if one is None:
            return
        if one.settled is decision:
            self.say(f"Already settled as {decision}; u to undo.")
            return
        between = {self.first: one.first.decision, self.second: one.second.decision}
        session, comment = self.cmtui.session, self.comment
        self.comment = ""

        def work(_: Call) -> None:
            session.adjudicate(
                one.claim_id, one.evidence.evidence_id, decision, between=between, note=comment
            )

        def then(_: None) -> None:
            self.say(f"{DECISION[decision]} settled as {decision}, u to undo", "good")
            self._compare(self._next_open(one))

        self.ask("settle", work, then, exclusive=False)

    def _next_open(self, one: Conflict) -> str:
        """The key of the next open conflict after this one; its own when there is none."""
        rows = self.found.comparison.conflicts if self.found is not None else ()
        at = next((n for n, each in enumerate(rows) if _key(each) == _key(one)), 0)
        later = [each for each in (*rows[at + 1 :], *rows[:at]) if each.settled is None]
        if not later:
            self.notify("Every conflict is settled.", title="Conflicts", timeout=6)
        return _key(later[0]) if later else _key(one)

    def action_note(self) -> None:
        """Write a comment that settling this conflict is recorded with."""

        def then(text: str | None) -> None:
            if text is not None:
                self.comment = " ".join(text.split())
                self._follow()

        self.app.push_screen(PromptScreen("Comment on settling it", self.comment), then)

    def action_undo(self) -> None:
        """Undo this reviewer's newest action."""

        def failed(error: BaseException) -> None:
            if isinstance(error, NothingToUndo):
                self.say(str(error))
            else:
                self.cmtui.show_error(error)

        self.ask("settle", lambda _: self.cmtui.session.undo(), self._undone, failed=failed)

    def _undone(self, result: object) -> None:
        self.say(str(getattr(result, "description", "")))
        objects = getattr(result, "objects", ())
        self._compare(objects[0] if objects else None)

    def action_source(self) -> None:
        """The source full screen at the span."""
        one = self.here
        if one is not None:
            span = one.evidence.span
            self.app.push_screen(SourceScreen(one.evidence.document_id, at=span, spans=[span]))

    def action_close(self) -> None:
        """Back to the review."""
        self.dismiss()


def _key(one: Conflict) -> str:
    return f"{one.claim_id}/{one.evidence.evidence_id}"

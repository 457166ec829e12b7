"""Decisions, reasons, notes, tags and relations of the review screen, on one finding or on a marked range."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cmtui.model.claim import Relation
from cmtui.model.review import Decision, ReviewState
from cmtui.tui.labels import DECISION, RELATION
from cmtui.tui.review_data import FindingRow
from cmtui.tui.reviewing.writing import Step, Writing
from cmtui.tui.screens.dialogs import Choice, MenuScreen, PromptScreen

#: Seconds in which a digit is a reason of the rejection just made.
REASON_SECONDS = 6.0


class Deciding(Writing):
    """What the review screen decides on findings; ReviewScreen shows them."""

    def __init__(self) -> None:
        super().__init__()
        self.reasons_for: tuple[FindingRow, ...] = ()
        self.range_from = ""

    @property
    def visible_rows(self) -> list[FindingRow]:
        """The findings in the list, in order."""
        raise NotImplementedError

    # -- a range ------------------------------------------------------------------------------------

    @property
    def marked(self) -> tuple[FindingRow, ...]:
        """The rows between where the range began and the cursor; empty without a range."""
        keys = [row.key for row in self.visible_rows]
        here = self.here
        if self.range_from not in keys or here is None:
            return ()
        low, high = sorted((keys.index(self.range_from), keys.index(here.key)))
        return tuple(self.visible_rows[low : high + 1])

    def action_range(self) -> None:
        """Begin a range at the cursor, or end it."""
        if self.range_from or self.here is None:
            self.action_unmark()
            return
        self.range_from = self.here.key
        self.repaint()
        self.say("Range: move, then a accept, x reject, space skip, t tag. v or esc ends it.")

    def action_unmark(self) -> None:
        """End the range."""
        if self.range_from:
            self.range_from = ""
            self.repaint()
            self.say("Range ended.")

    # -- deciding -----------------------------------------------------------------------------------

    def decide(self, decision: Decision) -> None:
        """Decide on the range, or on the finding under the cursor and go to the next undecided one."""
        if self.range_from and self.marked:
            self._decide_range(decision)
            return
        row, session = self.here, self.cmtui.session
        if row is None:
            return
        if not row.decidable:
            self.say(f"Refused, nothing to decide: {row.finding.error or 'no verified span'}", "bad")
            return
        if self.decision_of(row) is decision:
            self.say(f"Already {decision.value}; u to undo.")
            return
        done = (
            f"{DECISION[decision]} {decision.value} {row.name} {RELATION[row.finding.relation]}   u to undo"
        )
        self._do((row,), decision, done, lambda: session.decide([row.target], decision))
        self.advance(row)

    def _decide_range(self, decision: Decision) -> None:
        rows, session = self.marked, self.cmtui.session
        bare = sum(not row.decidable for row in rows)
        if bare and decision is Decision.ACCEPTED:
            # An accept says that every span was verified: one without evidence stops the whole group.
            self.say(f"Nothing accepted: {bare} of the {len(rows)} have no verified span.", "bad")
            return
        chosen = tuple(r for r in rows if r.decidable and self.decision_of(r) is not decision)
        self.range_from = ""
        if not chosen:
            self.say(f"All of them are {decision.value} already; u to undo.")
            self.repaint()
            return
        targets = [row.target for row in chosen]
        done = f"{DECISION[decision]} {len(chosen)} {decision.value}, u to undo"
        self._do(chosen, decision, done, lambda: session.decide(targets, decision))
        self.advance(rows[-1])

    def _do(
        self, rows: tuple[FindingRow, ...], decision: Decision, done: str, write: Callable[[], ReviewState]
    ) -> None:
        reasons = self.cmtui.settings.review.reject_reasons
        self.reasons_for = rows if decision is Decision.REJECTED else ()
        if decision is Decision.REJECTED:
            begin = f"✘ {len(rows)} rejected, u undo  why?  " if len(rows) > 1 else "✘ rejected; why?  "
            done = begin + offered(reasons, self.size.width - len(begin) - 4)
            self.set_timer(REASON_SECONDS, lambda: self._forget(rows))
        for row in rows:
            self.pending[row.key] = decision
        self.repaint()
        self.write(Step(write, tuple(row.key for row in rows), done))

    def _forget(self, rows: tuple[FindingRow, ...]) -> None:
        if self.reasons_for is rows:
            self.reasons_for = ()

    def advance(self, row: FindingRow) -> None:
        """Go on after a decision; ReviewScreen knows where to."""
        raise NotImplementedError

    def action_accept(self) -> None:
        """Accept; the span is verified again before anything is written."""
        self.decide(Decision.ACCEPTED)

    def action_reject(self) -> None:
        """Reject; a digit may add the reason."""
        self.decide(Decision.REJECTED)

    def action_skip(self) -> None:
        """Leave it for later."""
        self.decide(Decision.SKIPPED)

    def action_reason(self, number: int) -> None:
        """Add the reason to the rejection just made."""
        rows, reasons = self.reasons_for, self.cmtui.settings.review.reject_reasons
        if not rows or not 1 <= number <= len(reasons):
            return
        self.reasons_for = ()
        session, reason = self.cmtui.session, reasons[number - 1]
        targets = [row.target for row in rows]
        many = f"{len(rows)} " if len(rows) > 1 else ""
        said = f"✘ {many}rejected: {reason}   u to undo"
        self.write(Step(lambda: session.give_reasons(targets, (reason,)), (), said))
        if reason == "other" and len(rows) == 1:
            self._note(rows[0])

    def action_undo(self) -> None:
        """Undo the newest action of this reviewer."""
        self.reasons_for = ()
        self.write(Step(self.cmtui.session.undo))

    def action_redo(self) -> None:
        """Redo what was undone last."""
        self.write(Step(self.cmtui.session.redo))

    # -- annotating ---------------------------------------------------------------------------------

    def action_note(self) -> None:
        """Write a note on the finding."""
        if self.here is not None and self.here.decidable:
            self._note(self.here)

    def _note(self, row: FindingRow) -> None:
        session = self.cmtui.session

        def then(text: str | None) -> None:
            if text is not None:
                done = "✔ note saved" if text.strip() else "✔ note removed"
                self.write(Step(lambda: session.note(*row.target, text.strip()), (), done))

        self.app.push_screen(PromptScreen("Note", row.state.note), then)

    def action_tag(self) -> None:
        """Set the tags of the finding, or add tags to the range."""
        if self.range_from and self.marked:
            self._tag_range(tuple(row for row in self.marked if row.decidable))
            return
        row, session = self.here, self.cmtui.session
        if row is None or not row.decidable:
            return

        def then(text: str | None) -> None:
            if text is not None:
                tags = text.replace(",", " ").split()
                self.write(Step(lambda: session.tag(*row.target, tags), (), "✔ tags saved"))

        self.app.push_screen(PromptScreen("Tags, separated by blanks", " ".join(row.state.tags)), then)

    def _tag_range(self, rows: tuple[FindingRow, ...]) -> None:
        session = self.cmtui.session

        def then(text: str | None) -> None:
            tags = (text or "").replace(",", " ").split()
            if not tags or not rows:
                return
            self.range_from = ""
            targets = [row.target for row in rows]
            done = f"✔ {len(rows)} tagged, u to undo"
            self.write(Step(lambda: session.add_tags(targets, tags), (), done))

        self.app.push_screen(PromptScreen(f"Tags to add to {len(rows)} findings"), then)

    def action_relation(self) -> None:
        """Keep the reviewer's own relation beside the engine's."""
        row, session = self.here, self.cmtui.session
        if row is None or not row.decidable:
            return
        keys = zip("scri", Relation, strict=True)
        choices = [Choice(key, relation.value, relation.value) for key, relation in keys]
        choices.append(Choice("e", f"as the engine says: {row.finding.relation.value}", "engine"))

        def then(value: str | None) -> None:
            if value is not None:
                relation = None if value == "engine" else Relation(value)
                done = f"✔ your relation: {value}"
                self.write(Step(lambda: session.override_relation(*row.target, relation), (), done))

        self.app.push_screen(MenuScreen("Your relation", choices), then)


def offered(reasons: Sequence[str], room: int) -> str:
    """The reasons with their digits, each cut short alike where they do not all fit."""
    whole = "  ".join(f"{n} {reason}" for n, reason in enumerate(reasons, 1))
    if len(whole) <= room:
        return whole
    most = max(3, (room + 2) // len(reasons) - 4)
    cut = [reason if len(reason) <= most else reason[: most - 1] + "…" for reason in reasons]
    return "  ".join(f"{n} {reason}" for n, reason in enumerate(cut, 1))

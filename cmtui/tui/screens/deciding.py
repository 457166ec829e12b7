"""Decisions, notes, tags and copies of the review screen.

Decisions are written one after another in a thread, in the order of the keys. The cursor moves on at once;
when a decision fails (the span no longer verifies) the row is undecided again and the person is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cmtui.errors import NothingToUndo
from cmtui.model.claim import CAVEAT, Relation
from cmtui.model.review import Decision, ReviewState
from cmtui.tui.labels import DECISION, RELATION, STYLE, confidence, every_place
from cmtui.tui.review_data import FindingRow, ReviewData
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import Choice, MenuScreen, PromptScreen, TextScreen

if TYPE_CHECKING:
    from cmtui.engine import UndoResult


@dataclass(frozen=True)
class Step:
    """One write to the log: what to do in the thread, and whose row it is."""

    write: Callable[[], ReviewState | UndoResult]
    key: str = ""
    done: str = ""


class Deciding(BaseScreen):
    """What the review screen does to findings; ReviewScreen shows them."""

    def __init__(self) -> None:
        super().__init__()
        self.findings_data = ReviewData()
        self.steps: list[Step] = []
        self.pending: dict[str, Decision] = {}
        self.writing = False
        self.reasons_for: FindingRow | None = None

    @property
    def here(self) -> FindingRow | None:
        """The finding under the cursor."""
        raise NotImplementedError

    def repaint(self, *, cursor: str | None = None) -> None:
        """Show the findings again; ``cursor`` is the key of the row to stand on."""
        raise NotImplementedError

    def go(self, claim: int, key: str) -> None:
        """Put the cursor on a finding of a claim."""
        raise NotImplementedError

    # -- writing ------------------------------------------------------------------------------------

    def write(self, step: Step) -> None:
        """Write after everything that was asked before."""
        self.steps.append(step)
        self._write_next()

    def _write_next(self) -> None:
        if self.writing or not self.steps:
            return
        self.writing = True
        step = self.steps.pop(0)
        self.ask(
            "decide",
            lambda _: step.write(),
            lambda value: self._written(step, value),
            failed=lambda error: self._refused(step, error),
        )

    def _written(self, step: Step, value: ReviewState | UndoResult) -> None:
        self.writing = False
        self.pending.pop(step.key, None)
        state = value if isinstance(value, ReviewState) else value.state
        self.findings_data = self.findings_data.with_state(state)
        self.repaint()
        if isinstance(value, ReviewState):
            self.say(step.done, "good" if step.done.startswith("✔") else "note")
        else:
            where = self.findings_data.find(value.objects[0]) if value.objects else None
            if where is not None:
                self.go(where[0], where[1].key)
            name = f" · {where[1].name}" if where is not None else ""
            self.say(f"{value.description}{name}")
        self._write_next()

    def _refused(self, step: Step, error: BaseException) -> None:
        self.writing = False
        self.pending.pop(step.key, None)
        if isinstance(error, NothingToUndo):
            self.say(str(error))
        else:
            where = self.findings_data.find(step.key)
            if where is not None:
                self.go(where[0], step.key)
            self.cmtui.show_error(error)
        self.repaint()
        self._write_next()

    # -- deciding -----------------------------------------------------------------------------------

    def decision_of(self, row: FindingRow) -> Decision:
        """The decision as the person sees it, a write on its way included."""
        return self.pending.get(row.key, row.state.decision)

    def decide(self, decision: Decision) -> None:
        """Decide on the finding under the cursor and go to the next undecided one."""
        row, session = self.here, self.cmtui.session
        if row is None:
            return
        finding = row.finding
        if finding.evidence_id is None:
            self.say(f"Refused, nothing to decide: {finding.error or 'no verified span'}", "bad")
            return
        if self.decision_of(row) is decision:
            self.say(f"Already {decision.value}; u to undo.")
            return
        claim, evidence = row.claim_id, finding.evidence_id
        act = {
            Decision.ACCEPTED: lambda: session.accept(claim, evidence),
            Decision.REJECTED: lambda: session.reject(claim, evidence),
            Decision.SKIPPED: lambda: session.skip(claim, evidence),
        }[decision]
        done = f"{DECISION[decision]} {decision.value} {row.name} {RELATION[finding.relation]}   u to undo"
        self.reasons_for = row if decision is Decision.REJECTED else None
        if decision is Decision.REJECTED:
            reasons = self.cmtui.settings.review.reject_reasons
            done = (
                "✘ rejected; why?  " + "  ".join(f"{n} {r}" for n, r in enumerate(reasons, 1)) + "   u undo"
            )
            self.set_timer(6, lambda: self._forget(row))
        self.pending[row.key] = decision
        self.repaint()
        self.write(Step(act, row.key, done))
        if self.cmtui.settings.review.auto_advance:
            self.advance(row)

    def _forget(self, row: FindingRow) -> None:
        if self.reasons_for is row:
            self.reasons_for = None

    def advance(self, row: FindingRow) -> None:
        """Go to the next undecided finding of the claim, then of the next claim; at the end, a summary."""
        found = self.findings_data.find(row.key)
        number = found[0] if found is not None else 0
        rows = self.findings_data.claims[number].rows
        at = next((i for i, other in enumerate(rows) if other.key == row.key), 0)
        order = [(number, r) for r in (*rows[at + 1 :], *rows[:at])]
        count = len(self.findings_data.claims)
        for step in range(1, count):
            there = (number + step) % count
            order += [(there, r) for r in self.findings_data.claims[there].rows]
        for claim, other in order:
            if other.decidable and self.decision_of(other) is Decision.UNDECIDED:
                if claim != number:
                    self.notify(self.findings_data.claims[claim].claim.text, title="Next claim", timeout=3)
                self.go(claim, other.key)
                return
        self.notify(self.summary(), title="Every finding is decided", timeout=6, markup=False)

    def summary(self) -> str:
        """Accepted, rejected and skipped, by relation."""
        parts = []
        for decision in (Decision.ACCEPTED, Decision.REJECTED, Decision.SKIPPED):
            counts = Counter(
                RELATION[row.finding.relation]
                for view in self.findings_data.claims
                for row in view.rows
                if row.decidable and self.decision_of(row) is decision
            )
            inside = ", ".join(f"{count} {relation}" for relation, count in counts.items())
            parts.append(f"{sum(counts.values())} {decision.value}" + (f" ({inside})" if inside else ""))
        return " · ".join(parts)

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
        row, reasons = self.reasons_for, self.cmtui.settings.review.reject_reasons
        if row is None or not 1 <= number <= len(reasons):
            return
        self.reasons_for = None
        session, evidence, reason = self.cmtui.session, row.finding.evidence_id or "", reasons[number - 1]
        self.write(
            Step(
                lambda: session.reject(row.claim_id, evidence, reasons=(reason,)), "", f"✘ rejected: {reason}"
            )
        )
        if reason == "other":
            self._note(row)

    def action_undo(self) -> None:
        """Undo the newest action of this reviewer."""
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
        session, evidence = self.cmtui.session, row.finding.evidence_id or ""

        def then(text: str | None) -> None:
            if text is not None:
                done = "✔ note saved" if text.strip() else "✔ note removed"
                self.write(Step(lambda: session.note(row.claim_id, evidence, text.strip()), "", done))

        self.app.push_screen(PromptScreen("Note", row.state.note), then)

    def action_tag(self) -> None:
        """Set the tags of the finding."""
        row, session = self.here, self.cmtui.session
        if row is None or not row.decidable:
            return
        evidence = row.finding.evidence_id or ""

        def then(text: str | None) -> None:
            if text is not None:
                tags = text.replace(",", " ").split()
                self.write(Step(lambda: session.tag(row.claim_id, evidence, tags), "", "✔ tags saved"))

        self.app.push_screen(PromptScreen("Tags, separated by blanks", " ".join(row.state.tags)), then)

    def action_relation(self) -> None:
        """Keep the reviewer's own relation beside the engine's."""
        row, session = self.here, self.cmtui.session
        if row is None or not row.decidable:
            return
        evidence = row.finding.evidence_id or ""
        keys = zip("scri", Relation, strict=True)
        choices = [Choice(key, relation.value, relation.value) for key, relation in keys]
        choices.append(Choice("e", "as the engine says", "engine"))

        def then(value: str | None) -> None:
            if value is not None:
                relation = None if value == "engine" else Relation(value)
                step = Step(
                    lambda: session.override_relation(row.claim_id, evidence, relation),
                    "",
                    f"✔ your relation: {value}",
                )
                self.write(step)

        self.app.push_screen(MenuScreen("Your relation", choices), then)

    # -- reading and copying ------------------------------------------------------------------------

    def action_details(self) -> None:
        """Say what decided."""
        row = self.here
        found = self.findings_data.find(row.key) if row is not None else None
        if row is None or found is None:
            return
        claim, finding = self.findings_data.claims[found[0]].claim, row.finding
        run = claim.latest
        lines = [
            f"Relation      {finding.relation.value} {confidence(finding.confidence)} (derived, fallible)",
            f"Reason        {finding.reason}",
            f"Explanation   {finding.explanation}",
        ]
        if finding.error:
            lines.append(f"Refused       {finding.error}")
        if row.state.relation:
            lines.append(f"Yours         {row.state.relation}")
        if run is not None:
            lines += [
                f"Backend       {run.backend}",
                f"Retrieval     {run.mode}, {run.candidate_limit} candidates, {len(run.documents)} documents",
                f"Run           {run.run_id[:16]}… {run.evaluated_at or ''}",
            ]
        lines += [
            f"Source        {row.name}",
            f"Place         {every_place(row.locators)}",
            f"Span          [{finding.start}, {finding.end}) of {finding.document_id}",
            f"Evidence      {finding.evidence_id or 'none: nothing was verified'}",
            "",
            CAVEAT,
        ]
        self.app.push_screen(TextScreen("Why this relation", "\n".join(lines)))

    def action_copy(self) -> None:
        """Choose what to copy."""
        row = self.here
        if row is None:
            return
        style = STYLE.get(self.cmtui.style, self.cmtui.style)
        choices = [
            Choice("y", "quote, exactly", "quote"),
            Choice("c", f"citation ({style})", "citation"),
            Choice("b", "BibTeX", "bibtex"),
            Choice("m", "Markdown: quote and citation", "markdown"),
            Choice("i", "evidence id", "id"),
        ]
        self.app.push_screen(MenuScreen("Copy", choices), lambda value: self._copy(row, value))

    def _copy(self, row: FindingRow, what: str | None) -> None:
        finding, machine, style = row.finding, self.machine, self.cmtui.style
        evidence = finding.evidence_id
        if what is None:
            return
        if evidence is None and what in ("quote", "markdown", "id"):
            self.say("Refused rows have no verified quote to copy.", "bad")
            return
        target = evidence or finding.document_id
        words = {
            "quote": "quote (verified)",
            "citation": f"{STYLE.get(style, style)} citation",
            "bibtex": "BibTeX entry",
            "markdown": "quote and citation",
            "id": "evidence id",
        }

        def quote() -> str:
            text = machine.reconstruct(evidence or "")
            return text if isinstance(text, str) else "\n".join(text)

        def work() -> str:
            if what == "quote":
                return quote()
            if what == "citation":
                return machine.format_citation(target, style)
            if what == "bibtex":
                return machine.format_citation(target, "bibtex")
            if what == "markdown":
                quoted = "\n".join(f"> {line}" for line in quote().split("\n"))
                return f"{quoted}\n>\n> — {machine.format_citation(target, style, output='markdown')}\n"
            return evidence or ""

        self.ask("copy", lambda _: work(), lambda text: self.cmtui.copy(text, words[what]))

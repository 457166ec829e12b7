"""What can be copied of a finding, and why it has its relation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmtui.model.claim import CAVEAT
from cmtui.tui.labels import STYLE, confidence, every_place
from cmtui.tui.review_data import FindingRow
from cmtui.tui.screens.deciding import Deciding
from cmtui.tui.screens.dialogs import Choice, MenuScreen, TextScreen

if TYPE_CHECKING:
    from cmtui.engine import CitationMachine

#: What needs a verified quote, so that a refused row has none of it.
_QUOTED = frozenset({"quote", "cited", "markdown", "id"})


def text_to_copy(machine: CitationMachine, target: str, what: str, style: str) -> str:
    """What is copied of evidence: read back from the canonical text and verified. For a worker thread."""

    def quote() -> str:
        text = machine.reconstruct(target)
        return text if isinstance(text, str) else "\n".join(text)

    if what == "quote":
        return quote()
    if what == "cited":
        words = " ".join(quote().split())
        return f"“{words}” {inline(machine, target, style)}"
    if what == "citation":
        return machine.format_citation(target, style)
    if what == "inline":
        return inline(machine, target, style)
    if what == "bibtex":
        return machine.format_citation(target, "bibtex")
    if what == "markdown":
        from cmtui.engine.exports.markdown import block_quote

        cited = machine.format_citation(target, style, output="markdown")
        return f"{block_quote(quote())}\n>\n> — {cited}\n"
    return target


def inline(machine: CitationMachine, target: str, style: str) -> str:
    """The in-text form with its page; the note or the reference in a style that has none."""
    from cmtui.errors import UnsupportedForm

    for form in ("inline", "footnote"):
        try:
            return machine.format_citation(target, style, form=form)
        except UnsupportedForm:
            continue
    return machine.format_citation(target, style)


class Copying(Deciding):
    """Copies and explanations of the review screen."""

    def action_copy(self) -> None:
        """Choose what to copy."""
        row = self.here
        if row is None:
            return
        style = STYLE.get(self.cmtui.style, self.cmtui.style)
        choices = [
            Choice("y", "quote, exactly", "quote"),
            Choice("q", f"quote with its citation in the text ({style})", "cited"),
            Choice("c", f"citation ({style})", "citation"),
            Choice("t", f"citation in the text ({style})", "inline"),
            Choice("b", "BibTeX", "bibtex"),
            Choice("m", "Markdown: quote and citation", "markdown"),
            Choice("i", "evidence id", "id"),
        ]
        self.app.push_screen(MenuScreen("Copy", choices), lambda value: self._copy(row, value))

    def _copy(self, row: FindingRow, what: str | None) -> None:
        machine, style = self.machine, self.cmtui.style
        if what is None:
            return
        if not row.decidable and what in _QUOTED:
            self.say("Refused rows have no verified quote to copy.", "bad")
            return
        target = row.finding.evidence_id or row.finding.document_id
        name = STYLE.get(style, style)
        words = {
            "quote": "quote (verified)",
            "cited": f"quote with its {name} citation",
            "citation": f"{name} citation",
            "inline": f"{name} citation in the text",
            "bibtex": "BibTeX entry",
            "markdown": "quote and citation",
            "id": "evidence id",
        }
        self.ask(
            "copy",
            lambda _: text_to_copy(machine, target, what, style),
            lambda text: self.cmtui.copy(text, words[what]),
        )

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
        if not row.newest:
            lines.append("Not in it     kept from an earlier run, an adjusted span or a newer version")
        lines += [
            f"Source        {row.name}",
            f"Place         {every_place(row.locators)}",
            f"Span          [{finding.start}, {finding.end}) of {finding.document_id}",
            f"Evidence      {finding.evidence_id or 'none: nothing was verified'}",
        ]
        if row.state.adjusted_from:
            lines.append(f"Adjusted from {row.state.adjusted_from}")
        if row.state.adjusted_to:
            lines.append(f"Adjusted to   {row.state.adjusted_to}")
        lines += ["", CAVEAT]
        self.app.push_screen(TextScreen("Why this relation", "\n".join(lines)))

"""What goes out of a review and comes in: exports, imports, other reviewers, newer versions of sources."""

from __future__ import annotations

from pathlib import Path

from cmtui.engine.exports import FORMATS, ExportedReview, ReviewFormat
from cmtui.engine.exports.importing import ImportedReview
from cmtui.model.claim import Relation
from cmtui.model.reanchor import EXACT_CLASSES, AnchorReason, Reanchoring
from cmtui.model.review import Decision, ReviewState
from cmtui.model.selectors import Span
from cmtui.tui.labels import DECISION, RELATION, every_place, plural
from cmtui.tui.review_data import FindingRow
from cmtui.tui.reviewing.adjust import AdjustScreen
from cmtui.tui.reviewing.conflicts import ConflictScreen
from cmtui.tui.reviewing.copying import Copying
from cmtui.tui.reviewing.writing import Step
from cmtui.tui.screens.dialogs import Choice, ConfirmScreen, MenuScreen, PromptScreen, TextScreen
from cmtui.tui.screens.source import SourceScreen
from cmtui.tui.widgets.source_view import SourceView
from cmtui.tui.workers import Call

#: The letter of each format in the menu.
_LETTERS = dict(zip((each.name for each in FORMATS), "jcmwbrsz", strict=True))

#: What is said of text in a newer version that is not exactly there once.
_NOT_EXACT = {
    AnchorReason.EDITED: "The text was changed there; this cannot be carried over.",
    AnchorReason.LAYOUT: "Only its layout differs there; as exact text it is another quote.",
    AnchorReason.CROSSES_PASSAGE: "There it runs over several passages.",
    AnchorReason.GONE: "Nothing like it is left there. The old version stays as it is.",
    AnchorReason.AMBIGUOUS: "It stands at several places there. Which one is meant?",
}


class Sharing(Copying):
    """Adjusting, moving to newer versions, exporting and comparing."""

    # -- the span -----------------------------------------------------------------------------------

    def action_adjust(self) -> None:
        """Change the span; what is selected in the context is where it begins."""
        row = self.here
        if row is None or not row.decidable:
            return
        selected = self.query_one("#text", SourceView).selection
        begin = selected if selected is not None else row.finding.span
        self.app.push_screen(AdjustScreen(row, begin, lambda span: self._adjusted(row, span)))

    def _adjusted(self, row: FindingRow, span: Span) -> None:
        session = self.cmtui.session

        def write() -> ReviewState:
            made = session.adjust(*row.target, span)
            self.wanted_key = f"{made.claim_id}/{made.identity.evidence_id}"
            return made.state

        done = "✔ span adjusted and verified; the old finding stays   u to undo"
        self.write(Step(write, (row.key,), done, reload=True))

    # -- newer versions -----------------------------------------------------------------------------

    def action_newer(self) -> None:
        """Accept the finding at its place in the newer version of its source."""
        row = self.here
        if row is None or not row.decidable:
            return
        evidence = row.finding.evidence_id or ""
        self.ask("newer", lambda _: self.machine.moved(evidence), lambda found: self._newer(row, found))

    def _newer(self, row: FindingRow, found: Reanchoring | None) -> None:
        if found is None:
            self.say("This finding is of the current version of its source.")
            return
        anchoring = found.anchoring
        exact = anchoring.anchor in EXACT_CLASSES and anchoring.span is not None
        lines = [f"was    “{_short(found.text)}”  {every_place(found.locators)}"]
        choices = []
        if exact:
            where = every_place(found.new_locators) if found.new_locators is not None else ""
            lines.append(f"there  the same text, exactly  {where}")
            choices.append(Choice("a", "accept it there; the old finding stays", "accept"))
        else:
            lines.append(_NOT_EXACT.get(anchoring.reason, "It is not exactly there."))
            if anchoring.text is not None:
                lines.append(f"there  “{_short(anchoring.text)}”")
            for number, place in enumerate(anchoring.places[:9], 1):
                choices.append(
                    Choice(str(number), f"accept it at character {place.start:,}", str(place.start))
                )
        target = anchoring.span or (anchoring.places[0] if anchoring.places else None)
        if target is not None:
            choices.append(Choice("o", "open the newer version there", "open"))

        def then(value: str | None) -> None:
            if value == "open":
                self.app.push_screen(SourceScreen(found.current_document_id, at=target))
            elif value is not None:
                self._accept_moved(row, None if value == "accept" else int(value))

        menu = MenuScreen("In the newer version", choices, note="\n".join(lines))
        self.app.push_screen(menu, then)

    def _accept_moved(self, row: FindingRow, offset: int | None) -> None:
        session, machine = self.cmtui.session, self.machine

        def write() -> ReviewState:
            made = machine.accept_moved(session.reviewer, *row.target, offset=offset)
            self.wanted_key = f"{row.claim_id}/{made.new_evidence_id}"
            return session.state()

        done = "✔ accepted in the newer version; the old finding stays   u to undo"
        self.write(Step(write, (row.key,), done, reload=True))

    # -- sums ---------------------------------------------------------------------------------------

    def action_sum(self) -> None:
        """What was decided so far, claim by claim."""
        lines = [self.summary(), ""]
        kinds = (Decision.ACCEPTED, Decision.REJECTED, Decision.SKIPPED, Decision.UNDECIDED)
        for number, view in enumerate(self.findings_data.claims, 1):
            made = [self.decision_of(row) for row in view.rows if row.counted]
            counts = [f"{DECISION[decision]} {made.count(decision)}" for decision in kinds]
            lines.append(f"{number:>3}  {'  '.join(f'{count:<5}' for count in counts)} {view.claim.text}")
        self.app.push_screen(TextScreen(f"Review of {self.cmtui.session.reviewer}", "\n".join(lines)))

    def summary(self) -> str:
        """Accepted, rejected and skipped, by relation."""
        rows = [row for view in self.findings_data.claims for row in view.rows if row.counted]
        parts = []
        for decision in (Decision.ACCEPTED, Decision.REJECTED, Decision.SKIPPED):
            chosen = [row.finding.relation for row in rows if self.decision_of(row) is decision]
            counts = {relation: chosen.count(relation) for relation in Relation if relation in chosen}
            inside = ", ".join(f"{count} {RELATION[relation]}" for relation, count in counts.items())
            parts.append(f"{len(chosen)} {decision.value}" + (f" ({inside})" if inside else ""))
        open_ = sum(self.is_open(row) for row in rows)
        return " · ".join([*parts, *([f"{open_} undecided"] if open_ else [])])

    # -- files --------------------------------------------------------------------------------------

    def action_export(self) -> None:
        """Choose what to export as."""
        choices = [Choice(_LETTERS[f.name], f"{f.name:<12} {f.purpose}", f.name) for f in FORMATS]
        choices.append(Choice("i", f"{'import':<12} a review that was exported as jsonl or bundle", "import"))

        def then(name: str | None) -> None:
            if name == "import":
                self._ask_import()
            elif name is not None:
                self._ask_path(next(each for each in FORMATS if each.name == name))

        self.app.push_screen(MenuScreen("Export your decisions", choices), then)

    def _ask_path(self, chosen: ReviewFormat) -> None:
        reviewer = "".join(c if c.isalnum() else "-" for c in self.cmtui.session.reviewer)
        name = str(Path.cwd() / f"review-{reviewer}.{chosen.suffix}")

        def then(text: str | None) -> None:
            if text is None or not text.strip():
                self.say("Nothing written: no file was named.")
                return
            path = Path(text.strip()).expanduser()
            if path.exists():
                question = f"{path} exists already. Replace it?"
                screen = ConfirmScreen("Replace the file", question)
                self.app.push_screen(screen, lambda yes: self._export(chosen, path) if yes else None)
            else:
                self._export(chosen, path)

        self.app.push_screen(PromptScreen(f"Write {chosen.name} to", name), then)

    def _export(self, chosen: ReviewFormat, path: Path) -> None:
        session, style = self.cmtui.session, self.cmtui.style

        def work(_: Call) -> ExportedReview:
            from cmtui.engine.exports.files import write_file

            made = self.machine.export_review(session.reviewer, chosen.name, style=style)
            write_file(path, made.content, replace=True)
            return made

        def then(made: ExportedReview) -> None:
            noun = "source" if chosen.accepted else "finding"
            self.say(f"✔ {plural(made.count, noun)} written to {path}", "good")
            if made.warnings:
                self.notify("\n".join(made.warnings[:5]), title="Left out", timeout=10, markup=False)

        self.ask("export", work, then, exclusive=False)

    def _ask_import(self) -> None:
        def then(text: str | None) -> None:
            if text and text.strip():
                path = Path(text.strip()).expanduser()
                self.ask("import", lambda _: self.machine.import_review(_read(path)), self._imported)

        self.app.push_screen(PromptScreen("Import a review from"), then)

    def _imported(self, made: ImportedReview) -> None:
        self.say(f"✔ {made.reviewer}: {plural(made.actions, 'action')} imported, {made.known} known", "good")
        if made.refused_actions:
            named = {one.source for one in made.refused}
            text = f"{plural(made.refused_actions, 'action')} refused: not verified here ({', '.join(named)})"
            self.notify(text, title="Refused", severity="warning", timeout=10, markup=False)
        self.reload()

    # -- other reviewers ----------------------------------------------------------------------------

    def action_blind(self) -> None:
        """Show what others decided, or hide it."""
        session = self.cmtui.session
        if not self.findings_data.state.blind:
            hidden = "Blind: what others decide is hidden."
            self.write(Step(lambda: session.set_blind(blind=True), (), hidden, reload=True))
            return

        def then(yes: bool | None) -> None:
            if yes:
                done = "What others decided is shown; the log keeps since when."
                self.write(Step(lambda: session.set_blind(blind=False), (), done, reload=True))

        question = (
            "You review blind: what others decided is hidden.\n"
            "Decide on your own first; your log keeps when you looked.\n"
            "See it now?"
        )
        self.app.push_screen(ConfirmScreen("Other reviewers", question), then)

    def action_compare(self) -> None:
        """Two reviewers: agreement and conflicts."""
        if self.findings_data.state.blind:
            self.say("You review blind. B shows what others decided; your log keeps when.")
        else:
            self.ask("reviewers", lambda _: self.machine.reviewers(), self._compare)

    def _compare(self, names: tuple[str, ...]) -> None:
        if len(names) < 2:
            self.say("Only one person has reviewed here. E i imports a colleague's review.")
        elif len(names) == 2:
            self.app.push_screen(ConflictScreen(*names))
        else:
            self._choose(names)

    def _choose(self, names: tuple[str, ...]) -> None:
        letters = "abcdefghijklmnopqrstuvwxyz"
        choices = [Choice(letter, name, name) for letter, name in zip(letters, names, strict=False)]

        def second(first: str | None) -> None:
            if first is not None:
                others = [choice for choice in choices if choice.value != first]

                def then(other: str | None) -> None:
                    if other is not None:
                        self.app.push_screen(ConflictScreen(first, other))

                self.app.push_screen(MenuScreen("Compare", others, note=f"{first}, with whom?"), then)

        self.app.push_screen(MenuScreen("Compare", choices, note="Two reviewers: whom first?"), second)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 60 else words[:59] + "…"


def _read(path: Path) -> bytes:
    from cmtui.errors import NotFound

    try:
        return path.read_bytes()
    except OSError as error:
        raise NotFound(f"'{path}' cannot be read ({error.strerror}).", "Check the path.") from error

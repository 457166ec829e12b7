"""Where the cursor of the review goes: on after a decision, over claims, and what the filter lets through."""

from __future__ import annotations

from cmtui.engine.review_filter import ReviewFilter, parse
from cmtui.errors import InvalidRequest
from cmtui.tui.review_data import FILTERS, ClaimView, FindingRow
from cmtui.tui.screens.dialogs import PromptScreen
from cmtui.tui.screens.following import Following
from cmtui.tui.widgets.row_list import RowList


class Moving(Following):
    """The claim, the finding and the filter; ReviewScreen lays them out."""

    def __init__(self) -> None:
        super().__init__()
        self.number = 0
        self.filter_name = "all"
        self.filter_ = FILTERS["all"]
        self.rows: list[FindingRow] = []

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
                self._say_where(number, claim, back=other in rows[:at])
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

    def _say_where(self, before: int, claim: int, *, back: bool) -> None:
        """Say that the cursor left the claim, or went back: it never does so silently."""
        if claim != before:
            title = "Next claim" if claim > before else "Back to an earlier claim"
            text = self.findings_data.claims[claim].claim.text
            self.notify(text, title=title, timeout=3, markup=False)
        elif back:
            self.notify("An earlier finding is still open.", title="Back up", timeout=3)

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

    def _ask_filter(self, value: str, wrong: str = "") -> None:
        def then(text: str | None) -> None:
            if text is None:
                return
            try:
                filter_ = parse(text)
            except InvalidRequest as error:
                self._ask_filter(text, f"{error.sentence} {error.advice}")
                return
            self._filter(filter_.text or "all", filter_)
            self.repaint()
            claims = self.findings_data.claims
            passing = sum(row.passes(filter_) for view in claims for row in view.rows)
            here = len(self.rows)
            self.say(f"Filter: {self.filter_name} · {here} here, {passing} in all claims")

        hint = "rel:con conf:>.8 is:undecided tag:x source:y -tag:z   enter: filter   esc: leave"
        self.app.push_screen(PromptScreen(wrong or "Filter", value, hint=hint), then)

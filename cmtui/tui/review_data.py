"""What the review screen shows, read in a worker thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from cmtui.errors import CmtuiError
from cmtui.model.bibliography import EditorialNotice, FormattedCitation
from cmtui.model.claim import Claim, RunFinding
from cmtui.model.reanchor import AnchorClass
from cmtui.model.review import UNTOUCHED, Decision, FindingState, ReviewState, finding_key
from cmtui.model.selectors import Span
from cmtui.model.source import Locators
from cmtui.tui.labels import DECISION, DECISION_STYLE, NOTICE, RELATION, confidence, margin
from cmtui.tui.widgets.row_list import Row
from cmtui.tui.widgets.source_view import Labels

if TYPE_CHECKING:
    from cmtui.engine import CitationMachine, ReviewSession
    from cmtui.tui.reading import Reader

#: The filters that ``.`` goes through.
FILTERS = ("all", "undecided", "accepted", "rejected", "skipped", "SUP", "CON", "REL", "INS")


@dataclass(frozen=True)
class FindingRow:
    """One finding of the newest run, with the name of its source and where it stands."""

    claim_id: str
    finding: RunFinding
    name: str
    locators: Locators
    state: FindingState = UNTOUCHED
    notices: tuple[EditorialNotice, ...] = ()

    @property
    def key(self) -> str:
        """The object of its events."""
        return finding_key(self.claim_id, self.finding.evidence_id or self.finding.passage_id)

    @property
    def decidable(self) -> bool:
        """Whether it can be decided: a refused proposal has no evidence."""
        return self.finding.evidence_id is not None

    @property
    def undecided(self) -> bool:
        """Whether a decision is still open."""
        return self.decidable and self.state.decision is Decision.UNDECIDED

    @property
    def glyph(self) -> str:
        """The decision, or ! for a refused row."""
        return DECISION[self.state.decision] if self.decidable else "!"

    def passes(self, filter_: str) -> bool:
        """Whether the filter lets it through."""
        if filter_ == "all":
            return True
        if filter_ in RELATION.values():
            return RELATION[self.finding.relation] == filter_
        return self.state.decision.value == filter_ and self.decidable

    def row(self) -> Row:
        """The row as drawn: relation, confidence, source and place, decision."""
        relation = RELATION[self.finding.relation]
        if self.state.relation and self.state.relation != self.finding.relation.value:
            relation = f"{relation[:1]}→{RELATION.get(self.state.relation, '?')[:1]}"
        style = DECISION_STYLE[self.state.decision] if self.decidable else "warn"
        score, where = confidence(self.finding.confidence), margin(self.locators)
        name = f"{NOTICE[self.notices[0].kind][0]} {self.name}" if self.notices else self.name
        return Row((relation, score, name, where, self.glyph), style=style)


@dataclass(frozen=True)
class ClaimView:
    """A claim with its findings and how many documents it has not seen."""

    claim: Claim
    rows: tuple[FindingRow, ...] = ()
    unseen: int = 0

    @property
    def decided(self) -> int:
        """Findings with a decision."""
        return sum(row.decidable and not row.undecided for row in self.rows)

    @property
    def total(self) -> int:
        """Findings that can be decided."""
        return sum(row.decidable for row in self.rows)

    def row(self, number: int) -> Row:
        """The row as drawn."""
        share = f"{self.decided}/{self.total}" if self.claim.latest is not None else "–"
        mark = "+" if self.unseen else ""
        return Row((str(number), self.claim.text, f"{share}{mark}"), style="dim" if self.unseen else "")


@dataclass(frozen=True)
class ReviewData:
    """All claims with their findings, under one state of the log."""

    claims: tuple[ClaimView, ...] = ()
    state: ReviewState = field(default_factory=lambda: ReviewState({}))

    def with_state(self, state: ReviewState) -> ReviewData:
        """The same findings under another state of the log."""
        claims = []
        for view in self.claims:
            rows = tuple(
                FindingRow(
                    row.claim_id,
                    row.finding,
                    row.name,
                    row.locators,
                    state.of(row.claim_id, row.finding.evidence_id) if row.finding.evidence_id else UNTOUCHED,
                    row.notices,
                )
                for row in view.rows
            )
            claims.append(ClaimView(view.claim, rows, view.unseen))
        return ReviewData(tuple(claims), state)

    def find(self, key: str) -> tuple[int, FindingRow] | None:
        """The claim number and row of an event's object."""
        for number, view in enumerate(self.claims):
            for row in view.rows:
                if row.key == key:
                    return number, row
        return None

    def undecided(self) -> Iterator[tuple[int, FindingRow]]:
        """Every undecided finding with its claim number, in order."""
        for number, view in enumerate(self.claims):
            for row in view.rows:
                if row.undecided:
                    yield number, row


def load(machine: CitationMachine, session: ReviewSession, reader: Reader) -> ReviewData:
    """Claims, findings and decisions. For a worker thread."""
    state = session.state()
    names: dict[str, str] = {}
    notices: dict[str, tuple[EditorialNotice, ...]] = {}
    views = []
    for claim in machine.claims():
        rows = []
        for finding in claim.latest.findings if claim.latest else ():
            document_id = finding.document_id
            try:
                if document_id not in names:
                    names[document_id] = reader.name(document_id)
                locators = reader.locate(document_id, finding.span)
            except CmtuiError as error:
                names[document_id], locators = f"({error.code})", Locators()
            if document_id not in notices:
                notices[document_id] = _notices(machine, document_id)
            row = FindingRow(claim.claim_id, finding, names[document_id], locators)
            rows.append(replace(row, notices=notices[document_id]))
        views.append(ClaimView(claim, tuple(rows), machine.unseen_documents(claim) if claim.latest else 0))
    return ReviewData(tuple(views)).with_state(state)


def _notices(machine: CitationMachine, document_id: str) -> tuple[EditorialNotice, ...]:
    try:
        return machine.editorial_notices(document_id)
    except CmtuiError:  # said in the library; a review goes on without it
        return ()


@dataclass(frozen=True)
class Shown:
    """The text around a finding and its citation."""

    text: str
    window: Span
    labels: Labels
    passage: Span
    citation: str
    inline: str
    newer: str = ""


#: What is said of a finding whose document a newer version of its source has replaced.
_NEWER = {
    AnchorClass.SAME_OFFSET: "there the text stands at the same place",
    AnchorClass.MOVED: "there the text stands once, at another place",
    AnchorClass.CHANGED: "there the text has changed",
    AnchorClass.LOST: "there the text is gone",
}


def show(machine: CitationMachine, reader: Reader, row: FindingRow, around: int, style: str) -> Shown:
    """Read the context of a finding and format its citation. For a worker thread."""
    finding = row.finding
    document = reader.document(finding.document_id)
    passage = document.passage_at(finding.start)
    target = finding.evidence_id or finding.document_id
    return Shown(
        text=document.text,
        window=reader.window(finding.document_id, finding.span, around),
        labels=reader.labels(finding.document_id),
        passage=passage.span if passage is not None else finding.span,
        citation=_cite(machine, target, style, ("reference",)),
        inline=_cite(machine, target, style, ("inline", "footnote")),
        newer=_newer(machine, finding),
    )


def _newer(machine: CitationMachine, finding: RunFinding) -> str:
    """A sentence when the source has a newer version than the one the finding stands in, else nothing."""
    superseded = machine.superseded(finding.document_id, finding.span)
    if superseded is None:
        return ""
    said = _NEWER[superseded.anchor] if superseded.anchor else "it cannot be compared (see doctor)"
    return f"! the source has a newer version: {said}"


def _cite(machine: CitationMachine, target: str, style: str, forms: Sequence[str]) -> str:
    answer = ""
    for form in forms:
        try:
            cited: FormattedCitation = machine.cite(target, style=style, form=form)
        except CmtuiError as error:
            answer = answer or f"— {error}"
            continue
        return cited.text
    return answer

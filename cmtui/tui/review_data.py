"""What the review screen shows, read in a worker thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from cmtui.engine.review_filter import ReviewFilter, Subject, parse
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

#: The filters that ``.`` goes through, by the names they are shown under.
FILTERS = {
    "all": parse(""),
    "undecided": parse("is:undecided"),
    "accepted": parse("is:accepted"),
    "rejected": parse("is:rejected"),
    "skipped": parse("is:skipped"),
    "SUP": parse("rel:sup"),
    "CON": parse("rel:con"),
    "REL": parse("rel:rel"),
    "INS": parse("rel:ins"),
}


@dataclass(frozen=True)
class FindingRow:
    """One finding to review, with the name of its source and where it stands.

    ``others`` is what other reviewers said of it; empty while this reviewer is blind.
    """

    claim_id: str
    claim: str
    finding: RunFinding
    name: str
    locators: Locators
    state: FindingState = UNTOUCHED
    notices: tuple[EditorialNotice, ...] = ()
    newest: bool = True
    others: tuple[tuple[str, FindingState], ...] = ()
    superseded: bool = False

    @property
    def key(self) -> str:
        """The object of its events."""
        return finding_key(self.claim_id, self.finding.evidence_id or self.finding.passage_id)

    @property
    def target(self) -> tuple[str, str]:
        """Claim and evidence id, as the engine wants them."""
        return self.claim_id, self.finding.evidence_id or ""

    @property
    def decidable(self) -> bool:
        """Whether it can be decided: a refused proposal has no evidence."""
        return self.finding.evidence_id is not None

    @property
    def undecided(self) -> bool:
        """Whether a decision is still open: not where an adjusted span stands for it."""
        return self.decidable and self.state.open

    @property
    def counted(self) -> bool:
        """Whether it counts in the progress."""
        return self.undecided or (self.decidable and self.state.decision is not Decision.UNDECIDED)

    @property
    def glyph(self) -> str:
        """The decision, ! for a refused row, ↓ where the adjusted span below stands for it."""
        if not self.decidable:
            return "!"
        return DECISION[self.state.decision] if self.counted else "↓"

    def passes(self, filter_: ReviewFilter) -> bool:
        """Whether the filter lets it through."""
        if not filter_.tests:
            return True
        finding = self.finding
        return filter_.matches(
            Subject(
                relation=finding.relation,
                confidence=finding.confidence,
                state=self.state,
                source=self.name,
                claim=self.claim,
                text=finding.text,
                refused=not self.decidable,
                superseded=self.superseded,
            )
        )

    def row(self, *, marked: bool = False) -> Row:
        """The row as drawn: relation, confidence, source and place, decision."""
        relation = RELATION[self.finding.relation]
        if self.state.relation and self.state.relation != self.finding.relation.value:
            relation = f"{relation[:1]}→{RELATION.get(self.state.relation, '?')[:1]}"
        style = DECISION_STYLE[self.state.decision] if self.counted else "dim"
        if not self.decidable:
            style = "warn"
        score, where = confidence(self.finding.confidence), margin(self.locators)
        name = f"{NOTICE[self.notices[0].kind][0]} {self.name}" if self.notices else self.name
        if self.state.adjusted_from is not None:
            name = f"↳ {name}"
        return Row((relation, score, name, where, self.glyph), style=style, marked=marked)


@dataclass(frozen=True)
class ClaimView:
    """A claim with its findings and how many documents it has not seen."""

    claim: Claim
    rows: tuple[FindingRow, ...] = ()
    unseen: int = 0

    @property
    def decided(self) -> int:
        """Findings with a decision."""
        return sum(row.counted and not row.undecided for row in self.rows)

    @property
    def total(self) -> int:
        """Findings that can be decided."""
        return sum(row.counted for row in self.rows)

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
                replace(row, state=now)
                if row.decidable and (now := state.of(*row.target)) != row.state
                else row
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


#: Locators by document, span and page offset: documents never change, so neither do these.
Known = dict[tuple[str, Span, int | None], Locators]


def load(machine: CitationMachine, session: ReviewSession, reader: Reader, known: Known) -> ReviewData:
    """Claims, findings and decisions. For a worker thread. ``known`` keeps locators for the next time."""
    state = session.state()
    others = session.others()
    names: dict[str, str] = {}
    notices: dict[str, tuple[EditorialNotice, ...]] = {}
    views = []
    for claim in machine.claims():
        rows = []
        for reviewed in session.findings(claim, state):
            finding = reviewed.finding
            document_id = finding.document_id
            try:
                if document_id not in names:
                    names[document_id] = reader.name(document_id)
                source = machine.source(document_id)
                old = source.documents[-1] != document_id
                place = (document_id, finding.span, source.page_offset)
                if place not in known:
                    known[place] = reader.locate(document_id, finding.span)
                locators = known[place]
            except CmtuiError as error:
                names[document_id], locators, old = f"({error.code})", Locators(), False
            if document_id not in notices:
                notices[document_id] = _notices(machine, document_id)
            said = [(who, of.of(claim.claim_id, finding.evidence_id or "")) for who, of in others.items()]
            rows.append(
                FindingRow(
                    claim.claim_id,
                    claim.text,
                    finding,
                    names[document_id],
                    locators,
                    reviewed.state,
                    notices[document_id],
                    reviewed.newest,
                    tuple(one for one in said if one[1] != UNTOUCHED),
                    old,
                )
            )
        views.append(ClaimView(claim, tuple(rows), machine.unseen_documents(claim) if claim.latest else 0))
    return ReviewData(tuple(views), state)


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
    return f"! the source has a newer version: {said} (A)"


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

"""The library as a list: rows read in a worker thread, then filtered and sorted in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cmtui.errors import CmtuiError
from cmtui.model.bibliography import CslItem, EditorialNotice, NoticeKind
from cmtui.model.claim import Claim
from cmtui.model.review import Decision, ReviewState
from cmtui.model.source import DocumentSummary
from cmtui.tui.labels import KIND, NOTICE, authors, notice_mark, year
from cmtui.tui.widgets.row_list import Row

if TYPE_CHECKING:
    from cmtui.engine import CitationMachine

#: What the list can be sorted by, in the order of the sort menu.
SORTS = ("title", "author", "year", "kind", "added")


#: Words of the filter that ask for one thing.
ASKED = ("tag:", "kind:", "status:")


def chosen(text: str) -> tuple[str, str]:
    """The kind and the status that a filter asks for; ``any`` where it asks for none."""
    asked = dict(word.split(":", 1) for word in text.casefold().split() if word.startswith(ASKED))
    return asked.get("kind") or "any", asked.get("status") or "any"


@dataclass(frozen=True)
class LibraryRow:
    """One source: its current document, its bibliography, and what was decided on its findings."""

    summary: DocumentSummary
    item: CslItem = field(default_factory=dict)
    decisions: Counter[Decision] = field(default_factory=Counter)
    problem: str = ""
    notices: tuple[EditorialNotice, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def source_id(self) -> str:
        """The id of the source."""
        return self.summary.source_id

    @property
    def title(self) -> str:
        """The title that a person gave, else the file name (never taken for a title elsewhere)."""
        return str(self.item.get("title") or self.summary.name)

    @property
    def retracted(self) -> bool:
        """Whether the publisher took it back."""
        return bool(self.notices) and self.notices[0].kind is NoticeKind.RETRACTION

    @property
    def glyph(self) -> str:
        """✔ in order, ! needs attention; ⊗ ? ± where a publisher says something of the work itself."""
        if self.notices:
            return NOTICE[self.notices[0].kind][0]
        return "!" if self.problem or self.summary.warnings else "✔"

    @property
    def reason(self) -> str:
        """Why it needs attention; empty when it does not."""
        if self.problem:
            return "metadata cannot be read"
        if self.notices:
            return notice_mark(self.notices[0])
        return self.summary.warnings[0].message if self.summary.warnings else ""

    def key(self, sort: str) -> tuple[object, ...]:
        """The sort key; what is unknown stands last."""
        title = self.title.casefold()
        if sort == "author":
            name = authors(self.item).casefold()
            return (not name, name, title)
        if sort == "year":
            when = year(self.item)
            return (not when, when, title)
        if sort == "kind":
            return (self.summary.kind.value, title)
        if sort == "added":
            return (self.summary.ingested_at or "", title)
        return (title,)

    def matches(self, words: Sequence[str]) -> bool:
        """Whether every word stands in title, author, file name, kind or year.

        ``tag:x``, ``kind:pdf`` and ``status:ok`` or ``status:attention`` ask for these alone.
        """
        text = " ".join(
            (self.title, authors(self.item), self.summary.name, self.summary.kind.value, year(self.item))
        ).casefold()
        return all(self._is(word) if word.startswith(ASKED) else word in text for word in words)

    def _is(self, word: str) -> bool:
        key, _, value = word.partition(":")
        if value in ("", "any"):
            return True
        if key == "tag":
            return any(tag.casefold().startswith(value) for tag in self.tags)
        if key == "kind":
            kind = self.summary.kind.value
            return kind.startswith(value) or KIND.get(self.summary.kind, "").startswith(value)
        return ("ok" if self.glyph == "✔" else "attention").startswith(value)

    def row(self) -> Row:
        """The row as drawn."""
        author = authors(self.item) or "—"
        style = "bad" if self.retracted else "" if self.glyph == "✔" else "warn"
        title = f"{self.title}  {self.reason}" if self.reason else self.title
        kind = KIND.get(self.summary.kind, self.summary.kind.value)
        return Row((self.glyph, title, author, year(self.item) or "—", kind), style=style)


def load(machine: CitationMachine, state: ReviewState) -> list[LibraryRow]:
    """Every current document with its bibliography and decisions. For a worker thread."""
    decisions = decisions_by_document(machine.claims(), state)
    tags = {source.source_id: source.tags for source in machine.sources()}
    rows = []
    for summary in machine.documents():
        if not summary.current:
            continue
        item: CslItem = {}
        problem = ""
        notices: tuple[EditorialNotice, ...] = ()
        try:
            record = machine.bibliography(summary.source_id)
            item = record.item if record is not None else {}
            if record is not None and record.notices:
                notices = machine.editorial_notices(summary.source_id)
        except CmtuiError as error:
            problem = str(error)
        counts = decisions.get(summary.document_id, Counter())
        rows.append(LibraryRow(summary, item, counts, problem, notices, tags.get(summary.source_id, ())))
    return rows


def decisions_by_document(claims: Sequence[Claim], state: ReviewState) -> dict[str, Counter[Decision]]:
    """How many findings of the newest runs stand where, per document."""
    found: dict[str, Counter[Decision]] = {}
    for claim in claims:
        for finding in claim.latest.findings if claim.latest else ():
            if finding.evidence_id is not None:
                decision = state.of(claim.claim_id, finding.evidence_id).decision
                found.setdefault(finding.document_id, Counter())[decision] += 1
    return found


def arrange(rows: Sequence[LibraryRow], text: str, sort: str) -> list[LibraryRow]:
    """The rows that match the filter, sorted."""
    words = text.casefold().split()
    return sorted((row for row in rows if row.matches(words)), key=lambda row: row.key(sort))

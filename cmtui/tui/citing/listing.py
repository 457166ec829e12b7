"""The list of the Cite screen: what is complete, what a publisher says of it, and what is the same work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cmtui.errors import CmtuiError
from cmtui.model.review import ReviewState
from cmtui.tui import catalogue
from cmtui.tui.catalogue import LibraryRow
from cmtui.tui.labels import NOTICE, SAME, notice_line
from cmtui.tui.widgets.row_list import Row

if TYPE_CHECKING:
    from cmtui.engine import CitationMachine


@dataclass(frozen=True)
class Shelf:
    """Every source with its bibliography; ``same`` links sources of one work, with the reasons."""

    rows: Sequence[LibraryRow] = ()
    complete: Mapping[str, bool] = field(default_factory=dict)
    same: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """The sources in their order."""
        return [row.source_id for row in self.rows]

    def row(self, source_id: str) -> LibraryRow | None:
        """The row of a source."""
        return next((row for row in self.rows if row.source_id == source_id), None)

    def shown(self) -> list[Row]:
        """The rows as drawn: title, marks (⊗ ? ± for notices, ≈ for the same work), complete or not."""
        return [self._shown(row) for row in self.rows]

    def _shown(self, row: LibraryRow) -> Row:
        marks = (NOTICE[row.notices[0].kind][0] if row.notices else "") + (
            "≈" if row.source_id in self.same else ""
        )
        done = "✔" if self.complete.get(row.source_id) else ("!" if row.item else "✘")
        return Row((row.title, marks, done), style="bad" if row.retracted else "" if row.item else "dim")

    def about(self, source_id: str) -> list[str]:
        """What the marks of a source mean, a line each: the word, and for the same work the other's title."""
        row = self.row(source_id)
        if row is None:
            return []
        lines = [notice_line(notice) for notice in row.notices]
        for other, reasons in self.same.get(source_id, ()):
            title = other_row.title if (other_row := self.row(other)) else other
            why = ", ".join(SAME.get(reason, reason) for reason in reasons)
            lines.append(f"≈ {why}: {title}")
        return lines


def load(machine: CitationMachine, state: ReviewState) -> Shelf:
    """Read everything. For a worker thread."""
    rows = catalogue.arrange(catalogue.load(machine, state), "", "title")
    complete = {}
    for row in rows:
        try:
            complete[row.source_id] = bool(row.item) and bool(machine.cite(row.source_id))
        except CmtuiError:
            complete[row.source_id] = False
    same: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for pair in machine.duplicates():
        same.setdefault(pair.first, []).append((pair.second, pair.reasons))
        same.setdefault(pair.second, []).append((pair.first, pair.reasons))
    return Shelf(rows, complete, {source_id: tuple(found) for source_id, found in same.items()})

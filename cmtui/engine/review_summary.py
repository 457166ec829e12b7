"""What a reviewer has decided so far: counts by decision and relation, per claim and over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cmtui.engine.review_findings import ReviewedFinding
from cmtui.model.claim import Claim, Relation
from cmtui.model.review import Decision


@dataclass(frozen=True, slots=True)
class Tally:
    """Findings by decision and the engine's relation. Adjusted spans count where they were adjusted to.

    ``refused`` are proposals without verified evidence: there is nothing to decide about them.
    """

    counts: Mapping[tuple[Decision, Relation], int]
    refused: int = 0

    def of(self, decision: Decision) -> int:
        """Findings with this decision."""
        return sum(count for (one, _), count in self.counts.items() if one is decision)

    def by_relation(self, decision: Decision) -> dict[Relation, int]:
        """Findings with this decision by relation, without zeros, in the order of relations."""
        found = {relation: self.counts.get((decision, relation), 0) for relation in Relation}
        return {relation: count for relation, count in found.items() if count}

    @property
    def total(self) -> int:
        """Findings that can be decided."""
        return sum(self.counts.values())

    @property
    def decided(self) -> int:
        """Findings with a decision."""
        return self.total - self.of(Decision.UNDECIDED)


@dataclass(frozen=True, slots=True)
class ClaimTally:
    """One claim and its tally."""

    claim: Claim
    tally: Tally


def tally(rows: Iterable[ReviewedFinding]) -> Tally:
    """Count reviewed findings."""
    counts: Counter[tuple[Decision, Relation]] = Counter()
    refused = 0
    for row in rows:
        if row.finding.evidence_id is None:
            refused += 1
        elif row.state.open or row.state.decision is not Decision.UNDECIDED:
            counts[(row.state.decision, row.finding.relation)] += 1
    return Tally(counts, refused)


def total(tallies: Iterable[Tally]) -> Tally:
    """Several tallies as one."""
    counts: Counter[tuple[Decision, Relation]] = Counter()
    refused = 0
    for one in tallies:
        counts.update(one.counts)
        refused += one.refused
    return Tally(counts, refused)

"""How far two reviewers agree: percent agreement, Cohen's kappa, and the queue of what they differ in.

Kappa is that of Cohen (1960), "A coefficient of agreement for nominal scales", Educational and Psychological
Measurement 20(1), 37-46: ``(p_o - p_e) / (1 - p_e)``, where ``p_o`` is the observed share of equal judgements
and ``p_e`` the share expected from each reviewer's own proportions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cmtui.errors import InvalidRequest, NotFound
from cmtui.model.claim import EvidenceEntry
from cmtui.model.review import Decision, FindingState, ReviewState, finding_key, fold
from cmtui.ports import KnowledgeRepository

#: The judgements that are compared. A skipped finding was not judged.
JUDGED = (Decision.ACCEPTED, Decision.REJECTED)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two reviewers over the findings that both judged.

    ``table[(a, b)]`` counts the findings that the first judged ``a`` and the second ``b``. ``kappa`` is None
    where it is not defined, and ``undefined`` then says why. ``only_first`` and ``only_second`` count
    findings that one of them alone judged: they say nothing about agreement and are left out.
    """

    table: Mapping[tuple[Decision, Decision], int]
    compared: int
    observed: float | None
    expected: float | None
    kappa: float | None
    undefined: str = ""
    only_first: int = 0
    only_second: int = 0


@dataclass(frozen=True, slots=True)
class Conflict:
    """A finding that two reviewers judged differently. ``settled`` is what the adjudicator decided."""

    claim_id: str
    claim: str
    evidence: EvidenceEntry
    first: FindingState
    second: FindingState
    settled: Decision | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two reviewers compared: the agreement and every conflict, in the order of claims and places.

    ``agreed`` are the findings both judged alike (claim id and evidence id), with that judgement.
    """

    first: str
    second: str
    agreement: Agreement
    conflicts: tuple[Conflict, ...]
    agreed: tuple[tuple[str, str, Decision], ...] = ()

    @property
    def outcome(self) -> tuple[tuple[str, str, Decision], ...]:
        """What stands in the end: what both judged alike, and what was settled between them."""
        settled = [
            (one.claim_id, one.evidence.evidence_id, one.settled)
            for one in self.conflicts
            if one.settled is not None
        ]
        return (*self.agreed, *settled)

    @property
    def open(self) -> tuple[Conflict, ...]:
        """Conflicts that nobody has settled."""
        return tuple(conflict for conflict in self.conflicts if conflict.settled is None)


def cohens_kappa(pairs: Sequence[tuple[Decision, Decision]]) -> Agreement:
    """Agreement over pairs of judgements (first reviewer, second reviewer) of the same findings.

    Undefined without pairs, and where both used one and the same judgement throughout: then agreement by
    chance is certain (``p_e`` = 1) and kappa would be 0/0. It is never reported as 0 or 1 in these cases.
    """
    table = {(a, b): 0 for a in JUDGED for b in JUDGED}
    for pair in pairs:
        table[pair] += 1
    count = len(pairs)
    if not count:
        return Agreement(table, 0, None, None, None, "no finding was judged by both")
    observed = sum(table[(a, a)] for a in JUDGED) / count
    # In whole numbers first, so that certainty is seen as such and not as 0.9999.
    chance = sum(sum(table[(a, b)] for b in JUDGED) * sum(table[(b, a)] for b in JUDGED) for a in JUDGED)
    expected = chance / count**2
    if chance == count**2:
        used = next(a.value for a in JUDGED if table[(a, a)])
        why = f"both {used} everything, so agreement by chance is certain"
        return Agreement(table, count, observed, expected, None, why)
    kappa = (observed - expected) / (1 - expected)
    return Agreement(table, count, observed, expected, kappa)


def compare(
    repository: KnowledgeRepository, first: str, second: str, *, adjudicator: ReviewState
) -> Comparison:
    """Compare two reviewers; ``adjudicator`` is the state of whoever settles their conflicts.

    Raises NotFound for a reviewer without decisions here, InvalidRequest for one compared with itself.
    """
    if first == second:
        raise InvalidRequest(f"{first} agrees with {first}.", "Name two reviewers.")
    known = repository.reviewers()
    for name in (first, second):
        if name not in known:
            raise NotFound(
                f"{name} has decided nothing in this store.",
                f"There are {', '.join(known)}." if known else "Nobody has. Import: review import FILE",
            )
    one, other = fold(repository.events(first)), fold(repository.events(second))
    judged_one = {k: s for k, s in one.findings.items() if s.decision in JUDGED}
    judged_other = {k: s for k, s in other.findings.items() if s.decision in JUDGED}
    both = [key for key in judged_one if key in judged_other]
    found = cohens_kappa([(judged_one[key].decision, judged_other[key].decision) for key in both])
    agreement = Agreement(
        found.table,
        found.compared,
        found.observed,
        found.expected,
        found.kappa,
        found.undefined,
        len(judged_one) - len(both),
        len(judged_other) - len(both),
    )
    differing = {k for k in both if judged_one[k].decision is not judged_other[k].decision}
    conflicts = _conflicts(repository, differing, judged_one, judged_other, adjudicator)
    agreed = [(key, judged_one[key].decision) for key in both if key not in differing]
    return Comparison(
        first,
        second,
        agreement,
        conflicts,
        tuple((key.partition("/")[0], key.rpartition("/")[2], what) for key, what in agreed),
    )


def _conflicts(
    repository: KnowledgeRepository,
    keys: set[str],
    one: Mapping[str, FindingState],
    other: Mapping[str, FindingState],
    adjudicator: ReviewState,
) -> tuple[Conflict, ...]:
    found = []
    for claim in repository.claims(archived=True):
        mine = [key for key in keys if key.startswith(f"{claim.claim_id}/")]
        entries = [repository.evidence(key.rpartition("/")[2]) for key in mine]
        for entry in sorted(entries, key=lambda e: (e.document_id, e.start, e.end)):
            key = finding_key(claim.claim_id, entry.evidence_id)
            settled = adjudicator.of(claim.claim_id, entry.evidence_id).adjudicated
            found.append(Conflict(claim.claim_id, claim.text, entry, one[key], other[key], settled))
    return tuple(found)

"""Which reviewer, which findings: what the arguments of a review verb mean."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from cmtui.cli.session import Session
from cmtui.errors import AmbiguousId, CmtuiError, NotFound
from cmtui.output import Answer, JsonObject, significant

if TYPE_CHECKING:
    from cmtui.engine import LocalCitationMachine, ReviewSession

Target = tuple[str, str]


def session_of(args: Namespace, session: Session) -> ReviewSession:
    """The reviewer's session. Raises NotFound, InvalidRequest."""
    return session.machine.review(session.reviewer(args.reviewer))


def answer(args: Namespace, body: JsonObject, plain: str, rows: list[JsonObject] | None = None) -> Answer:
    """JSON, or the plain text when it was asked for (``--plain``, ``--pretty``)."""
    return Answer(body, rows=rows, plain=plain if args.plain or args.pretty else None)


def rows_of(
    args: Namespace,
    machine: LocalCitationMachine,
    review: ReviewSession,
    relations: list[str] | None,
) -> list[JsonObject]:
    """The reviewer's rows that ``--claim``, ``--relation`` and ``--filter`` let through, in claim order."""
    claim_id = None if args.claim is None else machine.claim(args.claim).claim_id
    matches = _filter(args, machine)
    return [
        row
        for row in all_rows(review)
        if (claim_id is None or row["claim_id"] == claim_id)
        and (not relations or row["relation"] in relations)
        and matches(row)
    ]


def all_rows(review: ReviewSession) -> list[JsonObject]:
    """Every row of the reviewer, its confidence as it is printed."""
    return [{**row, "confidence": significant(float(str(row["confidence"])))} for row in review.rows()]


def is_open(row: JsonObject) -> bool:
    """Whether a decision is still to be made: what was adjusted is represented by what it was adjusted to."""
    return row["decision"] == "undecided" and row["adjusted_to"] is None


class _filter:  # noqa: N801 - a function with a memory
    def __init__(self, args: Namespace, machine: LocalCitationMachine) -> None:
        from cmtui.engine.review_filter import parse

        self._filter = parse(args.filter or "")
        self._machine = machine
        self._names: dict[str | None, str] = {}

    def __call__(self, row: JsonObject) -> bool:
        from cmtui.engine.review_filter import Subject
        from cmtui.model.claim import Relation
        from cmtui.model.review import Decision, FindingState

        state = FindingState(
            Decision(row["decision"]),
            tuple(row["reasons"]),
            row["note"],
            tuple(row["tags"]),
            row["reviewer_relation"],
            adjusted_from=row["adjusted_from"],
            adjusted_to=row["adjusted_to"],
        )
        return self._filter.matches(
            Subject(
                Relation(row["relation"]),
                row["confidence"],
                state,
                self.name(row["source_id"]),
                row["claim"],
                row["text"],
                superseded=row["superseded"] is not None,
            )
        )

    def name(self, source_id: str | None) -> str:
        if source_id not in self._names:
            self._names[source_id] = source_name(self._machine, source_id)
        return self._names[source_id]


def source_name(machine: LocalCitationMachine, source_id: str | None) -> str:
    """What people call a source: its title, else its file's name; ``removed source`` when it is gone."""
    if source_id is None:
        return "removed source"
    try:
        return machine.title(source_id) or machine.source(source_id).name
    except CmtuiError:
        return "removed source"


def targets_of(args: Namespace, session: Session) -> tuple[ReviewSession, list[Target]]:
    """The findings that are meant, whole ids, in the order stated. Raises NotFound, AmbiguousId."""
    review = session_of(args, session)
    named = args.evidence_id if isinstance(args.evidence_id, list) else [args.evidence_id]
    found = [_target(args, session.machine, review, each) for each in named]
    return review, list(dict.fromkeys(found))


def _target(
    args: Namespace, machine: LocalCitationMachine, review: ReviewSession, evidence_id: str
) -> Target:
    evidence = machine.recorded(evidence_id).evidence_id
    if args.claim is not None:
        return machine.claim(args.claim).claim_id, evidence
    claims = {
        str(row["claim_id"]): str(row["claim"]) for row in review.rows() if row["evidence_id"] == evidence
    }
    if not claims:
        raise NotFound(
            f"The evidence {evidence[:12]}… stands under no claim.",
            "Add the claim first: citation-machine claims add TEXT, or name it with --claim.",
        )
    if len(claims) > 1:
        listed = "; ".join(f"{claim_id[:12]} {text}" for claim_id, text in claims.items())
        raise AmbiguousId(
            f"The evidence {evidence[:12]}… stands under {len(claims)} claims: {listed}.",
            "Say which one: --claim CLAIM_ID.",
        )
    return next(iter(claims)), evidence

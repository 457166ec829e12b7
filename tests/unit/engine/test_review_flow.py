"""Groups, reasons, adjusted spans, blindness, filters, sums and agreement of a review (R183, tui.md 3.3)."""

from __future__ import annotations

import contextlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmtui.engine.review import ReviewSession
from cmtui.engine.review_agreement import JUDGED, cohens_kappa, compare
from cmtui.engine.review_filter import Subject, parse
from cmtui.engine.review_summary import tally, total
from cmtui.errors import CrossesPassage, InvalidRequest, NotFound, ReviewError, VerificationError
from cmtui.model.claim import Relation
from cmtui.model.review import Decision, EventType, FindingState
from cmtui.model.selectors import Span
from cmtui.store.memory import InMemoryKnowledgeRepository
from support.reviewing import CLAIM, TEXT, stored

A, R = Decision.ACCEPTED, Decision.REJECTED


@pytest.fixture
def review() -> ReviewSession:
    return ReviewSession(InMemoryKnowledgeRepository(), "ada")


@pytest.fixture
def ids(review: ReviewSession) -> tuple[str, ...]:
    return stored(review.repository)


# -- groups and reasons --------------------------------------------------------------------------------


def test_a_group_is_decided_and_undone_as_one(review: ReviewSession, ids: tuple[str, ...]) -> None:
    """Rule 6 of tui.md 3.3."""
    targets = [(CLAIM, evidence) for evidence in ids]
    state = review.decide(targets, R, reasons=["off-topic"])
    assert {s.decision for s in state.findings.values()} == {R}
    assert len(state.undoable) == 1
    undone = review.undo()
    assert "(3)" in undone.description
    assert {undone.state.of(*target).decision for target in targets} == {Decision.UNDECIDED}
    review.add_tags(targets, ["grief"])
    review.tag(CLAIM, ids[0], ["own"])
    state = review.add_tags(targets, ["sea", "grief"])
    assert state.of(CLAIM, ids[0]).tags == ("own", "sea", "grief")
    assert state.of(CLAIM, ids[1]).tags == ("grief", "sea")


def test_a_group_is_accepted_whole_or_not_at_all(review: ReviewSession, ids, monkeypatch) -> None:
    good = review._check

    def second_fails(evidence_id: str, refused: str) -> None:
        if evidence_id == ids[1]:
            raise VerificationError("no")
        good(evidence_id, refused)

    monkeypatch.setattr(review, "_check", second_fails)
    with pytest.raises(VerificationError):
        review.decide([(CLAIM, evidence) for evidence in ids], A)
    assert review.repository.events("ada") == ()


def test_a_reason_belongs_to_its_rejection_and_one_undo_takes_both_back(review: ReviewSession, ids) -> None:
    """Rule 3 of tui.md 3.3: reasons are tags of the rejection."""
    review.accept(CLAIM, ids[1])
    review.decide([(CLAIM, ids[0]), (CLAIM, ids[2])], R)
    state = review.give_reasons([(CLAIM, ids[0]), (CLAIM, ids[2])], ["figurative"])
    assert state.of(CLAIM, ids[0]).reasons == state.of(CLAIM, ids[2]).reasons == ("figurative",)
    assert len(state.undoable) == 2
    assert review.undo().state.of(CLAIM, ids[0]).decision is Decision.UNDECIDED
    assert review.redo().state.of(CLAIM, ids[0]).reasons == ("figurative",)
    assert review.undo().state.of(CLAIM, ids[1]).decision is A
    # When something else was done since, it is said as a rejection of its own.
    review.reject(CLAIM, ids[0])
    review.note(CLAIM, ids[0], "n")
    state = review.give_reasons([(CLAIM, ids[0])], ["off-topic"])
    assert (state.of(CLAIM, ids[0]).reasons, state.of(CLAIM, ids[0]).note) == (("off-topic",), "n")


# -- adjusted spans --------------------------------------------------------------------------------------


def test_an_adjusted_span_is_a_new_identity_and_the_old_one_stays(review: ReviewSession, ids) -> None:
    """R87: verification alone makes the identity; the event records both."""
    review.note(CLAIM, ids[0], "n")
    review.tag(CLAIM, ids[0], ["t"])
    made = review.adjust(CLAIM, ids[0], Span(4, 13))
    assert made.identity.text == TEXT[4:13] == "king wept"
    new = made.identity.evidence_id
    assert new != ids[0]
    assert review.repository.evidence(ids[0]).exact == "The king wept."
    event = next(e for e in review.repository.events("ada") if e.type is EventType.ADJUSTED)
    assert event.object == f"{CLAIM}/{new}"
    assert event.payload["adjusts"] == ids[0]
    assert event.payload["from"]["exact"] == "The king wept."
    assert event.payload["to"] == {"start": 4, "end": 13, "exact": "king wept"}
    old, now = made.state.of(CLAIM, ids[0]), made.state.of(CLAIM, new)
    assert (old.adjusted_to, old.open, now.adjusted_from, now.open) == (new, False, ids[0], True)
    assert (now.note, now.tags) == ("n", ("t",))
    rows = review.findings(review.repository.claim(CLAIM))
    assert [row.finding.evidence_id for row in rows] == [ids[0], new, ids[1], ids[2]]
    assert rows[1].finding.relation is Relation.SUPPORTS
    assert rows[1].finding.text == "king wept"
    accepted = review.accept(CLAIM, new)
    assert accepted.of(CLAIM, new).decision is A
    assert review.repository.events("ada")[-1].payload["relation"] == "SUPPORTS"
    for _ in range(2):
        state = review.undo().state
    assert state.of(CLAIM, ids[0]).open
    assert len(review.findings(review.repository.claim(CLAIM))) == 3


def test_a_span_adjusted_back_stands_for_itself_again(review: ReviewSession, ids) -> None:
    new = review.adjust(CLAIM, ids[0], Span(4, 13)).identity.evidence_id
    back = review.adjust(CLAIM, new, Span(0, 14))
    assert back.identity.evidence_id == ids[0]
    assert back.state.of(CLAIM, ids[0]).open
    assert not back.state.of(CLAIM, new).open


@pytest.mark.parametrize(
    ("span", "error"),
    [
        (Span(0, 14), InvalidRequest),
        (Span(4, 20), CrossesPassage),
        (Span(9, 9), VerificationError),
        (Span(4, 10_000), VerificationError),
    ],
)
def test_what_cannot_be_verified_is_not_adjusted_to(review: ReviewSession, ids, span: Span, error) -> None:
    with pytest.raises(error):
        review.adjust(CLAIM, ids[0], span)
    assert review.repository.events("ada") == ()
    assert len(review.repository.evidence_entries()) == 3


# -- blindness and agreement ----------------------------------------------------------------------------


def test_others_are_hidden_until_the_reviewer_looks(review: ReviewSession, ids) -> None:
    """Rule 9 of tui.md 3.3."""
    ben = ReviewSession(review.repository, "ben")
    ben.reject(CLAIM, ids[0], reasons=["secret-reason"])
    assert review.state().blind
    assert review.others() == {}
    assert "secret-reason" not in str(list(review.rows()))
    assert "ben" not in str(list(review.rows()))
    with pytest.raises(ReviewError, match="blind"):
        review.require_sight("what ben decided")
    review.accept(CLAIM, ids[1])
    state = review.set_blind(blind=False)
    assert review.others()["ben"].of(CLAIM, ids[0]).reasons == ("secret-reason",)
    review.require_sight("it")
    assert len(state.undoable) == 1
    # What was seen cannot be unseen: undo takes the decision back, not the sight.
    undone = review.undo()
    assert undone.state.of(CLAIM, ids[1]).decision is Decision.UNDECIDED
    assert not undone.state.blind
    assert review.set_blind(blind=False).events == undone.state.events
    assert review.set_blind(blind=True).blind


def test_a_damaged_log_of_another_keeps_nobody_from_reviewing(tmp_path) -> None:
    from cmtui.store.directory import StoreRepository

    repository = StoreRepository.open(tmp_path / "s")
    ids = stored(repository)
    for name in ("ben", "carol"):
        ReviewSession(repository, name).reject(CLAIM, ids[0], reasons=["figurative"])
    log = tmp_path / "s" / "events" / "ben.jsonl"
    log.write_bytes(log.read_bytes().replace(b"figurative", b"literal"))
    review = ReviewSession(StoreRepository.open(tmp_path / "s"), "ada")
    review.set_blind(blind=False)
    assert list(review.others()) == ["carol"]


def pairs(aa: int, ar: int, ra: int, rr: int) -> list[tuple[Decision, Decision]]:
    return [(A, A)] * aa + [(A, R)] * ar + [(R, A)] * ra + [(R, R)] * rr


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [
        ((20, 5, 10, 15), 0.4),  # p_o .70, p_e .50: the textbook example of 50 grant proposals
        ((45, 15, 25, 15), 0.1304),
        ((25, 35, 5, 35), 0.2593),
        ((10, 0, 0, 10), 1.0),
        ((0, 10, 10, 0), -1.0),
        ((5, 5, 5, 5), 0.0),
    ],
)
def test_cohens_kappa_of_known_tables(counts: tuple[int, int, int, int], kappa: float) -> None:
    assert cohens_kappa(pairs(*counts)).kappa == pytest.approx(kappa, abs=1e-4)


def test_kappa_is_undefined_where_it_is() -> None:
    nothing = cohens_kappa([])
    assert (nothing.kappa, nothing.observed, nothing.undefined) == (
        None,
        None,
        "no finding was judged by both",
    )
    same = cohens_kappa(pairs(7, 0, 0, 0))
    assert (same.kappa, same.observed, same.expected) == (None, 1.0, 1.0)
    assert "both accepted everything" in same.undefined
    one_sided = cohens_kappa(pairs(6, 1, 0, 0))
    assert one_sided.kappa == pytest.approx(0.0)


@given(st.lists(st.tuples(st.sampled_from(JUDGED), st.sampled_from(JUDGED)), max_size=60))
def test_kappa_is_symmetric_and_bounded(judged: list[tuple[Decision, Decision]]) -> None:
    one = cohens_kappa(judged)
    other = cohens_kappa([(b, a) for a, b in judged])
    assert one.kappa == pytest.approx(other.kappa) if one.kappa is not None else other.kappa is None
    assert one.kappa is None or -1.0 <= one.kappa <= 1.0
    assert (one.kappa is None) == bool(one.undefined)
    assert one.kappa is None or (one.kappa == pytest.approx(1.0)) == all(a is b for a, b in judged)


def test_only_what_both_judged_is_compared_and_conflicts_are_settled(review: ReviewSession, ids) -> None:
    repository = review.repository
    ben, carol = ReviewSession(repository, "ben"), ReviewSession(repository, "carol")
    review.accept(CLAIM, ids[0])
    review.reject(CLAIM, ids[1])
    review.skip(CLAIM, ids[2])
    ben.reject(CLAIM, ids[0], reasons=["figurative"])
    ben.reject(CLAIM, ids[1])
    ben.reject(CLAIM, ids[2])
    found = compare(repository, "ada", "ben", adjudicator=carol.state())
    assert (found.agreement.compared, found.agreement.only_first, found.agreement.only_second) == (2, 0, 1)
    assert found.agreement.observed == 0.5
    [conflict] = found.conflicts
    assert (conflict.evidence.evidence_id, conflict.first.decision, conflict.second.reasons) == (
        ids[0],
        A,
        ("figurative",),
    )
    carol.adjudicate(CLAIM, ids[0], A, between={"ben": R, "ada": A}, note="literal")
    event = repository.events("carol")[-1]
    assert (event.type, event.actor) == (EventType.ADJUDICATED, "carol")
    assert event.payload["between"] == {"ada": "accepted", "ben": "rejected"}
    assert event.payload["selectors"]["quote"]["exact"] == "The king wept."
    settled = compare(repository, "ada", "ben", adjudicator=carol.state())
    assert settled.conflicts[0].settled is A
    assert settled.open == ()
    assert settled.outcome == ((CLAIM, ids[1], R), (CLAIM, ids[0], A))
    assert found.outcome == ((CLAIM, ids[1], R),)
    # It is nobody's own decision, and it is undone like one.
    assert carol.state().of(CLAIM, ids[0]).decision is Decision.UNDECIDED
    assert review.state().of(CLAIM, ids[0]).decision is A
    carol.undo()
    assert len(compare(repository, "ada", "ben", adjudicator=carol.state()).open) == 1
    with pytest.raises(InvalidRequest):
        carol.adjudicate(CLAIM, ids[0], Decision.SKIPPED, between={})
    with pytest.raises(InvalidRequest):
        compare(repository, "ada", "ada", adjudicator=carol.state())
    with pytest.raises(NotFound, match="dave"):
        compare(repository, "ada", "dave", adjudicator=carol.state())


# -- sums and filters -------------------------------------------------------------------------------------


def test_the_sum_counts_decisions_by_relation(review: ReviewSession, ids) -> None:
    review.accept(CLAIM, ids[0])
    review.skip(CLAIM, ids[1])
    review.adjust(CLAIM, ids[2], Span(32, 43))
    one = tally(review.findings(review.repository.claim(CLAIM)))
    assert (one.total, one.decided, one.of(A)) == (3, 2, 1)
    assert one.by_relation(A) == {Relation.SUPPORTS: 1}
    assert one.by_relation(Decision.UNDECIDED) == {Relation.INSUFFICIENT: 1}
    assert total([one, one]).total == 6


def subject(**more) -> Subject:
    base = {
        "relation": Relation.SUPPORTS,
        "confidence": 0.83,
        "state": FindingState(),
        "source": "The Voyage",
        "claim": "The king was sad",
        "text": "The king wept.",
    }
    return Subject(**{**base, **more})


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("", True),
        ("rel:sup", True),
        ("rel:con,sup", True),
        ("rel:CONTRADICTS", False),
        ("-rel:con", True),
        ("conf:>.8", True),
        ("conf:>.83", False),
        ("conf:>=.83", True),
        ("conf:<50%", False),
        ("conf:.5-.85", True),
        ("conf:.83", True),
        ("is:undecided", True),
        ("is:accepted,undecided", True),
        ("is:verified -is:noted", True),
        ("source:voyage", True),
        ('source:"the voyage" king', True),
        ('"king wept"', True),
        ("queen", False),
        ("-queen", True),
        ("claim:sad text:wept", True),
        ("tag:primary", False),
    ],
)
def test_the_free_filter(text: str, yes: bool) -> None:
    """Rule 7 of tui.md 3.3."""
    assert parse(text).matches(subject()) is yes


def test_the_free_filter_sees_what_the_reviewer_said() -> None:
    state = FindingState(R, ("off-topic",), "good one", ("Primary",), "CONTRADICTS")
    one = subject(state=state)
    for text in (
        "rel:con",
        "tag:primary",
        "reason:off",
        "note:good",
        "is:rejected",
        "is:overridden",
        "is:noted",
    ):
        assert parse(text).matches(one), text
    assert not parse("is:undecided").matches(subject(state=FindingState(adjusted_to="x")))
    assert parse("is:refused").matches(subject(refused=True))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("confi:>.8", "Did you mean “conf:”?"),
        ("rel:cno", "Did you mean “rel:con”?"),
        ("is:acepted", "Did you mean “is:accepted”?"),
        ("conf:high", "conf:>.8"),
        ("conf:>8", "conf:>.8"),
        ("tag:", "Write it like this"),
        ('source:"open', "Write it like this"),
        ("zzz:1", "There are rel:"),
    ],
)
def test_a_filter_that_is_not_understood_says_what_is(text: str, says: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse(text)
    assert says in f"{caught.value.sentence} {caught.value.advice}"


@given(st.text(max_size=30))
def test_any_text_is_a_filter_or_a_clear_error(text: str) -> None:
    with contextlib.suppress(InvalidRequest):
        parse(text).matches(subject())


def test_every_order_of_terms_is_the_same_filter() -> None:
    for terms in itertools.permutations(("rel:sup", "conf:>.8", "source:voyage")):
        assert parse(" ".join(terms)).matches(subject())

"""A reviewer's session: durable decisions, unlimited undo, and accept that verifies first (R183)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmtui.engine.review import ReviewSession
from cmtui.errors import InvalidRequest, NotFound, NothingToUndo, VerificationError
from cmtui.model.claim import Claim, ClaimRun, Relation, RunFinding, claim_id
from cmtui.model.review import Decision, EventType
from cmtui.ports import KnowledgeRepository
from cmtui.store.memory import InMemoryKnowledgeRepository
from support.documents import make_document, make_evidence

TEXT = "The king wept.\n\nThe crew sang.\n\nThe nurse slept.\n"
CLAIM = claim_id("The king was sad")


def _stored(repository: KnowledgeRepository) -> tuple[str, ...]:
    """A claim with a run of three findings, one per paragraph; their evidence ids."""
    document, content, artifact = make_document(TEXT, name="story.txt")
    repository.commit_document(document, content=content, artifact=artifact)
    entries = [make_evidence(document, p.start, p.end) for p in document.passages]
    repository.record_evidence(entries)
    repository.save_claim(Claim(CLAIM, "The king was sad"))
    relations = (Relation.SUPPORTS, Relation.RELATED, Relation.INSUFFICIENT)
    repository.add_run(
        CLAIM,
        ClaimRun(
            "rules/1",
            "hybrid",
            50,
            (document.document_id,),
            tuple(
                RunFinding(
                    r,
                    0.9,
                    "because",
                    "x",
                    e.document_id,
                    f"{e.document_id}#{i}",
                    e.start,
                    e.end,
                    e.exact,
                    e.evidence_id,
                )
                for i, (r, e) in enumerate(zip(relations, entries, strict=True))
            ),
        ),
    )
    return tuple(entry.evidence_id for entry in entries)


@pytest.fixture
def session() -> tuple[ReviewSession, tuple[str, ...]]:
    repository = InMemoryKnowledgeRepository()
    return ReviewSession(repository, "ada"), _stored(repository)


def test_decisions_are_kept_with_what_was_decided_on(session: tuple[ReviewSession, tuple[str, ...]]) -> None:
    review, (first, second, third) = session
    review.accept(CLAIM, first, note="primary")
    review.reject(CLAIM, second, reasons=["figurative"])
    state = review.skip(CLAIM, third)
    assert state.of(CLAIM, first).decision is Decision.ACCEPTED
    assert state.of(CLAIM, first).note == "primary"
    assert state.of(CLAIM, second).reasons == ("figurative",)
    assert state.of(CLAIM, third).decision is Decision.SKIPPED
    event = review.repository.events("ada")[0]
    assert event.type is EventType.ACCEPTED
    quote = event.payload["selectors"]["quote"]
    assert quote["exact"] == "The king wept."
    assert event.payload["selectors"]["position"] == {"start": 0, "end": 14}
    assert event.payload["locators"]["line_start"] == 1
    assert event.payload["relation"] == "SUPPORTS"
    assert event.payload["backend"] == "rules/1"


def test_undo_restores_undecided_and_redo_brings_it_back(
    session: tuple[ReviewSession, tuple[str, ...]],
) -> None:
    review, (first, *_) = session
    review.accept(CLAIM, first, note="n")
    undone = review.undo()
    assert undone.state.of(CLAIM, first).decision is Decision.UNDECIDED
    assert undone.state.of(CLAIM, first).note == ""
    assert undone.objects == (f"{CLAIM}/{first}",)
    assert "accept" in undone.description
    assert review.redo().state.of(CLAIM, first).decision is Decision.ACCEPTED


def test_undo_past_the_beginning_says_so(session: tuple[ReviewSession, tuple[str, ...]]) -> None:
    review, (first, *_) = session
    with pytest.raises(NothingToUndo):
        review.undo()
    review.reject(CLAIM, first)
    review.undo()
    with pytest.raises(NothingToUndo):
        review.undo()
    review.redo()
    with pytest.raises(NothingToUndo):
        review.redo()


def test_a_new_decision_clears_what_could_be_redone(session: tuple[ReviewSession, tuple[str, ...]]) -> None:
    review, (first, second, _) = session
    review.accept(CLAIM, first)
    review.undo()
    review.reject(CLAIM, second)
    with pytest.raises(NothingToUndo):
        review.redo()


def test_nobody_undoes_another_reviewers_decision(session: tuple[ReviewSession, tuple[str, ...]]) -> None:
    review, (first, *_) = session
    review.accept(CLAIM, first)
    other = ReviewSession(review.repository, "grace")
    with pytest.raises(NothingToUndo):
        other.undo()
    assert other.state().of(CLAIM, first).decision is Decision.UNDECIDED


def test_accept_verifies_all_layers_first_and_records_nothing_when_one_fails(
    session: tuple[ReviewSession, tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule 8 of the review flow: fail closed."""
    review, (first, *_) = session
    monkeypatch.setattr(review.repository, "content_bytes", lambda _: b"other bytes")
    with pytest.raises(VerificationError, match="version"):
        review.accept(CLAIM, first)
    assert review.repository.events("ada") == ()


def test_unknown_claims_findings_and_empty_names_are_refused(
    session: tuple[ReviewSession, tuple[str, ...]],
) -> None:
    review, (first, *_) = session
    with pytest.raises(NotFound):
        review.reject("0" * 64, first)
    with pytest.raises(NotFound):
        review.reject(CLAIM, "0" * 64)
    with pytest.raises(InvalidRequest):
        ReviewSession(review.repository, "  ")


def test_bibliography_edits_are_undone_like_decisions(session: tuple[ReviewSession, tuple[str, ...]]) -> None:
    review, _ = session
    source = review.repository.sources()[0].source_id
    for title in ("First", "Second"):
        previous = review.repository.bibliography(source)
        review.repository.set_bibliography(source, {"type": "book", "title": title})
        review.record_bibliography(
            source, {"type": "book", "title": title}, previous.item if previous else None
        )
    review.undo()
    record = review.repository.bibliography(source)
    assert record is not None
    assert record.item["title"] == "First"
    review.undo()
    record = review.repository.bibliography(source)
    assert record is None or not record.item
    review.redo()
    record = review.repository.bibliography(source)
    assert record is not None
    assert record.item["title"] == "First"


def test_rows_for_export_keep_the_engines_relation_beside_the_reviewers(
    session: tuple[ReviewSession, tuple[str, ...]],
) -> None:
    review, (first, *_) = session
    review.override_relation(CLAIM, first, Relation.RELATED)
    review.tag(CLAIM, first, ["grief", "grief", " primary "])
    row = next(row for row in review.rows() if row["evidence_id"] == first)
    assert (row["relation"], row["reviewer_relation"]) == ("SUPPORTS", "RELATED")
    assert row["tags"] == ["grief", "primary"]


actions = st.lists(
    st.tuples(st.sampled_from(["accept", "reject", "skip", "undo", "redo"]), st.integers(0, 2)), max_size=25
)


@given(actions)
def test_any_sequence_of_actions_equals_a_list_with_a_cursor(steps: list[tuple[str, int]]) -> None:
    """Undo and redo without limit: the log behaves as the simplest model of undo does."""
    repository = InMemoryKnowledgeRepository()
    ids = _stored(repository)
    review = ReviewSession(repository, "ada")
    done: list[tuple[str, int]] = []
    undone: list[tuple[str, int]] = []
    for action, which in steps:
        if action == "undo":
            if done:
                undone.append(done.pop())
                review.undo()
        elif action == "redo":
            if undone:
                done.append(undone.pop())
                review.redo()
        else:
            done.append((action, which))
            undone.clear()
            getattr(review, action)(CLAIM, ids[which])
    expected = {}
    for action, which in done:
        expected[which] = {"accept": "accepted", "reject": "rejected", "skip": "skipped"}[action]
    state = review.state()
    for which, evidence_id in enumerate(ids):
        assert state.of(CLAIM, evidence_id).decision == expected.get(which, "undecided")


def test_names_are_kept_apart_on_disk(tmp_path: Path) -> None:
    from cmtui.store.directory import StoreRepository

    repository = StoreRepository.open(tmp_path / "store")
    ids = _stored(repository)
    for name in ("ada", "Ada", "a/da", "ada ", "ädä"):
        ReviewSession(repository, name).reject(CLAIM, ids[0])
    assert len(repository.reviewers()) == len({"ada", "Ada", "a/da", "ada ", "ädä"})

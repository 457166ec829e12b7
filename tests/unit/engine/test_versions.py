"""Evidence across versions of its source: the report, accepting a proposal, and what review rows say.

Issue 3, part 7 (peers.md 2.17, 2.18 and 4.3). The classes themselves are tested on 1,000 seeded pairs in
``tests/property/test_reanchoring.py``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.engine.review import ReviewSession
from cmtui.errors import InvalidRequest, NotFound, VerificationError
from cmtui.model.claim import Claim, ClaimRun, Relation, RunFinding, claim_id
from cmtui.model.reanchor import AnchorClass, AnchorReason, Reanchoring
from cmtui.model.review import Decision, EventType
from cmtui.model.selectors import Span
from support.documents import make_document, make_evidence, make_profile

OLD = """The king wept by the harbour.

The crew sang until the morning came.

The nurse slept in the third cabin.

Bread is bread.

The lamp was lit in March 1893.
"""
NEW = """A preface that was not there before.

The king wept by the harbour.

The crew sang until the evening came.

Bread is bread.

Bread is bread.

The lamp was lit
in March 1893.
"""
CLAIM = claim_id("The king was sad")


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    """A store with OLD, an evidence for each of its paragraphs, and a claim whose run found them."""
    machine = LocalCitationMachine.open(tmp_path / "store")
    document, content, artifact = make_document(OLD, name="story.txt")
    repository = machine.repository
    repository.commit_document(document, content=content, artifact=artifact)
    entries = [make_evidence(document, p.start, p.end) for p in document.passages]
    repository.record_evidence(entries)
    repository.save_claim(Claim(CLAIM, "The king was sad"))
    findings = tuple(
        RunFinding(
            Relation.SUPPORTS,
            0.9,
            "because",
            "x",
            e.document_id,
            f"{e.document_id}#{number}",
            e.start,
            e.end,
            e.exact,
            e.evidence_id,
        )
        for number, e in enumerate(entries)
    )
    repository.add_run(CLAIM, ClaimRun("rules/1", "hybrid", 50, (document.document_id,), findings))
    return machine


def ids(machine: LocalCitationMachine) -> dict[str, str]:
    """Evidence ids of OLD by the first two words."""
    return {" ".join(e.exact.split()[:2]): e.evidence_id for e in machine.repository.evidence_entries()}


def supersede(machine: LocalCitationMachine, text: str = NEW) -> str:
    document, content, artifact = make_document(text, name="story.txt")
    machine.repository.commit_document(document, content=content, artifact=artifact)
    return document.document_id


def rows(machine: LocalCitationMachine) -> dict[str, Reanchoring]:
    return {
        " ".join(row.text.split()[:2]): row for report in machine.version_reports() for row in report.rows
    }


# -- the report --------------------------------------------------------------------------------------


def test_nothing_is_reported_while_the_version_is_current(machine: LocalCitationMachine) -> None:
    assert machine.version_reports() == ()
    source_id = machine.documents()[0].source_id
    [report] = machine.version_reports(source_id)
    assert report.rows == ()


def test_every_recorded_evidence_gets_its_class(machine: LocalCitationMachine) -> None:
    new = supersede(machine)
    found = {name: (row.anchoring.anchor, row.anchoring.reason) for name, row in rows(machine).items()}
    assert found == {
        "The king": (AnchorClass.MOVED, AnchorReason.UNIQUE),
        "The crew": (AnchorClass.CHANGED, AnchorReason.EDITED),
        "The nurse": (AnchorClass.LOST, AnchorReason.GONE),
        "Bread is": (AnchorClass.CHANGED, AnchorReason.AMBIGUOUS),
        "The lamp": (AnchorClass.CHANGED, AnchorReason.LAYOUT),
    }
    crew = rows(machine)["The crew"].anchoring
    assert crew.text == "The crew sang until the evening came."
    assert [(p.quote, p.source) for p in crew.difference if p.op != "equal"]
    bread = rows(machine)["Bread is"].anchoring
    assert bread.span is None
    assert [NEW[place.start : place.end] for place in bread.places] == ["Bread is bread."] * 2
    for row in rows(machine).values():
        assert row.current_document_id == new
        if row.anchoring.span is not None:
            assert machine.document(new).slice(row.anchoring.span) == row.anchoring.text
            assert row.new_locators is not None


def test_what_stays_where_it_was_keeps_its_offset(machine: LocalCitationMachine) -> None:
    supersede(machine, OLD + "\nA postscript.\n")
    assert {row.anchoring.anchor for row in rows(machine).values()} == {AnchorClass.SAME_OFFSET}


def test_a_new_profile_of_the_same_bytes_is_a_version_too(machine: LocalCitationMachine) -> None:
    """ingest.md 6, row 7: a new extractor or profile orphans nothing; old ids still reconstruct."""
    document, content, artifact = make_document(OLD, name="story.txt", profile=make_profile(version="2"))
    machine.repository.commit_document(document, content=content, artifact=artifact)
    assert {row.anchoring.anchor for row in rows(machine).values()} == {AnchorClass.SAME_OFFSET}
    for evidence_id in ids(machine).values():
        assert machine.reconstruct(evidence_id) in OLD
        assert machine.verify([evidence_id])[0].ok


def test_a_report_records_and_moves_nothing(machine: LocalCitationMachine) -> None:
    """peers.md 4.3: nothing moves silently, and the old version stays reconstructible."""
    before = ids(machine)
    supersede(machine)
    machine.version_reports()
    assert ids(machine) == before
    for name, evidence_id in before.items():
        assert str(machine.reconstruct(evidence_id)).startswith(name)
        assert machine.verify([evidence_id])[0].ok


def test_a_lookalike_is_never_taken_for_the_text() -> None:
    """ingest.md 6, row 1 (hypothesis/client 7571): the line of another team is no place for this one's."""
    from cmtui.verification.reanchoring import VersionPair

    old = make_document("Team Alpha grew by twelve percent.\n\nTeam Beta grew by nine percent.\n")[0]
    new = make_document("Team Beta grew by nine percent.\n")[0]
    found = VersionPair(old, new).anchor(Span(0, 34))
    assert (found.anchor, found.span) == (AnchorClass.LOST, None)


def test_who_accepted_is_listed(machine: LocalCitationMachine) -> None:
    king = ids(machine)["The king"]
    for reviewer in ("ada", "ben"):
        machine.review(reviewer).accept(CLAIM, king)
    machine.review("ben").undo()
    supersede(machine)
    [acceptance] = rows(machine)["The king"].acceptances
    assert (acceptance.reviewer, acceptance.claim_id, acceptance.carried) == ("ada", CLAIM, False)
    assert rows(machine)["The crew"].acceptances == ()


def test_evidence_over_three_versions_meets_the_newest(machine: LocalCitationMachine) -> None:
    middle = supersede(machine)
    machine.quote_span(middle, Span(0, 36))
    newest = supersede(machine, "The king wept by the harbour.\n")
    [report] = machine.version_reports()
    assert len(report.documents) == 3
    assert report.current_document_id == newest
    assert {row.document_id for row in report.rows} == set(report.documents[:2])
    assert rows(machine)["The king"].anchoring.anchor is AnchorClass.SAME_OFFSET
    assert rows(machine)["A preface"].anchoring.anchor is AnchorClass.LOST


# -- accepting a proposal ----------------------------------------------------------------------------


def test_accepting_records_new_evidence_and_the_decision(machine: LocalCitationMachine) -> None:
    king = ids(machine)["The king"]
    review = machine.review("ada")
    review.accept(CLAIM, king, reasons=["clear"], note="see the log")
    new = supersede(machine)
    done = machine.accept_reanchoring(king[:12], reviewer="ada")
    assert (done.old_evidence_id, done.document_id, done.claims) == (king, new, (CLAIM,))
    assert done.new_evidence_id != king
    assert machine.reconstruct(done.new_evidence_id) == "The king wept by the harbour."
    assert machine.identity(done.new_evidence_id).document_id == new
    state = review.state()
    assert state.of(CLAIM, done.new_evidence_id).decision is Decision.ACCEPTED
    assert state.of(CLAIM, done.new_evidence_id).reasons == ("clear",)
    assert state.of(CLAIM, done.new_evidence_id).note == "see the log"
    # The old decision stands; the event that carries it names it.
    assert state.of(CLAIM, king).decision is Decision.ACCEPTED
    event = next(e for e in reversed(machine.repository.events("ada")) if e.type is EventType.ACCEPTED)
    assert event.payload["reanchors"] == king
    assert event.payload["relation"] == "SUPPORTS"
    row = rows(machine)["The king"]
    assert row.new_evidence_id == done.new_evidence_id
    assert [a.carried for a in row.acceptances] == [True]


def test_accepting_again_is_one_action_to_undo(machine: LocalCitationMachine) -> None:
    king = ids(machine)["The king"]
    other = claim_id("The king sang")
    machine.repository.save_claim(Claim(other, "The king sang"))
    review = machine.review("ada")
    review.accept(CLAIM, king)
    review.accept(other, king, note="twice")
    supersede(machine)
    done = machine.accept_reanchoring(king, reviewer="ada")
    assert set(done.claims) == {CLAIM, other}
    review.undo()
    assert {review.state().of(c, done.new_evidence_id).decision for c in done.claims} == {Decision.UNDECIDED}
    assert review.state().of(CLAIM, king).decision is Decision.ACCEPTED


def test_one_claim_alone_can_be_carried(machine: LocalCitationMachine) -> None:
    king = ids(machine)["The king"]
    other = claim_id("The king sang")
    machine.repository.save_claim(Claim(other, "The king sang"))
    for claim in (CLAIM, other):
        machine.review("ada").accept(claim, king)
    supersede(machine)
    done = machine.accept_reanchoring(king, reviewer="ada", claim_id=other[:12])
    assert done.claims == (other,)
    with pytest.raises(NotFound):
        machine.accept_reanchoring(king, reviewer="ben", claim_id=other)


def test_without_a_decision_only_the_identity_is_recorded(machine: LocalCitationMachine) -> None:
    supersede(machine)
    done = machine.accept_reanchoring(ids(machine)["The king"], reviewer="ada")
    assert done.claims == ()
    assert machine.repository.events("ada") == ()
    assert machine.verify([done.new_evidence_id])[0].ok


@pytest.mark.parametrize("name", ["The crew", "The nurse", "Bread is", "The lamp"])
def test_what_is_not_exact_at_one_place_is_refused(machine: LocalCitationMachine, name: str) -> None:
    evidence_id = ids(machine)[name]
    machine.review("ada").accept(CLAIM, evidence_id)
    supersede(machine)
    before = machine.repository.evidence_entries()
    with pytest.raises(VerificationError) as caught:
        machine.accept_reanchoring(evidence_id, reviewer="ada")
    assert caught.value.hint
    assert machine.repository.evidence_entries() == before
    assert len(machine.repository.events("ada")) == 1


def test_an_offset_settles_which_of_several_places(machine: LocalCitationMachine) -> None:
    bread = ids(machine)["Bread is"]
    supersede(machine)
    second = NEW.rindex("Bread is")
    done = machine.accept_reanchoring(bread, offset=second)
    assert done.span.start == second
    assert rows(machine)["Bread is"].new_evidence_id == done.new_evidence_id
    with pytest.raises(VerificationError):
        machine.accept_reanchoring(bread, offset=second + 1)
    with pytest.raises(VerificationError):
        machine.accept_reanchoring(bread, offset=10**9)


def test_current_evidence_has_nowhere_to_go(machine: LocalCitationMachine) -> None:
    with pytest.raises(InvalidRequest):
        machine.accept_reanchoring(ids(machine)["The king"])


def test_old_evidence_that_no_longer_verifies_is_not_carried(machine: LocalCitationMachine) -> None:
    king = machine.repository.evidence(ids(machine)["The king"])
    supersede(machine)
    (machine.path / "snapshots" / f"{king.document_id}.json").write_bytes(b"{}")
    with LocalCitationMachine.open(machine.path) as again, pytest.raises(VerificationError):
        again.accept_reanchoring(king.evidence_id)


# -- review rows -------------------------------------------------------------------------------------


def test_review_rows_say_when_their_version_was_replaced(machine: LocalCitationMachine) -> None:
    review = ReviewSession(machine.repository, "ada")
    assert {str(row["superseded"]) for row in review.rows()} == {"None"}
    new = supersede(machine)
    said = {str(row["text"]).split()[1]: row["superseded"] for row in review.rows()}
    assert said == {
        "king": {"class": "exact_moved", "document_id": new},
        "crew": {"class": "changed", "document_id": new},
        "nurse": {"class": "lost", "document_id": new},
        "is": {"class": "changed", "document_id": new},
        "lamp": {"class": "changed", "document_id": new},
    }

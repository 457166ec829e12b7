"""Removing a document by the engine: what is listed first, and what review and export show afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.errors import DocumentRemoved, NotFound, VerificationError
from cmtui.model.ingest import IngestStatus
from cmtui.model.review import Decision
from cmtui.store.locks import FolderLock

TEXT = "Whales are mammals. They breathe air with lungs.\n\nSharks are fish. Sharks are not mammals.\n"
OTHER = "The harbour of Skerrow was built in 1871. Whales are mammals, the harbour master wrote.\n"


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    machine = LocalCitationMachine.open(tmp_path / "store")
    for name, text in (("whales.txt", TEXT), ("harbour.txt", OTHER)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        machine.ingest(tmp_path / name)
    return machine


def document_of(machine: LocalCitationMachine, name: str) -> str:
    return next(row.document_id for row in machine.documents() if row.name == name)


def accepted(machine: LocalCitationMachine, name: str, reviewer: str = "ada") -> tuple[str, str, str]:
    """A claim evaluated, and its finding in ``name`` accepted: claim id, evidence id, document id."""
    claim = machine.evaluate_claim(machine.add_claim("Whales are mammals.").claim_id)
    document_id = document_of(machine, name)
    assert claim.latest is not None
    finding = next(f for f in claim.latest.findings if f.document_id == document_id and f.evidence_id)
    assert finding.evidence_id is not None
    machine.review(reviewer).accept(claim.claim_id, finding.evidence_id, note="good")
    return claim.claim_id, finding.evidence_id, document_id


def test_accepted_evidence_of_every_reviewer_is_listed_first(machine: LocalCitationMachine) -> None:
    claim, evidence, document_id = accepted(machine, "whales.txt", "ada")
    machine.review("bob").accept(claim, evidence)
    machine.review("cyd").accept(claim, evidence)
    machine.review("cyd").undo()
    machine.review("dee").reject(claim, evidence)
    plan = machine.plan_removal(document_id[:10])
    assert [(q.reviewer, q.evidence_id, q.claim) for q in plan.accepted] == [
        ("ada", evidence, "Whales are mammals"),
        ("bob", evidence, "Whales are mammals"),
    ]
    assert plan.accepted[0].exact in TEXT
    assert plan.evidence >= 1
    assert document_id in {row.document_id for row in machine.documents()}


def test_export_of_accepted_findings_survives_removal_and_a_new_run(machine: LocalCitationMachine) -> None:
    claim, evidence, document_id = accepted(machine, "whales.txt")
    source_id = machine.source(document_id).source_id
    machine.set_bibliography(source_id, {"id": "w", "type": "book", "title": "Whales"})
    machine.review("ada").accept(claim, evidence)
    review = machine.review("ada")
    [before] = review.rows(where=lambda d: d is Decision.ACCEPTED)
    assert not before["removed"]
    tombstone = machine.remove(document_id, reason="not mine")
    assert [q.evidence_id for q in tombstone.accepted] == [evidence]
    rows = list(review.rows())
    assert {row["removed"] for row in rows if row["document_id"] == document_id} == {True}
    [row] = [row for row in rows if row["decision"] == "accepted"]
    assert {key: row[key] for key in ("text", "span", "note", "source_id", "relation", "decided_at")} == {
        key: before[key] for key in ("text", "span", "note", "source_id", "relation", "decided_at")
    }
    machine.evaluate_claim(claim)
    [row] = review.rows(where=lambda d: d is Decision.ACCEPTED)
    assert row["text"] == before["text"]
    assert row["in_newest_run"] is False
    assert row["citation"]["bibliography"]["title"] == "Whales"
    assert row["citation"]["reference"].endswith("whales.txt")


def test_search_forgets_and_evidence_says_why(machine: LocalCitationMachine) -> None:
    _, evidence, document_id = accepted(machine, "whales.txt")
    assert any(r.document_id == document_id for r in machine.search("sharks"))
    machine.remove(document_id, reason="")
    assert not list(machine.search("sharks"))
    assert list(machine.hybrid_search("whales mammals"))
    with pytest.raises(DocumentRemoved):
        machine.reconstruct(evidence)
    [check] = machine.verify([evidence])
    assert not check.ok
    assert all("was removed" in layer.reason for layer in check.layers[:3])
    review = machine.review("ada")
    claim = machine.claims()[0].claim_id
    review.undo()
    with pytest.raises(VerificationError, match="was removed"):
        review.accept(claim, evidence)
    assert review.reject(claim, evidence).of(claim, evidence).decision is Decision.REJECTED
    assert review.note(claim, evidence, "gone").of(claim, evidence).note == "gone"


def test_a_document_that_comes_back_verifies_again(machine: LocalCitationMachine, tmp_path: Path) -> None:
    _, evidence, document_id = accepted(machine, "whales.txt")
    machine.remove(document_id, reason="")
    report = machine.ingest_paths([tmp_path / "whales.txt"])
    assert [one.status for one in report.documents] == [IngestStatus.ADDED]
    [check] = machine.verify([evidence])
    assert check.ok
    assert machine.reconstruct(evidence) in TEXT
    assert any(r.document_id == document_id for r in machine.search("sharks"))
    assert not any(row["removed"] for row in machine.review("ada").rows())


def test_an_undone_bibliography_edit_of_a_removed_source_is_undone(machine: LocalCitationMachine) -> None:
    document_id = document_of(machine, "whales.txt")
    source_id = machine.source(document_id).source_id
    item = {"id": "w", "type": "book", "title": "Whales"}
    machine.set_bibliography(source_id, item)
    review = machine.review("ada")
    review.record_bibliography(source_id, item, None)
    machine.remove(document_id, reason="")
    review.undo()
    record = machine.repository.bibliography(source_id)
    assert record is not None
    assert record.item == {}


def test_what_is_not_there_is_not_removed(machine: LocalCitationMachine) -> None:
    with pytest.raises(NotFound):
        machine.plan_removal("feedfeed")
    with pytest.raises(NotFound):
        machine.remove("feedfeed", reason="")


def test_a_busy_index_does_not_hold_a_removal_up(
    machine: LocalCitationMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process is building the index: the next search brings it up to date before it answers."""
    document_id = document_of(machine, "whales.txt")
    assert list(machine.search("sharks"))
    monkeypatch.setattr("cmtui.engine.removal.INDEX_SECONDS", 0.0)
    lock = FolderLock(machine.path / "derived" / "lexical.lock", timeout=0.0)
    with lock.hold("build the index"):
        machine.remove(document_id, reason="")
    assert not list(machine.search("sharks"))

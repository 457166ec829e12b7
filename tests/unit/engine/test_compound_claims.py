"""Claims of several statements: members apart, and sets only inside one document (R97, R98)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cmtui import InMemoryKnowledgeRepository, LocalCitationMachine
from cmtui.cli.main import main
from cmtui.model.claim import EvidenceSet, EvidenceSpanIdentity, Relation

CLAIM = "Penelope was sad and the crew slept"
TWO = (
    "Penelope was sad.\n\n"
    + "The harbour was full of ships from every island. " * 40
    + "\n\nThe crew slept.\n"
)


@pytest.fixture
def machine() -> LocalCitationMachine:
    return LocalCitationMachine(InMemoryKnowledgeRepository())


def ingest(machine: LocalCitationMachine, folder: Path, **texts: str) -> dict[str, str]:
    found = {}
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.write_text(text, encoding="utf-8")
        found[name] = machine.ingest(path)
    return found


def test_r97_two_passages_of_one_document_make_a_set(machine: LocalCitationMachine, tmp_path: Path) -> None:
    """Independent spans with ids of their own, reconstructed as a tuple and never as one quotation."""
    ingest(machine, tmp_path, log=TWO)
    report = machine.find_evidence(CLAIM, diagnostics=True)
    assert [m.claim for m in report.members] == ["Penelope was sad", "The crew slept"]
    assert [[f.text for f in m] for m in report.members] == [["Penelope was sad."], ["The crew slept."]]
    [finding] = report
    assert (finding.relation, finding.reason) == (Relation.SUPPORTS, "members-supported")
    assert isinstance(finding.evidence, EvidenceSet)
    assert finding.text == machine.reconstruct(finding.evidence) == ("Penelope was sad.", "The crew slept.")
    passages = {p.index for p in machine.document(finding.document_id).passages}
    assert len(passages) > 1
    assert finding.confidence == min(m[0].confidence for m in report.members)
    assert "Penelope was sad" in finding.explanation
    for evidence_id in finding.evidence_ids:
        assert machine.identity(evidence_id).evidence_id == evidence_id
    assert all(check.ok for check in machine.verify())


def test_r98_nothing_is_put_together_across_documents(machine: LocalCitationMachine, tmp_path: Path) -> None:
    ingest(machine, tmp_path, one="Penelope was sad.\n", two="The crew slept.\n")
    report = machine.find_evidence(CLAIM)
    assert list(report) == []
    assert [len(m) for m in report.members] == [1, 1]


def test_a_statement_without_support_leaves_the_whole_without(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    ingest(machine, tmp_path, log="Penelope was sad.\n\nThe crew did not sleep.\n")
    report = machine.find_evidence(CLAIM, diagnostics=True)
    assert list(report) == []
    assert [len(m) for m in report.members] == [1, 0]
    assert len(report.members[1].contradictions) == 1


def test_a_passage_that_says_the_whole_is_quoted_as_it_is(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    ingest(machine, tmp_path, log="Penelope was sad and the crew slept.\n")
    [finding] = machine.find_evidence(CLAIM)
    assert isinstance(finding.evidence, EvidenceSpanIdentity)
    assert finding.text == "Penelope was sad and the crew slept."


def test_simple_claims_have_no_members(machine: LocalCitationMachine, tmp_path: Path) -> None:
    ingest(machine, tmp_path, log=TWO)
    report = machine.find_evidence("Penelope was sad")
    assert report.members == ()
    assert len(report) == 1


def test_r99_the_retrieval_query_serves_every_member(machine: LocalCitationMachine, tmp_path: Path) -> None:
    ingest(machine, tmp_path, log=TWO)
    report = machine.find_evidence(CLAIM, retrieval_query="Penelope")
    assert {m.retrieval_query for m in report.members} == {"Penelope"}
    assert [len(m) for m in report.members] == [1, 0]
    assert report.members[0].candidates == 1


def test_a_run_has_a_row_for_each_member_in_its_own_passage(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    ids = ingest(machine, tmp_path, log=TWO)
    claim = machine.evaluate_claim(machine.add_claim(CLAIM).claim_id)
    assert claim.latest is not None
    rows = [row for row in claim.latest.findings if row.relation is Relation.SUPPORTS]
    assert [row.text for row in rows] == ["Penelope was sad.", "The crew slept."]
    document = machine.document(ids["log"])
    for row in rows:
        passage = document.passages[int(row.passage_id.rpartition("#")[2])]
        assert passage.start <= row.start < row.end <= passage.end
        assert row.evidence_id is not None


def test_the_command_shows_members_under_a_key_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Additive: ``members`` beside the keys of cli.md, for one claim and for a file of claims."""
    source, claims = tmp_path / "log.txt", tmp_path / "claims.txt"
    source.write_text(TWO, encoding="utf-8")
    claims.write_text(f"{CLAIM}\nPenelope was sad\n", encoding="utf-8")
    store = str(tmp_path / "store")
    assert main(["--store", store, "ingest", str(source)]) == 0
    capsys.readouterr()
    assert main(["--store", store, "find-evidence", f"Does the text say that {CLAIM}?", "--diagnostics"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["findings"][0]["text"] == ["Penelope was sad.", "The crew slept."]
    assert len(body["findings"][0]["evidence_ids"]) == 2
    assert [m["claim"] for m in body["members"]] == ["Penelope was sad", "The crew slept"]
    assert body["members"][0]["findings"][0]["evidence_ids"] == body["findings"][0]["evidence_ids"][:1]
    assert main(["--store", store, "find-evidence", "--claims", str(claims)]) == 0
    reports = json.loads(capsys.readouterr().out)["claims"]
    assert ["members" in report for report in reports] == [True, False]
    assert main(["--store", store, "find-evidence", CLAIM, "--jsonl"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row.get("member") for row in rows] == [None, "Penelope was sad", "The crew slept"]

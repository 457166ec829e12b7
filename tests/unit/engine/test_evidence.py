"""The evidence pipeline with backends that propose what they should not (R85 to R89, R95 to R99, D7)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cmtui.engine import CitationIngestionService, CitationMachine
from cmtui.engine.evidence import pool_size
from cmtui.errors import (
    Cancelled,
    CrossesPassage,
    InferenceError,
    InvalidRequest,
    QuoteAmbiguous,
    QuoteNotFound,
    VerificationError,
)
from cmtui.model.claim import Assessment, EvidenceSet, EvidenceSpanIdentity, Proposal, Relation
from cmtui.model.retrieval import PassageProjection
from cmtui.retrieval.search import CitationLexicalSearch
from cmtui.store.memory import InMemoryKnowledgeRepository

TEXT = (
    "# Dusk\n\nThe king wept beside the harbour. The crew wept too, and the king saw it.\n\n"
    "# Night\n\nThe nurse knew the king well. She had known him since the ships.\n"
)


class Backend:
    """Answers as it is told."""

    name = "told/1"

    def __init__(self, answer: Callable[[PassageProjection], Assessment]) -> None:
        self._answer = answer
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def assess(self, claim: str, passages: Sequence[PassageProjection]) -> list[Assessment]:
        self.asked.append((claim, tuple(p.text for p in passages)))
        return [self._answer(passage) for passage in passages]


def supporting(*proposals: Proposal) -> Backend:
    def answer(passage: PassageProjection) -> Assessment:
        if "wept" not in passage.text:
            return Assessment(passage.passage_id, Relation.INSUFFICIENT, 0.2, "told", "told")
        return Assessment(passage.passage_id, Relation.SUPPORTS, 0.9, "told", "told", proposals)

    return Backend(answer)


@pytest.fixture
def machine(tmp_path: Path) -> CitationMachine:
    path = tmp_path / "story.md"
    path.write_text(TEXT, encoding="utf-8")
    repository = InMemoryKnowledgeRepository()
    made = CitationMachine(
        ingestion_port=CitationIngestionService(repository), search_port=CitationLexicalSearch(repository)
    )
    made.ingest(path)
    return made


@pytest.mark.parametrize(
    ("proposal", "error"),
    [
        (Proposal("The king wept beside the harbour!", 0), QuoteNotFound),
        (Proposal("The king cried beside the harbour.", 0), QuoteNotFound),
        (Proposal("An invented sentence.", None), QuoteNotFound),
        (Proposal("king", None), QuoteAmbiguous),
        (Proposal("the king saw it.\n\n# Night\n\nThe nurse", None), QuoteNotFound),
        (Proposal("the king saw it.\n\n# Night\n\nThe nurse", 57), CrossesPassage),
        (Proposal("The king wept beside the harbour.", 3), QuoteNotFound),
    ],
)
def test_an_invalid_supporting_proposal_raises_and_creates_nothing(
    machine: CitationMachine, proposal: Proposal, error: type[VerificationError]
) -> None:
    """R87, R88, R89: raised, never repaired, promoted or dropped."""
    with pytest.raises(error):
        machine.find_evidence("The king was sad", inference=supporting(proposal))
    assert machine.repository.evidence_entries() == ()


def test_at_the_edge_an_invalid_proposal_is_a_refused_row(machine: CitationMachine) -> None:
    """D7: shown with its reason, and the work goes on."""
    backend = supporting(Proposal("The king cried.", 0))
    report = machine.find_evidence("The king was sad", inference=backend, on_invalid="refuse")
    assert not report.findings
    assert len(report.refused) == 1
    assert report.refused[0].evidence is None
    assert "The king cried." in (report.refused[0].error or "")
    claim = machine.add_claim("The king was sad")
    run = machine.evaluate_claim(claim.claim_id, inference=backend).latest
    assert run is not None
    refused = [row for row in run.findings if row.error]
    assert len(refused) == 1
    assert refused[0].evidence_id is None


def test_support_without_a_quote_is_refused_too(machine: CitationMachine) -> None:
    with pytest.raises(QuoteNotFound):
        machine.find_evidence("The king was sad", inference=supporting())


def test_several_quotes_are_a_set_and_never_one_text(machine: CitationMachine) -> None:
    """R97."""
    backend = supporting(Proposal("The crew wept too", None), Proposal("The king wept", 0))
    finding = machine.find_evidence("The king was sad", inference=backend)[0]
    assert isinstance(finding.evidence, EvidenceSet)
    assert finding.text == ("The king wept", "The crew wept too")
    assert machine.reconstruct(finding.evidence) == finding.text
    assert len(finding.evidence_ids) == 2


@pytest.mark.parametrize("confidence", [float("nan"), -0.1, 1.5, float("inf")])
def test_a_backend_out_of_contract_fails_closed(machine: CitationMachine, confidence: float) -> None:
    backend = Backend(lambda p: Assessment(p.passage_id, Relation.RELATED, confidence, "told", "told"))
    with pytest.raises(InferenceError):
        machine.find_evidence("The king was sad", inference=backend)


def test_a_backend_that_answers_for_another_passage_fails_closed(machine: CitationMachine) -> None:
    backend = Backend(lambda p: Assessment("other#0", Relation.RELATED, 0.5, "told", "told"))
    with pytest.raises(InferenceError):
        machine.find_evidence("The king was sad", inference=backend)


def test_query_and_claim_go_their_own_ways(machine: CitationMachine) -> None:
    """R99: retrieval gets the query, inference the claim; neither enters identity."""
    backend = supporting(Proposal("The king wept", 0))
    first = machine.find_evidence("The king was sad", retrieval_query="harbour", inference=backend)
    second = machine.find_evidence("Find a passage showing that the king was sad.", inference=backend)
    assert {claim.rstrip(".").casefold() for claim, _ in backend.asked} == {"the king was sad"}
    assert first[0].evidence_ids == second[0].evidence_ids
    assert first.retrieval_query == "harbour"


def test_diagnostics_show_the_rest_without_evidence(machine: CitationMachine) -> None:
    """R95: contradictions, related and insufficient with evidence None; context is the passage."""

    def answer(passage: PassageProjection) -> Assessment:
        relation = Relation.CONTRADICTS if "wept" in passage.text else Relation.RELATED
        quotes = (Proposal("The king wept", 0),) if relation is Relation.CONTRADICTS else ()
        return Assessment(passage.passage_id, relation, 0.8, "told", "told", quotes)

    backend = Backend(answer)
    plain = machine.find_evidence("The king was glad", inference=backend)
    assert (plain.contradictions, plain.related) == ((), ())
    report = machine.find_evidence(
        "The king was glad", inference=backend, diagnostics=True, include_context=True
    )
    assert [f.text for f in report.contradictions] == ["The king wept"]
    assert report.contradictions[0].evidence is None
    assert report.contradictions[0].context is not None
    assert report.contradictions[0].context.startswith("The king wept beside")
    assert report.related[0].evidence is None
    assert "fallible" in report.caveat  # R96


def test_the_pool_is_fifty_or_ten_times_the_limit() -> None:
    """R85."""
    assert [pool_size(limit, None) for limit in (1, 5, 6, 20)] == [50, 50, 60, 200]
    assert pool_size(5, 7) == 7
    for wrong in (0, -1, True, 2.5):
        with pytest.raises(InvalidRequest):
            pool_size(wrong, None)  # type: ignore[arg-type]


def test_nothing_is_saved_when_asked_not_to(machine: CitationMachine) -> None:
    backend = supporting(Proposal("The king wept", 0))
    machine.find_evidence("The king was sad", inference=backend, save=False)
    assert machine.repository.evidence_entries() == ()
    found = machine.find_evidence("The king was sad", inference=backend)
    assert [e.evidence_id for e in machine.repository.evidence_entries()] == list(found[0].evidence_ids)


def test_cancelling_stops_before_the_next_batch(machine: CitationMachine) -> None:
    with pytest.raises(Cancelled):
        machine.find_evidence("The king was sad", cancelled=lambda: True)


def test_the_same_store_and_claim_give_the_same_run(machine: CitationMachine) -> None:
    """R191: evaluated twice, the run is the same and is stored once."""
    claim = machine.add_claim("The king was sad")
    first = machine.evaluate_claim(claim.claim_id)
    second = machine.evaluate_claim(claim.claim_id)
    assert first.latest is not None
    assert second.latest is not None
    assert first.latest.run_id == second.latest.run_id
    assert len(second.runs) == 1


def test_every_row_of_a_run_is_verified_and_can_be_reconstructed(machine: CitationMachine) -> None:
    """Each row a person may accept is exactly in its source, whatever its relation."""
    claim = machine.add_claim("The king was sad")
    run = machine.evaluate_claim(claim.claim_id).latest
    assert run is not None
    assert run.findings
    for row in run.findings:
        assert row.evidence_id is not None
        assert machine.reconstruct(row.evidence_id) == row.text == TEXT[row.start : row.end]
        identity = machine.identity(row.evidence_id)
        assert isinstance(identity, EvidenceSpanIdentity)
        assert identity.evidence_id == row.evidence_id


def test_a_claim_tells_how_many_documents_it_has_not_seen(machine: CitationMachine, tmp_path: Path) -> None:
    claim = machine.add_claim("The king was sad")
    assert machine.unseen_documents(claim) == 1
    claim = machine.evaluate_claim(claim.claim_id)
    assert machine.unseen_documents(claim) == 0
    (tmp_path / "more.txt").write_text("The queen laughed at noon.\n", encoding="utf-8")
    machine.ingest(tmp_path / "more.txt")
    assert machine.unseen_documents(claim) == 1


def test_decisions_stay_with_the_evidence_over_runs(machine: CitationMachine, tmp_path: Path) -> None:
    claim = machine.evaluate_claim(machine.add_claim("The king was sad").claim_id)
    assert claim.latest is not None
    row = claim.latest.findings[0]
    assert row.evidence_id is not None
    machine.review("ada").accept(claim.claim_id, row.evidence_id)
    (tmp_path / "more.txt").write_text("The king wept again at noon.\n", encoding="utf-8")
    machine.ingest(tmp_path / "more.txt")
    claim = machine.evaluate_claim(claim.claim_id)
    assert len(claim.runs) == 2
    assert machine.review("ada").state().of(claim.claim_id, row.evidence_id).decision == "accepted"
    assert json.dumps(list(machine.review("ada").rows()))

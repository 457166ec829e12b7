"""The examples of the seed documents, with their names, keywords and signatures (settlements, head)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui import (
    BibliographicAuthor,
    BibliographicDate,
    BibliographicMetadata,
    CitationIngestionService,
    CitationLexicalSearch,
    CitationMachine,
    InMemoryKnowledgeRepository,
    InMemorySemanticIndex,
    SentenceTransformerMatcher,
)
from cmtui.backend import LocalCitationMachine
from cmtui.errors import EnumerationUnsupported, InvalidRequest, UnsupportedForm

STORY = (
    "# Shore\n\nUlysses wept beside the grey sea. The crew mended the nets.\n\n"
    "# Harbour\n\nThe harbour master counted the barrels twice and wrote the sum on a board.\n\n"
    "# Doubt\n\nDid Ulysses weep? Nobody could say.\n"
)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "story.md"
    path.write_text(STORY, encoding="utf-8")
    return path


@pytest.fixture(params=["memory", "directory"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> CitationMachine:
    """R7: the in-memory repository beside the durable one, behind the same ports."""
    if request.param == "directory":
        return LocalCitationMachine.open(tmp_path / "citations")
    repository = InMemoryKnowledgeRepository()
    return CitationMachine(
        ingestion_port=CitationIngestionService(repository), search_port=CitationLexicalSearch(repository)
    )


def test_ingest_gives_a_document_id_that_filters_search(machine: CitationMachine, story: Path) -> None:
    """R6, R8."""
    document_id = machine.ingest(story)
    results = machine.search("counted barrels", filters={"document_id": document_id})
    first = results[0]
    assert first.text in STORY
    assert first.document_id == document_id
    assert STORY[first.span.start : first.span.end] == first.text
    assert first.locators.line_start == 7
    assert first.locators.section == ("Harbour",)
    assert first.citation.source["name"] == "story.md"
    assert first.citation.segment["index"] == 3
    assert first.score > 0
    assert first.retrieval.lexical_rank == 1


def test_identity_is_durable_and_reconstructs(machine: CitationMachine, story: Path) -> None:
    """R15, R16."""
    machine.ingest(story)
    result = machine.search("counted barrels")[0]
    identity = machine.identity(result)
    assert machine.reconstruct(identity.evidence_id) == result.text
    steps = [step.name for step in identity.canonical_content.profile.steps]
    assert steps
    assert steps == sorted(set(steps), key=steps.index)


def test_semantic_finds_what_shares_no_word(machine: CitationMachine, story: Path) -> None:
    """R71, R75: "sad" finds "wept"; R70: lexical search does not."""
    machine.ingest(story)
    assert any("wept" in result.text for result in machine.semantic_search("sad"))
    assert not machine.search("sad")
    hybrid = machine.hybrid_search("Ulysses was sad")
    assert any("wept" in result.text for result in hybrid)
    assert hybrid[0].retrieval.score > 0


def test_find_evidence_reconstructs_to_the_finding(machine: CitationMachine, story: Path) -> None:
    """R84: the request form is understood, and what is found is exactly in the source."""
    machine.ingest(story)
    findings = machine.find_evidence("Find evidence that Ulysses was sad", limit=5)
    assert len(findings) == 1
    for finding in findings:
        assert finding.relation == "SUPPORTS"
        assert finding.evidence is not None
        assert machine.reconstruct(finding.evidence) == finding.text
        assert finding.evidence_ids
        assert isinstance(finding.text, str)
        assert finding.text in STORY


def test_bibliography_is_explicit_and_changes_no_evidence_id(machine: CitationMachine, story: Path) -> None:
    """R101, R103, R104, R107, R112."""
    document_id = machine.ingest(story)
    finding = machine.find_evidence("Ulysses was sad")[0]
    machine.set_bibliography(
        document_id,
        BibliographicMetadata(
            kind="book",
            title="The Voyage",
            authors=(BibliographicAuthor("Writer", "Jane"),),
            issued=BibliographicDate(2024),
            publisher="Example Press",
        ),
    )
    assert finding.evidence is not None
    assert (
        machine.format_citation(finding.evidence, style="mla")
        == "Writer, Jane. The Voyage. Example Press, 2024."
    )
    assert machine.format_citation(finding.evidence, style="apa", form="inline") == "(Writer, 2024)"
    with pytest.raises(UnsupportedForm):
        machine.format_citation(finding.evidence, style="mla", form="footnote")
    assert machine.find_evidence("Ulysses was sad")[0].evidence_ids == finding.evidence_ids


def test_a_port_without_enumeration_is_searched_lexically_only(story: Path) -> None:
    """R83: semantic and hybrid search refuse it explicitly."""
    repository = InMemoryKnowledgeRepository()
    inner = CitationLexicalSearch(repository)

    class LexicalOnly:
        def search(self, query, *, filters=None, limit=10):
            return inner.search(query, filters=filters, limit=limit)

    machine = CitationMachine(
        ingestion_port=CitationIngestionService(repository),
        search_port=LexicalOnly(),
        repository=repository,
    )
    machine.ingest(story)
    assert machine.search("barrels")
    with pytest.raises(EnumerationUnsupported):
        machine.semantic_search("sad")
    with pytest.raises(EnumerationUnsupported):
        machine.hybrid_search("sad")


def test_a_machine_without_a_repository_says_what_to_do(story: Path) -> None:
    class Port:
        def ingest(self, path):
            return "id"

        def search(self, query, *, filters=None, limit=10):
            return []

    machine = CitationMachine(ingestion_port=Port(), search_port=Port())
    with pytest.raises(InvalidRequest, match="no repository"):
        machine.documents()


def test_a_caller_loaded_encoder_can_be_used(machine: CitationMachine, story: Path) -> None:
    """R81: index= on semantic_search, hybrid_search and find_evidence."""

    class Encoder:
        def encode(self, sentences):
            return [[float("wept" in s or "sad" in s), float("barrel" in s), 0.1] for s in sentences]

    machine.ingest(story)
    index = InMemorySemanticIndex(matcher=SentenceTransformerMatcher(Encoder()))
    assert "wept" in machine.semantic_search("sad", index=index)[0].text
    assert machine.hybrid_search("sad", index=index)
    assert machine.find_evidence("Ulysses was sad", index=index)

"""The search service: what is eligible, how ranks are fused, and that wrong index answers fail closed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cmtui.errors import (
    AmbiguousId,
    Cancelled,
    CmtuiError,
    EnumerationUnsupported,
    InvalidRequest,
    InvalidScore,
    NotFound,
    QueryError,
    SnapshotDamaged,
    UnknownCandidate,
)
from cmtui.model.identity import SourceKind, sha256_text
from cmtui.model.progress import never_cancelled, no_progress
from cmtui.model.retrieval import (
    Filters,
    PassageProjection,
    RetrievalMode,
    ScoredPassage,
    SearchResponse,
    SearchResult,
)
from cmtui.model.source import CanonicalDocument
from cmtui.retrieval.fusion import reciprocal_rank_fusion
from cmtui.retrieval.lexical import WhooshLexicalIndex
from cmtui.retrieval.search import (
    CitationLexicalSearch,
    InMemorySemanticIndex,
    Retriever,
    SemanticCitationSearch,
    as_filters,
)
from cmtui.store.memory import InMemoryKnowledgeRepository
from support.documents import make_document

STORY = "Ulysses sat by the sea and wept.\n\nThe ship was ready at dawn.\n\nThe saddle was new."
PAPER = (
    "The experi-\nment used \ufb01ne sand.\n\nSadness was measured in sailors of the sea.\n\nTariffs rose."
)
NOTES = "Ulysses was here.\n\nThe ocean is wide."


@pytest.fixture
def repository() -> InMemoryKnowledgeRepository:
    """Three sources of three kinds."""
    repository = InMemoryKnowledgeRepository()
    put(repository, STORY, name="story.txt")
    put(repository, PAPER, name="paper.pdf", kind="pdf", pages=[(0, 40), (40, len(PAPER))])
    put(repository, NOTES, name="notes.md", kind="markdown")
    return repository


def put(repository: InMemoryKnowledgeRepository, text: str, **options: Any) -> CanonicalDocument:
    document, content, artifact = make_document(text, **options)
    repository.commit_document(document, content=content, artifact=artifact)
    return document


def document_of(repository: InMemoryKnowledgeRepository, name: str) -> str:
    return next(row.document_id for row in repository.summaries() if row.name == name and row.current)


def retriever(repository: InMemoryKnowledgeRepository) -> Retriever:
    return Retriever(CitationLexicalSearch(repository))


def texts(response: Sequence[SearchResult]) -> list[str]:
    return [result.text for result in response]


# -- results -----------------------------------------------------------------------------------------


def test_a_result_is_exact_canonical_text_with_its_locators(repository: InMemoryKnowledgeRepository) -> None:
    """R8, R74: citation and retrieval are apart; the text is the canonical text at the span."""
    (hit,) = retriever(repository).lexical("experiment")
    document = repository.document(hit.document_id)
    assert hit.text == "The experi-\nment used \ufb01ne sand." == document.slice(hit.span)
    assert hit.citation.segment["index"] == 0
    assert hit.citation.source["name"] == "paper.pdf"
    assert hit.citation.locators.page == 1
    assert hit.retrieval.mode is RetrievalMode.LEXICAL
    assert (hit.retrieval.lexical_rank, hit.retrieval.semantic_rank) == (1, None)
    assert [document.slice(span) for span in hit.retrieval.matches] == ["experi-\nment"]


def test_the_page_offset_of_the_source_is_used(repository: InMemoryKnowledgeRepository) -> None:
    """Locators follow what the user set for the source."""
    source = repository.source_of(document_of(repository, "paper.pdf"))
    repository.update_source(source.source_id, page_offset=10)
    (hit,) = retriever(repository).lexical("experiment")
    assert hit.locators.cited_page is not None
    assert hit.locators.cited_page.value == "11"


def test_search_is_lexical_only(repository: InMemoryKnowledgeRepository) -> None:
    """R70: search() finds words, never meaning."""
    found = retriever(repository).lexical("sad")
    assert texts(found) == ["Sadness was measured in sailors of the sea."]
    assert found.considered == 8


def test_semantic_search_needs_no_word_in_common(repository: InMemoryKnowledgeRepository) -> None:
    """R71, R75: 'sad' retrieves 'wept'; unrelated passages and look-alikes stay out."""
    found = retriever(repository).semantic("sad")
    assert set(texts(found)) == {
        "Sadness was measured in sailors of the sea.",
        "Ulysses sat by the sea and wept.",
    }
    assert found.mode is RetrievalMode.SEMANTIC
    wept = next(hit for hit in found if "wept" in hit.text)
    document = repository.document(wept.document_id)
    assert [document.slice(span) for span in wept.retrieval.matches] == ["wept"]
    assert wept.retrieval.lexical_rank is None
    assert wept.retrieval.semantic_score == wept.score > 0


def test_hybrid_is_the_fusion_of_independent_ranks(repository: InMemoryKnowledgeRepository) -> None:
    """R72, R73: the sum of 1/(60 + rank) over both lists, each passage once."""
    search = retriever(repository)
    lexical = {hit.passage_id: hit.rank for hit in search.lexical("Ulysses sad", limit=100)}
    semantic = {hit.passage_id: hit.rank for hit in search.semantic("Ulysses sad", limit=100)}
    hybrid = search.hybrid("Ulysses sad", limit=100)
    expected = {
        key: sum(1 / (60 + ranks[key]) for ranks in (lexical, semantic) if key in ranks)
        for key in {*lexical, *semantic}
    }
    assert {hit.passage_id: hit.score for hit in hybrid} == pytest.approx(expected)
    assert len({hit.passage_id for hit in hybrid}) == len(hybrid)
    for hit in hybrid:
        assert hit.retrieval.lexical_rank == lexical.get(hit.passage_id)
        assert hit.retrieval.semantic_rank == semantic.get(hit.passage_id)


def test_fusion_counts_a_repeated_id_once() -> None:
    """R72: k = 60; ranks count from 1."""
    fused = reciprocal_rank_fusion([["a", "b", "a"], ["b"]])
    assert fused == {"a": pytest.approx(1 / 61), "b": pytest.approx(1 / 62 + 1 / 61)}


def test_ties_are_broken_by_source_document_and_place() -> None:
    """R73: equal scores come in the order of source id, document id, place in the document."""
    repository = InMemoryKnowledgeRepository()
    for n in range(6):
        put(repository, f"The king wept.\n\nThe king wept.\n\nNumber {n}.", name=f"{n}.txt")
    for found in (
        retriever(repository).lexical("king", limit=50),
        retriever(repository).semantic("sad", limit=50),
        retriever(repository).hybrid("sad king", limit=50),
    ):
        assert len(found) == 12
        # In hybrid search equal texts have different ranks, so only the order of the lists is the tie order.
        keys = [(hit.source_id, hit.document_id, hit.citation.segment["index"]) for hit in found]
        assert keys == sorted(keys)


# -- eligibility -------------------------------------------------------------------------------------


def test_filters_by_id_prefix_and_kind(repository: InMemoryKnowledgeRepository) -> None:
    """R115: source, document and kind; several values mean any; ids may be unique prefixes."""
    search = retriever(repository)
    story = document_of(repository, "story.txt")
    source = repository.source_of(story).source_id
    for filters in (
        {"document_id": story},
        {"document_id": story[:12]},
        {"source_id": [source[:12]]},
        {"source_kind": "text"},
        {"source_kind": SourceKind.TEXT},
        Filters(document_ids=frozenset({story})),
    ):
        assert texts(search.lexical("sea", filters=filters)) == ["Ulysses sat by the sea and wept."]
        assert texts(search.semantic("sad", filters=filters)) == ["Ulysses sat by the sea and wept."]
        assert search.lexical("sea", filters=filters).considered == 3
    both = search.lexical("sea", filters={"source_kind": ["text", "pdf"]})
    assert len(both) == 2
    assert len(search.lexical("sea", filters={"source_kind": "pdf", "document_id": story})) == 0


@pytest.mark.parametrize(
    ("filters", "error"),
    [
        ({"sourceid": "x"}, InvalidRequest),
        ({"source_kind": "docx"}, InvalidRequest),
        ({"source_kind": 3}, InvalidRequest),
        ({"document_id": [1]}, InvalidRequest),
        ("pdf", InvalidRequest),
        ({"document_id": "0" * 64}, NotFound),
        ({"source_id": "zz"}, NotFound),
    ],
)
def test_wrong_filters_are_told(
    repository: InMemoryKnowledgeRepository, filters: Any, error: type[CmtuiError]
) -> None:
    """An unknown key, value or id is an error, never an empty answer."""
    for search in (
        retriever(repository).lexical,
        retriever(repository).semantic,
        retriever(repository).hybrid,
    ):
        with pytest.raises(error) as caught:
            search("sea", filters=filters)
        assert caught.value.hint


def test_a_mapping_of_nothing_filters_nothing() -> None:
    """None and empty values do not filter."""
    assert as_filters(None) == as_filters({}) == as_filters({"source_id": None, "kind": []}) == Filters()


def test_only_current_versions_unless_a_document_is_named(repository: InMemoryKnowledgeRepository) -> None:
    """An old version is searched when it is named, and only then."""
    old = document_of(repository, "story.txt")
    put(repository, "Ulysses laughed by the sea.", name="story.txt")
    search = retriever(repository)
    assert "Ulysses sat by the sea and wept." not in texts(search.lexical("sea"))
    assert "Ulysses laughed by the sea." in texts(search.lexical("sea"))
    named = {"document_id": old}
    assert texts(search.lexical("sea", filters=named)) == ["Ulysses sat by the sea and wept."]
    assert texts(search.semantic("sad", filters=named)) == ["Ulysses sat by the sea and wept."]


def test_filters_inside_the_query(repository: InMemoryKnowledgeRepository) -> None:
    """kind:, source: (id or name) and document: work in every mode; NOT takes passages out of every mode."""
    search = retriever(repository)
    for find in (search.lexical, search.semantic, search.hybrid):
        assert set(texts(find("sea kind:pdf"))) == {"Sadness was measured in sailors of the sea."}
        assert set(texts(find("sea source:STORY"))) == {"Ulysses sat by the sea and wept."}
        document = document_of(repository, "story.txt")
        assert set(texts(find(f"sea document:{document[:9]}"))) == {"Ulysses sat by the sea and wept."}
        assert not any("wept" in text for text in texts(find("sea NOT wept")))
        with pytest.raises(QueryError, match="No source"):
            find("sea source:nothing")


def test_an_empty_repository_finds_nothing() -> None:
    """No document, no error."""
    search = retriever(InMemoryKnowledgeRepository())
    assert len(search.lexical("sea")) == len(search.semantic("sea")) == len(search.hybrid("sea")) == 0


@pytest.mark.parametrize("limit", [0, -1, 1001, True, 2.0, "3", None])
def test_a_limit_out_of_range(repository: InMemoryKnowledgeRepository, limit: Any) -> None:
    """An integer from 1 to 1,000."""
    for search in (
        retriever(repository).lexical,
        retriever(repository).semantic,
        retriever(repository).hybrid,
    ):
        with pytest.raises(InvalidRequest):
            search("sea", limit=limit)


@pytest.mark.parametrize("query", ["", "  ", "\u2014"])
def test_nothing_to_search_for(repository: InMemoryKnowledgeRepository, query: str) -> None:
    """An empty query is an error in every mode."""
    for search in (
        retriever(repository).lexical,
        retriever(repository).semantic,
        retriever(repository).hybrid,
    ):
        with pytest.raises(QueryError):
            search(query)


def test_a_sentence_is_no_query_error_in_semantic_search(repository: InMemoryKnowledgeRepository) -> None:
    """Semantic search takes text as it is when it is no query."""
    assert texts(retriever(repository).semantic('he "wept')) == texts(
        retriever(repository).semantic("he wept")
    )


# -- the index is derived ----------------------------------------------------------------------------


def test_documents_that_are_missing_from_the_index_are_added_before_answering(
    repository: InMemoryKnowledgeRepository,
) -> None:
    """A partial answer is never given; more than a batch of documents too."""
    search = CitationLexicalSearch(repository)
    assert len(search.search("sea", limit=100)) == 2
    for n in range(30):
        put(repository, f"Number {n} crossed the sea.", name=f"{n}.txt")
    told: list[str] = []
    found = search.search("sea", limit=100, progress=lambda progress: told.append(progress.operation))
    assert len(found) == 32
    assert set(told) == {"index"}


def test_cancelling_the_refresh(repository: InMemoryKnowledgeRepository) -> None:
    """Cancelling gives no answer, and the next search goes on."""
    search = retriever(repository)
    with pytest.raises(Cancelled):
        search.lexical("sea", cancelled=lambda: True)
    assert len(search.lexical("sea")) == 2


def test_a_damaged_snapshot_fails_closed_where_it_is_needed(repository: InMemoryKnowledgeRepository) -> None:
    """A document that cannot be read makes the search that covers it fail, and no other."""
    damaged = document_of(repository, "paper.pdf")

    class Damaged:
        def __getattr__(self, name: str) -> Any:
            return getattr(repository, name)

        def document(self, document_id: str) -> CanonicalDocument:
            if document_id == damaged:
                raise SnapshotDamaged("The snapshot is damaged.", "Restore it from a backup.")
            return repository.document(document_id)

    search = CitationLexicalSearch(Damaged())
    with pytest.raises(SnapshotDamaged):
        search.search("sea")
    assert len(search.search("sea", filters={"source_kind": "text"})) == 1


def test_results_do_not_depend_on_the_process_that_indexed(
    repository: InMemoryKnowledgeRepository, tmp_path: Path
) -> None:
    """R191: memory and directory, fresh and old, give the same answers in all modes."""
    on_disk = WhooshLexicalIndex(tmp_path / "lexical")
    for row in sorted(repository.summaries(), key=lambda row: row.document_id):
        on_disk.add(
            [(row, repository.document(row.document_id))], progress=no_progress, cancelled=never_cancelled
        )
    one, other = retriever(repository), Retriever(CitationLexicalSearch(repository, on_disk))
    for query in ("sea", "sad sea", '"the sea"', "ship NOT dawn"):
        assert one.lexical(query) == other.lexical(query)
        assert one.hybrid(query) == other.hybrid(query)
        assert one.semantic(query) == other.semantic(query)


# -- fail closed -------------------------------------------------------------------------------------


class GivenLexical(WhooshLexicalIndex):
    """Answers with given hits."""

    def __init__(self, *hits: ScoredPassage) -> None:
        super().__init__(None)
        self.hits = hits

    def search(self, query: str, *, filters: Filters, limit: int) -> Sequence[ScoredPassage]:
        return self.hits


class GivenSemantic:
    """Answers with given hits."""

    def __init__(self, *hits: ScoredPassage) -> None:
        self.hits = hits

    def rank(
        self, query: str, candidates: Sequence[PassageProjection], *, limit: int | None = None
    ) -> Sequence[ScoredPassage]:
        return self.hits


def wrong_answers(document_id: str) -> list[tuple[tuple[ScoredPassage, ...], type[CmtuiError]]]:
    first = f"{document_id}#0"
    return [
        ((ScoredPassage("0" * 64 + "#0", 1.0),), UnknownCandidate),
        ((ScoredPassage("nonsense", 1.0),), UnknownCandidate),
        ((ScoredPassage(f"{document_id}#99", 1.0),), UnknownCandidate),
        ((ScoredPassage(f"{document_id}#00", 1.0),), UnknownCandidate),
        ((ScoredPassage(first, 1.0), ScoredPassage(first, 0.5)), UnknownCandidate),
        ((ScoredPassage(first, math.nan),), InvalidScore),
        ((ScoredPassage(first, math.inf),), InvalidScore),
        ((ScoredPassage(first, "1"),), InvalidScore),  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize("case", range(8))
def test_wrong_index_answers_fail_closed(repository: InMemoryKnowledgeRepository, case: int) -> None:
    """R78: unknown ids, duplicates and scores that are no finite numbers, in both kinds of index."""
    hits, error = wrong_answers(document_of(repository, "story.txt"))[case]
    lexical = Retriever(CitationLexicalSearch(repository, GivenLexical(*hits)))
    with pytest.raises(error):
        lexical.lexical("sea")
    with pytest.raises(error):
        lexical.hybrid("sea")
    with pytest.raises(error):
        retriever(repository).semantic("sea", index=GivenSemantic(*hits))
    with pytest.raises(error):
        retriever(repository).hybrid("sea", index=GivenSemantic(*hits))


def test_a_passage_that_was_filtered_out_is_unknown(repository: InMemoryKnowledgeRepository) -> None:
    """R78: an index may not answer with a passage that exists but was not asked about."""
    hit = ScoredPassage(f"{document_of(repository, 'story.txt')}#0", 1.0)
    only_pdf = {"source_kind": "pdf"}
    with pytest.raises(UnknownCandidate):
        Retriever(CitationLexicalSearch(repository, GivenLexical(hit))).lexical("sea", filters=only_pdf)
    with pytest.raises(UnknownCandidate):
        retriever(repository).semantic("sea", filters=only_pdf, index=GivenSemantic(hit))


def test_negative_semantic_scores_are_left_out(repository: InMemoryKnowledgeRepository) -> None:
    """0 or less means unrelated."""
    document_id = document_of(repository, "story.txt")
    index = GivenSemantic(ScoredPassage(f"{document_id}#0", -0.5), ScoredPassage(f"{document_id}#1", 0.5))
    assert texts(retriever(repository).semantic("sea", index=index)) == ["The ship was ready at dawn."]


# -- other ports -------------------------------------------------------------------------------------


class LexicalOnly:
    """A search port without enumeration, as older clients have."""

    def __init__(self, inner: CitationLexicalSearch) -> None:
        self.inner = inner

    def search(
        self, query: str, *, filters: Filters | Mapping[str, Any] | None = None, limit: int = 10
    ) -> SearchResponse:
        return self.inner.search(query, filters=filters, limit=limit)


class Enumerating(LexicalOnly):
    """A foreign port that enumerates its passages, perhaps wrongly."""

    def __init__(self, inner: CitationLexicalSearch, changed: str | None = None, twice: bool = False) -> None:
        super().__init__(inner)
        self.changed, self.twice = changed, twice

    def candidates(
        self, *, filters: Filters | Mapping[str, Any] | None = None
    ) -> Sequence[PassageProjection]:
        found = list(self.inner.candidates(filters=filters))
        if self.changed:
            found = [replace(one, text=self.changed) if "wept" in one.text else one for one in found]
        return found * 2 if self.twice else found


def test_ports_without_enumeration_are_refused_by_the_new_searches(
    repository: InMemoryKnowledgeRepository,
) -> None:
    """R83; lexical search goes on working."""
    search = Retriever(LexicalOnly(CitationLexicalSearch(repository)), repository)
    with pytest.raises(EnumerationUnsupported):
        search.semantic("sad")
    with pytest.raises(EnumerationUnsupported):
        search.hybrid("sad")
    assert len(search.lexical("sea")) == 2
    assert len(search.candidates("the sea", limit=10)) == 2


def test_a_foreign_port_that_enumerates_is_searched(repository: InMemoryKnowledgeRepository) -> None:
    """R71: the seam is the port, not our class."""
    ours = retriever(repository)
    foreign = Retriever(Enumerating(CitationLexicalSearch(repository)), repository)
    assert texts(foreign.semantic("sad")) == texts(ours.semantic("sad"))
    assert texts(foreign.hybrid("sad sea")) == texts(ours.hybrid("sad sea"))


def test_candidates_that_do_not_match_the_repository_fail_closed(
    repository: InMemoryKnowledgeRepository,
) -> None:
    """R78: an enumerated text that is not the canonical one, or an id enumerated twice."""
    inner = CitationLexicalSearch(repository)
    changed = Retriever(Enumerating(inner, changed="Ulysses wept bitterly."), repository)
    with pytest.raises(UnknownCandidate, match="does not hold the text"):
        changed.semantic("sad")
    with pytest.raises(UnknownCandidate, match="twice"):
        Retriever(Enumerating(inner, twice=True), repository).semantic("sad")


def test_a_port_without_a_repository_needs_one(repository: InMemoryKnowledgeRepository) -> None:
    """Results are read from canonical text, so somebody must have it."""
    with pytest.raises(EnumerationUnsupported, match="no repository"):
        Retriever(Enumerating(CitationLexicalSearch(repository))).semantic("sad")


def test_the_older_semantic_client(repository: InMemoryKnowledgeRepository) -> None:
    """R83: independent candidates where they can be enumerated; else the lexical results in another order."""
    inner = CitationLexicalSearch(repository)
    independent = SemanticCitationSearch(inner).search("sad")
    assert "Ulysses sat by the sea and wept." in texts(independent)
    lexical_only = SemanticCitationSearch(LexicalOnly(inner))
    assert texts(lexical_only.search("sad")) == ["Sadness was measured in sailors of the sea."]
    last = InMemorySemanticIndex()
    reranked = SemanticCitationSearch(LexicalOnly(inner), index=last).search("sea Ulysses")
    assert set(texts(reranked)) == set(texts(inner.search("sea Ulysses")))
    assert [hit.rank for hit in reranked] == list(range(1, len(reranked) + 1))
    assert [hit.score for hit in reranked] == sorted((hit.score for hit in reranked), reverse=True)


# -- the evidence pool -------------------------------------------------------------------------------


def test_the_evidence_pool_takes_a_sentence_whatever_it_holds(
    repository: InMemoryKnowledgeRepository,
) -> None:
    """R85: no operator, quote or bracket in a claim is a query error; the pool may exceed 1,000."""
    search = retriever(repository)
    pool = search.candidates('Ulysses "was AND sad (at NOT the sea*', limit=5000)
    assert {"Ulysses sat by the sea and wept.", "Ulysses was here."} <= set(texts(pool))
    assert search.candidates("the of", limit=5) == ()
    with pytest.raises(InvalidRequest):
        search.candidates("sea", limit=0)


def test_prefixes_of_several_documents_are_ambiguous() -> None:
    """A prefix names one document or none."""
    repository = InMemoryKnowledgeRepository()
    for n in range(40):
        put(repository, f"Text {n} of the sea.", name=f"{n}.txt")
    ids = sorted(repository.document_ids())
    with pytest.raises((AmbiguousId, NotFound)):
        retriever(repository).lexical("sea", filters={"document_id": ids[0][:1]})


def test_passage_digests_are_shown(repository: InMemoryKnowledgeRepository) -> None:
    """The segment's digest is that of its exact text."""
    (hit,) = retriever(repository).lexical("saddle")
    assert hit.citation.segment["text_sha256"] == sha256_text(hit.text)

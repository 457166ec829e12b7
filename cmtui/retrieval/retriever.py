"""Lexical, semantic and hybrid search over any search port, each answer checked (R70 to R74, R78, R83)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from cmtui.errors import EnumerationUnsupported, QueryError
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.retrieval import (
    PassageProjection,
    RetrievalMode,
    RetrievalScores,
    ScoredPassage,
    SearchResponse,
    SearchResult,
)
from cmtui.model.selectors import Span
from cmtui.ports import CitationCandidatePort, CitationSearchPort, DocumentRepository, SemanticIndex
from cmtui.retrieval.citations import CitationReader, checked_answer, ordered
from cmtui.retrieval.filters import as_filters, checked_limit
from cmtui.retrieval.fusion import reciprocal_rank_fusion, rounded
from cmtui.retrieval.highlight import PassageWords, joined
from cmtui.retrieval.lexical_search import AnyFilters, CitationLexicalSearch
from cmtui.retrieval.pool import by_id, lazy_pool, sequence_of
from cmtui.retrieval.query import Query, parse, plain_query

#: How deep each ranking of a hybrid search goes, at least; both are cut at the same depth.
HYBRID_DEPTH = 1_000


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query as the lexical side reads it (None: it has nothing to look for) and as text to be meant."""

    query: Query | None
    meaning: str

    @classmethod
    def strictly(cls, text: str) -> Self:
        """In the query language. Raises QueryError."""
        query = parse(text)
        plain = query.words.split() == text.split()
        return cls(query, text if plain else query.words)

    @classmethod
    def loosely(cls, text: str) -> Self:
        """In the query language if it can be read so, else as a sentence. Raises QueryError without words."""
        try:
            return cls.strictly(text)
        except QueryError:
            if not plain_query(text):
                raise
            return cls(None, text)

    @classmethod
    def words_only(cls, text: str) -> Self:
        """As a sentence, whatever operators and punctuation it holds."""
        try:
            return cls(parse(plain_query(text)), text)
        except QueryError:
            return cls(None, text)


class Retriever:
    """Lexical, semantic and hybrid search over any search port (R70 to R74).

    ``repository`` is where results are read from; the port's own when it is not given. Semantic and hybrid
    search need a port that enumerates its passages (R83).
    """

    def __init__(
        self,
        port: CitationSearchPort,
        repository: DocumentRepository | None = None,
        index: SemanticIndex | None = None,
    ) -> None:
        self._port = port
        self._repository: DocumentRepository | None = repository or getattr(port, "repository", None)
        self._semantic_index = index
        self._digests: dict[str, bytes] = {}

    def lexical(
        self,
        query: str,
        *,
        filters: AnyFilters = None,
        limit: int = 10,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> SearchResponse:
        """Lexical search only (R70). Raises QueryError, InvalidRequest."""
        checked_limit(limit)
        port = self._port
        if isinstance(port, CitationLexicalSearch):
            return port.search(query, filters=filters, limit=limit, progress=progress, cancelled=cancelled)
        results = self._foreign(port.search(query, filters=as_filters(filters), limit=limit))
        return SearchResponse(query, RetrievalMode.LEXICAL, tuple(results[:limit]), len(results))

    def semantic(
        self,
        query: str,
        *,
        filters: AnyFilters = None,
        limit: int = 10,
        index: SemanticIndex | None = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> SearchResponse:
        """Every eligible passage ranked by meaning; results need share no word with the query (R71, R75).

        Operators and filters of the query language are understood when the query can be read as one.
        Raises EnumerationUnsupported, QueryError for an empty query, InvalidRequest.
        """
        checked_limit(limit)
        del progress, cancelled  # one call of the matcher; nothing to stop between
        asked = _Asked.loosely(query)
        pool = self._pool(filters, asked.query)
        hits = self._semantic_hits(asked, pool, limit, index)
        results = self._results(
            RetrievalMode.SEMANTIC, [hit.passage_id for hit in hits], [], hits, {}, asked, limit
        )
        return SearchResponse(query, RetrievalMode.SEMANTIC, results, len(pool))

    def hybrid(
        self,
        query: str,
        *,
        filters: AnyFilters = None,
        limit: int = 10,
        index: SemanticIndex | None = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> SearchResponse:
        """Reciprocal rank fusion, k = 60, of the lexical and the semantic ranks (R72, R73).

        Raises EnumerationUnsupported, QueryError, InvalidRequest.
        """
        checked_limit(limit)
        asked = _Asked.strictly(query)
        results, considered = self._fused(
            asked, filters, limit, index, progress=progress, cancelled=cancelled, highlight=True
        )
        return SearchResponse(query, RetrievalMode.HYBRID, results, considered)

    def candidates(
        self,
        query: str,
        *,
        filters: AnyFilters = None,
        limit: int,
        index: SemanticIndex | None = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> tuple[SearchResult, ...]:
        """The pool that evidence is looked for in: hybrid search for the plain words of a sentence (R85).

        ``limit`` is any number from 1 up; nothing is highlighted. A port that cannot enumerate its passages
        gives its lexical results.
        """
        checked_limit(limit, maximum=None)
        asked = _Asked.words_only(query)
        if not isinstance(self._port, CitationCandidatePort):
            if asked.query is None:
                return ()
            found = self._port.search(asked.query.text, filters=as_filters(filters), limit=limit)
            return tuple(self._foreign(found)[:limit])
        results, _ = self._fused(
            asked, filters, limit, index, progress=progress, cancelled=cancelled, highlight=False
        )
        return results

    def reranked(self, query: str, *, filters: AnyFilters = None, limit: int = 10) -> SearchResponse:
        """The port's lexical results in the order of meaning (R83)."""
        lexical = self.lexical(query, filters=filters, limit=limit)
        pool = {hit.passage_id: PassageProjection(hit.passage_id, hit.text) for hit in lexical}
        index = self._default_index()
        answer = index.rank(_Asked.strictly(query).meaning, tuple(pool.values()))
        scores = {
            hit.passage_id: hit.score for hit in checked_answer(answer, pool, name=type(index).__name__)
        }
        best = sorted(lexical, key=lambda hit: (-rounded(scores.get(hit.passage_id, 0.0)), hit.rank))
        places = {hit.passage_id: place for place, hit in enumerate(best, 1) if hit.passage_id in scores}
        return SearchResponse(
            query,
            RetrievalMode.SEMANTIC,
            tuple(
                replace(
                    hit,
                    rank=rank,
                    retrieval=RetrievalScores(
                        RetrievalMode.SEMANTIC,
                        scores.get(hit.passage_id, 0.0),
                        lexical_rank=hit.rank,
                        lexical_score=hit.score,
                        semantic_rank=places.get(hit.passage_id),
                        semantic_score=scores.get(hit.passage_id),
                        matches=hit.retrieval.matches,
                    ),
                )
                for rank, hit in enumerate(best, 1)
            ),
            lexical.considered,
        )

    # -- rankings ----------------------------------------------------------------------------------

    def _fused(
        self,
        asked: _Asked,
        filters: AnyFilters,
        limit: int,
        index: SemanticIndex | None,
        *,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
        highlight: bool,
    ) -> tuple[tuple[SearchResult, ...], int]:
        pool = self._pool(filters, asked.query)
        depth = max(HYBRID_DEPTH, limit)
        lexical = self._lexical_hits(asked, filters, pool, depth, progress, cancelled)
        semantic = self._semantic_hits(asked, pool, depth, index)
        fused = reciprocal_rank_fusion(
            [[hit.passage_id for hit in lexical], [hit.passage_id for hit in semantic]]
        )
        reader = CitationReader(self._documents)
        ids = [
            hit.passage_id
            for hit in ordered((ScoredPassage(key, score) for key, score in fused.items()), reader)
        ]
        return (
            self._results(
                RetrievalMode.HYBRID, ids, lexical, semantic, fused, asked, limit, highlight=highlight
            ),
            len(pool),
        )

    def _lexical_hits(
        self,
        asked: _Asked,
        filters: AnyFilters,
        pool: Mapping[str, PassageProjection],
        depth: int,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> list[ScoredPassage]:
        query = asked.query
        if query is None:
            return []
        port = self._port
        if isinstance(port, CitationLexicalSearch):
            rows = port.eligible(filters, query)
            return port.rank(query, rows, limit=depth, progress=progress, cancelled=cancelled)
        found = port.search(query.text, filters=as_filters(filters), limit=depth)
        answer = [ScoredPassage(result.passage_id, result.score) for result in found]
        return checked_answer(answer, pool, name=type(port).__name__)

    def _semantic_hits(
        self,
        asked: _Asked,
        pool: Mapping[str, PassageProjection],
        limit: int,
        index: SemanticIndex | None,
    ) -> list[ScoredPassage]:
        if not pool:
            return []
        chosen = index or self._default_index()
        unwanted = asked.query.exclusions() if asked.query is not None else ()
        name = type(chosen).__name__
        answer = chosen.rank(asked.meaning, sequence_of(pool), limit=None if unwanted else limit)
        checked = [hit for hit in checked_answer(answer, pool, name=name) if hit.score > 0]
        reader = CitationReader(self._documents)
        kept: list[ScoredPassage] = []
        for hit in ordered(checked, reader):
            projection = pool[hit.passage_id]
            if unwanted:
                words = PassageWords(projection.text)
                if any(words.matches(node) for node in unwanted):
                    continue
            reader.check_projection(projection)
            kept.append(hit)
            if len(kept) == limit:
                break
        return kept

    def _default_index(self) -> SemanticIndex:
        if self._semantic_index is None:
            from cmtui.retrieval.default_index import default_semantic_index

            self._semantic_index = default_semantic_index(self._repository)
        return self._semantic_index

    # -- passages ----------------------------------------------------------------------------------

    @property
    def _documents(self) -> DocumentRepository:
        if self._repository is None:
            raise EnumerationUnsupported(
                f"The search port {type(self._port).__name__} brings no repository to read results from.",
                "Pass repository=, or use CitationLexicalSearch(repository).",
            )
        return self._repository

    def _pool(self, filters: AnyFilters, query: Query | None) -> Mapping[str, PassageProjection]:
        """Every eligible passage by id, in order. Raises EnumerationUnsupported, UnknownCandidate."""
        port = self._port
        if not isinstance(port, CitationCandidatePort):
            raise EnumerationUnsupported(
                f"The search port {type(port).__name__} cannot enumerate its passages.",
                "Semantic and hybrid search need candidates(); use CitationLexicalSearch, or lexical search.",
            )
        if isinstance(port, CitationLexicalSearch):
            return lazy_pool(port.repository, port.eligible(filters, query), self._digests)
        if query is not None and query.filters:
            raise QueryError(
                "This search port takes no filters inside the query.", "Pass them as filters instead."
            )
        return by_id(port.candidates(filters=as_filters(filters)), port=type(port).__name__)

    def _foreign(self, found: Sequence[SearchResult]) -> list[SearchResult]:
        """Results of a port that is not ours: checked, and read again where there is a repository."""
        hits = [ScoredPassage(result.passage_id, result.score) for result in found]
        checked_answer(hits, {hit.passage_id for hit in hits}, name=type(self._port).__name__)
        results = [replace(result, rank=rank) for rank, result in enumerate(found, 1)]
        if self._repository is not None:
            reader = CitationReader(self._repository)
            for result in results:
                reader.check_projection(PassageProjection(result.passage_id, result.text))
        return results

    def _results(
        self,
        mode: RetrievalMode,
        ids: Sequence[str],
        lexical: Sequence[ScoredPassage],
        semantic: Sequence[ScoredPassage],
        fused: Mapping[str, float],
        asked: _Asked,
        limit: int,
        *,
        highlight: bool = True,
    ) -> tuple[SearchResult, ...]:
        reader = CitationReader(self._documents)
        by_words = {hit.passage_id: (rank, hit.score) for rank, hit in enumerate(lexical, 1)}
        by_meaning = {hit.passage_id: (rank, hit.score) for rank, hit in enumerate(semantic, 1)}
        leaves = asked.query.leaves() if asked.query is not None else ()
        lexicon = getattr(self._semantic_index, "lexicon", None)
        results: list[SearchResult] = []
        for rank, passage_id in enumerate(ids[:limit], 1):
            citation = reader.citation(passage_id)
            lexical_rank, lexical_score = by_words.get(passage_id, (None, None))
            semantic_rank, semantic_score = by_meaning.get(passage_id, (None, None))
            matches: tuple[Span, ...] = ()
            if highlight:
                words, start = PassageWords(citation.text), citation.span.start
                matches = joined(
                    words.spans(leaves, offset=start),
                    words.related_spans(asked.meaning, offset=start, lexicon=lexicon),
                )
            score = fused.get(passage_id, semantic_score if semantic_score is not None else 0.0)
            scores = RetrievalScores(
                mode,
                score,
                lexical_rank=lexical_rank,
                lexical_score=lexical_score,
                semantic_rank=semantic_rank,
                semantic_score=semantic_score,
                matches=matches,
            )
            results.append(SearchResult(rank, citation, scores))
        return tuple(results)


class SemanticCitationSearch:
    """The seed's older search client: semantic search over another client (R83).

    A client that enumerates its passages is searched independently of words. One that only searches keeps the
    documented behaviour: its lexical results ordered by meaning; those without a semantic score come last, in
    their lexical order.
    """

    def __init__(self, client: CitationSearchPort, index: SemanticIndex | None = None) -> None:
        self._client = client
        self._retriever = Retriever(client, index=index)

    def search(self, query: str, *, filters: AnyFilters = None, limit: int = 10) -> SearchResponse:
        """Results by meaning. Raises QueryError, InvalidRequest, UnknownCandidate, InvalidScore."""
        if isinstance(self._client, CitationCandidatePort):
            return self._retriever.semantic(query, filters=filters, limit=limit)
        return self._retriever.reranked(query, filters=filters, limit=limit)

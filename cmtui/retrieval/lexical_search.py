"""The default search port: lexical search over a repository, and enumeration of its passages.

The index is derived and may be wrong; so it is brought up to date before each answer, every answer is checked
against what was asked (R78), and the text of every result is read from the canonical document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cmtui.errors import IndexDamaged
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.retrieval import (
    Filters,
    PassageProjection,
    RetrievalMode,
    RetrievalScores,
    ScoredPassage,
    SearchResponse,
    SearchResult,
)
from cmtui.model.source import DocumentSummary
from cmtui.ports import DocumentRepository, KnowledgeRepository, LexicalIndex
from cmtui.retrieval.citations import CitationReader, EligiblePassages, checked_answer, ordered
from cmtui.retrieval.filters import as_filters, checked_limit, eligible, narrowed
from cmtui.retrieval.highlight import PassageWords
from cmtui.retrieval.query import Query, parse
from cmtui.retrieval.refresh import refresh

AnyFilters = Filters | Mapping[str, Any] | None

#: Name of the lexical index inside the store's folder of derived data.
LEXICAL_FOLDER = "lexical"


def local_search(repository: KnowledgeRepository) -> CitationLexicalSearch:
    """The default search port over a repository: Whoosh under its folder of derived data, or in memory."""
    from cmtui.retrieval.lexical import WhooshLexicalIndex

    derived = repository.derived
    return CitationLexicalSearch(
        repository, WhooshLexicalIndex(None if derived is None else derived / LEXICAL_FOLDER)
    )


class CitationLexicalSearch:
    """The seed's search port: lexical search over a repository, and enumeration of its passages (R70, R71).

    The index is brought up to date before each answer; a partial answer is never given. Without ``index`` it
    lives in memory.
    """

    def __init__(self, repository: DocumentRepository, index: LexicalIndex | None = None) -> None:
        if index is None:
            from cmtui.retrieval.lexical import WhooshLexicalIndex

            index = WhooshLexicalIndex(None)
        self.repository = repository
        self.index = index
        self._rows: tuple[int, tuple[DocumentSummary, ...]] | None = None

    def search(
        self,
        query: str,
        *,
        filters: AnyFilters = None,
        limit: int = 10,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> SearchResponse:
        """Passages by BM25 (R70). See ``cmtui.retrieval.query`` for the query language.

        Raises QueryError, InvalidRequest, NotFound and AmbiguousId (filters), Cancelled.
        """
        checked_limit(limit)
        parsed = parse(query)
        rows = self.eligible(filters, parsed)
        hits = self.rank(parsed, rows, limit=limit, progress=progress, cancelled=cancelled)
        reader = CitationReader(self.repository)
        leaves = parsed.leaves()
        results: list[SearchResult] = []
        for rank, hit in enumerate(hits, 1):
            citation = reader.citation(hit.passage_id)
            matches = tuple(PassageWords(citation.text).spans(leaves, offset=citation.span.start))
            scores = RetrievalScores(
                RetrievalMode.LEXICAL,
                hit.score,
                lexical_rank=rank,
                lexical_score=hit.score,
                matches=matches,
            )
            results.append(SearchResult(rank, citation, scores))
        return SearchResponse(query, RetrievalMode.LEXICAL, tuple(results), sum(row.passages for row in rows))

    def candidates(self, *, filters: AnyFilters = None) -> Sequence[PassageProjection]:
        """All eligible passages by source id, document id and place in the document (R71).

        Raises InvalidRequest, NotFound, AmbiguousId, SnapshotDamaged.
        """
        return self.project(self.eligible(filters))

    # -- for the retriever -------------------------------------------------------------------------

    def rows(self) -> tuple[DocumentSummary, ...]:
        """All documents of the repository, read again when its generation has changed."""
        generation = self.repository.generation()
        if self._rows is None or self._rows[0] != generation:
            self._rows = (generation, self.repository.summaries())
        return self._rows[1]

    def eligible(self, filters: AnyFilters, query: Query | None = None) -> list[DocumentSummary]:
        """The documents a search covers, by source id, then document id."""
        everything = self.rows()
        rows = eligible(everything, as_filters(filters))
        return rows if query is None else narrowed(rows, everything, query.filters)

    def rank(
        self,
        query: Query,
        rows: Sequence[DocumentSummary],
        *,
        limit: int,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> list[ScoredPassage]:
        """The index's answer over the passages of ``rows``, checked and in order (R78, R191)."""
        if not rows:
            return []
        needed = frozenset(row.document_id for row in rows)
        for last in (False, True):
            refresh(self.repository, self.index, self.rows(), needed, progress=progress, cancelled=cancelled)
            try:
                answer = self.index.search(
                    query.unfiltered, filters=Filters(document_ids=needed), limit=limit
                )
                break
            except IndexDamaged:
                # Covers nothing now: the next turn builds it anew.
                if last:
                    raise
        name = type(self.index).__name__
        checked = checked_answer(answer, EligiblePassages(rows), name=name)
        return ordered(checked, CitationReader(self.repository))[:limit]

    def project(self, rows: Sequence[DocumentSummary]) -> tuple[PassageProjection, ...]:
        """ID, exact text and role of every passage of ``rows``, in order (R77)."""
        return tuple(
            PassageProjection(document.passage_id(passage), document.passage_text(passage), passage.role)
            for document in (self.repository.document(row.document_id) for row in rows)
            for passage in document.passages
        )

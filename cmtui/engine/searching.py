"""Operations that find passages."""

from __future__ import annotations

from cmtui.engine.core import AnyFilters, MachineCore
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.retrieval import SearchResponse
from cmtui.ports import SemanticIndex


class SearchOperations(MachineCore):
    """Lexical, semantic and hybrid search."""

    def search(
        self,
        query: str,
        *,
        filters: AnyFilters = None,
        limit: int = 10,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> SearchResponse:
        """Lexical search only (R70). Raises QueryError, InvalidRequest."""
        return self.retriever.lexical(
            query, filters=filters, limit=limit, progress=progress, cancelled=cancelled
        )

    def semantic_search(
        self,
        query: str,
        *,
        filters: AnyFilters = None,
        limit: int = 10,
        index: SemanticIndex | None = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> SearchResponse:
        """Semantic search over every eligible passage (R71). Raises EnumerationUnsupported."""
        return self.retriever.semantic(
            query, filters=filters, limit=limit, index=index, progress=progress, cancelled=cancelled
        )

    def hybrid_search(
        self,
        query: str,
        *,
        filters: AnyFilters = None,
        limit: int = 10,
        index: SemanticIndex | None = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> SearchResponse:
        """Reciprocal rank fusion, k = 60, of the lexical and the semantic ranks (R72)."""
        return self.retriever.hybrid(
            query, filters=filters, limit=limit, index=index, progress=progress, cancelled=cancelled
        )

"""Operations that find passages."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from cmtui.engine.core import AnyFilters, MachineCore
from cmtui.errors import SidecarMalformed
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.retrieval import SearchResponse, SearchResult
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
        return self._titled(
            self.retriever.lexical(
                query, filters=filters, limit=limit, progress=progress, cancelled=cancelled
            )
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
        return self._titled(
            self.retriever.semantic(
                query, filters=filters, limit=limit, index=index, progress=progress, cancelled=cancelled
            )
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
        return self._titled(
            self.retriever.hybrid(
                query, filters=filters, limit=limit, index=index, progress=progress, cancelled=cancelled
            )
        )

    def _titled(self, response: SearchResponse) -> SearchResponse:
        """The results with the titles of their sources, from the explicit bibliography alone (R8, R102)."""
        titles: dict[str, str | None] = {}
        for result in response:
            if result.source_id not in titles:
                # A malformed sidecar is told where metadata is used; it keeps nobody from searching.
                with contextlib.suppress(SidecarMalformed):
                    titles[result.source_id] = self.desk.title(result.source_id)
        if not any(titles.values()):
            return response
        return replace(response, results=tuple(_with_title(r, titles.get(r.source_id)) for r in response))


def _with_title(result: SearchResult, title: str | None) -> SearchResult:
    citation = replace(result.citation, source={**result.citation.source, "title": title})
    return replace(result, citation=citation)

"""The public names of retrieval: what the engine and library users build searches from."""

from __future__ import annotations

from cmtui.retrieval.filters import as_filters
from cmtui.retrieval.lexical_search import CitationLexicalSearch, local_search
from cmtui.retrieval.query import plain_query
from cmtui.retrieval.retriever import Retriever, SemanticCitationSearch
from cmtui.retrieval.semantic import (
    InMemorySemanticIndex,
    LocalEmbeddingMatcher,
    SentenceTransformerMatcher,
)

__all__ = [
    "CitationLexicalSearch",
    "InMemorySemanticIndex",
    "LocalEmbeddingMatcher",
    "Retriever",
    "SemanticCitationSearch",
    "SentenceTransformerMatcher",
    "as_filters",
    "local_search",
    "plain_query",
]

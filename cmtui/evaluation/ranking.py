"""Rankings as the engine makes them, without what is shown of results: for thousands of queries and passages.

The parts are the engine's own (index, matcher, fusion); a test holds the order to that of the engine's
search.
"""

from __future__ import annotations

from collections.abc import Sequence

from cmtui.errors import InvalidRequest, QueryError
from cmtui.evaluation.library import LabelledLibrary
from cmtui.model.progress import never_cancelled, no_progress
from cmtui.model.retrieval import PassageProjection, ScoredPassage
from cmtui.ports import SemanticIndex
from cmtui.retrieval.citations import CitationReader, ordered
from cmtui.retrieval.fusion import reciprocal_rank_fusion
from cmtui.retrieval.lexical_search import CitationLexicalSearch
from cmtui.retrieval.query import parse, plain_query
from cmtui.retrieval.retriever import HYBRID_DEPTH
from cmtui.retrieval.semantic import InMemorySemanticIndex

#: The modes; the learned ones need an index.
MODES = ("lexical", "semantic", "hybrid", "semantic-learned", "hybrid-learned")


class Ranker:
    """Rankings of a library's texts for sentences.

    Each part of a hybrid is computed once while the sentence stays the same: ask for all modes of one first.
    """

    def __init__(self, library: LabelledLibrary, learned: SemanticIndex | None = None) -> None:
        port = library.machine.search_port
        assert isinstance(port, CitationLexicalSearch)
        self._library, self._port = library, port
        self._rows = port.eligible(None)
        self._pool: tuple[PassageProjection, ...] = tuple(port.project(self._rows))
        self._indexes: dict[str, SemanticIndex] = {"local": InMemorySemanticIndex()}
        if learned is not None:
            self._indexes["learned"] = learned
        self._sentence: str | None = None
        self._kept: dict[str, list[ScoredPassage]] = {}

    def ranking(self, mode: str, sentence: str, *, limit: int) -> list[str]:
        """Keys of texts, best first. Raises InvalidRequest for a mode without its index."""
        if sentence != self._sentence:
            self._sentence, self._kept = sentence, {}
        kind, _, which = mode.partition("-")
        if kind == "lexical":
            hits = self._lexical(sentence)
        elif kind == "semantic":
            hits = self._semantic(which or "local", sentence)
        else:
            fused = reciprocal_rank_fusion(
                [
                    [hit.passage_id for hit in self._lexical(sentence)],
                    [hit.passage_id for hit in self._semantic(which or "local", sentence)],
                ]
            )
            hits = self._ordered([ScoredPassage(key, score) for key, score in fused.items()])
        return [self._library.keys[hit.passage_id.rpartition("#")[0]] for hit in hits[:limit]]

    def _lexical(self, sentence: str) -> list[ScoredPassage]:
        key = "lexical"
        if key not in self._kept:
            try:
                query = parse(plain_query(sentence))
            except QueryError:
                self._kept[key] = []
            else:
                self._kept[key] = self._port.rank(
                    query, self._rows, limit=HYBRID_DEPTH, progress=no_progress, cancelled=never_cancelled
                )
        return self._kept[key]

    def _semantic(self, which: str, sentence: str) -> list[ScoredPassage]:
        key = which
        if key not in self._kept:
            index = self._indexes.get(which)
            if index is None:
                raise InvalidRequest(
                    "Learned retrieval needs a model, and none is named.",
                    "Name one with --embedding-model DIR, or leave the learned modes out.",
                )
            hits = [h for h in index.rank(sentence, self._pool, limit=HYBRID_DEPTH) if h.score > 0]
            self._kept[key] = self._ordered(hits)[:HYBRID_DEPTH]
        return self._kept[key]

    def _ordered(self, hits: Sequence[ScoredPassage]) -> list[ScoredPassage]:
        return ordered(hits, CitationReader(self._library.machine.repository))

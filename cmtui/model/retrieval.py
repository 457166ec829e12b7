"""What retrieval passes around: projections for indexes, filters, and results for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import overload

from cmtui.model.identity import SourceKind
from cmtui.model.selectors import Span
from cmtui.model.source import Locators, PassageRole


class RetrievalMode(StrEnum):
    """How passages were found."""

    LEXICAL = "lexical"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Filters:
    """Which passages are eligible. Empty fields do not filter; several values mean any of them (R115).

    Only current versions of a source are eligible unless a document is named.
    """

    source_ids: frozenset[str] = frozenset()
    document_ids: frozenset[str] = frozenset()
    kinds: frozenset[SourceKind] = frozenset()


@dataclass(frozen=True, slots=True)
class PassageProjection:
    """The immutable ID and text that an index or an inference backend receives (R77), and nothing else
    that could enter an identity. ``text`` is the exact canonical text of the passage."""

    passage_id: str
    text: str
    role: PassageRole = PassageRole.BODY


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """What an index answers: an ID it was given and a finite score (R77, R78)."""

    passage_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Citation:
    """One persisted passage with everything needed to show and cite it (R8).

    ``span`` is the passage's span in the canonical content of ``document_id``. ``source`` and ``segment``
    are display metadata (name, title, kind; role, index, digest).
    """

    passage_id: str
    document_id: str
    source_id: str
    text: str
    span: Span
    locators: Locators
    source: dict[str, str | None]
    segment: dict[str, str | int]


@dataclass(frozen=True, slots=True)
class RetrievalScores:
    """How a result was ranked; never part of an identity.

    ``score`` is BM25 for lexical, cosine for semantic, and the reciprocal-rank-fusion sum (k = 60) for
    hybrid search. Ranks are 1-based and None where the passage is absent from that list.
    ``matches`` are spans of the canonical content to highlight (query terms as found in the passage).
    """

    mode: RetrievalMode
    score: float
    lexical_rank: int | None = None
    lexical_score: float | None = None
    semantic_rank: int | None = None
    semantic_score: float | None = None
    matches: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A ranked passage: what it is (``citation``) apart from how it was found (``retrieval``) (R74)."""

    rank: int
    citation: Citation
    retrieval: RetrievalScores

    @property
    def text(self) -> str:
        """The exact text of the passage."""
        return self.citation.text

    @property
    def score(self) -> float:
        """The score the results are ranked by."""
        return self.retrieval.score

    @property
    def passage_id(self) -> str:
        """The persisted segment identity."""
        return self.citation.passage_id

    @property
    def document_id(self) -> str:
        """The canonical content the passage belongs to."""
        return self.citation.document_id

    @property
    def source_id(self) -> str:
        """The source artifact the passage belongs to."""
        return self.citation.source_id

    @property
    def span(self) -> Span:
        """The passage's span in the canonical content."""
        return self.citation.span

    @property
    def locators(self) -> Locators:
        """Page, chapter, section, paragraph and line where known."""
        return self.citation.locators


@dataclass(frozen=True, slots=True)
class SearchResponse(Sequence[SearchResult]):
    """The answer to one query: a sequence of results. ``considered`` counts the eligible passages."""

    query: str
    mode: RetrievalMode
    results: tuple[SearchResult, ...]
    considered: int = 0

    @overload
    def __getitem__(self, index: int) -> SearchResult: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[SearchResult]: ...
    def __getitem__(self, index: int | slice) -> SearchResult | Sequence[SearchResult]:
        return self.results[index]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[SearchResult]:
        return iter(self.results)

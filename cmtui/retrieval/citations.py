"""From ids to citations: the canonical text behind an index's answer, and the checks of that answer (R78)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from cmtui.errors import NotFound, UnknownCandidate
from cmtui.model.retrieval import Citation, PassageProjection, ScoredPassage
from cmtui.model.source import CanonicalDocument, DocumentSummary, Passage, SourceRecord, split_passage_id
from cmtui.ports import DocumentRepository
from cmtui.retrieval.fusion import rounded
from cmtui.retrieval.semantic import checked_score

#: What ties are broken by, in order: source, document, place in the document, id (R73).
TieKey = tuple[str, str, int, str]


class CitationReader:
    """Reads passages from a repository for the length of one search."""

    def __init__(self, repository: DocumentRepository) -> None:
        self._repository = repository
        self._documents: dict[str, CanonicalDocument] = {}
        self._sources: dict[str, SourceRecord] = {}

    def citation(self, passage_id: str) -> Citation:
        """The passage with its exact canonical text. Raises UnknownCandidate when there is none."""
        document, passage = self._passage(passage_id)
        source = self._source(document.document_id)
        span = passage.span
        return Citation(
            passage_id=passage_id,
            document_id=document.document_id,
            source_id=source.source_id,
            text=document.slice(span),
            span=span,
            locators=document.locate(span, page_offset=source.page_offset),
            source={
                "name": source.name,
                "kind": str(document.kind),
                "reference": source.artifact.reference,
                "title": None,
            },
            segment={
                "index": passage.index,
                "role": str(passage.role),
                "text_sha256": passage.text_sha256,
            },
        )

    def check_projection(self, projection: PassageProjection) -> None:
        """Raises UnknownCandidate unless the projection holds the canonical text of its passage."""
        document, passage = self._passage(projection.passage_id)
        if document.passage_text(passage) != projection.text:
            raise UnknownCandidate(
                f"The candidate {short(projection.passage_id)} does not hold the text of its passage.",
                "The search port enumerates other texts than the repository holds.",
            )

    def tie_key(self, passage_id: str) -> TieKey:
        """What ties between passages of equal score are broken by (R73)."""
        document, passage = self._passage(passage_id)
        return (
            self._source(document.document_id).source_id,
            document.document_id,
            passage.index,
            passage_id,
        )

    def _passage(self, passage_id: str) -> tuple[CanonicalDocument, Passage]:
        try:
            document_id, index = split_passage_id(passage_id)
            document = self._documents.get(document_id)
            if document is None:
                document = self._documents[document_id] = self._repository.document(document_id)
            passage = document.passages[index]
        except (ValueError, IndexError, NotFound) as error:
            raise _unknown(passage_id) from error
        if document.passage_id(passage) != passage_id:  # a prefix, or digits written otherwise
            raise _unknown(passage_id)
        return document, passage

    def _source(self, document_id: str) -> SourceRecord:
        source = self._sources.get(document_id)
        if source is None:
            source = self._sources[document_id] = self._repository.source_of(document_id)
        return source


def checked_answer(
    answer: Iterable[ScoredPassage], asked: Container[str], *, name: str
) -> list[ScoredPassage]:
    """An index's answer, checked (R78).

    ``asked`` are the passage ids the index was given. Raises UnknownCandidate for an id it was not given or
    gave twice, InvalidScore for a score that is no finite number.
    """
    checked: list[ScoredPassage] = []
    seen: set[str] = set()
    for hit in answer:
        if not isinstance(hit.passage_id, str) or hit.passage_id not in asked:
            raise UnknownCandidate(
                f"'{name}' answered with a passage it was not given: {short(str(hit.passage_id))}.",
                "This is a fault of the index; delete the store's derived folder, or use the local one.",
            )
        if hit.passage_id in seen:
            raise UnknownCandidate(
                f"'{name}' answered twice with the passage {short(hit.passage_id)}.",
                "This is a fault of the index; delete the store's derived folder, or use the local one.",
            )
        seen.add(hit.passage_id)
        checked.append(ScoredPassage(hit.passage_id, checked_score(hit.score, name)))
    return checked


def ordered(answer: Iterable[ScoredPassage], reader: CitationReader) -> list[ScoredPassage]:
    """Hits by score to 12 digits, ties by source, document and place (R73, R191)."""
    return sorted(answer, key=lambda hit: (-rounded(hit.score), *reader.tie_key(hit.passage_id)))


class EligiblePassages(Container[str]):
    """The ids of all passages of some documents, without a list of them."""

    def __init__(self, rows: Iterable[DocumentSummary]) -> None:
        self._passages: Mapping[str, int] = {row.document_id: row.passages for row in rows}

    def __contains__(self, passage_id: object) -> bool:
        try:
            document_id, index = split_passage_id(str(passage_id))
        except ValueError:
            return False
        return index < self._passages.get(document_id, 0)


def short(passage_id: str) -> str:
    """A passage id as people can compare it."""
    document_id, separator, index = passage_id.rpartition("#")
    return f"{document_id[:12]}…#{index}" if separator else passage_id[:24]


def _unknown(passage_id: str) -> UnknownCandidate:
    return UnknownCandidate(
        f"There is no passage {short(passage_id)} in this store.",
        "Search again; delete the store's derived folder if it stays.",
    )

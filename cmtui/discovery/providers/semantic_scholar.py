"""Semantic Scholar's Academic Graph (providers.md 1.2): display names, null members, fields on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cmtui.discovery.providers.base import Get, HttpProvider, malformed, rows_of, text_of
from cmtui.model.discovery import FoundWork, PersonName
from cmtui.net.secrets import Secret
from cmtui.scholarly.identifiers import doi_url, normalise_doi
from cmtui.scholarly.text import abstract, plain
from cmtui.scholarly.work import checked_date

#: What is not asked for is absent from the answer.
FIELDS = (
    "title,abstract,year,authors,externalIds,url,venue,publicationDate,publicationTypes,citationCount,journal"
)

#: Kinds of publication, the most telling one first: a paper has several.
_TYPES = ("Dataset", "Book", "BookSection", "JournalArticle", "Conference", "Review", "MetaAnalysis")

_NAME = "semantic_scholar"
_PAGE = "https://www.semanticscholar.org/paper/"


class SemanticScholar(HttpProvider):
    """``GET /graph/v1/paper/search``; a key (SEMANTIC_SCHOLAR_API_KEY) gives a pool of one's own (R164)."""

    name = _NAME
    per_second = 1.0

    @property
    def headers(self) -> Mapping[str, str | Secret]:
        """The key, where there is one."""
        return {"x-api-key": self._key} if self._key is not None else {}

    def ask(self, query: str, limit: int, get: Get) -> Sequence[FoundWork]:
        """Rows of one page of the relevance search."""
        params = {"query": query, "fields": FIELDS, "offset": "0", "limit": str(min(limit, 100))}
        return works_of(get("/graph/v1/paper/search", params))


def works_of(body: Mapping[str, Any]) -> list[FoundWork]:
    """The rows of a search, of a match, or a single paper, without null members. Raises ProviderMalformed.

    An empty search has no ``data`` at all; one that counts works and gives none was cut.
    """
    if "data" not in body:
        if body.get("total") == 0:
            return []
        if "paperId" in body:
            return [found_work(body)]
        raise malformed(_NAME, "without its rows")
    papers = papers_of(body["data"])
    return [paper for paper in papers if paper is not None]


def papers_of(rows: Any) -> list[FoundWork | None]:
    """A list of papers, of citations (``citingPaper``) or references; None for an unknown id of a batch."""
    found: list[FoundWork | None] = []
    for rank, row in enumerate(rows_of(rows, _NAME, "rows"), start=1):
        paper = row.get("citingPaper", row.get("citedPaper", row)) if isinstance(row, Mapping) else row
        if paper is not None and not isinstance(paper, Mapping):
            raise malformed(_NAME, "with rows that are no papers")
        found.append(None if paper is None else found_work(paper, rank))
    return found


def found_work(paper: Mapping[str, Any], rank: int = 1) -> FoundWork:
    """One paper. Names stay as they are shown: splitting them is a guess (providers.md 3)."""
    title = text_of(paper.get("title"), _NAME, "title")
    source = text_of(paper.get("abstract"), _NAME, "abstract")
    year = paper.get("year")
    if year is not None and (isinstance(year, bool) or not isinstance(year, int)):
        raise malformed(_NAME, "with a year that is no number")
    date = checked_date([year])
    external = paper.get("externalIds") or {}
    if not isinstance(external, Mapping):
        raise malformed(_NAME, "with identifiers of another form")
    stated = external.get("DOI")
    doi = normalise_doi(stated) if isinstance(stated, str) else None
    arxiv = external.get("ArXiv")
    cites = paper.get("citationCount")
    journal = paper.get("journal")
    container = journal.get("name") if isinstance(journal, Mapping) else None
    kinds = paper.get("publicationTypes")
    kinds = kinds if isinstance(kinds, list) else []
    return FoundWork(
        provider=_NAME,
        rank=rank,
        title=plain(title) or None if title else None,
        authors=_names(paper.get("authors")),
        year=date[0] if date else None,
        doi=doi,
        url=doi_url(doi) if doi else _page(paper),
        abstract=abstract(source) or None if source else None,
        container=_line(container) or _line(paper.get("venue")),
        type=next((kind for kind in _TYPES if kind in kinds), None),
        citation_count=cites if isinstance(cites, int) and not isinstance(cites, bool) else None,
        sources=(_NAME,),
        identifiers={"arxiv": arxiv} if isinstance(arxiv, str) and arxiv else {},
    )


def _names(value: Any) -> tuple[PersonName, ...]:
    names = []
    for row in [] if value is None else rows_of(value, _NAME, "authors"):
        if not isinstance(row, Mapping):
            raise malformed(_NAME, "with authors of another form")
        name = plain(text_of(row.get("name"), _NAME, "name") or "")
        if any(character.isalnum() for character in name):
            names.append({"literal": name})
    return tuple(names)


def _page(paper: Mapping[str, Any]) -> str | None:
    url, number = paper.get("url"), paper.get("paperId")
    if isinstance(url, str) and url.startswith(("https://", "http://")):
        return url
    return f"{_PAGE}{number}" if isinstance(number, str) and number else None


def _line(value: Any) -> str | None:
    return plain(value) or None if isinstance(value, str) else None

"""Crossref's search of works (providers.md 1.1). It always finds something: rank 1 proves nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cmtui.discovery.providers.base import Get, HttpProvider, malformed, rows_of
from cmtui.model.discovery import FoundWork
from cmtui.scholarly import crossref
from cmtui.scholarly.identifiers import doi_url

#: Every key that is read; ``select`` drops all others, and Crossref refuses a name that it does not know.
SELECT = (
    "DOI,title,subtitle,author,editor,issued,published-print,published-online,published,posted,approved,"
    "container-title,type,abstract,URL,language,publisher,is-referenced-by-count,relation,update-to,"
    "updated-by,score"
)


class CrossrefSearch(HttpProvider):
    """``GET /works?query.bibliographic=``, with ``mailto`` for the polite pool where it is set (R165)."""

    name = "crossref"
    per_second = 5.0

    def ask(self, query: str, limit: int, get: Get) -> Sequence[FoundWork]:
        """Rows of one page; asked again without ``select`` when Crossref refuses a name in it."""
        params = {"query.bibliographic": query, "rows": str(min(limit, 1000)), "select": SELECT}
        if self.settings.mailto:
            params["mailto"] = self.settings.mailto
        body = get("/works", params, accept=(200, 400))
        if body.get("status") == "failed":
            del params["select"]
            body = get("/works", params)
        return works_of(body)


def works_of(body: Mapping[str, Any]) -> list[FoundWork]:
    """The rows of a list of works, or a single one. Raises ProviderMalformed for another form."""
    message = crossref.message_of(body)
    if body.get("message-type") == "work":
        return [found_work(message)]
    items = rows_of(message.get("items"), "crossref", "items")
    if not all(isinstance(item, Mapping) for item in items):
        raise malformed("crossref", "with items that are no records")
    return [found_work(item, rank) for rank, item in enumerate(items, start=1)]


def found_work(record: Mapping[str, Any], rank: int = 1) -> FoundWork:
    """One record of the REST interface, or Crossref's CSL-JSON, as a row. Raises ProviderMalformed."""
    work = crossref.work_of(record, require_doi=False)
    cites = record.get("is-referenced-by-count")
    fields = dict(work.fields)
    identifiers = {
        name: doi
        for name, doi in (("published_as", work.published_as), ("preprint", crossref.preprint_of(record)))
        if doi
    }
    stated = record.get("URL")
    return FoundWork(
        provider="crossref",
        rank=rank,
        title=work.title,
        authors=work.authors,
        year=work.year,
        doi=work.doi,
        url=doi_url(work.doi) if work.doi else stated if isinstance(stated, str) and stated else None,
        abstract=work.abstract,
        container=fields.get("container-title"),
        type=work.type,
        language=fields.get("language"),
        citation_count=cites if isinstance(cites, int) and not isinstance(cites, bool) else None,
        sources=("crossref",),
        identifiers=identifiers,
        notices=tuple(dict.fromkeys(n.kind.value for n in work.notices if n.work_doi == work.doi)),
    )

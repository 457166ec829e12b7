"""Brave Search (providers.md 1.3): web pages, with descriptions that are glued and never quotable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cmtui.discovery.providers.base import Get, HttpProvider, malformed, rows_of, text_of
from cmtui.model.discovery import FoundWork
from cmtui.net.secrets import Secret
from cmtui.scholarly.identifiers import normalise_doi
from cmtui.scholarly.text import plain

_NAME = "brave"


class BraveSearch(HttpProvider):
    """``GET /res/v1/web/search`` with BRAVE_API_KEY (R166). Spelling is not changed, terms not marked."""

    name = _NAME
    per_second = 1.0

    @property
    def headers(self) -> Mapping[str, str | Secret]:
        """The subscription's token."""
        return {"X-Subscription-Token": self._key} if self._key is not None else {}

    def ask(self, query: str, limit: int, get: Get) -> Sequence[FoundWork]:
        """Rows of one page: at most 20."""
        params = {
            "q": query,
            "count": str(min(limit, 20)),
            "extra_snippets": "true",
            "text_decorations": "false",
            "spellcheck": "0",
        }
        return works_of(get("/res/v1/web/search", params))


def works_of(body: Mapping[str, Any]) -> list[FoundWork]:
    """The rows of an answer; none when nothing matched (an answer without ``web``). Raises ProviderMalformed.

    No year is read: ``page_age`` is when a page was seen, not when a work was published.
    """
    if "query" not in body and body.get("type") != "search":
        raise malformed(_NAME, "with something that is no search result")
    web = body.get("web")
    if web is None:
        return []
    if not isinstance(web, Mapping):
        raise malformed(_NAME, "with web results of another form")
    rows = rows_of(web.get("results", []), _NAME, "results")
    return [found_work(row, rank) for rank, row in enumerate(rows, start=1)]


def found_work(row: Any, rank: int = 1) -> FoundWork:
    """One web page. Its description stands as ``abstract``, further snippets as ``snippet``."""
    if not isinstance(row, Mapping):
        raise malformed(_NAME, "with results of another form")
    url = text_of(row.get("url"), _NAME, "url")
    title = text_of(row.get("title"), _NAME, "title")
    if url is None:
        raise malformed(_NAME, "with a result without an address")
    description = text_of(row.get("description"), _NAME, "description")
    snippets = row.get("extra_snippets")
    snippets = [plain(s) for s in snippets if isinstance(s, str)] if isinstance(snippets, list) else []
    profile = row.get("profile")
    site = profile.get("name") if isinstance(profile, Mapping) else None
    return FoundWork(
        provider=_NAME,
        rank=rank,
        title=plain(title) or None if title else None,
        doi=normalise_doi(url),
        url=url.strip(),
        abstract=plain(description) or None if description else None,
        snippet="\n".join(snippet for snippet in snippets if snippet) or None,
        container=plain(site) or None if isinstance(site, str) else None,
        sources=(_NAME,),
    )

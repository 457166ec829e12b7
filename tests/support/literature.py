"""Answers of the search services in their own forms, with text of our own, for a server on loopback."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from support.local_http import Reply, Seen, json_reply

#: A section about tides and what its relevant and irrelevant works say.
SECTION = (
    "Tidal marshes store carbon in waterlogged soil. Rising sea level lets salt water reach fields behind the"
    " dyke, and the roots of the marsh grass die. Measurements in the Ardle estuary show that soil of old"
    " marshes holds more carbon than the soil of young marshes. Restoring a marsh begins at the dyke."
)
RELEVANT = (
    "We measured carbon in the soil of tidal marshes in three estuaries. The soil of old marshes holds more"
    " carbon than the soil of young marshes."
)
UNRELATED = "The court of the duke employed eleven musicians. Their pay was recorded in silver and in grain."


def crossref_item(doi: str, title: str, **fields: Any) -> dict[str, Any]:
    """A work as Crossref lists it."""
    return {
        "DOI": doi,
        "title": [title],
        "type": "journal-article",
        "author": [{"family": "Writer", "given": "Jane"}],
        "issued": {"date-parts": [[2024]]},
        "URL": f"https://doi.org/{doi}",
        **fields,
    }


def crossref_answer(*items: dict[str, Any]) -> Reply:
    """A list of works."""
    return json_reply(
        {
            "status": "ok",
            "message-type": "work-list",
            "message": {"total-results": len(items), "items": list(items)},
        }
    )


def scholar_paper(title: str, **fields: Any) -> dict[str, Any]:
    """A paper as Semantic Scholar lists it."""
    return {
        "paperId": "p1",
        "title": title,
        "abstract": None,
        "year": 2023,
        "authors": [{"authorId": "1", "name": "Jane Writer"}],
        "externalIds": {},
        "url": "https://www.semanticscholar.org/paper/p1",
        "citationCount": 3,
        **fields,
    }


def scholar_answer(*papers: dict[str, Any]) -> Reply:
    """A page of papers; an empty one has no ``data``."""
    return json_reply({"total": len(papers), "offset": 0} | ({"data": list(papers)} if papers else {}))


def brave_answer(*pages: dict[str, Any]) -> Reply:
    """A page of web results."""
    return json_reply({"type": "search", "query": {"original": "q"}, "web": {"results": list(pages)}})


def literature(
    *,
    crossref: Reply | Callable[[Seen], Reply] | None = None,
    scholar: Reply | Callable[[Seen], Reply] | None = None,
    brave: Reply | Callable[[Seen], Reply] | None = None,
) -> Callable[[Seen], Reply]:
    """A script that answers each service by its path; one that is not given has nothing."""
    scripts: Mapping[str, Reply | Callable[[Seen], Reply]] = {
        "/works": crossref or crossref_answer(),
        "/graph": scholar or scholar_answer(),
        "/res": brave or json_reply({"type": "search", "query": {"original": "q"}}),
    }

    def answer(seen: Seen) -> Reply:
        path = urlsplit(seen.path).path
        made = next(script for start, script in scripts.items() if path.startswith(start))
        return made(seen) if callable(made) else made

    return answer


def asked(paths: list[Seen]) -> dict[str, int]:
    """How often each service was asked."""
    names = {"/works": "crossref", "/graph": "semantic_scholar", "/res": "brave"}
    counts = dict.fromkeys(names.values(), 0)
    for seen in paths:
        counts[names["/" + seen.path.split("/")[1].split("?")[0]]] += 1
    return counts

"""Asking one search service on loopback, with a clock of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cmtui.discovery.providers.base import HttpProvider
from cmtui.discovery.providers.brave import BraveSearch
from cmtui.discovery.providers.crossref import CrossrefSearch
from cmtui.discovery.providers.semantic_scholar import SemanticScholar
from cmtui.model.lookup import BRAVE, CROSSREF, SEMANTIC_SCHOLAR
from cmtui.net.gate import RateGate
from cmtui.net.secrets import Secret
from support.local_http import FakeTime, LocalServer

KEY = "k-3f9a-very-secret"


NOW = 1_800_000_000.0


KINDS: dict[str, tuple[type[HttpProvider], Any]] = {
    "semantic_scholar": (SemanticScholar, SEMANTIC_SCHOLAR),
    "crossref": (CrossrefSearch, CROSSREF),
    "brave": (BraveSearch, BRAVE),
}


def provider(name: str, url: str, time: FakeTime | None = None, **options: Any) -> HttpProvider:
    """A provider whose waiting takes no time and whose pace is its own."""
    kind, settings = KINDS[name]
    time = time or FakeTime()
    deadline = options.pop("deadline", 10.0)
    defaults: dict[str, Any] = {
        "gate": RateGate(1000, clock=time.clock),
        "clock": time.clock,
        "sleep": time.sleep,
        "jitter": lambda: 0.0,
        "wall": lambda: NOW,
    }
    return kind(
        replace(settings, base_url=url, deadline=deadline),
        Secret(KEY, name="TEST_KEY"),
        **(defaults | options),
    )


def search(server: LocalServer | str, name: str = "crossref", time: FakeTime | None = None, **options: Any):
    """Rows and status of one search."""
    url = server if isinstance(server, str) else server.url
    return provider(name, url, time, **options).search("harbour walls", limit=20)


def work(**fields: Any) -> dict[str, Any]:
    """A Crossref record of a work that does not exist."""
    return {"DOI": "10.5555/harbour.1", "title": ["Walls of harbours"], "type": "journal-article"} | fields


def listed(*items: Any) -> dict[str, Any]:
    """Crossref's list of works."""
    return {
        "status": "ok",
        "message-type": "work-list",
        "message": {"total-results": 9, "items": list(items)},
    }


def paper(**fields: Any) -> dict[str, Any]:
    """A paper of Semantic Scholar that does not exist."""
    return {"paperId": "f" * 40, "title": "Walls of harbours", "year": 2020} | fields

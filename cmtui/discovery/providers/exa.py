"""Exa's search as rows of ``discover``. One request, never repeated: it is billed (R41)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from cmtui.discovery.providers.base import state_of
from cmtui.errors import CmtuiError, ProviderError, ProviderMalformed, ProviderRateLimited, ProviderTimeout
from cmtui.errors import ProviderUnreachable as Unreachable
from cmtui.model.discovery import (
    Attempt,
    DiscoveryCandidate,
    FoundWork,
    ProviderState,
    ProviderStatus,
)
from cmtui.model.lookup import ProviderSettings
from cmtui.model.progress import CancelledCallback, never_cancelled
from cmtui.net.secrets import Secret
from cmtui.scholarly.identifiers import normalise_doi
from cmtui.scholarly.text import plain
from cmtui.scholarly.work import checked_date

_REASONS = {
    kind.code: kind for kind in (ProviderMalformed, ProviderRateLimited, ProviderTimeout, Unreachable)
}


class ExaSearch:
    """A ``cmtui.ports.DiscoveryProvider`` over ``ExaAcquisitionAdapter.search``."""

    name = "exa"

    def __init__(
        self,
        settings: ProviderSettings,
        key: Secret,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._key = key
        self._clock = clock

    def search(
        self, query: str, *, limit: int, cancelled: CancelledCallback = never_cancelled
    ) -> tuple[Sequence[FoundWork], ProviderStatus]:
        """Rows in Exa's order and how it went; a failure is a status, never an exception."""
        from cmtui.discovery.exa import ExaAcquisitionAdapter

        started = self._clock()
        rows: list[FoundWork] = []
        state, message, hint, code, status = ProviderState.OK, "", "", "", None
        try:
            adapter = ExaAcquisitionAdapter(
                self._key.reveal(),
                base_url=self.settings.base_url,
                timeout=self.settings.deadline,
                cancelled=cancelled,
            )
            rows = [found_work(candidate) for candidate in adapter.search(query, limit)]
        except CmtuiError as error:
            kind = _REASONS.get(getattr(error, "reason", ""))
            state = state_of(kind("", "") if kind is not None else error)
            message, hint, code = error.message, error.hint, getattr(error, "reason", "") or error.code
            status = error.status if isinstance(error, ProviderError) else None
        else:
            state = ProviderState.OK if rows else ProviderState.EMPTY
            status = 200
        ms = round((self._clock() - started) * 1000)
        attempts = (Attempt(status, ms, code),)
        return rows, ProviderStatus(self.name, state, attempts, ms, len(rows), message, hint)


def found_work(candidate: DiscoveryCandidate) -> FoundWork:
    """One candidate as a row. The year is the date Exa states for the page: a lead, checked by nobody."""
    said = candidate.discovery
    published, author = (said.result_metadata.get(key) for key in ("publishedDate", "author"))
    year = published[:4] if isinstance(published, str) else ""
    date = checked_date([year]) if year.isdigit() else None
    name = plain(author) if isinstance(author, str) else ""
    highlight = candidate.highlight
    return FoundWork(
        provider="exa",
        rank=said.rank or 1,
        title=plain(said.title) or None if said.title else None,
        authors=({"literal": name},) if name else (),
        year=date[0] if date else None,
        doi=normalise_doi(said.url) if said.url else None,
        url=said.url,
        snippet=highlight.text if highlight is not None else None,
        sources=("exa",),
    )

"""The one fetcher of pages: for ``acquire --url`` and for candidates of every provider (R54, R63).

It holds no key and cannot send one. A URL is checked, its name resolved once, every address checked, and the
connection goes to a checked address under the name's own Host and SNI. No redirect, proxy, netrc or cookie;
the body is read as it was sent, up to a limit, within one deadline over everything. What httpx lets through
(measured, providers.md 2.4) is caught here while the answer arrives, so that a refused answer is not read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from cmtui.discovery.addresses import AddressPolicy, address_refused, check_url, shown_url
from cmtui.discovery.answers import check_head, check_size
from cmtui.errors import CaptureValidationError
from cmtui.model.progress import CancelledCallback, never_cancelled
from cmtui.net.deadline import Deadline
from cmtui.net.page import AnswerBroken, HostRefused, PageReader


class WebFetcher:
    """Fetches one document (``cmtui.ports.Fetcher``).

    ``policy`` says where it may go. ``cancelled`` is asked while waiting. ``clock`` is for tests.
    """

    def __init__(
        self,
        policy: AddressPolicy | None = None,
        *,
        cancelled: CancelledCallback = never_cancelled,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._policy = policy or AddressPolicy()
        self._cancelled = cancelled
        self._clock = clock
        self._reader = PageReader()

    def fetch(self, url: str, *, timeout: float, max_response_bytes: int) -> Mapping[str, Any]:
        """``{url, status, headers, content}``: header names in lower case, the bytes as they were sent.

        ``timeout`` is in seconds for the whole exchange, from resolving to the last byte. Raises
        CaptureValidationError naming the rule that was broken, ProviderError for a network failure,
        Cancelled.
        """
        target = check_url(url, self._policy)
        deadline = Deadline(timeout, clock=self._clock, sleep=time.sleep, cancelled=self._cancelled)
        refused: list[tuple[str, str]] = []

        def permit(address: str) -> bool:
            why = self._policy.why_refused(address)
            if why is not None:
                refused.append((address, why))
            return why is None

        try:
            page = self._reader.get(
                target.url,
                host=target.host,
                deadline=deadline,
                permit=permit,
                on_head=lambda status, headers: check_head(status, headers, target.url, max_response_bytes),
                on_size=lambda size: check_size(size, target.url, max_response_bytes),
            )
        except HostRefused:
            address, why = refused[0]
            raise address_refused(address, why, shown_url(target.url)) from None
        except AnswerBroken:
            raise CaptureValidationError(
                f"{target.host} cut its answer short or broke the HTTP protocol, so nothing of it is kept.",
                "Try again later; if it stays so, download the file and ingest it.",
                rule="protocol",
            ) from None
        return {
            "url": target.url,
            "status": page.status,
            "headers": page.headers,
            "content": page.body,
        }

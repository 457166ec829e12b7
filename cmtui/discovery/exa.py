"""Exa: discovery of pages, and independent capture of what it found (R36 to R66).

Searching is billed, so a search is one request and never repeated by itself (R41, R50). Nothing that Exa says
becomes evidence: ``capture`` fetches the page from its own host, without Exa's key.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol

from cmtui.discovery.exa_answers import PROVIDER, MalformedAnswer, candidates_of
from cmtui.errors import CmtuiError, ExaProviderError, InvalidRequest, MissingKey, ProviderError
from cmtui.model.discovery import CapturedSource, DiscoveryCandidate
from cmtui.model.progress import CancelledCallback, never_cancelled
from cmtui.net.secrets import Secret
from cmtui.ports import Clock, Fetcher

#: The variable that holds the key, and the service (R37, R50).
KEY_VARIABLE = "EXA_API_KEY"
BASE_VARIABLE = "CMTUI_EXA_BASE_URL"
BASE_URL = "https://api.exa.ai"
#: Seconds of one exchange and bytes of one answer, for searching and for capturing (R50, R63).
TIMEOUT = 30.0
MAX_RESPONSE_BYTES = 4 * 1024 * 1024
#: Results of one search (R51).
MAX_LIMIT = 100

_AGAIN = "Try again later; each search is billed, so none is repeated by itself."


class ExaClient(Protocol):
    """What searches Exa: a JSON-like mapping of its HTTP shape, not an SDK's objects (R49)."""

    def search(
        self,
        query: str,
        *,
        num_results: int,
        type: str,  # noqa: A002 - the name of the seed
        contents: Mapping[str, Any],
    ) -> Mapping[str, Any]:
        """``{"results": [{"id", "url", ...}], ...}``."""
        ...


class ExaHttpClient:
    """The default client: one POST to the search endpoint, no redirects, no retries (R50).

    Raises ProviderError.
    """

    def __init__(
        self,
        api_key: Secret,
        *,
        base_url: str = BASE_URL,
        timeout: float = TIMEOUT,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        cancelled: CancelledCallback = never_cancelled,
    ) -> None:
        from cmtui.net.client import HttpClient
        from cmtui.net.retry import NO_RETRIES

        self._cancelled = cancelled
        self._http = HttpClient(
            "Exa",
            base_url,
            deadline=timeout,
            max_bytes=max_response_bytes,
            retry=NO_RETRIES,
            headers={"x-api-key": api_key},
        )

    def search(
        self,
        query: str,
        *,
        num_results: int,
        type: str,  # noqa: A002 - the name of the seed
        contents: Mapping[str, Any],
    ) -> Mapping[str, Any]:
        """The answer as it was sent. Raises ProviderError, Cancelled."""
        payload = {"query": query, "type": type, "numResults": num_results, "contents": dict(contents)}
        answer = self._http.post_json("/search", payload, cancelled=self._cancelled)
        return self._http.json_of(answer)


class ExaAcquisitionAdapter:
    """Searches Exa and captures the pages it names (R44, R54).

    ``api_key`` is the key, else the environment variable EXA_API_KEY; it is asked for when a search needs it.
    ``client`` replaces the HTTP client, ``fetcher`` what fetches pages; both for tests and other transports.
    ``timeout`` is in seconds for each search and each capture, ``max_response_bytes`` bounds both answers
    (R51). ``base_url`` is another endpoint, else the environment variable CMTUI_EXA_BASE_URL. Raises
    InvalidRequest.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        client: ExaClient | None = None,
        fetcher: Fetcher | None = None,
        timeout: float = TIMEOUT,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        base_url: str | None = None,
        clock: Clock | None = None,
        cancelled: CancelledCallback = never_cancelled,
    ) -> None:
        check_bounds(timeout, max_response_bytes)
        self._key = Secret(api_key.strip(), name=KEY_VARIABLE) if api_key and api_key.strip() else None
        self._client = client
        self._fetcher = fetcher
        self._timeout = float(timeout)
        self._max_bytes = max_response_bytes
        self._base_url = base_url or os.environ.get(BASE_VARIABLE) or BASE_URL
        self._clock = clock
        self._cancelled = cancelled

    def __repr__(self) -> str:
        return "ExaAcquisitionAdapter()"

    def search(self, query: str, limit: int = 5) -> tuple[DiscoveryCandidate, ...]:
        """Candidates in Exa's order with 1-based ranks; nothing is captured or stored (R44, R48).

        Raises InvalidRequest for an empty query or a limit outside 1..100 (R51), MissingKey,
        ExaProviderError for any failure and for an answer with one malformed row (R52, R53), Cancelled.
        """
        if not isinstance(query, str) or not query.strip():
            raise InvalidRequest("The query is empty.", "Say what to look for.")
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_LIMIT:
            raise InvalidRequest(
                f"Exa answers with 1 to {MAX_LIMIT} results, not {limit!r}.", "Try a limit of 5."
            )
        answer = self._ask(query, limit)
        try:
            return candidates_of(answer, query=query, limit=limit, discovered_at=self._now())
        except MalformedAnswer as error:
            raise ExaProviderError(
                f"Exa's answer is malformed ({error}), so none of its results is used.",
                _AGAIN,
                provider=PROVIDER,
                attempts=1,
                reason="provider-malformed",
            ) from None

    def capture(self, candidate: DiscoveryCandidate) -> CapturedSource:
        """The complete bytes behind a candidate's URL, from its own host and without the key (R54, R63).

        Raises CaptureValidationError for what breaks a rule, ExaProviderError for a network failure (R62),
        Cancelled.
        """
        from cmtui.discovery.capture import WebCapture

        web = WebCapture(
            fetcher=self._fetcher,
            timeout=self._timeout,
            max_response_bytes=self._max_bytes,
            cancelled=self._cancelled,
        )
        try:
            return web.capture(candidate)
        except ProviderError as error:
            raise _as_exa(error) from None

    # -- asking --------------------------------------------------------------------------------------

    def _ask(self, query: str, limit: int) -> Any:
        """The client's answer. Errors are never chained: a client's own may hold requests and keys (R52)."""
        client = self._client or self._http_client()
        try:
            return client.search(query, num_results=limit, type="auto", contents={"highlights": True})
        except ProviderError as error:
            raise _as_exa(error) from None
        except CmtuiError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever an injected client raises
            raise ExaProviderError(
                f"The Exa client failed ({type(error).__name__}).", _AGAIN, provider=PROVIDER, attempts=1
            ) from None

    def _http_client(self) -> ExaHttpClient:
        key = self._key or Secret.from_environment(KEY_VARIABLE)
        if key is None:
            raise MissingKey(
                f"Exa needs a key, and the environment variable {KEY_VARIABLE} is not set.",
                f"Set it: export {KEY_VARIABLE}=... (a key is had at dashboard.exa.ai).",
                provider=PROVIDER,
            )
        return ExaHttpClient(
            key,
            base_url=self._base_url,
            timeout=self._timeout,
            max_response_bytes=self._max_bytes,
            cancelled=self._cancelled,
        )

    def _now(self) -> str:
        if self._clock is not None:
            return self._clock.now()
        from datetime import UTC, datetime

        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def check_bounds(timeout: float, max_response_bytes: int) -> None:
    """Raise InvalidRequest unless both are finite numbers above 0 (R51)."""
    number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if not number or not 0 < timeout < float("inf"):
        raise InvalidRequest(f"The timeout is a number of seconds above 0, not {timeout!r}.", "Try 30.")
    whole = isinstance(max_response_bytes, int) and not isinstance(max_response_bytes, bool)
    if not whole or max_response_bytes < 1:
        raise InvalidRequest(
            f"max_response_bytes is a whole number of bytes above 0, not {max_response_bytes!r}.",
            f"Try {MAX_RESPONSE_BYTES}.",
        )


def _as_exa(error: ProviderError) -> ExaProviderError:
    """The same failure as Exa's: its sentence and hint hold neither payload nor key."""
    if isinstance(error, ExaProviderError):
        return error
    return ExaProviderError(
        error.message,
        error.hint,
        provider=PROVIDER,
        status=error.status,
        attempts=error.attempts,
        reason=error.code,
    )

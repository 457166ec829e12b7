"""The one fetcher of pages: for ``acquire --url`` and for candidates of every provider (R54, R63).

It holds no key and cannot send one. A URL is checked, its name resolved once, every address checked, and the
connection goes to a checked address under the name's own Host and SNI. No redirect, proxy, netrc or cookie;
the body is read as it was sent, up to a limit, within one deadline over everything. What httpx lets through
(measured, providers.md 2.4) is caught here while the answer arrives, so that a refused answer is not read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cmtui._version import __version__
from cmtui.discovery.addresses import AddressPolicy, Target, address_refused, check_url, shown_url
from cmtui.discovery.answers import check_head, check_size
from cmtui.errors import (
    CaptureValidationError,
    ProviderError,
    ProviderTimeout,
    ProviderUnreachable,
)
from cmtui.model.progress import CancelledCallback, never_cancelled
from cmtui.net.deadline import Deadline

if TYPE_CHECKING:
    import ssl

_HEADERS = {
    "User-Agent": f"cmtui/{__version__}",
    "Accept": "*/*",
    "Accept-Encoding": "identity",
    "Connection": "close",
}


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
        self._context: ssl.SSLContext | None = None

    def fetch(self, url: str, *, timeout: float, max_response_bytes: int) -> Mapping[str, Any]:
        """``{url, status, headers, content}``: header names in lower case, the bytes as they were sent.

        ``timeout`` is in seconds for the whole exchange, from resolving to the last byte. Raises
        CaptureValidationError naming the rule that was broken, ProviderError for a network failure,
        Cancelled.
        """
        target = check_url(url, self._policy)
        deadline = Deadline(timeout, clock=self._clock, sleep=time.sleep, cancelled=self._cancelled)
        return self._exchange(target, deadline, max_response_bytes)

    def _exchange(self, target: Target, deadline: Deadline, limit: int) -> Mapping[str, Any]:
        """One request. Errors of the library are never chained: theirs hold the request."""
        import httpcore
        import httpx

        from cmtui.net.transport import AddressRefused, DeadlineTransport

        refused: list[tuple[str, str]] = []

        def permit(address: str) -> bool:
            why = self._policy.why_refused(address)
            if why is not None:
                refused.append((address, why))
            return why is None

        shown = shown_url(target.url)
        transport = DeadlineTransport(self._ssl_context(), deadline, permit)
        try:
            response = transport.handle_request(httpx.Request("GET", target.url, headers=_HEADERS))
            try:
                return self._read(target, response, deadline, limit)
            finally:
                response.close()
        except AddressRefused:
            address, why = refused[0]
            raise address_refused(address, why, shown) from None
        except (httpx.TimeoutException, httpcore.TimeoutException):
            raise _timeout(target, deadline) from None
        except (httpx.RemoteProtocolError, httpcore.RemoteProtocolError):
            raise CaptureValidationError(
                f"{target.host} cut its answer short or broke the HTTP protocol, so nothing of it is kept.",
                "Try again later; if it stays so, download the file and ingest it.",
                rule="protocol",
            ) from None
        except (httpx.TransportError, httpcore.NetworkError, httpcore.ProtocolError) as problem:
            raise _unreachable(target, problem) from None
        except httpcore.UnsupportedProtocol:
            raise CaptureValidationError(
                f"'{shown}' is not a web address.", "Give an http or https address.", rule="scheme"
            ) from None
        finally:
            transport.close()

    def _read(self, target: Target, response: Any, deadline: Deadline, limit: int) -> Mapping[str, Any]:
        headers = {name.lower(): value for name, value in response.headers.items()}
        check_head(response.status_code, headers, target.url, limit)
        body = bytearray()
        for chunk in response.stream:
            body += chunk
            check_size(len(body), target.url, limit)
            deadline.check_cancelled()
            if deadline.expired:
                raise _timeout(target, deadline)
        return {
            "url": target.url,
            "status": response.status_code,
            "headers": headers,
            "content": bytes(body),
        }

    def _ssl_context(self) -> ssl.SSLContext:
        if self._context is None:
            from cmtui.net.trust import ssl_context

            self._context = ssl_context("web")
        return self._context


def _timeout(target: Target, deadline: Deadline) -> ProviderError:
    return ProviderTimeout(
        f"{target.host} did not answer completely within {deadline.seconds:g} s.",
        "Try again later, or with a longer --timeout.",
        provider="web",
        attempts=1,
    )


def _unreachable(target: Target, problem: BaseException) -> ProviderError:
    from cmtui.net.client import certificate_error

    certificate = certificate_error(problem, "web", target.host, 1)
    if certificate is not None:
        return certificate
    return ProviderUnreachable(
        f"{target.host} cannot be reached.", "Check the address and the network.", provider="web", attempts=1
    )

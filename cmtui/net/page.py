"""One document from any host: a single GET to a checked address, within one deadline (R63).

Unlike a provider's client this knows no host, no key and no second attempt. httpx is imported when a URL is
looked at or fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from cmtui._version import __version__
from cmtui.errors import ProviderError, ProviderTimeout, ProviderUnreachable
from cmtui.net.deadline import Deadline

if TYPE_CHECKING:
    import ssl

    import httpx

_NAME = "web"
_HEADERS = {
    "User-Agent": f"cmtui/{__version__}",
    "Accept": "*/*",
    "Accept-Encoding": "identity",
    "Connection": "close",
}


class HostRefused(Exception):
    """One of the addresses of the host is not permitted; nothing was connected to."""


class AnswerBroken(Exception):
    """The answer was cut short or breaks the HTTP protocol."""


@dataclass(frozen=True, slots=True)
class ParsedUrl:
    """A URL as a request is made of it: its scheme, its host in ASCII as written, a stated port."""

    text: str
    scheme: str
    host: str
    port: int | None
    has_user: bool


@dataclass(frozen=True, slots=True)
class Page:
    """An answer: its status, its headers (lower-case names), and the bytes of its body as they were sent."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def parse_url(text: str) -> ParsedUrl:
    """The parts of a URL, read by two parsers of which neither may complain. Raises ValueError."""
    import httpx

    parts = urlsplit(text)
    try:
        url = httpx.URL(text)
        host = url.raw_host.decode("ascii")
    except (httpx.InvalidURL, UnicodeError):
        raise ValueError("not a URL") from None
    has_user = parts.username is not None or parts.password is not None or bool(url.userinfo)
    return ParsedUrl(text, parts.scheme.lower(), host, parts.port, has_user)


def requested_url(parsed: ParsedUrl, host: str) -> str:
    """The URL that is asked for: percent-encoded, under ``host``, without a fragment."""
    import httpx

    return str(httpx.URL(parsed.text).copy_with(host=host, fragment=None))


class PageReader:
    """Sends single requests. Certificates are always verified; proxies, netrc and cookies are not used."""

    def __init__(self) -> None:
        self._context: ssl.SSLContext | None = None

    def get(
        self,
        url: str,
        *,
        host: str,
        deadline: Deadline,
        permit: Callable[[str], bool],
        on_head: Callable[[int, Mapping[str, str]], None],
        on_size: Callable[[int], None],
    ) -> Page:
        """GET a URL whose ``host`` (for messages) resolves to addresses that ``permit`` allows, every one.

        ``on_head`` sees status and headers before the body is read, ``on_size`` the size after each piece;
        what they raise ends the request. Raises HostRefused, AnswerBroken, ProviderTimeout,
        ProviderUnreachable, CertificateRejected, Cancelled. Errors of the library are never chained.
        """
        import httpcore
        import httpx

        from cmtui.net.transport import AddressRefused, DeadlineTransport
        from cmtui.net.trust import ssl_context

        context = self._context or ssl_context(_NAME)
        self._context = context
        transport = DeadlineTransport(context, deadline, permit)
        try:
            response = transport.handle_request(httpx.Request("GET", url, headers=_HEADERS))
            try:
                headers = {name.lower(): value for name, value in response.headers.items()}
                on_head(response.status_code, headers)
                return Page(response.status_code, headers, _body(response, host, deadline, on_size))
            finally:
                response.close()
        except AddressRefused:
            raise HostRefused from None
        except (httpx.TimeoutException, httpcore.TimeoutException):
            raise _timeout(host, deadline) from None
        except (httpx.RemoteProtocolError, httpcore.RemoteProtocolError):
            raise AnswerBroken from None
        except (httpx.TransportError, httpcore.NetworkError, httpcore.ProtocolError) as problem:
            raise _unreachable(host, problem) from None
        finally:
            transport.close()


def _body(response: httpx.Response, host: str, deadline: Deadline, on_size: Callable[[int], None]) -> bytes:
    body = bytearray()
    for chunk in response.iter_raw():
        body += chunk
        on_size(len(body))
        deadline.check_cancelled()
        if deadline.expired:
            raise _timeout(host, deadline)
    return bytes(body)


def _timeout(host: str, deadline: Deadline) -> ProviderError:
    return ProviderTimeout(
        f"{host} did not answer completely within {deadline.seconds:g} s.",
        "Try again later, or with a longer --timeout.",
        provider=_NAME,
        attempts=1,
    )


def _unreachable(host: str, problem: BaseException) -> ProviderError:
    from cmtui.net.client import certificate_error

    certificate = certificate_error(problem, _NAME, host, 1)
    if certificate is not None:
        return certificate
    return ProviderUnreachable(
        f"{host} cannot be reached.", "Check the address and the network.", provider=_NAME, attempts=1
    )

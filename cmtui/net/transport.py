"""The transport under the client: a fresh connection with one deadline over everything it does.

httpx limits each read, not their sum: a host that sends a byte now and then holds a reader for ever. Here the
network stream itself knows the deadline, so that headers and TLS are bounded as bodies are. A name is
resolved once and the connection goes to the address that was checked. Imported only when a request is sent.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import httpcore
import httpx

from cmtui.net.deadline import SLICE, Deadline

#: Says whether an address may be connected to. A client of a configured service allows all.
Permit = Callable[[str], bool]


class AddressRefused(Exception):
    """One of the host's addresses is not permitted."""


def _resolve(host: str, port: int, deadline: Deadline) -> list[str]:
    """The host's addresses, in the resolver's order. The resolver cannot be stopped, only left behind."""
    found: list[str] = []
    problem: list[OSError | UnicodeError] = []

    def ask() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            problem.append(error)
        else:
            found.extend(dict.fromkeys(str(row[4][0]) for row in rows))

    thread = threading.Thread(target=ask, name="cmtui-resolve", daemon=True)
    thread.start()
    while thread.is_alive():
        if deadline.expired:
            raise httpcore.ConnectTimeout("resolving took too long")
        deadline.check_cancelled()
        thread.join(min(SLICE, deadline.remaining()))
    if problem or not found:
        raise httpcore.ConnectError("the name does not resolve")
    return found


class _Stream(httpcore.NetworkStream):
    """A network stream whose reads and writes end at the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the deadline rules
        while True:
            remaining = self._deadline.remaining()
            if remaining <= 0:
                raise httpcore.ReadTimeout("the deadline has passed")
            self._deadline.check_cancelled()
            try:
                return self._stream.read(max_bytes, min(SLICE, remaining))
            except httpcore.ReadTimeout:
                continue

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._stream.write(buffer, max(self._deadline.remaining(), 0.001))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        left = max(self._deadline.remaining(), 0.001)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    """Connects to the checked addresses of a host, in turn."""

    def __init__(self, deadline: Deadline, permit: Permit | None) -> None:
        self._deadline = deadline
        self._permit = permit
        self._sync = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = _resolve(host, port, self._deadline)
        if self._permit is not None and not all(self._permit(address) for address in addresses):
            raise AddressRefused(host)
        failure: Exception | None = None
        for address in addresses:
            self._deadline.check_cancelled()
            left = self._deadline.remaining()
            if left <= 0:
                raise httpcore.ConnectTimeout("the deadline has passed")
            try:
                stream = self._sync.connect_tcp(address, port, left, None, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
                continue
            return _Stream(stream, self._deadline)
        assert failure is not None
        raise failure


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream

    def close(self) -> None:
        self._stream.close()


class DeadlineTransport(httpx.BaseTransport):
    """HTTP/1.1 without keep-alive, proxies, cookies or redirects. Raises what httpcore raises."""

    def __init__(
        self, context: ssl.SSLContext | None, deadline: Deadline, permit: Permit | None = None
    ) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=context,
            max_connections=1,
            max_keepalive_connections=0,
            http2=False,
            retries=0,
            network_backend=_Backend(deadline, permit),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        assert isinstance(request.stream, httpx.SyncByteStream)
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
            )
        )
        return httpx.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer.stream),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()

"""What stands before every request: the method, the Host header, and the headers of every answer.

The server listens on loopback, but a page in a browser on this machine could still reach it under a name of
its own that it lets resolve to 127.0.0.1 (DNS rebinding). Such a request carries that name in its Host
header, so only the names this server was started for are answered. No CORS header is ever sent.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = ("GET", "HEAD")
#: Names of this machine that need no permission.
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})

_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
)


class Guard:
    """An ASGI application around another one. ``names`` are the hosts it answers for, without a port."""

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse with JSON."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_HEADERS]
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, sending)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        if scope["method"] not in METHODS:
            return refused(405, "MethodNotAllowed", "This server only reads.", "Use GET.", Allow="GET, HEAD")
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        name = host_name(hosts[0]) if len(hosts) == 1 else None
        if name is None or name not in self._names:
            return refused(
                421,
                "MisdirectedRequest",
                "This server does not answer under that host name.",
                "Use the address it printed at its start, or start it with --allow-host NAME.",
            )
        return None


def host_name(header: bytes) -> str | None:
    """The name in a Host header, without its port; None for anything that is not one."""
    text = header.decode("latin-1").strip().lower()
    name, port = text, ""
    if text.startswith("["):
        inside, bracket, port = text.partition("]")
        name = inside + bracket
        if not bracket or not _is_ipv6(inside[1:]):
            return None
        port = port.removeprefix(":") if port.startswith(":") else ("x" if port else "")
    elif ":" in text:
        name, _, port = text.partition(":")
    if port and not (port.isascii() and port.isdigit() and int(port) < 65536):
        return None
    return name.removesuffix(".") or None


def refused(status: int, kind: str, message: str, hint: str, **headers: Any) -> JSONResponse:
    """An error answer in the house's form."""
    return JSONResponse({"error": {"type": kind, "message": message, "hint": hint}}, status, headers or None)


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True

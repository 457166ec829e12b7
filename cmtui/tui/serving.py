"""``cmtui serve``: the application in a browser on this machine (extra ``web``, textual-serve).

There is no login: whoever reaches the port works as you. So it listens on the loopback address unless told
otherwise, answers only requests that name the host it was told to serve (no other site's page can reach it
through a name of its own), and opens its socket only to its own page. The page loads nothing from elsewhere.
"""

from __future__ import annotations

import importlib.util
import ipaddress
import shlex
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cmtui.errors import InvalidRequest

if TYPE_CHECKING:
    from aiohttp import web

HOST = "127.0.0.1"
PORT = 8000

WARNING = """\
There is no login: whoever reaches this port reads and changes the store as you.
Stop it with ctrl+c when you are done."""


@dataclass(frozen=True, slots=True)
class Serve:
    """What to serve and where."""

    store: str | None = None
    host: str = HOST
    port: int = PORT

    @property
    def loopback(self) -> bool:
        """Whether only this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        """The address to open."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def command(self) -> str:
        """The shell line that runs the application for one visitor."""
        words = [sys.executable, "-m", "cmtui.tui.main"]
        return shlex.join([*words, self.store] if self.store else words)


def parse(arguments: Sequence[str]) -> Serve:
    """The arguments after ``serve``. Raises InvalidRequest."""
    words, found, store = list(arguments), {"host": HOST, "port": str(PORT)}, None
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name in ("--host", "--port"):
            if not equals and not words:
                raise InvalidRequest(f"{name} needs a value.", f"Write {name} {found[name[2:]]}.")
            found[name[2:]] = value if equals else words.pop(0)
        elif word.startswith("-"):
            raise InvalidRequest(f"There is no option '{word}'.", "See cmtui --help.")
        elif store is not None:
            raise InvalidRequest(f"One store at a time; '{word}' is too much.", "See cmtui --help.")
        else:
            store = word
    try:
        port = int(found["port"])
    except ValueError:
        port = 0
    if not 1 <= port <= 65535:
        raise InvalidRequest(f"'{found['port']}' is no port.", f"Write --port {PORT}.")
    return Serve(store, found["host"], port)


def policy(serve: Serve) -> str:
    """What the page may load: itself, and the socket back. No font or script of another site."""
    socket = serve.url.replace("http://", "ws://", 1)
    return (
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' {socket}; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )


def allowed(serve: Serve, host: str, origin: str | None) -> bool:
    """Whether a request is for this server and, where a page sent it, from this server's own page."""
    hosts = {serve.url.removeprefix("http://")}
    if serve.loopback:
        hosts |= {f"localhost:{serve.port}", f"127.0.0.1:{serve.port}", f"[::1]:{serve.port}"}
    return host in hosts and (origin is None or origin.removeprefix("http://") in hosts)


def installed() -> bool:
    """Whether the extra ``web`` is there."""
    return all(importlib.util.find_spec(name) is not None for name in ("textual_serve", "aiohttp"))


def run(serve: Serve) -> int:
    """Serve until ctrl+c. Needs the extra (see ``installed``). Raises OSError for a port in use."""
    from aiohttp import web
    from textual_serve.server import Server

    headers = {"Content-Security-Policy": policy(serve), "Referrer-Policy": "no-referrer"}

    async def guard(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if not allowed(serve, request.headers.get("Host", ""), origin):
            raise web.HTTPForbidden(text="This server answers only its own page.")
        return await handler(request)

    async def harden(_: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(headers)

    class Guarded(Server):  # type: ignore[misc, unused-ignore]
        async def _make_app(self) -> Any:
            app = await super()._make_app()
            app.middlewares.append(web.middleware(guard))
            app.on_response_prepare.append(harden)
            return app

    Guarded(
        serve.command, host=serve.host, port=serve.port, title="Citation Machine", public_url=serve.url
    ).serve()
    return 0

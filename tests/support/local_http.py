"""A real HTTP server on loopback whose answers a test writes, down to the bytes and the faults."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass
class Reply:
    """What is sent. ``length`` None leaves Content-Length out; ``hold`` keeps the connection open and silent
    after the body until the server closes."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = -1
    hold: bool = False


def json_reply(value: Any, status: int = 200, **headers: str) -> Reply:
    """A JSON answer; header names are written with underscores."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    body = json.dumps(value).encode()
    return Reply(status, body, {"Content-Type": "application/json"} | named)


@dataclass
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class LocalServer:
    """Answers by ``script``: a list that is used up (the last one repeats) or a function of the request."""

    def __init__(self, script: list[Reply] | Callable[[Seen], Reply]) -> None:
        self.script = script
        self.seen: list[Seen] = []
        self.released = threading.Event()
        self.url = ""

    def answer(self, seen: Seen) -> Reply:
        """The reply to a request."""
        self.seen.append(seen)
        if callable(self.script):
            return self.script(seen)
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


@contextmanager
def serving(
    script: list[Reply] | Callable[[Seen], Reply], *, certificate: Path | None = None
) -> Iterator[LocalServer]:
    """Serve on a free port of 127.0.0.1; with ``certificate`` (a PEM with its key) over TLS."""
    local = LocalServer(script)

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = local.answer(Seen(self.command, self.path, headers, self.rfile.read(size)))
            self.close_connection = True
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if reply.length is not None:
                    length = len(reply.body) if reply.length < 0 else reply.length
                    self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(reply.body)
                self.wfile.flush()
                if reply.hold:
                    local.released.wait(30)
            except OSError:
                pass  # the client left, as it should from an answer it does not want

        do_GET = do_POST = _handle

        def log_message(self, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # a refused TLS handshake

    server = Server(("127.0.0.1", 0), Handler)
    scheme = "http"
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        scheme = "https"
    local.url = f"{scheme}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield local
    finally:
        local.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


class FakeTime:
    """A clock that moves when somebody sleeps, and by ``tick`` each time it is read."""

    def __init__(self, tick: float = 0.0) -> None:
        self.now = 1000.0
        self.tick = tick
        self.slept = 0.0

    def clock(self) -> float:
        """The time, in seconds."""
        self.now += self.tick
        return self.now

    def sleep(self, seconds: float) -> None:
        """Move on."""
        self.now += seconds
        self.slept += seconds

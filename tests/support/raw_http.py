"""A server on loopback that sends the very bytes a test gives it: broken lengths, cut chunks, garbage."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class RawServer:
    """What it sends and what it saw. ``requests`` holds the head of each request as bytes."""

    answer: bytes
    hold: bool = False
    drip: bool = False
    reset: bool = False
    host: str = "127.0.0.1"
    port: int = 0
    connections: int = 0
    requests: list[bytes] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{self.host}:{self.port}"


@contextmanager
def sending(
    answer: bytes, *, hold: bool = False, drip: bool = False, reset: bool = False, host: str = "127.0.0.1"
) -> Iterator[RawServer]:
    """Send ``answer`` to every request and close.

    ``hold`` keeps the connection open and silent afterwards, ``drip`` repeats the last byte slowly until the
    client leaves, ``reset`` breaks the connection instead of closing it.
    """
    server = RawServer(answer, hold, drip, reset, host)
    listener = socket.create_server((host, 0))
    server.port = listener.getsockname()[1]

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                received = connection.recv(65536)
                if not received:
                    return
                head += received
            server.requests.append(head)
            connection.sendall(server.answer)
            while server.drip and not server.released.wait(0.02):
                connection.sendall(server.answer[-1:])
            if server.hold:
                server.released.wait(30)
            if server.reset:
                linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            server.connections += 1
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def head(status: str = "200 OK", **headers: str) -> bytes:
    """A status line and headers, ended; names are written with underscores."""
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"

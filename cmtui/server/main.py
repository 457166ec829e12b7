"""Starting the server: on loopback unless a person says otherwise, and never without a word about it."""

from __future__ import annotations

import contextlib
import ipaddress
import sys
from collections.abc import Callable, Iterable
from typing import Any

from cmtui.engine import LocalCitationMachine
from cmtui.errors import BackendMissing, InvalidRequest

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8431

WARNING = (
    "Warning: this server has no passwords. Everyone who can reach {host} can read every document, all "
    "evidence and all audits of this store."
)


def check_host(host: str, *, allow_remote: bool) -> None:
    """Raise InvalidRequest for an address that others can reach, unless that is explicitly allowed."""
    if is_loopback(host) or allow_remote:
        return
    raise InvalidRequest(
        f"'{host}' can be reached from other machines, and this server has no passwords.",
        "Leave --host out, or add --allow-remote when everyone there may read the store.",
    )


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def serve(
    machine: LocalCitationMachine,
    *,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    allow_remote: bool = False,
    allow_hosts: Iterable[str] = (),
    ready: Callable[[str], None],
) -> None:
    """Serve until interrupted. ``ready`` is called with the URL once the port listens (0 takes a free one).

    ``allow_hosts`` are more names it answers for. Raises BackendMissing without the extra 'server',
    InvalidRequest for a host or port that may not or cannot be listened on.
    """
    try:
        import starlette  # noqa: F401 - told here with its remedy, not as a traceback
        import uvicorn
    except ImportError:
        raise BackendMissing(
            "The server needs Starlette and uvicorn, which are not installed.",
            "Install the extra: pip install 'cmtui[server]'",
        ) from None
    check_host(host, allow_remote=allow_remote)
    if not 0 <= port < 65536:
        raise InvalidRequest(f"There is no port {port}.", "Ports are 1 to 65535, or 0 for a free one.")
    if not is_loopback(host):
        print(WARNING.format(host=host), file=sys.stderr, flush=True)  # noqa: T201 - for the person who starts it
    from cmtui.server.app import create_app
    from cmtui.server.guard import LOOPBACK_NAMES

    address = f"[{host}]" if ":" in host and not host.startswith("[") else host
    names = {*LOOPBACK_NAMES, address.lower(), *(name.lower() for name in allow_hosts)}
    config = uvicorn.Config(
        create_app(machine, names=names),
        host=host.strip("[]"),
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="off",
        loop="asyncio",
        http="h11",
        timeout_graceful_shutdown=2,
        limit_concurrency=64,
        h11_max_incomplete_event_size=16384,
    )

    class Announcing(uvicorn.Server):
        async def startup(self, sockets: list[Any] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                taken = self.servers[0].sockets[0].getsockname()[1]
                ready(f"http://{address}:{taken}")

    server = Announcing(config)
    with contextlib.suppress(SystemExit):
        server.run()
    if not server.started:
        raise InvalidRequest(
            f"Port {port} of {host} cannot be listened on.", "Take another: --port N, or 0 for a free one."
        )

"""``serve``: the read-only HTTP server of the extra 'server' (D11, R176)."""

from __future__ import annotations

import sys
from argparse import Namespace

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.output import Answer, dumps

_DESCRIPTION = """\
Serve the store read-only over HTTP on this machine: /health, /documents, /documents/ID, /evidence/ID and
/documents/ID/citation-audit, all as JSON. There are no passwords, so it listens on loopback alone unless
--allow-remote is given. Prints its address when it is ready and runs until it is interrupted. Needs the
extra 'server' (Starlette and uvicorn).
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb(subparsers, "serve", run, "serve the store read-only over HTTP", description=_DESCRIPTION)
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="H", help="the address to listen on (127.0.0.1)"
    )
    parser.add_argument("--port", type=int, default=8431, metavar="N", help="(8431; 0 takes a free one)")
    parser.add_argument(
        "--allow-remote", action="store_true", help="permit an address that other machines can reach"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a host name to answer under, beside localhost and --host (repeatable)",
    )


def run(args: Namespace, session: Session) -> Answer:
    """Serve; the one JSON object is printed when the port listens."""
    from cmtui.server.main import serve

    machine = session.machine
    told: dict[str, object] = {}

    def ready(url: str) -> None:
        told.update(url=url, store=str(machine.path), read_only=True)
        out = sys.__stdout__
        if out is not None:
            out.buffer.write(dumps(told, pretty=args.pretty))
            out.flush()

    serve(
        machine,
        host=args.host,
        port=args.port,
        allow_remote=args.allow_remote,
        allow_hosts=args.allow_host,
        ready=ready,
    )
    return Answer(told, plain="")

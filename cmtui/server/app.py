"""The read-only HTTP interface (D11, R176): health, documents, evidence by id, audits of section runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from cmtui._version import __version__
from cmtui.engine import LocalCitationMachine
from cmtui.errors import (
    AmbiguousId,
    CmtuiError,
    DocumentRemoved,
    InvalidRequest,
    NotFound,
    StoreLocked,
)
from cmtui.server.guard import LOOPBACK_NAMES, METHODS, Guard, refused
from cmtui.server.shapes import document_object, document_row, error_object, evidence_object, plain

#: Status of each family of expected failures; the first that fits. Everything else is 500.
STATUSES: tuple[tuple[type[CmtuiError], int], ...] = (
    (DocumentRemoved, 410),
    (AmbiguousId, 409),
    (NotFound, 404),
    (InvalidRequest, 400),
    (StoreLocked, 503),
)


def create_app(machine: LocalCitationMachine, *, names: Iterable[str] = LOOPBACK_NAMES) -> ASGIApp:
    """The application over an open store. ``names`` are the host names it answers for."""

    def health(_: Request) -> dict[str, Any]:
        rows = machine.documents()
        return {
            "status": "ok",
            "version": __version__,
            "read_only": True,
            "documents": sum(1 for row in rows if row.current),
            "generation": machine.generation(),
        }

    def documents(_: Request) -> dict[str, Any]:
        return {"documents": [document_row(row, machine.title(row.source_id)) for row in machine.documents()]}

    def document(request: Request) -> dict[str, Any]:
        row = machine.summary(request.path_params["document_id"])
        return document_object(machine.document(row.document_id), row, machine.title(row.source_id))

    def evidence(request: Request) -> dict[str, Any]:
        return evidence_object(machine, request.path_params["evidence_id"])

    def audit(request: Request) -> dict[str, Any]:
        found: dict[str, Any] = plain(machine.section_audit(request.path_params["document_id"]))
        return found

    routes = [
        Route("/health", _json(health), methods=METHODS),
        Route("/documents", _json(documents), methods=METHODS),
        Route("/documents/{document_id}", _json(document), methods=METHODS),
        Route("/documents/{document_id}/citation-audit", _json(audit), methods=METHODS),
        Route("/evidence/{evidence_id}", _json(evidence), methods=METHODS),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={CmtuiError: _expected, HTTPException: _http, Exception: _unexpected},
    )
    app.router.redirect_slashes = False
    return Guard(app, names)


def _json(answer: Callable[[Request], dict[str, Any]]) -> Callable[[Request], Response]:
    """An endpoint that runs in a worker thread: the engine blocks, and may be called from several."""

    def endpoint(request: Request) -> Response:
        return JSONResponse(answer(request))

    return endpoint


async def _expected(_: Request, error: Exception) -> Response:
    assert isinstance(error, CmtuiError)
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
    return JSONResponse(error_object(error), status)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return refused(404, "NotFound", f"There is nothing at {request.url.path}.", "Start at /health.")
    return refused(error.status_code, "HttpError", f"{error.detail}.", "Check the request.")


async def _unexpected(_: Request, error: Exception) -> Response:
    """The kind of the failure and nothing of the store; the traceback goes to the server's own stderr."""
    message = f"The server failed unexpectedly ({type(error).__name__})."
    return refused(500, "InternalError", message, "See what the server printed.")

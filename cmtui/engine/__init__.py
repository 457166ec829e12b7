"""The facade that the command line and the application drive. Its parts are loaded on first use (PEP 562)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cmtui.engine.ingestion import CitationIngestionService
    from cmtui.engine.machine import CitationMachine, LocalCitationMachine
    from cmtui.engine.review import ReviewSession, UndoResult

_HOMES = {
    "CitationIngestionService": "cmtui.engine.ingestion",
    "CitationMachine": "cmtui.engine.machine",
    "LocalCitationMachine": "cmtui.engine.machine",
    "ReviewSession": "cmtui.engine.review",
    "UndoResult": "cmtui.engine.review",
}

__all__ = [
    "CitationIngestionService",
    "CitationMachine",
    "LocalCitationMachine",
    "ReviewSession",
    "UndoResult",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value

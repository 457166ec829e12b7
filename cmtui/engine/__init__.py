"""The facade that the command line and the application drive."""

from cmtui.engine.ingestion import CitationIngestionService
from cmtui.engine.machine import CitationMachine, LocalCitationMachine
from cmtui.engine.review import ReviewSession, UndoResult

__all__ = [
    "CitationIngestionService",
    "CitationMachine",
    "LocalCitationMachine",
    "ReviewSession",
    "UndoResult",
]

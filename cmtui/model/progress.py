"""How long work reports itself. The engine knows no threads and no screen: it calls these callables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``total`` units (0 when unknown) of ``operation`` on ``subject``."""

    operation: str
    subject: str = ""
    done: int = 0
    total: int = 0


#: Called with the state of the work; must return at once and not raise.
ProgressCallback = Callable[[Progress], None]

#: Asked between units of work (terms, passages, pages): True stops the work cleanly.
CancelledCallback = Callable[[], bool]


def no_progress(_: Progress) -> None:
    """Reports nothing."""


def never_cancelled() -> bool:
    """Never stops."""
    return False

"""How long work reports itself. The engine knows no threads and no screen: it calls these callables."""

from __future__ import annotations

import math
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


def time_left(done: int, total: int, elapsed: float) -> float | None:
    """Seconds until ``total`` units are done, when the rest take as long as the mean of the ``done`` ones.

    ``elapsed`` is the seconds that the ``done`` units took. None while nothing is known: no unit is done, the
    total is unknown (0) or less than what is done, or no time has passed. 0.0 when everything is done.
    """
    if done <= 0 or total < done or elapsed <= 0:
        return None
    return elapsed / done * (total - done)


def words_for(seconds: float) -> str:
    """How a person is told of time left: coarse, rounded up, because it is an estimate.

    Below ten seconds ``a few seconds left``; below a minute in tens of seconds; below an hour in minutes;
    then in hours and tens of minutes.
    """
    if seconds < 10:
        return "a few seconds left"
    tens = math.ceil(seconds / 10) * 10
    if tens < 60:
        return f"about {tens} s left"
    minutes = math.ceil(seconds / 60)
    if minutes < 60:
        return f"about {minutes} min left"
    hours, minutes = divmod(math.ceil(seconds / 600) * 10, 60)
    return f"about {hours} h {minutes} min left" if minutes else f"about {hours} h left"

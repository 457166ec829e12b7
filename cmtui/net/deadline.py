"""One deadline for a whole exchange: resolving, connecting, waiting, reading and retrying."""

from __future__ import annotations

from collections.abc import Callable

from cmtui.errors import Cancelled
from cmtui.model.progress import CancelledCallback, never_cancelled

#: Seconds between two looks at whether the person cancelled.
SLICE = 0.1


class Deadline:
    """A point on a monotonic clock. ``clock`` and ``sleep`` are injected, so that tests need not wait."""

    def __init__(
        self,
        seconds: float,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        cancelled: CancelledCallback = never_cancelled,
    ) -> None:
        self.seconds = seconds
        self._clock = clock
        self._sleep = sleep
        self._cancelled = cancelled
        self._end = clock() + seconds

    def remaining(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self._end - self._clock())

    @property
    def expired(self) -> bool:
        """Whether nothing is left."""
        return self.remaining() <= 0.0

    def check_cancelled(self) -> None:
        """Raise Cancelled when the person cancelled."""
        if self._cancelled():
            raise Cancelled("The request was cancelled.", "Start it again when you want to.")

    def pause(self, seconds: float) -> None:
        """Sleep in slices, looking in between whether the person cancelled. Raises Cancelled."""
        left = seconds
        while left > 0:
            self.check_cancelled()
            step = min(SLICE, left)
            self._sleep(step)
            left -= step

"""When a request is sent again: seldom, inside the deadline, and never sooner than the host asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

#: Statuses that may pass: too many requests, and failures of the server.
TRANSIENT = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """At most ``retries`` more requests (D2), after ``first_delay`` seconds that double each time.

    Up to a quarter of the delay is added as jitter, so that clients do not return in step.
    """

    retries: int = 2
    first_delay: float = 0.5

    def delay(self, attempt: int, retry_after: float | None, jitter: Callable[[], float]) -> float:
        """Seconds before the request after ``attempt`` (1-based); the host's own word wins."""
        if retry_after is not None:
            return retry_after
        delay: float = self.first_delay * 2 ** (attempt - 1)
        return delay * (1 + jitter() / 4)


#: Billable requests are never repeated (R41, R50).
NO_RETRIES = RetryPolicy(retries=0)


def retry_after_seconds(value: str | None, now: float) -> float | None:
    """Seconds that a Retry-After header asks for; None when it is absent or not understood.

    It is a number of seconds or an HTTP date (RFC 9110, 10.2.3); ``now`` is in seconds since the epoch. A
    date that has passed asks for nothing.
    """
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text) if len(text) < 10 else float("inf")
    try:
        when = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, when.replace(tzinfo=when.tzinfo or UTC).timestamp() - now)

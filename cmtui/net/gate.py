"""A rate gate per host: one request at a time, and not more a second than the host allows."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from cmtui.net.deadline import SLICE, Deadline

#: Requests a second before a host has said what it allows: Crossref's public pool (providers.md 1.1).
DEFAULT_RATE = 5.0

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_INTERVAL = re.compile(r"(\d+(?:\.\d+)?)\s*s?")
_WINDOW = re.compile(r"(\d+)\s*;\s*w=(\d+)")


class GateBusy(Exception):
    """No turn within the deadline; the client turns this into a ProviderRateLimited."""


class RateGate:
    """Spaces the starts of requests and lets one run at a time. Safe between threads."""

    def __init__(
        self, per_second: float = DEFAULT_RATE, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._interval = 1.0 / per_second
        self._clock = clock
        self._turn = threading.Lock()
        self._next = float("-inf")

    @property
    def interval(self) -> float:
        """Seconds between the starts of two requests."""
        return self._interval

    @contextmanager
    def turn(self, deadline: Deadline) -> Iterator[None]:
        """Wait for a turn and hold it. Raises GateBusy when the deadline comes first, and Cancelled."""
        while not self._turn.acquire(timeout=min(SLICE, deadline.remaining())):
            deadline.check_cancelled()
            if deadline.expired:
                raise GateBusy
        try:
            wait = self._next - self._clock()
            if wait > deadline.remaining():
                raise GateBusy
            if wait > 0:
                deadline.pause(wait)
            self._next = self._clock() + self._interval
            yield
        finally:
            self._turn.release()

    def observe(self, headers: Mapping[str, str]) -> None:
        """Obey the limits that a host states; anything that is no positive number is left alone.

        Crossref: ``x-rate-limit-limit`` over ``x-rate-limit-interval`` (``1s``). Its ``x-concurrency-limit``
        is obeyed whatever it says, for one request runs at a time. Brave: lists of a second's and a month's
        window, ``x-ratelimit-policy: 1;w=1, 2000;w=2592000``; the shortest window gives the pace, and with
        none of it left the next request waits for its reset.
        """
        limit = _NUMBER.fullmatch(headers.get("x-rate-limit-limit", "").strip())
        interval = _INTERVAL.fullmatch(headers.get("x-rate-limit-interval", "").strip())
        if limit and interval and float(limit.group()) > 0:
            self._interval = min(60.0, float(interval.group(1)) / float(limit.group()))
            return
        policy = _WINDOW.match(headers.get("x-ratelimit-policy", "").strip())
        if policy and int(policy[1]) > 0:
            self._interval = min(60.0, int(policy[2]) / int(policy[1]))
        remaining, reset = (_numbers(headers.get(f"x-ratelimit-{name}")) for name in ("remaining", "reset"))
        if remaining and reset and remaining[0] == 0:
            self._next = max(self._next, self._clock() + min(60.0, reset[0]))


def exhausted_for(headers: Mapping[str, str]) -> float | None:
    """Seconds until every window that a host says is used up is reset; None when it says of none.

    Brave answers 429 for the second's window and for the month's alike; only ``x-ratelimit-remaining`` and
    ``x-ratelimit-reset`` (relative seconds, comma lists) tell them apart (providers.md 1.3).
    """
    remaining, reset = (_numbers(headers.get(f"x-ratelimit-{name}")) for name in ("remaining", "reset"))
    waits = [wait for left, wait in zip(remaining, reset, strict=False) if left == 0]
    return max(waits) if waits else None


def _numbers(value: str | None) -> list[float]:
    """The numbers of a comma list; none of them when one is no number."""
    parts = [part.strip() for part in (value or "").split(",")]
    return [float(part) for part in parts] if all(_NUMBER.fullmatch(part) for part in parts) else []


_GATES: dict[str, RateGate] = {}
_GATES_LOCK = threading.Lock()


def gate_of(host: str, per_second: float = DEFAULT_RATE) -> RateGate:
    """The gate that every client of this process shares for a host (with its port, where it states one).

    ``per_second`` is the pace until the host says another.
    """
    with _GATES_LOCK:
        return _GATES.setdefault(host.lower(), RateGate(per_second))

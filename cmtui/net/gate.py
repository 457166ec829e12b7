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
        """Obey ``x-rate-limit-limit`` over ``x-rate-limit-interval`` (``1s``), as Crossref states them.

        Lists (Brave) and anything that is no positive number are left alone.
        """
        limit = _NUMBER.fullmatch(headers.get("x-rate-limit-limit", "").strip())
        interval = _INTERVAL.fullmatch(headers.get("x-rate-limit-interval", "").strip())
        if limit and interval and float(limit.group()) > 0:
            self._interval = min(60.0, float(interval.group(1)) / float(limit.group()))


_GATES: dict[str, RateGate] = {}
_GATES_LOCK = threading.Lock()


def gate_of(host: str) -> RateGate:
    """The gate that every client of this process shares for a host."""
    with _GATES_LOCK:
        return _GATES.setdefault(host.lower(), RateGate())

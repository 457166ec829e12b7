"""The default clock: UTC, in whole seconds. Times are for people and enter no identity (R9)."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The time of day of this machine."""

    def now(self) -> str:
        """UTC time in ISO 8601 with seconds, such as ``2026-12-01T09:30:00Z``."""
        return datetime.now(tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

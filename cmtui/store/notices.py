"""What a store noticed and put right, for a person to read: torn log lines, rebuilt data, skipped files."""

from __future__ import annotations

from threading import Lock


class Notices:
    """A list that several threads add to. Each notice stands in it once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._notices: dict[str, None] = {}

    def add(self, notice: str) -> None:
        """Note something."""
        with self._lock:
            self._notices.setdefault(notice)

    def all(self) -> tuple[str, ...]:
        """All notices, oldest first."""
        with self._lock:
            return tuple(self._notices)

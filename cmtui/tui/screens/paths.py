"""Paths typed into a prompt: completion and reading."""

from __future__ import annotations

import shlex
from pathlib import Path

from textual.suggester import Suggester


class PathSuggester(Suggester):
    """Completes the last path of the line; folders get a slash."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """The line with its last path completed, or None."""
        return complete(value)


def complete(line: str) -> str | None:
    """The first completion of the path that ends the line, by name; hidden files only when asked for."""
    if not line.strip():
        return None
    typed = Path(line).expanduser()
    folder, start = (typed, "") if line.endswith("/") else (typed.parent, typed.name)
    try:
        names = sorted(
            entry.name + ("/" if entry.is_dir() else "")
            for entry in folder.iterdir()
            if entry.name.startswith(start) and (start.startswith(".") or not entry.name.startswith("."))
        )
    except OSError:
        return None
    if not names:
        return None
    return line[: len(line) - len(start)] + names[0] if start else line + names[0]


def split_paths(line: str) -> list[Path]:
    """The paths of a line: the whole line when it exists (names may hold blanks), else shell words."""
    line = line.strip()
    if not line:
        return []
    whole = Path(line).expanduser()
    if whole.exists():
        return [whole]
    try:
        words = shlex.split(line)
    except ValueError:
        words = [line]
    return [Path(word).expanduser() for word in words]

"""What the readers share: heading paths to section marks, reference headings, titles, names in messages."""

from __future__ import annotations

import re

from cmtui.model.source import IngestWarning, SectionMark

_REFERENCE_TITLE = re.compile(
    r"(?:(?:\d+|[IVXLC]+)[.)]?\s+)?(?:references?(?: list)?|bibliography|works cited|literature cited"
    r"|cited literature|further reading)\W*",
    re.IGNORECASE,
)

#: Titles longer than this are cut in locators (code points).
TITLE_LENGTH = 300


def is_reference_title(title: str) -> bool:
    """Whether a heading opens a list of references."""
    return _REFERENCE_TITLE.fullmatch(title.strip()) is not None


def tidy(value: str) -> str:
    """A title or metadata value on one line: NUL, controls and runs of blanks removed."""
    return " ".join("".join(ch if ch >= " " and ch != "\x7f" else " " for ch in value).split())


def tidy_title(value: str) -> str:
    """A heading as a locator shows it."""
    title = tidy(value)
    return title if len(title) <= TITLE_LENGTH else title[: TITLE_LENGTH - 1].rstrip() + "…"


def called(name: str) -> str:
    """How messages call the file."""
    return name or "The file"


class SectionBuilder:
    """Turns headings with levels into flat, disjoint section marks that carry the whole heading path."""

    def __init__(self) -> None:
        self._marks: list[SectionMark] = []
        self._stack: list[tuple[int, str]] = []
        self._start: int | None = None

    def heading(self, level: int, title: str, start: int) -> None:
        """A heading of ``level`` (smaller is higher) begins at ``start``."""
        self._finish(start)
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, tidy_title(title)))
        self._start = start

    def close(self, end: int) -> None:
        """No heading holds after ``end``: a chapter or the document ends there."""
        self._finish(end)
        self._stack.clear()
        self._start = None

    def _finish(self, end: int) -> None:
        if self._start is not None and end > self._start:
            path = tuple(title for _, title in self._stack)
            self._marks.append(SectionMark(self._start, end, path, len(self._marks) + 1))

    def marks(self) -> tuple[SectionMark, ...]:
        """All marks so far, sorted and disjoint."""
        return tuple(self._marks)


class WarningLog:
    """Warnings of one read; those with the same code gather their pages."""

    def __init__(self) -> None:
        self._items: dict[str, tuple[str, list[int]]] = {}

    def add(self, code: str, message: str, page: int | None = None) -> None:
        """Keep the first message per code and every page."""
        _, pages = self._items.setdefault(code, (message, []))
        if page is not None and page not in pages:
            pages.append(page)

    def warnings(self) -> tuple[IngestWarning, ...]:
        """In order of first appearance."""
        return tuple(
            IngestWarning(code, message, tuple(sorted(pages)))
            for code, (message, pages) in self._items.items()
        )

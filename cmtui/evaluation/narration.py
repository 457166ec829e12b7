"""What a measurement says while it runs: one line on stderr, and only when that is a terminal."""

from __future__ import annotations

import sys
from typing import TextIO

from cmtui.model.progress import Progress, ProgressCallback, no_progress


def narrator(stream: TextIO | None = None) -> ProgressCallback:
    """A callback that rewrites one line, at every hundredth part at most; silent elsewhere."""
    out = sys.stderr if stream is None else stream
    if not out.isatty():
        return no_progress
    last: list[tuple[str, int]] = []

    def tell(state: Progress) -> None:
        part = state.done * 100 // state.total if state.total else state.done // 100
        now = (f"{state.operation} {state.subject}".strip(), part)
        if last == [now]:
            return
        last[:] = [now]
        of = f"/{state.total}" if state.total else ""
        out.write(f"\r\x1b[K{now[0]}: {state.done}{of}")
        if state.total and state.done + 1 >= state.total:
            out.write("\r\x1b[K")
        out.flush()

    return tell

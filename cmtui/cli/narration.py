"""Progress for people on stderr, with the time that is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from cmtui.model.progress import Progress, time_left, words_for

#: Code points of a progress line; what does not fit is cut from the subject, never from the time left.
LINE_LIMIT = 100


@dataclass(slots=True)
class _Pace:
    """Since when (monotonic seconds) and from which unit an operation runs, and what it said last."""

    since: float
    first: int
    total: int
    done: int
    at: float

    def left(self, now: float) -> float | None:
        """Seconds left at ``now``, from the mean of the completed units.

        The time since the last of them counts for the unit that runs and no further: one that takes longer
        leaves those after it as long as they were, and None when it is the last.
        """
        done, rest = self.done - self.first, self.total - self.done
        elapsed, waited = self.at - self.since, now - self.at
        estimate = time_left(done, done + rest, elapsed)
        later = time_left(done, done + rest - 1, elapsed)
        if estimate is None or later is None:
            return None
        return max(estimate - waited, later) if later or waited < estimate else None


class Narrator:
    """One line that is rewritten, and only when someone watches.

    ``--verbose`` narrates into a file or pipe too, one line for each step. ``clock`` gives monotonic seconds.
    Where an operation runs inside another (pages of a file, files of a folder), the time left is that of the
    outer one: it is what the person waits for.
    """

    def __init__(self, *, verbose: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._live = sys.stderr.isatty()
        self._verbose = verbose
        self._clock = clock
        self._shown = ""
        self._paces: dict[str, _Pace] = {}

    def __call__(self, progress: Progress) -> None:
        """Show the state of the work."""
        if not self._live and not self._verbose:
            return
        left = self._time_left(progress)
        count = f" {progress.done}/{progress.total}" if progress.total else ""
        subject = f" {progress.subject}" if progress.subject else ""
        step = f"{progress.operation}{count}{subject}"
        tail = "" if left is None else f" … {words_for(left)}"
        line = step[: LINE_LIMIT - len(tail)] + tail
        # In a file the same step is not told twice only because the clock moved.
        told = line if self._live else step
        if told == self._shown:
            return
        self._shown = told
        sys.stderr.write(f"\r\x1b[K{line}" if self._live else f"{line}\n")
        sys.stderr.flush()

    def finish(self) -> None:
        """Clear the line, so that the answer stands alone."""
        if self._live and self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        self._shown = ""
        self._paces.clear()

    def _time_left(self, progress: Progress) -> float | None:
        """Seconds left of the outermost operation that runs and has more than one unit."""
        now = self._clock()
        self._follow(progress, now)
        for pace in self._paces.values():
            if pace.total > 1:
                return pace.left(now)
        return None

    def _follow(self, progress: Progress, now: float) -> None:
        name, done, total = progress.operation, progress.done, progress.total
        names = list(self._paces)
        if name in names:
            # What was reported inside the last unit of this operation ended with that unit.
            for inner in names[names.index(name) + 1 :]:
                del self._paces[inner]
        pace = self._paces.get(name)
        if not total or done >= total:
            self._paces.pop(name, None)
        elif pace is None or pace.total != total or done < pace.done:
            self._paces[name] = _Pace(since=now, first=done, total=total, done=done, at=now)
        elif done > pace.done:
            pace.done, pace.at = done, now

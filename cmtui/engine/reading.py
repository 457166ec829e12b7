"""Files read ahead of the writer: several are parsed at once in child processes, and come out in path order.

Only the caller's thread commits, reports progress and asks whether the person cancelled, so reports and
stores are the same whatever finishes first. A cancel, an error or ctrl+c ends the readers at once.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from cmtui.errors import Cancelled
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback

#: What files being read, or read and not yet committed, may hold together, in bytes. One file always fits.
BYTES_AHEAD = 256 * 1024 * 1024
#: How often the caller's thread asks whether the person cancelled, in seconds.
_TICK = 0.05

_T = TypeVar("_T")
_R = TypeVar("_R")

#: Reads one task in another thread; gets where to report progress and how to hear that it shall stop.
ReadTask = Callable[[_T, ProgressCallback, CancelledCallback], _R]


@dataclass(slots=True)
class _Ahead(Generic[_T, _R]):
    task: _T
    size: int
    future: Future[_R] | None


class ReadAhead(Generic[_T, _R]):
    """Runs ``read`` over tasks with ``workers`` threads, a few tasks ahead of the one that is taken."""

    def __init__(
        self,
        read: ReadTask[_T, _R],
        *,
        workers: int,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> None:
        self._read = read
        self._window = workers + 2
        self._progress = progress
        self._cancelled = cancelled
        self._stop = threading.Event()
        self._news: queue.SimpleQueue[Progress | None] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="cmtui-read")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Readers hear this within a tick and kill their child process, so nothing is waited for.
        self._stop.set()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def run(self, tasks: Iterable[tuple[_T, int, bool]]) -> Iterator[tuple[_T, Callable[[], _R] | None]]:
        """Tasks in order, each with what waits for its answer (None for those that need no reading).

        ``tasks`` gives the task, its size in bytes and whether it is to be read; it is drawn from only as far
        ahead as there is room. Waiting raises what reading raised, or Cancelled.
        """
        source = iter(tasks)
        ahead: deque[_Ahead[_T, _R]] = deque()
        held = 0
        more = True
        while more or ahead:
            while more and (not ahead or (len(ahead) < self._window and held < BYTES_AHEAD)):
                drawn = next(source, None)
                if drawn is None:
                    more = False
                    break
                task, size, wanted = drawn
                ahead.append(_Ahead(task, size, self._submit(task) if wanted else None))
                held += size
            if not ahead:
                return
            first = ahead.popleft()
            future = first.future
            yield first.task, None if future is None else lambda future=future: self._wait(future)  # type: ignore[misc]
            held -= first.size

    def _submit(self, task: _T) -> Future[_R]:
        future = self._threads.submit(self._read, task, self._news.put, self._stop.is_set)
        future.add_done_callback(lambda _: self._news.put(None))
        return future

    def _wait(self, future: Future[_R]) -> _R:
        while not future.done():
            self._report(_TICK)
            if self._cancelled():
                self._stop.set()
                raise Cancelled("The ingest was cancelled.")
        self._report(0)
        return future.result()

    def _report(self, timeout: float) -> None:
        """Hand on what the readers reported, waiting up to ``timeout`` seconds for the first news."""
        try:
            news = self._news.get(timeout=timeout) if timeout else self._news.get_nowait()
            while True:
                if news is not None:
                    self._progress(news)
                news = self._news.get_nowait()
        except queue.Empty:
            return

"""Reading in a killable child process: limits, progress, cancellation, and no orphan left behind.

Parsers of foreign files run in ``python -m cmtui.ingest.worker``, started anew (never forked) in a session of
its own, with pipes for frames, without this process's environment secrets, and under memory and processor
limits. The parent holds the wall clocks: one for each page and one for the file (design/ingest.md 7.2).
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Self

import msgspec

from cmtui.errors import Cancelled, IngestError, Malformed, ResourceLimit
from cmtui.ingest.child import TICK_SECONDS, PageTimeLimit, Worker
from cmtui.ingest.kinds import detect_kind
from cmtui.ingest.limits import LIMITS, MIB, ReadLimits
from cmtui.ingest.messages import ReadRequest
from cmtui.ingest.profiles import Reading
from cmtui.ingest.readers import reader_for
from cmtui.ingest.structure import called
from cmtui.model.identity import SourceKind
from cmtui.model.ingest import ReadDocument
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress

#: Pages of one file that may run out of time before the file does.
_SLOW_PAGES = 3


class ReaderPool:
    """Workers that are started when first needed and kept warm. Safe to use from several threads.

    ``size`` bounds how many files are read at the same time; further calls wait their turn.
    """

    def __init__(self, size: int = 1, *, limits: ReadLimits = LIMITS) -> None:
        self._limits = limits
        self.size = max(1, size)
        self._slots = threading.Semaphore(self.size)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._closed = False
        _pools.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(
        self,
        content: bytes,
        kind: SourceKind,
        *,
        reading: Reading = Reading.CANON,
        encoding: str | None = None,
        password: str | None = None,
        name: str = "",
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> ReadDocument:
        """Read one file in a worker.

        A PDF page that runs out of its time costs the worker its life; the file is then read again without
        that page, which a warning names, for at most three pages and under the clock of the first try.

        Raises the IngestError that the reader raised, TimeLimit or ResourceLimit when a limit ended it,
        Malformed when the worker broke on the file, Cancelled when ``cancelled`` answered True (the worker is
        killed; the next file gets a new one).
        """
        check_size(content, name, self._limits)
        detect_kind(name, content, kind)
        request = ReadRequest(content, kind, name, encoding, password, self._limits, reading)
        started = time.monotonic()
        with self._slot(called(name), cancelled):
            while True:
                try:
                    return self._ask(request, progress, cancelled, started)
                except PageTimeLimit as error:
                    left_out = (*request.limits.left_out_pages, error.page)
                    if kind is not SourceKind.PDF or len(left_out) > min(_SLOW_PAGES, error.total - 1):
                        raise
                    limits = replace(request.limits, left_out_pages=left_out)
                    request = msgspec.structs.replace(request, limits=limits)

    def _ask(
        self,
        request: ReadRequest,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
        started: float,
    ) -> ReadDocument:
        worker = self._take()
        keep = False
        try:
            document = worker.ask(request, progress, cancelled, started)
            keep = not worker.is_spent()
            return document
        except IngestError:
            keep = worker.is_usable()
            raise
        finally:
            self._give_back(worker, keep=keep)

    def workers(self) -> tuple[int, ...]:
        """Process ids of the living workers."""
        with self._lock:
            return tuple(sorted(worker.pid for worker in (*self._idle, *self._busy)))

    def close(self) -> None:
        """End all workers. A read that is running in another thread fails with Cancelled."""
        with self._lock:
            self._closed = True
            workers = [*self._idle, *self._busy]
            self._idle.clear()
            busy = set(self._busy)
        for worker in workers:
            if worker in busy:
                worker.kill()  # the thread that reads from it sees its end and closes the pipes
            else:
                worker.stop(wait=True)

    @contextlib.contextmanager
    def _slot(self, file: str, cancelled: CancelledCallback) -> Iterator[None]:
        """A place in the pool; waiting for one can be cancelled too."""
        while not self._slots.acquire(timeout=TICK_SECONDS):
            if cancelled():
                raise Cancelled(f"Reading {file} was cancelled.")
        try:
            yield
        finally:
            self._slots.release()

    def _take(self) -> Worker:
        with self._lock:
            if self._closed:
                raise Cancelled("The readers have been closed.")
            while self._idle:
                worker = self._idle.pop()
                if worker.is_usable():
                    break
                worker.stop(wait=False)
            else:
                worker = Worker(self._limits)
            self._busy.add(worker)
            return worker

    def _give_back(self, worker: Worker, *, keep: bool) -> None:
        with self._lock:
            self._busy.discard(worker)
            if keep and not self._closed:
                self._idle.append(worker)
                return
        worker.stop(wait=keep)


_pools: weakref.WeakSet[ReaderPool] = weakref.WeakSet()
_default: ReaderPool | None = None
_default_lock = threading.Lock()


@atexit.register
def close_all() -> None:
    """End every worker of every pool; called when the interpreter exits."""
    for pool in list(_pools):
        pool.close()


def default_pool() -> ReaderPool:
    """The pool ``read_source`` uses. Each worker is started when a file finds no idle one."""
    global _default
    with _default_lock:
        if _default is None or _default._closed:
            _default = ReaderPool(reader_count())
        return _default


def reader_count() -> int:
    """How many files are read at the same time: one for each core that may be used, at most four.

    More would not be faster, because one thread commits, and each may hold 512 MB.
    """
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        cores = os.cpu_count() or 1
    return max(1, min(cores, 4))


def check_size(content: bytes, name: str, limits: ReadLimits = LIMITS) -> None:
    """Raise ResourceLimit for a file larger than any kind may be."""
    if len(content) > limits.file_bytes:
        raise ResourceLimit(
            f"{called(name)} has {len(content):,} bytes; {limits.file_bytes // MIB} MiB are allowed.",
            "Split it into smaller files.",
        )


def read_source(
    content: bytes,
    kind: SourceKind,
    *,
    reading: Reading = Reading.CANON,
    encoding: str | None = None,
    password: str | None = None,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
    name: str = "",
) -> ReadDocument:
    """Read one file in a warm worker of the default pool. Raises as ``ReaderPool.read``."""
    return default_pool().read(
        content,
        kind,
        reading=reading,
        encoding=encoding,
        password=password,
        name=name,
        progress=progress,
        cancelled=cancelled,
    )


def read_source_inline(
    content: bytes,
    kind: SourceKind,
    *,
    reading: Reading = Reading.CANON,
    encoding: str | None = None,
    password: str | None = None,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
    name: str = "",
    limits: ReadLimits = LIMITS,
) -> ReadDocument:
    """The same in this process: no memory limit and no wall clock, for files that are trusted.

    Raises IngestError (whatever a parser raises is Malformed) and Cancelled.
    """
    check_size(content, name, limits)
    detect_kind(name, content, kind)
    try:
        return reader_for(kind, reading).read(
            content,
            encoding=encoding,
            password=password,
            name=name,
            limits=limits,
            progress=progress,
            cancelled=cancelled,
        )
    except (IngestError, Cancelled):
        raise
    except MemoryError as error:
        raise ResourceLimit(f"Reading {called(name)} needs too much memory.", "Split the file.") from error
    except Exception as error:
        raise Malformed(
            f"{called(name)} could not be read ({type(error).__name__}).",
            "Open it in its usual program and save it anew, or fetch the file again.",
        ) from error

"""Reading in a killable child process: limits, progress, cancellation, and no orphan left behind.

Parsers of foreign files run in ``python -m cmtui.ingest.worker``, started anew (never forked) in a session of
its own, with pipes for frames, without this process's environment secrets, and under memory and processor
limits. The parent holds the wall clocks: one for each page and one for the file (design/ingest.md 7.2).
"""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import msgspec

import cmtui
from cmtui.errors import Cancelled, IngestError, Malformed, ResourceLimit, TimeLimit
from cmtui.ingest.kinds import detect_kind
from cmtui.ingest.limits import LIMITS, MIB, ReadLimits
from cmtui.ingest.messages import (
    HEADER,
    OUT_OF_MEMORY,
    REPLY_BYTES,
    PageDone,
    ReadFailure,
    ReadRequest,
    decode_reply,
    error_of,
    frame,
)
from cmtui.ingest.readers import reader_for
from cmtui.ingest.structure import called
from cmtui.model.identity import SourceKind
from cmtui.model.ingest import ReadDocument
from cmtui.model.progress import (
    CancelledCallback,
    Progress,
    ProgressCallback,
    never_cancelled,
    no_progress,
)

#: A worker is replaced after this many files, or when it has held this much memory.
FILES_PER_WORKER = 50
WORKER_PEAK_KIB = 512 * 1024

#: How often a waiting parent asks whether the person cancelled, in seconds.
TICK_SECONDS = 0.05
_CLOSE_SECONDS = 1.0
_CHUNK = 1 << 16

#: What a worker may know of this process's environment. Keys for providers are not among it.
_ENVIRONMENT = (
    "PYTHONPATH",
    "PATH",
    "PYTHONPATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TZ",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
)


class ReaderPool:
    """Workers that are started when first needed and kept warm. Safe to use from several threads.

    ``size`` bounds how many files are read at the same time; further calls wait their turn.
    """

    def __init__(self, size: int = 1, *, limits: ReadLimits = LIMITS) -> None:
        self._limits = limits
        self._slots = threading.Semaphore(max(1, size))
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
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
        encoding: str | None = None,
        password: str | None = None,
        name: str = "",
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> ReadDocument:
        """Read one file in a worker.

        Raises the IngestError that the reader raised, TimeLimit or ResourceLimit when a limit ended it,
        Malformed when the worker broke on the file, Cancelled when ``cancelled`` answered True (the worker is
        killed; the next file gets a new one).
        """
        check_size(content, name, self._limits)
        detect_kind(name, content, kind)
        request = ReadRequest(content, kind, name, encoding, password, self._limits)
        with self._slot(called(name), cancelled):
            worker = self._take()
            keep = False
            try:
                document = worker.ask(request, progress, cancelled)
                keep = not worker.is_spent()
            except IngestError:
                keep = worker.is_usable()
                raise
            finally:
                self._give_back(worker, keep=keep)
        return document

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

    def _take(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise Cancelled("The readers have been closed.")
            while self._idle:
                worker = self._idle.pop()
                if worker.is_usable():
                    break
                worker.stop(wait=False)
            else:
                worker = _Worker(self._limits)
            self._busy.add(worker)
            return worker

    def _give_back(self, worker: _Worker, *, keep: bool) -> None:
        with self._lock:
            self._busy.discard(worker)
            if keep and not self._closed:
                self._idle.append(worker)
                return
        worker.stop(wait=keep)


class _Worker:
    """One child process. ``ask`` is called by one thread at a time; ``stop`` by any."""

    def __init__(self, limits: ReadLimits) -> None:
        self._limits = limits
        self._files = 0
        self._peak_kib = 0
        self._stopped = False
        root = str(Path(cmtui.__file__).parent.parent)
        environment = {key: os.environ[key] for key in _ENVIRONMENT if key in os.environ}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        if Path(root).name not in {"site-packages", "dist-packages"}:
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, environment.get("PYTHONPATH"))))
        # -P keeps the working directory, which may hold anybody's modules, off the import path.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cmtui.ingest.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in = self._process.stdin
        self._out = self._process.stdout
        os.set_blocking(self._in.fileno(), False)
        os.set_blocking(self._out.fileno(), False)

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_usable(self) -> bool:
        """Whether it lives and may take another file."""
        return not self._stopped and self._process.poll() is None and not self.is_spent()

    def is_spent(self) -> bool:
        """Whether it has read enough files, or held enough memory, to be replaced."""
        return self._files >= FILES_PER_WORKER or self._peak_kib > WORKER_PEAK_KIB

    def ask(
        self, request: ReadRequest, progress: ProgressCallback, cancelled: CancelledCallback
    ) -> ReadDocument:
        """Send one request and wait for its answer under the wall clocks."""
        self._files += 1
        return _Conversation(self, request, progress, cancelled).run()

    def kill(self) -> None:
        """End the process by SIGKILL and wait for its end. The pipes stay open."""
        self._stopped = True
        if self._process.poll() is None:
            # The worker leads a session of its own, so its group holds it and whatever it started.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLOSE_SECONDS)

    def stop(self, *, wait: bool) -> None:
        """End the process and close the pipes: with ``wait`` by ending its stdin, else by SIGKILL."""
        self._stopped = True
        if wait:
            with contextlib.suppress(OSError):
                self._in.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_CLOSE_SECONDS)
        self.kill()
        for stream in (self._in, self._out):
            with contextlib.suppress(OSError):
                stream.close()

    def died_of(self) -> int:
        """The exit code, negative for a signal, once the process has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(_CLOSE_SECONDS)
        return 0

    @property
    def stopped(self) -> bool:
        return self._stopped


class _Conversation:
    """One request and its answer over a worker's pipes, without ever blocking for longer than a tick."""

    def __init__(
        self,
        worker: _Worker,
        request: ReadRequest,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> None:
        self.worker = worker
        self.name = request.name
        self.file = called(request.name)
        self.limits = request.limits
        self.progress = progress
        self.cancelled = cancelled
        self.out = memoryview(frame(request))
        self.inbox = bytearray()
        self.started = time.monotonic()
        self.quiet_since = self.started
        self.pages = False

    def run(self) -> ReadDocument:
        with selectors.DefaultSelector() as selector:
            try:
                selector.register(self.worker._out, selectors.EVENT_READ)
                selector.register(self.worker._in, selectors.EVENT_WRITE)
            except ValueError as error:  # stopped from another thread
                raise self._ended() from error
            while True:
                self._check_clocks()
                for key, _ in selector.select(TICK_SECONDS):
                    if key.fileobj is self.worker._in:
                        if not self._send():
                            selector.unregister(self.worker._in)
                    elif not self._receive():
                        raise self._ended()
                answer = self._next_answer()
                if answer is not None:
                    return answer

    def _send(self) -> bool:
        """Write what the pipe takes; False when all is written or the worker no longer listens."""
        try:
            written = os.write(self.worker._in.fileno(), self.out[: 1 << 20])
        except BlockingIOError:
            return True
        except (OSError, ValueError):
            return False
        self.out = self.out[written:]
        return len(self.out) > 0

    def _receive(self) -> bool:
        """Read what is there; False at the end of the worker's output."""
        try:
            data = os.read(self.worker._out.fileno(), _CHUNK)
        except BlockingIOError:
            return True
        except (OSError, ValueError):
            return False
        self.inbox += data
        return bool(data)

    def _next_answer(self) -> ReadDocument | None:
        """Handle complete frames; the document when it has come. Raises what the worker answered."""
        while len(self.inbox) >= HEADER.size:
            (size,) = HEADER.unpack_from(self.inbox)
            if size > REPLY_BYTES:
                self.worker.kill()
                raise ResourceLimit(
                    f"Reading {self.file} gave more than {REPLY_BYTES // MIB} MiB.", "Split the file."
                )
            if len(self.inbox) < HEADER.size + size:
                return None
            body = bytes(self.inbox[HEADER.size : HEADER.size + size])
            del self.inbox[: HEADER.size + size]
            try:
                reply = decode_reply(body)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                self.worker.kill()
                raise Malformed(
                    f"Reading {self.file} gave no usable answer.", "Fetch the file again."
                ) from error
            if isinstance(reply, ReadFailure):
                raise error_of(reply)
            if not isinstance(reply, PageDone):
                self.worker._peak_kib = reply.peak_kib
                return reply.document
            self.quiet_since = time.monotonic()
            self.pages = True
            self.progress(Progress("read", self.name, reply.done, reply.total))
        return None

    def _check_clocks(self) -> None:
        """Kill the worker when the person cancels or a wall clock runs out."""
        if self.cancelled():
            self.worker.kill()
            raise Cancelled(f"Reading {self.file} was cancelled.")
        now = time.monotonic()
        allowed = self.limits.page_seconds if self.pages else self.limits.open_seconds
        if now - self.quiet_since > allowed:
            what = "One page" if self.pages else "Opening"
            self._out_of_time(f"{what} of {self.file} took longer than {allowed:g} seconds.")
        if now - self.started > self.limits.document_seconds:
            self._out_of_time(
                f"Reading {self.file} took longer than {self.limits.document_seconds:g} seconds."
            )

    def _out_of_time(self, message: str) -> None:
        self.worker.kill()
        raise TimeLimit(message, "The file is damaged or very complex; split it or save it anew.")

    def _ended(self) -> Exception:
        """Why the worker's output ended before an answer came."""
        if self.worker.stopped:
            return Cancelled(f"Reading {self.file} was cancelled.")
        code = self.worker.died_of()
        self.worker.kill()
        if code == -signal.SIGXCPU:
            return TimeLimit(
                f"Reading {self.file} took more than {self.limits.cpu_seconds} seconds of processor time.",
                "The file is damaged or very complex; split it or save it anew.",
            )
        if code in {-signal.SIGKILL, OUT_OF_MEMORY}:
            return ResourceLimit(
                f"The reader of {self.file} was ended for lack of memory.",
                "Close other programs, or split the file.",
            )
        return Malformed(
            f"The reader broke on {self.file} (exit {code}).",
            "Open it in its usual program and save it anew, or fetch the file again.",
        )


_pools: weakref.WeakSet[ReaderPool] = weakref.WeakSet()
_default: ReaderPool | None = None
_default_lock = threading.Lock()


@atexit.register
def close_all() -> None:
    """End every worker of every pool; called when the interpreter exits."""
    for pool in list(_pools):
        pool.close()


def default_pool() -> ReaderPool:
    """The pool ``read_source`` uses: one worker, started on the first file."""
    global _default
    with _default_lock:
        if _default is None or _default._closed:
            _default = ReaderPool()
        return _default


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
        return reader_for(kind).read(
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

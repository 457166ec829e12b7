"""One reading child process and the conversation with it, under the wall clocks the parent holds.

The child is started anew (never forked) in a session of its own, with pipes for frames and without this
process's secrets. The parent never blocks on it for longer than a tick, so a cancel is heard at once.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from cmtui.errors import Cancelled, Malformed, ResourceLimit, TimeLimit
from cmtui.ingest.limits import MIB, ReadLimits
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
from cmtui.ingest.structure import called
from cmtui.model.ingest import ReadDocument
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback

#: A worker is replaced after this many files, or when it has held this much memory.
FILES_PER_WORKER = 50
WORKER_PEAK_KIB = 512 * 1024

#: How often a waiting parent asks whether the person cancelled, in seconds.
TICK_SECONDS = 0.05
_CLOSE_SECONDS = 1.0
_CHUNK = 1 << 16
_SLOW_HINT = "The file is damaged or very complex; split it or save it anew."

#: What a worker may know of this process's environment. Keys for providers are not among it.
_ENVIRONMENT = (
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


class PageTimeLimit(TimeLimit):
    """One page took too long; the others may still be read without it. ``page`` counts from 1."""

    code = TimeLimit.code

    def __init__(self, message: str, hint: str = "", *, page: int = 0, total: int = 0) -> None:
        super().__init__(message, hint)
        self.page = page
        self.total = total


class Worker:
    """One child process. ``ask`` is called by one thread at a time; ``stop`` by any."""

    def __init__(self, limits: ReadLimits) -> None:
        self._limits = limits
        self._files = 0
        self.peak_kib = 0
        self._stopped = False
        root = str(Path(__file__).parents[2])
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
        self.requests = self._process.stdin
        self.replies = self._process.stdout
        os.set_blocking(self.requests.fileno(), False)
        os.set_blocking(self.replies.fileno(), False)

    @property
    def pid(self) -> int:
        """The process id, which is also that of its session and group."""
        return self._process.pid

    def is_usable(self) -> bool:
        """Whether it lives and may take another file."""
        return not self._stopped and self._process.poll() is None and not self.is_spent()

    def is_spent(self) -> bool:
        """Whether it has read enough files, or held enough memory, to be replaced."""
        return self._files >= FILES_PER_WORKER or self.peak_kib > WORKER_PEAK_KIB

    def ask(
        self,
        request: ReadRequest,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
        started: float | None = None,
    ) -> ReadDocument:
        """Send one request and wait for its answer under the wall clocks.

        ``started`` (monotonic seconds) is when the first try began: the clock of the whole file goes on.
        """
        self._files += 1
        return Conversation(self, request, progress, cancelled, started).run()

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
                self.requests.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_CLOSE_SECONDS)
        self.kill()
        for stream in (self.requests, self.replies):
            with contextlib.suppress(OSError):
                stream.close()

    def died_of(self) -> int:
        """The exit code, negative for a signal, once the process has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(_CLOSE_SECONDS)
        return 0

    @property
    def stopped(self) -> bool:
        """Whether this process has ended it, or is about to."""
        return self._stopped


class Conversation:
    """One request and its answer over a worker's pipes, without ever blocking for longer than a tick."""

    def __init__(
        self,
        worker: Worker,
        request: ReadRequest,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
        started: float | None = None,
    ) -> None:
        self.worker = worker
        self.name = request.name
        self.file = called(request.name)
        self.limits = request.limits
        self.progress = progress
        self.cancelled = cancelled
        self.out = memoryview(frame(request))
        self.inbox = bytearray()
        self.quiet_since = time.monotonic()
        self.started = self.quiet_since if started is None else started
        self.pages = False
        self.done = self.total = 0

    def run(self) -> ReadDocument:
        """Send the request, report pages, and give the document or raise what came instead."""
        with selectors.DefaultSelector() as selector:
            try:
                selector.register(self.worker.replies, selectors.EVENT_READ)
                selector.register(self.worker.requests, selectors.EVENT_WRITE)
            except ValueError as error:  # stopped from another thread
                raise self._ended() from error
            while True:
                self._check_clocks()
                for key, _ in selector.select(TICK_SECONDS):
                    if key.fileobj is self.worker.requests:
                        if not self._send():
                            selector.unregister(self.worker.requests)
                    elif not self._receive():
                        raise self._ended()
                answer = self._next_answer()
                if answer is not None:
                    return answer

    def _send(self) -> bool:
        """Write what the pipe takes; False when all is written or the worker no longer listens."""
        try:
            written = os.write(self.worker.requests.fileno(), self.out[: 1 << 20])
        except BlockingIOError:
            return True
        except (OSError, ValueError):
            return False
        self.out = self.out[written:]
        return len(self.out) > 0

    def _receive(self) -> bool:
        """Read what is there; False at the end of the worker's output."""
        try:
            data = os.read(self.worker.replies.fileno(), _CHUNK)
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
                self.worker.peak_kib = reply.peak_kib
                return reply.document
            self.quiet_since = time.monotonic()
            self.pages = True
            self.done, self.total = reply.done, reply.total
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
            if not self.pages:
                self._out_of_time(f"Opening {self.file} took longer than {allowed:g} seconds.")
            if self.done >= self.total:
                self._out_of_time(f"Reading the outline of {self.file} took longer than {allowed:g} seconds.")
            self.worker.kill()
            raise PageTimeLimit(
                f"Page {self.done + 1} of {self.file} took longer than {allowed:g} seconds.",
                _SLOW_HINT,
                page=self.done + 1,
                total=self.total,
            )
        if now - self.started > self.limits.document_seconds:
            self._out_of_time(
                f"Reading {self.file} took longer than {self.limits.document_seconds:g} seconds."
            )

    def _out_of_time(self, message: str) -> None:
        self.worker.kill()
        raise TimeLimit(message, _SLOW_HINT)

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

"""Locks between processes, held for milliseconds: per commit, never per session.

``flock`` on an open file: the kernel frees it when its holder dies, so a lock is never stale. Only the note
beside it (``<lock>.info``: pid, host, start time, operation) can be, and what it says is used twice: to name
the holder when the wait expires, and to tell the next holder what an interrupted commit was about.

``fcntl`` is used directly: the filelock package needs 90 ms to import (measured), four bare Python starts.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cmtui.errors import CmtuiError, StoreLocked, StoreReadOnly
from cmtui.ports import Clock
from cmtui.store.atomic import FILE_MODE
from cmtui.store.clock import SystemClock

#: Seconds between two tries for a lock that somebody holds.
POLL_SECONDS = 0.005

_UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds (or held) a lock, and for what. ``subject`` names the ids the operation is about."""

    pid: int
    host: str
    started_at: str
    operation: str
    subject: Mapping[str, str]

    def describe(self) -> str:
        """One phrase for a message."""
        return f"process {self.pid} on {self.host} ({self.operation}, since {self.started_at})"


class FolderLock:
    """One lock file. ``hold`` takes it for the length of a ``with`` block."""

    def __init__(self, path: Path, *, timeout: float, clock: Clock | None = None) -> None:
        self.path = path
        self.info = path.with_name(path.name + ".info")
        self.timeout = timeout
        self._clock = clock or SystemClock()

    @contextlib.contextmanager
    def hold(
        self, operation: str, subject: Mapping[str, str] | None = None, *, wait: bool = True
    ) -> Iterator[Holder | None]:
        """Hold the lock; yields the note of a holder who did not finish, or None.

        The note is kept when the block fails: whoever takes the lock next learns what was interrupted.
        Raises StoreLocked after the wait, StoreReadOnly where locks do not work.
        """
        descriptor = self._acquire(self.timeout if wait else 0.0)
        try:
            unfinished = self.holder()
            self._write_note(operation, subject or {})
            try:
                yield unfinished
            except CmtuiError:
                # A refusal, not an accident: nothing was begun that somebody must finish.
                self.clear_note()
                raise
            # Before the lock is freed: a note that can be seen together with a free lock is a crash.
            self.clear_note()
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def try_hold(self) -> Iterator[bool]:
        """Hold the lock if it is free this instant; yields whether it is held. Leaves no note."""
        try:
            descriptor = self._acquire(0.0)
        except (StoreLocked, StoreReadOnly):
            yield False
            return
        try:
            yield True
        finally:
            os.close(descriptor)

    def clear_note(self) -> None:
        """Remove the note. The caller holds the lock."""
        with contextlib.suppress(FileNotFoundError):
            self.info.unlink()

    def holder(self) -> Holder | None:
        """What the note says, or None when there is none or it is not readable."""
        try:
            note = json.loads(self.info.read_bytes())
            subject = note["subject"]
            return Holder(
                pid=int(note["pid"]),
                host=str(note["host"]),
                started_at=str(note["started_at"]),
                operation=str(note["operation"]),
                subject={str(key): str(value) for key, value in subject.items()},
            )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            # A note cut short by a crash still says that there was one.
            return Holder(0, "unknown", "unknown", "unknown", {}) if self.info.exists() else None

    def problem(self) -> str | None:
        """Why this lock cannot be used here, or None. A lock that somebody holds is one that works."""
        try:
            os.close(self._acquire(0.0))
        except StoreLocked:
            return None
        except StoreReadOnly as error:
            return error.message
        return None

    def _acquire(self, timeout: float) -> int:
        deadline = time.monotonic() + timeout
        while True:
            descriptor = self._open()
            try:
                if _try_lock(descriptor, self.path) and self._is_current(descriptor):
                    return descriptor
                held_by_other = self._is_current(descriptor)
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)
            if time.monotonic() >= deadline and held_by_other:
                raise self._locked(timeout)
            time.sleep(POLL_SECONDS if held_by_other else 0.0)

    def _open(self) -> int:
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        except OSError as error:
            raise StoreReadOnly(
                f"the lock {self.path} cannot be opened: {error.strerror}",
                "check the permissions of the store, or copy it to a folder you may write to",
            ) from error

    def _is_current(self, descriptor: int) -> bool:
        """Whether the open lock file is still the one others see: somebody may have deleted it."""
        try:
            return os.fstat(descriptor).st_ino == self.path.stat().st_ino
        except FileNotFoundError:
            return False

    def _locked(self, timeout: float) -> StoreLocked:
        holder = self.holder()
        who = holder.describe() if holder is not None else "another process"
        return StoreLocked(
            f"{self.path} is held by {who}; waited {timeout:g} s",
            "wait until it has finished, or end that process",
        )

    def _write_note(self, operation: str, subject: Mapping[str, str]) -> None:
        note = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "started_at": self._clock.now(),
            "operation": operation,
            "subject": dict(subject),
        }
        # Not through the atomic writer: the lock protects it, and it need not survive a power cut.
        descriptor = os.open(self.info, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
        try:
            os.write(descriptor, json.dumps(note, sort_keys=True).encode() + b"\n")
        finally:
            os.close(descriptor)


def _try_lock(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        raise StoreReadOnly(
            f"file locks do not work on this file system ({error.strerror}): {path}",
            "keep the store on a local disk; two programs could damage it here",
        ) from error
    return True

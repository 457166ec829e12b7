"""The two ways a store writes: whole files by rename, and lines appended to a log.

A reader never sees half of a whole file. A log may end in a torn line after a crash: it is set aside in
``<log>.torn`` and reported, never fatal, since nobody was told that it was written.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from secrets import token_hex

from cmtui.store.layout import TEMPORARY_SUFFIX

FILE_MODE = 0o600
FOLDER_MODE = 0o700


def write_whole(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data``, durably and all at once. Raises OSError and then leaves no trace."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{token_hex(4)}{TEMPORARY_SUFFIX}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)  # noqa: PTH105 - Path.replace does the same with more steps
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def append(path: Path, data: bytes) -> None:
    """Append ``data`` (whole lines) in one write, durably. The caller holds the log's lock."""
    created = not path.exists()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, FILE_MODE)
    try:
        before = os.fstat(descriptor).st_size
        try:
            _write_all(descriptor, data)
        except BaseException:
            # A full disk must not leave half a line behind for the next writer.
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, before)
            raise
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if created:
        sync_folder(path.parent)


def set_aside(path: Path, offset: int) -> Path:
    """Move everything from ``offset`` on to ``<path>.torn`` and cut it off. The caller holds the lock."""
    aside = path.with_name(path.name + ".torn")
    with path.open("r+b") as log:
        log.seek(offset)
        append(aside, log.read() + b"\n")
        log.truncate(offset)
        log.flush()
        os.fsync(log.fileno())
    return aside


def make_folder(path: Path) -> None:
    """Make a folder of the store if it is missing, durably and readable by its owner alone."""
    try:
        path.mkdir(mode=FOLDER_MODE)
    except FileExistsError:
        return
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make renames in a folder durable. File systems that cannot do that are as durable as they are."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_temporaries(folder: Path) -> None:
    """Remove what interrupted whole-file writes left. The caller holds the lock of the folder's writers."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        leftovers = [e.path for e in entries if e.name.startswith(".") and e.name.endswith(TEMPORARY_SUFFIX)]
        for leftover in leftovers:
            with contextlib.suppress(OSError):
                Path(leftover).unlink()


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]

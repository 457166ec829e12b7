"""Errors of the disk as errors of the store, with a hint."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from cmtui.errors import StoreError, StoreReadOnly

_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EROFS, errno.EACCES, errno.EPERM}


@contextlib.contextmanager
def disk_errors(root: Path) -> Iterator[None]:
    """Turn OSError inside the block into StoreError or StoreReadOnly that names the file."""
    try:
        yield
    except OSError as error:
        name = error.filename or root
        if error.errno in _FULL:
            raise StoreError(f"the disk is full: {name}", "free some space and try again") from error
        if error.errno in _FORBIDDEN:
            raise StoreReadOnly(
                f"the store cannot be written: {name}: {error.strerror}", "check the permissions of the store"
            ) from error
        raise StoreError(f"{name}: {error.strerror or error}", "check the disk the store is on") from error

"""Writing an export where a person wants it: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from cmtui.errors import InvalidRequest


def write_file(path: Path, content: bytes, *, replace: bool) -> None:
    """Write ``content`` to ``path``; an existing file only with ``replace``. Raises InvalidRequest."""
    if path.is_dir() or (path.exists() and not replace):
        raise InvalidRequest(f"'{path}' exists already.", "Choose another name, or give --replace.")
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            Path(name).chmod(0o666 & ~_umask())  # mkstemp makes it private
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidRequest(f"'{path}' cannot be written ({reason}).", "Choose another folder.") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

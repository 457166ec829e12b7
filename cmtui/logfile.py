"""The log file: what failed unexpectedly, with its traceback, for the person who reports it.

``<state>/cmtui.log``, readable by its owner only, at most three files of one megabyte. Nothing is imported or
touched before there is something to write. The values of environment variables that end in ``_API_KEY`` never
enter it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging

#: The file's name, and how the older ones follow it: ``cmtui.log.1``, ``cmtui.log.2``.
NAME = "cmtui.log"
MAX_BYTES = 1_000_000
FILES = 3

_LOGGER = "cmtui.log"

#: Where the log goes: set by ``start``.
_folder: Path | None = None


def start(state_dir: Path, *, verbose: bool) -> None:
    """Say where the log goes. A ``verbose`` run writes a first line at once; else the first error opens it.

    May be called again; the last folder holds. Never raises: a log that cannot be written stops nothing.
    """
    global _folder
    _folder = state_dir
    if verbose:
        import platform

        from cmtui._version import __version__

        system = f"Python {platform.python_version()}, {platform.system()} {platform.release()}"
        _write("info", f"cmtui {__version__} started ({system})", None)


def record(error: BaseException) -> Path | None:
    """Write an error with its traceback. The file, or None when it could not be written. Never raises.

    Without ``start`` the log is in the state folder of the platform (``cmtui.clipboard.state_dir``).
    """
    return _write("error", type(error).__name__, error)


def redact(text: str, environ: Mapping[str, str] | None = None) -> str:
    """The text without the values of the environment's ``*_API_KEY``, plain or percent-encoded (in a URL)."""
    secrets: dict[str, str] = {}
    for name, value in (os.environ if environ is None else environ).items():
        if name.upper().endswith("_API_KEY") and value.strip():
            from urllib.parse import quote, quote_plus

            plain = value.strip()
            forms = (value, plain, repr(plain)[1:-1], quote(plain), quote(plain, safe=""), quote_plus(plain))
            secrets |= dict.fromkeys(forms, name)
    if not secrets:
        return text
    import re

    # In one pass, the longest first, so that no key is looked for in what took another one's place.
    anyone = "|".join(re.escape(secret) for secret in sorted(secrets, key=len, reverse=True))
    return re.sub(anyone, lambda found: f"[{secrets[found[0]]}]", text)


def _write(level: str, message: str, error: BaseException | None) -> Path | None:
    """One record. The file is opened for it and closed after it: records are rare, processes many."""
    try:
        import logging

        path = _place() / NAME
        handler = _handler(path)
        try:
            made = logging.LogRecord(
                _LOGGER,
                logging.ERROR if level == "error" else logging.INFO,
                "",
                0,
                message,
                None,
                None if error is None else (type(error), error, error.__traceback__),
            )
            handler.emit(made)
        finally:
            handler.close()
    except Exception:  # noqa: BLE001 - the log is the last resort: a failure of its own must hide no other
        return None
    return path


def _place() -> Path:
    folder = _folder
    if folder is None:
        from cmtui.clipboard import state_dir

        folder = state_dir()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _handler(path: Path) -> logging.Handler:
    """A rotating handler whose files are 0600, whose text is redacted, and whose own failures are raised."""
    import io
    import logging
    import sys
    from logging.handlers import RotatingFileHandler

    class OwnersHandler(RotatingFileHandler):
        def _open(self) -> io.TextIOWrapper:
            descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.fchmod(descriptor, 0o600)  # a file that is there already may be open to others
            return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")

        def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - logging's own name; the caller catches
            error = sys.exc_info()[1]
            if error is not None:
                raise error

    class RedactingFormatter(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return redact(super().format(record))

    handler = OwnersHandler(
        path, maxBytes=MAX_BYTES, backupCount=FILES - 1, encoding="utf-8", errors="backslashreplace"
    )
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(process)d %(message)s"))
    return handler

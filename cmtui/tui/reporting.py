"""A report of an unexpected error: one file that a person can read through and send."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from cmtui._version import __version__
from cmtui.clipboard import state_dir
from cmtui.logfile import redact

#: What of the environment says how the terminal is; nothing else of it is written.
TERMINAL = ("TERM", "COLORTERM", "LANG", "NO_COLOR", "TERM_PROGRAM", "TMUX", "SSH_TTY")


def write_report(error: BaseException, trace: str, about: Mapping[str, str]) -> Path | None:
    """Write ``<state>/report-<time>.txt``, for its owner alone and without secrets. None when it cannot be.

    ``about`` says where in the application it happened. Never holds text of a source, a claim or a note.
    """
    import textual

    now = datetime.now(tz=UTC)
    lines = [
        f"Citation Machine {__version__}, {now:%Y-%m-%d %H:%M:%S} UTC",
        f"Python {platform.python_version()}, Textual {textual.__version__}, {platform.platform()}",
        " ".join(f"{name}={os.environ[name]}" for name in TERMINAL if name in os.environ),
        *(f"{key}: {value}" for key, value in about.items()),
        "",
        f"{type(error).__name__}: {error}",
        "",
        trace,
    ]
    try:
        folder = state_dir()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in range(100):
            suffix = f"-{number}" if number else ""
            path = folder / f"report-{now:%Y%m%d-%H%M%S}{suffix}.txt"
            try:
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                continue
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(redact("\n".join(lines)) + "\n")
            return path
    except OSError:
        return None
    return None

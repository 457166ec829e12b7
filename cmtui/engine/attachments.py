"""Where the files that bibliography entries name are on this computer."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from cmtui.engine.files import SUFFIXES

_SCHEMES = re.compile(r"(?:storage|attachments|internal-pdf):(?://)?", re.IGNORECASE)
_REMOTE = re.compile(r"(?:https?|ftp|doi|zotero):", re.IGNORECASE)


def file_name(path: str) -> str:
    """The last part of a path of any system."""
    return unquote(re.split(r"[/\\]", path.rstrip("/\\"))[-1])


def find_file(path: str, folder: Path | None) -> Path | None:
    """The existing file of a kind that can be ingested, or None.

    Relative paths start from ``folder``. Paths that were percent-encoded, and Windows separators in relative
    ones, are tried too. Nothing is searched for elsewhere.
    """
    path = _SCHEMES.sub("", path)
    if not path or "\x00" in path or _REMOTE.match(path):
        return None
    for written in dict.fromkeys((path, unquote(path), path.replace("\\", "/"))):
        try:
            file = Path(written).expanduser()
            if not file.is_absolute():
                if folder is None:
                    continue
                file = folder / file
            if file.suffix.lower() in SUFFIXES and file.is_file():
                return file
        except (OSError, RuntimeError, ValueError):  # too long, no such user, forbidden
            continue
    return None

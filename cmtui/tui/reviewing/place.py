"""Where a reviewer was in a store, from one start of the program to the next. No decision is kept here."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path

from cmtui.clipboard import state_dir

#: Stores that are remembered; the oldest is forgotten first.
MOST = 50


def _file() -> Path:
    return state_dir() / "review-places.json"


def _read() -> dict[str, str]:
    try:
        value = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}


def recall(store: str, reviewer: str) -> str:
    """The key of the finding the reviewer stood on; empty when unknown."""
    return _read().get(f"{reviewer} {store}", "")


def remember(store: str, reviewer: str, key: str) -> None:
    """Keep the place in a store directory. A state folder that cannot be written is no reason to stop."""
    if store == "in memory":
        return
    places = _read()
    name = f"{reviewer} {store}"
    if places.get(name) == key:
        return
    places.pop(name, None)
    places[name] = key
    kept = dict(list(places.items())[-MOST:])
    with contextlib.suppress(OSError):
        path = _file()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, temporary = tempfile.mkstemp(prefix=".review-places.", dir=path.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(kept, file)
        Path(temporary).replace(path)

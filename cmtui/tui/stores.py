"""The stores opened before, newest first: what the store switcher offers."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from cmtui.clipboard import state_dir

#: Stores remembered.
MOST = 20


def _file() -> Path:
    return state_dir() / "stores.json"


def recent() -> list[Path]:
    """Stores that were opened and are still there. A file that cannot be read is no reason to fail."""
    try:
        names = json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError):
        return []
    paths = [Path(name) for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return [path for path in paths if path.is_dir()]


def remember(store: Path) -> None:
    """Put a store first. Never raises: the list is a convenience."""
    path = Path(os.path.abspath(store))  # noqa: PTH100 - keeps symlinks, as the store itself does
    paths = [path, *(other for other in recent() if other != path)][:MOST]
    with contextlib.suppress(OSError):
        file = _file()
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_text(json.dumps([str(each) for each in paths], ensure_ascii=False), encoding="utf-8")

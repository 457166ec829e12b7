"""The stores opened before, newest first: what the store switcher offers."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.clipboard import state_dir

if TYPE_CHECKING:
    from cmtui.tui.app import CmtuiApp

#: Stores remembered.
MOST = 20


def ask_for_store(app: CmtuiApp) -> None:
    """Ask which store to open: one opened before, or another by its path."""
    from cmtui.tui.screens.dialogs import Choice, MenuScreen, PromptScreen
    from cmtui.tui.screens.paths import PathSuggester

    here = Path(app.store_path)
    others = [path for path in recent() if path != here][:9]
    choices = [Choice(str(number), str(path), str(path)) for number, path in enumerate(others, 1)]
    choices.append(Choice("p", "another path…", ""))

    def chosen(value: str | None) -> None:
        if value:
            app.open_store(Path(value))
        elif value is not None:
            app.push_screen(PromptScreen("Open or make a store at", suggester=PathSuggester()), typed)

    def typed(text: str | None) -> None:
        if text and text.strip():
            app.open_store(Path(text.strip()).expanduser())

    app.push_screen(MenuScreen("Open store", choices, note=f"Now: {here}"), chosen)


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

"""A listing of a store for a process that does nothing else with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmtui.store.listing import ListedDocument


def listing(path: str | Path) -> list[ListedDocument] | None:
    """The documents of the store at ``path`` with their titles, as ``LocalCitationMachine.documents`` lists
    them, without opening it; None when it must be opened to say."""
    from cmtui.store.listing import quick_listing

    return quick_listing(Path(path).expanduser().absolute())

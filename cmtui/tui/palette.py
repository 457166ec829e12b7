"""The command palette beyond the actions: every source and every claim by name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from cmtui.errors import CmtuiError

if TYPE_CHECKING:
    from cmtui.tui.app import CmtuiApp

#: Hits given for one search; the best come first, so more would only be scrolled past.
MOST = 20


class _Names(Provider):
    """Things with a name, read once in a thread when the palette opens."""

    #: What a hit's help says.
    about = ""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.names: list[tuple[str, str]] = []

    @property
    def cmtui(self) -> CmtuiApp:
        """The application."""
        return cast("CmtuiApp", self.app)

    def read(self) -> list[tuple[str, str]]:
        """Name and id of each. In a thread; may raise CmtuiError."""
        raise NotImplementedError

    def go(self, name_id: str) -> Callable[[], object]:
        """What choosing one does."""
        raise NotImplementedError

    async def startup(self) -> None:
        """Read the names."""
        try:
            self.names = await asyncio.to_thread(self.read)
        except CmtuiError:
            self.names = []  # The screens tell of it; a palette is no place for it.

    async def search(self, query: str) -> Hits:
        """The best matches."""
        matcher = self.matcher(query)
        scored = [(score, name, key) for name, key in self.names if (score := matcher.match(name)) > 0]
        for score, name, key in sorted(scored, reverse=True)[:MOST]:
            yield Hit(score, matcher.highlight(name), self.go(key), text=name, help=self.about)

    async def discover(self) -> Hits:
        """Nothing unasked: the actions are what an empty palette shows."""
        for hit in cast("list[DiscoveryHit]", []):
            yield hit


class SourceCommands(_Names):
    """Sources by title or file name; choosing one opens it full screen."""

    about = "Source: read it full screen"

    def read(self) -> list[tuple[str, str]]:
        """Every current document."""
        machine = self.cmtui.machine
        rows = [row for row in machine.documents() if row.current]
        return [(machine.title(row.source_id) or row.name, row.document_id) for row in rows]

    def go(self, name_id: str) -> Callable[[], object]:
        """Open it."""
        from cmtui.tui.screens.source import SourceScreen

        app = self.cmtui
        return lambda: app.push_screen(SourceScreen(name_id))


class ClaimCommands(_Names):
    """Claims by their words; choosing one goes to its findings."""

    about = "Claim: go to its findings"

    def read(self) -> list[tuple[str, str]]:
        """Every claim that is not archived."""
        return [(claim.text, claim.claim_id) for claim in self.cmtui.machine.claims()]

    def go(self, name_id: str) -> Callable[[], object]:
        """Show it in Review."""
        return partial(self.cmtui.open_review, name_id)

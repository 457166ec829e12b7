"""What a verb runs with: the store it was pointed at, opened on first use, and a voice for progress."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Self

from cmtui.cli.narration import Narrator
from cmtui.errors import NotFound

if TYPE_CHECKING:
    from cmtui.engine import LocalCitationMachine


class Session:
    """One run of the program. Use as a context manager: it closes the store."""

    def __init__(self, *, store: str | None = None, verbose: bool = False) -> None:
        self._store = store
        self._machine: LocalCitationMachine | None = None
        self.progress = Narrator(verbose=verbose)

    @property
    def store(self) -> Path:
        """The store directory: ``--store``, else CMTUI_STORE, else the settings. Raises ConfigError."""
        named = self._store or os.environ.get("CMTUI_STORE")
        if named:
            return Path(named).expanduser()
        from cmtui.config import load

        return load().store

    @property
    def machine(self) -> LocalCitationMachine:
        """The engine over a store that exists. Raises NotFound: reading never makes a store by a typo."""
        if self._machine is None and not self.store.exists():
            raise NotFound(
                f"There is no store at '{self.store}'.",
                f"Make one by ingesting: citation-machine --store '{self.store}' ingest PATH",
            )
        return self.open_or_create()

    def open_or_create(self) -> LocalCitationMachine:
        """The engine over the store, which is made when it is not there. Raises StoreError."""
        if self._machine is None:
            from cmtui.engine import LocalCitationMachine

            self._machine = LocalCitationMachine.open(self.store)
        return self._machine

    def reviewer(self, named: str | None) -> str:
        """Who reviews: as stated, else CMTUI_REVIEWER, else the settings, else the login name."""
        if named is not None:
            return named
        from cmtui.config import load

        return load().reviewer

    def citation_engine(self, named: str | None) -> str:
        """The citation engine: as stated, else the environment, else the settings. Raises ConfigError."""
        if named is not None:
            return named
        from cmtui.config import load

        return load().citation_engine

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.finish()
        if self._machine is not None:
            self._machine.close()

"""What a verb runs with: the store it was pointed at, opened on first use, and a voice for progress."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Self

from cmtui.errors import NotFound

if TYPE_CHECKING:
    from cmtui.engine import LocalCitationMachine
    from cmtui.model.progress import Progress


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


class Narrator:
    """Progress for people on stderr: one line that is rewritten, and only when someone watches.

    ``--verbose`` narrates into a file or pipe too, one line for each step.
    """

    def __init__(self, *, verbose: bool) -> None:
        self._live = sys.stderr.isatty()
        self._verbose = verbose
        self._shown = ""

    def __call__(self, progress: Progress) -> None:
        """Show the state of the work."""
        if not self._live and not self._verbose:
            return
        count = f" {progress.done}/{progress.total}" if progress.total else ""
        subject = f" {progress.subject}" if progress.subject else ""
        line = f"{progress.operation}{count}{subject}"[:100]
        if line == self._shown:
            return
        self._shown = line
        sys.stderr.write(f"\r\x1b[K{line}" if self._live else f"{line}\n")
        sys.stderr.flush()

    def finish(self) -> None:
        """Clear the line, so that the answer stands alone."""
        if self._live and self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        self._shown = ""

"""The facade: everything that the command line, the application and library users drive.

It composes groups of operations and holds no rules of its own. ``CitationMachine`` works over injected ports
(R7); ``LocalCitationMachine`` over a store directory (R15).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from cmtui.engine.acquiring import AcquisitionOperations
from cmtui.engine.auditing import AuditOperations
from cmtui.engine.bibliography import BibliographyOperations
from cmtui.engine.discovering import DiscoveryOperations
from cmtui.engine.embedding import EmbeddingOperations
from cmtui.engine.found import FoundWorkOperations
from cmtui.engine.importing import ImportOperations
from cmtui.engine.ingestion import CitationIngestionService
from cmtui.engine.library import LibraryOperations
from cmtui.engine.lookup import LookupOperations
from cmtui.engine.reviewing import ReviewOperations
from cmtui.engine.searching import SearchOperations
from cmtui.engine.sectioning import SectionOperations
from cmtui.errors import InvalidRequest
from cmtui.ports import Clock, KnowledgeRepository


class CitationMachine(
    LibraryOperations,
    SearchOperations,
    EmbeddingOperations,
    ReviewOperations,
    BibliographyOperations,
    ImportOperations,
    LookupOperations,
    DiscoveryOperations,
    AcquisitionOperations,
    FoundWorkOperations,
    SectionOperations,
    AuditOperations,
):
    """The engine over an ingestion port and a search port.

    Identity, evidence, review and citation need a repository: the search port's own is used unless one is
    given. Methods return frozen values and may be called from worker threads; ``progress`` and ``cancelled``
    are asked between units of work.
    """


class LocalCitationMachine(CitationMachine):
    """The engine over a store directory (R15, R182, D10)."""

    def __init__(self, repository: KnowledgeRepository, **ports: Any) -> None:
        super().__init__(
            ingestion_port=CitationIngestionService(repository),
            repository=repository,
            **ports,
        )

    @classmethod
    def open(
        cls, path: str | Path, *, clock: Clock | None = None, read_only: str | None = None, **ports: Any
    ) -> Self:
        """Create or open the store directory at ``path``. Raises StoreError.

        ``read_only`` is the reason why nothing is written this time; writing then raises StoreReadOnly.
        """
        from cmtui.store.directory import StoreRepository

        repository = StoreRepository.open(Path(path).expanduser(), clock=clock, read_only=read_only)
        return cls(repository, **ports)

    @property
    def read_only(self) -> str | None:
        """Why nothing can be written here, or None."""
        reason: str | None = getattr(self.repository, "read_only", None)
        return reason

    @property
    def path(self) -> Path:
        """The store directory."""
        root = self.repository.root
        if root is None:
            raise InvalidRequest("This machine lives in memory and has no directory.", "Open a store.")
        return root

    def close(self) -> None:
        """Close the files that are held open. The store itself needs no closing."""
        for part in (getattr(self._search_port, "index", None), self.repository):
            close = getattr(part, "close", None)
            if close is not None:
                close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

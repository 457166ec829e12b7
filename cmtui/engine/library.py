"""Operations on the library: what is in the store, and bringing files in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cmtui.engine.ingestion import CitationIngestionService, IngestOptions
from cmtui.engine.upkeep import UpkeepOperations
from cmtui.errors import InvalidRequest
from cmtui.model.identity import SourceKind
from cmtui.model.ingest import IngestReport
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.source import CanonicalDocument, DocumentSummary, SourceRecord


class LibraryOperations(UpkeepOperations):
    """Documents, sources and ingest."""

    def generation(self) -> int:
        """A counter raised by every commit, in whichever process it happens."""
        return self.repository.generation()

    def documents(self) -> tuple[DocumentSummary, ...]:
        """One row per document, superseded versions included."""
        return self.repository.summaries()

    def document(self, document_id: str) -> CanonicalDocument:
        """A document by id or unique prefix. Raises NotFound, AmbiguousId, SnapshotDamaged."""
        return self.repository.document(document_id)

    def summary(self, document_id: str) -> DocumentSummary:
        """The catalogue row of a document by id or unique prefix. Raises NotFound, AmbiguousId."""
        return self.repository.summary(document_id)

    def source(self, source_id: str) -> SourceRecord:
        """A source by id or unique prefix of its own id or of one of its documents. Raises NotFound."""
        return self.desk.source_of(source_id)

    def title(self, source_id: str) -> str | None:
        """The title from the explicit bibliography; never guessed from a file name (R102)."""
        return self.desk.title(source_id)

    def ingest(self, path: str | Path, **options: Any) -> str:
        """Ingest one file and return its document id (R6). Raises IngestError."""
        return self._ingestion.ingest(path, **options)

    def ingest_paths(
        self,
        paths: Iterable[str | Path],
        *,
        kind: SourceKind | str | None = None,
        encoding: str | None = None,
        reference: str | None = None,
        password: str | None = None,
        reprofile: bool = False,
        html: str | None = None,
        backend: str | None = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> IngestReport:
        """Ingest files and folders; every file ends in ``documents`` or in ``errors``."""
        stated = None if kind is None else _kind(kind)
        options = IngestOptions(stated, encoding, reference, password, reprofile, html, backend)
        service = CitationIngestionService(self.repository)
        return service.ingest_paths(paths, options, progress=progress, cancelled=cancelled)


def _kind(kind: SourceKind | str) -> SourceKind:
    try:
        return SourceKind(kind)
    except ValueError:
        raise InvalidRequest(
            f"There is no kind of source called '{kind}'.", "The kinds are pdf, epub, markdown and text."
        ) from None

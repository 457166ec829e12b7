"""The ingest transaction: bytes to a committed document, or a clear error and nothing left behind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cmtui.engine.files import expand, file_reference, read_file, reference_exists
from cmtui.errors import Cancelled, CmtuiError, IngestError
from cmtui.model.identity import SourceArtifact, SourceKind, SourceVersion, sha256_bytes
from cmtui.model.ingest import IngestedDocument, IngestFailure, IngestReport, IngestStatus
from cmtui.model.progress import (
    CancelledCallback,
    Progress,
    ProgressCallback,
    never_cancelled,
    no_progress,
)
from cmtui.model.source import CanonicalDocument
from cmtui.ports import DocumentRepository


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How files are read. None means: as the file itself says."""

    kind: SourceKind | None = None
    encoding: str | None = None
    reference: str | None = None
    password: str | None = None
    reprofile: bool = False


class CitationIngestionService:
    """Ingests files into a repository (R6). Extraction runs in a child process and holds no lock."""

    def __init__(self, repository: DocumentRepository) -> None:
        self.repository = repository

    def ingest(
        self,
        path: str | Path,
        *,
        kind: SourceKind | str | None = None,
        encoding: str | None = None,
        reference: str | None = None,
        password: str | None = None,
        reprofile: bool = False,
    ) -> str:
        """Ingest one file and return its document id. Raises IngestError."""
        stated = None if kind is None else SourceKind(kind)
        options = IngestOptions(stated, encoding, reference, password, reprofile)
        return self.ingest_file(Path(path).expanduser(), options).summary.document_id

    def ingest_paths(
        self,
        paths: Iterable[str | Path],
        options: IngestOptions,
        *,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> IngestReport:
        """Ingest files and folders; one bad file never stops the others. Cancelling keeps what is done."""
        documents: list[IngestedDocument] = []
        errors: list[IngestFailure] = []
        files = expand(paths)
        for number, path in enumerate(files):
            if cancelled():
                return IngestReport(tuple(documents), tuple(errors), cancelled=True)
            progress(Progress("ingest", path.name, number, len(files)))
            try:
                documents.append(self.ingest_file(path, options, progress=progress, cancelled=cancelled))
            except Cancelled:
                return IngestReport(tuple(documents), tuple(errors), cancelled=True)
            except IngestError as error:
                errors.append(IngestFailure(str(path), error.code, error.message, error.hint))
        progress(Progress("ingest", "", len(files), len(files)))
        return IngestReport(tuple(documents), tuple(errors))

    def ingest_file(
        self,
        path: Path,
        options: IngestOptions,
        *,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> IngestedDocument:
        """Ingest one file. Raises IngestError, Cancelled, StoreError."""
        from cmtui.ingest.kinds import detect_kind

        content = read_file(path)
        kind = detect_kind(path.name, content, options.kind)
        reference = options.reference or file_reference(path)
        known = self._known(content, kind, reference, options)
        if known is not None:
            document_id, status = known
        else:
            document = self._read(path.name, content, kind, options, progress, cancelled)
            status = self.repository.commit_document(
                document, content=content, artifact=self._artifact(kind, reference)
            )
            document_id = document.document_id
        return IngestedDocument(str(path), status, self.repository.summary(document_id))

    def _known(
        self, content: bytes, kind: SourceKind, reference: str, options: IngestOptions
    ) -> tuple[str, IngestStatus] | None:
        """The document these bytes already are, with its other names brought up to date."""
        if options.reprofile:
            return None
        same = [
            self.repository.summary(document_id)
            for document_id in self.repository.documents_of_bytes(sha256_bytes(content))
        ]
        same = [row for row in same if row.kind is kind]
        if not same:
            return None
        row = next((row for row in same if row.current), same[-1])
        source = self.repository.source(row.source_id)
        if reference == source.artifact.reference or reference in source.aliases:
            if not row.current:
                # The file went back to an older version: that version becomes the current one again.
                self.repository.commit_document(
                    self.repository.document(row.document_id), content=content, artifact=source.artifact
                )
                return row.document_id, IngestStatus.NEW_VERSION
            return row.document_id, IngestStatus.UNCHANGED
        names = (source.artifact.reference, *source.aliases)
        moved = not any(reference_exists(name) for name in names)
        self.repository.add_alias(source.source_id, reference, moved=moved)
        return row.document_id, IngestStatus.MOVED if moved else IngestStatus.ALIAS

    def _artifact(self, kind: SourceKind, reference: str) -> SourceArtifact:
        """The source that a reference already belongs to, or a new one."""
        for source in self.repository.source_by_reference(reference):
            if source.artifact.kind is kind:
                return source.artifact
        return SourceArtifact(kind, reference)

    def _read(
        self,
        name: str,
        content: bytes,
        kind: SourceKind,
        options: IngestOptions,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> CanonicalDocument:
        from cmtui.ingest.build import build_document
        from cmtui.ingest.sandbox import read_source

        try:
            read = read_source(
                content,
                kind,
                name=name,
                encoding=options.encoding,
                password=options.password,
                progress=progress,
                cancelled=cancelled,
            )
            return build_document(read, version=SourceVersion(kind, sha256_bytes(content), len(content)))
        except CmtuiError as error:
            if name in error.message or isinstance(error, Cancelled):
                raise
            raise type(error)(f"'{name}': {error.message}", error.hint) from error

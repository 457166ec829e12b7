"""The ingest transaction: bytes to a committed document, or a clear error and nothing left behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.engine.files import expand, file_reference, read_file, reference_exists
from cmtui.engine.reading import ReadAhead
from cmtui.errors import Cancelled, CmtuiError, IngestError, InvalidRequest
from cmtui.model.identity import SourceArtifact, SourceKind, SourceVersion, sha256_bytes
from cmtui.model.ingest import IngestedDocument, IngestFailure, IngestReport, IngestStatus
from cmtui.model.progress import (
    CancelledCallback,
    Progress,
    ProgressCallback,
    never_cancelled,
    no_progress,
)
from cmtui.model.source import CanonicalDocument, DocumentSummary, IngestWarning
from cmtui.ports import DocumentRepository

if TYPE_CHECKING:
    from cmtui.ingest.profiles import Reading
    from cmtui.ingest.sandbox import ReaderPool

HTML_CHOICES = ("raw", "text")
BACKENDS = ("pypdf", "pdfium")


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How files are read. None means: as the file itself says, or as it was read before.

    ``html`` is 'raw' (the markup) or 'text' (what is readable of it), ``backend`` 'pypdf' or 'pdfium'; each
    concerns the files it can concern and no others. ``reprofile`` reads known bytes again.
    """

    kind: SourceKind | None = None
    encoding: str | None = None
    reference: str | None = None
    password: str | None = None
    reprofile: bool = False
    html: str | None = None
    backend: str | None = None

    def check(self) -> None:
        """Raise InvalidRequest for an unknown choice, BackendMissing for a reader that is not installed."""
        for value, known, what in (
            (self.html, HTML_CHOICES, "way of reading HTML"),
            (self.backend, BACKENDS, "PDF reader"),
        ):
            if value is not None and value not in known:
                raise InvalidRequest(f"There is no {what} called '{value}'.", f"Use {' or '.join(known)}.")
        if self.backend == "pdfium":
            from cmtui.ingest.readers.pdfium import require_pdfium

            require_pdfium()


@dataclass(frozen=True, slots=True)
class _File:
    """One file of a run: its bytes and what they are, or why they cannot be read."""

    path: Path
    number: int
    content: bytes = b""
    kind: SourceKind = SourceKind.TEXT
    digest: str = ""
    reference: str = ""
    error: IngestError | None = None


class CitationIngestionService:
    """Ingests files into a repository (R6). Extraction runs in child processes and holds no lock.

    What a reader answered is kept as the snapshot and nowhere else: bytes that are a document are never read
    again, and ``--reprofile`` and another way of reading need a new read, so a cache of answers would be
    written for every file and read for none but those that failed.
    """

    def __init__(self, repository: DocumentRepository, *, pool: ReaderPool | None = None) -> None:
        self.repository = repository
        self._pool = pool
        self._lengths: dict[int, list[str]] | None = None

    def ingest(
        self,
        path: str | Path,
        *,
        kind: SourceKind | str | None = None,
        encoding: str | None = None,
        reference: str | None = None,
        password: str | None = None,
        reprofile: bool = False,
        html: str | None = None,
        backend: str | None = None,
    ) -> str:
        """Ingest one file and return its document id. Raises IngestError."""
        stated = None if kind is None else SourceKind(kind)
        options = IngestOptions(stated, encoding, reference, password, reprofile, html, backend)
        return self.ingest_file(Path(path).expanduser(), options).summary.document_id

    def ingest_paths(
        self,
        paths: Iterable[str | Path],
        options: IngestOptions,
        *,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> IngestReport:
        """Ingest files and folders; one bad file never stops the others. Cancelling keeps what is done.

        Files are read in parallel and committed one after the other in path order by the calling thread,
        which alone calls ``progress`` and ``cancelled``. Raises InvalidRequest, BackendMissing, StoreError.
        """
        options.check()
        files = expand(paths)
        documents: list[IngestedDocument] = []
        errors: list[IngestFailure] = []
        pool = self._readers()
        workers = max(1, min(pool.size, len(files)))

        def read(file: _File, report: ProgressCallback, stop: CancelledCallback) -> CanonicalDocument:
            return self._read(file, options, report, stop)

        with ReadAhead(read, workers=workers, progress=progress, cancelled=cancelled) as ahead:
            for file, answer in ahead.run(self._tasks(files, options)):
                if cancelled():
                    return IngestReport(tuple(documents), tuple(errors), cancelled=True)
                progress(Progress("ingest", file.path.name, file.number, len(files)))
                try:
                    if file.error is not None:
                        raise file.error
                    known = self._known(file, options)
                    if known is not None:
                        document_id, status = known
                    else:
                        # A twin of a file that could not be read is read here, alone.
                        document = answer() if answer else self._read(file, options, progress, cancelled)
                        document_id, status = self._commit(document, file)
                    summary = self.repository.summary(document_id)
                    documents.append(IngestedDocument(str(file.path), status, summary))
                except Cancelled:
                    return IngestReport(tuple(documents), tuple(errors), cancelled=True)
                except IngestError as error:
                    errors.append(IngestFailure(str(file.path), error.code, error.sentence, error.advice))
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
        options.check()
        file = self._open(path, 0, options)
        if file.error is not None:
            raise file.error
        known = self._known(file, options)
        if known is not None:
            document_id, status = known
        else:
            document_id, status = self._commit(self._read(file, options, progress, cancelled), file)
        return IngestedDocument(str(path), status, self.repository.summary(document_id))

    # -- before reading ------------------------------------------------------------------------------

    def _tasks(self, files: Iterable[Path], options: IngestOptions) -> Iterator[tuple[_File, int, bool]]:
        """Files with their size and whether they must be read: known bytes and twins need not be."""
        seen: set[tuple[str, SourceKind]] = set()
        for number, path in enumerate(files):
            file = self._open(path, number, options)
            key = (file.digest, file.kind)
            wanted = file.error is None and key not in seen and not self._stored(file, options)
            seen.add(key)
            yield file, len(file.content), wanted

    def _open(self, path: Path, number: int, options: IngestOptions) -> _File:
        from cmtui.ingest.kinds import detect_kind

        try:
            content = read_file(path)
            kind = detect_kind(path.name, content, options.kind)
        except IngestError as error:
            return _File(path, number, error=error)
        reference = options.reference or file_reference(path)
        return _File(path, number, content, kind, sha256_bytes(content), reference)

    def _stored(self, file: _File, options: IngestOptions) -> list[DocumentSummary]:
        """The documents that these bytes already are, read the way that is asked for (if any is)."""
        if options.reprofile:
            return []
        same = self._same_bytes(file)
        asked = _asked(file, options)
        if asked is None:
            return same
        from cmtui.ingest.profiles import reading_of

        return [row for row in same if reading_of(row.profile) is asked]

    def _same_bytes(self, file: _File) -> list[DocumentSummary]:
        rows = [self.repository.summary(known) for known in self.repository.documents_of_bytes(file.digest)]
        return [row for row in rows if row.kind is file.kind]

    def _known(self, file: _File, options: IngestOptions) -> tuple[str, IngestStatus] | None:
        """The document these bytes already are, with its other names brought up to date."""
        same = self._stored(file, options)
        if not same:
            return None
        row = next((row for row in same if row.current), same[-1])
        source = self.repository.source(row.source_id)
        if file.reference == source.artifact.reference or file.reference in source.aliases:
            if row.current:
                return row.document_id, IngestStatus.UNCHANGED
            # The file went back to an older version, or to another way of reading: that document becomes
            # the current one again.
            now = self.repository.summary(source.documents[-1])
            self.repository.commit_document(
                self.repository.document(row.document_id), content=file.content, artifact=source.artifact
            )
            same_version = now.bytes_sha256 == file.digest
            return row.document_id, IngestStatus.REPROFILED if same_version else IngestStatus.NEW_VERSION
        names = (source.artifact.reference, *source.aliases)
        moved = not any(reference_exists(name) for name in names)
        self.repository.add_alias(source.source_id, file.reference, moved=moved)
        return row.document_id, IngestStatus.MOVED if moved else IngestStatus.ALIAS

    # -- reading -------------------------------------------------------------------------------------

    def _readers(self) -> ReaderPool:
        from cmtui.ingest.sandbox import default_pool

        return self._pool or default_pool()

    def _read(
        self,
        file: _File,
        options: IngestOptions,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> CanonicalDocument:
        """Read and cut one file. Called from several threads."""
        from cmtui.ingest.build import build_document

        name = file.path.name
        try:
            read = self._readers().read(
                file.content,
                file.kind,
                name=name,
                reading=self._reading(file, options),
                encoding=options.encoding,
                password=options.password,
                progress=progress,
                cancelled=cancelled,
            )
            version = SourceVersion(file.kind, file.digest, len(file.content))
            return build_document(read, version=version, name=name)
        except CmtuiError as error:
            if name in error.message or isinstance(error, Cancelled):
                raise
            raise type(error)(f"'{name}': {error.message}", error.hint) from error

    def _reading(self, file: _File, options: IngestOptions) -> Reading:
        """What is asked for; else how these bytes, or this source before them, were read; else the default.

        A person who chose a way of reading for a source keeps it when the file changes.
        """
        from cmtui.ingest.profiles import KINDS, Reading, reading_of

        asked = _asked(file, options)
        if asked is not None:
            return asked
        rows = self._same_bytes(file)
        if not rows:
            rows = [
                self.repository.summary(source.documents[-1])
                for source in self.repository.source_by_reference(file.reference)
                if source.documents and source.artifact.kind is file.kind
            ]
        row = next((row for row in rows if row.current), None)
        reading = Reading.CANON if row is None else reading_of(row.profile)
        return reading if KINDS[reading] in {None, file.kind} else Reading.CANON

    # -- committing ----------------------------------------------------------------------------------

    def _commit(self, document: CanonicalDocument, file: _File) -> tuple[str, IngestStatus]:
        twin = self._twin(document)
        if twin is not None:
            warning = IngestWarning(
                "duplicate-text",
                f"The same text is already here as '{twin.name}'; it may be the same work in another file.",
            )
            document = replace(document, warnings=(*document.warnings, warning))
        status = self.repository.commit_document(
            document, content=file.content, artifact=self._artifact(file.kind, file.reference)
        )
        if self._lengths is not None:
            self._lengths.setdefault(len(document.text), []).append(document.document_id)
        return document.document_id, status

    def _twin(self, document: CanonicalDocument) -> DocumentSummary | None:
        """Another source whose current document has exactly this text under other bytes."""
        if self._lengths is None:
            self._lengths = {}
            for row in self.repository.summaries():
                self._lengths.setdefault(row.characters, []).append(row.document_id)
        for document_id in self._lengths.get(len(document.text), ()):
            if document_id == document.document_id:
                continue
            try:
                row = self.repository.summary(document_id)
                other = self.repository.document(document_id)
            except CmtuiError:  # removed meanwhile, or damaged: the doctor's business
                continue
            if (
                row.current
                and row.bytes_sha256 != document.version.bytes_sha256
                and other.text_sha256 == document.text_sha256
            ):
                return row
        return None

    def _artifact(self, kind: SourceKind, reference: str) -> SourceArtifact:
        """The source that a reference already belongs to, or a new one."""
        for source in self.repository.source_by_reference(reference):
            if source.artifact.kind is kind:
                return source.artifact
        return SourceArtifact(kind, reference)


def _asked(file: _File, options: IngestOptions) -> Reading | None:
    """The way of reading that the options state for this file."""
    from cmtui.ingest.kinds import is_html
    from cmtui.ingest.profiles import Reading

    if file.kind is SourceKind.PDF and options.backend is not None:
        return Reading.PDFIUM if options.backend == "pdfium" else Reading.CANON
    if file.kind is SourceKind.TEXT and options.html is not None and is_html(file.path.name, file.content):
        return Reading.HTML_TEXT if options.html == "text" else Reading.CANON
    return None

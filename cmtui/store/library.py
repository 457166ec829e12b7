"""The documents and sources of a store as one in-memory view, whatever they are persisted in.

Both adapters keep one: the store directory fills it from its catalogue, memory has nothing else. All rules
on statuses, versions and names live here, once.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from msgspec.structs import replace

from cmtui.errors import AmbiguousId, InvalidRequest, NotFound
from cmtui.model.identity import SourceArtifact, SourceKind, sha256_bytes, sha256_text
from cmtui.model.ingest import IngestStatus
from cmtui.model.source import CanonicalDocument, DocumentSummary, IngestWarning, SourceRecord
from cmtui.store.allocation import without_collection
from cmtui.store.ids import is_id, resolve
from cmtui.store.records import SourceDocument, SourceFile

#: When more sources than this changed since the last listing, all rows are made anew.
_REBUILT = 500


@dataclass(frozen=True, slots=True)
class Row:
    """What the catalogue keeps of a document: everything a summary needs that the source does not say."""

    document_id: str
    version_id: str
    kind: SourceKind
    bytes_sha256: str
    size: int
    profile: str
    characters: int
    pages: int
    passages: int
    language: str | None
    warnings: tuple[IngestWarning, ...]


def row_of(document: CanonicalDocument) -> Row:
    """The row of a document. ``pages`` counts physical pages: 0 for kinds that have none."""
    return Row(
        document_id=document.document_id,
        version_id=document.version.version_id,
        kind=document.version.kind,
        bytes_sha256=document.version.bytes_sha256,
        size=document.version.size,
        profile=document.profile.label,
        characters=len(document.text),
        pages=len(document.tables.pages),
        passages=len(document.passages),
        language=document.language,
        warnings=document.warnings,
    )


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a document goes: the status of the ingest, and the source's record as it must become."""

    status: IngestStatus
    source: SourceFile


class Library:
    """Documents by id and bytes, sources by id and reference. Not thread-safe: its owner holds a lock."""

    def __init__(self, rows: Iterable[Row] = (), sources: Iterable[SourceFile] = ()) -> None:
        self.rows: dict[str, Row] = {}
        self.sources: dict[str, SourceFile] = {}
        self._ids: list[str] = []
        self._by_bytes: dict[str, set[str]] = {}
        self._by_reference: dict[str, set[str]] = {}
        self._claimants: dict[str, set[str]] = {}
        self._summaries: tuple[DocumentSummary, ...] | None = None
        # The rows of each source and all of them sorted: made on first use, then only as far as changed.
        self._of_source: dict[str, list[DocumentSummary]] | None = None
        self._sorted: list[DocumentSummary] = []
        self._changed: set[str] = set()
        for row in rows:
            self.rows[row.document_id] = row
            self._by_bytes.setdefault(row.bytes_sha256, set()).add(row.document_id)
        self._ids = sorted(self.rows)
        for source in sources:
            self.put_source(source)

    # -- changes -------------------------------------------------------------------------------------

    def put_row(self, row: Row) -> None:
        """Add a document. One that is there stays: documents are immutable."""
        if row.document_id not in self.rows:
            self.rows[row.document_id] = row
            insort(self._ids, row.document_id)
            self._by_bytes.setdefault(row.bytes_sha256, set()).add(row.document_id)
            self._touch((row.document_id,))

    def remove_row(self, document_id: str) -> None:
        """Forget a document; its source stays. One that is not there is a no-op."""
        row = self.rows.pop(document_id, None)
        if row is not None:
            del self._ids[bisect_left(self._ids, document_id)]
            self._by_bytes[row.bytes_sha256].discard(document_id)
            self._touch((document_id,))

    def put_source(self, source: SourceFile) -> None:
        """Add or replace a source."""
        old = self.sources.get(source.source_id)
        if old is not None:
            for reference in (old.reference, *old.aliases):
                self._by_reference[reference].discard(old.source_id)
            self._touch([document.document_id for document in old.documents])
            for document in old.documents:
                self._claimants[document.document_id].discard(old.source_id)
        self.sources[source.source_id] = source
        for reference in (source.reference, *source.aliases):
            self._by_reference.setdefault(reference, set()).add(source.source_id)
        for document in source.documents:
            self._claimants.setdefault(document.document_id, set()).add(source.source_id)
        if self._of_source is not None:
            self._touch([document.document_id for document in source.documents])
            self._changed.add(source.source_id)

    def _touch(self, document_ids: Iterable[str]) -> None:
        """The rows of every source that names one of these documents must be made anew."""
        self._summaries = None
        if self._of_source is not None:
            for document_id in document_ids:
                self._changed |= self._claimants.get(document_id, set())

    # -- questions -----------------------------------------------------------------------------------

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all documents, sorted."""
        return tuple(self._ids)

    def document_id(self, value: str) -> str:
        """The full id of a document. Raises NotFound, AmbiguousId."""
        return value if value in self.rows else resolve(value, self._ids, "document")

    def source_id(self, value: str) -> str:
        """The full id of a source that has a document. Raises NotFound, AmbiguousId."""
        if value in self.sources and self.record(value) is not None:
            return value
        return resolve(value, sorted(s for s in self.sources if self.record(s) is not None), "source")

    def known_source_id(self, value: str) -> str:
        """As ``source_id``, and also a full id whose documents were all removed. Raises NotFound."""
        return value if value in self.sources else self.source_id(value)

    def source_id_or_itself(self, value: str) -> str:
        """As ``source_id``, but ``value`` when it names nothing. Raises AmbiguousId."""
        try:
            return self.source_id(value)
        except AmbiguousId:
            raise
        except NotFound:
            return value

    def claimants(self, document_id: str) -> tuple[str, ...]:
        """Ids of the sources whose record names this document, whether or not it exists."""
        return tuple(sorted(self._claimants.get(document_id, ())))

    def owner(self, document_id: str) -> SourceFile:
        """The source of a document: of several that name it, the one that did so first."""

        def arrival(source_id: str) -> tuple[str, str]:
            mine = (d for d in self.sources[source_id].documents if d.document_id == document_id)
            return (next(mine).ingested_at or "", source_id)

        claimants = self._claimants.get(document_id)
        if not claimants:
            raise NotFound(f"document {document_id[:12]} has no source", "run the doctor on the store")
        return self.sources[min(claimants, key=arrival) if len(claimants) > 1 else next(iter(claimants))]

    def living(self, source: SourceFile) -> tuple[SourceDocument, ...]:
        """Those documents of a source that exist and are its own, in order of arrival."""
        rows, claimants = self.rows, self._claimants
        if len(source.documents) == 1:
            # Nearly every source, and a library has thousands of them.
            only = source.documents[0].document_id
            if only in rows and len(claimants[only]) == 1:
                return source.documents
        return tuple(
            [
                d
                for d in source.documents
                if d.document_id in rows
                and (
                    len(claimants[d.document_id]) == 1
                    or self.owner(d.document_id).source_id == source.source_id
                )
            ]
        )

    def record(self, source_id: str) -> SourceRecord | None:
        """A source as the engine sees it; None when it has no document."""
        source = self.sources.get(source_id)
        if source is None:
            return None
        documents = self.living(source)
        return source.record(documents) if documents else None

    def records(self) -> tuple[SourceRecord, ...]:
        """All sources that have a document, sorted by name, then id."""
        return _by_name(r for r in map(self.record, self.sources) if r is not None)

    def records_of_reference(self, reference: str) -> tuple[SourceRecord, ...]:
        """Sources whose reference or alias this is, sorted by name, then id."""
        found = (self.record(s) for s in self._by_reference.get(reference, ()))
        return _by_name(r for r in found if r is not None)

    def documents_of_bytes(self, bytes_sha256: str) -> tuple[str, ...]:
        """Ids of the documents made from these bytes, sorted."""
        return tuple(sorted(self._by_bytes.get(bytes_sha256, ())))

    def summary(self, document_id: str) -> DocumentSummary:
        """The row of one document, by its full id."""
        source = self.owner(document_id)
        documents = self.living(source)
        mine = next(d for d in documents if d.document_id == document_id)
        return _summary(self.rows[document_id], source, source.name, mine, current=mine is documents[-1])

    def summaries(self) -> tuple[DocumentSummary, ...]:
        """All rows, sorted by source name, then document id."""
        if self._summaries is None:
            self._bring_up_to_date()
            self._summaries = tuple(self._sorted)
        return self._summaries

    def _bring_up_to_date(self) -> None:
        if self._of_source is None or len(self._changed) > _REBUILT:
            with without_collection():
                self._of_source = {source_id: self._rows_of(source_id) for source_id in self.sources}
                self._sorted = sorted(chain.from_iterable(self._of_source.values()), key=_place)
        else:
            for source_id in self._changed:
                for row in self._of_source.get(source_id, ()):
                    del self._sorted[bisect_left(self._sorted, _place(row), key=_place)]
                self._of_source[source_id] = []
            for source_id in self._changed:
                self._of_source[source_id] = self._rows_of(source_id)
                for row in self._of_source[source_id]:
                    insort(self._sorted, row, key=_place)
        self._changed.clear()

    def _rows_of(self, source_id: str) -> list[DocumentSummary]:
        source = self.sources[source_id]
        documents, name = self.living(source), source.name
        return [
            _summary(self.rows[d.document_id], source, name, d, current=d is documents[-1]) for d in documents
        ]

    # -- what a change would make --------------------------------------------------------------------

    def place(
        self, document: CanonicalDocument, artifact: SourceArtifact, aliases: Sequence[str], now: str
    ) -> Placement:
        """What committing ``document`` as read from ``artifact`` would do.

        A document that is already there becomes the current one of its source again (a file that was put
        back to an older state), and is UNCHANGED. One that belongs to another source is that source under
        another name: ALIAS.
        """
        document_id, version_id = document.document_id, document.version.version_id
        exists = document_id in self.rows
        if exists and self.owner(document_id).source_id != artifact.artifact_id:
            owner = self.owner(document_id)
            joined = _with_aliases(owner, (artifact.reference, *aliases))
            return Placement(IngestStatus.UNCHANGED if joined == owner else IngestStatus.ALIAS, joined)
        source = self.sources.get(artifact.artifact_id) or SourceFile(
            source_id=artifact.artifact_id,
            kind=artifact.kind,
            reference=artifact.reference,
            ingested_at=now,
        )
        before = self.living(source)
        arrived = next(
            (d for d in before if d.document_id == document_id),
            SourceDocument(document_id=document_id, version_id=version_id, ingested_at=now),
        )
        rest = tuple(d for d in before if d.document_id != document_id)
        if exists:
            status = IngestStatus.UNCHANGED
        elif not before:
            status = IngestStatus.ADDED
        elif any(d.version_id == version_id for d in before):
            status = IngestStatus.REPROFILED
        else:
            status = IngestStatus.NEW_VERSION
        return Placement(status, _with_aliases(replace(source, documents=(*rest, arrived)), aliases))

    def without(self, document_id: str) -> list[SourceFile]:
        """The records of the sources that name a document, without it.

        A source whose last document is removed stays: its tags, page offset and bibliography are a person's
        work, and hold again when its file is ingested again.
        """
        return [
            replace(record, documents=tuple(d for d in record.documents if d.document_id != document_id))
            for record in (self.sources[source_id] for source_id in self.claimants(document_id))
        ]

    def aliased(self, source_id: str, reference: str, *, moved: bool) -> SourceFile:
        """The source's record with one more reference. Raises NotFound, InvalidRequest."""
        if not reference:
            raise InvalidRequest("an alias needs a reference", "give the URI or name of the source")
        source = self.sources[self.source_id(source_id)]
        joined = _with_aliases(source, (reference,))
        if not moved:
            return joined
        return replace(joined, moved_to=None if reference == source.reference else reference)

    def updated(
        self,
        source_id: str,
        page_offset: int | None,
        tags: Sequence[str] | None,
        *,
        clear_page_offset: bool = False,
    ) -> SourceFile:
        """The source's record with the user's settings; None leaves one as it is. Raises NotFound."""
        source = self.sources[self.source_id(source_id)]
        if clear_page_offset:
            source = replace(source, page_offset=None)
        if page_offset is not None:
            source = replace(source, page_offset=page_offset)
        if tags is not None:
            source = replace(source, tags=tuple(dict.fromkeys(tags)))
        return source


def check_commit(document: CanonicalDocument, content: bytes, artifact: SourceArtifact) -> None:
    """That document, bytes and source belong together and the passages are of this text.

    Readers run in another process: their answer is data, not truth. Raises InvalidRequest.
    """
    if artifact.kind is not document.version.kind:
        raise InvalidRequest(f"a {document.version.kind} document cannot come from a {artifact.kind} source")
    if not artifact.reference:
        raise InvalidRequest("a source needs a reference", "give the URI or name of the source")
    if len(content) != document.version.size or sha256_bytes(content) != document.version.bytes_sha256:
        raise InvalidRequest("the source bytes are not those the document was made from")
    problem = document_problem(document)
    if problem:
        raise InvalidRequest(f"the document contradicts itself: {problem}")


def document_problem(document: CanonicalDocument) -> str | None:
    """Where a document contradicts itself, or None: text digest, passage bounds, order and digests."""
    text = document.text
    try:
        if sha256_text(text) != document.text_sha256:
            return "its text does not hash to its text_sha256"
    except UnicodeEncodeError:
        return "its text holds a lone surrogate"
    if not is_id(document.version.bytes_sha256):
        return "its bytes_sha256 is no digest"
    end = 0
    for index, passage in enumerate(document.passages):
        if passage.index != index or not end <= passage.start < passage.end <= len(text):
            return f"passage {index} is out of order or out of bounds"
        if sha256_text(text[passage.start : passage.end]) != passage.text_sha256:
            return f"passage {index} does not hash to its text_sha256"
        end = passage.end
    return None


def _with_aliases(source: SourceFile, references: Sequence[str]) -> SourceFile:
    known = dict.fromkeys((*source.aliases, *references))
    known.pop(source.reference, None)
    return replace(source, aliases=tuple(known))


def _summary(
    row: Row, source: SourceFile, name: str, document: SourceDocument, *, current: bool
) -> DocumentSummary:
    return DocumentSummary(
        document_id=row.document_id,
        source_id=source.source_id,
        source_version=row.version_id,
        kind=row.kind,
        name=name,
        reference=source.reference,
        bytes_sha256=row.bytes_sha256,
        size=row.size,
        profile=row.profile,
        characters=row.characters,
        pages=row.pages,
        passages=row.passages,
        language=row.language,
        warnings=row.warnings,
        ingested_at=document.ingested_at,
        current=current,
    )


def _place(row: DocumentSummary) -> tuple[str, str]:
    return (row.name, row.document_id)


def _by_name(records: Iterable[SourceRecord]) -> tuple[SourceRecord, ...]:
    return tuple(sorted(records, key=lambda record: (record.name, record.source_id)))

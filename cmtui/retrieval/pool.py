"""The candidates of a search as a lazy sequence: ids and digests at once, texts only when they are asked for.

A request over 200,000 passages that reads every text takes a second and 200 MB; an index that keeps vectors
by the digest of a text needs none of them (settlements.md 2.35).
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import overload

from cmtui.errors import UnknownCandidate
from cmtui.model.retrieval import PassageProjection
from cmtui.model.source import CanonicalDocument, DocumentSummary, Passage, passage_id, split_passage_id
from cmtui.ports import DocumentRepository


class LazyPassages(Sequence[PassageProjection]):
    """Every passage of ``rows`` in order. ``digests`` is kept by the caller from search to search: the
    joined digests of the passages of each document, which never change."""

    def __init__(
        self, repository: DocumentRepository, rows: Sequence[DocumentSummary], digests: dict[str, bytes]
    ) -> None:
        self._repository = repository
        self._rows = rows
        self._digests = digests
        self._ends = list(accumulate(row.passages for row in rows))

    @cached_property
    def pool_key(self) -> str:
        """The documents in order: each is named by its content."""
        return hashlib.sha256("\n".join(row.document_id for row in self._rows).encode("ascii")).hexdigest()

    def text_digests(self) -> bytes:
        """The SHA-256 of each text, as ingest stored it. Raises SnapshotDamaged."""
        for row in self._rows:
            if row.document_id not in self._digests:
                document = self._repository.document(row.document_id)
                self._digests[row.document_id] = b"".join(
                    bytes.fromhex(passage.text_sha256) for passage in document.passages
                )
        return b"".join(self._digests[row.document_id] for row in self._rows)

    def passage_id(self, place: int) -> str:
        """The id of one candidate, without its text."""
        at = bisect_right(self._ends, place)
        return passage_id(self._rows[at].document_id, place - (self._ends[at] - self._rows[at].passages))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[PassageProjection]:
        for row in self._rows:
            document = self._repository.document(row.document_id)
            for passage in document.passages:
                yield _projection(document, passage)

    @overload
    def __getitem__(self, index: int) -> PassageProjection: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PassageProjection]: ...
    def __getitem__(self, index: int | slice) -> PassageProjection | Sequence[PassageProjection]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        document_id, number = split_passage_id(self.passage_id(place))
        document = self._repository.document(document_id)
        return _projection(document, document.passages[number])


class LazyPool(Mapping[str, PassageProjection]):
    """The same passages by id."""

    def __init__(
        self, repository: DocumentRepository, rows: Sequence[DocumentSummary], digests: dict[str, bytes]
    ) -> None:
        self.passages = LazyPassages(repository, rows, digests)
        self._counts = {row.document_id: row.passages for row in rows}
        self._repository = repository

    def __len__(self) -> int:
        return len(self.passages)

    def __iter__(self) -> Iterator[str]:
        return (self.passages.passage_id(place) for place in range(len(self)))

    def __contains__(self, key: object) -> bool:
        try:
            document_id, number = split_passage_id(str(key))
        except ValueError:
            return False
        # The id must be written as ids are: '#01' names nothing.
        return number < self._counts.get(document_id, 0) and passage_id(document_id, number) == key

    def __getitem__(self, key: str) -> PassageProjection:
        if key not in self:
            raise KeyError(key)
        document_id, number = split_passage_id(key)
        document = self._repository.document(document_id)
        return _projection(document, document.passages[number])


def lazy_pool(
    repository: DocumentRepository, rows: Sequence[DocumentSummary], digests: dict[str, bytes]
) -> LazyPool:
    """The passages of ``rows``; digests of documents that are gone are dropped now and then."""
    if len(digests) > 4 * len(rows) + 1_000:
        digests.clear()
    return LazyPool(repository, rows, digests)


def sequence_of(pool: Mapping[str, PassageProjection]) -> Sequence[PassageProjection]:
    """The candidates that an index is given, in order."""
    return pool.passages if isinstance(pool, LazyPool) else tuple(pool.values())


def by_id(found: Sequence[PassageProjection], *, port: str) -> dict[str, PassageProjection]:
    """What another port enumerates, by id. Raises UnknownCandidate for a passage that comes twice."""
    pool = {projection.passage_id: projection for projection in found}
    if len(pool) != len(found):
        raise UnknownCandidate(
            f"The search port {port} enumerates a passage twice.", "This is a fault of the port."
        )
    return pool


def _projection(document: CanonicalDocument, passage: Passage) -> PassageProjection:
    return PassageProjection(document.passage_id(passage), document.passage_text(passage), passage.role)

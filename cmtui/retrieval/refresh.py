"""Bringing the lexical index up to what the repository holds, before it answers."""

from __future__ import annotations

from collections.abc import Sequence

from cmtui.errors import Cancelled, IndexRebuilding, StoreError
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback
from cmtui.model.source import CanonicalDocument, DocumentSummary
from cmtui.ports import DocumentRepository, LexicalIndex

#: Characters of canonical text that go into one commit of the index.
BATCH_CHARACTERS = 4_000_000


def refresh(
    repository: DocumentRepository,
    index: LexicalIndex,
    rows: Sequence[DocumentSummary],
    needed: frozenset[str],
    *,
    progress: ProgressCallback,
    cancelled: CancelledCallback,
) -> None:
    """Add what is missing from ``index``, forget what has left the repository.

    ``rows`` are all documents, ``needed`` the ids that the coming answer depends on: a damaged snapshot among
    them raises (a partial answer is never given), among the others it is left to doctor. Raises Cancelled,
    SnapshotDamaged, IndexRebuilding.
    """
    covered = index.covers()
    known = {row.document_id for row in rows}
    if covered - known:
        # Another process may have committed and indexed since the rows were read.
        gone = covered - set(repository.document_ids())
        if gone:
            index.remove(sorted(gone))
    missing = [row for row in rows if row.document_id not in covered]
    batch: list[tuple[DocumentSummary, CanonicalDocument]] = []
    characters = done = 0
    for row in missing:
        if cancelled():
            raise Cancelled("Indexing was cancelled.", "Search again to go on.")
        progress(Progress("index", row.name, done, len(missing)))
        try:
            batch.append((row, repository.document(row.document_id)))
        except StoreError:
            if row.document_id in needed:
                raise
            continue
        characters += row.characters
        if characters >= BATCH_CHARACTERS:
            index.add(batch, progress=progress, cancelled=cancelled)
            done += len(batch)
            batch, characters = [], 0
    if batch:
        index.add(batch, progress=progress, cancelled=cancelled)
    if missing and not needed <= index.covers():
        raise IndexRebuilding(
            "The search index does not cover all documents yet.", "Search again in a moment."
        )

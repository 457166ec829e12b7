"""The decoded documents a process keeps, bounded by how much text they hold."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from cmtui.model.source import CanonicalDocument

#: Characters of text kept decoded: about as many megabytes, twice that with passages and tables.
CAPACITY = 16_000_000


class DocumentCache:
    """The most recently used documents. Thread-safe."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._lock = Lock()
        self._documents: OrderedDict[str, CanonicalDocument] = OrderedDict()
        self._characters = 0

    def get(self, document_id: str) -> CanonicalDocument | None:
        """A document that is kept, or None."""
        with self._lock:
            document = self._documents.get(document_id)
            if document is not None:
                self._documents.move_to_end(document_id)
            return document

    def drop(self, document_id: str) -> None:
        """Forget a document, which may come back with other passages."""
        with self._lock:
            document = self._documents.pop(document_id, None)
            if document is not None:
                self._characters -= len(document.text)

    def put(self, document: CanonicalDocument) -> None:
        """Keep a document, and forget the least recently used ones for it. One always stays."""
        with self._lock:
            if document.document_id in self._documents:
                return
            self._documents[document.document_id] = document
            self._characters += len(document.text)
            while self._characters > self._capacity and len(self._documents) > 1:
                _, forgotten = self._documents.popitem(last=False)
                self._characters -= len(forgotten.text)

"""Reading documents for the screens: a few kept open, since canonical documents never change.

Everything here runs in worker threads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from cmtui.errors import CmtuiError
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument, Locators
from cmtui.tui.labels import margin
from cmtui.tui.widgets.source_view import Labels, labels_of

if TYPE_CHECKING:
    from cmtui.engine import CitationMachine

#: Documents kept in memory; a document of 500 pages is about one megabyte.
KEPT = 6


class Reader:
    """Documents, names and locators for the screens."""

    def __init__(self, machine: CitationMachine) -> None:
        self.machine = machine
        self._documents: OrderedDict[str, CanonicalDocument] = OrderedDict()
        self._lock = threading.Lock()

    def document(self, document_id: str) -> CanonicalDocument:
        """The document of this id."""
        with self._lock:
            if document_id in self._documents:
                self._documents.move_to_end(document_id)
                return self._documents[document_id]
        document = self.machine.document(document_id)
        with self._lock:
            self._documents[document_id] = document
            while len(self._documents) > KEPT:
                self._documents.popitem(last=False)
        return document

    def locate(self, document_id: str, span: Span) -> Locators:
        """The locators of a span, with the page offset the user set."""
        offset = self.machine.source(document_id).page_offset
        return self.document(document_id).locate(span, page_offset=offset)

    def name(self, document_id: str) -> str:
        """The title from the bibliography, else the file name."""
        source = self.machine.source(document_id)
        try:
            return self.machine.title(source.source_id) or source.name
        except CmtuiError:
            return source.name

    def labels(self, document_id: str) -> Labels:
        """Labels for the margin: where each passage stands."""
        document = self.document(document_id)
        offset = self.machine.source(document_id).page_offset

        def label(index: int) -> str:
            return margin(document.locate(document.passages[index].span, page_offset=offset))

        return labels_of([passage.start for passage in document.passages], label)

    def window(self, document_id: str, span: Span, around: int) -> Span:
        """The passages that ``span`` touches and ``around`` more on each side (all of the text when many)."""
        document = self.document(document_id)
        touched = [p.index for p in document.passages if p.start < span.end and span.start < p.end]
        if not touched:
            return Span(max(0, span.start - 600 * around), min(len(document.text), span.end + 600 * around))
        low, high = touched[0] - around, touched[-1] + around
        last = len(document.passages) - 1
        start = document.passages[low].start if low > 0 else 0
        end = document.passages[high].end if high < last else len(document.text)
        return Span(min(start, span.start), max(end, span.end))

"""One reader per kind of source. A reader's module is loaded when a file of its kind is first read."""

from __future__ import annotations

from typing import Protocol

from cmtui.ingest.limits import LIMITS, ReadLimits
from cmtui.ingest.profiles import Reading
from cmtui.model.identity import SourceKind
from cmtui.model.ingest import ReadDocument
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress


class BoundedReader(Protocol):
    """A ``ports.SourceReader`` that also takes a name for its messages, limits and callbacks."""

    def read(
        self,
        content: bytes,
        *,
        encoding: str | None = None,
        password: str | None = None,
        name: str = "",
        limits: ReadLimits = LIMITS,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> ReadDocument:
        """Raises IngestError, or Cancelled when ``cancelled`` answers True between two units of work."""
        ...


def reader_for(kind: SourceKind, reading: Reading = Reading.CANON) -> BoundedReader:
    """The reader of a kind; ``reading`` chooses another than its default one."""
    if reading is Reading.PDFIUM:
        from cmtui.ingest.readers.pdfium import PdfiumReader

        return PdfiumReader()
    if reading is Reading.HTML_TEXT:
        from cmtui.ingest.readers.html import HtmlReader

        return HtmlReader()
    if kind is SourceKind.PDF:
        from cmtui.ingest.readers.pdf import PdfSourceReader

        return PdfSourceReader()
    if kind is SourceKind.EPUB:
        from cmtui.ingest.readers.epub import EpubReader

        return EpubReader()
    if kind is SourceKind.MARKDOWN:
        from cmtui.ingest.readers.markdown import MarkdownReader

        return MarkdownReader()
    from cmtui.ingest.readers.text import TextReader

    return TextReader()

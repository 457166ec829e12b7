"""PDF through pdfium: a second reader that a person chooses, because it gives another canonical text.

Its text differs from pypdf's (design/ingest.md 1.2): ligatures are expanded, and a hyphen at a line end
comes as U+FFFE without the line end. ``FPDFText_IsHyphen`` marks those places, so the step
``line-end-hyphens`` puts "-" and a line feed there; whether the file has a hard or a soft hyphen is no longer
known. Other U+FFFE stand for glyphs that could not be mapped and are removed. Labels, outline and metadata
are read by pypdf, as they are for the default reader.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from cmtui.errors import BackendMissing, Malformed
from cmtui.ingest.kinds import detect_kind
from cmtui.ingest.limits import LIMITS, ReadLimits
from cmtui.ingest.profiles import Reading
from cmtui.ingest.readers.pdf import (
    PdfExtraction,
    configured,
    errors_of,
    open_pdf,
    password_required,
)
from cmtui.ingest.structure import WarningLog, called
from cmtui.model.identity import Extractor, SourceKind
from cmtui.model.ingest import ReadDocument
from cmtui.model.progress import (
    CancelledCallback,
    ProgressCallback,
    never_cancelled,
    no_progress,
)

if TYPE_CHECKING:
    import pypdfium2

_UNMAPPED = frozenset({0x0, 0x2, 0xFFFE, 0xFFFF})
_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD
_REPAIR_HINT = "Read it without --backend pdfium, or open it in a PDF viewer and save it anew."


def require_pdfium() -> None:
    """Raise BackendMissing unless the extra is installed."""
    if find_spec("pypdfium2") is None:
        raise BackendMissing(
            "The PDF reader pdfium is not installed.",
            "Install it with: pip install 'cmtui[pdfium]'; or ingest without --backend pdfium.",
        )


class PdfiumReader:
    """Reads PDF with pypdfium2."""

    def read(
        self,
        content: bytes,
        *,
        encoding: str | None = None,  # noqa: ARG002 - the port states it for all kinds
        password: str | None = None,
        name: str = "",
        limits: ReadLimits = LIMITS,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> ReadDocument:
        """Raises BackendMissing, and what the default PDF reader raises."""
        require_pdfium()
        detect_kind(name, content, SourceKind.PDF)
        log = WarningLog()
        file = called(name)
        with configured(limits) as notes, errors_of(file):
            # pypdf first: its checks of page tree, encryption and size are the stricter ones.
            reader = open_pdf(content, password, file)
            document = _open(content, password, file)
            try:
                extraction = _PdfiumExtraction(reader, name, limits, log, notes, progress, cancelled)
                extraction.use(document)
                return extraction.run()
            finally:
                document.close()


def _open(content: bytes, password: str | None, file: str) -> pypdfium2.PdfDocument:
    """The open file; the empty password comes first, as for the default reader."""
    import pypdfium2

    for attempt in dict.fromkeys((None, password)):
        try:
            return pypdfium2.PdfDocument(content, password=attempt)
        except pypdfium2.PdfiumError as error:
            if error.err_code != _PASSWORD_ERROR:
                reason = str(error).rstrip(".")
                raise Malformed(f"pdfium cannot read {file}: {reason}.", _REPAIR_HINT) from error
    raise password_required(file, wrong=password is not None)


class _PdfiumExtraction(PdfExtraction):
    """Pages by pdfium, everything else by pypdf."""

    reading = Reading.PDFIUM
    step = "pdf-text:pdfium"
    document: pypdfium2.PdfDocument

    def use(self, document: pypdfium2.PdfDocument) -> None:
        """Take the pages from ``document``."""
        self.document = document

    def _count(self) -> int:
        stated = super()._count()
        total = len(self.document)
        if total != stated:
            raise Malformed(
                f"{self.file} has {stated:,} pages for one reader and {total:,} for the other.", _REPAIR_HINT
            )
        return total

    def _extractor(self) -> Extractor:
        import pypdfium2

        version = f"{pypdfium2.PYPDFIUM_INFO}+pdfium{pypdfium2.PDFIUM_INFO.build}"
        return Extractor("pypdfium2", version)

    def _raw(self, index: int) -> str:
        import pypdfium2

        try:
            page = self.document[index]
            try:
                text_page = page.get_textpage()
                try:
                    return self._with_hyphens(text_page, text_page.get_text_range())
                finally:
                    text_page.close()
            finally:
                page.close()
        except pypdfium2.PdfiumError as error:
            raise ValueError(str(error)) from error  # a broken page: left out with a warning

    def _with_hyphens(self, text_page: Any, text: str) -> str:
        """Hyphens and line feeds where pdfium took them out. Only where every U+FFFE is accounted for."""
        import pypdfium2.raw as api

        if "\ufffe" not in text:
            return text
        unmapped = [
            index
            for index in range(text_page.count_chars())
            if api.FPDFText_GetUnicode(text_page, index) in _UNMAPPED
        ]
        parts = text.split("\ufffe")
        if len(unmapped) != len(parts) - 1:
            return text
        pieces = [parts[0]]
        for index, part in zip(unmapped, parts[1:], strict=True):
            if api.FPDFText_IsHyphen(text_page, index) == 1:
                pieces.append("-\n")
                self.canon.second += 1
            pieces.append(part)
        return "".join(pieces)

"""PDF through pypdf in plain mode, with every limit pypdf has set tight (design/ingest.md 1.5).

One broken page is a warning and a gap; a document whose pages all fail is an error. Whatever pypdf raises
becomes one of our own errors here.
"""

from __future__ import annotations

import io
import logging
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote
from typing import TYPE_CHECKING

from cmtui.errors import (
    Cancelled,
    DrmProtected,
    IngestError,
    Malformed,
    MalformedPageTree,
    NoPages,
    NoTextLayer,
    PasswordRequired,
    ResourceLimit,
    TimeLimit,
)
from cmtui.ingest.canonical import Canonicalizer
from cmtui.ingest.kinds import detect_kind
from cmtui.ingest.limits import LIMITS, MIB, ReadLimits
from cmtui.ingest.profiles import Reading
from cmtui.ingest.readers.pdf_blocks import pdf_blocks
from cmtui.ingest.readers.pdf_structure import (
    metadata_candidates,
    outline_entries,
    outline_sections,
    page_labels,
    stated_language,
)
from cmtui.ingest.readers.quality import page_flaws
from cmtui.ingest.structure import WarningLog, called
from cmtui.model.identity import Extractor, SourceKind
from cmtui.model.ingest import PDFIUM_ADVICE, ReadDocument
from cmtui.model.progress import (
    CancelledCallback,
    Progress,
    ProgressCallback,
    never_cancelled,
    no_progress,
)
from cmtui.model.source import LocatorTables, PageBasis, PageMark

if TYPE_CHECKING:
    from pypdf import PdfReader

EXTRACTION_STEP = "pdf-text:plain"

#: What damaged files make pypdf raise besides its own errors (design/ingest.md 1.4).
DAMAGE = (
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    AssertionError,
    ArithmeticError,
    NotImplementedError,
    LookupError,
    EOFError,
    OSError,
    struct.error,
    zlib.error,
)

_OVER_LIMIT = "Pages that exceed a resource limit were left out or cut."
_REPAIR_HINT = "Open it in a PDF viewer and save it anew, or fetch the file again."


class PdfSourceReader:
    """Reads PDF."""

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
        """Raises NotThisFormat, EmptyFile, PasswordRequired, NoTextLayer, NoPages, Malformed,
        MalformedPageTree, ResourceLimit, DrmProtected, Cancelled."""
        detect_kind(name, content, SourceKind.PDF)
        log = WarningLog()
        with configured(limits) as notes, errors_of(called(name)):
            reader = open_pdf(content, password, called(name))
            return PdfExtraction(reader, name, limits, log, notes, progress, cancelled).run()


class PdfExtraction:
    """Reads the pages of one open file; ``_raw`` says how."""

    reading = Reading.CANON
    step = EXTRACTION_STEP

    def __init__(
        self,
        reader: PdfReader,
        name: str,
        limits: ReadLimits,
        log: WarningLog,
        notes: ReaderNotes,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> None:
        self.notes = notes
        self.reader = reader
        self.name = name
        self.file = called(name)
        self.limits = limits
        self.log = log
        self.progress = progress
        self.cancelled = cancelled
        self.canon = Canonicalizer(self.step, noncharacters=True, reading=self.reading)
        self.limit_hit: Exception | None = None
        self.damage: Exception | None = None
        self.slow = False
        self.missing: set[int] = set()
        self.removed: dict[int, int] = {}

    def run(self) -> ReadDocument:
        """All pages as one document. Raises as ``PdfSourceReader.read``."""
        total = self._count()
        texts: list[str] = []
        characters = 0
        for index in range(total):
            texts.append(self._page(index, total))
            characters += len(texts[-1]) + 1
            if characters > self.limits.characters:
                raise ResourceLimit(
                    f"{self.file} has more than {self.limits.characters:,} characters.", "Split the PDF."
                )
        if not any(text.strip() for text in texts):
            self._refuse(total)
        for index, text in enumerate(texts):
            if not text.strip() and index + 1 not in self.missing:
                self.log.add(
                    "empty-pages", "Pages without any text; they may be scans or figures.", index + 1
                )
            for code, message in page_flaws(text, self.removed.get(index, 0)):
                advice = f" {PDFIUM_ADVICE}" if self.reading is Reading.CANON else ""
                self.log.add(code, message + advice, index + 1)
        labels = page_labels(self.reader, total, self.log)
        text = self.canon.join(texts)
        self.canon.extracted = total
        pages = _page_marks(texts, labels)
        entries = outline_entries(self.reader, total, self.limits, self.log)
        self.progress(Progress("read", self.name, total, total))
        blocks, furniture = pdf_blocks(text, pages, entries)
        return ReadDocument(
            text=text,
            profile=self.canon.profile(self._extractor()),
            blocks=blocks,
            tables=LocatorTables(
                pages=pages,
                page_basis=PageBasis.PHYSICAL,
                sections=outline_sections(entries, pages),
                furniture=furniture,
            ),
            language=stated_language(self.reader),
            candidates=metadata_candidates(self.reader, self.log),
            warnings=self.log.warnings(),
        )

    def _count(self) -> int:
        return count_pages(self.reader, self.file, self.limits)

    def _extractor(self) -> Extractor:
        import pypdf

        return Extractor("pypdf", pypdf.__version__)

    def _raw(self, index: int) -> str:
        """What the extractor gives for a page."""
        return self.reader.pages[index].extract_text(extraction_mode="plain")

    def _page(self, index: int, total: int) -> str:
        """The canonical text of one page; empty with a warning when the page is broken."""
        from pypdf.errors import LimitReachedError, PyPdfError

        if self.cancelled():
            raise Cancelled(f"Reading {self.file} was cancelled.")
        self.progress(Progress("read", self.name, index, total))
        number = index + 1
        self.notes.skipped = False
        if number in self.limits.left_out_pages:
            self.slow = True
            self._leave_out(
                "slow-pages", "Pages that took longer than a page may take were left out.", number
            )
            return ""
        try:
            raw = self._raw(index)
        except (LimitReachedError, MemoryError) as error:
            self.limit_hit = error
            self._leave_out("page-limit", _OVER_LIMIT, number)
            return ""
        except (PyPdfError, RecursionError, *DAMAGE) as error:
            self.damage = error
            self._leave_out("broken-pages", "Pages that cannot be read were left out.", number)
            return ""
        if len(raw) > self.limits.page_characters:
            self.limit_hit = ValueError(f"page {number} has {len(raw):,} characters")
            self._leave_out("page-limit", _OVER_LIMIT, number)
            return ""
        if self.notes.skipped:
            self.log.add("page-limit", _OVER_LIMIT, number)
        before = self.canon.controls
        text = self.canon.clean(raw)
        if self.canon.controls > before:
            self.removed[index] = self.canon.controls - before
        return text

    def _leave_out(self, code: str, message: str, number: int) -> None:
        self.missing.add(number)
        self.log.add(code, message, number)

    def _refuse(self, total: int) -> None:
        """Say why no page gave any text."""
        if self.slow:
            raise TimeLimit(
                f"No page of {self.file} gave any text, and reading one took longer than "
                f"{self.limits.page_seconds:g} seconds.",
                "The file is damaged or very complex; split it or save it anew.",
            )
        if self.limit_hit is not None:
            raise ResourceLimit(
                f"{self.file} needs more than the limits of a read allow ({_brief(self.limit_hit)}).",
                "The file is damaged or made to exhaust memory; it was not read.",
            )
        if self.damage is not None:
            raise Malformed(f"No page of {self.file} can be read ({_brief(self.damage)}).", _REPAIR_HINT)
        pages = "its only page is" if total == 1 else f"all {total} pages are"
        source = self.name or "in.pdf"
        stem = source[:-4] if source.lower().endswith(".pdf") else source
        raise NoTextLayer(
            f"{self.file} has no text layer: {pages} without text, as in a scan.",
            f"Recognise the text first: ocrmypdf {quote(source)} {quote(stem + '-ocr.pdf')}",
        )


class ReaderNotes(logging.Handler):
    """Keeps pypdf's log off the screen and remembers whether it skipped text."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.skipped = False

    def emit(self, record: logging.LogRecord) -> None:
        """Called for each record of pypdf's loggers."""
        if record.msg.startswith("Exceeded") or "further form content" in record.msg:
            self.skipped = True


@contextmanager
def configured(limits: ReadLimits) -> Iterator[ReaderNotes]:
    """pypdf with tight limits, with its log collected, and with the same text on every machine."""
    import pypdf
    from pypdf.generic import _font

    size = 64 * MIB
    logger = logging.getLogger("pypdf")
    notes = ReaderNotes()
    propagate, has_fonttools = logger.propagate, _font.HAS_FONTTOOLS
    logger.addHandler(notes)
    logger.propagate = False
    # pypdf reads some fonts another way when fontTools happens to be installed. The same bytes must give the
    # same text, and so the same ids, on every machine (R23).
    _font.HAS_FONTTOOLS = False
    try:
        with pypdf.apply_configuration(
            zlib_maximum_output_length=size,
            lzw_maximum_output_length=size,
            run_length_maximum_output_length=size,
            brotli_maximum_output_length=size,
            jbig2_maximum_output_length=size,
            maximum_declared_stream_length=size,
            array_based_stream_maximum_output_length=size,
            stream_parsing_work_maximum_count=500_000,
            stream_filters_maximum_length=4,
            xform_maximum_invocations_per_extraction=500,
            page_tree_maximum_entries=20_000,
            outline_maximum_entries=limits.outline_entries,
            outline_maximum_depth=limits.outline_depth,
            xmp_maximum_input_length=MIB,
            jbig2dec_binary=None,
            disable_legacy_handling=True,
        ):
            yield notes
    finally:
        logger.removeHandler(notes)
        logger.propagate = propagate
        _font.HAS_FONTTOOLS = has_fonttools


@contextmanager
def errors_of(file: str) -> Iterator[None]:
    """Everything a PDF can make pypdf raise, as one of our errors."""
    from pypdf.errors import (
        DependencyError,
        EmptyFileError,
        FileNotDecryptedError,
        LimitReachedError,
        PyPdfError,
    )

    try:
        yield
    except (IngestError, Cancelled):
        raise
    except (LimitReachedError, MemoryError) as error:
        raise ResourceLimit(
            f"{file} needs more than the limits of a read allow ({_brief(error)}).",
            "The file is damaged or made to exhaust memory; it was not read.",
        ) from error
    except FileNotDecryptedError as error:
        raise password_required(file) from error
    except DependencyError as error:
        raise DrmProtected(
            f"{file} is encrypted in a way that needs another library ({_brief(error)}).",
            "Install it with: pip install 'pypdf[crypto]'",
        ) from error
    except EmptyFileError as error:
        raise Malformed(f"{file} has no content.", _REPAIR_HINT) from error
    except (PyPdfError, RecursionError, *DAMAGE) as error:
        raise Malformed(f"{file} is damaged: {_brief(error)}.", _REPAIR_HINT) from error


def _brief(error: BaseException) -> str:
    """An exception in a few words, on one line and without a path."""
    text = " ".join(str(error).split()).rstrip(".")
    return (
        (text[:120] or type(error).__name__)
        if not isinstance(error, KeyError)
        else f"missing key {text[:60]}"
    )


def password_required(file: str, *, wrong: bool = False) -> PasswordRequired:
    """The error for a file that needs a password, or another one than was given."""
    if wrong:
        return PasswordRequired(
            f"The given password does not open {file}.", "Check it and give --password again."
        )
    return PasswordRequired(f"{file} is encrypted and needs a password.", "Give it with --password.")


def open_pdf(content: bytes, password: str | None, file: str) -> PdfReader:
    """Open the file, with the empty password first (owner-only protection), then with the given one."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(content), strict=False, root_object_recovery_limit=10_000)
    if reader.is_encrypted:
        try:
            opened = bool(reader.decrypt("")) or (password is not None and bool(reader.decrypt(password)))
        except NotImplementedError as error:
            raise DrmProtected(
                f"{file} is protected by a scheme other than a password ({_brief(error)}).",
                "Ask its publisher for a copy without protection.",
            ) from error
        if not opened:
            raise password_required(file, wrong=password is not None)
    return reader


def count_pages(reader: PdfReader, file: str, limits: ReadLimits) -> int:
    """The number of pages. Raises MalformedPageTree, NoPages, ResourceLimit."""
    from pypdf.errors import FileNotDecryptedError, LimitReachedError, PyPdfError

    try:
        total = len(reader.pages)
    except (LimitReachedError, FileNotDecryptedError, MemoryError):
        raise
    except (PyPdfError, RecursionError, *DAMAGE) as error:
        raise MalformedPageTree(
            f"The page tree of {file} is broken: {_brief(error)}.", _REPAIR_HINT
        ) from error
    if total == 0:
        raise NoPages(f"{file} has no pages.", _REPAIR_HINT)
    if total > limits.pages:
        raise ResourceLimit(
            f"{file} has {total:,} pages; {limits.pages:,} are allowed.", "Split the PDF into parts."
        )
    return total


def _page_marks(texts: list[str], labels: list[str | None]) -> tuple[PageMark, ...]:
    marks: list[PageMark] = []
    start = 0
    for index, text in enumerate(texts):
        marks.append(PageMark(start, start + len(text), index + 1, labels[index]))
        start += len(text) + 1
    return tuple(marks)

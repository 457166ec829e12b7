"""Reading a source."""

from __future__ import annotations

from cmtui.errors.base import CmtuiError


class IngestError(CmtuiError):
    """One file could not become a document. The other files of the run go on."""

    code = "ingest"


class SourceMissing(IngestError):
    """No file at that path, or it cannot be read."""

    code = "missing-file"


class UnsupportedKind(IngestError):
    """The file is none of PDF, EPUB, Markdown and plain text."""

    code = "unsupported-kind"


class NotThisFormat(IngestError):
    """The bytes are not of the stated or implied kind."""

    code = "not-this-format"


class EmptyFile(IngestError):
    """The file has no bytes."""

    code = "empty-file"


class EncodingUnknown(IngestError):
    """Text that is not valid UTF-8 and has no byte order mark; the message names the byte offset."""

    code = "encoding"


class NotText(IngestError):
    """A text file that holds NUL bytes."""

    code = "not-text"


class PasswordRequired(IngestError):
    """An encrypted PDF that does not open with the given (or the empty) password."""

    code = "password-required"


class NoTextLayer(IngestError):
    """A scanned PDF: pages without any text."""

    code = "no-text-layer"


class NoText(IngestError):
    """A document that reads cleanly but holds no text."""

    code = "no-text"


class NoPages(IngestError):
    """A PDF without pages."""

    code = "no-pages"


class Malformed(IngestError):
    """The file is damaged beyond what its format lets us repair."""

    code = "malformed"


class MalformedPageTree(Malformed):
    """A PDF whose page tree loops or is broken."""

    code = "malformed-page-tree"


class MissingContent(IngestError):
    """A container that names a text part it does not hold."""

    code = "missing-content"


class ResourceLimit(IngestError):
    """A size, count or memory limit was reached; the message names it."""

    code = "resource-limit"


class TimeLimit(IngestError):
    """Reading took longer than allowed."""

    code = "time-limit"


class BackendMissing(IngestError):
    """The reader that was asked for is not installed. Another one never takes its place unasked."""

    code = "backend-missing"


class DrmProtected(IngestError):
    """An EPUB whose content is encrypted."""

    code = "drm"

"""One tree of errors. Each says what went wrong and where; ``hint`` says what to do next.

The command line prints both as JSON with exit status 2; the application shows a toast or a dialog.
Secrets never enter a message.
"""

from __future__ import annotations


def _sentence(text: str) -> str:
    """``text`` with its first letter a capital and a stop at its end.

    A command or path at an end stays as it is typed: it must work when it is copied.
    """
    if not text:
        return text
    first = text.split(maxsplit=1)[0]
    if first.isalpha() and first.islower() and first not in _TYPED:
        text = text[0].upper() + text[1:]
    words = text.split()
    typed = any(word in _TYPED or word.startswith("--") for word in words[-6:])
    return text if text[-1] in ".!?…:)" or typed else text + "."


#: Words that begin a command in a message or hint.
_TYPED = frozenset({"citation-machine", "cmtui", "pip", "pandoc", "ocrmypdf", "export", "make"})


class CmtuiError(Exception):
    """Base of every expected failure.

    ``message`` is one clear sentence that names the thing concerned; ``hint`` is the next step.
    """

    #: A stable, lower-case class name for tables and machine readers (``malformed``, ``no-text-layer``).
    code = "error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message

    @property
    def sentence(self) -> str:
        """The message as a person reads it: with a capital and a full stop."""
        return _sentence(self.message)

    @property
    def advice(self) -> str:
        """The hint as a person reads it."""
        return _sentence(self.hint)


class Cancelled(CmtuiError):
    """The person cancelled; nothing partial stays behind."""

    code = "cancelled"


class InvalidRequest(CmtuiError):
    """An argument is out of range or of the wrong kind."""

    code = "invalid-request"


class NotFound(CmtuiError):
    """The id or prefix names nothing in this store."""

    code = "not-found"


class DoiNotFound(NotFound):
    """No provider knows the DOI."""

    code = "doi-not-found"


class AmbiguousId(NotFound):
    """The prefix names more than one thing; the message lists the first candidates."""

    code = "ambiguous-id"


class DocumentRemoved(NotFound):
    """The document was removed from this store; its evidence and the decisions on it are kept."""

    code = "removed"


# -- store -----------------------------------------------------------------------------------------


class StoreError(CmtuiError):
    """The store directory cannot do what was asked."""

    code = "store"


class StoreFormatError(StoreError):
    """The directory is not a store, or was written by a newer program."""

    code = "store-format"


class StoreLocked(StoreError):
    """Another process held a lock for longer than the wait allows; the message names it."""

    code = "store-locked"


class StoreReadOnly(StoreError):
    """The store cannot be written; the message says why."""

    code = "store-read-only"


class SnapshotDamaged(StoreError):
    """A snapshot does not hash to its own name. Nothing is read from it (fail closed)."""

    code = "snapshot-damaged"


class SidecarMalformed(StoreError):
    """A sidecar is not what this program writes. Never rebuilt silently (R21)."""

    code = "sidecar-malformed"


class BlobDamaged(StoreError):
    """Stored source bytes are missing or do not hash to their name."""

    code = "blob-damaged"


class BackupRefused(StoreError):
    """An archive is not a whole backup of a store, or was tampered with. Nothing of it was put in place."""

    code = "backup-refused"


class LogDamaged(StoreError):
    """An append-only log has a broken line or a broken hash chain before its last line."""

    code = "log-damaged"


# -- ingest ----------------------------------------------------------------------------------------


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


# -- retrieval -------------------------------------------------------------------------------------


class RetrievalError(CmtuiError):
    """A search cannot be answered."""

    code = "retrieval"


class QueryError(RetrievalError):
    """The query cannot be read; the message points at the place."""

    code = "query"


class EnumerationUnsupported(RetrievalError):
    """Semantic and hybrid search need a port that enumerates its passages (R83)."""

    code = "enumeration-unsupported"


class UnknownCandidate(RetrievalError):
    """An index answered with a passage it was not given (R78)."""

    code = "unknown-candidate"


class InvalidScore(RetrievalError):
    """An index answered with a score that is no finite number (R78)."""

    code = "invalid-score"


class IndexRebuilding(RetrievalError):
    """The index does not cover the store yet; partial answers are never given unmarked."""

    code = "index-rebuilding"


class IndexDamaged(RetrievalError):
    """Derived index files cannot be read and could not be rebuilt."""

    code = "index-damaged"


# -- verification and inference ----------------------------------------------------------------------


class VerificationError(CmtuiError):
    """A proposal is not exactly in the source. Never repaired, promoted or dropped (R89)."""

    code = "verification"


class QuoteNotFound(VerificationError):
    """The text does not stand at that place, or nowhere, in the canonical content."""

    code = "quote-not-found"


class QuoteAmbiguous(VerificationError):
    """The text stands more than once and no offset says which is meant (R32, R88)."""

    code = "quote-ambiguous"


class WrongVersion(VerificationError):
    """The proposal speaks of another version of the source than the one it is checked against."""

    code = "wrong-version"


class CrossesPassage(VerificationError):
    """The span runs over a passage boundary (R33, R88, D14)."""

    code = "crosses-passage"


class SpanOutOfRange(VerificationError):
    """Offsets outside the canonical content, reversed, or empty."""

    code = "span-out-of-range"


class InferenceError(CmtuiError):
    """An inference backend failed or answered out of contract."""

    code = "inference"


# -- bibliography ------------------------------------------------------------------------------------


class BibliographyError(CmtuiError):
    """Metadata or formatting cannot be used as asked."""

    code = "bibliography"


class InvalidMetadata(BibliographyError):
    """A CSL-JSON field has a wrong type or value; the message names the field."""

    code = "invalid-metadata"


class WrongBibliographyFormat(BibliographyError):
    """A bibliography file of another format than stated, or of none that is read; the message says which."""

    code = "wrong-format"


class MetadataMissing(BibliographyError):
    """The source has no bibliographic metadata yet. Nothing is guessed from its file name (R102)."""

    code = "metadata-missing"


class UnknownStyle(BibliographyError):
    """No citation style of that name."""

    code = "unknown-style"


class StylesMissing(UnknownStyle):
    """An official style was asked for, and the extra that holds them is not installed."""

    code = "styles-missing"


class EngineMissing(BibliographyError):
    """The citation engine that was chosen is not installed. Another one never takes its place unasked."""

    code = "engine-missing"


class UnsupportedForm(BibliographyError):
    """The style has no such form, for example a footnote in MLA (R107)."""

    code = "unsupported-form"


# -- acquisition and providers -----------------------------------------------------------------------


class AcquisitionError(CmtuiError):
    """Something could not be fetched over the network. Nothing was stored."""

    code = "acquisition"


class ProviderError(AcquisitionError):
    """A metadata or search provider failed.

    ``provider`` is its name, ``status`` the HTTP status where there was one, ``attempts`` how many requests
    were sent. The message never holds a payload, a query or a secret (R52, R63).
    """

    code = "provider"

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        provider: str = "",
        status: int | None = None,
        attempts: int = 0,
    ) -> None:
        super().__init__(message, hint)
        self.provider = provider
        self.status = status
        self.attempts = attempts


class ProviderTimeout(ProviderError):
    """The whole exchange, retries included, did not end within its deadline."""

    code = "provider-timeout"


class ProviderRateLimited(ProviderError):
    """The provider asks to wait for longer than the deadline allows."""

    code = "provider-rate-limited"


class ProviderUnreachable(ProviderError):
    """No connection: the name is unknown, the host refuses, or the connection broke."""

    code = "provider-unreachable"


class ProviderRefused(ProviderError):
    """The provider answered with an error status, or with a redirect, which is never followed."""

    code = "provider-refused"


class ProviderMalformed(ProviderError):
    """The answer is too large, encoded, cut short, or not of the promised form."""

    code = "provider-malformed"


class CertificateRejected(ProviderError):
    """The host's certificate does not verify. Verification is never switched off (R43)."""

    code = "certificate"


# -- review and configuration ------------------------------------------------------------------------


class ReviewError(CmtuiError):
    """A review action does not apply."""

    code = "review"


class NothingToUndo(ReviewError):
    """No event of this reviewer is left to undo or redo."""

    code = "nothing-to-undo"


class ConfigError(CmtuiError):
    """A setting is unknown or out of range; the message names the file, key and line."""

    code = "config"

"""Metadata, styles and citations."""

from __future__ import annotations

from cmtui.errors.base import CmtuiError


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

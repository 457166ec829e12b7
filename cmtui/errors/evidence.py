"""Verification and inference."""

from __future__ import annotations

from cmtui.errors.base import CmtuiError


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

"""Providers, discovery and capture."""

from __future__ import annotations

from cmtui.errors.base import CmtuiError


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


class MissingKey(ProviderError):
    """The provider needs a key and the environment has none; the message names the variable (R37)."""

    code = "missing-key"


class ExaProviderError(ProviderError):
    """Exa's search failed, answered something malformed, or a capture met a network failure (R52, R62).

    ``reason`` is the code of the failure underneath (``provider-timeout``, ``certificate``, ...).
    """

    code = "exa-provider"

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        provider: str = "exa",
        status: int | None = None,
        attempts: int = 0,
        reason: str = "",
    ) -> None:
        super().__init__(message, hint, provider=provider, status=status, attempts=attempts)
        self.reason = reason


class CaptureValidationError(AcquisitionError):
    """A captured document broke a rule: address, status, type, length, charset or form (R61 to R64).

    ``rule`` names it.
    """

    code = "capture"

    def __init__(self, message: str, hint: str = "", *, rule: str = "") -> None:
        super().__init__(message, hint)
        self.rule = rule


class HighlightAlignmentError(AcquisitionError):
    """A highlight is not exactly in the stored text, stands there twice, or crosses passages (R31 to R33).

    The captured document stays stored.
    """

    code = "highlight-alignment"

"""Whom to trust: certificates are always verified (R43).

The bundle is certifi's, or what SSL_CERT_FILE and SSL_CERT_DIR name, which is the way behind a proxy that
inspects traffic. There is no switch that turns verification off.
"""

from __future__ import annotations

import os
import ssl

from cmtui.errors import CertificateRejected

GUIDANCE = (
    "Check the clock and the certificate store of this machine. Behind a proxy that inspects traffic, set "
    "SSL_CERT_FILE to a PEM file that holds its root certificate. Verification always stays on."
)


def ssl_context(provider: str = "") -> ssl.SSLContext:
    """A context that verifies host names and certificates. Raises CertificateRejected for a bad bundle."""
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if not file and not folder:
        import certifi

        file = certifi.where()
    try:
        return ssl.create_default_context(cafile=file or None, capath=folder or None)
    except (OSError, ssl.SSLError):
        raise CertificateRejected(
            f"The certificates in SSL_CERT_FILE ('{file}') cannot be read.",
            "Name an existing PEM file, or unset SSL_CERT_FILE.",
            provider=provider,
        ) from None


def certificate_problem(error: BaseException) -> str | None:
    """What is wrong with a certificate, when that is why a connection failed."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError):
            return f"CERTIFICATE_VERIFY_FAILED: {seen.verify_message}"
        seen = seen.__cause__ or seen.__context__
    return "CERTIFICATE_VERIFY_FAILED" if "CERTIFICATE_VERIFY_FAILED" in str(error) else None

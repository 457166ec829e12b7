"""The rules an answer must keep before its bytes may become a source (R57 to R64).

Each refusal is a CaptureValidationError whose ``rule`` is one of: fetcher, redirect, partial, status,
encoding, length, size, empty, type, charset, form. They hold for every fetcher, an injected one too (R65).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cmtui.discovery.addresses import shown_url
from cmtui.errors import CaptureValidationError

#: What each kind may be served as (R57).
MEDIA_TYPES: Mapping[str, frozenset[str]] = {
    "text": frozenset({"text/plain", "text/markdown", "text/html", "application/xhtml+xml"}),
    "markdown": frozenset({"text/markdown", "text/plain"}),
    "pdf": frozenset({"application/pdf"}),
    "epub": frozenset({"application/epub+zip"}),
}
#: Charsets of text; every other one is refused, never transcoded (R58).
CHARSETS = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
#: A PDF header may stand after junk, but within this many bytes (ISO 32000-1, Annex H).
_PDF_WINDOW = 1024
_EPUB_ENTRY = b"mimetypeapplication/epub+zip"

_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
_MEDIA_TYPE = re.compile(rf"\s*({_NAME}/{_NAME})\s*((?:;[^,]*)?)\s*")
_PARAMETER = re.compile(rf'\s*({_NAME})\s*=\s*("(?:[^"\\]|\\.)*"|{_NAME})\s*')
_META_CHARSET = re.compile(
    rb"""<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([A-Za-z0-9._:-]+)"""
    rb"""|<\?xml\b[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]+)""",
    re.IGNORECASE,
)


def check_answer(answer: Any, *, kind: str, url: str, limit: int) -> tuple[bytes, str, bool]:
    """The exact bytes of a fetcher's answer, their media type, and whether their end was stated.

    ``limit`` is in bytes. A body that ends where the connection does may have been cut: the last value is
    False then. Raises CaptureValidationError.
    """
    status, headers, content = _parts(answer, url)
    check_head(status, headers, url, limit)
    check_size(len(content), url, limit)
    stated = headers.get("content-length")
    if stated is not None and int(stated) != len(content):
        raise _refused(
            "length",
            f"'{shown_url(url)}' stated {int(stated):,} bytes and sent {len(content):,}.",
            "The answer is incomplete or altered; try again later.",
        )
    if not content:
        raise _refused("empty", f"'{shown_url(url)}' answered with nothing.", "Check the address.")
    media_type, charset = _media_type(headers, kind, url)
    if kind in ("text", "markdown"):
        _check_text(content, charset, media_type, url)
    else:
        _check_form(content, kind, url)
    return content, media_type, stated is not None or "transfer-encoding" in headers


def check_head(status: int, headers: Mapping[str, str], url: str, limit: int) -> None:
    """Status, encoding and stated length, before a byte of the body is read (R61, R62)."""
    shown = shown_url(url)
    if 300 <= status < 400:
        to = headers.get("location", "")
        where = f" to '{shown_url(to)}'" if to else ""
        raise _refused(
            "redirect",
            f"'{shown}' answered with a redirect ({status}){where}, which is not followed.",
            "If that is what you want, capture the address it names." if to else "Give the final address.",
        )
    if status == 206:
        raise _refused("partial", f"'{shown}' answered with a part of it (206).", "Try again later.")
    if status != 200:
        hint = "Check the address." if status in (404, 410) else "Open it in a browser to see what it asks."
        raise _refused("status", f"'{shown}' answered with status {status} instead of 200.", hint)
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        raise _refused(
            "encoding",
            f"'{shown}' sent an encoded body ({shown_url(encoding)}) although none was asked for.",
            "Download the file and ingest it.",
        )
    stated = headers.get("content-length")
    if stated is None:
        return
    if not re.fullmatch(r"[0-9]{1,18}", stated.strip()):
        raise _refused(
            "length", f"'{shown}' states a length that is no number.", "Download the file and ingest it."
        )
    check_size(int(stated), url, limit)


def check_size(size: int, url: str, limit: int) -> None:
    """Raise CaptureValidationError when ``size`` bytes are too many."""
    if size > limit:
        raise _refused(
            "size",
            f"'{shown_url(url)}' is larger than the {limit:,} bytes that are allowed.",
            "Allow more with --max-bytes, or download the file and ingest it.",
        )


# -- the parts of an answer --------------------------------------------------------------------------


def _parts(answer: Any, url: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers with lower-case names, and content, when they are of the right types (R65)."""
    what = None
    status = headers = content = None
    if isinstance(answer, Mapping):
        status, headers, content = answer.get("status"), answer.get("headers"), answer.get("content")
    else:
        what = "no mapping"
    lowered: dict[str, str] = {}
    if what is None and (isinstance(status, bool) or not isinstance(status, int)):
        what = "no whole number as its status"
    elif what is None and not isinstance(headers, Mapping):
        what = "no mapping of headers"
    elif isinstance(headers, Mapping):
        for name, value in headers.items():
            if not isinstance(name, str) or not isinstance(value, str):
                what = "a header that is no text"
                break
            if lowered.setdefault(name.lower(), value) != value:
                what = f"two values of the header '{shown_url(name.lower())}'"
                break
    if what is None and type(content) is not bytes:
        what = "content that is not immutable bytes"
    if what is not None:
        raise _refused(
            "fetcher",
            f"The fetcher answered for '{shown_url(url)}' with {what}.",
            "A fetcher returns {status: int, headers: {str: str}, content: bytes}.",
        )
    assert isinstance(status, int)
    assert isinstance(content, bytes)
    return status, lowered, content


def _media_type(headers: Mapping[str, str], kind: str, url: str) -> tuple[str, str | None]:
    """The media type, when the kind may be served as it, and the charset it states."""
    shown = shown_url(url)
    stated = headers.get("content-type", "")
    match = _MEDIA_TYPE.fullmatch(stated)
    if match is None:
        what = f"an unreadable one ('{shown_url(stated)}')" if stated.strip() else "none"
        raise _refused(
            "type",
            f"A Content-Type is needed, and '{shown}' gave {what}.",
            "Download the file and ingest it.",
        )
    media_type = match.group(1).lower()
    if media_type not in MEDIA_TYPES[kind]:
        right = next((other for other, types in MEDIA_TYPES.items() if media_type in types), None)
        hint = f"Say what it is: --kind {right}." if right else "Download the file and ingest it."
        raise _refused("type", f"'{shown}' was served as {media_type}, which is not {kind}.", hint)
    return media_type, _charset(match.group(2), shown)


def _charset(parameters: str, shown: str) -> str | None:
    found: str | None = None
    for part in parameters.split(";"):
        if not part.strip():
            continue
        match = _PARAMETER.fullmatch(part)
        if match is not None and match.group(1).lower() == "charset":
            value = match.group(2).strip('"').lower()
            if found not in (None, value):
                raise _refused("charset", f"'{shown}' states two charsets.", "Download and ingest the file.")
            found = value
        elif match is None and "charset" in part.lower():
            raise _refused(
                "charset", f"'{shown}' states a charset that cannot be read.", "Download and ingest the file."
            )
    return found


# -- what the bytes are ------------------------------------------------------------------------------


def _check_text(content: bytes, charset: str | None, media_type: str, url: str) -> None:
    shown = shown_url(url)
    by_hand = "Download the file and ingest it with --encoding."
    if charset is not None and charset not in CHARSETS:
        raise _refused(
            "charset",
            f"'{shown}' is encoded as {shown_url(charset)}; only UTF-8 and ASCII are captured.",
            by_hand,
        )
    if content.startswith((b"%PDF-", b"PK\x03\x04", b"PK\x05\x06")):
        what, kind = ("a PDF", "pdf") if content.startswith(b"%PDF-") else ("a zip archive", "epub")
        raise _refused("form", f"'{shown}' was served as {media_type} and is {what}.", f"Try --kind {kind}.")
    try:
        content.decode("ascii" if charset in ("us-ascii", "ascii") else "utf-8", errors="strict")
    except UnicodeDecodeError as error:
        name = "ASCII" if charset in ("us-ascii", "ascii") else "UTF-8"
        raise _refused(
            "charset", f"'{shown}' is not valid {name}: byte {error.start:,} does not decode.", by_hand
        ) from None
    if b"\0" in content:
        raise _refused("charset", f"'{shown}' holds NUL bytes, so it is not UTF-8 text.", by_hand)
    if charset is None and not content.isascii() and media_type != "text/plain":
        _check_stated(content, shown, by_hand)


def _check_stated(content: bytes, shown: str, by_hand: str) -> None:
    """A page that calls itself something else than UTF-8 is not read as UTF-8 by guess (R58)."""
    match = _META_CHARSET.search(content[:_PDF_WINDOW])
    if match is None or content.startswith(b"\xef\xbb\xbf"):
        return
    stated = (match.group(1) or match.group(2)).decode("ascii").lower()
    if stated not in CHARSETS:
        raise _refused("charset", f"'{shown}' says of itself that it is encoded as {stated}.", by_hand)


def _check_form(content: bytes, kind: str, url: str) -> None:
    """The first bytes of a PDF or EPUB; the reader checks all the rest (R64)."""
    shown = shown_url(url)
    if kind == "pdf" and b"%PDF-" not in content[:_PDF_WINDOW]:
        what = "an HTML page" if _looks_like_html(content) else "not a PDF"
        raise _refused(
            "form",
            f"'{shown}' was served as application/pdf and is {what}.",
            "It may be an error page or a login; open it in a browser.",
        )
    if kind == "epub" and not (content.startswith(b"PK\x03\x04") and content[30:58] == _EPUB_ENTRY):
        raise _refused(
            "form",
            f"'{shown}' was served as an EPUB and does not begin as one.",
            "Open it in a browser to see what it is.",
        )


def _looks_like_html(content: bytes) -> bool:
    head = content[:_PDF_WINDOW].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return head.startswith((b"<!doctype html", b"<html"))


def _refused(rule: str, message: str, hint: str) -> CaptureValidationError:
    return CaptureValidationError(message, hint, rule=rule)

"""DOIs, ISBNs, arXiv ids and addresses: one written form for each, or none. What is broken is refused."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060\ufeff\u00ad]")
_PREFIX = re.compile(r"(?:urn:doi:|info:doi/|doi:)\s*", re.IGNORECASE)
_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+")
_HOSTS = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})
_PUBLISHER = re.compile(
    r"/(?:doi/(?:(?:abs|full|pdf|epdf|book|pdfdirect|10)/)?|article/|chapter/|book/)(10\.\d{4,9}.*)$"
)
_CLOSING = {")": "(", "]": "[", "}": "{", ">": "<", "»": "«", "”": "“"}


def normalise_doi(text: str) -> str | None:
    """The DOI in lower case without resolver or label, or None when this is no DOI.

    Understood: ``doi:``, ``urn:doi:``, ``info:doi/``, doi.org and publishers' ``/doi/`` addresses with their
    percent-encoding. Punctuation that closes a sentence is dropped; brackets that belong (SICI) stay. A bare
    DOI is not unquoted, for a per cent sign may be part of it. A blank inside is not a DOI.
    """
    doi = _ZERO_WIDTH.sub("", unicodedata.normalize("NFC", text)).strip().strip("\"'“”‘’<").strip()
    if "://" in doi or doi.lower().startswith(("doi.org/", "dx.doi.org/", "www.doi.org/")):
        found = _from_url(doi)
        if found is None:
            return None
        doi = found
    doi = _PREFIX.sub("", doi, count=1) if _PREFIX.match(doi) else doi
    if "/" not in doi and "%2f" in doi.lower():
        doi = unquote(doi)
    doi = _without_closing(doi)
    return doi.lower() if _DOI.fullmatch(doi) else None


def _from_url(text: str) -> str | None:
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        host = (parts.hostname or "").lower()
    except ValueError:
        return None
    if host in _HOSTS:
        # SICI DOIs hold '#', which people leave unquoted; a fragment never follows a resolver's address.
        fragment = f"#{parts.fragment}" if parts.fragment and parts.path.endswith("-") else ""
        return unquote(parts.path).lstrip("/") + fragment
    match = _PUBLISHER.search(unquote(parts.path))
    return match[1].rstrip("/") if match else None


def _without_closing(doi: str) -> str:
    while doi:
        last = doi[-1]
        opening = _CLOSING.get(last)
        if last in ".,;:\"'’" or (opening is not None and doi.count(last) > doi.count(opening)):
            doi = doi[:-1]
        else:
            break
    return doi


def doi_url(doi: str) -> str:
    """The address of a DOI, with what a URL cannot hold percent-encoded."""
    return "https://doi.org/" + quote(doi, safe="/():;,!*'@$&=+~")


def doi_path(doi: str) -> str:
    """The DOI as one part of a provider's path: only its first slash stays a slash."""
    prefix, _, suffix = doi.partition("/")
    return f"{prefix}/{quote(suffix, safe='():;,')}"


#: arXiv's ids since April 2007, and the older ones with their archive (``hep-th/9901001``).
_ARXIV = re.compile(
    r"(?:arxiv:|10\.48550/arxiv\.|(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/)?"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?/?",
    re.IGNORECASE,
)
_TRACKING = re.compile(r"utm_\w+|gclid|fbclid|ref", re.IGNORECASE)
_PORTS = {"http": 80, "https": 443}


def arxiv_id(text: str) -> str | None:
    """The arXiv id in lower case without its version, from an id, label, DOI or address, or None."""
    match = _ARXIV.fullmatch(text.strip().partition("#")[0].partition("?")[0])
    return match[1].lower() if match else None


def url_identity(url: str) -> str | None:
    """What makes two addresses the same page, or None when this is no web address.

    Host in lower case, no default port, no fragment, no parameters of trackers, no last slash; http and https
    are one. Only for comparing: the address as it was given is what is shown and fetched.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS or not host:
        return None
    place = host if port in (None, _PORTS[scheme]) else f"{host}:{port}"
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    query = urlencode([(name, value) for name, value in pairs if not _TRACKING.fullmatch(name)])
    path = quote(unquote(parts.path), safe="/:@!$&'()*+,;=~").rstrip("/")
    return f"//{place}{path}" + (f"?{query}" if query else "")


def normalise_isbn(text: str) -> str | None:
    """The ISBN as 13 digits, or None when the length or the check digit is wrong (ISO 2108)."""
    digits = re.sub(r"^\s*(?:urn:isbn:|isbn(?:-1[03])?:?)|[\s\u2010-\u2015-]", "", text, flags=re.IGNORECASE)
    digits = digits.upper()
    if re.fullmatch(r"\d{9}[\dX]", digits, re.ASCII):
        total = sum((10 - place) * (10 if d == "X" else int(d)) for place, d in enumerate(digits))
        if total % 11:
            return None
        digits = "978" + digits[:9]
        return digits + str(-_weighted(digits) % 10)
    if re.fullmatch(r"97[89]\d{10}", digits, re.ASCII) and _weighted(digits) % 10 == 0:
        return digits
    return None


def _weighted(digits: str) -> int:
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))

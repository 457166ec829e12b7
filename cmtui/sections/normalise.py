"""The key of a query in the cache (R155, R156)."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

#: Changes when the cleaner or the normaliser does: old answers are then not found again.
VERSION = "cmtui-topic/1"

_MARKS = re.compile(r"[^\w\s-]|_|(?<!\w)-|-(?!\w)")


def normalise(text: str) -> str:
    """Lower case, without punctuation except hyphens inside words, one blank between words (NFKC)."""
    low = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_MARKS.sub(" ", low).split())


def query_hash(query: str, *, providers: Sequence[str], language: str | None) -> str:
    """SHA-256, in hexadecimal, of the normalised query with what else an answer depends on."""
    key = "\n".join((VERSION, ",".join(sorted(providers)), language or "", normalise(query)))
    return hashlib.sha256(key.encode("utf-8")).hexdigest()

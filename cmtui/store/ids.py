"""Ids are 64 lower-case hex digits; people may write any unique prefix of at least four."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice

from cmtui.errors import AmbiguousId, InvalidRequest, NotFound

#: Length of a full id: SHA-256 in hex, never truncated (R10).
ID_LENGTH = 64
#: The shortest prefix that is looked up.
MIN_PREFIX = 4
#: Candidates an AmbiguousId names.
MAX_CANDIDATES = 5

_ID = re.compile(r"[0-9a-f]{64}\Z")
_PREFIX = re.compile(r"[0-9a-f]+\Z")


def is_id(value: str) -> bool:
    """Whether ``value`` is a full id."""
    return _ID.match(value) is not None


def require_id(value: str, what: str) -> str:
    """``value`` if it is a full id. Raises InvalidRequest: ids become file names, so nothing else may."""
    if not is_id(value):
        raise InvalidRequest(f"not a {what} id: {value!r}", "an id is 64 lower-case hex digits")
    return value


def resolve(value: str, ids: Sequence[str], what: str) -> str:
    """The one id in ``ids`` (sorted) that is or starts with ``value``.

    Raises NotFound, and AmbiguousId naming up to five candidates.
    """
    prefix = value.strip().lower()
    at = bisect_left(ids, prefix)
    if at < len(ids) and ids[at] == prefix:
        return prefix
    if _PREFIX.match(prefix) is None or len(prefix) > ID_LENGTH:
        raise NotFound(f"no {what} {value!r}", "an id is 64 hex digits, or the first four or more of them")
    if len(prefix) < MIN_PREFIX:
        raise NotFound(f"no {what} {value!r}", f"give at least {MIN_PREFIX} hex digits of the id")
    found: list[str] = []
    for candidate in islice(ids, at, None):
        if not candidate.startswith(prefix) or len(found) > MAX_CANDIDATES:
            break
        found.append(candidate)
    if not found:
        raise NotFound(f"no {what} {value!r} in this store", "list what there is, then give one of its ids")
    if len(found) > 1:
        # Enough digits to tell the candidates apart, never fewer than people are used to.
        width = max(12, len(prefix) + 4)
        names = ", ".join(candidate[:width] for candidate in found[:MAX_CANDIDATES])
        more = ", ..." if len(found) > MAX_CANDIDATES else ""
        raise AmbiguousId(
            f"{value!r} names more than one {what}: {names}{more}", "give more digits of the id"
        )
    return found[0]

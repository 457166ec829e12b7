"""JSON-like values: what may stand in discovery metadata, and nothing that hides behaviour or identity."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

#: Nesting beyond which an answer is taken for an attack on the parser.
MAX_DEPTH = 64


class NotJsonLike(ValueError):
    """A value is no JSON value; the message is its place and type, never the value."""


def json_like(value: Any, *, drop: Callable[[str], bool] | None = None, where: str = "$") -> Any:
    """A deep copy of ``value`` in plain dicts, lists, strings, finite numbers, booleans and None.

    Mappings become dicts and tuples lists. Keys for which ``drop`` is true are left out at every depth.
    Raises NotJsonLike for anything else: SDK objects, bytes, sets, NaN, keys that are no strings.
    """
    return _copy(value, drop, where, 0)


def clean_text(text: str) -> str:
    """A text that UTF-8 can hold: lone surrogates, which JSON can smuggle in, become question marks."""
    return str(text) if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _copy(value: Any, drop: Callable[[str], bool] | None, where: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise NotJsonLike(f"{where[:80]} is nested too deeply")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise NotJsonLike(f"{where[:80]} is a number of more than 64 bits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotJsonLike(f"{where} is no finite number")
        return float(value)
    if isinstance(value, Mapping):
        copied = {}
        for key, inner in value.items():
            if not isinstance(key, str):
                raise NotJsonLike(f"{where} has a key of type {type(key).__name__}")
            if drop is None or not drop(key):
                copied[clean_text(key)] = _copy(inner, drop, f"{where}.{key}", depth + 1)
        return copied
    if isinstance(value, (list, tuple)):
        return [_copy(inner, drop, f"{where}[{at}]", depth + 1) for at, inner in enumerate(value)]
    raise NotJsonLike(f"{where} is a {type(value).__name__}")

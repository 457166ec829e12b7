"""Names of keys: as people write them in the settings, as Textual names them, and as they are shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

#: Where Textual's name of a character is not its Unicode name.
_RENAMED = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}

_NAMED = {
    **{name: name for name in ("space", "tab", "enter", "escape", "backspace", "delete", "insert")},
    **{name: name for name in ("up", "down", "left", "right", "home", "end", "pageup", "pagedown")},
    **{f"f{number}": f"f{number}" for number in range(1, 25)},
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "pgup": "pageup",
    "pgdn": "pagedown",
}

_SHOWN = {"escape": "esc", "pageup": "pgup", "pagedown": "pgdn", "up": "↑", "down": "↓"}

_MODIFIERS = ("ctrl", "alt", "shift", "super")


def key_name(text: str) -> str | None:
    """Textual's name of a key written as ``+``, ``a``, ``ctrl+r``, ``alt+<`` or ``f5``; None if none."""
    text = text.strip()
    parts = text.split("+") if len(text) > 1 else [text]
    if len(text) > 1 and text.endswith("+"):
        parts = [*text[:-2].split("+"), "+"]
    *modifiers, key = parts
    if any(modifier.lower() not in _MODIFIERS for modifier in modifiers) or not key:
        return None
    named = _character(key) if len(key) == 1 else _NAMED.get(key.lower()) or _spelled(key.lower())
    if named is None:
        return None
    return "+".join([*(modifier.lower() for modifier in modifiers), named])


def _character(character: str) -> str | None:
    if character.isalnum():
        return character
    try:
        name = unicodedata.name(character).lower().replace("-", "_").replace(" ", "_")
    except ValueError:
        return None
    return _RENAMED.get(name, name)


def _spelled(name: str) -> str | None:
    """A character by Textual's name of it, such as ``question_mark``."""
    return name if _letter(name) is not None else None


def _letter(name: str) -> str | None:
    return _signs().get(name)


@cache
def _signs() -> dict[str, str]:
    """The signs that stand on keyboards, by Textual's name of each."""
    signs = (chr(code) for code in (*range(0x21, 0x7F), *range(0xA1, 0x100), 0x20AC))
    return {name: sign for sign in signs if not sign.isalnum() and (name := _character(sign)) is not None}


def shown_key(name: str) -> str:
    """How a key is printed: ``?`` for ``question_mark``, ``esc`` for ``escape``."""
    *modifiers, key = name.split("+")
    plain = key in _NAMED or len(key) == 1
    return "+".join([*modifiers, _SHOWN.get(key, key) if plain else _letter(key) or key])


def shown_keys(names: Sequence[str]) -> str:
    """Several keys, the first two alone, for want of room."""
    return " ".join(shown_key(name) for name in names[:2])

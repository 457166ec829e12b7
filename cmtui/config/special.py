"""Settings whose values have a form of their own: the way of copying, and the keymap."""

from __future__ import annotations

from typing import Any

from cmtui.config.rules import Raw, choice_of, nearest, text_of
from cmtui.errors import ConfigError
from cmtui.keymap import ACTIONS, PRESETS, KeymapSetting, key_name

CLIPBOARDS = ("auto", "osc52", "tmux", "file")

CLIPBOARD_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"enum": [*CLIPBOARDS]},
        {"type": "string", "pattern": "^command:"},
        {
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
            "additionalProperties": False,
        },
    ]
}


def clipboard(name: str, raw: Raw, where: str) -> str:
    """``auto``, ``osc52``, ``tmux``, ``file``, ``command: PROGRAM ARGS``, or a mapping with ``command``."""
    if isinstance(raw, dict):
        if [*raw] != ["command"]:
            odd = next((key for key in raw if key != "command"), "")
            raise ConfigError(f"{where}: unknown key '{name}.{odd}'.", f"Did you mean '{name}.command'?")
        return f"command: {text_of(f'{name}.command', raw['command'][0], where)}"
    text = text_of(name, raw, where)
    return text if text.startswith("command:") else choice_of(name, text, CLIPBOARDS, where)


def keymap_schema() -> dict[str, Any]:
    """The schema of ``keymap``: every action id may be named."""
    keys = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
    ids = {
        action.id: {**keys, "description": f"{action.description} (default: {' '.join(action.keys)})"}
        for action in ACTIONS
    }
    return {
        "anyOf": [
            {"enum": [*PRESETS]},
            {
                "type": "object",
                "properties": {"preset": {"enum": [*PRESETS]}, **ids},
                "additionalProperties": False,
            },
        ]
    }


def keymap(name: str, raw: Raw, where: str) -> KeymapSetting:
    """``vim``, or ``{preset: vim, review.accept: [a, +]}``: keys by action id over a preset."""
    if not isinstance(raw, dict):
        return KeymapSetting(choice_of(name, text_of(name, raw, where, "vim"), tuple(PRESETS), where))
    file = where.rpartition(", line ")[0] or where
    preset, keys = "default", {}
    ids = tuple(action.id for action in ACTIONS)
    for action, (value, line) in _flat(raw).items():
        at = f"{file}, line {line}"
        if action == "preset":
            preset = choice_of("keymap.preset", text_of("keymap.preset", value, at), tuple(PRESETS), at)
            continue
        if action not in ids:
            raise ConfigError(
                f"{at}: unknown action '{action}'.",
                nearest(action, ids, "Actions") if _near(action, ids) else "See: citation-machine keys",
            )
        keys[action] = _keys(action, value, at)
    return KeymapSetting(preset, keys)


def _near(action: str, ids: tuple[str, ...]) -> bool:
    return nearest(action, ids, "").startswith("Did you mean")


def _flat(raw: dict[str, tuple[Raw, int]], prefix: str = "") -> dict[str, tuple[Raw, int]]:
    """``{review: {accept: a}}`` as ``{review.accept: a}``."""
    flat: dict[str, tuple[Raw, int]] = {}
    for key, (value, line) in raw.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = (value, line)
    return flat


def _keys(action: str, value: Raw, where: str) -> tuple[str, ...]:
    words: tuple[str, ...] = ()
    if isinstance(value, bool):
        words = ("y" if value else "n",)  # YAML takes a bare y or n for a truth value.
    elif isinstance(value, tuple):
        words = value
    elif isinstance(value, str):
        words = (",",) if value.strip() == "," else tuple(value.replace(",", " ").split())
    names = [key_name(word) for word in words]
    if not names or None in names:
        bad = next((word for word, name in zip(words, names, strict=True) if name is None), "")
        raise ConfigError(
            f"{where}: '{bad}' is no key for {action}." if bad else f"{where}: {action} needs a key.",
            "Write a letter, a sign, or a name such as space, enter, f5, ctrl+r or alt+x.",
        )
    return tuple(name for name in names if name is not None)

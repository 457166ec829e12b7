"""What a setting may be: its type, its limits, its words, and how a value is read from text.

A group of settings is a frozen dataclass whose fields are made with ``setting``. Adding one to the file, the
environment, ``config show``, the JSON schema and the messages for wrong values takes these lines::

    @dataclass(frozen=True, slots=True)
    class SearchSettings:
        engine: str = setting("whoosh", "What finds words.", choices=("whoosh", "tantivy"))

and ``search: SearchSettings = section(SearchSettings)`` in ``Settings``. Types: str, str | None, bool, int,
float, Path, tuple[str, ...], or any type with a ``parse`` of its own.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from pathlib import Path
from typing import Any

from cmtui.errors import ConfigError

#: A value as it stands in the file: text, true or false, a list of texts, or ``key: value`` lines with the
#: line number of each.
Raw = str | bool | tuple[str, ...] | dict[str, tuple["Raw", int]]

#: Reads a value of a setting: its name, the raw value, and where it stands. Raises ConfigError.
Parse = Callable[[str, Any, str], Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """What a setting allows. ``env`` is its environment variable where that is not ``CMTUI_<NAME>``.

    ``low`` and ``high`` are inclusive limits of a number, ``above`` an exclusive lower one; ``most`` is the
    longest list. ``shape`` is ``url`` or ``e-mail`` for texts of that form. ``schema`` is JSON schema for a
    value that ``parse`` reads.
    """

    doc: str
    env: str = ""
    choices: tuple[str, ...] = ()
    low: float | None = None
    above: float | None = None
    high: float | None = None
    most: int = 0
    shape: str = ""
    unit: str = ""
    example: str = ""
    parse: Parse | None = None
    schema: Mapping[str, Any] | None = None


def setting(default: Any, doc: str, **limits: Any) -> Any:
    """A field of a group: its default, what it does in one sentence, and its limits (see ``Rule``)."""
    if default is MISSING:
        return field(metadata={"rule": Rule(doc, **limits)})
    if isinstance(default, dict | list):
        return field(default_factory=lambda: default, metadata={"rule": Rule(doc, **limits)})
    return field(default=default, metadata={"rule": Rule(doc, **limits)})


def section(group: type, doc: str = "") -> Any:
    """A field that holds a group of settings."""
    return field(default_factory=group, metadata={"section": group, "doc": doc or _summary(group)})


def _summary(group: type) -> str:
    return (group.__doc__ or "").strip().split("\n", 1)[0]


@dataclass(frozen=True, slots=True)
class Spec:
    """One setting by its dotted name."""

    name: str
    type: Any
    rule: Rule
    default: Any = None

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        return self.rule.env or "CMTUI_" + self.name.removeprefix("providers.").replace(".", "_").upper()


def read_value(spec: Spec, raw: Raw, where: str) -> Any:
    """The value of a setting. ``where`` begins the message of a ConfigError: file and line, or variable."""
    rule, name = spec.rule, spec.name
    if rule.parse is not None:
        return rule.parse(name, raw, where)
    if spec.type is bool:
        return _flag(name, raw, where)
    if spec.type in (int, float):
        return _number(spec, raw, where)
    if spec.type == tuple[str, ...]:
        return _list(spec, raw, where)
    text = text_of(name, raw, where, rule.example)
    if spec.type is Path:
        return Path(os.path.expandvars(text)).expanduser()
    if rule.choices:
        return choice_of(name, text, rule.choices, where)
    _check_shape(name, text, rule, where)
    return text


def text_of(name: str, raw: Raw, where: str, example: str = "") -> str:
    """The text, not blank. Raises ConfigError."""
    if not isinstance(raw, str) or not raw.strip():
        raise ConfigError(
            f"{where}: {name} must be a text.", f"Write {name}: {example or 'VALUE'}, or delete the line."
        )
    return raw.strip()


def choice_of(name: str, text: str, valid: Sequence[str], where: str) -> str:
    """The choice, in lower case. Raises ConfigError with the nearest."""
    text = text.strip().lower()
    if text not in valid:
        raise ConfigError(f"{where}: {name} cannot be '{text}'.", nearest(text, valid, "Valid values"))
    return text


def nearest(text: str, valid: Sequence[str], what: str, prefix: str = "") -> str:
    """The advice for a name that is none of ``valid``: the nearest, else all of them."""
    near = difflib.get_close_matches(text, valid, n=1, cutoff=0.4)
    return f"Did you mean '{prefix}{near[0]}'?" if near else f"{what}: {', '.join(valid)}."


def _flag(name: str, raw: Raw, where: str) -> bool:
    if isinstance(raw, bool):
        return raw
    words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False}
    found = {**words, "0": False}.get(raw.strip().lower()) if isinstance(raw, str) else None
    if found is None:
        raise ConfigError(f"{where}: {name} must be true or false.", "Write true or false.")
    return found


def _number(spec: Spec, raw: Raw, where: str) -> int | float:
    rule = spec.rule
    try:
        if not isinstance(raw, str):
            raise ValueError(raw)
        value: int | float = int(raw) if spec.type is int else float(raw)
    except ValueError:
        value = float("nan")
    low_ok = (rule.low is None or value >= rule.low) and (rule.above is None or value > rule.above)
    if value != value or not low_ok or (rule.high is not None and value > rule.high):
        raise ConfigError(
            f"{where}: {spec.name} must be {limits_of(spec)}.",
            f"Write {spec.name.rpartition('.')[2]}: {_plain(spec.default)}.",
        )
    return value


def limits_of(spec: Spec) -> str:
    """The limits of a number in words: ``seconds, above 0 and up to 600``."""
    rule = spec.rule
    noun = rule.unit or ("a whole number" if spec.type is int else "a number")
    bounds = []
    if rule.above is not None:
        bounds.append(f"above {_plain(rule.above)}")
    if rule.low is not None:
        bounds.append(f"from {_plain(rule.low)}")
    if rule.high is not None:
        bounds.append(f"up to {_plain(rule.high)}")
    return f"{noun}, {' and '.join(bounds)}" if bounds else noun


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _list(spec: Spec, raw: Raw, where: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in raw.split(",")) if isinstance(raw, str) else raw
    most = spec.rule.most or 100
    if not isinstance(words, tuple) or not 1 <= len(words) <= most or not all(words):
        example = spec.rule.example or "[one, two]"
        raise ConfigError(f"{where}: {spec.name} must be a list of 1 to {most}.", f"Write {example}.")
    if spec.rule.choices:
        return tuple(choice_of(spec.name, word, spec.rule.choices, where) for word in words)
    return words


def _check_shape(name: str, text: str, rule: Rule, where: str) -> None:
    if rule.shape == "url" and not text.startswith(("https://", "http://")):
        raise ConfigError(f"{where}: {name} must be an address.", "Write https://host/path.")
    if rule.shape == "e-mail" and ("@" not in text or any(character.isspace() for character in text)):
        raise ConfigError(f"{where}: {name} must be an e-mail address.", "Write name@example.org.")

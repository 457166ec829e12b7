"""The settings file as (name, raw value, line): unknown keys are errors that name the nearest valid one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.config.rules import Raw, Spec, nearest
from cmtui.errors import ConfigError

if TYPE_CHECKING:
    import yaml

#: Keys that people look for under another name, and where it is.
MOVED: Mapping[str, str] = {
    "thresholds": "Thresholds stand under sections: (min_score, min_relevance).",
    "exa": "Providers stand under providers:.",
}

#: A key that looks like one for a secret is refused with the way that is right (R42).
_SECRET = ("api_key", "apikey", "token", "secret", "password")


def read_file(path: Path, specs: Mapping[str, Spec]) -> list[tuple[str, Raw, int]]:
    """Name, value and line (1-based) of every setting of the file. Raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"The settings file {path} cannot be read: {error}.", "Make it readable UTF-8 text, or move it."
        ) from error
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark is not None else ""
        raise ConfigError(f"{path}{place}: this is not YAML.", "Write one 'key: value' per line.") from error
    return [] if root is None else _walk(root, path, specs, "")


def _walk(node: yaml.Node, path: Path, specs: Mapping[str, Spec], prefix: str) -> list[tuple[str, Raw, int]]:
    """The settings below ``prefix`` (empty, or ending in a point)."""
    valid = tuple(
        dict.fromkeys(
            name.removeprefix(prefix).partition(".")[0] for name in specs if name.startswith(prefix)
        )
    )
    found: list[tuple[str, Raw, int]] = []
    seen: dict[str, int] = {}
    for key, value in _pairs(node, path, valid, prefix):
        name, line = f"{prefix}{key.value}", key.start_mark.line + 1
        if name in seen:
            raise ConfigError(
                f"{path}, line {line}: {name} stands on line {seen[name]} already.", "Delete one of them."
            )
        seen[name] = line
        if name in specs:
            found.append((name, _raw(value), line))
        else:
            found += _walk(value, path, specs, f"{name}.")
    return found


def _pairs(
    node: yaml.Node, path: Path, valid: tuple[str, ...], prefix: str
) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    import yaml

    if not isinstance(node, yaml.MappingNode):
        name = prefix.rstrip(".") or "The file"
        raise ConfigError(
            f"{path}, line {node.start_mark.line + 1}: {name} must hold 'key: value' lines.",
            f"Valid keys: {', '.join(valid)}.",
        )
    pairs = []
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.value not in valid:
            text = str(key.value) if isinstance(key, yaml.ScalarNode) else "a list or mapping"
            message = f"{path}, line {key.start_mark.line + 1}: unknown key '{prefix}{text}'."
            if any(word in text.lower() for word in _SECRET):
                raise ConfigError(message, "A secret stands in the environment alone, never in a file.")
            if not prefix and text in MOVED:
                raise ConfigError(message, MOVED[text])
            raise ConfigError(message, nearest(text, valid, "Valid keys", prefix))
        pairs.append((key, value))
    return pairs


def _raw(node: yaml.Node) -> Raw:
    import yaml

    if isinstance(node, yaml.SequenceNode):
        return tuple(str(item.value) for item in node.value)
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): (_raw(value), key.start_mark.line + 1) for key, value in node.value}
    if isinstance(node, yaml.ScalarNode):
        if node.tag == "tag:yaml.org,2002:bool":
            return str(node.value).lower() in ("true", "yes", "on")
        return "" if node.tag == "tag:yaml.org,2002:null" else str(node.value)
    return ""

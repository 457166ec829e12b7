"""Settings of the application: ``$XDG_CONFIG_HOME/cmtui/config.yaml`` and the environment.

Everything is optional. The environment wins over the file, the file over the default. An unknown key is an
error that names the file, the line and the nearest valid key, so that a typo never passes for a setting.
"""

from __future__ import annotations

import difflib
import getpass
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.errors import ConfigError
from cmtui.model.lookup import CROSSREF, DATACITE, ProviderSettings

if TYPE_CHECKING:
    import yaml

#: Reasons offered after a rejection, in the order of the digits that pick them.
REJECT_REASONS = ("off-topic", "figurative", "wrong subject", "wrong relation", "other")

#: Citation styles a setting may name; the engine has the same list (R106).
STYLES = ("mla", "apa", "chicago", "chicago-notes", "ieee", "bibtex")

#: Citation engines a setting may name; the chosen one is never replaced by another silently.
CITATION_ENGINES = ("citeproc-py", "pandoc")


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """How reviewing behaves: whether a decision moves on, and which reasons a rejection offers."""

    auto_advance: bool = True
    reject_reasons: tuple[str, ...] = REJECT_REASONS


def _providers() -> Mapping[str, ProviderSettings]:
    return {"crossref": CROSSREF, "datacite": DATACITE}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a person can set. ``origins`` says for each name where its value came from.

    ``theme`` is a theme name or ``auto``. ``clipboard`` is ``auto``, ``osc52``, ``tmux``, ``file`` or
    ``command: PROGRAM ARGS``. ``providers`` says where each provider is and how it is asked; nothing is asked
    but on an explicit command (D1), and no key ever stands in a file (R42).
    """

    store: Path
    demo_store: Path
    reviewer: str
    theme: str = "auto"
    citation_style: str = "mla"
    citation_engine: str = "citeproc-py"
    clipboard: str = "auto"
    review: ReviewSettings = field(default_factory=ReviewSettings)
    providers: Mapping[str, ProviderSettings] = field(default_factory=_providers)
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)


#: Environment names and the setting each one sets.
ENVIRONMENT: Mapping[str, str] = {
    "CMTUI_STORE": "store",
    "CMTUI_DEMO_STORE": "demo_store",
    "CMTUI_REVIEWER": "reviewer",
    "CMTUI_THEME": "theme",
    "CMTUI_STYLE": "citation_style",
    "CMTUI_CITATION_ENGINE": "citation_engine",
    "CMTUI_CLIPBOARD": "clipboard",
    "CMTUI_CROSSREF_BASE_URL": "providers.crossref.base_url",
    "CMTUI_CROSSREF_MAILTO": "providers.crossref.mailto",
    "CMTUI_DATACITE_BASE_URL": "providers.datacite.base_url",
}

_KEYS = tuple(item.name for item in fields(Settings) if item.name != "origins")
_REVIEW_KEYS = tuple(item.name for item in fields(ReviewSettings))
_PROVIDER_KEYS = tuple(item.name for item in fields(ProviderSettings))


def config_path(environ: Mapping[str, str] | None = None) -> Path:
    """Where the settings file is looked for: ``CMTUI_CONFIG``, else the XDG or platform folder."""
    env = os.environ if environ is None else environ
    if env.get("CMTUI_CONFIG"):
        return Path(env["CMTUI_CONFIG"]).expanduser()
    if env.get("XDG_CONFIG_HOME"):
        return Path(env["XDG_CONFIG_HOME"]).expanduser() / "cmtui" / "config.yaml"
    from platformdirs import user_config_path

    return user_config_path("cmtui", appauthor=False) / "config.yaml"


def data_dir(environ: Mapping[str, str] | None = None) -> Path:
    """Where stores live by default: the XDG or platform data folder."""
    env = os.environ if environ is None else environ
    if env.get("XDG_DATA_HOME"):
        return Path(env["XDG_DATA_HOME"]).expanduser() / "cmtui"
    from platformdirs import user_data_path

    return user_data_path("cmtui", appauthor=False)


def load(environ: Mapping[str, str] | None = None, path: Path | None = None) -> Settings:
    """The settings in force. Raises ConfigError for an unreadable file, an unknown key or a bad value."""
    env = os.environ if environ is None else environ
    where = config_path(env) if path is None else path
    settings = Settings(
        store=data_dir(env) / "store", demo_store=data_dir(env) / "demo-store", reviewer=_user(env)
    )
    origins = dict.fromkeys(_KEYS, "default")
    for name, value, line in _read(where):
        settings = _apply(settings, name, value, f"{where}, line {line}")
        origins[name.partition(".")[0]] = f"{where}:{line}"
    for variable, name in ENVIRONMENT.items():
        if env.get(variable):
            settings = _apply(settings, name, env[variable], f"environment variable {variable}")
            origins[name] = variable
    return replace(settings, origins=origins)


def _user(env: Mapping[str, str]) -> str:
    for variable in ("USER", "LOGNAME", "USERNAME"):
        if env.get(variable):
            return env[variable]
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "reviewer"


_Value = str | bool | tuple[str, ...]


def _read(path: Path) -> list[tuple[str, _Value, int]]:
    """Name, value and line (1-based) of every setting of the file; names of sections are dotted."""
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
    if root is None:
        return []
    found: list[tuple[str, _Value, int]] = []
    for key, node in _pairs(root, path, _KEYS, ""):
        line = key.start_mark.line + 1
        if key.value == "review":
            for inner, leaf in _pairs(node, path, _REVIEW_KEYS, "review."):
                found.append((f"review.{inner.value}", _leaf(leaf), inner.start_mark.line + 1))
        elif key.value == "providers":
            for name, section in _pairs(node, path, tuple(_providers()), "providers."):
                prefix = f"providers.{name.value}."
                for inner, leaf in _pairs(section, path, _PROVIDER_KEYS, prefix):
                    found.append((f"{prefix}{inner.value}", _leaf(leaf), inner.start_mark.line + 1))
        elif key.value == "clipboard" and isinstance(node, yaml.MappingNode):
            for inner, leaf in _pairs(node, path, ("command",), "clipboard."):
                found.append(("clipboard", f"command: {_leaf(leaf)}", inner.start_mark.line + 1))
        else:
            found.append((key.value, _leaf(node), line))
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
            text = key.value if isinstance(key, yaml.ScalarNode) else "a list or mapping"
            near = difflib.get_close_matches(str(text), valid, n=1, cutoff=0.4)
            raise ConfigError(
                f"{path}, line {key.start_mark.line + 1}: unknown key '{prefix}{text}'.",
                f"Did you mean '{prefix}{near[0]}'?" if near else f"Valid keys: {', '.join(valid)}.",
            )
        pairs.append((key, value))
    return pairs


def _leaf(node: yaml.Node) -> _Value:
    import yaml

    if isinstance(node, yaml.SequenceNode):
        return tuple(str(item.value) for item in node.value)
    if isinstance(node, yaml.ScalarNode):
        if node.tag == "tag:yaml.org,2002:bool":
            return str(node.value).lower() in ("true", "yes", "on")
        return "" if node.tag == "tag:yaml.org,2002:null" else str(node.value)
    return ""


def _apply(settings: Settings, name: str, value: _Value, where: str) -> Settings:
    if name in ("store", "demo_store"):
        path = Path(os.path.expandvars(_text(name, value, where))).expanduser()
        return replace(settings, **{name: path})  # type: ignore[arg-type]
    if name == "reviewer":
        return replace(settings, reviewer=_text(name, value, where))
    if name == "theme":
        return replace(settings, theme=_text(name, value, where))
    if name == "citation_style":
        return replace(settings, citation_style=_choice(name, value, STYLES, where))
    if name == "citation_engine":
        return replace(settings, citation_engine=_choice(name, value, CITATION_ENGINES, where))
    if name == "clipboard":
        text = _text(name, value, where)
        if not text.startswith("command:"):
            text = _choice(name, value, ("auto", "osc52", "tmux", "file"), where)
        return replace(settings, clipboard=text)
    if name == "review.auto_advance":
        if not isinstance(value, bool):
            raise ConfigError(f"{where}: review.auto_advance must be true or false.", "Write true or false.")
        return replace(settings, review=replace(settings.review, auto_advance=value))
    if name.startswith("providers."):
        return _apply_provider(settings, name, value, where)
    reasons = value if isinstance(value, tuple) else ()
    if not 1 <= len(reasons) <= 9:
        raise ConfigError(
            f"{where}: review.reject_reasons must be a list of 1 to 9 reasons.",
            "Write [off-topic, figurative].",
        )
    return replace(settings, review=replace(settings.review, reject_reasons=reasons))


def _apply_provider(settings: Settings, name: str, value: _Value, where: str) -> Settings:
    _, provider, key = name.split(".")
    text = _text(name, value, where)
    changed: str | float = text
    if key == "deadline":
        try:
            changed = float(text)
        except ValueError:
            changed = 0.0
        if not 0.0 < changed <= 600.0:
            raise ConfigError(
                f"{where}: {name} must be seconds, above 0 and up to 600.", f"Write {name}: 10."
            )
    elif key == "base_url" and not text.startswith(("https://", "http://")):
        raise ConfigError(f"{where}: {name} must be an address.", "Write https://host/path.")
    elif key == "mailto" and ("@" not in text or any(character.isspace() for character in text)):
        raise ConfigError(f"{where}: {name} must be an e-mail address.", "Write name@example.org.")
    of = replace(settings.providers[provider], **{key: changed})  # type: ignore[arg-type]
    return replace(settings, providers={**settings.providers, provider: of})


def _text(name: str, value: _Value, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{where}: {name} must be a text.", f"Write {name}: VALUE, or delete the line.")
    return value.strip()


def _choice(name: str, value: _Value, valid: tuple[str, ...], where: str) -> str:
    text = _text(name, value, where).lower()
    if text not in valid:
        near = difflib.get_close_matches(text, valid, n=1, cutoff=0.4)
        raise ConfigError(
            f"{where}: {name} cannot be '{text}'.",
            f"Did you mean '{near[0]}'?" if near else f"Valid values: {', '.join(valid)}.",
        )
    return text

"""Settings of the application: ``$XDG_CONFIG_HOME/cmtui/config.yaml`` and the environment.

Everything is optional. The environment wins over the file, the file over the default. An unknown key is an
error that names the file, the line and the nearest valid key, so that a typo never passes for a setting.
Secrets stand in the environment alone. ``rules.py`` says how a setting is added.
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from cmtui.config.groups import (
    ADVANCE,
    PROVIDER_RULES,
    PROVIDERS,
    REJECT_REASONS,
    SECRETS,
    LearnedSettings,
    ReviewSettings,
    SectionSettings,
)
from cmtui.config.reading import read_file
from cmtui.config.rules import Rule, Spec, read_value, section, setting
from cmtui.config.special import CLIPBOARD_SCHEMA, clipboard, keymap, keymap_schema
from cmtui.errors import ConfigError
from cmtui.keymap import KeymapSetting
from cmtui.model.lookup import ProviderSettings

__all__ = [
    "ADVANCE",
    "CITATION_ENGINES",
    "PROVIDERS",
    "REJECT_REASONS",
    "SECRETS",
    "STYLES",
    "ConfigError",
    "LearnedSettings",
    "ReviewSettings",
    "SectionSettings",
    "Settings",
    "config_path",
    "data_dir",
    "load",
    "specs",
]

#: Citation styles a setting may name; the engine has the same list (R106).
STYLES = ("mla", "apa", "chicago", "chicago-notes", "ieee", "bibtex")

#: Citation engines a setting may name; the chosen one is never replaced by another silently.
CITATION_ENGINES = ("citeproc-py", "pandoc")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a person can set. ``origins`` says for each dotted name where its value came from.

    ``theme`` is a theme name or ``auto``. ``clipboard`` is ``auto``, ``osc52``, ``tmux``, ``file`` or
    ``command: PROGRAM ARGS``. ``providers`` says where each provider is and how it is asked; nothing is asked
    but on an explicit command (D1), and no key ever stands in a file (R42).
    """

    store: Path = setting(MISSING, "The store that is opened when none is named.", example="~/thesis")
    demo_store: Path = setting(MISSING, "The store of `cmtui demo`.")
    reviewer: str = setting(MISSING, "Your name in the log of decisions.", example="ada")
    theme: str = setting("auto", "Colours: auto, or the name of a theme (see the palette).")
    reduced_motion: bool = setting(False, "No animation, no blinking cursor.")
    citation_style: str = setting("mla", "The style citations begin with.", env="CMTUI_STYLE", choices=STYLES)
    citation_engine: str = setting(
        "citeproc-py", "What formats citations; never replaced silently.", choices=CITATION_ENGINES
    )
    clipboard: str = setting("auto", "How text is copied.", parse=clipboard, schema=CLIPBOARD_SCHEMA)
    keymap: KeymapSetting = setting(
        KeymapSetting(),
        "Keys: default, vim or emacs, or keys by action id (citation-machine keys lists the ids).",
        parse=keymap,
    )
    review: ReviewSettings = section(ReviewSettings)
    sections: SectionSettings = section(SectionSettings)
    learned: LearnedSettings = section(LearnedSettings)
    providers: Mapping[str, ProviderSettings] = field(default_factory=lambda: dict(PROVIDERS))
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)


@cache
def specs() -> Mapping[str, Spec]:
    """Every setting by its dotted name, in the order of ``config show``."""
    found: dict[str, Spec] = {}
    hints = get_type_hints(Settings)
    for item in fields(Settings):
        if "rule" in item.metadata:
            found[item.name] = Spec(item.name, hints[item.name], item.metadata["rule"], _default(item))
        elif "section" in item.metadata:
            group = item.metadata["section"]
            types = get_type_hints(group)
            for inner in fields(group):
                name = f"{item.name}.{inner.name}"
                rule = inner.metadata.get("rule", Rule(""))
                found[name] = Spec(name, types[inner.name], rule, _default(inner))
    for provider, known in PROVIDERS.items():
        types = get_type_hints(type(known))
        for inner in fields(known):
            name = f"providers.{provider}.{inner.name}"
            rule = PROVIDER_RULES.get(inner.name, Rule(""))
            found[name] = Spec(name, types[inner.name], rule, getattr(known, inner.name))
    found["keymap"] = replace(found["keymap"], rule=replace(found["keymap"].rule, schema=keymap_schema()))
    return found


def _default(item: Field[Any]) -> Any:
    if item.default is not MISSING:
        return item.default
    return item.default_factory() if item.default_factory is not MISSING else None


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
    table = specs()
    values: dict[str, Any] = {}
    origins = dict.fromkeys(table, "default")
    for name, raw, line in read_file(where, table):
        values[name] = read_value(table[name], raw, f"{where}, line {line}")
        origins[name] = f"{where}:{line}"
    for name, spec in table.items():
        if env.get(spec.variable):
            values[name] = read_value(spec, env[spec.variable], f"environment variable {spec.variable}")
            origins[name] = spec.variable
    settings = Settings(
        store=data_dir(env) / "store", demo_store=data_dir(env) / "demo-store", reviewer=_user(env)
    )
    return replace(settings, **_nested(settings, values), origins=origins)


def _nested(settings: Settings, values: Mapping[str, Any]) -> dict[str, Any]:
    """The changed fields of ``Settings``: dotted names become new groups and providers."""
    changed: dict[str, Any] = {}
    for name, value in values.items():
        top, _, rest = name.partition(".")
        if not rest:
            changed[top] = value
        elif top == "providers":
            provider, _, key = rest.partition(".")
            table = changed.setdefault("providers", dict(settings.providers))
            table[provider] = replace(table[provider], **{key: value})
        else:
            changed[top] = replace(changed.get(top, getattr(settings, top)), **{rest: value})
    return changed


def _user(env: Mapping[str, str]) -> str:
    for variable in ("USER", "LOGNAME", "USERNAME"):
        if env.get(variable):
            return env[variable]
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "reviewer"

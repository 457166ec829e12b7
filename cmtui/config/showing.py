"""The settings for people and for editors: each value with its origin, and the JSON schema of the file."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, get_args

from cmtui.config import SECRETS, Settings, config_path, specs
from cmtui.config.rules import Spec
from cmtui.keymap import KeymapSetting
from cmtui.logfile import redact

#: Where editors may find the schema that is shipped with this version.
SCHEMA_FILE = Path(__file__).with_name("config.schema.json")

#: ``user:password@`` in an address.
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")


def shown(settings: Settings, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """``file``, ``exists``, ``settings`` (name, value, origin, variable, about) and ``secrets`` (name, set).

    A secret is only said to be set or not; what looks like one inside a value is left out of it.
    """
    env = os.environ if environ is None else environ
    path = config_path(env)
    rows = []
    for name, spec in specs().items():
        rows.append(
            {
                "name": name,
                "value": plain(value_of(settings, name), env),
                "origin": settings.origins.get(name, "default"),
                "variable": spec.variable,
                "about": spec.rule.doc,
            }
        )
    secrets = [
        {"name": name, "provider": provider, "set": bool(env.get(name, "").strip())}
        for name, provider in SECRETS.items()
    ]
    return {"file": str(path), "exists": path.is_file(), "settings": rows, "secrets": secrets}


def value_of(settings: Settings, name: str) -> Any:
    """The value of a dotted name."""
    value: Any = settings
    for part in name.split("."):
        value = value[part] if isinstance(value, Mapping) else getattr(value, part)
    return value


def plain(value: Any, environ: Mapping[str, str] | None = None) -> Any:
    """A value as JSON, without secrets of the environment and without passwords in addresses."""
    if isinstance(value, Path | str):
        return _USERINFO.sub("…@", redact(str(value), environ))
    if isinstance(value, KeymapSetting):
        return {"preset": value.preset, **{name: [*keys] for name, keys in value.keys.items()}}
    if isinstance(value, Sequence):
        return [plain(item, environ) for item in value]
    return value


def schema() -> dict[str, Any]:
    """The JSON schema of ``config.yaml``, made from the same table that reads it."""
    root: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Citation Machine settings (config.yaml)",
        "type": "object",
        "additionalProperties": False,
        "properties": {},
    }
    for name, spec in specs().items():
        *above, last = name.split(".")
        node = root
        for part in above:
            empty = {"type": "object", "additionalProperties": False, "properties": {}}
            node = node["properties"].setdefault(part, empty)
        node["properties"][last] = _schema_of(spec)
    return root


def _schema_of(spec: Spec) -> dict[str, Any]:
    rule = spec.rule
    about: dict[str, Any] = {"description": rule.doc} if rule.doc else {}
    if isinstance(spec.default, bool | int | float | str):
        about["default"] = spec.default
    if rule.schema is not None:
        return {**about, **rule.schema}
    if rule.choices and spec.type is str:
        return {**about, "enum": [*rule.choices]}
    if spec.type is bool:
        return {**about, "type": "boolean"}
    if spec.type in (int, float):
        limits = {"minimum": rule.low, "exclusiveMinimum": rule.above, "maximum": rule.high}
        number = "integer" if spec.type is int else "number"
        return {**about, "type": number, **{key: value for key, value in limits.items() if value is not None}}
    if spec.type == tuple[str, ...]:
        items: dict[str, Any] = {"enum": [*rule.choices]} if rule.choices else {"type": "string"}
        return {**about, "type": "array", "items": items, "minItems": 1, "maxItems": rule.most or 100}
    optional = NoneType in get_args(spec.type)
    form = {"url": {"format": "uri", "pattern": "^https?://"}, "e-mail": {"format": "email"}}
    return {**about, "type": ["string", "null"] if optional else "string", **form.get(rule.shape, {})}

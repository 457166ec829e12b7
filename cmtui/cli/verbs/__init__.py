"""One module per verb or small family of verbs; none holds a rule of the engine.

A module is imported when one of its verbs is asked for, so that a verb pays for no other: all of them cost
some 100 ms together. Help, completion and a wrong verb read them all.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

#: The modules of this package in the order of the help text, the order in which a person meets them, each
#: with the verbs it adds (a test compares them with the parsers).
FAMILIES: dict[str, tuple[str, ...]] = {
    "ingest": ("ingest",),
    "library": ("documents", "document"),
    "search": ("search", "semantic-search", "hybrid-search"),
    "embed": ("embed",),
    "evidence": ("find-evidence", "identity", "reconstruct", "verify"),
    "quote": ("quote",),
    "claims": ("claims",),
    "review": ("review",),
    "versions": ("reanchor",),
    "bibliography": ("bibliography",),
    "lookup": ("lookup",),
    "discover": ("discover",),
    "sections": ("sections",),
    "acquire": ("acquire", "receipts"),
    "cite": ("format", "cite"),
    "housekeeping": ("remove", "relink", "tag", "source", "open"),
    "health": ("doctor", "backup", "restore", "migrate"),
    "serve": ("serve",),
    "events": ("events",),
    "config": ("config", "keys"),
    "completion": ("completion",),
}


def family(name: str) -> ModuleType:
    """The module of a family."""
    return import_module(f"cmtui.cli.verbs.{name}")


def families_for(verb: str | None) -> tuple[str, ...]:
    """The family that has ``verb``; all of them when none has."""
    return next(((name,) for name, verbs in FAMILIES.items() if verb in verbs), tuple(FAMILIES))


__all__ = ["FAMILIES", "families_for", "family"]

"""Secrets come from the environment alone and never appear in a message, a repr or a log (R37, R42, R52)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

_HIDDEN = "[hidden]"


class Secret:
    """A key or token. Its value is had only by asking for it."""

    __slots__ = ("_value", "name")

    def __init__(self, value: str, *, name: str = "secret") -> None:
        self._value = value
        self.name = name

    @classmethod
    def from_environment(cls, variable: str, environ: Mapping[str, str] | None = None) -> Secret | None:
        """The secret in an environment variable; None when it is unset or blank. No ``.env`` is read."""
        value = (os.environ if environ is None else environ).get(variable, "").strip()
        return cls(value, name=variable) if value else None

    def reveal(self) -> str:
        """The value, for the one place that sends it."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({self.name})"

    __str__ = __repr__

    def __format__(self, specification: str) -> str:
        return format(repr(self), specification)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret is not written to a file")


def redact(text: str, secrets: Iterable[Secret]) -> str:
    """The text with every secret hidden, longest first so that no part of one is left."""
    values = sorted((secret.reveal() for secret in secrets if secret.reveal()), key=len, reverse=True)
    for value in values:
        text = text.replace(value, _HIDDEN)
    return text

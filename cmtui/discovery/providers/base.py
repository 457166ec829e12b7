"""What the search services share: one exchange inside one deadline, and a failure that is a row.

A provider's rows are all of its answer or none: a record of the wrong form makes the whole answer malformed,
for half an answer would pass for a whole one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cmtui.errors import (
    Cancelled,
    CmtuiError,
    ProviderError,
    ProviderMalformed,
    ProviderRateLimited,
    ProviderTimeout,
    ProviderUnreachable,
)
from cmtui.model.discovery import Attempt, FoundWork, ProviderState, ProviderStatus
from cmtui.model.lookup import ProviderSettings
from cmtui.model.progress import CancelledCallback, never_cancelled
from cmtui.net.client import HttpClient
from cmtui.net.gate import RateGate, gate_of
from cmtui.net.secrets import Secret

#: Names of the providers as sentences have them.
LABELS: Mapping[str, str] = {
    "semantic_scholar": "Semantic Scholar",
    "crossref": "Crossref",
    "brave": "Brave Search",
    "exa": "Exa",
}

#: The environment variable of each provider's key, and whether it answers without one.
KEYS: Mapping[str, tuple[str, bool]] = {
    "semantic_scholar": ("SEMANTIC_SCHOLAR_API_KEY", False),
    "brave": ("BRAVE_API_KEY", True),
    "exa": ("EXA_API_KEY", True),
}

_STATES: tuple[tuple[type[ProviderError], ProviderState], ...] = (
    (ProviderTimeout, ProviderState.TIMEOUT),
    (ProviderRateLimited, ProviderState.RATE_LIMITED),
    (ProviderUnreachable, ProviderState.UNREACHABLE),
    (ProviderMalformed, ProviderState.MALFORMED),
)

#: An answer's request: path, parameters, and a parser of its JSON object.
Get = Callable[..., dict[str, Any]]


def state_of(error: CmtuiError) -> ProviderState:
    """The state that an error of the client stands for; an error status or a redirect is ``refused``."""
    if isinstance(error, Cancelled):
        return ProviderState.CANCELLED
    return next((state for kind, state in _STATES if isinstance(error, kind)), ProviderState.REFUSED)


def malformed(name: str, what: str) -> ProviderMalformed:
    """The error for an answer that is not of the promised form: ``Crossref answered {what}.``"""
    label = LABELS[name]
    return ProviderMalformed(f"{label} answered {what}.", "Try again later.", provider=label)


def missing_key(name: str) -> ProviderStatus:
    """The status of a provider that needs a key which the environment does not have (R37)."""
    variable, _ = KEYS[name]
    return ProviderStatus(
        name,
        ProviderState.MISSING_KEY,
        message=f"{LABELS[name]} needs a key, and {variable} is not set. It was not asked.",
        hint=f"Set {variable} in the environment; the other providers need no such key.",
    )


def usable(key: Secret) -> bool:
    """Whether a key can be sent in a header at all: printable ASCII without blanks."""
    value = key.reveal()
    return value.isascii() and value.isprintable() and " " not in value


class HttpProvider:
    """A ``cmtui.ports.DiscoveryProvider`` over one HTTPS service.

    ``per_second`` is the pace until the service states another. ``options`` go to the HTTP client: tests
    inject a gate and clocks there.
    """

    name: str = ""
    per_second: float = 1.0

    def __init__(self, settings: ProviderSettings, key: Secret | None = None, **options: Any) -> None:
        self.settings = settings
        self._key = key
        self._options = options
        self._clock: Callable[[], float] = options.get("clock", time.monotonic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.settings.base_url!r})"

    @property
    def headers(self) -> Mapping[str, str | Secret]:
        """Headers beside those of every request."""
        return {}

    def ask(self, query: str, limit: int, get: Get) -> Sequence[FoundWork]:
        """Send the search with ``get(path, params)`` and read its rows. Raises ProviderError."""
        raise NotImplementedError

    def search(
        self, query: str, *, limit: int, cancelled: CancelledCallback = never_cancelled
    ) -> tuple[Sequence[FoundWork], ProviderStatus]:
        """Rows in the provider's order and how it went; a failure is a status, never an exception."""
        attempts: list[Attempt] = []
        started = self._clock()
        rows: Sequence[FoundWork] = ()
        state, message, hint = ProviderState.OK, "", ""
        try:
            rows = self.ask(query, limit, self._getter(attempts, started, cancelled))[:limit]
        except CmtuiError as error:
            state, message, hint = state_of(error), error.message, error.hint
            if state is ProviderState.MALFORMED and attempts and not attempts[-1].reason:
                attempts[-1] = replace(attempts[-1], reason=error.code)
        else:
            if not rows:
                state = ProviderState.EMPTY
        ms = round((self._clock() - started) * 1000)
        return rows, ProviderStatus(self.name, state, tuple(attempts), ms, len(rows), message, hint)

    def _getter(self, attempts: list[Attempt], started: float, cancelled: CancelledCallback) -> Get:
        """What sends requests: all of them inside one deadline, each noted in ``attempts``."""
        client = self._client(attempts.append)

        def get(path: str, params: Mapping[str, str], *, accept: tuple[int, ...] = (200,)) -> dict[str, Any]:
            left = self.settings.deadline - (self._clock() - started)
            answer = client.get(path, params, accept=accept, deadline=max(left, 0.001), cancelled=cancelled)
            return client.json_of(answer)

        return get

    def _client(self, on_attempt: Callable[[Attempt], None]) -> HttpClient:
        options: dict[str, Any] = {"gate": self._gate()} | self._options
        return HttpClient(
            LABELS[self.name],
            self.settings.base_url,
            deadline=self.settings.deadline,
            mailto=self.settings.mailto,
            headers=self.headers,
            on_attempt=on_attempt,
            **options,
        )

    def _gate(self) -> RateGate:
        from urllib.parse import urlsplit

        return gate_of(urlsplit(self.settings.base_url).netloc, self.per_second)


def text_of(value: Any, name: str, field: str) -> str | None:
    """A text or None where it is absent or blank. Raises ProviderMalformed for another type."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise malformed(name, f"with a {field} that is no text")
    return value if value.strip() else None


def rows_of(value: Any, name: str, field: str) -> list[Any]:
    """A list. Raises ProviderMalformed."""
    if not isinstance(value, list):
        raise malformed(name, f"with {field} that are no list")
    return value

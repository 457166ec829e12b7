"""One query to several providers at once; each one's failure is a row of the report (providers.md 5)."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from cmtui.discovery.merging import linked
from cmtui.discovery.providers.base import KEYS, LABELS, missing_key, usable
from cmtui.errors import InvalidRequest
from cmtui.model.discovery import (
    PROVIDERS,
    DiscoveryReport,
    FoundWork,
    ProviderState,
    ProviderStatus,
)
from cmtui.model.lookup import ProviderSettings
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback, never_cancelled, no_progress
from cmtui.net.secrets import Secret
from cmtui.ports import DiscoveryProvider

#: Seconds between two looks at whether the person cancelled.
_SLICE = 0.05
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")

#: Code points of a query; Brave allows 400 and 50 words.
MAX_QUERY = 400


def make_providers(
    names: Iterable[str] | None,
    settings: Mapping[str, ProviderSettings],
    *,
    environ: Mapping[str, str] | None = None,
) -> list[DiscoveryProvider | ProviderStatus]:
    """The providers named (all by default) in their fixed order, each once.

    One whose key is missing is the status that says so. Keys come from the environment alone (R37, R42).
    Raises InvalidRequest for a name that is no provider's.
    """
    wanted = list(PROVIDERS) if names is None else list(names)
    for name in wanted:
        if name not in PROVIDERS:
            raise InvalidRequest(
                f"There is no provider '{name}'.", f"The providers are: {', '.join(PROVIDERS)}."
            )
    env = os.environ if environ is None else environ
    return [_make(name, settings[name], env) for name in PROVIDERS if name in wanted]


def _make(
    name: str, settings: ProviderSettings, env: Mapping[str, str]
) -> DiscoveryProvider | ProviderStatus:
    variable, needed = KEYS.get(name, ("", False))
    key = Secret.from_environment(variable, env) if variable else None
    if key is None and needed:
        return missing_key(name)
    if key is not None and not usable(key):
        return ProviderStatus(
            name,
            ProviderState.MISSING_KEY,
            message=f"{variable} holds what cannot be a key of {LABELS[name]}. It was not asked.",
            hint=f"Set {variable} anew: letters and digits, without blanks.",
        )
    if name == "semantic_scholar":
        from cmtui.discovery.providers.semantic_scholar import SemanticScholar

        return SemanticScholar(settings, key)
    if name == "crossref":
        from cmtui.discovery.providers.crossref import CrossrefSearch

        return CrossrefSearch(settings)
    if name == "brave":
        from cmtui.discovery.providers.brave import BraveSearch

        return BraveSearch(settings, key)
    from cmtui.discovery.providers.exa import ExaSearch

    assert key is not None
    return ExaSearch(settings, key)


def discover(
    query: str,
    providers: Sequence[DiscoveryProvider | ProviderStatus],
    *,
    limit: int = 10,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
) -> DiscoveryReport:
    """Ask all providers in parallel. Rows come in provider order, then rank, whoever answered first.

    Progress is told in this thread, once for each provider that is done. When the person cancels, what had
    come by then stays in the report and the rest is ``cancelled``. No thread outlives the call. Raises
    InvalidRequest for an empty query or a limit outside 1..100.
    """
    text = clean_query(query)
    if isinstance(limit, bool) or not 1 <= limit <= 100:
        raise InvalidRequest(f"The limit must be from 1 to 100, not {limit}.", "Try --limit 10.")
    statuses: dict[str, ProviderStatus] = {}
    rows: list[FoundWork] = []
    asked = [provider for provider in providers if not isinstance(provider, ProviderStatus)]
    for provider in providers:
        if isinstance(provider, ProviderStatus):
            statuses[provider.name] = provider
    for name, (found, status) in _ask_all(text, asked, limit, progress, cancelled).items():
        statuses[name] = status
        rows.extend(found)
    order = sorted(statuses, key=PROVIDERS.index)
    return DiscoveryReport(text, tuple(statuses[name] for name in order), linked(rows))


def clean_query(query: str) -> str:
    """One line of at most 400 code points, cut between words. Raises InvalidRequest when nothing is left."""
    text = " ".join(_CONTROL.sub(" ", query).split())
    if not text:
        raise InvalidRequest("The query is empty.", "Say what to look for.")
    return text if len(text) <= MAX_QUERY else text[: MAX_QUERY + 1].rpartition(" ")[0] or text[:MAX_QUERY]


_Answer = tuple[Sequence[FoundWork], ProviderStatus]


def _ask_all(
    query: str,
    providers: Sequence[DiscoveryProvider],
    limit: int,
    progress: ProgressCallback,
    cancelled: CancelledCallback,
) -> dict[str, _Answer]:
    if not providers:
        return {}
    stop = threading.Event()
    answers: dict[str, _Answer] = {}
    total = len(providers)
    progress(Progress("discover", "", 0, total))
    with ThreadPoolExecutor(total, thread_name_prefix="cmtui-discover") as pool:
        waiting: dict[Future[_Answer], str] = {
            pool.submit(_ask, provider, query, limit, stop.is_set): provider.name for provider in providers
        }
        try:
            while waiting:
                done, _ = wait(waiting, timeout=_SLICE, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda future: PROVIDERS.index(waiting[future])):
                    name = waiting.pop(future)
                    answers[name] = future.result()
                    progress(Progress("discover", LABELS[name], len(answers), total))
                if cancelled():
                    stop.set()
        finally:
            # An interrupt or a failing callback ends the threads too: leaving the pool waits for them.
            stop.set()
    return answers


def _ask(provider: DiscoveryProvider, query: str, limit: int, cancelled: Callable[[], bool]) -> _Answer:
    try:
        return provider.search(query, limit=limit, cancelled=cancelled)
    except Exception as error:  # noqa: BLE001 - a fault in one provider must not take the others' answers
        label = LABELS[provider.name]
        return (), ProviderStatus(
            provider.name,
            ProviderState.MALFORMED,
            message=f"The answer of {label} could not be read ({type(error).__name__}).",
            hint="Try again later; if it stays so, report it.",
        )

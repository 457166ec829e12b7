"""Discovery: one query to the search services, on explicit command only (D1). Nothing found is evidence."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from cmtui.engine.core import MachineCore
from cmtui.errors import ConfigError
from cmtui.model.discovery import DiscoveryReport, FoundWork
from cmtui.model.lookup import BRAVE, CROSSREF, EXA, SEMANTIC_SCHOLAR, ProviderSettings
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress

#: The public services; each field is a setting.
DEFAULTS: Mapping[str, ProviderSettings] = {
    "semantic_scholar": SEMANTIC_SCHOLAR,
    "crossref": CROSSREF,
    "brave": BRAVE,
    "exa": EXA,
}


def discovery_settings(environ: Mapping[str, str] | None = None) -> dict[str, ProviderSettings]:
    """The search services as the environment sets them: CMTUI_<PROVIDER>_<FIELD>, such as
    CMTUI_SEMANTIC_SCHOLAR_BASE_URL or CMTUI_BRAVE_DEADLINE (seconds). A settings file is read by the front
    ends, not by the library (R42). Raises ConfigError."""
    env = os.environ if environ is None else environ
    found: dict[str, ProviderSettings] = {}
    for name, settings in DEFAULTS.items():
        changed: dict[str, Any] = {}
        for field in fields(settings):
            variable = f"CMTUI_{name}_{field.name}".upper()
            if env.get(variable):
                changed[field.name] = _value(field.name, env[variable], variable)
        found[name] = replace(settings, **changed)
    return found


def _value(field: str, text: str, variable: str) -> str | float:
    if field == "when" and text not in ("fallback", "parallel"):
        raise ConfigError(f"{variable} cannot be '{text}'.", "Valid values: fallback, parallel.")
    if field != "deadline":
        return text
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds <= 600.0:
        raise ConfigError(f"{variable} must be seconds, above 0 and up to 600.", f"Set {variable}=10.")
    return seconds


def discover(
    query: str,
    *,
    providers: Iterable[str] | None = None,
    limit: int = 10,
    settings: Mapping[str, ProviderSettings] | None = None,
    environ: Mapping[str, str] | None = None,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
) -> DiscoveryReport:
    """As ``DiscoveryOperations.discover``, without a store. ``environ`` is where keys are looked for."""
    from cmtui.discovery.service import discover as ask
    from cmtui.discovery.service import make_providers

    known = {**discovery_settings(environ), **(settings or {})}
    made = make_providers(providers, known, environ=environ)
    return ask(query, made, limit=limit, progress=progress, cancelled=cancelled)


class DiscoveryOperations(MachineCore):
    """Asking the search services for works and pages."""

    def discover(
        self,
        query: str,
        *,
        providers: Iterable[str] | None = None,
        limit: int = 10,
        settings: Mapping[str, ProviderSettings] | None = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> DiscoveryReport:
        """Works and pages for a query, from each provider at most ``limit`` (1 to 100), all asked at once.

        ``providers`` are names of ``cmtui.model.discovery.PROVIDERS`` (all by default), ``settings`` say
        where each is and how long it has (else the environment). A provider that fails or lacks its key is a
        row of the report; the others are used. Rows that are the same work or related are linked, never
        merged, and those whose DOI stands in this library name its source. A cancelled run keeps what came.
        Raises InvalidRequest.
        """
        report = discover(
            query,
            providers=providers,
            limit=limit,
            settings=settings,
            progress=progress,
            cancelled=cancelled,
        )
        return replace(report, candidates=self._in_library(report.candidates))

    def _in_library(self, rows: tuple[FoundWork, ...]) -> tuple[FoundWork, ...]:
        """The rows with the id of the source that states the same DOI."""
        if self._repository is None or not any(row.doi for row in rows):
            return rows
        known = self._library_dois()
        return tuple(
            replace(row, in_library=known[row.doi]) if row.doi and row.doi in known else row for row in rows
        )

    def _library_dois(self) -> dict[str, str]:
        from cmtui.scholarly.identifiers import normalise_doi

        found: dict[str, str] = {}
        for source in self.repository.sources():
            record = self.repository.bibliography(source.source_id)
            stated = record.item.get("DOI") if record is not None else None
            doi = normalise_doi(stated) if isinstance(stated, str) else None
            if doi:
                found.setdefault(doi, source.source_id)
        return found

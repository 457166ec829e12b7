"""Literature for sections of a draft, on explicit command only (D1): search, judge, record (R153 to R179)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cmtui.engine.core import MachineCore
from cmtui.engine.discovering import discovery_settings
from cmtui.errors import AmbiguousId, InvalidRequest, NotFound
from cmtui.model.lookup import ProviderSettings
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.sections import CitationResult, SectionAudit

if TYPE_CHECKING:
    from cmtui.sections.cache import CacheState, CitationCache
    from cmtui.sections.pipeline import CitationPipeline
    from cmtui.sections.settings import SectionOptions

#: The citation cache inside the store's folder of derived data.
CACHE_FILE = "citations.sqlite"

#: Settings of the pipeline in the environment, with what reads them (R174). They win over a settings file.
ENVIRONMENT: Mapping[str, tuple[str, type]] = {
    "CITATION_MIN_SCORE": ("min_score", float),
    "CITATION_MIN_RELEVANCE": ("min_relevance", float),
    "CITATION_MAX_CANDIDATES_PER_SECTION": ("max_candidates", int),
    "CITATION_CACHE_TTL_DAYS": ("cache_ttl_days", int),
    "CITATION_MIN_COUNT": ("min_count", int),
}
TIMEOUT = "CITATION_PROVIDER_TIMEOUT_SECONDS"


def section_options(**values: Any) -> SectionOptions:
    """The options of a run over the defaults (``cmtui.sections.settings``). Raises InvalidRequest."""
    from cmtui.sections.settings import SectionOptions

    return SectionOptions(**values)


def options_of(given: Any, *, web: str, gate: str = "fail") -> SectionOptions:
    """The options that the ``sections:`` group of the settings states (``cmtui.config.SectionSettings``)."""
    names = ("min_score", "min_relevance", "max_candidates", "cache_ttl_days", "min_count")
    return section_options(**{name: getattr(given, name) for name in names}, web=web, gate=gate)


def options_from_environment(environ: Mapping[str, str] | None = None) -> SectionOptions:
    """The options that the environment sets over the defaults. Raises InvalidRequest."""
    env = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    for variable, (name, kind) in ENVIRONMENT.items():
        if env.get(variable):
            try:
                values[name] = kind(env[variable])
            except ValueError:
                raise InvalidRequest(
                    f"{variable} is '{env[variable]}', which is no number.", f"Set {variable} to a number."
                ) from None
    return section_options(**values)


class SectionOperations(MachineCore):
    """Citations for the sections of a draft, the audits of runs, and the cache of answers."""

    def find_citations_for_section(
        self,
        section_title: str,
        section_content: str,
        document_topic: str = "",
        *,
        options: SectionOptions | None = None,
        settings: Mapping[str, ProviderSettings] | None = None,
        use_cache: bool = True,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> CitationResult:
        """Works that are topically relevant to one section; ``found`` is False rather than anything invented.

        ``settings`` say where each provider is (else the environment). A failing provider is a row of
        ``providers`` and a warning. Topical relevance is not support. Raises InvalidRequest, Cancelled.
        """
        pipeline = self._pipeline(options, settings, use_cache=use_cache)
        return pipeline.find_citations_for_section(
            section_title, section_content, document_topic, progress=progress, cancelled=cancelled
        )

    def run_sections(
        self,
        draft: str | Path | bytes,
        *,
        name: str | None = None,
        options: SectionOptions | None = None,
        settings: Mapping[str, ProviderSettings] | None = None,
        use_cache: bool = True,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> SectionAudit:
        """Every section of a Markdown draft, and the audit of the run, which is kept (R175).

        The draft itself is not stored: the audit names it by the SHA-256 of its bytes. A cancelled run keeps
        nothing. Raises SectionError, IngestError, InvalidRequest, Cancelled.
        """
        from cmtui.engine.files import read_file
        from cmtui.sections.draft import run_draft

        content = draft if isinstance(draft, bytes) else read_file(Path(draft).expanduser())
        shown = name or ("draft" if isinstance(draft, bytes) else Path(draft).name)
        pipeline = self._pipeline(options, settings, use_cache=use_cache)

        def find(title: str, text: str, topic: str) -> CitationResult:
            return pipeline.find_citations_for_section(title, text, topic, cancelled=cancelled)

        audit = run_draft(
            content,
            shown,
            find,
            options=pipeline.options,
            run_at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            progress=progress,
            cancelled=cancelled,
        )
        return self.repository.add_audit(audit)

    def section_audits(self) -> tuple[SectionAudit, ...]:
        """The audits of all runs, oldest first. Raises StoreError for a damaged one."""
        return self.repository.audits()

    def section_audit(self, document_id: str) -> SectionAudit:
        """The newest audit of a draft, by its id or a unique beginning. Raises NotFound, AmbiguousId."""
        wanted = document_id.lower()
        found = [audit for audit in self.repository.audits() if audit.document_id.startswith(wanted)]
        drafts = sorted({audit.document_id for audit in found})
        if not wanted or not drafts:
            raise NotFound(
                f"There is no audit of a draft '{document_id}'.",
                "Run: citation-machine sections run DRAFT.md; its answer names the document_id.",
            )
        if len(drafts) > 1:
            raise AmbiguousId(
                f"'{document_id}' begins the ids of {len(drafts)} drafts:"
                f" {', '.join(draft[:12] for draft in drafts)}.",
                "Give more digits.",
            )
        return found[-1]

    def citation_cache(self, *, options: SectionOptions | None = None) -> CacheState:
        """How many answers are kept, and how many are too old."""
        used = options or options_from_environment()
        with self._cache() as cache:
            return cache.state(now=datetime.now(UTC), ttl_days=used.cache_ttl_days)

    def purge_citation_cache(self, *, everything: bool = False, options: SectionOptions | None = None) -> int:
        """Remove answers that are too old, or all of them (R173). Returns how many."""
        used = options or options_from_environment()
        with self._cache() as cache:
            if everything:
                return cache.clear()
            return cache.purge(now=datetime.now(UTC), ttl_days=used.cache_ttl_days)

    # -- parts -------------------------------------------------------------------------------------

    def _pipeline(
        self,
        options: SectionOptions | None,
        settings: Mapping[str, ProviderSettings] | None,
        *,
        use_cache: bool,
    ) -> CitationPipeline:
        from cmtui.discovery.service import make_providers
        from cmtui.sections.apa import apa7
        from cmtui.sections.cache import CitationCache
        from cmtui.sections.pipeline import CitationPipeline

        known = {**discovery_settings(), **(settings or {})}
        used = options or options_from_environment()
        if os.environ.get(TIMEOUT):
            seconds = _seconds(os.environ[TIMEOUT])
            known = {key: replace(value, deadline=seconds) for key, value in known.items()}
        derived = self.repository.derived
        cache = CitationCache(derived / CACHE_FILE) if use_cache and derived is not None else None

        def providers(names: Sequence[str]) -> Any:
            return make_providers(names, known)

        return CitationPipeline(providers, reference=apa7, cache=cache, options=used)

    def _cache(self) -> _Kept:
        return _Kept(self.repository.derived)


class _Kept:
    """The cache of a store; a store in memory has an empty one for the moment."""

    def __init__(self, derived: Path | None) -> None:
        self._derived = derived
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> CitationCache:
        from cmtui.sections.cache import CitationCache

        if self._derived is None:
            self._folder = tempfile.TemporaryDirectory()
        return CitationCache((self._derived or Path(self._folder.name if self._folder else ".")) / CACHE_FILE)

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds <= 600.0:
        raise InvalidRequest(
            f"{TIMEOUT} is '{text}', not seconds above 0 and up to 600.", f"Set {TIMEOUT}=10."
        )
    return seconds

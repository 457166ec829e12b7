"""The section citation pipeline: candidates, the decision on each, and the audit of a run (R153 to R179)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cmtui.model.discovery import PersonName, ProviderStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationCandidate:
    """A work a provider found for a section (R168). ``source`` is the first provider that gave it.

    ``abstract`` and ``snippet`` (a search engine's description) are leads: compared, never quoted.
    """

    title: str
    authors: tuple[PersonName, ...] = ()
    year: int | None = None
    doi: str | None = None
    abstract: str | None = None
    url: str | None = None
    source: str
    citation_count: int = 0
    sources: tuple[str, ...] = ()
    type: str | None = None
    language: str | None = None
    snippet: str | None = None
    container: str | None = None
    retracted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedCitation(CitationCandidate):
    """A candidate that passed both thresholds (R169). Only those with ``used`` go into a bibliography."""

    relevance_score: float
    final_score: float
    apa7: str
    used: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateDecision:
    """One line of the audit (R175): every number that led to accepting or rejecting a candidate.

    ``rejection_reason`` is None for an accepted one. ``parts`` holds each term of relevance and score by name
    (providers.md 7.3, 7.4), ``basis`` says what was compared: abstract, title or snippet.
    """

    candidate: CitationCandidate
    accepted: bool
    rejection_reason: str | None = None
    relevance_score: float | None = None
    final_score: float | None = None
    basis: str | None = None
    parts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationResult:
    """The answer for one section (R163, R170). ``found`` is False rather than anything invented (R153)."""

    section_title: str
    found: bool
    citations: tuple[AcceptedCitation, ...] = ()
    rejected_candidates: tuple[Mapping[str, str], ...] = ()
    cache_hit: bool = False
    audit: tuple[CandidateDecision, ...] = ()
    query: str = ""
    query_hash: str = ""
    providers: tuple[ProviderStatus, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def rejected(self) -> tuple[Mapping[str, str], ...]:
        """The seed's other name for ``rejected_candidates``."""
        return self.rejected_candidates


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionAudit:
    """The audit of one document's run (R175, R176).

    ``document_id`` is the SHA-256 of the document's bytes; totals are over all sections. ``gate`` is ``ok``,
    ``warning`` or ``P0`` (R178).
    """

    document_id: str
    name: str
    run_at: str
    sections: tuple[CitationResult, ...]
    total_found: int
    total_rejected: int
    providers_queried: tuple[str, ...]
    cache_hits: int
    gate: str = "ok"
    settings: Mapping[str, Any] = field(default_factory=dict)
    audit_id: str = ""

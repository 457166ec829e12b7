"""Discovery and capture: leads from outside, and what became of them.

Nothing here is evidence. A candidate is a lead; only complete bytes that were fetched, stored and read
back can hold a quotation (R31). Provider names, ids, URLs, ranks, scores and times stay on these values and
never reach an identity (R29, R30).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from cmtui.model.claim import EvidenceSpanIdentity
from cmtui.model.selectors import Span

#: ``{family, given, suffix}`` of a person, or ``{literal}``; ``parsed: "true"`` on a split display name.
PersonName = Mapping[str, str]

#: Providers in the order in which answers are merged (never by arrival).
PROVIDERS = ("semantic_scholar", "crossref", "brave", "exa")


class ProviderState(StrEnum):
    """How a provider's part of a run ended."""

    OK = "ok"
    EMPTY = "empty"
    MISSING_KEY = "missing_key"
    NOT_ASKED = "not_asked"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    MALFORMED = "malformed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request: its HTTP status (None without an answer), milliseconds, and a reason without secrets."""

    status: int | None
    ms: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProviderStatus:
    """What one provider did. ``message`` is a sentence for people, ``hint`` what they can do."""

    name: str
    state: ProviderState
    attempts: tuple[Attempt, ...] = ()
    ms: int = 0
    results: int = 0
    message: str = ""
    hint: str = ""

    @property
    def failed(self) -> bool:
        """Whether the provider was asked and did not answer completely."""
        return self.state not in {
            ProviderState.OK,
            ProviderState.EMPTY,
            ProviderState.MISSING_KEY,
            ProviderState.NOT_ASKED,
        }


@dataclass(frozen=True, slots=True)
class FoundWork:
    """One normalised row of a provider's answer; None and empty where it says nothing (R164, R165).

    ``rank`` is 1-based in the provider's order. ``abstract`` and ``snippet`` are leads, never quotable.
    ``type`` is the provider's word for the kind of work. ``same_as`` names other rows (provider, rank) that
    are the same work by DOI or URL; ``related`` those linked by title, first author and year, or as preprint
    and published version. ``fields_from`` says for each merged field which provider gave it.
    ``identifiers`` holds what else names the work or its other version: ``arxiv``, ``published_as`` (a DOI),
    ``preprint`` (a DOI). ``notices`` are the editorial notices that concern it (``retraction``, ...).
    """

    provider: str
    rank: int
    title: str | None
    authors: tuple[PersonName, ...] = ()
    year: int | None = None
    doi: str | None = None
    url: str | None = None
    abstract: str | None = None
    snippet: str | None = None
    container: str | None = None
    type: str | None = None
    language: str | None = None
    citation_count: int | None = None
    sources: tuple[str, ...] = ()
    fields_from: Mapping[str, str] = field(default_factory=dict)
    same_as: tuple[tuple[str, int], ...] = ()
    related: tuple[tuple[str, int], ...] = ()
    in_library: str | None = None
    identifiers: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, int]:
        """Provider and rank: unique within one report."""
        return (self.provider, self.rank)


@dataclass(frozen=True, slots=True)
class DiscoveryReport:
    """The answer to a query: each provider's state, and candidates in provider order, then rank."""

    query: str
    providers: tuple[ProviderStatus, ...]
    candidates: tuple[FoundWork, ...]


# -- acquisition (R25 to R35) ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CandidateHighlight:
    """Text a discovery system showed. ``offset`` counts code points of the canonical content (R32)."""

    text: str
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class DiscoveryMetadata:
    """Everything a provider said of a candidate (R29, R46). ``discovered_at`` is UTC, ISO 8601."""

    provider: str
    candidate_id: str
    url: str | None = None
    title: str | None = None
    query: str | None = None
    rank: int | None = None
    score: float | None = None
    discovered_at: str | None = None
    result_metadata: Mapping[str, Any] = field(default_factory=dict)
    response_metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DiscoveryCandidate:
    """A lead that an adapter can capture (R35). ``source_kind`` is pdf, epub, markdown or text."""

    source_kind: str
    discovery: DiscoveryMetadata
    highlight: CandidateHighlight | None = None


@dataclass(frozen=True, slots=True)
class CapturedSource:
    """Complete bytes as they were served, and their kind (R25). ``url`` is where they were fetched from.

    ``length_declared`` is False when the server did not say how long the body is, so that a cut could not be
    noticed; None when the adapter does not know.
    """

    content: bytes = field(repr=False)
    source_kind: str
    url: str | None = None
    media_type: str | None = None
    length_declared: bool | None = None


@dataclass(frozen=True, slots=True)
class AcquisitionReceipt:
    """What became of one candidate (R28, R68).

    ``evidence`` is there only when the highlight stands exactly in the stored canonical text. ``error`` is a
    code of ``cmtui.errors`` (with the ``rule`` that a capture broke), its sentence in ``message``, when the
    capture or the highlight failed; a document that was stored before a highlight failed keeps its ids here.
    ``receipt_id`` is there once the store has kept it; one that was read back holds ``evidence_id`` alone
    until ``machine.receipts`` has verified the evidence anew.
    """

    discovery: DiscoveryMetadata
    url: str | None = None
    source_id: str | None = None
    document_id: str | None = None
    source_version: str | None = None
    status: str | None = None
    evidence: EvidenceSpanIdentity | None = None
    span: Span | None = None
    error: str | None = None
    message: str | None = None
    hint: str | None = None
    acquired_at: str | None = None
    evidence_id: str | None = None
    media_type: str | None = None
    length_declared: bool | None = None
    receipt_id: str | None = None
    rule: str | None = None


# -- works without a source -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SavedReference:
    """A bibliography entry of a work that has no source in the store (yet).

    ``item`` is valid CSL-JSON. ``origin`` says where it came from: ``provider`` gave the record, ``found_by``
    the lead, ``doi`` was looked up, ``looked_up_at`` when. Nothing of it is made by a model or guessed.
    """

    reference_id: str
    item: Mapping[str, Any]
    origin: Mapping[str, str] = field(default_factory=dict)
    added_at: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedWork:
    """What importing a found work stored.

    Either ``reference`` (an entry of its own) or ``source_id`` (the source it was joined to): then ``stored``
    names the fields that were empty, ``left`` those that differ and were left as they are.
    """

    item: Mapping[str, Any]
    origin: Mapping[str, str]
    reference: SavedReference | None = None
    source_id: str | None = None
    stored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

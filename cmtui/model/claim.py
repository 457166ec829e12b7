"""Claims, what inference says of a passage, and verified evidence.

A relation is a fallible derived assessment. Verification proves exact text and provenance, not truth (R96).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import overload

from cmtui.model.identity import (
    CanonicalContent,
    SourceArtifact,
    SourceVersion,
    identity_digest,
)
from cmtui.model.selectors import Span, TextQuoteSelector
from cmtui.model.source import Locators

#: Printed wherever relations are shown (R96).
CAVEAT = "Relations are fallible derived assessments; verification proves text and provenance, not truth."


class Relation(StrEnum):
    """How a passage stands to a claim (R100, D9)."""

    SUPPORTS = "SUPPORTS"
    CONTRADICTS = "CONTRADICTS"
    RELATED = "RELATED"
    INSUFFICIENT = "INSUFFICIENT"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A quote an inference backend proposes, with its code-point offset in the passage's text.

    ``offset`` None means "wherever it stands"; the verifier refuses that when it stands more than once.
    """

    quote: str
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a backend says of one passage.

    ``confidence`` lies in [0, 1]. ``reason`` is a stable code (``negated``, ``reported-speech``...), and
    ``explanation`` a sentence that names the words that decided. ``proposals`` is empty unless the relation
    is SUPPORTS or CONTRADICTS.
    """

    passage_id: str
    relation: Relation
    confidence: float
    reason: str
    explanation: str
    proposals: tuple[Proposal, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceSpanIdentity:
    """A verified span: the four layers (R10). Only ``cmtui.verification`` constructs one.

    ``evidence_id`` is the id of layer 4. ``locators`` are attached for rendering and are not hashed (R17).
    """

    evidence_id: str
    artifact: SourceArtifact
    version: SourceVersion
    canonical_content: CanonicalContent
    span: Span
    text_sha256: str
    text: str
    selector: TextQuoteSelector
    locators: Locators

    @property
    def document_id(self) -> str:
        """The id of layer 3."""
        return self.canonical_content.content_id

    @property
    def source_id(self) -> str:
        """The id of layer 1."""
        return self.artifact.artifact_id

    @property
    def evidence_ids(self) -> tuple[str, ...]:
        """This evidence's id, as a tuple of one (an EvidenceSet has several)."""
        return (self.evidence_id,)


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """Several independent spans, each inside its own passage. Never one fabricated quotation (R97)."""

    members: tuple[EvidenceSpanIdentity, ...]

    @property
    def text(self) -> tuple[str, ...]:
        """The exact texts of the members, in document order."""
        return tuple(member.text for member in self.members)

    @property
    def evidence_ids(self) -> tuple[str, ...]:
        """The ids of the members."""
        return tuple(member.evidence_id for member in self.members)


Evidence = EvidenceSpanIdentity | EvidenceSet


@dataclass(frozen=True, slots=True)
class Finding:
    """A passage with its relation to the claim. ``evidence`` is None unless it was verified (R84, R95).

    ``span`` is where the quoted text stands in ``document_id``; for a passage without a quote it is the
    passage. ``error`` says why a proposal was refused (D7).
    """

    relation: Relation
    text: str | tuple[str, ...]
    confidence: float
    reason: str
    explanation: str
    document_id: str
    source_id: str
    passage_id: str
    span: Span
    locators: Locators
    evidence: Evidence | None = None
    context: str | None = None
    context_span: Span | None = None
    error: str | None = None

    @property
    def evidence_ids(self) -> tuple[str, ...]:
        """Ids of the verified spans; empty when nothing was verified."""
        return self.evidence.evidence_ids if self.evidence is not None else ()


@dataclass(frozen=True, slots=True)
class EvidenceReport(Sequence[Finding]):
    """The answer to find_evidence: a sequence of supporting findings, with the rest beside it (R95).

    ``contradictions``, ``related`` and ``insufficient`` are filled only when diagnostics were asked for.
    ``members`` has a report for each statement of a claim that makes several, each checked by itself.
    """

    claim: str
    findings: tuple[Finding, ...]
    contradictions: tuple[Finding, ...] = ()
    related: tuple[Finding, ...] = ()
    insufficient: tuple[Finding, ...] = ()
    refused: tuple[Finding, ...] = ()
    candidates: int = 0
    retrieval_query: str | None = None
    backend: str = ""
    caveat: str = CAVEAT
    members: tuple[EvidenceReport, ...] = ()

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        return self.findings[index]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)


@dataclass(frozen=True, slots=True)
class EvidenceEntry:
    """One line of the evidence log: a layer-4 identity with its exact text and context."""

    evidence_id: str
    document_id: str
    start: int
    end: int
    text_sha256: str
    exact: str
    prefix: str
    suffix: str

    @property
    def span(self) -> Span:
        """The span in the canonical content."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class RunFinding:
    """A finding as a run stores it. ``evidence_id`` is set for every relation whose span was verified."""

    relation: Relation
    confidence: float
    reason: str
    explanation: str
    document_id: str
    passage_id: str
    start: int
    end: int
    text: str
    evidence_id: str | None = None
    error: str | None = None

    @property
    def span(self) -> Span:
        """The span in the canonical content."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class ClaimRun:
    """One immutable evaluation of a claim: what decided, what it saw, what it found.

    ``run_id`` is the digest of everything but the time, so that the same store and claim give the same run.
    """

    backend: str
    mode: str
    candidate_limit: int
    documents: tuple[str, ...]
    findings: tuple[RunFinding, ...]
    evaluated_at: str | None = None

    @property
    def run_id(self) -> str:
        """SHA-256 over backend, mode, documents and findings."""
        return identity_digest(
            {
                "type": "cmtui/run/1",
                "backend": self.backend,
                "mode": self.mode,
                "candidate_limit": self.candidate_limit,
                "documents": list(self.documents),
                "findings": [
                    [
                        f.relation.value,
                        f"{f.confidence:.6f}",
                        f.passage_id,
                        f.start,
                        f.end,
                        f.evidence_id or "",
                    ]
                    for f in self.findings
                ],
            }
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement to be checked, with its runs (oldest first). Decisions stay with (claim, evidence id)."""

    claim_id: str
    text: str
    retrieval_query: str | None = None
    order: int = 0
    archived: bool = False
    runs: tuple[ClaimRun, ...] = ()

    @property
    def latest(self) -> ClaimRun | None:
        """The newest run, or None before the first."""
        return self.runs[-1] if self.runs else None


def claim_id(text: str) -> str:
    """The id of a claim: the digest of its text with runs of blanks made one."""
    return identity_digest({"type": "cmtui/claim/1", "text": " ".join(text.split())})

"""Live validation (R147 to R150, R190): three RFC topics through Exa, captured, verified and cited.

A smoke test of execution and provenance against the real service, not a measure of evidence quality. It runs
when EXA_API_KEY is set and is skipped, saying so, when it is not. The same code runs against a loopback
server in the tests. What Exa shows of a page is ignored: evidence comes from the complete capture alone.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from cmtui.discovery.acquisition import CitationAcquisitionService
from cmtui.discovery.exa import KEY_VARIABLE
from cmtui.engine import LocalCitationMachine
from cmtui.errors import CmtuiError
from cmtui.model.claim import EvidenceSpanIdentity, Finding
from cmtui.model.discovery import (
    AcquisitionReceipt,
    CapturedSource,
    DiscoveryCandidate,
    DiscoveryMetadata,
)
from cmtui.model.progress import Progress, ProgressCallback, no_progress
from cmtui.ports import InferenceBackend, SemanticIndex
from cmtui.store.clock import SystemClock

#: Printed with every report (A267).
CAVEAT = (
    "A smoke test of execution and provenance: it shows that pages were found, captured whole, read, quoted "
    "exactly and cited. It is not an independently labelled evaluation of evidence quality. Relations are "
    "fallible; verification proves text and provenance, not truth."
)
STYLES = ("apa", "bibtex")


@dataclass(frozen=True, slots=True)
class Topic:
    """One case: what Exa is asked, what is retrieved in the captures, and the claim to be supported."""

    name: str
    query: str
    retrieval_query: str
    claim: str


#: Three RFC topics (R147). Each claim is what its RFC's abstract says.
TOPICS = (
    Topic(
        "RFC 9110, HTTP semantics",
        "RFC 9110 HTTP Semantics full text rfc-editor.org",
        "HTTP stateless application-level protocol",
        "The Hypertext Transfer Protocol (HTTP) is a stateless application-level protocol for distributed, "
        "collaborative, hypertext information systems.",
    ),
    Topic(
        "RFC 9000, QUIC",
        "RFC 9000 QUIC: A UDP-Based Multiplexed and Secure Transport full text rfc-editor.org",
        "QUIC secure general-purpose transport protocol",
        "QUIC is a secure general-purpose transport protocol.",
    ),
    Topic(
        "RFC 8259, JSON",
        "RFC 8259 The JavaScript Object Notation (JSON) Data Interchange Format full text rfc-editor.org",
        "JSON lightweight text-based data interchange format",
        "JavaScript Object Notation (JSON) is a lightweight, text-based, language-independent data "
        "interchange format.",
    ),
)


class SearchingAdapter(Protocol):
    """Searches and captures, as ``cmtui.exa.ExaAcquisitionAdapter`` does."""

    def search(self, query: str, limit: int = 5) -> tuple[DiscoveryCandidate, ...]:
        """Candidates in the provider's order."""
        ...

    def capture(self, candidate: DiscoveryCandidate) -> CapturedSource:
        """Complete bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Backends:
    """What retrieves and what judges; None is the local default."""

    index: SemanticIndex | None = None
    inference: InferenceBackend | None = None


def skipped(environ: Mapping[str, str] | None = None) -> dict[str, Any] | None:
    """The report of a run that cannot be made because no key is set; None when one is (R149)."""
    if (os.environ if environ is None else environ).get(KEY_VARIABLE, "").strip():
        return None
    return {
        "status": "skipped",
        "reason": f"{KEY_VARIABLE} is not set, so nothing was asked and nothing was measured.",
        "cases": [],
        "caveat": CAVEAT,
    }


def validate(
    store: Path,
    adapter: SearchingAdapter,
    *,
    topics: Sequence[Topic] = TOPICS,
    backends: Backends | None = None,
    limit: int = 3,
    html: str = "text",
    progress: ProgressCallback = no_progress,
) -> dict[str, Any]:
    """Run every topic and report. ``store`` is made when it is not there.

    A case passes with at least one supporting quotation that was read back exactly, formatted in APA and
    BibTeX, and whose identities came out equal from identical bytes under other metadata. Failed captures and
    abstentions stay in the report (R149).
    """
    used = backends or Backends()
    with (
        tempfile.TemporaryDirectory(prefix="cmtui-live-") as folder,
        LocalCitationMachine.open(store) as machine,
        LocalCitationMachine.open(Path(folder) / "again") as again,
    ):
        cases = []
        for number, topic in enumerate(topics):
            progress(Progress("live", topic.name, number, len(topics)))
            cases.append(_Case(machine, again, adapter, topic, used, limit, html).run())
        inference = used.inference or machine.inference
    passed = bool(cases) and all(case["passed"] for case in cases)
    return {
        "status": "passed" if passed else "failed",
        "passed": sum(1 for case in cases if case["passed"]),
        "total": len(cases),
        "cases": cases,
        "inference": inference.name,
        "html": html,
        "limit": limit,
        "caveat": CAVEAT,
    }


class _Keeping:
    """The adapter, keeping what it captured, so that the same bytes can be acquired again."""

    def __init__(self, adapter: SearchingAdapter) -> None:
        self._adapter = adapter
        self.kept: CapturedSource | None = None

    def capture(self, candidate: DiscoveryCandidate) -> CapturedSource:
        """The complete bytes."""
        self.kept = None
        self.kept = self._adapter.capture(candidate)
        return self.kept


class _Replaying:
    """Brings the same bytes from another address (R148)."""

    def __init__(self, captured: CapturedSource, url: str) -> None:
        self._captured = replace(captured, url=url)

    def capture(self, candidate: DiscoveryCandidate) -> CapturedSource:  # noqa: ARG002 - any candidate
        """The bytes."""
        return self._captured


#: Metadata that has nothing in common with what a search says, twice over (R148).
OTHER_METADATA = (
    DiscoveryMetadata("replay", "another-id", url="https://elsewhere.invalid/1", title="Another title",
                      query="another query", rank=99, score=-1.5, discovered_at="1999-12-31T23:59:59Z",
                      result_metadata={"author": "Another author"}, response_metadata={"requestId": "x"}),
    DiscoveryMetadata("replay again", "a-third-id", url="https://elsewhere.invalid/2", rank=1, score=0.0),
)  # fmt: skip


class _Case:
    """One topic, from the search to the citations."""

    def __init__(
        self,
        machine: LocalCitationMachine,
        again: LocalCitationMachine,
        adapter: SearchingAdapter,
        topic: Topic,
        backends: Backends,
        limit: int,
        html: str,
    ) -> None:
        self._machine = machine
        self._again = again
        self._adapter = adapter
        self._topic = topic
        self._backends = backends
        self._limit = limit
        self._html = html

    def run(self) -> dict[str, Any]:
        """The case's part of the report; an expected failure is a part of it, never an exception."""
        topic = self._topic
        report: dict[str, Any] = {
            "topic": topic.name,
            "query": topic.query,
            "claim": topic.claim,
            "passed": False,
            "error": None,
            "captures": [],
            "findings": [],
            "abstentions": [],
        }
        try:
            candidates = self._adapter.search(topic.query, limit=self._limit)
            captured = self._capture(candidates, report)
            if captured:
                self._find(captured, report)
        except CmtuiError as error:
            report["error"] = _said(error)
        stable = all(c["identities_stable"] for c in report["captures"] if c["document_id"] is not None)
        report["identities_stable"] = stable and any(c["document_id"] for c in report["captures"])
        report["passed"] = report["identities_stable"] and any(f["verified"] for f in report["findings"])
        return report

    # -- capturing -----------------------------------------------------------------------------------

    def _capture(
        self, candidates: Sequence[DiscoveryCandidate], report: dict[str, Any]
    ) -> dict[str, CapturedSource]:
        """Document ids and their bytes. Highlights are dropped before anything is captured (R147)."""
        service = CitationAcquisitionService(self._machine, html=self._html)
        found: dict[str, CapturedSource] = {}
        for candidate in candidates:
            keeping = _Keeping(self._adapter)
            receipt = service.attempt(keeping, replace(candidate, highlight=None))
            row = {
                "url": receipt.url,
                "rank": candidate.discovery.rank,
                "document_id": receipt.document_id,
                "source_version": receipt.source_version,
                "bytes": None if keeping.kept is None else len(keeping.kept.content),
                "error": None
                if receipt.error is None
                else {
                    "type": receipt.error,
                    "rule": receipt.rule,
                    "message": receipt.message,
                    "hint": receipt.hint,
                },
                "identities_stable": None,
            }
            if receipt.document_id is not None and keeping.kept is not None:
                found[receipt.document_id] = keeping.kept
                row["identities_stable"] = self._is_stable(receipt, keeping.kept)
            report["captures"].append(row)
        return found

    def _is_stable(self, receipt: AcquisitionReceipt, captured: CapturedSource) -> bool:
        """Whether identical bytes under wholly other metadata are the same version and content (R148).

        They are acquired twice more, into another store that starts empty.
        """
        service = CitationAcquisitionService(self._again, html=self._html)
        for metadata in OTHER_METADATA:
            url = f"{metadata.url}/{receipt.document_id}"
            lead = DiscoveryCandidate(captured.source_kind, replace(metadata, url=url))
            repeated = service.acquire(_Replaying(captured, url), lead)
            same_content = repeated.document_id == receipt.document_id
            if not same_content or repeated.source_version != receipt.source_version:
                return False
        return True

    # -- finding -------------------------------------------------------------------------------------

    def _find(self, captured: Mapping[str, CapturedSource], report: dict[str, Any]) -> None:
        answer = self._machine.find_evidence(
            self._topic.claim,
            retrieval_query=self._topic.retrieval_query,
            filters={"document_id": sorted(captured)},
            index=self._backends.index,
            inference=self._backends.inference,
            diagnostics=True,
            on_invalid="refuse",
        )
        report["findings"] = [self._finding(finding) for finding in answer.findings]
        report["abstentions"] = [
            {
                "relation": str(finding.relation),
                "document_id": finding.document_id,
                "why": finding.explanation,
            }
            for finding in (*answer.contradictions, *answer.related, *answer.insufficient)
        ]

    def _finding(self, finding: Finding) -> dict[str, Any]:
        evidence = finding.evidence
        row: dict[str, Any] = {
            "text": finding.text,
            "document_id": finding.document_id,
            "confidence": finding.confidence,
            "evidence_ids": list(finding.evidence_ids),
            "verified": False,
            "citations": {},
            "error": None,
        }
        try:
            if isinstance(evidence, EvidenceSpanIdentity):
                exact = self._machine.reconstruct(evidence) == finding.text
                again = self._again.quote_span(evidence.document_id, evidence.span)
                self._state_address(evidence.document_id)
                row["citations"] = {s: self._machine.format_citation(evidence, style=s) for s in STYLES}
                formatted = all(text.strip() for text in row["citations"].values())
                row["verified"] = exact and again.evidence_id == evidence.evidence_id and formatted
        except CmtuiError as error:
            row["error"] = _said(error)
        return row

    def _state_address(self, document_id: str) -> None:
        """Bibliography from the capture alone: its address, its date, and the title the page itself states.

        Nothing of the search's metadata is used (R69, R149); without a stated title the address stands there.
        """
        source = self._machine.source(document_id)
        url = source.artifact.reference
        stated = [c.value for c in self._machine.metadata_candidates(document_id) if c.field == "title"]
        year, month, day = (int(part) for part in SystemClock().now()[:10].split("-"))
        self._machine.set_bibliography(
            document_id,
            {
                "type": "webpage",
                "title": stated[0] if stated else url,
                "URL": url,
                "accessed": {"date-parts": [[year, month, day]]},
            },
        )


def _said(error: CmtuiError) -> dict[str, str]:
    return {"type": type(error).__name__, "message": error.sentence, "hint": error.advice}

"""What every group of engine operations shares: the injected ports and the parts made on first use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from cmtui.engine.citing import CitationDesk
from cmtui.errors import InvalidRequest
from cmtui.model.claim import EvidenceSpanIdentity
from cmtui.model.retrieval import Filters
from cmtui.model.selectors import Span
from cmtui.ports import (
    CitationFormatter,
    CitationIngestionPort,
    CitationSearchPort,
    InferenceBackend,
    KnowledgeRepository,
)
from cmtui.verification.verifier import entry_of, verify_span

if TYPE_CHECKING:
    from cmtui.engine.versions import VersionDesk
    from cmtui.retrieval.search import Retriever
    from cmtui.verification.quotes import QuoteChecker

AnyFilters = Filters | Mapping[str, Any] | None


class MachineCore:
    """The ports, the repository, and the parts that are loaded only when an operation needs them."""

    def __init__(
        self,
        *,
        ingestion_port: CitationIngestionPort,
        search_port: CitationSearchPort | None = None,
        repository: KnowledgeRepository | None = None,
        inference: InferenceBackend | None = None,
        formatter: CitationFormatter | None = None,
    ) -> None:
        self._ingestion = ingestion_port
        self._search_port = search_port
        self._repository: KnowledgeRepository | None = repository or getattr(search_port, "repository", None)
        self._inference = inference
        self._formatter = formatter
        self._desk: CitationDesk | None = None
        self._quotes: QuoteChecker | None = None
        self._version_desk: VersionDesk | None = None
        self._retriever: Retriever | None = None

    @property
    def repository(self) -> KnowledgeRepository:
        """What the engine persists. Raises InvalidRequest when the ports bring none."""
        if self._repository is None:
            raise InvalidRequest(
                "This machine has no repository, so it cannot read canonical text back.",
                "Pass repository= to CitationMachine, or open a store with LocalCitationMachine.open().",
            )
        return self._repository

    @property
    def search_port(self) -> CitationSearchPort:
        """The port that passages are found through."""
        if self._search_port is None:
            self._search_port = self._make_search_port()
        return self._search_port

    def _make_search_port(self) -> CitationSearchPort:
        """A search port over the repository, with its index under the derived data (or in memory)."""
        from cmtui.retrieval.search import local_search

        return local_search(self.repository)

    @property
    def inference(self) -> InferenceBackend:
        """The inference backend used when a call names none: the local rules."""
        if self._inference is None:
            from cmtui.inference import LocalInferenceBackend

            self._inference = LocalInferenceBackend()
        return self._inference

    @property
    def desk(self) -> CitationDesk:
        """Bibliography and citations."""
        if self._desk is None:
            self._desk = CitationDesk(self.repository, self._formatter)
        return self._desk

    @property
    def retriever(self) -> Retriever:
        """Lexical, semantic and hybrid search over the search port."""
        if self._retriever is None:
            from cmtui.retrieval.search import Retriever

            self._retriever = Retriever(self.search_port, self.repository)
        return self._retriever

    def _verified(self, document_id: str, span: Span, text: str | None) -> EvidenceSpanIdentity:
        document = self.repository.document(document_id)
        return verify_span(document, self.repository.source_of(document_id), span, text=text)

    def _record(self, identities: Iterable[EvidenceSpanIdentity]) -> None:
        entries = [entry_of(identity) for identity in identities]
        if entries:
            self.repository.record_evidence(entries)

"""The facade: everything that the command line, the application and library users drive.

It composes the parts and holds no rules of its own. ``CitationMachine`` works over injected ports (R7);
``LocalCitationMachine`` over a store directory (R15).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from cmtui.engine.citing import CitationDesk, Target
from cmtui.engine.claims import run_of
from cmtui.engine.evidence import Judged, judge, members_of, pool_size, report
from cmtui.engine.ingestion import CitationIngestionService, IngestOptions
from cmtui.engine.review import ReviewSession
from cmtui.errors import CmtuiError, InvalidRequest, VerificationError
from cmtui.model.bibliography import BibliographicMetadata, BibliographyRecord, CslItem, FormattedCitation
from cmtui.model.claim import (
    Claim,
    Evidence,
    EvidenceReport,
    EvidenceSet,
    EvidenceSpanIdentity,
    Finding,
    RunFinding,
    claim_id,
)
from cmtui.model.identity import SourceKind
from cmtui.model.ingest import IngestReport
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.quote import QuoteCheck
from cmtui.model.retrieval import Filters, SearchResponse, SearchResult
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument, DocumentSummary, MetadataCandidate, SourceRecord
from cmtui.model.verification import EvidenceCheck
from cmtui.ports import (
    CitationFormatter,
    CitationIngestionPort,
    CitationSearchPort,
    Clock,
    InferenceBackend,
    KnowledgeRepository,
    SemanticIndex,
)
from cmtui.verification.layers import check_entry
from cmtui.verification.verifier import entry_of, verify_span

if TYPE_CHECKING:
    from cmtui.model.bibliography import FormattedBibliography
    from cmtui.retrieval.search import Retriever
    from cmtui.verification.quotes import QuoteChecker

AnyFilters = Filters | Mapping[str, Any] | None


class CitationMachine:
    """The engine over an ingestion port and a search port.

    Identity, evidence, review and citation need a repository: the search port's own is used unless one is
    given. Methods return frozen values and may be called from worker threads; ``progress`` and ``cancelled``
    are asked between units of work.
    """

    def __init__(
        self,
        *,
        ingestion_port: CitationIngestionPort,
        search_port: CitationSearchPort,
        repository: KnowledgeRepository | None = None,
        inference: InferenceBackend | None = None,
        formatter: CitationFormatter | None = None,
    ) -> None:
        self._ingestion = ingestion_port
        self._search = search_port
        self._repository: KnowledgeRepository | None = repository or getattr(search_port, "repository", None)
        self._inference = inference
        self._formatter = formatter
        self._desk: CitationDesk | None = None
        self._quotes: QuoteChecker | None = None
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

            self._retriever = Retriever(self._search, self.repository)
        return self._retriever

    # -- library -------------------------------------------------------------------------------------

    def generation(self) -> int:
        """A counter raised by every commit, in whichever process it happens."""
        return self.repository.generation()

    def documents(self) -> tuple[DocumentSummary, ...]:
        """One row per document, superseded versions included."""
        return self.repository.summaries()

    def document(self, document_id: str) -> CanonicalDocument:
        """A document by id or unique prefix. Raises NotFound, AmbiguousId, SnapshotDamaged."""
        return self.repository.document(document_id)

    def summary(self, document_id: str) -> DocumentSummary:
        """The catalogue row of a document by id or unique prefix. Raises NotFound, AmbiguousId."""
        return self.repository.summary(document_id)

    def source(self, source_id: str) -> SourceRecord:
        """A source by id or unique prefix of its own id or of one of its documents. Raises NotFound."""
        return self.desk.source_of(source_id)

    def title(self, source_id: str) -> str | None:
        """The title from the explicit bibliography; never guessed from a file name (R102)."""
        record = self.repository.bibliography(source_id)
        title = record.item.get("title") if record is not None else None
        return title if isinstance(title, str) and title else None

    def ingest(self, path: str | Path, **options: Any) -> str:
        """Ingest one file and return its document id (R6). Raises IngestError."""
        return self._ingestion.ingest(path, **options)

    def ingest_paths(
        self,
        paths: Iterable[str | Path],
        *,
        kind: SourceKind | str | None = None,
        encoding: str | None = None,
        reference: str | None = None,
        password: str | None = None,
        reprofile: bool = False,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> IngestReport:
        """Ingest files and folders; every file ends in ``documents`` or in ``errors``."""
        stated = None if kind is None else _kind(kind)
        options = IngestOptions(stated, encoding, reference, password, reprofile)
        service = CitationIngestionService(self.repository)
        return service.ingest_paths(paths, options, progress=progress, cancelled=cancelled)

    # -- retrieval -----------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        filters: AnyFilters = None,
        limit: int = 10,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> SearchResponse:
        """Lexical search only (R70). Raises QueryError, InvalidRequest."""
        return self.retriever.lexical(
            query, filters=filters, limit=limit, progress=progress, cancelled=cancelled
        )

    def semantic_search(
        self,
        query: str,
        *,
        filters: AnyFilters = None,
        limit: int = 10,
        index: SemanticIndex | None = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> SearchResponse:
        """Semantic search over every eligible passage (R71). Raises EnumerationUnsupported."""
        return self.retriever.semantic(
            query, filters=filters, limit=limit, index=index, progress=progress, cancelled=cancelled
        )

    def hybrid_search(
        self,
        query: str,
        *,
        filters: AnyFilters = None,
        limit: int = 10,
        index: SemanticIndex | None = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> SearchResponse:
        """Reciprocal rank fusion, k = 60, of the lexical and the semantic ranks (R72)."""
        return self.retriever.hybrid(
            query, filters=filters, limit=limit, index=index, progress=progress, cancelled=cancelled
        )

    # -- evidence ------------------------------------------------------------------------------------

    def find_evidence(
        self,
        claim: str,
        *,
        limit: int = 5,
        candidate_limit: int | None = None,
        retrieval_query: str | None = None,
        filters: AnyFilters = None,
        inference: InferenceBackend | None = None,
        index: SemanticIndex | None = None,
        diagnostics: bool = False,
        include_context: bool = False,
        save: bool = True,
        on_invalid: str = "raise",
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> EvidenceReport:
        """Passages that support ``claim``, each quote verified against its own canonical version (R84-R99).

        ``save`` records the identities shown in the evidence log. An invalid supporting proposal raises
        VerificationError (R89) unless ``on_invalid`` is ``refuse``: then it stands in ``report.refused``.
        """
        if on_invalid not in ("raise", "refuse"):
            raise InvalidRequest(f"on_invalid is 'raise' or 'refuse', not {on_invalid!r}.", "")
        backend = inference or self.inference
        judged = self._judge(
            claim,
            pool_size(limit, candidate_limit),
            retrieval_query,
            filters,
            backend,
            index,
            progress,
            cancelled,
        )
        refused = next((j.refused for j in judged if j.refused is not None), None)
        if refused is not None and on_invalid == "raise":
            raise refused
        answer = report(
            claim,
            judged,
            limit=limit,
            backend=backend.name,
            retrieval_query=retrieval_query,
            diagnostics=diagnostics,
            include_context=include_context,
        )
        if save:
            self._record(m for f in answer.findings if f.evidence for m in members_of(f.evidence))
        return answer

    def identity(self, target: SearchResult | Finding | RunFinding | str) -> EvidenceSpanIdentity:
        """The four layers of a result's passage, of a finding, or of a recorded evidence id (R15, R16).

        Raises NotFound, VerificationError; InvalidRequest for an evidence set, which has several.
        """
        if isinstance(target, str):
            entry = self.repository.evidence(target)
            return self._verified(entry.document_id, entry.span, entry.exact)
        if isinstance(target, Finding) and target.evidence is not None:
            if isinstance(target.evidence, EvidenceSet):
                raise InvalidRequest(
                    "An evidence set has several identities.", "Ask for each of its members."
                )
            return target.evidence
        text = target.text if isinstance(target.text, str) else None
        identity = self._verified(target.document_id, target.span, text)
        self._record((identity,))
        return identity

    def reconstruct(self, evidence: Evidence | str) -> str | tuple[str, ...]:
        """The exact text of evidence, read back from canonical content alone (R15, R34, R97).

        Raises NotFound, VerificationError when it no longer verifies.
        """
        if isinstance(evidence, EvidenceSet):
            return tuple(
                self._reconstruct(member.document_id, member.span, member.text) for member in evidence.members
            )
        if isinstance(evidence, EvidenceSpanIdentity):
            return self._reconstruct(evidence.document_id, evidence.span, evidence.text)
        entry = self.repository.evidence(evidence)
        return self._reconstruct(entry.document_id, entry.span, entry.exact)

    def verify(self, evidence_ids: Sequence[str] | None = None) -> tuple[EvidenceCheck, ...]:
        """Recompute all four layers of the named evidence, or of everything in the evidence log."""
        repository = self.repository
        if evidence_ids is None:
            entries = repository.evidence_entries()
        else:
            entries = tuple(repository.evidence(evidence_id) for evidence_id in evidence_ids)
        return tuple(check_entry(repository, entry) for entry in entries)

    def quote_span(self, document_id: str, span: Span) -> EvidenceSpanIdentity:
        """Verify a span now and record it in the evidence log. Raises VerificationError."""
        identity = self._verified(self.repository.summary(document_id).document_id, span, None)
        self._record((identity,))
        return identity

    def check_quote(
        self, text: str, *, document_id: str | None = None, offset: int | None = None
    ) -> QuoteCheck:
        """Where a quoted text stands, or in which way it does not. Raises NotFound."""
        if self._quotes is None:
            from cmtui.verification.quotes import QuoteChecker

            self._quotes = QuoteChecker(self.repository)
        check, identities = self._quotes.check(text, document_id=document_id, offset=offset)
        self._record(identities)
        return check

    # -- claims --------------------------------------------------------------------------------------

    def claims(self, *, archived: bool = False) -> tuple[Claim, ...]:
        """Claims in their order; archived ones only when asked for."""
        return self.repository.claims(archived=archived)

    def claim(self, claim: str) -> Claim:
        """A claim by id or unique prefix. Raises NotFound, AmbiguousId."""
        return self.repository.claim(claim)

    def add_claim(self, text: str, *, retrieval_query: str | None = None) -> Claim:
        """Add a claim at the end, or return the one with this text (taken out of the archive)."""
        from cmtui.inference.claims import parse_claim

        clean = parse_claim(text).text
        if not clean:
            raise InvalidRequest("A claim needs words.", "State it as a sentence, such as: The king was sad.")
        existing = {claim.claim_id: claim for claim in self.repository.claims(archived=True)}
        known = existing.get(claim_id(clean))
        if known is not None:
            claim = replace(known, archived=False, retrieval_query=retrieval_query or known.retrieval_query)
        else:
            order = max((c.order for c in existing.values()), default=0) + 1
            claim = Claim(claim_id(clean), clean, retrieval_query, order)
        self.repository.save_claim(claim)
        return self.repository.claim(claim.claim_id)

    def evaluate_claim(
        self,
        claim: str,
        *,
        candidate_limit: int | None = None,
        filters: AnyFilters = None,
        inference: InferenceBackend | None = None,
        index: SemanticIndex | None = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> Claim:
        """Evaluate a claim over the current documents and append the run (its rows are verified; D7)."""
        repository = self.repository
        stored = repository.claim(claim)
        backend = inference or self.inference
        pool = pool_size(5, candidate_limit)
        documents = [row.document_id for row in repository.summaries() if row.current]
        judged = self._judge(
            stored.text, pool, stored.retrieval_query, filters, backend, index, progress, cancelled
        )
        run, identities = run_of(
            repository,
            judged,
            backend=backend.name,
            mode="hybrid",
            candidate_limit=pool,
            documents=documents,
            cancelled=cancelled,
        )
        self._record(identities)
        return repository.add_run(stored.claim_id, run)

    def update_claim(
        self,
        claim: str,
        *,
        text: str | None = None,
        retrieval_query: str | None = None,
        order: int | None = None,
        archived: bool | None = None,
    ) -> Claim:
        """Change what a person may change; None leaves a field as it is. The id and the runs stay."""
        stored = self.repository.claim(claim)
        changed = replace(
            stored,
            text=stored.text if text is None else " ".join(text.split()),
            retrieval_query=stored.retrieval_query if retrieval_query is None else retrieval_query or None,
            order=stored.order if order is None else order,
            archived=stored.archived if archived is None else archived,
        )
        if not changed.text:
            raise InvalidRequest("A claim needs words.", "Archive it instead.")
        self.repository.save_claim(changed)
        return self.repository.claim(stored.claim_id)

    def unseen_documents(self, claim: Claim) -> int:
        """How many current documents the newest run of a claim has not seen."""
        seen = frozenset(claim.latest.documents) if claim.latest else frozenset()
        return sum(1 for row in self.repository.summaries() if row.current and row.document_id not in seen)

    def review(self, reviewer: str) -> ReviewSession:
        """A reviewer's session over the append-only log (R183)."""
        return ReviewSession(self.repository, reviewer)

    # -- bibliography --------------------------------------------------------------------------------

    def bibliography(self, key: str) -> BibliographyRecord | None:
        """The metadata of a source or document, or None. Raises NotFound, SidecarMalformed."""
        return self.desk.record(key)

    def set_bibliography(
        self, key: str, metadata: BibliographicMetadata | CslItem, *, reviewer: str | None = None
    ) -> BibliographyRecord:
        """Store explicit metadata (R101). With a reviewer the edit can be undone like a decision."""
        previous = self.desk.record(key)
        record = self.desk.set(key, metadata)
        if reviewer is not None:
            session = self.review(reviewer)
            session.record_bibliography(record.source_id, record.item, previous.item if previous else None)
        return record

    def metadata_candidates(self, document_id: str) -> tuple[MetadataCandidate, ...]:
        """Metadata found in the file, with its origin; shown, never written unasked (R102)."""
        return self.repository.document(document_id).candidates

    def format_citation(
        self, target: Target, style: str = "mla", form: str = "reference", output: str = "plain"
    ) -> str:
        """The text of a citation (R104). Raises MetadataMissing, UnknownStyle, UnsupportedForm."""
        return self.cite(target, style=style, form=form, output=output).text

    def cite(
        self, target: Target, *, style: str = "mla", form: str = "reference", output: str = "plain"
    ) -> FormattedCitation:
        """A citation with the engine and style that made it."""
        return self.desk.cite(target, style=style, form=form, output=output)

    def preview(
        self, item: CslItem, *, style: str, form: str = "reference", output: str = "plain"
    ) -> FormattedCitation:
        """A citation of metadata that is not stored yet."""
        return self.desk.preview(item, style=style, form=form, output=output)

    @staticmethod
    def citation_styles() -> tuple[str, ...]:
        """The names of the shipped styles and BibTeX."""
        return ("mla", "apa", "chicago", "chicago-notes", "ieee", "bibtex")

    @staticmethod
    def format_items(
        items: Sequence[CslItem],
        *,
        style: str,
        form: str = "reference",
        cites: Sequence[Sequence[Mapping[str, Any]]] | None = None,
        output: str = "plain",
    ) -> FormattedBibliography:
        """One bibliography over plain CSL-JSON items, without a store."""
        from cmtui.bibliography.service import format_items

        return format_items(items, style=style, form=form, cites=cites, output=output)

    # -- helpers -------------------------------------------------------------------------------------

    def _judge(
        self,
        claim: str,
        pool: int,
        retrieval_query: str | None,
        filters: AnyFilters,
        backend: InferenceBackend,
        index: SemanticIndex | None,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> list[Judged]:
        from cmtui.inference.claims import parse_claim

        clean = parse_claim(claim).text
        if not clean:
            raise InvalidRequest("A claim needs words.", "State it as a sentence, such as: The king was sad.")
        candidates = self.retriever.candidates(
            retrieval_query or clean,
            filters=filters,
            limit=pool,
            index=index,
            progress=progress,
            cancelled=cancelled,
        )
        return judge(self.repository, backend, clean, candidates, progress=progress, cancelled=cancelled)

    def _verified(self, document_id: str, span: Span, text: str | None) -> EvidenceSpanIdentity:
        document = self.repository.document(document_id)
        return verify_span(document, self.repository.source_of(document_id), span, text=text)

    def _reconstruct(self, document_id: str, span: Span, recorded: str) -> str:
        exact = self.repository.document(document_id).slice(span)
        if exact != recorded:
            raise VerificationError(
                f"The text at [{span.start}, {span.end}) of {document_id[:12]}… is not the recorded evidence.",
                "Run: citation-machine verify --all",
            )
        return exact

    def _record(self, identities: Iterable[EvidenceSpanIdentity]) -> None:
        entries = [entry_of(identity) for identity in identities]
        if entries:
            self.repository.record_evidence(entries)


class LocalCitationMachine(CitationMachine):
    """The engine over a store directory (R15, R182, D10)."""

    def __init__(self, repository: KnowledgeRepository, **ports: Any) -> None:
        from cmtui.retrieval.search import local_search

        super().__init__(
            ingestion_port=CitationIngestionService(repository),
            search_port=local_search(repository),
            repository=repository,
            **ports,
        )

    @classmethod
    def open(cls, path: str | Path, *, clock: Clock | None = None, **ports: Any) -> Self:
        """Create or open the store directory at ``path``. Raises StoreError."""
        from cmtui.store.directory import StoreRepository

        return cls(StoreRepository.open(Path(path).expanduser(), clock=clock), **ports)

    @property
    def path(self) -> Path:
        """The store directory."""
        root = self.repository.root
        if root is None:
            raise CmtuiError("This machine lives in memory and has no directory.")
        return root

    def close(self) -> None:
        """Release what is held open. The store itself needs no closing."""
        close = getattr(self.repository, "close", None)
        if close is not None:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _kind(kind: SourceKind | str) -> SourceKind:
    try:
        return SourceKind(kind)
    except ValueError:
        raise InvalidRequest(
            f"There is no kind of source called '{kind}'.", "The kinds are pdf, epub, markdown and text."
        ) from None

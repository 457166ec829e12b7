"""Operations that find, verify and read back evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cmtui.engine.core import AnyFilters, MachineCore
from cmtui.engine.evidence import Judged, caveat_of, judge, members_of, pool_size, report
from cmtui.errors import InvalidRequest, VerificationError
from cmtui.model.claim import (
    Evidence,
    EvidenceEntry,
    EvidenceReport,
    EvidenceSet,
    EvidenceSpanIdentity,
    Finding,
    Relation,
    RunFinding,
)
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.quote import QuoteCheck
from cmtui.model.retrieval import SearchResult
from cmtui.model.selectors import Span
from cmtui.model.verification import EvidenceCheck
from cmtui.ports import InferenceBackend, SemanticIndex
from cmtui.verification.layers import check_entry

if TYPE_CHECKING:
    from cmtui.engine.versions import VersionDesk
    from cmtui.model.reanchor import AcceptedReanchoring, Superseded, VersionReport


class EvidenceOperations(MachineCore):
    """Evidence for a claim, the identity of a span, and the check of a quote."""

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

        A claim that certainly makes several statements is checked as a whole and statement by statement
        (``report.members``). Where no passage supports the whole and one document supports every statement,
        the finding for the whole is an evidence set (R97).
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
        members = self._judge_members(
            claim,
            pool_size(limit, candidate_limit),
            retrieval_query,
            filters,
            backend,
            index,
            progress,
            cancelled,
        )
        candidates = len(judged)
        judged = self._with_sets(judged, members)
        every = [*judged, *(j for _, rows in members for j in rows)]
        refused = next((j.refused for j in every if j.refused is not None), None)
        if refused is not None and on_invalid == "raise":
            raise refused

        def reported(stated: str, rows: Sequence[Judged]) -> EvidenceReport:
            return report(
                stated,
                rows,
                limit=limit,
                backend=backend.name,
                retrieval_query=retrieval_query,
                diagnostics=diagnostics,
                include_context=include_context,
                caveat=caveat_of(backend),
            )

        answer = replace(
            reported(claim, judged),
            candidates=candidates,
            members=tuple(reported(statement, rows) for statement, rows in members),
        )
        if save:
            shown = [answer, *answer.members]
            self._record(m for one in shown for f in one if f.evidence for m in members_of(f.evidence))
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

    def recorded(self, evidence_id: str) -> EvidenceEntry:
        """The entry of the evidence log, by id or unique prefix; it outlives its document.

        Raises NotFound, AmbiguousId.
        """
        return self.repository.evidence(evidence_id)

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

    # -- across versions of a source -------------------------------------------------------------------

    def version_reports(self, source_id: str | None = None) -> tuple[VersionReport, ...]:
        """What became of recorded evidence whose document a newer version replaced; nothing is moved.

        For every source with such evidence, or for one (by source or document id). Raises NotFound.
        """
        source = None if source_id is None else self.desk.source_of(source_id)
        return self._versions().reports(source)

    def superseded(self, document_id: str, span: Span) -> Superseded | None:
        """What a review row says of text in a document: None while the document is current."""
        return self._versions().superseded(document_id, span)

    def accept_reanchoring(
        self,
        evidence_id: str,
        *,
        reviewer: str | None = None,
        claim_id: str | None = None,
        offset: int | None = None,
    ) -> AcceptedReanchoring:
        """Record evidence at its place in the current version, and accept it again for a reviewer's claims.

        Raises NotFound, InvalidRequest, VerificationError; then nothing is recorded.
        """
        return self._versions().accept(evidence_id, reviewer=reviewer, claim_id=claim_id, offset=offset)

    def _versions(self) -> VersionDesk:
        if self._version_desk is None:
            from cmtui.engine.versions import VersionDesk

            self._version_desk = VersionDesk(self.repository)
        return self._version_desk

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

    def _judge_members(
        self,
        claim: str,
        pool: int,
        retrieval_query: str | None,
        filters: AnyFilters,
        backend: InferenceBackend,
        index: SemanticIndex | None,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> list[tuple[str, list[Judged]]]:
        """The statements of a compound claim with their candidates judged; none for a simple claim."""
        from cmtui.inference.compound import split_claim

        return [
            (
                statement,
                self._judge(statement, pool, retrieval_query, filters, backend, index, progress, cancelled),
            )
            for statement in split_claim(claim)
        ]

    def _with_sets(
        self, judged: list[Judged], members: Sequence[tuple[str, Sequence[Judged]]]
    ) -> list[Judged]:
        """The candidates, and evidence sets over them where no passage supports the whole claim."""
        if not members or any(j.assessment.relation is Relation.SUPPORTS for j in judged):
            return judged
        from cmtui.engine.compound import composed

        sets = composed([rows for _, rows in members], [statement for statement, _ in members])
        return [*judged, *sets]

    def _reconstruct(self, document_id: str, span: Span, recorded: str) -> str:
        exact = self.repository.document(document_id).slice(span)
        if exact != recorded:
            raise VerificationError(
                f"The text at [{span.start}, {span.end}) of {document_id[:12]}… is not what was recorded.",
                "Run: citation-machine verify --all",
            )
        return exact

"""Operations on claims, their runs and their review."""

from __future__ import annotations

from dataclasses import replace

from cmtui.engine.claims import run_of
from cmtui.engine.core import AnyFilters
from cmtui.engine.evidence import pool_size
from cmtui.engine.proving import EvidenceOperations
from cmtui.engine.review import ReviewSession
from cmtui.errors import InvalidRequest
from cmtui.model.claim import Claim, claim_id
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.ports import InferenceBackend, SemanticIndex


class ClaimOperations(EvidenceOperations):
    """Claims are stated once, evaluated as often as wanted, and reviewed by people."""

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
        members = self._judge_members(
            stored.text, pool, stored.retrieval_query, filters, backend, index, progress, cancelled
        )
        judged = self._with_sets(judged, members)
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

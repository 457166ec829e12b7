"""Operations on whole reviews: comparing reviewers, exporting, importing."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from cmtui.engine.claiming import ClaimOperations
from cmtui.engine.exporting import ExportOperations
from cmtui.engine.exports import FORMATS, NAMES, ExportedReview, ReviewFormat
from cmtui.engine.exports.importing import ImportedReview
from cmtui.engine.review_agreement import Comparison, compare
from cmtui.engine.review_summary import ClaimTally, tally
from cmtui.errors import InvalidRequest
from cmtui.model.reanchor import AcceptedReanchoring, Reanchoring
from cmtui.model.review import Decision

#: What an export holds unless it is told otherwise.
DECIDED = frozenset({Decision.ACCEPTED, Decision.REJECTED})


class ReviewOperations(ClaimOperations, ExportOperations):
    """What is asked of a review as a whole, by the reviewer who asks."""

    def reviewers(self) -> tuple[str, ...]:
        """Names of everybody who has a review log here, sorted. What they decided is not said."""
        return self.repository.reviewers()

    def review_tallies(self, reviewer: str) -> tuple[ClaimTally, ...]:
        """What this reviewer has decided of every claim that is not archived."""
        session = self.review(reviewer)
        state = session.state()
        return tuple(ClaimTally(claim, tally(session.findings(claim, state))) for claim in self.claims())

    def compare_reviewers(self, first: str, second: str, *, reviewer: str) -> Comparison:
        """Agreement and conflicts of two reviewers, with what ``reviewer`` has settled of them.

        Raises ReviewError while ``reviewer`` is blind, NotFound, InvalidRequest.
        """
        session = self.review(reviewer)
        session.require_sight(f"what {first} and {second} decided")
        return compare(self.repository, first, second, adjudicator=session.state())

    def moved(self, evidence_id: str) -> Reanchoring | None:
        """Where evidence stands in the newer version of its source; None while its document is current.

        Raises NotFound.
        """
        entry = self.repository.evidence(evidence_id)
        source = self.repository.source_of(entry.document_id)
        if source.documents[-1] == entry.document_id:
            return None
        rows = (row for report in self.version_reports(source.source_id) for row in report.rows)
        return next((row for row in rows if row.evidence_id == entry.evidence_id), None)

    def accept_moved(
        self, reviewer: str, claim_id: str, evidence_id: str, *, offset: int | None = None
    ) -> AcceptedReanchoring:
        """Accept a finding at its place in the newer version, whether or not it was accepted in the old one.

        One action of the log, which names the old evidence. ``offset`` chooses one of several places. Raises
        as ``accept_reanchoring``; then nothing is recorded.
        """
        session = self.review(reviewer)
        if session.state().of(claim_id, evidence_id).decision is Decision.ACCEPTED:
            return self.accept_reanchoring(evidence_id, reviewer=reviewer, claim_id=claim_id, offset=offset)
        made = self.accept_reanchoring(evidence_id, offset=offset)
        session.accept_again([claim_id], made.new_evidence_id, old_evidence_id=evidence_id)
        return dataclasses.replace(made, reviewer=reviewer, claims=(claim_id,))

    def export_review(
        self,
        reviewer: str,
        file_format: str,
        *,
        decisions: Collection[Decision] = DECIDED,
        style: str = "mla",
        private: bool = False,
    ) -> ExportedReview:
        """A review as a file of one of ``cmtui.engine.exports.NAMES``: the same bytes for the same store.

        It holds what ``reviewer`` decided and nothing of anybody else. ``decisions`` choose the findings of
        csv, markdown and annotations; jsonl is always whole, a bundle shows the accepted quotes, and the
        three bibliography formats hold the sources of accepted findings. ``private`` leaves the texts out of
        a bundle. Raises InvalidRequest for an unknown format.
        """
        chosen = next((each for each in FORMATS if each.name == file_format), None)
        if chosen is None:
            raise InvalidRequest(
                f"There is no review format '{file_format}'.", f"There are {', '.join(NAMES)}."
            )
        if chosen.accepted:
            return self._sources(reviewer, chosen)
        from cmtui.engine.exports import bundle, jsonl, markdown, table, web_annotations
        from cmtui.engine.exports.rows import export_rows

        session = self.review(reviewer)
        if chosen.name == "jsonl":
            return ExportedReview(chosen, jsonl.write(session), sum(1 for _ in session.rows()))
        wanted = frozenset({Decision.ACCEPTED}) if chosen.name == "bundle" else decisions
        rows = list(export_rows(session, self.desk, wanted, style))
        content = {
            "csv": lambda: table.write(rows),
            "markdown": lambda: markdown.write(rows, reviewer),
            "annotations": lambda: web_annotations.write(rows, reviewer),
            "bundle": lambda: bundle.write(session, rows, private=private),
        }[chosen.name]()
        bare = sorted({row.source for row in rows if not row.citation and not row.removed})
        warnings = tuple(f"'{name}' has no bibliographic metadata, so it is not cited." for name in bare)
        return ExportedReview(chosen, content, len(rows), warnings)

    def _sources(self, reviewer: str, chosen: ReviewFormat) -> ExportedReview:
        items = self.export_items(reviewer=reviewer)
        made = self.export_bibliography(file_format=chosen.name, reviewer=reviewer)
        accepted = self.accepted_sources(reviewer)
        bare = [
            f"'{source.name}' has no bibliographic metadata; it is left out."
            for source in self.repository.sources()
            if source.source_id in accepted and self.desk.record(source.source_id) is None
        ]
        content = made.text.encode("utf-8", "backslashreplace")
        return ExportedReview(chosen, content, len(items), (*bare, *made.warnings))

    def import_review(self, content: bytes) -> ImportedReview:
        """Restore an exported review (jsonl or bundle) for its own reviewer; known actions are no-ops.

        What does not verify against the documents of this store is refused and named in the answer. Raises
        InvalidRequest for a file that is no export or was changed since; then nothing is imported.
        """
        from cmtui.engine.exports.importing import ReviewImport
        from cmtui.engine.exports.reading import read

        return ReviewImport(self.repository, read(content)).run()

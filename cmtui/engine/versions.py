"""Evidence of superseded documents against the current version of their source.

The report proposes. Accepting a proposal verifies the span in the new version, records it as evidence of its
own, and accepts it again for the claims that the reviewer had accepted the old one for. The old evidence and
its document stay as they are.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import Lock

from cmtui.errors import InvalidRequest, NotFound, StoreError, VerificationError
from cmtui.model.claim import EvidenceEntry
from cmtui.model.reanchor import (
    EXACT_CLASSES,
    Acceptance,
    AcceptedReanchoring,
    Anchoring,
    AnchorReason,
    Reanchoring,
    Superseded,
    VersionReport,
)
from cmtui.model.review import Decision, fold
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument, SourceRecord
from cmtui.ports import KnowledgeRepository
from cmtui.verification.layers import check_entry
from cmtui.verification.reanchoring import VersionPair
from cmtui.verification.verifier import entry_of, verify_span

#: Prepared pairs of documents kept in memory.
_KEPT = 8


class VersionDesk:
    """Compares recorded evidence with the current versions. Safe for several threads at once."""

    def __init__(self, repository: KnowledgeRepository) -> None:
        self._repository = repository
        self._pairs: OrderedDict[tuple[str, str], VersionPair] = OrderedDict()
        self._mutex = Lock()

    # -- asking --------------------------------------------------------------------------------------

    def reports(self, source: SourceRecord | None = None) -> tuple[VersionReport, ...]:
        """One report for each source with superseded documents that have evidence; or for one source."""
        sources = self._repository.sources() if source is None else (source,)
        accepted = self._acceptances()
        found = []
        for record in sources:
            if len(record.documents) > 1 or source is not None:
                rows = tuple(self._rows(record, accepted))
                if rows or source is not None:
                    found.append(VersionReport(record.source_id, record.name, record.documents, rows))
        return tuple(found)

    def superseded(self, document_id: str, span: Span) -> Superseded | None:
        """What a review row says of text in ``document_id``: None while that document is current."""
        current = self._repository.source_of(document_id).documents[-1]
        if current == document_id:
            return None
        try:
            return Superseded(self._pair(document_id, current).anchor(span).anchor, current)
        except StoreError:
            # A damaged snapshot must not keep anybody from the other rows; whoever opens it is told.
            return Superseded(None, current)

    # -- accepting -----------------------------------------------------------------------------------

    def accept(
        self,
        evidence_id: str,
        *,
        reviewer: str | None = None,
        claim_id: str | None = None,
        offset: int | None = None,
    ) -> AcceptedReanchoring:
        """Record the proposed place of ``evidence_id`` in the current version as evidence of its own.

        With a reviewer, it is accepted for every claim (or the one named) that this reviewer had accepted the
        old evidence for; the event names the old id. ``offset`` chooses one of several places. Raises
        NotFound; InvalidRequest when the document is current; VerificationError when there is no exact place
        or the old evidence no longer verifies, and records nothing then.
        """
        repository = self._repository
        entry = repository.evidence(evidence_id)
        current = repository.source_of(entry.document_id).documents[-1]
        if current == entry.document_id:
            raise InvalidRequest(
                f"The evidence {entry.evidence_id[:12]}… is of the current version of its source.",
                "There is nothing to move.",
            )
        failed = next((layer for layer in check_entry(repository, entry).layers if not layer.ok), None)
        if failed is not None:
            raise VerificationError(
                f"Not moved: the {failed.layer} of the old evidence no longer verifies ({failed.reason}).",
                "Run: citation-machine doctor",
            )
        anchoring = self._pair(entry.document_id, current).anchor(entry.span)
        span = _chosen(anchoring, entry, offset)
        identity = verify_span(
            repository.document(current), repository.source_of(current), span, text=entry.exact
        )
        claims = self._claims_of(entry.evidence_id, reviewer, claim_id)
        repository.record_evidence([entry_of(identity)])
        if reviewer is not None and claims:
            from cmtui.engine.review import ReviewSession

            ReviewSession(repository, reviewer).accept_again(
                claims, identity.evidence_id, old_evidence_id=entry.evidence_id
            )
        return AcceptedReanchoring(
            old_evidence_id=entry.evidence_id,
            new_evidence_id=identity.evidence_id,
            document_id=current,
            span=span,
            text=identity.text,
            anchoring=anchoring,
            reviewer=reviewer,
            claims=claims,
        )

    # -- helpers -------------------------------------------------------------------------------------

    def _rows(
        self, source: SourceRecord, accepted: dict[str, list[tuple[str, str]]]
    ) -> Iterator[Reanchoring]:
        repository = self._repository
        *superseded, current = source.documents
        new: CanonicalDocument | None = None
        recorded: dict[Span | None, str] = {
            entry.span: entry.evidence_id for entry in repository.evidence_entries(current)
        }
        for document_id in superseded:
            for entry in repository.evidence_entries(document_id):
                new = new or repository.document(current)
                pair = self._pair(document_id, current)
                anchoring = pair.anchor(entry.span)
                places = (anchoring.span, *anchoring.places)
                new_id = next((recorded[place] for place in places if place in recorded), None)
                yield Reanchoring(
                    evidence_id=entry.evidence_id,
                    source_id=source.source_id,
                    document_id=document_id,
                    span=entry.span,
                    text=entry.exact,
                    locators=pair.old.locate(entry.span, page_offset=source.page_offset),
                    current_document_id=current,
                    anchoring=anchoring,
                    new_locators=new.locate(anchoring.span, page_offset=source.page_offset)
                    if anchoring.span is not None
                    else None,
                    new_evidence_id=new_id,
                    acceptances=tuple(
                        Acceptance(reviewer, claim, (reviewer, claim) in accepted.get(new_id or "", ()))
                        for reviewer, claim in accepted.get(entry.evidence_id, ())
                    ),
                )

    def _acceptances(self) -> dict[str, list[tuple[str, str]]]:
        """Reviewer and claim of every acceptance that stands, by evidence id."""
        found: dict[str, list[tuple[str, str]]] = {}
        for reviewer in self._repository.reviewers():
            for key, state in fold(self._repository.events(reviewer)).findings.items():
                claim, _, evidence = key.partition("/")
                if evidence and state.decision is Decision.ACCEPTED:
                    found.setdefault(evidence, []).append((reviewer, claim))
        return found

    def _claims_of(self, evidence_id: str, reviewer: str | None, claim_id: str | None) -> tuple[str, ...]:
        """The claims the reviewer accepted this evidence for. Raises NotFound for one that is not."""
        if reviewer is None:
            return ()
        wanted = self._repository.claim(claim_id).claim_id if claim_id is not None else None
        accepted = self._acceptances().get(evidence_id, ())
        claims = tuple(claim for who, claim in accepted if who == reviewer and wanted in (None, claim))
        if wanted is not None and not claims:
            raise NotFound(
                f"{reviewer} has not accepted the evidence {evidence_id[:12]}… for that claim.",
                "Leave --claim out, or accept the finding first.",
            )
        return claims

    def _pair(self, old: str, new: str) -> VersionPair:
        with self._mutex:
            pair = self._pairs.get((old, new))
        if pair is None:
            pair = VersionPair(self._repository.document(old), self._repository.document(new))
        with self._mutex:
            self._pairs[(old, new)] = pair
            self._pairs.move_to_end((old, new))
            while len(self._pairs) > _KEPT:
                self._pairs.popitem(last=False)
        return pair


def _chosen(anchoring: Anchoring, entry: EvidenceEntry, offset: int | None) -> Span:
    """The exact place that is accepted. Raises VerificationError when there is none, or several."""
    if offset is not None:
        return Span(offset, offset + len(entry.exact))
    if anchoring.anchor in EXACT_CLASSES and anchoring.span is not None:
        return anchoring.span
    text, hint = _REFUSED[anchoring.reason]
    listed = _listed(anchoring.places)
    raise VerificationError(f"Not moved: {text}{listed}.", hint)


def _listed(places: Sequence[Span]) -> str:
    if not places:
        return ""
    shown = ", ".join(str(place.start) for place in places[:10])
    return f" (offsets {shown}{', …' if len(places) > 10 else ''})"


_REFUSED = {
    AnchorReason.AMBIGUOUS: (
        "the text stands in the new version, but which place is meant is not certain",
        "Say which one: --offset N.",
    ),
    AnchorReason.EDITED: (
        "the text was changed in the new version",
        "Quote the new text as evidence of its own; the old version stays as it is.",
    ),
    AnchorReason.LAYOUT: (
        "the text is laid out otherwise in the new version",
        "Quote the new text as evidence of its own; the old version stays as it is.",
    ),
    AnchorReason.CROSSES_PASSAGE: (
        "the text runs over several passages of the new version",
        "Quote it: citation-machine quote TEXT gives each passage's part.",
    ),
    AnchorReason.GONE: (
        "nothing like the text is left in the new version",
        "The old version stays as it is; cite that one.",
    ),
}

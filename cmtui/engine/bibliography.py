"""Operations on bibliographic metadata and formatted citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cmtui.engine.citing import Target
from cmtui.engine.core import MachineCore
from cmtui.engine.review import ReviewSession
from cmtui.model.bibliography import BibliographicMetadata, BibliographyRecord, CslItem, FormattedCitation
from cmtui.model.source import MetadataCandidate

if TYPE_CHECKING:
    from cmtui.model.bibliography import FormattedBibliography


class BibliographyOperations(MachineCore):
    """Explicit metadata and citations in the shipped styles."""

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
            session = ReviewSession(self.repository, reviewer)
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

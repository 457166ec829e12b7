"""Operations on bibliographic metadata and formatted citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cmtui.engine.citing import DEFAULT_ENGINE, Target
from cmtui.engine.editing import EditingOperations
from cmtui.engine.review import ReviewSession
from cmtui.model.bibliography import BibliographicMetadata, BibliographyRecord, CslItem, FormattedCitation
from cmtui.model.source import MetadataCandidate

if TYPE_CHECKING:
    from cmtui.model.bibliography import CopyForm, FormattedBibliography


class BibliographyOperations(EditingOperations):
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
        self,
        target: Target,
        *,
        style: str = "mla",
        form: str = "reference",
        output: str = "plain",
        engine: str | None = None,
    ) -> FormattedCitation:
        """A citation with the engine and style that made it; ``engine`` is for this call alone."""
        return self.desk.cite(target, style=style, form=form, output=output, engine=engine)

    def preview(
        self,
        item: CslItem,
        *,
        style: str,
        form: str = "reference",
        output: str = "plain",
        engine: str | None = None,
    ) -> FormattedCitation:
        """A citation of metadata that is not stored yet."""
        return self.desk.preview(item, style=style, form=form, output=output, engine=engine)

    def bibliography_of(
        self,
        keys: Sequence[str] | None = None,
        *,
        reviewer: str | None = None,
        style: str = "mla",
        output: str = "plain",
        engine: str | None = None,
    ) -> FormattedBibliography:
        """One bibliography over the named sources, or over what a reviewer accepted, or over all sources.

        ``text`` of the answer is the whole of it in ``output`` (plain, markdown, html, rtf); ``warnings``
        names sources without metadata. Raises MetadataMissing, NotFound, UnknownStyle, EngineMissing.
        """
        return self.desk.bibliography_of(keys, reviewer=reviewer, style=style, output=output, engine=engine)

    def copy_forms(
        self,
        target: Target,
        form: str = "plain",
        style: str = "mla",
        *,
        cite_form: str = "reference",
        quote: bool = False,
        engine: str | None = None,
    ) -> CopyForm:
        """What to put on the clipboard: a citation, a quotation with its citation, or a record of the work.

        ``form`` is plain, markdown, html, rtf, bibtex, csl-json or ris. See ``clipboard.copy_form``.
        """
        return self.desk.copy_forms(target, form, style, cite_form=cite_form, quote=quote, engine=engine)

    def choose_citation_engine(self, name: str) -> None:
        """Format with ``citeproc-py`` or ``pandoc`` from now on. Raises InvalidRequest, EngineMissing."""
        self.desk.choose(name)

    @staticmethod
    def citation_engines() -> tuple[str, ...]:
        """The names of the citation engines, installed or not."""
        from cmtui.bibliography.engines import ENGINES

        return ENGINES

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
        engine: str = DEFAULT_ENGINE,
    ) -> FormattedBibliography:
        """One bibliography over plain CSL-JSON items, without a store."""
        from cmtui.bibliography.engines import formatter

        return formatter(engine).format_items(items, style=style, form=form, cites=cites, output=output)

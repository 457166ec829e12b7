"""Bibliography and formatted citations of stored sources (R101 to R112)."""

from __future__ import annotations

from cmtui.errors import InvalidRequest, MetadataMissing, NotFound
from cmtui.model.bibliography import BibliographicMetadata, BibliographyRecord, CslItem, FormattedCitation
from cmtui.model.claim import Evidence, EvidenceSet, EvidenceSpanIdentity
from cmtui.model.source import PRINTABLE_BASES, Locators, SourceRecord
from cmtui.ports import CitationFormatter, KnowledgeRepository
from cmtui.verification.verifier import verify_span

Target = Evidence | str


class CitationDesk:
    """Reads and writes bibliography sidecars and formats citations from them."""

    def __init__(self, repository: KnowledgeRepository, formatter: CitationFormatter | None = None) -> None:
        self._repository = repository
        self._formatter = formatter

    @property
    def formatter(self) -> CitationFormatter:
        """The citation processor, made on first use."""
        if self._formatter is None:
            from cmtui.bibliography.service import default_formatter

            self._formatter = default_formatter()
        return self._formatter

    def source_of(self, key: str) -> SourceRecord:
        """The source named by a source id or a document id, or a unique prefix of either. Raises NotFound."""
        try:
            return self._repository.source(key)
        except NotFound:
            return self._repository.source_of(self._repository.summary(key).document_id)

    def record(self, key: str) -> BibliographyRecord | None:
        """The bibliography of a source or document; None before it was set (or after it was emptied)."""
        record = self._repository.bibliography(self.source_of(key).source_id)
        return record if record is not None and record.item else None

    def title(self, source_id: str) -> str | None:
        """The title that the bibliography states for a source, or None. Raises SidecarMalformed."""
        record = self._repository.bibliography(source_id)
        title = record.item.get("title") if record is not None else None
        return title if isinstance(title, str) and title else None

    def set(self, key: str, metadata: BibliographicMetadata | CslItem) -> BibliographyRecord:
        """Store explicit metadata after validation. No evidence id changes (R112). Raises InvalidMetadata."""
        from cmtui.bibliography.metadata import csl_item, validate_item

        item = csl_item(metadata) if isinstance(metadata, BibliographicMetadata) else validate_item(metadata)
        return self._repository.set_bibliography(self.source_of(key).source_id, item)

    def cite(
        self, target: Target, *, style: str = "mla", form: str = "reference", output: str = "plain"
    ) -> FormattedCitation:
        """A citation of evidence, a document or a source.

        A page is printed only where the file or the user states one (R108). Raises MetadataMissing,
        UnknownStyle, UnsupportedForm; InvalidRequest for an evidence set, whose members are cited one by one
        (R111).
        """
        source, locators = self._resolve(target)
        record = self._repository.bibliography(source.source_id)
        if record is None or not record.item:
            raise MetadataMissing(
                f"'{source.name}' has no bibliographic metadata; nothing is guessed from its name.",
                "Fill it in: the Cite screen, or citation-machine bibliography set.",
            )
        return self.formatter.format(
            record.item, style=style, form=form, locator=page_locator(locators), output=output
        )

    def preview(
        self, item: CslItem, *, style: str, form: str = "reference", output: str = "plain"
    ) -> FormattedCitation:
        """A citation of an item that is not stored yet. Raises InvalidMetadata."""
        return self.formatter.format(item, style=style, form=form, output=output)

    def _resolve(self, target: Target) -> tuple[SourceRecord, Locators | None]:
        if isinstance(target, EvidenceSet):
            raise InvalidRequest(
                "An evidence set has several members, each with its own place.",
                "Cite its members one by one.",
            )
        if isinstance(target, EvidenceSpanIdentity):
            source = self._repository.source_of(target.document_id)
            document = self._repository.document(target.document_id)
            return source, document.locate(target.span, page_offset=source.page_offset)
        try:
            return self.source_of(target), None
        except NotFound:
            entry = self._repository.evidence(target)
        document = self._repository.document(entry.document_id)
        source = self._repository.source_of(entry.document_id)
        return source, verify_span(document, source, entry.span, text=entry.exact).locators


def page_locator(locators: Locators | None) -> str | None:
    """The page a citation may print: stated by the file or set by the user, never a mere position (R108)."""
    cited = locators.cited_page if locators is not None else None
    return cited.value if cited is not None and cited.basis in PRINTABLE_BASES else None

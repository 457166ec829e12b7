"""Bibliography and formatted citations of stored sources (R101 to R112)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cmtui.errors import InvalidRequest, MetadataMissing, NotFound
from cmtui.model.bibliography import (
    BibliographicMetadata,
    BibliographyRecord,
    CopyForm,
    CslItem,
    FormattedBibliography,
    FormattedCitation,
)
from cmtui.model.claim import Evidence, EvidenceSet, EvidenceSpanIdentity
from cmtui.model.review import Decision
from cmtui.model.source import PRINTABLE_BASES, Locators, SourceRecord
from cmtui.ports import CitationFormatter, KnowledgeRepository
from cmtui.verification.verifier import verify_span

Target = Evidence | str

#: The citation engine when none is chosen.
DEFAULT_ENGINE = "citeproc-py"


class CitationDesk:
    """Reads and writes bibliography sidecars and formats citations from them."""

    def __init__(self, repository: KnowledgeRepository, formatter: CitationFormatter | None = None) -> None:
        self._repository = repository
        self._formatter = formatter

    @property
    def formatter(self) -> CitationFormatter:
        """The citation engine of this desk, made on first use: the injected one, else citeproc-py."""
        if self._formatter is None:
            self.choose(DEFAULT_ENGINE)
        assert self._formatter is not None
        return self._formatter

    def choose(self, engine: str) -> None:
        """Format with this engine from now on. Raises InvalidRequest, EngineMissing; it is never replaced."""
        from cmtui.bibliography.engines import formatter

        self._formatter = formatter(engine)

    def _engine(self, name: str | None) -> CitationFormatter:
        if name is None:
            return self.formatter
        from cmtui.bibliography.engines import formatter

        return formatter(name)

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
        self,
        target: Target,
        *,
        style: str = "mla",
        form: str = "reference",
        output: str = "plain",
        engine: str | None = None,
    ) -> FormattedCitation:
        """A citation of evidence, a document or a source.

        A page is printed only where the file or the user states one (R108). Raises MetadataMissing,
        UnknownStyle, UnsupportedForm, EngineMissing; InvalidRequest for an evidence set, whose members are
        cited one by one (R111).
        """
        source, locators = self._resolve(target)
        item = self._item(source)
        return self._engine(engine).format(
            item, style=style, form=form, locator=page_locator(locators), output=output
        )

    def preview(
        self,
        item: CslItem,
        *,
        style: str,
        form: str = "reference",
        output: str = "plain",
        engine: str | None = None,
    ) -> FormattedCitation:
        """A citation of an item that is not stored yet. Raises InvalidMetadata."""
        return self._engine(engine).format(item, style=style, form=form, output=output)

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
        """What to put on the clipboard for evidence, a document or a source.

        ``form`` is plain, markdown, html, rtf, bibtex, csl-json or ris. With ``quote`` the exact words of the
        evidence come first, as the store has just verified them. Raises as ``cite``; InvalidRequest for a
        quote of what is no evidence.
        """
        from cmtui.bibliography.copying import copy_citation

        source, locators = self._resolve(target)
        provenance = {"source_id": source.source_id}
        words = None
        if quote or isinstance(target, EvidenceSpanIdentity):
            words, found = self._words(target)
            provenance |= found
        return copy_citation(
            self._engine(engine),
            self._item(source),
            form=form,
            style=style,
            cite_form=cite_form,
            locator=page_locator(locators),
            quote=words if quote else None,
            provenance=provenance,
        )

    def _words(self, target: Target) -> tuple[str, dict[str, str]]:
        """The exact words of evidence, checked against the canonical text again, and where they are."""
        if isinstance(target, EvidenceSet):
            raise InvalidRequest("An evidence set is no single quotation.", "Copy its members one by one.")
        if isinstance(target, EvidenceSpanIdentity):
            document_id, span, exact, evidence_id = (
                target.document_id,
                target.span,
                target.text,
                target.evidence_id,
            )
        else:
            try:
                entry = self._repository.evidence(target)
            except NotFound as error:
                raise InvalidRequest(
                    f"'{target}' is no evidence, so there are no words to quote.",
                    "Give an evidence id, or copy the citation alone.",
                ) from error
            document_id, span, exact, evidence_id = (
                entry.document_id,
                entry.span,
                entry.exact,
                entry.evidence_id,
            )
        document = self._repository.document(document_id)
        verify_span(document, self._repository.source_of(document_id), span, text=exact)
        return exact, {"document_id": document_id, "evidence_id": evidence_id}

    def bibliography_of(
        self,
        keys: Sequence[str] | None = None,
        *,
        reviewer: str | None = None,
        style: str = "mla",
        output: str = "plain",
        engine: str | None = None,
    ) -> FormattedBibliography:
        """One bibliography over all cited sources, each once, in the order of first citation.

        ``keys`` names sources, documents or evidence in the order they are cited. Without keys it is what
        ``reviewer`` has accepted, in the order of claims and findings; without either, every source. Numbers,
        year suffixes and order are the style's over all of them. Sources without metadata are an error when
        they were named, else they are left out and named in ``warnings``. Raises MetadataMissing when nothing
        is left, NotFound, UnknownStyle, UnsupportedForm, EngineMissing.
        """
        if keys is not None:
            sources = [self._resolve(key)[0] for key in keys]
        elif reviewer is not None:
            sources = list(self._accepted(reviewer))
        else:
            sources = list(self._repository.sources())
        sources = list({source.source_id: source for source in sources}.values())
        items: list[CslItem] = []
        missing: list[str] = []
        used: set[str] = set()
        for source in sources:
            record = self._repository.bibliography(source.source_id)
            if record is None or not record.item:
                if keys is not None:
                    raise _no_metadata(source)
                missing.append(source.name)
                continue
            item_id = str(record.item.get("id") or source.source_id[:12])
            if item_id.casefold() in used:
                item_id = f"{item_id}-{source.source_id[:12]}"
            used.add(item_id.casefold())
            items.append({**record.item, "id": item_id})
        if not items:
            what = "accepted by this reviewer" if keys is None and reviewer is not None else "in this store"
            raise MetadataMissing(
                f"No source {what} has bibliographic metadata.",
                "Fill it in: the Cite screen, or citation-machine bibliography set.",
            )
        made = format_all(self._engine(engine), items, style=style, output=output)
        left_out = tuple(f"'{name}' has no bibliographic metadata; it is left out." for name in missing)
        return replace(made, warnings=(*made.warnings, *left_out))

    def _accepted(self, reviewer: str) -> Iterator[SourceRecord]:
        """Sources of accepted findings: in the order of claims and newest runs, then of older runs."""
        from cmtui.engine.review import ReviewSession

        session = ReviewSession(self._repository, reviewer)
        for row in session.rows(where=lambda decision: decision is Decision.ACCEPTED):
            yield self._repository.source_of(str(row["document_id"]))
        for key, state in session.state().findings.items():
            if state.decision is Decision.ACCEPTED:
                try:
                    entry = self._repository.evidence(key.rpartition("/")[2])
                    yield self._repository.source_of(entry.document_id)
                except NotFound:  # its source was removed since
                    continue

    def _item(self, source: SourceRecord) -> CslItem:
        record = self._repository.bibliography(source.source_id)
        if record is None or not record.item:
            raise _no_metadata(source)
        return record.item

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


def format_all(
    engine: CitationFormatter, items: Sequence[CslItem], *, style: str, output: str
) -> FormattedBibliography:
    """Items as one bibliography. Raises InvalidRequest for an engine that formats single items only."""
    from cmtui.bibliography.formatting import BaseFormatter

    if not isinstance(engine, BaseFormatter):
        raise InvalidRequest(
            "This citation engine formats single items only.", "Choose citeproc-py or pandoc."
        )
    return engine.format_items(items, style=style, output=output)


def _no_metadata(source: SourceRecord) -> MetadataMissing:
    return MetadataMissing(
        f"'{source.name}' has no bibliographic metadata; nothing is guessed from its name.",
        "Fill it in: the Cite screen, or citation-machine bibliography set.",
    )


def page_locator(locators: Locators | None) -> str | None:
    """The page a citation may print: stated by the file or set by the user, never a mere position (R108)."""
    cited = locators.cited_page if locators is not None else None
    return cited.value if cited is not None and cited.basis in PRINTABLE_BASES else None

"""The rows that most formats are made of: a finding with its place and its citation."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cmtui.errors import CmtuiError
from cmtui.model.review import Decision
from cmtui.model.selectors import Span, TextQuoteSelector
from cmtui.model.source import PRINTABLE_BASES, CanonicalDocument, source_name

if TYPE_CHECKING:
    from cmtui.engine.citing import CitationDesk
    from cmtui.engine.review import ReviewSession


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands, as far as it is known. ``page`` is what a citation may print, never a guess."""

    page: str = ""
    page_basis: str = ""
    sheet: str = ""
    chapter: str = ""
    section: str = ""
    paragraph: str = ""
    line: str = ""

    @property
    def words(self) -> str:
        """In one line, for people."""
        parts = [
            f"p. {self.page}" if self.page else "",
            f"sheet {self.sheet} of the file" if self.sheet and not self.page else "",
            self.chapter,
            self.section,
            f"para. {self.paragraph}" if self.paragraph else "",
            f"line {self.line}" if self.line and not (self.page or self.paragraph) else "",
        ]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class ExportRow:
    """A finding with this reviewer's state. ``citation`` is empty where the source has no metadata."""

    claim_id: str
    claim: str
    evidence_id: str
    document_id: str
    source_id: str
    source: str
    reference: str
    kind: str
    quote: TextQuoteSelector
    span: Span
    relation: str
    reviewer_relation: str
    confidence: float
    explanation: str
    decision: Decision
    reasons: tuple[str, ...]
    note: str
    tags: tuple[str, ...]
    reviewer: str
    decided_at: str
    backend: str
    place: Place
    citation: str
    markdown: str
    removed: bool


def export_rows(
    session: ReviewSession, desk: CitationDesk, decisions: Collection[Decision], style: str
) -> Iterator[ExportRow]:
    """The findings with these decisions, in the order of claims and of their runs."""
    repository = session.repository
    places = _Places(session)
    cited: dict[tuple[str, str], str] = {}

    def cite(source_id: str, output: str) -> str:
        # A reference is of its source: every quote of it has the same one.
        key = (source_id, output)
        if key not in cited:
            cited[key] = _cite(desk, source_id, style, output) if source_id else ""
        return cited[key]

    for row in session.rows(where=lambda decision: decision in decisions):
        evidence_id, document_id = str(row["evidence_id"]), str(row["document_id"])
        source_id = str(row["source_id"] or "")
        entry = repository.evidence(evidence_id)
        citation: dict[str, Any] = row["citation"] if isinstance(row["citation"], dict) else {}
        locators: dict[str, Any] = citation.get("locators") or {}
        reference, kind = str(citation.get("reference") or ""), ""
        if not row["removed"]:
            source = repository.source_of(document_id)
            reference, kind = source.artifact.reference, source.artifact.kind.value
            locators = places.of(document_id, entry.span) or locators
        yield ExportRow(
            claim_id=str(row["claim_id"]),
            claim=str(row["claim"]),
            evidence_id=evidence_id,
            document_id=document_id,
            source_id=source_id,
            source=source_name(reference),
            reference=reference,
            kind=kind,
            quote=TextQuoteSelector(entry.exact, entry.prefix, entry.suffix),
            span=entry.span,
            relation=str(row["relation"]),
            reviewer_relation=str(row["reviewer_relation"] or ""),
            confidence=float(str(row["confidence"])),
            explanation=str(row["explanation"]),
            decision=Decision(str(row["decision"])),
            reasons=_texts(row["reasons"]),
            note=str(row["note"]),
            tags=_texts(row["tags"]),
            reviewer=session.reviewer,
            decided_at=str(row["decided_at"] or ""),
            backend=str(row["backend"] or ""),
            place=_place(locators),
            citation=cite(source_id, "plain"),
            markdown=cite(source_id, "markdown"),
            removed=bool(row["removed"]),
        )


class _Places:
    """Locators of spans; keeps the document read last, since rows of one source mostly follow each other."""

    def __init__(self, session: ReviewSession) -> None:
        self._repository = session.repository
        self._document: CanonicalDocument | None = None

    def of(self, document_id: str, span: Span) -> dict[str, Any] | None:
        """The locators as an event records them; None when the document cannot be read."""
        try:
            if self._document is None or self._document.document_id != document_id:
                self._document = self._repository.document(document_id)
        except CmtuiError:  # a damaged snapshot is doctor's; the quote itself stands in the evidence log
            return None
        offset = self._repository.source_of(document_id).page_offset
        return asdict(self._document.locate(span, page_offset=offset))


def _place(locators: dict[str, Any]) -> Place:
    cited = locators.get("cited_page") or {}
    basis = str(cited.get("basis") or "")
    printable = basis in {one.value for one in PRINTABLE_BASES}
    first, last = locators.get("line_start"), locators.get("line_end")
    lines = [str(number) for number in dict.fromkeys((first, last)) if number is not None]
    return Place(
        page=str(cited.get("value") or "") if printable else "",
        page_basis=basis,
        sheet=_text(locators.get("page")),
        chapter=_text(locators.get("chapter")),
        section=" › ".join(locators.get("section") or ()),
        paragraph=_text(locators.get("paragraph")),
        line="–".join(lines),
    )


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def _cite(desk: CitationDesk, source_id: str, style: str, output: str) -> str:
    try:
        return desk.cite(source_id, style=style, output=output).text
    except CmtuiError:  # no metadata, or the source was removed: the row says where the quote stands
        return ""

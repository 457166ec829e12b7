"""The gate: a span becomes an evidence identity here and nowhere else (R87).

Everything is compared with the canonical text itself, code point by code point. Nothing is repaired,
shortened, moved or folded: a proposal that is not exactly there raises (R88, R89).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from cmtui.errors import (
    CrossesPassage,
    QuoteAmbiguous,
    QuoteNotFound,
    SpanOutOfRange,
    WrongVersion,
)
from cmtui.model.claim import EvidenceEntry, EvidenceSet, EvidenceSpanIdentity, Proposal
from cmtui.model.identity import sha256_text, span_id
from cmtui.model.selectors import Span, quote_selector
from cmtui.model.source import CanonicalDocument, FurnitureMark, Passage, SourceRecord

#: Characters of a quote shown in a message.
_SHOWN = 60


def verify_span(
    document: CanonicalDocument, source: SourceRecord, span: Span, *, text: str | None = None
) -> EvidenceSpanIdentity:
    """The identity of ``span`` in ``document``, which must lie inside one passage.

    ``text`` is what the caller believes stands there; it must be equal code point by code point.
    Raises SpanOutOfRange, QuoteNotFound, CrossesPassage, WrongVersion.
    """
    check_source(document, source)
    if not 0 <= span.start < span.end <= len(document.text):
        raise SpanOutOfRange(
            f"The span [{span.start}, {span.end}) is not a non-empty part of the {len(document.text):,} "
            f"characters of '{source.name}'.",
            "Give a start below the end, both inside the document.",
        )
    exact = document.slice(span)
    if text is not None and text != exact:
        raise QuoteNotFound(
            f"“{shorten(text)}” does not stand at [{span.start}, {span.end}) of '{source.name}'; "
            f"there stands “{shorten(exact)}”.",
            "Quote the text exactly as the source has it.",
        )
    if passage_of(document, span) is None:
        raise CrossesPassage(
            f"The span [{span.start}, {span.end}) of '{source.name}' does not lie inside one passage.",
            "Take each passage's part on its own; together they form an evidence set.",
        )
    return _identity(document, source, span, exact)


def verify_proposal(
    document: CanonicalDocument, source: SourceRecord, passage: Passage, proposal: Proposal
) -> EvidenceSpanIdentity:
    """The identity of a quote proposed from ``passage``; its offset counts from the passage's start.

    Without an offset the quote must stand exactly once in the passage (R88). Raises VerificationError.
    """
    if passage.index >= len(document.passages) or document.passages[passage.index] != passage:
        raise WrongVersion(
            f"The passage proposed from is not one of this version of '{source.name}'.",
            "Search again, then propose from the results.",
        )
    quote = proposal.quote
    if not quote:
        raise SpanOutOfRange(f"An empty quote was proposed from '{source.name}'.", "Propose the exact words.")
    offset = proposal.offset
    if offset is None:
        offset = _only_occurrence(document.passage_text(passage), quote, source.name)
    span = Span(passage.start + offset, passage.start + offset + len(quote))
    if offset < 0 or not passage.span.contains(span):
        raise CrossesPassage(
            f"“{shorten(quote)}” at offset {offset} would leave its passage in '{source.name}'.",
            "Take each passage's part on its own; together they form an evidence set.",
        )
    return verify_span(document, source, span, text=quote)


def verify_quote(
    document: CanonicalDocument, source: SourceRecord, quote: str, *, offset: int | None = None
) -> EvidenceSpanIdentity:
    """The identity of a quote that stands exactly once in the document, or at ``offset`` (R31, R32)."""
    if not quote:
        raise SpanOutOfRange("An empty quote names no text.", "Give the exact words.")
    if offset is None:
        offset = _only_occurrence(document.text, quote, source.name)
    return verify_span(document, source, Span(offset, offset + len(quote)), text=quote)


def verify_split(document: CanonicalDocument, source: SourceRecord, span: Span) -> EvidenceSet:
    """The set of identities that ``span`` makes over the passages it touches (D14, R97).

    Blanks between passages belong to no member. Raises CrossesPassage when other text of the span lies
    outside of every passage.
    """
    members = [verify_span(document, source, part) for part in split_span(document, span)]
    if not members:
        raise CrossesPassage(
            f"The span [{span.start}, {span.end}) of '{source.name}' touches no passage.",
            "Front matter and separators are not evidence; quote the text itself.",
        )
    return EvidenceSet(tuple(members))


def stands_at(document: CanonicalDocument, text: str, offset: int) -> bool:
    """Whether ``text`` stands at ``offset`` of ``document``, inside one passage.

    The whole check of ``verify_span`` on the text, without making an identity: for checking many places.
    """
    if offset < 0 or not text or not document.text.startswith(text, offset):
        return False
    passage = document.passage_at(offset)
    return passage is not None and offset + len(text) <= passage.end


def occurrences(text: str, quote: str) -> list[Span]:
    """Every place of ``quote`` in ``text``, overlapping ones too; none for an empty quote."""
    found: list[Span] = []
    length = len(quote)
    at = text.find(quote) if length else -1
    while at >= 0:
        found.append(Span(at, at + length))
        at = text.find(quote, at + 1)
    return found


def split_span(
    document: CanonicalDocument, span: Span, *, skipped: Sequence[FurnitureMark] = ()
) -> list[Span]:
    """The parts of ``span`` inside passages, trimmed of blanks at passage borders.

    ``skipped`` is what may stand between two parts and belongs to none, though it may be a passage itself
    (footnotes). Empty when anything but that and blanks would be left over.
    """
    parts: list[Span] = []
    outside: list[tuple[int, int]] = []
    at = span.start
    for passage in document.passages[_first_passage(document, span.start) :]:
        if passage.start >= span.end:
            break
        if any(mark.start <= passage.start and passage.end <= mark.end for mark in skipped):
            continue
        start, end = max(passage.start, span.start), min(passage.end, span.end)
        outside.append((at, start))
        at = end
        piece = document.text[start:end]
        start += len(piece) - len(piece.lstrip())
        end -= len(piece) - len(piece.rstrip())
        if start < end:
            parts.append(Span(start, end))
    outside.append((at, span.end))
    clean = all(_is_blank(document.text, start, end, skipped) for start, end in outside)
    return parts if clean else []


def _first_passage(document: CanonicalDocument, offset: int) -> int:
    """The number of the first passage that ends after ``offset``."""
    return bisect_right(document.passages, offset, key=lambda passage: passage.end)


def _is_blank(text: str, start: int, end: int, skipped: Sequence[FurnitureMark]) -> bool:
    """Whether nothing but blanks and skipped stretches stands in ``[start, end)``."""
    for mark in skipped:
        if mark.end <= start or mark.start >= end:
            continue
        if text[start : mark.start].strip():
            return False
        start = mark.end
    return not text[start:end].strip()


def passage_of(document: CanonicalDocument, span: Span) -> Passage | None:
    """The one passage that holds the whole span, or None."""
    passage = document.passage_at(span.start)
    return passage if passage is not None and passage.span.contains(span) else None


def check_source(document: CanonicalDocument, source: SourceRecord) -> None:
    """Raises WrongVersion unless the document is one of the source's (R88)."""
    if document.document_id not in source.documents:
        raise WrongVersion(
            f"The canonical content {document.document_id[:12]}… does not belong to '{source.name}'.",
            "Look the evidence up again; it may be of another source or version.",
        )


def entry_of(identity: EvidenceSpanIdentity) -> EvidenceEntry:
    """The line of the evidence log that records ``identity``."""
    return EvidenceEntry(
        evidence_id=identity.evidence_id,
        document_id=identity.document_id,
        start=identity.span.start,
        end=identity.span.end,
        text_sha256=identity.text_sha256,
        exact=identity.text,
        prefix=identity.selector.prefix,
        suffix=identity.selector.suffix,
    )


def shorten(text: str, length: int = _SHOWN) -> str:
    """A text for a message: at most ``length`` characters, blanks made visible as single spaces."""
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"


def _only_occurrence(text: str, quote: str, name: str) -> int:
    at = text.find(quote)
    if at < 0:
        raise QuoteNotFound(
            f"“{shorten(quote)}” is not in '{name}', character for character.",
            "Check the quote against the source; its punctuation and blanks must be equal too.",
        )
    if text.find(quote, at + 1) >= 0:
        raise QuoteAmbiguous(
            f"“{shorten(quote)}” stands more than once in '{name}'.",
            "Say which one is meant: give its offset, or quote more of the text around it.",
        )
    return at


def _identity(
    document: CanonicalDocument, source: SourceRecord, span: Span, exact: str
) -> EvidenceSpanIdentity:
    digest = sha256_text(exact)
    return EvidenceSpanIdentity(
        evidence_id=span_id(document.document_id, span, digest),
        artifact=source.artifact,
        version=document.version,
        canonical_content=document.content,
        span=span,
        text_sha256=digest,
        text=exact,
        selector=quote_selector(document.text, span),
        locators=document.locate(span, page_offset=source.page_offset),
    )

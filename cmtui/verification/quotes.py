"""The quote check: where a quoted text stands, or in which way it does not.

Only ``exact`` and ``exact_split`` are evidence. Every other verdict shows the canonical text beside the quote
and creates no identity.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Sequence

from cmtui.model.claim import EvidenceSpanIdentity
from cmtui.model.quote import MINIMUM_QUOTE, QuoteCheck, QuoteGap, QuoteLocation, Verdict
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument, FurnitureKind, FurnitureMark
from cmtui.ports import DocumentRepository
from cmtui.verification.layout import LayoutText, layout_matches, layout_text
from cmtui.verification.near import (
    CERTAIN,
    POSSIBLE,
    SearchableText,
    differences,
    nearest,
    stitched,
)
from cmtui.verification.verifier import occurrences, split_span, verify_span

#: Prepared documents kept in memory.
_CACHED = 64


class QuoteChecker:
    """Checks quotes against the documents of a repository. Not safe for use by several threads at once."""

    def __init__(self, repository: DocumentRepository) -> None:
        self._repository = repository
        self._prepared: OrderedDict[str, SearchableText] = OrderedDict()

    def check(
        self, quote: str, *, document_id: str | None = None, offset: int | None = None
    ) -> tuple[QuoteCheck, tuple[EvidenceSpanIdentity, ...]]:
        """The verdict, and the identities it rests on (for the evidence log).

        Blanks at both ends of ``quote`` are not part of it. ``document_id`` says which document the quote is
        attributed to; ``offset`` which of several occurrences is meant. Raises NotFound.
        """
        quote = quote.strip()
        if len(quote) < MINIMUM_QUOTE and (document_id is None or offset is None):
            explanation = (
                f"{len(quote)} characters say too little; give at least {MINIMUM_QUOTE}, "
                "or a document and an offset."
            )
            return QuoteCheck(quote, Verdict.TOO_SHORT, explanation=explanation), ()
        named = self._text(self._repository.summary(document_id).document_id) if document_id else None
        scope = [named] if named else self._current()
        return (
            self._exact(quote, scope, offset)
            or self._split_over_breaks(quote, scope)
            or (self._misattributed(quote, named) if named else None)
            or self._layout(quote, scope)
            or self._inexact(quote, scope)
        )

    # -- verdicts that are evidence ------------------------------------------------------------------

    def _exact(
        self, quote: str, scope: Sequence[SearchableText], offset: int | None
    ) -> tuple[QuoteCheck, tuple[EvidenceSpanIdentity, ...]] | None:
        places = [(text, span) for text in scope for span in occurrences(text.text, quote)]
        if offset is not None and len(scope) == 1:
            at_offset = [(text, span) for text, span in places if span.start == offset]
            if at_offset:
                places = at_offset
            elif places:
                return self._verdict(
                    quote, Verdict.AMBIGUOUS, places, "The quote is exact, but not at that offset."
                )
        if not places:
            return None
        if len(places) > 1:
            return self._verdict(
                quote,
                Verdict.AMBIGUOUS,
                places,
                f"The quote stands {len(places)} times; name the document and the offset.",
            )
        return self._evidence(quote, *places[0])

    def _split_over_breaks(
        self, quote: str, scope: Sequence[SearchableText]
    ) -> tuple[QuoteCheck, tuple[EvidenceSpanIdentity, ...]] | None:
        """A quote that is exact but for what stands at the passage and page breaks it runs over (D14).

        That is blanks, and the running heads, page numbers and footnotes of the pages.
        """
        places = _split_places(quote, scope)
        if not places:
            return None
        if len(places) > 1:
            return self._verdict(
                quote,
                Verdict.AMBIGUOUS,
                places,
                f"The quote stands {len(places)} times, over passage or page breaks; quote more of the text.",
            )
        return self._evidence(quote, *places[0])

    def _evidence(
        self, quote: str, text: SearchableText, span: Span
    ) -> tuple[QuoteCheck, tuple[EvidenceSpanIdentity, ...]]:
        document = text.document
        source = self._repository.source_of(document.document_id)
        parts = _parts(document, span)
        if not parts:
            return self._verdict(
                quote, Verdict.ABSENT, [(text, span)], _outside(_furniture_in(document, span))
            )
        identities = tuple(verify_span(document, source, part) for part in parts)
        location = self._location(text, span, evidence_ids=tuple(i.evidence_id for i in identities))
        if len(identities) == 1 and identities[0].text == quote:
            return QuoteCheck(quote, Verdict.EXACT, (location,)), identities
        explanation = f"The quote runs over {len(identities)} passages; each part is exact in its own."
        if location.gaps:
            explanation += f" Passed over and no evidence: {_named(location.gaps)}."
        return QuoteCheck(quote, Verdict.EXACT_SPLIT, (location,), explanation), identities

    # -- verdicts that are not -----------------------------------------------------------------------

    def _misattributed(
        self, quote: str, named: SearchableText
    ) -> tuple[QuoteCheck, tuple[EvidenceSpanIdentity, ...]] | None:
        others = [t for t in self._current() if t.document.document_id != named.document.document_id]
        places = [(text, span) for text in others for span in occurrences(text.text, quote)]
        places = places or _split_places(quote, others)
        if not places:
            return None
        return self._verdict(
            quote, Verdict.MISATTRIBUTED, places, "The quote is exact in another document than the one named."
        )

    def _layout(
        self, quote: str, scope: Sequence[SearchableText]
    ) -> tuple[QuoteCheck, tuple[EvidenceSpanIdentity, ...]] | None:
        folded = layout_text(quote)
        places = [(text, span) for text in scope for span in layout_matches(text.layout, folded)]
        places = places or _flow_places(folded, scope)
        if not places:
            return None
        return self._verdict(
            quote,
            Verdict.LAYOUT,
            places,
            "Equal but for layout (line breaks, hyphens, ligatures, blanks or quotation marks); "
            "quote the canonical text shown.",
            difference=True,
        )

    def _inexact(
        self, quote: str, scope: Sequence[SearchableText]
    ) -> tuple[QuoteCheck, tuple[EvidenceSpanIdentity, ...]]:
        near = nearest(quote, scope)
        best = near[0].similarity if near else 0.0
        if best < CERTAIN:
            pieces = stitched(quote, scope)
            if pieces:
                return self._verdict(
                    quote,
                    Verdict.STITCHED,
                    [(piece.searchable, piece.span) for piece in pieces],
                    f"The quote is put together from {len(pieces)} pieces that do not stand side by side.",
                )
        if best >= POSSIBLE:
            locations = tuple(self._location(one.searchable, one.span, difference=quote) for one in near)
            explanation = f"{best:.0%} of the characters agree; the difference is shown."
            return QuoteCheck(quote, Verdict.NEAR_MISS, locations, explanation), ()
        return QuoteCheck(quote, Verdict.ABSENT, explanation="The quote is in none of the sources."), ()

    # -- helpers -------------------------------------------------------------------------------------

    def _verdict(
        self,
        quote: str,
        verdict: Verdict,
        places: Sequence[tuple[SearchableText, Span]],
        explanation: str,
        *,
        difference: bool = False,
    ) -> tuple[QuoteCheck, tuple[EvidenceSpanIdentity, ...]]:
        locations = tuple(
            self._location(text, span, difference=quote if difference else None) for text, span in places
        )
        return QuoteCheck(quote, verdict, locations, explanation), ()

    def _location(
        self,
        text: SearchableText,
        span: Span,
        *,
        evidence_ids: tuple[str, ...] = (),
        difference: str | None = None,
    ) -> QuoteLocation:
        document = text.document
        source = self._repository.source_of(document.document_id)
        exact = document.slice(span)
        return QuoteLocation(
            document_id=document.document_id,
            source_id=source.source_id,
            span=span,
            text=exact,
            locators=document.locate(span, page_offset=source.page_offset),
            evidence_ids=evidence_ids,
            difference=differences(difference, exact) if difference is not None else (),
            gaps=tuple(
                QuoteGap(Span(mark.start, mark.end), document.text[mark.start : mark.end], mark.kind)
                for mark in _furniture_in(document, span)
                if span.start < mark.start and mark.end < span.end
            ),
        )

    def _current(self) -> list[SearchableText]:
        """Current documents in store order, so that the same store gives the same answer."""
        return [self._text(row.document_id) for row in self._repository.summaries() if row.current]

    def _text(self, document_id: str) -> SearchableText:
        document: CanonicalDocument = self._repository.document(document_id)
        prepared = self._prepared.get(document_id)
        if prepared is None or prepared.document is not document:
            prepared = self._prepared[document_id] = SearchableText(document)
            while len(self._prepared) > _CACHED:
                self._prepared.popitem(last=False)
        self._prepared.move_to_end(document_id)
        return prepared


def _split_places(quote: str, texts: Sequence[SearchableText]) -> list[tuple[SearchableText, Span]]:
    """Places where the quote is exact in several parts with nothing but a break between them."""
    folded = layout_text(quote)
    found = []
    for text, span in _flow_places(folded, texts):
        document = text.document
        parts = split_span(document, span, skipped=_furniture_in(document, span))
        if len(parts) > 1 and _joins_to(quote, [document.slice(part) for part in parts]):
            found.append((text, span))
    return found


def _flow_places(folded: LayoutText, texts: Sequence[SearchableText]) -> list[tuple[SearchableText, Span]]:
    """Places of a quote in running text, over running heads, page numbers and footnotes."""
    return [(text, span) for text in texts for span in layout_matches(text.flow, folded)]


def _parts(document: CanonicalDocument, span: Span) -> list[Span]:
    """The parts of a span that are evidence; empty when it begins, ends or goes on outside of passages.

    Furniture stands between parts and never at an end: there it would be quoted itself. A quote of notes
    that go on over a page has its parts in them.
    """
    marks = _furniture_in(document, span)
    notes_are_text = [mark for mark in marks if mark.kind is not FurnitureKind.FOOTNOTE]
    for skipped in (marks, notes_are_text):
        parts = split_span(document, span, skipped=skipped)
        if parts and (not marks or (parts[0].start, parts[-1].end) == (span.start, span.end)):
            return parts
    return []


def _furniture_in(document: CanonicalDocument, span: Span) -> tuple[FurnitureMark, ...]:
    """The furniture that ``span`` touches, in order; none when the span lies inside of one stretch."""
    marks = document.tables.furniture
    first = bisect_right(marks, span.start, key=lambda mark: mark.end)
    last = bisect_left(marks, span.end, lo=first, key=lambda mark: mark.start)
    inside = marks[first:last]
    if len(inside) == 1 and inside[0].start <= span.start and span.end <= inside[0].end:
        return ()
    return inside


_NAMES = {
    FurnitureKind.RUNNING_HEAD: "a running head",
    FurnitureKind.PAGE_NUMBER: "a page number",
    FurnitureKind.FOOTNOTE: "footnotes",
}


def _named(gaps: Sequence[QuoteGap | FurnitureMark]) -> str:
    """The kinds of furniture in a sentence, each once."""
    return " and ".join(dict.fromkeys(_NAMES[gap.kind] for gap in gaps))


def _outside(gaps: Sequence[FurnitureMark]) -> str:
    """Why a text that stands in the document is no evidence."""
    if gaps:
        return (
            f"The quote begins or ends in {_named(gaps)}, which is no part of the running text; "
            "quote the text without it."
        )
    return (
        "The quote stands outside of every passage (front matter, a running head, a page number or a "
        "separator) and is no evidence."
    )


def _joins_to(quote: str, parts: Sequence[str]) -> bool:
    """Whether ``quote`` is exactly the parts with blanks between them."""
    at = 0
    for number, part in enumerate(parts):
        if number:
            blank = len(quote[at:]) - len(quote[at:].lstrip())
            if not blank:
                return False
            at += blank
        if not quote.startswith(part, at):
            return False
        at += len(part)
    return at == len(quote)

"""What a quote check answers (the ``quote`` verb)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cmtui.model.selectors import Span
from cmtui.model.source import FurnitureKind, Locators


class Verdict(StrEnum):
    """How a quoted text stands to the sources. Only EXACT and EXACT_SPLIT are evidence."""

    EXACT = "exact"  # stands once, character for character, inside one passage
    EXACT_SPLIT = "exact_split"  # exact, over several passages: an EvidenceSet
    LAYOUT = "layout"  # equal but for line breaks, hyphens, ligatures, blanks, typographic quotes, NFC/NFD
    AMBIGUOUS = "ambiguous"  # stands more than once and no offset was given
    MISATTRIBUTED = "misattributed"  # exact, but in another document than the one named
    STITCHED = "stitched"  # its parts are exact, but not next to each other
    NEAR_MISS = "near_miss"  # almost there; the difference is shown
    ABSENT = "absent"  # nowhere
    TOO_SHORT = "too_short"  # under 12 code points, unless a document and an offset are given


#: Quotes shorter than this many code points say too little to be looked for alone.
MINIMUM_QUOTE = 12


@dataclass(frozen=True, slots=True)
class DifferencePart:
    """One piece of a character difference: ``op`` is equal, insert, delete or replace.

    ``quote`` is the piece of the given quote, ``source`` the piece of the canonical text.
    """

    op: str
    quote: str
    source: str


@dataclass(frozen=True, slots=True)
class QuoteGap:
    """What stands between two parts of a quote that runs over a page: a running head, page number or notes.

    ``text`` is the canonical text of ``span``; it belongs to no part of the quote and to no evidence.
    """

    span: Span
    text: str
    kind: FurnitureKind


@dataclass(frozen=True, slots=True)
class QuoteLocation:
    """One place a quote was found at. ``text`` is the canonical text of ``span``, always exact.

    ``gaps`` are the stretches of it that were passed over, in order.
    """

    document_id: str
    source_id: str
    span: Span
    text: str
    locators: Locators
    evidence_ids: tuple[str, ...] = ()
    difference: tuple[DifferencePart, ...] = ()
    gaps: tuple[QuoteGap, ...] = ()


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """The verdict on a quote, with every place concerned, in store order."""

    quote: str
    verdict: Verdict
    locations: tuple[QuoteLocation, ...] = ()
    explanation: str = ""

    @property
    def evidence_ids(self) -> tuple[str, ...]:
        """Ids of the verified spans; filled for exact (one) and exact_split (several) alone."""
        return tuple(i for location in self.locations for i in location.evidence_ids)

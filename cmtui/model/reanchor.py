"""What became of evidence when its source got a newer version. A report proposes; nothing moves by itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cmtui.model.quote import DifferencePart
from cmtui.model.selectors import Span
from cmtui.model.source import Locators


class AnchorClass(StrEnum):
    """How recorded text stands to the current version of its source."""

    SAME_OFFSET = "exact_same_offset"  # the same text at the same offset
    MOVED = "exact_moved"  # the same text, once, at another offset
    CHANGED = "changed"  # not that text, or not at one certain place; the difference or the places are shown
    LOST = "lost"  # nothing like it is left


class AnchorReason(StrEnum):
    """Why the class is what it is."""

    UNTOUCHED = "untouched"  # exact_same_offset
    UNIQUE = "unique"  # exact_moved: it stands there and nowhere else
    EDITED = "edited"  # changed: words differ
    LAYOUT = "layout"  # changed: line breaks, hyphens, ligatures or quotation marks alone differ
    AMBIGUOUS = "ambiguous"  # changed: the text stands, but which of several places is meant is not certain
    CROSSES_PASSAGE = "crosses_passage"  # changed: it stands, but over several passages
    GONE = "gone"  # lost


#: The classes whose text is exact at one certain place, so that they can be accepted without a choice.
EXACT_CLASSES = frozenset({AnchorClass.SAME_OFFSET, AnchorClass.MOVED})


@dataclass(frozen=True, slots=True)
class Anchoring:
    """Where recorded text stands in another document, if it does.

    ``span`` is the place in the other document and ``text`` the exact text there; both None when the class
    is LOST, and for an ambiguous text, whose ``places`` list every place instead. ``difference`` turns the
    recorded text into ``text``; empty when they are equal. ``similarity`` is the share of equal characters.
    """

    anchor: AnchorClass
    reason: AnchorReason
    span: Span | None = None
    text: str | None = None
    places: tuple[Span, ...] = ()
    difference: tuple[DifferencePart, ...] = ()
    similarity: float = 0.0


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A reviewer who accepted the evidence for a claim; ``carried`` when the new evidence is accepted too."""

    reviewer: str
    claim_id: str
    carried: bool = False


@dataclass(frozen=True, slots=True)
class Reanchoring:
    """One recorded evidence of a superseded document, against the current document of its source.

    ``evidence_id``, ``document_id``, ``span``, ``text`` and ``locators`` are as recorded, and stay
    reconstructible. ``new_locators`` belong to ``anchoring.span``. ``new_evidence_id`` is the id under which
    the proposed span is recorded already, else None.
    """

    evidence_id: str
    source_id: str
    document_id: str
    span: Span
    text: str
    locators: Locators
    current_document_id: str
    anchoring: Anchoring
    new_locators: Locators | None = None
    new_evidence_id: str | None = None
    acceptances: tuple[Acceptance, ...] = ()


@dataclass(frozen=True, slots=True)
class VersionReport:
    """A source with its documents in order of arrival and its evidence against the newest of them."""

    source_id: str
    name: str
    documents: tuple[str, ...]
    rows: tuple[Reanchoring, ...]

    @property
    def current_document_id(self) -> str:
        """The newest document."""
        return self.documents[-1]


@dataclass(frozen=True, slots=True)
class Superseded:
    """What a review row says of a finding whose document a newer version has replaced.

    ``anchor`` is None when one of the two documents cannot be read.
    """

    anchor: AnchorClass | None
    document_id: str


@dataclass(frozen=True, slots=True)
class AcceptedReanchoring:
    """What accepting a proposal did: the new identity, and the claims it was accepted for again."""

    old_evidence_id: str
    new_evidence_id: str
    document_id: str
    span: Span
    text: str
    anchoring: Anchoring
    reviewer: str | None = None
    claims: tuple[str, ...] = ()

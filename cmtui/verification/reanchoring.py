"""What became of recorded text in another version of its source.

Text is taken for the same only where that is certain, and for moved only when it stands exactly once in each
of the two versions. Everything else shows a person what there is: the places, or the nearest text with its
difference.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cached_property

from cmtui.model.reanchor import AnchorClass, Anchoring, AnchorReason
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument
from cmtui.verification.layout import layout_matches, layout_text
from cmtui.verification.near import POSSIBLE, SearchableText, differences, nearest
from cmtui.verification.verifier import occurrences, passage_of

#: At least this share of the words must be the same, in order, for a text to be called changed, not lost.
_SAME_WORDS = 0.5
_WORD = re.compile(r"\w+")


class VersionPair:
    """An old and a new document of one source, prepared once for all evidence of the old one."""

    def __init__(self, old: CanonicalDocument, new: CanonicalDocument) -> None:
        self.old = old
        self.new = new
        self._whole = SearchableText(new)

    @cached_property
    def _fresh(self) -> SearchableText:
        """The new document as far as its passages are not in the old one word for word."""
        return _FreshText(self.new, self.old.text)

    def anchor(self, span: Span) -> Anchoring:
        """What became of the text at ``span`` of the old document."""
        text = self.old.slice(span)
        places = occurrences(self.new.text, text)
        if places:
            return self._exact(span, text, places)
        return self._layout(text) or self._edited(text)

    def _exact(self, span: Span, text: str, places: list[Span]) -> Anchoring:
        """A text that stands in the new version: where it is certain which place is meant, that place."""
        place = self._certain(span, text, places)
        if place is None:
            return Anchoring(
                AnchorClass.CHANGED, AnchorReason.AMBIGUOUS, places=tuple(places), similarity=1.0
            )
        if passage_of(self.new, place) is None:
            return Anchoring(AnchorClass.CHANGED, AnchorReason.CROSSES_PASSAGE, place, text, similarity=1.0)
        if place == span:
            return Anchoring(AnchorClass.SAME_OFFSET, AnchorReason.UNTOUCHED, place, text, similarity=1.0)
        return Anchoring(AnchorClass.MOVED, AnchorReason.UNIQUE, place, text, similarity=1.0)

    def _certain(self, span: Span, text: str, places: list[Span]) -> Span | None:
        """The one place that is meant.

        A text that stands once in both versions is that text. One that stands several times in either is
        never taken for moved; it is where it was when all that comes before it, or after it, is as it was.
        The words around it are no proof: a deletion can give one occurrence the neighbours of another.
        """
        old, new = self.old.text, self.new.text
        if len(places) == 1 and len(occurrences(old, text)) == 1:
            return places[0]
        same_length = len(old) == len(new)
        if new.startswith(old[: span.end]) or (same_length and new.endswith(old[span.start :])):
            return span
        return None

    def _layout(self, text: str) -> Anchoring | None:
        """Text that a reader or a profile broke into other lines."""
        found = layout_matches(self._whole.layout, layout_text(text))
        if not found:
            return None
        if len(found) > 1:
            return Anchoring(AnchorClass.CHANGED, AnchorReason.AMBIGUOUS, places=tuple(found), similarity=1.0)
        exact = self.new.slice(found[0])
        return Anchoring(
            AnchorClass.CHANGED,
            AnchorReason.LAYOUT,
            found[0],
            exact,
            difference=differences(text, exact),
            similarity=1.0,
        )

    def _edited(self, text: str) -> Anchoring:
        near = nearest(text, [self._fresh])
        if near and near[0].similarity >= POSSIBLE:
            best = near[0]
            exact = self.new.slice(best.span)
            # What stood in the old version too is another text, not what became of this one; and letters
            # may agree by chance where words do not.
            if exact not in self.old.text and _same_words(text, exact) >= _SAME_WORDS:
                return Anchoring(
                    AnchorClass.CHANGED,
                    AnchorReason.EDITED,
                    best.span,
                    exact,
                    difference=best.difference,
                    similarity=best.similarity,
                )
        return Anchoring(AnchorClass.LOST, AnchorReason.GONE)


class _FreshText(SearchableText):
    """A document whose words are looked for only in passages that another text does not hold."""

    def __init__(self, document: CanonicalDocument, known: str) -> None:
        super().__init__(document)
        self._fresh = [p.span for p in document.passages if document.passage_text(p) not in known]

    @cached_property
    def pairs(self) -> dict[tuple[str, str], list[int]]:
        """Places of pairs of neighbouring words, both inside one fresh passage."""
        table: dict[tuple[str, str], list[int]] = {}
        words, at = self.words, 0
        for span in self._fresh:
            while at < len(words) and words[at][1] < span.start:
                at += 1
            while at + 1 < len(words) and words[at + 1][2] <= span.end:
                table.setdefault((words[at][0], words[at + 1][0]), []).append(at)
                at += 1
        return table


def _same_words(first: str, second: str) -> float:
    """The share of words that two texts have in common, in order."""
    return SequenceMatcher(
        None, _WORD.findall(first.casefold()), _WORD.findall(second.casefold()), autojunk=False
    ).ratio()

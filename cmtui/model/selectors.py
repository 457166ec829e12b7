"""Spans and W3C Web Annotation selectors over canonical content.

Offsets count Unicode code points of the canonical content and are half-open: ``[start, end)``.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Code points of context kept on each side of a quote in a TextQuoteSelector.
CONTEXT_LENGTH = 32


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points, ``[start, end)``."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def contains(self, other: Span) -> bool:
        """Whether ``other`` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end

    def shift(self, by: int) -> Span:
        """The same span ``by`` code points further on."""
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True)
class TextPositionSelector:
    """W3C TextPositionSelector: code-point offsets, half-open."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextQuoteSelector:
    """W3C TextQuoteSelector: the exact text with up to 32 code points before and after it."""

    exact: str
    prefix: str
    suffix: str


def quote_selector(text: str, span: Span, length: int = CONTEXT_LENGTH) -> TextQuoteSelector:
    """The TextQuoteSelector of ``span`` in ``text``."""
    return TextQuoteSelector(
        exact=text[span.start : span.end],
        prefix=text[max(0, span.start - length) : span.start],
        suffix=text[span.end : span.end + length],
    )

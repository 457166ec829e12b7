"""The canonicalization profile ``cmtui-canon/1``: bytes to text in ordered, counted steps (D5, R13).

The steps are, in this order: the extraction itself (``decode:<codec>``, ``pdf-text:plain``, ``epub-text``),
``repair-surrogates``, ``newlines``, ``strip-controls`` and ``join``. Nothing else is ever changed: soft
hyphens, ligatures, no-break spaces, U+2028, trailing blanks and decomposed sequences stay (design/ingest.md
7.1). Every step is named whether or not it applied, so that an id never depends on a count.

Readers cleanse each page, chapter or text run *before* they measure an offset, so locator tables refer to
the final text by construction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cmtui.ingest.profiles import (
    CONTROLS,
    HTML_TEXT_STEP,
    HYPHENS,
    JOIN,
    NEWLINES,
    REPAIR,
    Reading,
    profile_version,
)
from cmtui.model.identity import CanonicalizationProfile, Extractor, ProfileStep

#: Joins pages and spine items. It is never part of a passage.
SEPARATOR = "\f"

_SURROGATES = re.compile("([\ud800-\udbff])([\udc00-\udfff])|[\ud800-\udfff]")
_NEWLINE = re.compile(r"\r\n?")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_PDF_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff]")

#: The step after the extraction that some readings have; the reader counts it in ``Canonicalizer.second``.
_SECOND_STEPS = {Reading.PDFIUM: HYPHENS, Reading.HTML_TEXT: HTML_TEXT_STEP}


class Canonicalizer:
    """Cleanses pieces of text and counts what each step did.

    ``extraction`` names the first step. ``noncharacters`` also strips U+FFFE and U+FFFF, which PDF
    extractors emit for glyphs they cannot map. ``keep_form_feeds`` is for plain text, where a form feed is
    the author's page break; elsewhere one inside a page would look like a separator, so it becomes a space.
    """

    def __init__(
        self,
        extraction: str,
        *,
        noncharacters: bool = False,
        keep_form_feeds: bool = False,
        reading: Reading = Reading.CANON,
    ) -> None:
        self._extraction = extraction
        self._reading = reading
        self._second_step = _SECOND_STEPS.get(reading)
        self._control = _PDF_CONTROL if noncharacters else _CONTROL
        self._keep_form_feeds = keep_form_feeds
        self.extracted = 0
        self.second = 0
        self.repaired = 0
        self.newlines = 0
        self.controls = 0
        self.joined = 0

    def clean(self, raw: str) -> str:
        """The canonical form of one piece of text. Applying it twice changes nothing more."""
        text = raw
        if not text.isascii():
            text, count = _SURROGATES.subn(_repair, text)
            self.repaired += count
        text, count = _NEWLINE.subn("\n", text)
        self.newlines += count
        text, count = self._control.subn("", text)
        self.controls += count
        if not self._keep_form_feeds and SEPARATOR in text:
            self.joined += text.count(SEPARATOR)
            text = text.replace(SEPARATOR, " ")
        return text

    def join(self, pieces: Iterable[str]) -> str:
        """Pages or spine items as one text, a single form feed between two of them."""
        parts = list(pieces)
        self.joined += max(0, len(parts) - 1)
        return SEPARATOR.join(parts)

    def profile_steps(self) -> tuple[ProfileStep, ...]:
        """The steps in order with the counts so far."""
        return (
            ProfileStep(self._extraction, self.extracted),
            *([ProfileStep(self._second_step, self.second)] if self._second_step else []),
            ProfileStep(REPAIR, self.repaired),
            ProfileStep(NEWLINES, self.newlines),
            ProfileStep(CONTROLS, self.controls),
            ProfileStep(JOIN, self.joined),
        )

    def profile(self, extractor: Extractor) -> CanonicalizationProfile:
        """The current profile of the reading, with the counts so far."""
        reading = self._reading
        return CanonicalizationProfile(
            reading.value, profile_version(reading), self.profile_steps(), extractor
        )


def _repair(match: re.Match[str]) -> str:
    """A split pair becomes its character, a lone surrogate U+FFFD."""
    high, low = match.group(1), match.group(2)
    if high is None:
        return "\ufffd"
    return chr(0x10000 + ((ord(high) - 0xD800) << 10) + (ord(low) - 0xDC00))

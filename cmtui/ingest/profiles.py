"""The named profiles: which way of reading gave a canonical text (D3, D5, R13).

A source is read one way unless a person asks for another; each way gives a layer 3 of its own from the same
bytes, so evidence made under one is never moved to another. The extractor's name and version stand in the
profile too. Stored text is never extracted again: a new version of a profile applies to new bytes and to
``--reprofile`` only (R24).
"""

from __future__ import annotations

from enum import StrEnum

from cmtui.model.identity import CanonicalizationProfile, SourceKind

REPAIR = "repair-surrogates"
NEWLINES = "newlines"
CONTROLS = "strip-controls"
JOIN = "join"
#: Only in the profiles ``pdfium-text`` and ``html-text``: between the extraction and the repair.
HYPHENS = "line-end-hyphens"
HTML_TEXT_STEP = "html-text"


class Reading(StrEnum):
    """A way of reading; the value is the name of its profile."""

    CANON = "cmtui-canon"  # the reader of the kind: pypdf for PDF, the file's own characters for text
    HTML_TEXT = "html-text"  # the readable text of a web page instead of its markup
    PDFIUM = "pdfium-text"  # PDF through pdfium


#: The current version of each profile.
VERSIONS = {Reading.CANON: "1", Reading.HTML_TEXT: "1", Reading.PDFIUM: "1"}

#: The kind of source each reading is for; None for all.
KINDS = {Reading.CANON: None, Reading.HTML_TEXT: SourceKind.TEXT, Reading.PDFIUM: SourceKind.PDF}

_COMMON = (REPAIR, NEWLINES, CONTROLS, JOIN)
_STEPS = {
    Reading.CANON: _COMMON,
    Reading.HTML_TEXT: (HTML_TEXT_STEP, *_COMMON),
    Reading.PDFIUM: (HYPHENS, *_COMMON),
}


def reading_of(profile_name: str) -> Reading:
    """The reading that a profile's name (or ``name/version``) belongs to; the default one if unknown."""
    name = profile_name.partition("/")[0]
    return Reading(name) if name in set(Reading) else Reading.CANON


def profile_version(reading: Reading) -> str:
    """The version that new documents get."""
    return VERSIONS[reading]


def is_current(profile: CanonicalizationProfile, reading: Reading) -> bool:
    """Whether a profile is the current one of ``reading``, with its steps in their order.

    The first step names the extraction itself (``decode:utf-8``, ``pdf-text:plain``).
    """
    names = tuple(step.name for step in profile.steps)
    return (
        profile.name == reading.value
        and profile.version == VERSIONS[reading]
        and names[1:] == _STEPS[reading]
    )

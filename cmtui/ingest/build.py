"""A reader's answer to a canonical document. What a worker answers is data, not truth: it is checked again.

The offsets, counts and texts of the answer come from a process that has just parsed a file of unknown origin
(architecture.md, "Processes"), so nothing of it is used before it has been found consistent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Protocol

from cmtui.errors import IngestError, NoText
from cmtui.ingest.limits import LIMITS, ReadLimits
from cmtui.ingest.profiles import is_current, reading_of
from cmtui.ingest.segmentation import passages
from cmtui.ingest.structure import called
from cmtui.model.identity import CanonicalizationProfile, SourceVersion, sha256_text
from cmtui.model.ingest import ReadDocument
from cmtui.model.source import CanonicalDocument, LocatorTables

_FORBIDDEN = re.compile("[\x00-\x08\x0b\r\x0e-\x1f\x7f\ud800-\udfff]")
_MARKS = 1_000_000
_SMALL_LISTS = 1_000
_STRING = 4_096


def build_document(
    read: ReadDocument, *, version: SourceVersion, name: str = "", limits: ReadLimits = LIMITS
) -> CanonicalDocument:
    """The canonical document of ``version``: the answer checked, its text cut into passages and hashed.

    ``name`` is what messages call the file. Raises IngestError when the answer contradicts itself, NoText
    when it gives no passage.
    """
    check_answer(read, limits)
    cut = passages(read.text, read.blocks, read.tables)
    if not cut:
        raise NoText(
            f"{called(name)} holds no text that could be quoted.", "Check that this is the right file."
        )
    return CanonicalDocument(
        version=version,
        profile=read.profile,
        text=read.text,
        text_sha256=sha256_text(read.text),
        passages=cut,
        tables=read.tables,
        language=read.language,
        candidates=read.candidates,
        warnings=read.warnings,
    )


def check_answer(read: ReadDocument, limits: ReadLimits = LIMITS) -> None:
    """Raise IngestError unless every offset, count and string of a reader's answer is in bounds."""
    text = read.text
    _require(len(text) <= limits.characters, f"more than {limits.characters:,} characters")
    _require(_FORBIDDEN.search(text) is None, "characters that canonical text never holds")
    _check_profile(read.profile)
    _check_ranges("blocks", [(b.start, b.end) for b in read.blocks], len(text), empty=False)
    _check_tables(read.tables, len(text))
    _require(len(read.candidates) <= _SMALL_LISTS, "too many metadata candidates")
    _require(len(read.warnings) <= _SMALL_LISTS, "too many warnings")
    for candidate in read.candidates:
        _check_strings((candidate.field, candidate.value, candidate.origin))
    for warning in read.warnings:
        _check_strings((warning.code, warning.message))
        _require(len(warning.pages) <= _MARKS and all(page > 0 for page in warning.pages), "warned pages")
    _check_strings((read.language,))


def _check_profile(profile: CanonicalizationProfile) -> None:
    _require(is_current(profile, reading_of(profile.name)), "another profile, or other steps")
    names = tuple(step.name for step in profile.steps)
    _require(all(step.count >= 0 for step in profile.steps), "a negative count")
    _check_strings((*names, profile.extractor.name, profile.extractor.version))
    _require(all(name.isascii() for name in names), "a step name that is not ASCII")
    _require((profile.extractor.name + profile.extractor.version).isascii(), "an extractor that is not ASCII")


def _check_tables(tables: LocatorTables, length: int) -> None:
    _check_marks("pages", tables.pages, length)
    _check_marks("chapters", tables.chapters, length)
    _check_marks("sections", tables.sections, length)
    _check_ranges("furniture", [(f.start, f.end) for f in tables.furniture], length, empty=False)
    _check_ranges("paragraphs", [(p.start, p.end) for p in tables.paragraphs], length, empty=False)
    _require(all(page.number == number for number, page in enumerate(tables.pages, start=1)), "page numbers")
    _require(not tables.pages or tables.page_basis is not None, "pages without a basis")
    offsets = [mark.offset for mark in tables.print_pages]
    _require(len(offsets) <= _MARKS, "too many print pages")
    _require(all(0 <= offset <= length for offset in offsets), "print pages out of range")
    _require(all(a < b for a, b in pairwise(offsets)), "print pages out of order")
    _check_strings(page.label for page in tables.pages)
    _check_strings(mark.label for mark in tables.print_pages)
    for chapter in tables.chapters:
        _check_strings((chapter.title, chapter.href))
        _require(chapter.spine > 0, "spine positions")
    for section in tables.sections:
        _check_strings(section.path)
        _require(0 < len(section.path) <= 64 and section.ordinal > 0, "section paths")
    _require(all(mark.number > 0 for mark in tables.paragraphs), "paragraph numbers")


class _Ranged(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def _check_marks(what: str, marks: Sequence[_Ranged], length: int) -> None:
    _check_ranges(what, [(mark.start, mark.end) for mark in marks], length, empty=True)


def _check_ranges(what: str, ranges: Sequence[tuple[int, int]], length: int, *, empty: bool) -> None:
    _require(len(ranges) <= (_MARKS if empty else length), f"too many {what}")
    at = 0
    for start, end in ranges:
        _require(at <= start <= end <= length and (empty or start < end), f"{what} out of range or order")
        at = end


def _check_strings(values: Iterable[str | None]) -> None:
    for value in values:
        if value is not None:
            _require(len(value) <= _STRING, "an overlong name")
            _require(_FORBIDDEN.search(value) is None, "a name with control characters")


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise IngestError(
            f"The reader's answer is inconsistent ({what}), so nothing of it was used.",
            "Ingest the file again; if this repeats, report it with the file.",
        )

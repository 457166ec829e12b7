"""What a review is exported as, each format with what it is for. The same store gives the same bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReviewFormat:
    """One format: its name, the suffix of its files, and what it is for. ``accepted`` holds accepts alone."""

    name: str
    suffix: str
    purpose: str
    accepted: bool = False


FORMATS: tuple[ReviewFormat, ...] = (
    ReviewFormat("jsonl", "jsonl", "everything, to be imported into another store"),
    ReviewFormat("csv", "csv", "for spreadsheets and statistics, with a column per tag"),
    ReviewFormat("markdown", "md", "claims, quotes and citations, for notes and drafts"),
    ReviewFormat("annotations", "jsonld", "W3C Web Annotations, for annotation tools"),
    ReviewFormat("bibtex", "bib", "the accepted sources, for LaTeX", accepted=True),
    ReviewFormat("ris", "ris", "the accepted sources, for reference managers", accepted=True),
    ReviewFormat("csl-json", "json", "the accepted sources, for Zotero and pandoc", accepted=True),
    ReviewFormat("bundle", "zip", "proof for a colleague, who needs Python and nothing else"),
)

NAMES = tuple(each.name for each in FORMATS)


@dataclass(frozen=True, slots=True)
class ExportedReview:
    """A file as it is to be written. ``count`` is findings (sources for the three bibliography formats)."""

    format: ReviewFormat
    content: bytes
    count: int
    warnings: tuple[str, ...] = ()

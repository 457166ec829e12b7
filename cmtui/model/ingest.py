"""What a reader hands to the store, and what an ingest run reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cmtui.model.identity import CanonicalizationProfile
from cmtui.model.source import (
    DocumentSummary,
    IngestWarning,
    LocatorTables,
    MetadataCandidate,
    PassageRole,
)

#: The advice in a warning about bad text of a PDF. The application says it with a key of its own.
PDFIUM_ADVICE = "Ingest the file again with --backend pdfium and compare."


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of canonical text of one role that no passage may leave.

    Blocks are sorted and disjoint. Text outside every block (front matter, separators) gives no passage.
    """

    start: int
    end: int
    role: PassageRole = PassageRole.BODY


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """The answer of a reader: canonical text, how it was made, and its locator tables."""

    text: str
    profile: CanonicalizationProfile
    blocks: tuple[Block, ...]
    tables: LocatorTables
    language: str | None = None
    candidates: tuple[MetadataCandidate, ...] = ()
    warnings: tuple[IngestWarning, ...] = ()


class IngestStatus(StrEnum):
    """What ingest did with a file."""

    ADDED = "added"
    UNCHANGED = "unchanged"
    NEW_VERSION = "new_version"
    MOVED = "moved"
    ALIAS = "alias"
    REPROFILED = "reprofiled"


@dataclass(frozen=True, slots=True)
class IngestedDocument:
    """One file of an ingest run that is now (or already was) a document."""

    path: str
    status: IngestStatus
    summary: DocumentSummary


@dataclass(frozen=True, slots=True)
class IngestFailure:
    """One file of an ingest run that is not: the error's class code, sentence and hint."""

    path: str
    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """An ingest run: every file is in exactly one of the two lists, in path order."""

    documents: tuple[IngestedDocument, ...]
    errors: tuple[IngestFailure, ...]
    cancelled: bool = False

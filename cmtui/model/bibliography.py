"""Bibliographic metadata: explicit, validated CSL-JSON, kept apart from identity (R101 to R105)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: One CSL-JSON item (https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables).
CslItem = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BibliographicAuthor:
    """A person (``family``, ``given``) or an organisation or one-name author (``literal``)."""

    family: str = ""
    given: str = ""
    literal: str = ""


@dataclass(frozen=True, slots=True)
class BibliographicDate:
    """A date as far as it is known: year, then month (1 to 12), then day."""

    year: int
    month: int | None = None
    day: int | None = None


@dataclass(frozen=True, slots=True)
class BibliographicMetadata:
    """The simple form of R103. ``kind`` is book, paper, webpage or document (R105)."""

    kind: str
    title: str
    authors: tuple[BibliographicAuthor, ...] = ()
    issued: BibliographicDate | None = None
    publisher: str | None = None
    publisher_place: str | None = None
    container_title: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    edition: str | None = None
    doi: str | None = None
    url: str | None = None
    accessed: BibliographicDate | None = None


@dataclass(frozen=True, slots=True)
class BibliographyRecord:
    """The bibliography sidecar of a source: the CSL-JSON item and what it was before, oldest first."""

    source_id: str
    item: CslItem
    history: tuple[CslItem, ...] = ()
    updated_at: str | None = None


@dataclass(frozen=True, slots=True)
class FormattedCitation:
    """A formatted citation with what made it, so that a copied citation can be explained later.

    ``style_sha256`` is the digest of the CSL file (empty for BibTeX).
    """

    style: str
    form: str
    text: str
    output: str = "plain"
    engine: str = ""
    style_sha256: str = ""
    warnings: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class FormattedBibliography:
    """Several items formatted together. ``entries`` are (item id, text) in style order for references;
    ``citations`` are the texts of the clusters, in their order, for inline and footnote forms.
    """

    style: str
    form: str
    engine: str = ""
    entries: tuple[tuple[str, str], ...] = ()
    citations: tuple[str, ...] = ()

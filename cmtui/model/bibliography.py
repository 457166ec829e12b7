"""Bibliographic metadata: explicit, validated CSL-JSON, kept apart from identity (R101 to R105)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
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


class NoticeKind(StrEnum):
    """What an editorial notice does to a work: three states that must never pass for one another.

    Withdrawal and removal are retractions; erratum, corrigendum, addendum and clarification are corrections.
    """

    RETRACTION = "retraction"
    CONCERN = "expression-of-concern"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class EditorialNotice:
    """A publisher's notice about a work, as a registration agency records it.

    ``work_doi`` is the work it concerns, ``notice_doi`` the notice itself; they are equal where a publisher
    marks the work in place. ``label`` is the provider's own word (``Corrigendum``), ``date`` is ISO 8601 as
    far as known, ``asserted_by`` who says so (``publisher``, ``retraction-watch``).
    """

    kind: NoticeKind
    work_doi: str
    notice_doi: str | None = None
    label: str = ""
    date: str | None = None
    asserted_by: str = ""


@dataclass(frozen=True, slots=True)
class BibliographyRecord:
    """The bibliography sidecar of a source: the CSL-JSON item and what it was before, oldest first.

    ``notices`` are the editorial notices that the last accepted look-up found, kept so that they are seen
    without a network; ``notices_checked_at`` is when that was (None: never looked up).
    """

    source_id: str
    item: CslItem
    history: tuple[CslItem, ...] = ()
    updated_at: str | None = None
    notices: tuple[EditorialNotice, ...] = ()
    notices_checked_at: str | None = None


@dataclass(frozen=True, slots=True)
class FormattedCitation:
    """A formatted citation with what made it, so that a copied citation can be explained later.

    ``style_sha256`` is the digest of the CSL file (empty for BibTeX), ``engine`` the processor with its
    version, ``locale`` the language of terms and dates. ``warnings`` says when the style is not a reviewed
    one and which fields were not printed.
    """

    style: str
    form: str
    text: str
    output: str = "plain"
    engine: str = ""
    style_sha256: str = ""
    warnings: tuple[str, ...] = field(default=())
    locale: str = ""


@dataclass(frozen=True, slots=True)
class FormattedBibliography:
    """Several items formatted together. ``entries`` are (item id, text) in style order for references;
    ``citations`` are the texts of the clusters, in their order, for inline and footnote forms.

    ``text`` is all of it as one text or document in ``output``, ready to paste or save.
    """

    style: str
    form: str
    engine: str = ""
    entries: tuple[tuple[str, str], ...] = ()
    citations: tuple[str, ...] = ()
    output: str = "plain"
    text: str = ""
    style_sha256: str = ""
    warnings: tuple[str, ...] = field(default=())
    locale: str = ""


@dataclass(frozen=True, slots=True)
class CopyForm:
    """Something to put on the clipboard. ``form`` is plain, markdown, html, rtf, bibtex, csl-json or ris.

    ``mime`` is the type that rich-text programs know it by; ``plain`` is what stands in where only plain text
    can be copied; ``what`` names it for a message ("APA reference, HTML"); ``provenance`` says what made it.
    """

    form: str
    text: str
    mime: str
    plain: str
    what: str
    provenance: dict[str, str] = field(default_factory=dict)

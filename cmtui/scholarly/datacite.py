"""DataCite's REST records (https://api.datacite.org/dois/{doi}): data sets, software, preprints, theses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cmtui.errors import ProviderMalformed
from cmtui.model.bibliography import EditorialNotice, NoticeKind
from cmtui.scholarly.identifiers import doi_url, normalise_doi
from cmtui.scholarly.names import Name, datacite_name
from cmtui.scholarly.text import abstract, plain, rich
from cmtui.scholarly.work import DateParts, Work, checked_date

NAME = "datacite"

#: resourceTypeGeneral (DataCite Metadata Schema 4.6, appendix 1) and CSL's types; others are documents.
TYPES: Mapping[str, str] = {
    "Audiovisual": "motion_picture",
    "Book": "book",
    "BookChapter": "chapter",
    "ConferencePaper": "paper-conference",
    "ConferenceProceeding": "book",
    "ComputationalNotebook": "software",
    "DataPaper": "article-journal",
    "Dataset": "dataset",
    "Dissertation": "thesis",
    "Image": "graphic",
    "JournalArticle": "article-journal",
    "PeerReview": "review",
    "Preprint": "article",
    "Report": "report",
    "Software": "software",
    "Sound": "song",
    "Standard": "standard",
    "Text": "document",
}

_ARXIV = "10.48550/arxiv."
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


def work_of(body: Mapping[str, Any]) -> Work:
    """The work in the answer to ``/dois/{doi}``. Raises ProviderMalformed."""
    data = body.get("data")
    record = data.get("attributes") if isinstance(data, Mapping) else None
    stated = record.get("doi") if isinstance(record, Mapping) else None
    doi = normalise_doi(stated) if isinstance(stated, str) else None
    if doi is None or not isinstance(record, Mapping):
        raise ProviderMalformed(
            "DataCite answered without a record in it.", "Try again later.", provider="DataCite"
        )
    titles = _rows(record.get("titles"))
    title = next((t for row in titles if not row.get("titleType") and (t := _text(row.get("title")))), None)
    title = title or next((t for row in titles if (t := _text(row.get("title")))), None)
    subtitles = (row.get("title") for row in titles if row.get("titleType") == "Subtitle")
    types = record.get("types")
    types = types if isinstance(types, Mapping) else {}
    kind = _text(types.get("resourceTypeGeneral"))
    described = (r for r in _rows(record.get("descriptions")) if r.get("descriptionType") == "Abstract")
    source = _text(next(described, {}).get("description"))
    return Work(
        provider=NAME,
        doi=doi,
        title=plain(title) or None if title else None,
        title_rich=rich(title) or None if title else None,
        subtitle=rich(_text(next(subtitles, None)) or "") or None,
        authors=_names(record.get("creators")),
        editors=_names(
            [r for r in _rows(record.get("contributors")) if r.get("contributorType") == "Editor"]
        ),
        issued=_issued(record),
        type=kind,
        csl_type=TYPES.get(kind or "", "document"),
        url=doi_url(doi),
        abstract=abstract(source) or None if source else None,
        fields=tuple(_fields(record, kind, _text(types.get("resourceType"))).items()),
        notices=_notices(record, doi),
        newer_version=_related(record, "IsPreviousVersionOf", "IsObsoletedBy"),
        # arXiv says so of the published article; Zenodo says it of all versions of one deposit.
        published_as=_related(record, "IsVersionOf") if doi.startswith(_ARXIV) else None,
    )


def _rows(value: Any) -> list[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _names(value: Any) -> tuple[Name, ...]:
    return tuple(name for name in map(datacite_name, _rows(value)) if name is not None)


def _date(text: Any) -> DateParts | None:
    match = _DATE.match(text) if isinstance(text, str) else None
    return checked_date(part for part in match.groups() if part) if match else None


def _dates(record: Mapping[str, Any], kind: str) -> list[DateParts]:
    rows = (row for row in _rows(record.get("dates")) if row.get("dateType") == kind)
    return [date for row in rows if (date := _date(row.get("date")))]


def _issued(record: Mapping[str, Any]) -> DateParts | None:
    """The date of issue when it lies in the year of publication, which counts; else that year."""
    published = record.get("publicationYear")
    year = checked_date([published])
    for date in _dates(record, "Issued"):
        if year is None or date[0] == year[0]:
            return date
    return year


def _fields(record: Mapping[str, Any], kind: str | None, genre: str | None) -> dict[str, str]:
    publisher = record.get("publisher")
    if isinstance(publisher, Mapping):
        publisher = publisher.get("name")
    container = record.get("container")
    container = container if isinstance(container, Mapping) else {}
    first, last = _text(container.get("firstPage")), _text(container.get("lastPage"))
    found = {
        "container-title": _text(container.get("title")),
        "volume": _text(container.get("volume")),
        "issue": _text(container.get("issue")),
        "page": f"{first}-{last}" if first and last and first != last else first,
        "publisher": _text(publisher),
        "version": _text(record.get("version")),
        "genre": "Preprint" if kind == "Preprint" else genre if kind == "Dissertation" else None,
        "language": _text(record.get("language")),
    }
    return {name: text for name, value in found.items() if value and (text := plain(value))}


def _notices(record: Mapping[str, Any], doi: str) -> tuple[EditorialNotice, ...]:
    """DataCite has no notices but the date on which a work was withdrawn."""
    return tuple(
        EditorialNotice(
            NoticeKind.RETRACTION, doi, None, "Withdrawn", "-".join(f"{p:02}" for p in date), NAME
        )
        for date in _dates(record, "Withdrawn")[:1]
    )


def _related(record: Mapping[str, Any], *relations: str) -> str | None:
    for row in _rows(record.get("relatedIdentifiers")):
        identifier = row.get("relatedIdentifier")
        if row.get("relationType") in relations and isinstance(identifier, str):
            doi = normalise_doi(identifier)
            if doi:
                return doi
    return None

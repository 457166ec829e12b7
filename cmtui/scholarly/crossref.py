"""Crossref's REST records (https://api.crossref.org), with the oddities counted in providers.md 1.1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cmtui.errors import ProviderMalformed
from cmtui.model.bibliography import EditorialNotice
from cmtui.scholarly.identifiers import doi_url, normalise_doi, normalise_isbn
from cmtui.scholarly.names import Name, crossref_name
from cmtui.scholarly.text import abstract, plain, rich
from cmtui.scholarly.work import DateParts, Work, date_parts, notice_kind

NAME = "crossref"

#: Crossref's types and CSL's; None is refused, anything unknown is a document.
TYPES: Mapping[str, str | None] = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "book-part": "chapter",
    "book-track": "chapter",
    "reference-entry": "entry",
    "posted-content": "article",
    "dissertation": "thesis",
    "report": "report",
    "report-series": "report",
    "report-component": "report",
    "dataset": "dataset",
    "database": "dataset",
    "software": "software",
    "standard": "standard",
    "peer-review": "review",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "book-set": "book",
    "book-series": "book",
    "proceedings": "book",
    "proceedings-series": "book",
    "component": None,
    "journal": None,
    "journal-issue": None,
    "journal-volume": None,
    "grant": None,
}

#: Where the year of the version of record is looked for; never in ``created``, ``deposited``, ``indexed``.
_DATES = ("issued", "published-print", "published-online", "published", "posted", "approved")


def message_of(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record in the answer to ``/works/{doi}``. Raises ProviderMalformed."""
    message = body.get("message")
    if body.get("status") != "ok" or not isinstance(message, Mapping):
        raise _malformed("without a record in it")
    return message


def work_of(record: Mapping[str, Any], *, require_doi: bool = True) -> Work:
    """One work, from the REST interface (titles are lists) or as Crossref's CSL-JSON (titles are texts).

    Raises ProviderMalformed when the record's frame is wrong; a missing value is not an error. In a list of
    works (``require_doi`` off) a DOI that is stated and is none, by a blank in it, becomes None: refused,
    not repaired, and no reason to lose the other rows.
    """
    stated = record.get("DOI")
    doi = normalise_doi(stated) if isinstance(stated, str) else None
    if doi is None and (require_doi or not isinstance(stated, str)):
        raise _malformed("without a DOI in it")
    kind = record.get("type")
    kind = kind if isinstance(kind, str) else None
    title = _first(record.get("title"))
    dates = {name: date_parts(record.get(name)) for name in _DATES}
    source = _first(record.get("abstract"))
    relation = record.get("relation")
    return Work(
        provider=NAME,
        doi=doi,
        title=plain(title) or None if title else None,
        title_rich=rich(title) or None if title else None,
        subtitle=rich(_first(record.get("subtitle")) or "") or None,
        authors=_names(record.get("author")),
        editors=_names(record.get("editor")),
        issued=next((date for date in dates.values() if date), None),
        printed=dates["published-print"],
        online=dates["published-online"],
        type=kind,
        csl_type=TYPES.get(kind, "document") if kind else "document",
        url=doi_url(doi) if doi else None,
        abstract=abstract(source) or None if source else None,
        fields=tuple(_fields(record, kind).items()),
        notices=_notices(record, doi) if doi else (),
        published_as=_related(relation, "is-preprint-of"),
    )


def preprint_of(record: Mapping[str, Any]) -> str | None:
    """The DOI of the preprint that a record names, or None; publishers often leave it out."""
    return _related(record.get("relation"), "has-preprint")


def _malformed(what: str) -> ProviderMalformed:
    return ProviderMalformed(f"Crossref answered {what}.", "Try again later.", provider="Crossref")


def _first(value: Any) -> str | None:
    """The text, or the first text of a list: further ones are spelling variants or translations."""
    if isinstance(value, list):
        return next((entry for entry in value if isinstance(entry, str) and entry.strip()), None)
    return value if isinstance(value, str) and value.strip() else None


def _names(value: Any) -> tuple[Name, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(entry, Mapping) for entry in value):
        raise _malformed("with names that are no list of names")
    return tuple(name for name in map(crossref_name, value) if name is not None)


def _fields(record: Mapping[str, Any], kind: str | None) -> dict[str, str]:
    """The fields that are one text each, in the order of a reference."""
    found: dict[str, str | None] = {
        "container-title": _first(record.get("container-title")),
        "container-title-short": _first(record.get("short-container-title")),
        "volume": _first(record.get("volume")),
        "issue": _first(record.get("issue")),
        "page": _first(record.get("page")),
        "edition": _first(record.get("edition-number")),
        "publisher": _first(record.get("publisher")),
        "publisher-place": _first(record.get("publisher-location")),
    }
    if not found["page"]:
        found["number"] = _first(record.get("article-number"))
    event = record.get("event")
    if isinstance(event, Mapping):
        found["event-title"] = _first(event.get("name"))
        found["event-place"] = _first(event.get("location"))
    institution = record.get("institution")
    if kind in ("posted-content", "dissertation", "report") and isinstance(institution, list) and institution:
        name = _first(institution[0].get("name")) if isinstance(institution[0], Mapping) else None
        found["publisher"] = name or found["publisher"]
    if kind == "posted-content":
        subtype = _first(record.get("subtype")) or "preprint"
        found["genre"] = subtype.replace("_", " ").replace("-", " ").capitalize()
    elif kind == "dissertation":
        found["genre"] = _first(record.get("degree"))
    isbns = record.get("ISBN")
    if isinstance(isbns, list):
        found["ISBN"] = next((n for i in isbns if isinstance(i, str) and (n := normalise_isbn(i))), None)
    found["ISSN"] = _first(record.get("ISSN"))
    found["language"] = _first(record.get("language"))
    texts = {name: plain(text) for name, text in found.items() if text}
    if texts.get("container-title-short") == texts.get("container-title"):
        texts.pop("container-title-short", None)
    return {name: text for name, text in texts.items() if text}


def _notices(record: Mapping[str, Any], doi: str) -> tuple[EditorialNotice, ...]:
    """Notices of both directions, without repetition.

    ``updated-by`` says that a notice concerns this work; ``update-to`` that this record is the notice and
    concerns another (or this very work, where a publisher marks it in place).
    """
    found: dict[tuple[Any, ...], EditorialNotice] = {}
    for key in ("updated-by", "update-to"):
        for entry in _entries(record.get(key)):
            kind = notice_kind(entry.get("type"), entry.get("label"))
            other = _first(entry.get("DOI"))
            other = normalise_doi(other) if other else None
            if kind is None or (other is None and key == "update-to"):
                continue
            work, notice = (doi, other) if key == "updated-by" else (other or doi, doi)
            found.setdefault(
                (kind, work, notice),
                EditorialNotice(
                    kind=kind,
                    work_doi=work,
                    notice_doi=notice,
                    label=plain(_first(entry.get("label")) or _first(entry.get("type")) or ""),
                    date=_iso(date_parts(entry.get("updated"))),
                    asserted_by=_first(entry.get("source")) or "",
                ),
            )
    return tuple(found.values())


def _entries(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _iso(date: DateParts | None) -> str | None:
    return "-".join(f"{part:02}" for part in date) if date else None


def _related(relation: Any, name: str) -> str | None:
    rows = _entries(relation.get(name)) if isinstance(relation, Mapping) else []
    dois = (normalise_doi(row["id"]) for row in rows if isinstance(row.get("id"), str))
    return next((doi for doi in dois if doi), None)

"""Which passages are eligible: filters as callers write them, and the documents they come to (R115)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cmtui.errors import InvalidRequest, QueryError
from cmtui.model.identity import SourceKind
from cmtui.model.retrieval import Filters
from cmtui.model.source import DocumentSummary
from cmtui.retrieval.query import FieldFilter
from cmtui.store.ids import resolve

#: Largest number of results one search may ask for.
MAX_LIMIT = 1_000

_KEYS = {
    "source_id": "source_ids",
    "source_ids": "source_ids",
    "document_id": "document_ids",
    "document_ids": "document_ids",
    "source_kind": "kinds",
    "source_kinds": "kinds",
    "kind": "kinds",
    "kinds": "kinds",
}


def as_filters(filters: Filters | Mapping[str, Any] | None) -> Filters:
    """Filters from a mapping such as ``{"source_kind": "pdf", "document_id": [a, b]}``.

    A value is one string or several; None and no values do not filter. Raises InvalidRequest for an unknown
    key, value type or kind.
    """
    if filters is None:
        return Filters()
    if isinstance(filters, Filters):
        return filters
    if not isinstance(filters, Mapping):
        raise InvalidRequest(
            f"Filters cannot be a {type(filters).__name__}.",
            "Give Filters(...) or a mapping of names to values.",
        )
    chosen: dict[str, set[str]] = {"source_ids": set(), "document_ids": set(), "kinds": set()}
    for key, value in filters.items():
        target = _KEYS.get(key)
        if target is None:
            raise InvalidRequest(
                f"There is no filter {key!r}.", "The filters are source_id, document_id and source_kind."
            )
        chosen[target].update(_values(key, value))
    return Filters(
        source_ids=frozenset(chosen["source_ids"]),
        document_ids=frozenset(chosen["document_ids"]),
        kinds=frozenset(_kind(value) for value in chosen["kinds"]),
    )


def eligible(rows: Sequence[DocumentSummary], filters: Filters) -> list[DocumentSummary]:
    """The documents whose passages may be found, by source id, then document id.

    Only current versions, unless documents are named. Ids may be unique prefixes. Raises NotFound,
    AmbiguousId.
    """
    sources = _resolved(filters.source_ids, (row.source_id for row in rows), "source")
    documents = _resolved(filters.document_ids, (row.document_id for row in rows), "document")
    chosen = [
        row
        for row in rows
        if (row.document_id in documents if documents else row.current)
        and (not sources or row.source_id in sources)
        and (not filters.kinds or row.kind in filters.kinds)
    ]
    return sorted(chosen, key=lambda row: (row.source_id, row.document_id))


def narrowed(
    rows: Sequence[DocumentSummary], everything: Sequence[DocumentSummary], chosen: Sequence[FieldFilter]
) -> list[DocumentSummary]:
    """``rows`` that pass the filters written in a query: any value of a field, and every field.

    ``source:`` takes the start of a source's id or name, ``document:`` the start of an id; naming a document
    that is no longer current finds nothing here, only as a filter of the search. Raises QueryError when a
    value matches nothing in ``everything``.
    """
    kept = list(rows)
    for field in ("kind", "source", "document"):
        wanted = [one for one in chosen if one.field == field and not one.excluded]
        unwanted = [one for one in chosen if one.field == field and one.excluded]
        for one in (*wanted, *unwanted):
            if field != "kind" and not any(_matches(row, one) for row in everything):
                raise QueryError(
                    f"No {field} in this store starts with '{one.value}'.",
                    "List the documents to see their ids and names.",
                )
        if wanted:
            kept = [row for row in kept if any(_matches(row, one) for one in wanted)]
        kept = [row for row in kept if not any(_matches(row, one) for one in unwanted)]
    return kept


def checked_limit(limit: int, *, maximum: int | None = MAX_LIMIT) -> int:
    """``limit`` if it is an integer from 1 to ``maximum``. Raises InvalidRequest."""
    is_number = isinstance(limit, int) and not isinstance(limit, bool)
    if not is_number or limit < 1 or (maximum is not None and limit > maximum):
        upper = f" to {maximum:,}" if maximum is not None else " up"
        raise InvalidRequest(f"The limit {limit!r} is out of range.", f"Give a whole number from 1{upper}.")
    return limit


def _matches(row: DocumentSummary, one: FieldFilter) -> bool:
    if one.field == "kind":
        return str(row.kind) == one.value
    value = one.value.casefold()
    if one.field == "source":
        return row.source_id.startswith(value) or row.name.casefold().startswith(value)
    return row.document_id.startswith(value)


def _values(key: str, value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, Iterable):
        values = list(value)
        if all(isinstance(one, str) for one in values):
            return values
    raise InvalidRequest(
        f"The filter {key!r} has the value {value!r}.", "Give one string, or a list of strings."
    )


def _kind(value: str) -> SourceKind:
    try:
        return SourceKind(value)
    except ValueError:
        raise InvalidRequest(
            f"There is no source kind {value!r}.", f"The kinds are {', '.join(SourceKind)}."
        ) from None


def _resolved(values: Iterable[str], ids: Iterable[str], what: str) -> frozenset[str]:
    wanted = list(values)
    if not wanted:
        return frozenset()
    known = sorted(set(ids))
    return frozenset(resolve(value, known, what) for value in wanted)

"""Importing a found work: from a lead to a bibliography entry, with nothing guessed and its origin recorded.

A work with a DOI becomes the record that its registration agency has; the row of the search service served to
find it and is not copied. A work without a DOI becomes an entry of the fields the service gave, and says so.
What was found can also be captured, when it has an address (``candidate_of``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cmtui.engine.core import MachineCore
from cmtui.engine.importing import field_proposals
from cmtui.engine.lookup import look_up
from cmtui.engine.review import ReviewSession
from cmtui.errors import InvalidRequest
from cmtui.model.bibliography import CslItem, EditorialNotice
from cmtui.model.discovery import (
    DiscoveryCandidate,
    DiscoveryMetadata,
    FoundWork,
    ImportedWork,
    SavedReference,
)
from cmtui.model.identity import sha256_text
from cmtui.model.lookup import ProviderSettings
from cmtui.model.progress import CancelledCallback, never_cancelled

#: Providers that find pages; what they find is cited as a web page.
_WEB = frozenset({"brave", "exa", "url"})


class FoundWorkOperations(MachineCore):
    """Bibliography entries of works that were found, with or without a source in the store."""

    def import_found(
        self,
        work: FoundWork,
        *,
        document: str | None = None,
        confirm: bool = False,
        providers: Mapping[str, ProviderSettings] | None = None,
        reviewer: str | None = None,
        cancelled: CancelledCallback = never_cancelled,
    ) -> ImportedWork:
        """Make a bibliography entry of a found work.

        A DOI is looked up at Crossref, then DataCite, and their record is stored. It is joined to
        ``document`` (or a source), else to the source with the same DOI: there fields that are empty are
        filled, and those that differ are left. Without either it becomes an entry of its own, which a later
        import of the same work replaces. When the record's title is another than the found one, the DOI may
        be of another work: nothing is stored unless ``confirm``. Raises InvalidRequest, DoiNotFound,
        InvalidMetadata, ProviderError, NotFound, Cancelled.
        """
        notices: tuple[EditorialNotice, ...] = ()
        if work.doi:
            found = look_up(work.doi, providers=providers, cancelled=cancelled)
            item, notices, warnings = found.item, found.own_notices, list(found.warnings)
            _check_title(work, item, found.provider, confirm=confirm)
            origin = {
                "provider": found.provider,
                "found_by": work.provider,
                "doi": found.doi,
                "looked_up_at": found.looked_up_at,
            }
        else:
            item = item_of_row(work)
            origin = {"provider": work.provider, "found_by": work.provider}
            warnings = [
                "There is no DOI, so this entry holds what the search service gave; nobody has checked it."
            ]
        source_id = self._source_for(work, item, document)
        told = tuple(notice.kind.value for notice in notices)
        if source_id is not None:
            stored, left = self._join(source_id, item, notices, reviewer)
            return ImportedWork(item, origin, None, source_id, stored, left, told, tuple(warnings))
        saved = self.repository.save_reference(SavedReference(reference_id(item), item, origin))
        return ImportedWork(item, origin, saved, notices=told, warnings=tuple(warnings))

    def add_by_doi(self, doi: str, **options: Any) -> ImportedWork:
        """As ``import_found``, of a DOI that a person gave. Raises InvalidRequest when it is none."""
        return self.import_found(FoundWork("doi", 1, None, doi=doi), **options)

    def references(self) -> tuple[SavedReference, ...]:
        """The entries of works without a source, by title. Raises StoreError."""
        return self.repository.references()

    def remove_reference(self, key: str) -> SavedReference:
        """Remove an entry by its id, or the id's beginning. Raises NotFound, AmbiguousId."""
        return self.repository.remove_reference(key)

    def _source_for(self, work: FoundWork, item: CslItem, document: str | None) -> str | None:
        from cmtui.scholarly.identifiers import normalise_doi

        if document is not None:
            return self.desk.source_of(document).source_id
        doi = normalise_doi(str(item.get("DOI") or "")) if item.get("DOI") else None
        if doi is None:
            return work.in_library
        for source in self.repository.sources():
            record = self.repository.bibliography(source.source_id)
            stated = record.item.get("DOI") if record is not None else None
            if isinstance(stated, str) and normalise_doi(stated) == doi:
                return source.source_id
        return None

    def _join(
        self,
        source_id: str,
        item: CslItem,
        notices: tuple[EditorialNotice, ...],
        reviewer: str | None,
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Fill what is empty; the names of the fields that were, and of those that differ."""
        from cmtui.scholarly.identifiers import normalise_doi

        previous = self.desk.record(source_id)
        current: CslItem = dict(previous.item) if previous is not None else {}
        proposals = [one for one in field_proposals(current, item) if one.field != "id"]
        stored = tuple(one.field for one in proposals if one.status == "new")
        left = tuple(one.field for one in proposals if one.status == "differs")
        new = current | {name: item[name] for name in stored}
        same = _doi(new, normalise_doi) == _doi(item, normalise_doi)
        kept = notices if same and item.get("DOI") else None
        if stored or kept is not None:
            record = self.repository.set_bibliography(source_id, new, notices=kept)
            if reviewer is not None and stored:
                session = ReviewSession(self.repository, reviewer)
                session.record_bibliography(source_id, record.item, previous.item if previous else None)
        return stored, left


def item_of_row(work: FoundWork) -> CslItem:
    """The CSL-JSON of a row without a DOI: the fields the service gave, and no others. Raises InvalidRequest.

    Abstract and snippet are leads and stay out. The type is the one a page or an unspecified work has.
    """
    from cmtui.bibliography.metadata import validate_item

    if not work.title:
        raise InvalidRequest(
            "This work has neither a DOI nor a title, so there is nothing to cite.",
            "Capture its page instead, and set the bibliography by hand.",
        )
    item: CslItem = {"type": "webpage" if work.provider in _WEB else "document", "title": work.title}
    people = [{key: part for key, part in name.items() if key != "parsed"} for name in work.authors]
    if people:
        item["author"] = people
    if work.year is not None:
        item["issued"] = {"date-parts": [[work.year]]}
    if work.container:
        item["container-title"] = work.container
    if work.url:
        item["URL"] = work.url
    return validate_item(item)


def candidate_of(work: FoundWork, *, query: str | None = None, kind: str | None = None) -> DiscoveryCandidate:
    """A candidate that can be captured. Its snippet is no highlight: joined and cleaned text is never one.

    Raises InvalidRequest for a work without an address.
    """
    from cmtui.discovery.exa_answers import kind_of_url

    if not work.url:
        raise InvalidRequest(
            "This work has no address, so it cannot be captured.",
            "Import its record, and ingest a file of it: citation-machine ingest FILE",
        )
    return DiscoveryCandidate(
        kind or kind_of_url(work.url),
        DiscoveryMetadata(
            provider=work.provider,
            candidate_id=work.doi or work.url,
            url=work.url,
            title=work.title,
            query=query,
            rank=work.rank,
        ),
    )


def reference_id(item: CslItem) -> str:
    """The id of an entry: the same work gets the same one, by DOI, else address, else title."""
    from cmtui.scholarly.identifiers import normalise_doi, url_identity
    from cmtui.scholarly.text import fold

    doi = _doi(item, normalise_doi)
    url = url_identity(str(item["URL"])) if item.get("URL") else None
    key = f"doi:{doi}" if doi else f"url:{url}" if url else f"title:{fold(str(item.get('title', '')))}"
    return sha256_text(f"cmtui/reference/1 {key}")


def _doi(item: CslItem, normalise: Any) -> str | None:
    found: str | None = normalise(str(item["DOI"])) if item.get("DOI") else None
    return found


def _check_title(work: FoundWork, item: CslItem, provider: str, *, confirm: bool) -> None:
    """Raise InvalidRequest when the record is of another title than the row that named its DOI."""
    from cmtui.scholarly.text import fold, plain

    if confirm or not work.title:
        return
    one, other = fold(work.title), fold(plain(str(item.get("title", ""))))
    if one and other and not (one.startswith(other) or other.startswith(one)):
        raise InvalidRequest(
            f"The DOI {work.doi} is of '{plain(str(item['title']))}' at {provider.capitalize()}, and not of "
            f"'{work.title}'.",
            "Compare the two: the DOI may be of another work. Confirm it to store the record all the same.",
        )

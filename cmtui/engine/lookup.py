"""DOI look-up: the one operation on bibliographies that asks the network, and only when it is called (D1).

``lookup_doi`` proposes and writes nothing; ``apply_lookup`` writes the accepted fields into the record's
history. Crossref is asked first and DataCite when Crossref does not know the DOI.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cmtui.engine.core import MachineCore
from cmtui.engine.review import ReviewSession
from cmtui.errors import DoiNotFound, InvalidRequest
from cmtui.model.bibliography import BibliographyRecord, CslItem, EditorialNotice, NoticeKind
from cmtui.model.lookup import CROSSREF, DATACITE, FieldDifference, Lookup, ProviderSettings
from cmtui.model.progress import CancelledCallback, never_cancelled
from cmtui.model.source import SourceRecord
from cmtui.ports import Clock

if TYPE_CHECKING:
    from cmtui.scholarly.work import Work

#: Names of the providers as sentences have them.
LABELS: Mapping[str, str] = {"crossref": "Crossref", "datacite": "DataCite"}

_STATES: Mapping[NoticeKind, str] = {
    NoticeKind.RETRACTION: "This work is retracted",
    NoticeKind.CONCERN: "The publisher states an expression of concern about this work",
    NoticeKind.CORRECTION: "This work has a published correction",
}


def providers_from_environment(environ: Mapping[str, str] | None = None) -> dict[str, ProviderSettings]:
    """Crossref and DataCite as the environment sets them: CMTUI_CROSSREF_BASE_URL, CMTUI_CROSSREF_MAILTO,
    CMTUI_DATACITE_BASE_URL. A settings file is read by the front ends, not by the library (R42)."""
    env = os.environ if environ is None else environ
    crossref = replace(
        CROSSREF,
        base_url=env.get("CMTUI_CROSSREF_BASE_URL") or CROSSREF.base_url,
        mailto=env.get("CMTUI_CROSSREF_MAILTO") or None,
    )
    datacite = replace(DATACITE, base_url=env.get("CMTUI_DATACITE_BASE_URL") or DATACITE.base_url)
    return {"crossref": crossref, "datacite": datacite}


class LookupOperations(MachineCore):
    """Metadata from registration agencies, on explicit command."""

    def lookup_doi(
        self,
        target: str,
        *,
        doi: str | None = None,
        item: CslItem | None = None,
        providers: Mapping[str, ProviderSettings] | None = None,
        clock: Clock | None = None,
        cancelled: CancelledCallback = never_cancelled,
    ) -> Lookup:
        """What Crossref or DataCite says of a DOI, compared with a source. Nothing is written.

        ``target`` is a DOI, or the id (or its beginning) of a document or source, whose stated DOI is looked
        up, else the one its file gives, else ``doi``, which wins over both. ``item`` is compared instead of
        what is stored: a form that is not saved. Raises InvalidRequest when there is no DOI, DoiNotFound,
        InvalidMetadata for records that are never cited, ProviderError, Cancelled.
        """
        if doi is None and "/" in target:
            return look_up(target, providers=providers, clock=clock, cancelled=cancelled)
        source = self.desk.source_of(target)
        record = self.desk.record(source.source_id)
        found = look_up(
            self._doi_of(source) if doi is None else doi,
            current=item if item is not None else record.item if record is not None else {},
            candidates=self._candidates_of(source),
            providers=providers,
            clock=clock,
            cancelled=cancelled,
        )
        return replace(found, source_id=source.source_id)

    def apply_lookup(
        self,
        lookup: Lookup,
        fields: Iterable[str],
        *,
        source: str | None = None,
        reviewer: str | None = None,
    ) -> BibliographyRecord:
        """Write the accepted fields of a look-up, and keep its notices when the item has that DOI.

        ``fields`` are names from ``lookup.differences``; with none, only the notices are kept. Everything
        else of the item stays as it is, and the item before goes to the history. ``source`` is needed when
        the look-up was of a bare DOI. Raises InvalidRequest for a field that was not proposed or that
        changed since the look-up, InvalidMetadata, NotFound.
        """
        from cmtui.bibliography.metadata import validate_item

        key = source or lookup.source_id
        if key is None:
            raise InvalidRequest("The look-up belongs to no source.", "Name the source to write it to.")
        source_id = self.desk.source_of(key).source_id
        previous = self.desk.record(source_id)
        item: CslItem = dict(previous.item) if previous is not None else {}
        proposed = {difference.field: difference for difference in lookup.differences}
        accepted = list(dict.fromkeys(fields))
        for name in accepted:
            if name not in proposed:
                raise InvalidRequest(
                    f"The look-up proposes no change of '{name}'.",
                    f"It proposes: {', '.join(proposed) or 'nothing'}.",
                )
            if lookup.source_id is not None and item.get(name) != proposed[name].current:
                raise InvalidRequest(
                    f"'{name}' was changed after the look-up, and nothing is overwritten unseen.",
                    "Look the DOI up again.",
                )
            item[name] = proposed[name].proposed
        same_work = _same("DOI", item.get("DOI"), lookup.doi)
        if not accepted and not same_work:
            raise InvalidRequest(
                "Nothing was accepted, and this source does not have that DOI.",
                "Accept the field DOI, or others.",
            )
        valid = validate_item(item, allow_unknown=True) | _unknown_fields(item)
        notices = lookup.own_notices if same_work else None
        record = self.repository.set_bibliography(source_id, valid, notices=notices)
        if reviewer is not None and accepted:
            session = ReviewSession(self.repository, reviewer)
            session.record_bibliography(source_id, record.item, previous.item if previous else None)
        return record

    def keep_notices(self, lookup: Lookup, *, source: str | None = None) -> BibliographyRecord | None:
        """Keep the notices of a look-up with a source that has its DOI by now, whoever wrote it there.

        None when the source has another DOI or none: its notices would be of another work. For forms that
        store the accepted fields themselves. Raises InvalidRequest when no source is named, NotFound.
        """
        key = source or lookup.source_id
        record = self.desk.record(key) if key is not None else None
        if key is not None and (record is None or not _same("DOI", record.item.get("DOI"), lookup.doi)):
            return None
        return self.apply_lookup(lookup, (), source=source)

    def editorial_notices(self, key: str) -> tuple[EditorialNotice, ...]:
        """Retractions, concerns and corrections of a source, gravest first, as last looked up.

        Read from the store alone. They belong to a DOI: when the item's DOI changed since, there are none.
        """
        record = self.repository.bibliography(self.desk.source_of(key).source_id)
        if record is None:
            return ()
        own = (n for n in record.notices if _same("DOI", record.item.get("DOI"), n.work_doi))
        return tuple(sorted(own, key=lambda notice: list(NoticeKind).index(notice.kind)))

    # -- what is known of the source -----------------------------------------------------------------

    def _candidates_of(self, source: SourceRecord) -> list[tuple[str, str]]:
        """What the newest document says of itself, as (field, value)."""
        if not source.documents:
            return []
        document = self.repository.document(source.documents[-1])
        return [(candidate.field, candidate.value) for candidate in document.candidates]

    def _doi_of(self, source: SourceRecord) -> str:
        from cmtui.scholarly.identifiers import normalise_doi

        record = self.desk.record(source.source_id)
        stated = record.item.get("DOI") if record is not None else None
        if isinstance(stated, str) and (found := normalise_doi(stated)):
            return found
        values = (value for field, value in self._candidates_of(source) if field.lower() == "doi")
        dois = list(dict.fromkeys(found for value in values if (found := normalise_doi(value))))
        if not dois:
            raise InvalidRequest(
                f"'{source.name}' has no DOI, neither in its bibliography nor in its file.",
                "Give the DOI: citation-machine lookup ID --doi DOI.",
            )
        if len(dois) > 1:
            raise InvalidRequest(
                f"The file of '{source.name}' states several DOIs: {', '.join(dois[:5])}.",
                "Choose one: citation-machine lookup ID --doi DOI.",
            )
        return dois[0]


def look_up(
    text: str,
    *,
    current: CslItem | None = None,
    candidates: Sequence[tuple[str, str]] = (),
    providers: Mapping[str, ProviderSettings] | None = None,
    clock: Clock | None = None,
    cancelled: CancelledCallback = never_cancelled,
) -> Lookup:
    """As ``LookupOperations.lookup_doi``, of a DOI alone, without a store.

    ``current`` is the item it is compared with, ``candidates`` (field, value) what the file says of itself.
    """
    from cmtui.scholarly.identifiers import normalise_doi
    from cmtui.scholarly.work import csl_item
    from cmtui.store.clock import SystemClock

    asked = normalise_doi(text)
    if asked is None:
        raise InvalidRequest(f"'{text}' is not a DOI.", "A DOI looks like 10.1000/182, without blanks.")
    work = fetch_work(asked, providers or providers_from_environment(), cancelled=cancelled)
    item = csl_item(work)
    stated = current or {}
    warnings = [*_identity_warnings(asked, work), *_disagreements(stated, candidates, item, work)]
    return Lookup(
        doi=work.doi or asked,
        provider=work.provider,
        item=item,
        notices=work.notices,
        warnings=(*warnings, *_notice_warnings(work), *_date_warnings(work)),
        differences=differences(stated, item),
        looked_up_at=(clock or SystemClock()).now(),
    )


def fetch_work(
    doi: str, providers: Mapping[str, ProviderSettings], *, cancelled: CancelledCallback = never_cancelled
) -> Work:
    """The record of a normalised DOI: Crossref's, else DataCite's. Raises DoiNotFound, ProviderError."""
    from cmtui.net.client import HttpClient
    from cmtui.scholarly import crossref, datacite
    from cmtui.scholarly.identifiers import doi_path

    for name, path in (("crossref", "/works/"), ("datacite", "/dois/")):
        of = providers[name]
        client = HttpClient(LABELS[name], of.base_url, deadline=of.deadline, mailto=of.mailto)
        params = {"mailto": of.mailto} if of.mailto and name == "crossref" else None
        answer = client.get(path + doi_path(doi), params, accept=(200, 404), cancelled=cancelled)
        if answer.status == 200:
            body = client.json_of(answer)
            return (
                crossref.work_of(crossref.message_of(body)) if name == "crossref" else datacite.work_of(body)
            )
    raise DoiNotFound(
        f"Neither Crossref nor DataCite knows the DOI {doi}.",
        "Compare it with the work, character by character; other agencies are not asked.",
    )


# -- comparing ---------------------------------------------------------------------------------------


def differences(current: CslItem, proposed: CslItem) -> tuple[FieldDifference, ...]:
    """The fields of ``proposed`` that say something else than ``current``, in the order of ``proposed``."""
    return tuple(
        FieldDifference(name, current.get(name), value)
        for name, value in proposed.items()
        if name != "id" and not _same(name, current.get(name), value)
    )


def _same(name: str, one: Any, other: Any) -> bool:
    from cmtui.scholarly.identifiers import normalise_doi, normalise_isbn

    if one is None or other is None:
        return one is other
    if name == "DOI":
        return (normalise_doi(str(one)) or one) == (normalise_doi(str(other)) or other)
    if name == "ISBN":
        return (normalise_isbn(str(one)) or one) == (normalise_isbn(str(other)) or other)
    if isinstance(one, Mapping) and isinstance(other, Mapping) and "date-parts" in one:
        return _whole(one["date-parts"]) == _whole(other.get("date-parts"))
    if isinstance(one, list) or isinstance(other, list):
        return bool(one == other)
    if isinstance(one, Mapping) or isinstance(other, Mapping):
        return bool(one == other)
    return _one_line(one) == _one_line(other)


def _whole(dates: Any) -> list[list[str]]:
    return [[str(part) for part in date] for date in dates] if isinstance(dates, list) else []


def _one_line(value: Any) -> str:
    return " ".join(unicodedata.normalize("NFC", str(value)).split())


def _unknown_fields(item: CslItem) -> CslItem:
    """Fields of the person's own, which validation passes over: a look-up never takes them away."""
    from cmtui.bibliography.metadata import read_item

    return {name: item[name] for name in read_item(item).unknown if name in item}


def _identity_warnings(asked: str, work: Work) -> list[str]:
    if work.doi == asked:
        return []
    return [f"{LABELS[work.provider]} answered for {work.doi}, not for {asked}: an alias, or another work."]


def _disagreements(
    current: CslItem, known: Sequence[tuple[str, str]], item: CslItem, work: Work
) -> list[str]:
    """Title and first author against the bibliography, else against what the file says of itself."""
    from cmtui.scholarly.names import family_key
    from cmtui.scholarly.text import fold, plain

    found = []
    provider = LABELS[work.provider]
    stated = current.get("title")
    titles = [stated] if isinstance(stated, str) and stated else [v for f, v in known if f == "title"]
    if titles and not any(_same_title(fold(title), fold(str(item["title"]))) for title in titles):
        there = plain(str(item["title"]))
        found.append(
            f"The title disagrees: '{plain(titles[0])}' here, '{there}' at {provider}. DOI of another work?"
        )
    first = work.authors[0] if work.authors else None
    people = current.get("author")
    here: list[str] = []
    agree = True
    if first is not None and isinstance(people, list) and people and isinstance(people[0], Mapping):
        here = [str(people[0].get("family") or people[0].get("literal") or people[0].get("given") or "")]
        agree = family_key(people[0]) == family_key(first)
    elif first is not None and not people:
        here = [value for field, value in known if field == "author"]
        words = set(family_key(first).split())
        agree = any(words <= set(fold(value).split()) for value in here)
    if first is not None and here and not agree:
        there = first.get("family") or first.get("literal", "")
        found.append(
            f"The first author disagrees: '{here[0]}' here, '{there}' at {provider}. DOI of another work?"
        )
    return found


def _same_title(one: str, other: str) -> bool:
    """Equal when folded, or one is the other with its subtitle left out (at least three words)."""
    short, long = sorted((one, other), key=len)
    return one == other or (len(short.split()) >= 3 and long.startswith(f"{short} "))


def _notice_warnings(work: Work) -> list[str]:
    found = []
    own = [notice for notice in work.notices if notice.work_doi == work.doi]
    for notice in own:
        when = f" ({notice.date})" if notice.date else ""
        label = f" [{notice.label}]" if notice.label else ""
        elsewhere = notice.notice_doi and notice.notice_doi != work.doi
        where = f": https://doi.org/{notice.notice_doi}" if elsewhere else ""
        found.append(f"{_STATES[notice.kind]}{when}{label}{where}.")
    for notice in work.notices:
        if notice.work_doi != work.doi:
            what = notice.kind.value.replace("-", " ")
            found.append(f"This DOI is a notice of {what} about {notice.work_doi}, not the work itself.")
    prefix = (work.title or "").lower()
    if prefix.startswith(("retracted", "withdrawn")) and not any(
        n.kind is NoticeKind.RETRACTION for n in own
    ):
        found.append("The title says that this work is retracted, but no notice is registered for it.")
    if work.published_as:
        found.append(f"This is a preprint; it was published as {work.published_as}.")
    if work.newer_version:
        found.append(f"There is a newer version: {work.newer_version}.")
    return found


def _date_warnings(work: Work) -> list[str]:
    """A quarter of the records that have both dates have two years (providers.md 1.1)."""
    if work.printed and work.online and work.printed[0] != work.online[0]:
        return [f"Printed in {work.printed[0]}, online in {work.online[0]}: check which one you cite."]
    return []

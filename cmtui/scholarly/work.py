"""A provider's record of a work, normalised, and the CSL-JSON item that it proposes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from cmtui.errors import InvalidMetadata
from cmtui.model.bibliography import CslItem, EditorialNotice, NoticeKind
from cmtui.scholarly.names import Name
from cmtui.scholarly.text import fold

#: Year, then month and day as far as known.
DateParts = tuple[int, ...]

_NOTICE_KINDS = {
    "retraction": NoticeKind.RETRACTION,
    "retracted": NoticeKind.RETRACTION,
    "partial retraction": NoticeKind.RETRACTION,
    "withdrawal": NoticeKind.RETRACTION,
    "withdrawn": NoticeKind.RETRACTION,
    "removal": NoticeKind.RETRACTION,
    "removed": NoticeKind.RETRACTION,
    "expression of concern": NoticeKind.CONCERN,
    "concern": NoticeKind.CONCERN,
    "correction": NoticeKind.CORRECTION,
    "corrected": NoticeKind.CORRECTION,
    "corrected article": NoticeKind.CORRECTION,
    "corrigendum": NoticeKind.CORRECTION,
    "erratum": NoticeKind.CORRECTION,
    "addendum": NoticeKind.CORRECTION,
    "clarification": NoticeKind.CORRECTION,
}


@dataclass(frozen=True, slots=True)
class Work:
    """What a provider says of one work; None and empty where it says nothing.

    ``title`` is plain text and ``title_rich`` keeps italics and the like as CSL-JSON tags; ``type`` is the
    provider's word and ``csl_type`` ours (None: not a work that is cited, such as a journal or a component).
    ``issued`` is the date of the version of record; ``printed`` and ``online`` the two that may differ.
    """

    provider: str
    doi: str | None
    title: str | None
    title_rich: str | None = None
    subtitle: str | None = None
    authors: tuple[Name, ...] = ()
    editors: tuple[Name, ...] = ()
    issued: DateParts | None = None
    printed: DateParts | None = None
    online: DateParts | None = None
    type: str | None = None
    csl_type: str | None = "document"
    url: str | None = None
    abstract: str | None = None
    fields: tuple[tuple[str, str], ...] = ()
    notices: tuple[EditorialNotice, ...] = ()
    published_as: str | None = None
    newer_version: str | None = None

    @property
    def year(self) -> int | None:
        """The year of the version of record."""
        return self.issued[0] if self.issued else None


def notice_kind(*labels: Any) -> NoticeKind | None:
    """The state that a provider's word stands for, or None for a new edition, a comment, an unknown word.

    An erratum is no retraction; a word that is not known is never taken for one.
    """
    for label in labels:
        if isinstance(label, str):
            words = " ".join(label.replace("_", " ").replace("-", " ").lower().split())
            if words in _NOTICE_KINDS:
                return _NOTICE_KINDS[words]
    return None


def date_parts(value: Any) -> DateParts | None:
    """A date of Crossref's ``{"date-parts": [[2020, 5]]}``; None for ``[[null]]``, ``[[]]`` and bad years."""
    parts = value.get("date-parts") if isinstance(value, Mapping) else None
    if not isinstance(parts, list) or not parts or not isinstance(parts[0], list):
        return None
    return checked_date(parts[0])


def checked_date(parts: Iterable[Any]) -> DateParts | None:
    """Year (1000 to two years from now), month and day, cut before the first part that is not one."""
    limits = ((1000, datetime.now(UTC).year + 2), (1, 12), (1, 31))
    date: list[int] = []
    for given, (low, high) in zip(parts, limits, strict=False):
        part = int(given) if isinstance(given, str) and given.isascii() and given.isdigit() else given
        if not isinstance(part, int) or isinstance(part, bool) or not low <= part <= high:
            break
        date.append(part)
    if len(date) == 3:
        try:
            datetime(date[0], date[1], date[2], tzinfo=UTC)
        except ValueError:
            date.pop()
    return tuple(date) or None


def csl_item(work: Work) -> CslItem:
    """The CSL-JSON item of a work. The abstract stays out: it is the publisher's text.

    Raises InvalidMetadata for what is never cited: records without a title, components, whole journals.
    """
    if work.csl_type is None:
        raise InvalidMetadata(
            f"{work.doi}: this is a {(work.type or 'part').replace('-', ' ')}, not a work that is cited.",
            "Look up the DOI of the work it belongs to.",
        )
    if not work.title:
        raise InvalidMetadata(
            f"{work.doi}: {work.provider} has no title for it.", "Enter the title from the work itself."
        )
    item: CslItem = {"type": work.csl_type, "title": full_title(work)}
    if work.authors:
        item["author"] = [dict(name) for name in work.authors]
    if work.editors:
        item["editor"] = [dict(name) for name in work.editors]
    if work.issued:
        item["issued"] = {"date-parts": [list(work.issued)]}
    item.update(work.fields)
    if work.doi:
        item["DOI"] = work.doi
    elif work.url:
        item["URL"] = work.url
    return item


def full_title(work: Work) -> str:
    """The title with its subtitle, unless the title holds it already."""
    title = work.title_rich or work.title or ""
    if not work.subtitle or fold(work.subtitle) in fold(title):
        return title
    return f"{title} {work.subtitle}" if title[-1:] in ":?!" else f"{title}: {work.subtitle}"

"""What a DOI look-up answers: a proposal, field by field. Nothing is written until fields are accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cmtui.model.bibliography import CslItem, EditorialNotice


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """Where a provider is and how it is asked. ``deadline`` is in seconds, retries included (D2)."""

    base_url: str
    deadline: float = 10.0
    mailto: str | None = None


@dataclass(frozen=True, slots=True)
class WebSearchSettings(ProviderSettings):
    """``when`` says when the section pipeline asks: ``parallel`` with the others, or as their ``fallback``
    when they gave nothing that was accepted (R166)."""

    when: str = "fallback"


#: The public services; each base URL is a setting (``providers.crossref.base_url``).
CROSSREF = ProviderSettings("https://api.crossref.org")
DATACITE = ProviderSettings("https://api.datacite.org")
SEMANTIC_SCHOLAR = ProviderSettings("https://api.semanticscholar.org")
BRAVE = WebSearchSettings("https://api.search.brave.com")
EXA = ProviderSettings("https://api.exa.ai", deadline=30.0)


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """One CSL-JSON field in which the provider's item differs. ``current`` is None where nothing stands."""

    field: str
    current: Any
    proposed: Any


@dataclass(frozen=True, slots=True)
class Lookup:
    """A provider's record of a DOI beside what is known of a source.

    ``item`` is valid CSL-JSON; ``differences`` are the fields worth deciding on, in the item's order.
    ``notices`` concern this work (see ``EditorialNotice.work_doi``) or, where the DOI is itself a notice,
    the work it speaks of. ``warnings`` are sentences for people. ``source_id`` is the source compared with.
    """

    doi: str
    provider: str
    item: CslItem
    notices: tuple[EditorialNotice, ...] = ()
    warnings: tuple[str, ...] = ()
    differences: tuple[FieldDifference, ...] = ()
    source_id: str | None = None
    looked_up_at: str = ""

    @property
    def own_notices(self) -> tuple[EditorialNotice, ...]:
        """Notices about the work looked up, not about another work that it speaks of."""
        return tuple(notice for notice in self.notices if notice.work_doi == self.doi)

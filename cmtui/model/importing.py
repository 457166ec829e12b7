"""Values of bibliography import, export and duplicates: what was read, what is proposed, what was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cmtui.model.bibliography import CslItem

#: The formats that are read and written.
FORMATS = ("csl-json", "bibtex", "biblatex", "ris")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that an entry names; ``path`` as it was written, escapes resolved, nothing looked up."""

    path: str
    title: str = ""
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class ImportedEntry:
    """One entry of a bibliography file. ``line`` is 1-based; ``item`` is a valid CSL-JSON item."""

    key: str
    item: CslItem
    attachments: tuple[Attachment, ...] = ()
    line: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something that did not come in: the 1-based line and a sentence that says what and why."""

    line: int
    message: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class ImportedBibliography:
    """A bibliography file as read: its format, the entries that came in, and what did not."""

    format: str
    entries: tuple[ImportedEntry, ...] = ()
    problems: tuple[ImportProblem, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldProposal:
    """One field of an entry beside what the source has now (None: nothing)."""

    field: str
    current: Any
    proposed: Any
    differs: bool

    @property
    def status(self) -> str:
        """``new`` (empty now), ``same``, or ``differs`` (a conflict, left alone unless accepted)."""
        if self.current is None:
            return "new"
        return "differs" if self.differs else "same"


@dataclass(frozen=True, slots=True)
class LinkedSource:
    """A source an entry speaks of. ``basis`` is doi, isbn, path, bytes, hand, or file-name.

    A file name alone, or a DOI that is only printed in the file, is no link: such sources stand in
    ``EntryProposal.candidates`` with the basis file-name or file-doi and are linked by hand.
    """

    source_id: str
    document_id: str
    name: str
    basis: str
    fields: tuple[FieldProposal, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundAttachment:
    """An attachment with the file it names on this computer, if that exists and can be ingested."""

    attachment: Attachment
    file: str | None = None
    document_id: str | None = None


@dataclass(frozen=True, slots=True)
class EntryProposal:
    """What the import would do with one entry. Without links it is unlinked."""

    entry: ImportedEntry
    links: tuple[LinkedSource, ...] = ()
    candidates: tuple[LinkedSource, ...] = ()
    attachments: tuple[FoundAttachment, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The proposals for a whole file, in its order. Nothing is stored by a plan."""

    format: str
    proposals: tuple[EntryProposal, ...] = ()
    problems: tuple[ImportProblem, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def unlinked(self) -> tuple[EntryProposal, ...]:
        """The entries that no source was found for."""
        return tuple(proposal for proposal in self.proposals if not proposal.links)


@dataclass(frozen=True, slots=True)
class ImportChoices:
    """What may overwrite: for an entry key the fields accepted although they differ, or ``accept_all``."""

    accept: Mapping[str, frozenset[str]] = field(default_factory=dict)
    accept_all: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AppliedEntry:
    """What an import changed in one source: the fields stored, and those left because they differ."""

    key: str
    source_id: str
    stored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two records that seem to be of one work, by id, with the reasons (doi, isbn, title-author-year)."""

    first: str
    second: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExportedBibliography:
    """A bibliography file as written, with one sentence for each field the format could not carry."""

    format: str
    text: str
    warnings: tuple[str, ...] = ()

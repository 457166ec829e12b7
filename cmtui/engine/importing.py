"""Import of bibliography files: a plan proposes field by field, and only what was accepted is stored.

Nothing is overwritten unless it is stated for that entry. An entry is linked to a source by DOI, ISBN, the
path or the bytes of a file it names, or by hand; weaker signs are shown as candidates and store nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

from cmtui.engine.attachments import file_name, find_file
from cmtui.engine.core import MachineCore
from cmtui.engine.files import file_reference, read_file
from cmtui.engine.ingestion import CitationIngestionService, IngestOptions
from cmtui.errors import InvalidRequest
from cmtui.model.bibliography import CslItem
from cmtui.model.identity import sha256_bytes
from cmtui.model.importing import (
    AppliedEntry,
    EntryProposal,
    FieldProposal,
    FoundAttachment,
    ImportChoices,
    ImportedBibliography,
    ImportedEntry,
    ImportPlan,
    LinkedSource,
)
from cmtui.model.ingest import IngestReport
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.review import EventDraft, EventType, Json
from cmtui.model.source import SourceRecord

#: Keys of the record: taken over when the source has none, never a conflict.
_RECORD_KEYS = ("id", "citation-key")


class ImportOperations(MachineCore):
    """Import of BibTeX, BibLaTeX, RIS and CSL-JSON."""

    @staticmethod
    def read_bibliography(
        content: bytes | str,
        *,
        file_format: str | None = None,
        name: str = "",
    ) -> ImportedBibliography:
        """The entries of a bibliography text, such as a pasted one. Nothing is linked or stored.

        ``file_format`` is csl-json, bibtex, biblatex or ris; None lets the content decide. Raises
        WrongBibliographyFormat, which says what the content looks like instead.
        """
        from cmtui.bibliography.reading.detect import read_bibliography

        return read_bibliography(content, stated=file_format, name=name)

    def plan_import(
        self,
        path: str | Path,
        *,
        file_format: str | None = None,
        links: Mapping[str, str] | None = None,
    ) -> ImportPlan:
        """What importing a file would do. ``links`` ties entry keys to documents or sources by hand.

        Raises SourceMissing, WrongBibliographyFormat; InvalidRequest for a link of a key that is not in the
        file; NotFound for a link to a document that is not in the store.
        """
        file = Path(path).expanduser()
        read = self.read_bibliography(read_file(file), file_format=file_format, name=file.name)
        return self.plan_entries(read, folder=file.absolute().parent, links=links)

    def plan_entries(
        self,
        read: ImportedBibliography,
        *,
        folder: Path | None = None,
        links: Mapping[str, str] | None = None,
    ) -> ImportPlan:
        """As ``plan_import``, for entries read before. ``folder`` is what relative attachments start from."""
        by_hand = {key: self.desk.source_of(target) for key, target in (links or {}).items()}
        known = {entry.key for entry in read.entries}
        for key in by_hand:
            if key not in known:
                raise InvalidRequest(f"There is no entry '{key}' in the file.", _some_keys(known))
        shelf = _Shelf(self)
        doubles = _doubles(read.entries)
        taken: dict[str, ImportedEntry] = {}
        for entry in read.entries:
            if entry.key in by_hand:
                taken.setdefault(by_hand[entry.key].source_id, entry)
        proposals = []
        for entry in read.entries:
            files = tuple(shelf.attachment(one.path, folder) for one in entry.attachments)
            attachments = tuple(
                FoundAttachment(one, str(file) if file else None, document)
                for one, (file, document) in zip(entry.attachments, files, strict=True)
            )
            found = (
                [(by_hand[entry.key], "hand")]
                if entry.key in by_hand
                else shelf.links(entry.item, attachments)
            )
            warnings = list(doubles.get(entry.key, ()))
            linked: list[LinkedSource] = []
            candidates: list[LinkedSource] = []
            for source, basis in found:
                other = taken.setdefault(source.source_id, entry)
                if other is entry:
                    linked.append(shelf.proposal(source, basis, entry.item))
                else:
                    candidates.append(shelf.proposal(source, basis, entry.item))
                    warnings.append(
                        f"'{source.name}' is already linked to the entry '{other.key}' (line {other.line})"
                    )
            if not found:
                weak = shelf.candidates(entry.item, entry)
                candidates += [shelf.proposal(source, basis, entry.item) for source, basis in weak]
            proposals.append(
                EntryProposal(entry, tuple(linked), tuple(candidates), attachments, tuple(warnings))
            )
        return ImportPlan(read.format, tuple(proposals), read.problems, read.warnings)

    def apply_import(
        self, plan: ImportPlan, choices: ImportChoices | None = None, *, reviewer: str | None = None
    ) -> tuple[AppliedEntry, ...]:
        """Store what is accepted: fields that are empty now, and those stated in ``choices``.

        Where a shared DOI or ISBN is contradicted by the title or the first author, the number may be wrong:
        then every field waits to be stated, empty or not.
        What a source has is read again, so that nothing entered since the plan is overwritten. Each item as
        it was stays in the history; with a reviewer the whole import is undone as one action. Raises
        InvalidRequest for choices that name no entry or field, before anything is stored.
        """
        choices = choices or ImportChoices()
        _check(plan, choices)
        applied: list[AppliedEntry] = []
        drafts: list[EventDraft] = []
        for proposal in plan.proposals:
            key = proposal.entry.key
            for link in proposal.links:
                record = self.desk.record(link.source_id)
                current: CslItem = dict(record.item) if record is not None else {}
                stored: list[str] = []
                left: list[str] = []
                item = dict(current)
                disputed = bool(link.warnings) and link.basis in {"doi", "isbn"}
                for one in field_proposals(current, proposal.entry.item):
                    accepted = key in choices.accept_all or one.field in choices.accept.get(key, ())
                    if one.status not in {"new", "differs"}:
                        continue
                    if accepted or (one.status == "new" and not disputed):
                        _replace(item, one)
                        stored.append(one.field)
                    else:
                        left.append(one.field)
                if stored:
                    new = self.repository.set_bibliography(link.source_id, item)
                    payload: dict[str, Json] = {
                        "item": cast("Json", new.item),
                        "previous": cast("Json", record.item if record is not None else None),
                    }
                    drafts.append(EventDraft(EventType.BIBLIOGRAPHY_SET, link.source_id, payload))
                applied.append(AppliedEntry(key, link.source_id, tuple(stored), tuple(left)))
        if reviewer is not None and drafts:
            self.repository.append_events(reviewer, drafts)
        return tuple(applied)

    def ingest_attachments(
        self,
        plan: ImportPlan,
        *,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> IngestReport:
        """Ingest the attachments of a plan that exist and are not in the store. Plan again to link them."""
        paths = dict.fromkeys(
            one.file
            for proposal in plan.proposals
            for one in proposal.attachments
            if one.file is not None and one.document_id is None
        )
        service = CitationIngestionService(self.repository)
        return service.ingest_paths(list(paths), IngestOptions(), progress=progress, cancelled=cancelled)


def field_proposals(current: CslItem, proposed: CslItem) -> tuple[FieldProposal, ...]:
    """Each field of an item beside what is there now; typography alone is no difference."""
    from cmtui.bibliography.comparison import equal, variable

    present = {variable(name): value for name, value in current.items() if value not in (None, "", [], {})}
    rows = []
    for name, value in proposed.items():
        there = present.get(variable(name))
        if name in _RECORD_KEYS and there is not None:
            continue
        rows.append(FieldProposal(name, there, value, there is not None and not equal(name, there, value)))
    return tuple(rows)


def _replace(item: CslItem, one: FieldProposal) -> None:
    from cmtui.bibliography.comparison import variable

    for name in [name for name in item if name != one.field and variable(name) == variable(one.field)]:
        del item[name]
    item[one.field] = one.proposed


def _check(plan: ImportPlan, choices: ImportChoices) -> None:
    entries = {proposal.entry.key: proposal for proposal in plan.proposals}
    for key in (*choices.accept, *sorted(choices.accept_all)):
        if key not in entries:
            raise InvalidRequest(f"There is no entry '{key}' in the file.", _some_keys(entries))
        unknown = sorted(choices.accept.get(key, frozenset()) - set(entries[key].entry.item))
        if unknown:
            raise InvalidRequest(
                f"The entry '{key}' has no field '{unknown[0]}'.",
                f"It has: {', '.join(entries[key].entry.item)}.",
            )


def _some_keys(keys: Iterable[str]) -> str:
    ordered = list(keys)
    return f"Its keys: {', '.join(ordered[:8])}{', ...' if len(ordered) > 8 else ''}."


def _doubles(entries: Iterable[ImportedEntry]) -> dict[str, list[str]]:
    """Entries of one file that seem to be of one work."""
    from cmtui.bibliography.duplicates import find_duplicates

    lines = {entry.key: entry for entry in entries}
    found: dict[str, list[str]] = defaultdict(list)
    for double in find_duplicates([(key, entry.item) for key, entry in lines.items()]):
        first = lines[double.first]
        found[double.second].append(
            f"it seems to be the work of '{first.key}' (line {first.line}):"
            f" same {' and '.join(double.reasons)}"
        )
    return found


class _Shelf:
    """The sources of a store by what an entry may know of them. Made once for a plan."""

    def __init__(self, machine: MachineCore) -> None:
        self._machine = machine
        self._repository = machine.repository
        self._items: dict[str, CslItem] = {}
        self._by_doi: dict[str, list[SourceRecord]] = defaultdict(list)
        self._by_isbn: dict[str, list[SourceRecord]] = defaultdict(list)
        self._by_reference: dict[str, SourceRecord] = {}
        self._by_name: dict[str, list[SourceRecord]] = defaultdict(list)
        self._by_printed_doi: dict[str, list[SourceRecord]] | None = None
        self._hashed: dict[Path, str | None] = {}
        self._sources = self._repository.sources()
        for source in self._sources:
            self._add(source)

    def _add(self, source: SourceRecord) -> None:
        from cmtui.bibliography.comparison import canonical, isbns

        record = self._repository.bibliography(source.source_id)
        item = record.item if record is not None else {}
        self._items[source.source_id] = item
        if item.get("DOI"):
            self._by_doi[str(canonical("DOI", item["DOI"]))].append(source)
        for isbn in isbns(str(item.get("ISBN", ""))):
            self._by_isbn[isbn].append(source)
        for reference in (source.artifact.reference, *source.aliases):
            self._by_reference.setdefault(reference, source)
        self._by_name[source.name.casefold()].append(source)

    def attachment(self, path: str, folder: Path | None) -> tuple[Path | None, str | None]:
        """The file a path names on this computer, and the current document it is in the store, if any."""
        file = find_file(path, folder)
        if file is None:
            return None, None
        source = self._by_reference.get(file_reference(file))
        if source is not None and source.documents:
            return file, source.documents[-1]
        return file, self._document_of_bytes(file)

    def _document_of_bytes(self, file: Path) -> str | None:
        if file not in self._hashed:
            try:
                documents = self._repository.documents_of_bytes(sha256_bytes(file.read_bytes()))
            except OSError:
                documents = ()
            self._hashed[file] = documents[-1] if documents else None
        return self._hashed[file]

    def links(self, item: CslItem, attachments: Iterable[FoundAttachment]) -> list[tuple[SourceRecord, str]]:
        """The sources an entry certainly speaks of, each with the strongest basis."""
        from cmtui.bibliography.comparison import canonical

        found: dict[str, tuple[SourceRecord, str]] = {}
        doi = str(canonical("DOI", item.get("DOI")) or "")
        for source in self._by_doi.get(doi, ()) if doi else ():
            found.setdefault(source.source_id, (source, "doi"))
        for source in self._of_isbn(item):
            found.setdefault(source.source_id, (source, "isbn"))
        for one in attachments:
            if one.file is not None and one.document_id is not None:
                source = self._repository.source_of(one.document_id)
                by_path = self._by_reference.get(file_reference(Path(one.file)))
                basis = "path" if by_path is not None else "bytes"
                found.setdefault(source.source_id, (source, basis))
        return list(found.values())

    def _of_isbn(self, item: CslItem) -> Iterable[SourceRecord]:
        """Sources with the ISBN that are not another part of the same book."""
        from cmtui.bibliography.comparison import PARTS, folded, isbns

        for isbn in isbns(str(item.get("ISBN", ""))):
            for source in self._by_isbn.get(isbn, ()):
                other = self._items[source.source_id]
                part = item.get("type") in PARTS or other.get("type") in PARTS
                if not part or folded(item.get("title", "")) == folded(other.get("title", "")):
                    yield source

    def candidates(self, item: CslItem, entry: ImportedEntry) -> list[tuple[SourceRecord, str]]:
        """Sources that may be meant: of the same file name, or with the DOI printed in them."""
        from cmtui.bibliography.comparison import canonical

        found: dict[str, tuple[SourceRecord, str]] = {}
        for one in entry.attachments:
            for source in self._by_name.get(file_name(one.path).casefold(), ()):
                found.setdefault(source.source_id, (source, "file-name"))
        doi = str(canonical("DOI", item.get("DOI")) or "")
        for source in self._printed().get(doi, ()) if doi else ():
            found.setdefault(source.source_id, (source, "file-doi"))
        return list(found.values())

    def _printed(self) -> dict[str, list[SourceRecord]]:
        """Sources without metadata by the DOIs that their files state of themselves."""
        from cmtui.bibliography.comparison import canonical

        if self._by_printed_doi is None:
            self._by_printed_doi = defaultdict(list)
            for source in self._sources:
                if self._items[source.source_id] or not source.documents:
                    continue
                for candidate in self._repository.document(source.documents[-1]).candidates:
                    if candidate.field.lower() == "doi":
                        self._by_printed_doi[str(canonical("DOI", candidate.value))].append(source)
        return self._by_printed_doi

    def proposal(self, source: SourceRecord, basis: str, item: CslItem) -> LinkedSource:
        """The fields of an entry beside those of a source, with a warning when they seem two works."""
        current = self._items[source.source_id]
        fields = field_proposals(current, item)
        return LinkedSource(
            source.source_id,
            source.documents[-1] if source.documents else "",
            source.name,
            basis,
            fields,
            tuple(_disagreements(current, item)),
        )


def _disagreements(current: CslItem, item: CslItem) -> Iterable[str]:
    from cmtui.bibliography.comparison import first_author, folded

    one, other = folded(current.get("title", "")), folded(item.get("title", ""))
    if one and other and not (one.startswith(other) or other.startswith(one)):
        yield f"the titles differ: '{current['title']}' here, '{item['title']}' in the file"
    here, there = first_author(current)[0], first_author(item)[0]
    if here and there and here != there:
        yield f"the first authors differ: '{here}' here, '{there}' in the file"

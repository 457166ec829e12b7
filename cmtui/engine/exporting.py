"""Export of bibliography files, and duplicates among the stored records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cmtui.engine.core import MachineCore
from cmtui.engine.review import ReviewSession
from cmtui.errors import MetadataMissing, NotFound
from cmtui.model.bibliography import CslItem
from cmtui.model.importing import Duplicate, ExportedBibliography
from cmtui.model.review import Decision
from cmtui.model.source import SourceRecord


class ExportOperations(MachineCore):
    """Bibliography files of the stored metadata."""

    def export_items(
        self, keys: Sequence[str] | None = None, *, reviewer: str | None = None
    ) -> tuple[CslItem, ...]:
        """The items of the named sources, of what a reviewer accepted, or of all sources, each with an id.

        Order: as named, else by source name. Sources without metadata are left out unless they were named.
        Raises NotFound, MetadataMissing.
        """
        sources: Iterable[SourceRecord]
        if keys:
            sources = [self.desk.source_of(key) for key in keys]
        elif reviewer is not None:
            accepted = self.accepted_sources(reviewer)
            sources = [source for source in self.repository.sources() if source.source_id in accepted]
        else:
            sources = self.repository.sources()
        items: list[CslItem] = []
        for source in {source.source_id: source for source in sources}.values():
            record = self.desk.record(source.source_id)
            if record is not None:
                items.append(
                    record.item if record.item.get("id") else {"id": source.source_id[:12], **record.item}
                )
            elif keys:
                raise MetadataMissing(
                    f"'{source.name}' has no bibliographic metadata; nothing is guessed from its name.",
                    f"Set it: citation-machine bibliography set {source.source_id[:12]} --from FILE",
                )
        from cmtui.bibliography.export import distinct_ids

        return tuple(distinct_ids(items))

    def export_bibliography(
        self,
        keys: Sequence[str] | None = None,
        *,
        file_format: str = "csl-json",
        reviewer: str | None = None,
    ) -> ExportedBibliography:
        """A file of ``export_items`` in csl-json, bibtex, biblatex or ris: the same bytes for the same store.

        ``warnings`` name each field that the format cannot carry. Raises as ``export_items``.
        """
        from cmtui.bibliography.export import write_bibliography

        return write_bibliography(self.export_items(keys, reviewer=reviewer), file_format)

    def accepted_sources(self, reviewer: str) -> frozenset[str]:
        """Ids of the sources of all evidence that a reviewer accepted, without those removed since."""
        found = set()
        for key, state in ReviewSession(self.repository, reviewer).state().findings.items():
            if state.decision is Decision.ACCEPTED:
                try:
                    entry = self.repository.evidence(key.rpartition("/")[2])
                    found.add(self.repository.source_of(entry.document_id).source_id)
                except NotFound:
                    continue
        return frozenset(found)

    def duplicates(self) -> tuple[Duplicate, ...]:
        """Sources whose records seem to be of one work, by source id, in the order of source names.

        By DOI, ISBN, or title with first author and year; never merged.
        """
        from cmtui.bibliography.duplicates import find_duplicates

        records = [
            (source.source_id, record.item)
            for source in self.repository.sources()
            if (record := self.desk.record(source.source_id)) is not None
        ]
        return find_duplicates(records)

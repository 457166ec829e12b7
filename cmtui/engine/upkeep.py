"""Operations that keep a store in order: removal, files that moved, tags, the doctor, backups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.engine.core import MachineCore
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.removal import Tombstone
from cmtui.model.source import SourceRecord

if TYPE_CHECKING:
    from cmtui.engine.backup import BackupReport
    from cmtui.engine.housekeeping import Original, SourceFileState
    from cmtui.engine.removal import RemovalPlan
    from cmtui.model.health import DoctorReport
    from cmtui.ports import LexicalIndex


class UpkeepOperations(MachineCore):
    """Housekeeping. Nothing here runs unasked."""

    def plan_removal(self, document_id: str) -> RemovalPlan:
        """What removing a document would take away, accepted evidence first. Changes nothing.

        Raises NotFound, AmbiguousId, LogDamaged.
        """
        from cmtui.engine.removal import plan_removal

        return plan_removal(self.repository, document_id)

    def remove(self, document_id: str, *, reason: str) -> Tombstone:
        """Remove a document; its evidence log and every decision on it stay.

        Raises NotFound, AmbiguousId, LogDamaged, StoreError.
        """
        from cmtui.engine.removal import remove

        return remove(self.repository, document_id, reason=reason, index=self._index())

    def removed(self) -> tuple[Tombstone, ...]:
        """What is known of the removed documents."""
        return self.repository.tombstones()

    def sources(self) -> tuple[SourceRecord, ...]:
        """All sources, sorted by name, then id."""
        return self.repository.sources()

    def relink(self, source_id: str, path: str | Path) -> SourceRecord:
        """Say where the file of a source is now. Raises NotFound, SourceMissing, InvalidRequest."""
        from cmtui.engine.housekeeping import relink

        return relink(self.repository, self.desk.source_of(source_id).source_id, Path(path).expanduser())

    def file_states(
        self,
        *,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> tuple[SourceFileState, ...]:
        """Which files of sources are the same, changed or missing. Raises Cancelled."""
        from cmtui.engine.housekeeping import file_states

        return file_states(self.repository, progress=progress, cancelled=cancelled)

    def change_tags(
        self, source_id: str, *, add: Sequence[str] = (), drop: Sequence[str] = ()
    ) -> SourceRecord:
        """Add and drop tags of a source. Raises NotFound, InvalidRequest."""
        from cmtui.engine.housekeeping import change_tags

        source = self.desk.source_of(source_id)
        return change_tags(self.repository, source.source_id, add=add, drop=drop)

    def set_page_offset(self, source_id: str, offset: int | None) -> SourceRecord:
        """Printed page = physical page + offset, for every citation of the source; None takes it back."""
        source = self.desk.source_of(source_id)
        return self.repository.update_source(
            source.source_id, page_offset=offset, clear_page_offset=offset is None
        )

    def original(self, document_id: str, page: int | None = None) -> Original:
        """The original of a document as a file. Raises NotFound, BlobDamaged, InvalidRequest."""
        from cmtui.engine.housekeeping import original

        return original(self.repository, document_id, page)

    def doctor(
        self,
        *,
        repair: bool = False,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> DoctorReport:
        """The health of every layer and file. Raises Cancelled, StoreError."""
        from cmtui.engine.doctor import doctor

        return doctor(
            self.repository, index=self._index(), repair=repair, progress=progress, cancelled=cancelled
        )

    def backup(
        self,
        path: str | Path,
        *,
        replace: bool = False,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> BackupReport:
        """The whole store as one archive, point in time. Raises StoreError, InvalidRequest, Cancelled."""
        from cmtui.engine.backup import backup

        return backup(self.repository, Path(path), replace=replace, progress=progress, cancelled=cancelled)

    def _index(self) -> LexicalIndex | None:
        """The lexical index when there is one; a store that was never searched has none to look after."""
        from cmtui.retrieval.lexical_search import LEXICAL_FOLDER

        derived = self.repository.derived
        if self._search_port is None and (derived is None or not (derived / LEXICAL_FOLDER).exists()):
            return None
        index: LexicalIndex | None = getattr(self.search_port, "index", None)
        return index

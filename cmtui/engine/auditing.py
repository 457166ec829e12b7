"""Operations on the trail: what happened, whether the logs and layers hold, and how two versions differ."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.engine.core import MachineCore
from cmtui.errors import Cancelled, CmtuiError, InvalidRequest, LogDamaged, NotFound, StoreReadOnly
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback, never_cancelled, no_progress
from cmtui.model.review import fold

if TYPE_CHECKING:
    from datetime import datetime

    from cmtui.model.audit import AuditEvent, AuditTrail, IdentityReport, StoreCheck

#: Lines of unchanged text around each change in a comparison.
CONTEXT = 1


class AuditOperations(MachineCore):
    """The trail of the store. Reading it changes nothing."""

    def audit_trail(
        self, where: str = "", *, now: datetime | None = None, reviewer: str | None = None
    ) -> AuditTrail:
        """Every recorded event that passes the filter (``event:finding.* actor:any since:today`` and words).

        Newest first; of one second, the later in its log first. A log whose chain is broken gives no events
        and says so in ``chains``. For a ``reviewer`` who reviews blind, what others recorded is left out.
        Raises InvalidRequest for a filter that cannot be read.
        """
        from cmtui.engine.audit_filter import AuditFilter
        from cmtui.engine.trail import Trail
        from cmtui.model.audit import ENGINE, AuditTrail

        chosen = AuditFilter.parse(where, now=now)
        desk = Trail(self.repository)
        events = [event for event in desk.events() if chosen.keeps(event)]
        if reviewer is not None and self._blind(reviewer):
            events = [event for event in events if event.actor in (ENGINE, reviewer)]
        events.sort(key=lambda event: event.time or "")
        return AuditTrail(tuple(reversed(events)), tuple(desk.chains))

    def _blind(self, reviewer: str) -> bool:
        """Whether a reviewer reviews blind. A broken log cannot say it was lifted, so it counts as blind."""
        try:
            return fold(self.repository.events(reviewer)).blind
        except LogDamaged:
            return True

    def identity_report(self, subject: str) -> IdentityReport:
        """The layers of an evidence id (four) or a document id (three), recomputed now.

        Raises NotFound, AmbiguousId. Damage is no exception: the layer says what is wrong.
        """
        from cmtui.engine.trail import document_report, evidence_report

        try:
            entry = self.repository.evidence(subject)
        except NotFound:
            return document_report(self.repository, self.repository.summary(subject).document_id)
        return evidence_report(self.repository, entry)

    def verify_store(
        self,
        *,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> StoreCheck:
        """Every document's bytes and canonical text, then every recorded evidence, each recomputed.

        Cancelling gives what was verified so far, marked as such.
        """
        from cmtui.engine.trail import document_report
        from cmtui.model.audit import StoreCheck
        from cmtui.model.health import Health
        from cmtui.verification.layers import check_entry

        repository = self.repository
        problems: list[str] = []
        rows = repository.summaries()
        documents = evidence = 0
        for number, row in enumerate(rows):
            if cancelled():
                return StoreCheck(documents, evidence, tuple(problems), cancelled=True)
            progress(Progress("verify", row.name, number, len(rows)))
            report = document_report(repository, row.document_id)
            documents += 1
            problems += [
                f"{row.name}: {layer.check.layer}: {layer.check.reason}"
                for layer in report.layers
                if not layer.check.ok
            ]
            for entry in repository.evidence_entries(row.document_id):
                check = check_entry(repository, entry)
                evidence += 1
                if not check.layers[-1].ok:
                    problems.append(f"{row.name}: {entry.evidence_id[:12]}…: {check.layers[-1].reason}")
        progress(Progress("verify", "", len(rows), len(rows)))
        if repository.root is not None:
            from cmtui.engine.doctor import examine

            try:
                found = examine(repository.root, cancelled=cancelled)
            except Cancelled:
                return StoreCheck(documents, evidence, tuple(problems), cancelled=True)
            harmless = (Health.OK, Health.STALE, Health.UNREFERENCED)
            problems += [
                f"{check.path}: {check.sentence}" for check in found.problems if check.status not in harmless
            ]
        return StoreCheck(documents, evidence, tuple(dict.fromkeys(problems)))

    def rebuild_sidecars(self) -> tuple[str, ...]:
        """Make every damaged identity sidecar again from its snapshot, on request only (R20, R21).

        The damaged file is kept aside as ``<name>.damaged``. Returns the document ids. Raises SnapshotDamaged
        (then the damaged file is back in its place), StoreReadOnly, InvalidRequest for a store in memory.
        """
        from cmtui.model.health import Health

        root = self.repository.root
        if root is None:
            raise InvalidRequest("Only a store directory has sidecars.", "Open one.")
        reason: str | None = getattr(self.repository, "read_only", None)
        if reason:
            raise StoreReadOnly(reason, "Open the store where it can be written.")
        from cmtui.engine.doctor import examine

        done = []
        for check in examine(root).problems:
            if check.layer == "identity" and check.status in (Health.DAMAGED, Health.EMPTY):
                path = root / check.path
                aside = path.with_name(f"{path.name}.damaged")
                path.replace(aside)
                try:
                    self.repository.document(path.stem)
                except CmtuiError:
                    aside.replace(path)
                    raise
                done.append(path.stem)
        return tuple(done)

    def export_trail(self, path: str | Path, events: Iterable[AuditEvent], *, replace: bool = False) -> int:
        """Write events as JSONL, oldest first, one object a line with sorted keys; how many.

        Raises InvalidRequest when the file is there already, or cannot be written.
        """
        import json

        from cmtui.engine.trail import as_row

        target = Path(path).expanduser()
        if target.exists() and not replace:
            raise InvalidRequest(f"'{target}' is there already.", "Choose another name.")
        rows = [*events][::-1]
        text = "".join(f"{json.dumps(as_row(event), ensure_ascii=False, sort_keys=True)}\n" for event in rows)
        try:
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InvalidRequest(
                f"'{target}' cannot be written: {error.strerror}.", "Choose another."
            ) from error
        return len(rows)

    def compare_versions(self, source_id: str, old: str | None = None, new: str | None = None) -> list[str]:
        """How the canonical texts of two documents of a source differ: a unified diff, line by line.

        By default the current document and the one before it. Raises NotFound; InvalidRequest when the
        source has one document alone.
        """
        import difflib

        source = self.desk.source_of(source_id)
        documents = source.documents
        if len(documents) < 2 and (old is None or new is None):
            raise InvalidRequest(
                f"There is one version of {source.name}.",
                "A changed file that is added again becomes another.",
            )
        first = self.repository.document(old or documents[-2])
        second = self.repository.document(new or documents[-1])
        before, after = (f"{source.name}  {document.document_id[:12]}…" for document in (first, second))
        lines = difflib.unified_diff(
            first.text.splitlines(), second.text.splitlines(), before, after, n=CONTEXT, lineterm=""
        )
        return [*lines]

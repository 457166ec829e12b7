"""Operations on the trail: what happened, whether the logs and layers hold, and how two versions differ."""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from cmtui.engine.audit_filter import AuditFilter
from cmtui.engine.core import MachineCore
from cmtui.errors import Cancelled, CmtuiError, InvalidRequest, LogDamaged, NotFound, StoreReadOnly
from cmtui.model.audit import (
    ENGINE,
    AuditEvent,
    AuditTrail,
    IdentityLayer,
    IdentityReport,
    LogChain,
    StoreCheck,
)
from cmtui.model.claim import Claim, EvidenceEntry
from cmtui.model.health import Health
from cmtui.model.identity import sha256_bytes
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback, never_cancelled, no_progress
from cmtui.model.review import Json, ReviewEvent
from cmtui.model.source import DocumentSummary, SourceRecord
from cmtui.model.verification import Layer, LayerCheck
from cmtui.ports import KnowledgeRepository
from cmtui.verification.layers import check_entry

#: Lines of unchanged text around each change in a comparison.
CONTEXT = 1


class AuditOperations(MachineCore):
    """The trail of the store. Reading it changes nothing."""

    def audit_trail(self, where: str = "", *, now: datetime | None = None) -> AuditTrail:
        """Every recorded event that passes the filter (``event:finding.* actor:any since:today`` and words).

        Newest first; of one second, the later in its log first. A log whose chain is broken gives no events
        and says so in ``chains``. Raises InvalidRequest for a filter that cannot be read.
        """
        chosen = AuditFilter.parse(where, now=now)
        desk = _Trail(self.repository)
        events = [event for event in desk.events() if chosen.keeps(event)]
        events.sort(key=lambda event: event.time or "")
        return AuditTrail(tuple(reversed(events)), tuple(desk.chains))

    def identity_report(self, subject: str) -> IdentityReport:
        """The layers of an evidence id (four) or a document id (three), recomputed now.

        Raises NotFound, AmbiguousId. Damage is no exception: the layer says what is wrong.
        """
        try:
            entry = self.repository.evidence(subject)
        except NotFound:
            return _document_report(self.repository, self.repository.summary(subject).document_id)
        return _evidence_report(self.repository, entry)

    def verify_store(
        self,
        *,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> StoreCheck:
        """Every document's bytes and canonical text, then every recorded evidence, each recomputed.

        Cancelling gives what was verified so far, marked as such.
        """
        repository = self.repository
        problems: list[str] = []
        rows = repository.summaries()
        documents = evidence = 0
        for number, row in enumerate(rows):
            if cancelled():
                return StoreCheck(documents, evidence, tuple(problems), cancelled=True)
            progress(Progress("verify", row.name, number, len(rows)))
            report = _document_report(repository, row.document_id)
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


def as_row(event: AuditEvent) -> dict[str, Json]:
    """An event as one JSON object; the whole line of a reviewer's log stands under ``record``."""
    row: dict[str, Json] = {}
    for item in dataclasses.fields(event):
        value = getattr(event, item.name)
        row[item.name] = dict(value) if item.name == "record" else value
    return row


class _Trail:
    """Reads the records once, and names what they concern."""

    def __init__(self, repository: KnowledgeRepository) -> None:
        self.repository = repository
        self.documents = {row.document_id: row for row in repository.summaries()}
        self.sources = {source.source_id: source for source in repository.sources()}
        self.claims = {claim.claim_id: claim for claim in repository.claims(archived=True)}
        self.evidence = {entry.evidence_id: entry for entry in repository.evidence_entries()}
        self.chains: list[LogChain] = []

    def events(self) -> Iterator[AuditEvent]:
        """All of them, each log in its own order."""
        for row in self.documents.values():
            yield self._ingested(row)
        for claim in self.claims.values():
            yield from self._evaluated(claim)
        for tomb in self.repository.tombstones():
            name = tomb.reference.rsplit("/", 1)[-1]
            yield AuditEvent(
                tomb.removed_at,
                ENGINE,
                "source.removed",
                tomb.document_id,
                name,
                tomb.reason,
                source_id=tomb.source_id if tomb.source_id in self.sources else "",
            )
        yield from self._bibliographies()
        for reviewer in self.repository.reviewers():
            try:
                log = self.repository.events(reviewer)
            except LogDamaged as error:
                self.chains.append(LogChain(reviewer, 0, error.message))
                continue
            self.chains.append(LogChain(reviewer, len(log)))
            yield from self._reviewed(log)

    def _ingested(self, row: DocumentSummary) -> AuditEvent:
        parts = [f"{row.passages:,} passages", f"{row.characters:,} characters", row.profile]
        return AuditEvent(
            row.ingested_at,
            ENGINE,
            "source.ingested",
            row.document_id,
            row.name,
            ", ".join(parts if row.current else [*parts, "superseded"]),
            document_id=row.document_id,
            source_id=row.source_id,
        )

    def _evaluated(self, claim: Claim) -> Iterator[AuditEvent]:
        for run in claim.runs:
            errors = sum(1 for finding in run.findings if finding.error)
            detail = f"{len(run.findings)} findings, {errors} errors, {run.backend}"
            yield AuditEvent(
                run.evaluated_at,
                ENGINE,
                "claim.evaluated",
                claim.claim_id,
                claim.text,
                detail,
                claim_id=claim.claim_id,
            )

    def _bibliographies(self) -> Iterator[AuditEvent]:
        for source in self.sources.values():
            try:
                record = self.repository.bibliography(source.source_id)
            except CmtuiError as error:
                yield self._of_source(source, None, "bibliography.damaged", str(error))
                continue
            if record is not None and record.updated_at:
                count = len(record.history)
                detail = "first item" if not count else f"{count} earlier"
                yield self._of_source(source, record.updated_at, "bibliography.updated", detail)
            if record is not None and record.notices_checked_at:
                detail = f"{len(record.notices)} editorial notices"
                yield self._of_source(source, record.notices_checked_at, "bibliography.looked_up", detail)

    def _of_source(self, source: SourceRecord, time: str | None, event: str, detail: str) -> AuditEvent:
        current = source.documents[-1] if source.documents else ""
        return AuditEvent(
            time,
            ENGINE,
            event,
            source.source_id,
            source.name,
            detail,
            document_id=current if current in self.documents else "",
            source_id=source.source_id,
        )

    def _reviewed(self, log: tuple[ReviewEvent, ...]) -> Iterator[AuditEvent]:
        groups: dict[str, str] = {}
        for event in log:
            groups.setdefault(event.group, event.type)
            record: dict[str, Json] = dataclasses.asdict(event)
            record["type"] = str(event.type)
            detail = self._detail(event, groups)
            claim_id, slash, evidence_id = event.object.partition("/")
            if slash:
                entry = self.evidence.get(evidence_id)
                document_id = entry.document_id if entry is not None else ""
                row = self.documents.get(document_id)
                yield AuditEvent(
                    event.time,
                    event.actor,
                    str(event.type),
                    evidence_id,
                    row.name if row is not None else "a removed source",
                    detail,
                    document_id=row.document_id if row is not None else "",
                    source_id=row.source_id if row is not None else "",
                    evidence_id=evidence_id if entry is not None else "",
                    claim_id=claim_id if claim_id in self.claims else "",
                    record=record,
                )
            elif event.object in self.sources:
                made = self._of_source(self.sources[event.object], event.time, str(event.type), detail)
                yield dataclasses.replace(made, actor=event.actor, record=record)
            else:
                yield AuditEvent(
                    event.time, event.actor, str(event.type), event.object, "", detail, record=record
                )

    def _detail(self, event: ReviewEvent, groups: dict[str, str]) -> str:
        payload = event.payload
        if event.undoes:
            return f"of {groups.get(event.undoes, 'an earlier event')}"
        parts = []
        claim = self.claims.get(event.object.partition("/")[0])
        if claim is not None:
            parts.append(f"claim: {claim.text}")
        for key in ("reasons", "tags"):
            value = payload.get(key)
            if isinstance(value, list) and value:
                parts.insert(0, f"{key}: {', '.join(str(item) for item in value)}")
        for key in ("note", "relation"):
            value = payload.get(key)
            if value and str(event.type) in ("finding.noted", "finding.relation"):
                parts.insert(0, f"{key}: {value}")
        item = payload.get("item")
        if isinstance(item, dict) and item.get("title"):
            parts.append(f"title: {item['title']}")
        return "  ".join(parts)


def _document_report(repository: KnowledgeRepository, document_id: str) -> IdentityReport:
    checks: list[IdentityLayer] = []

    def source() -> SourceRecord:
        return repository.source_of(document_id)

    def artifact() -> str:
        return _whereabouts(source())

    check = _checked(Layer.ARTIFACT, artifact)
    about = _or_blank(lambda: f"{(known := source()).artifact.kind} · {known.artifact.reference}")
    checks.append(IdentityLayer(check, _or_blank(lambda: source().source_id), about))

    def version() -> str:
        held = repository.document(document_id)
        data = repository.content_bytes(held.version.bytes_sha256)
        if sha256_bytes(data) != held.version.bytes_sha256:
            raise InvalidRequest("the stored bytes do not hash to their digest")
        return f"{len(data):,} bytes match"

    def content() -> str:
        held = repository.document(document_id)
        if held.content.content_id != document_id:
            raise InvalidRequest("the canonical content does not hash to its id")
        return f"{len(held.text):,} characters recomputed"

    bytes_check = _checked(Layer.VERSION, version)
    digest = _or_blank(lambda: repository.document(document_id).version.bytes_sha256)
    checks.append(IdentityLayer(bytes_check, digest, bytes_check.reason))
    content_check = _checked(Layer.CONTENT, content)
    about = _or_blank(
        lambda: f"{(d := repository.document(document_id)).profile.label} · {len(d.profile.steps)} steps"
    )
    checks.append(IdentityLayer(content_check, document_id, about))
    return IdentityReport(document_id, tuple(checks))


def _whereabouts(source: SourceRecord) -> str:
    """Whether the file is still at its reference; the store holds its bytes in any case."""
    reference = source.moved_to or source.artifact.reference
    if not reference.startswith("file://"):
        return "recorded"
    there = Path(unquote(urlsplit(reference).path)).exists()
    return "path exists" if there else "recorded; the file is not there now"


def _evidence_report(repository: KnowledgeRepository, entry: EvidenceEntry) -> IdentityReport:
    held = {layer.check.layer: layer for layer in _document_report(repository, entry.document_id).layers}
    layers = []
    for check in check_entry(repository, entry).layers:
        known = held.get(check.layer)
        if known is None:
            layers.append(IdentityLayer(check, entry.evidence_id, f"[{entry.start}, {entry.end})"))
        elif check.layer is Layer.ARTIFACT:
            layers.append(known)
        else:
            layers.append(IdentityLayer(check, known.digest, known.about))
    return IdentityReport(entry.evidence_id, tuple(layers), entry.exact, entry.span)


def _checked(layer: Layer, check: Callable[[], str]) -> LayerCheck:
    try:
        return LayerCheck(layer, ok=True, reason=check())
    except CmtuiError as error:
        return LayerCheck(layer, ok=False, reason=error.message)


def _or_blank(value: Callable[[], str]) -> str:
    try:
        return str(value())
    except CmtuiError:
        return ""

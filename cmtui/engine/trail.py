"""The trail of a store read from its records, the layers of an identity, and what two versions differ in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from cmtui.engine.trail_outside import captured, examined
from cmtui.errors import CmtuiError, InvalidRequest, LogDamaged, StoreError
from cmtui.model.audit import ENGINE, AuditEvent, IdentityLayer, IdentityReport, LogChain
from cmtui.model.claim import Claim, EvidenceEntry
from cmtui.model.identity import sha256_bytes
from cmtui.model.review import Json, ReviewEvent
from cmtui.model.source import DocumentSummary, SourceRecord
from cmtui.model.verification import Layer, LayerCheck
from cmtui.ports import KnowledgeRepository
from cmtui.verification.layers import check_entry


def as_row(event: AuditEvent) -> dict[str, Json]:
    """An event as one JSON object; the whole line of a reviewer's log stands under ``record``."""
    row: dict[str, Json] = {}
    for item in dataclasses.fields(event):
        value = getattr(event, item.name)
        row[item.name] = dict(value) if item.name == "record" else value
    return row


class Trail:
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
        for outside in (captured, examined):
            try:
                yield from outside(self.repository)
            except StoreError as error:
                kind = "receipt.damaged" if outside is captured else "audit.damaged"
                yield AuditEvent(None, ENGINE, kind, "", "", error.message)
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


def document_report(repository: KnowledgeRepository, document_id: str) -> IdentityReport:
    """The three layers of a document, each recomputed."""
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
            raise InvalidRequest("the stored bytes do not hash to their digest", "restore a backup")
        return f"{len(data):,} bytes match"

    def content() -> str:
        held = repository.document(document_id)
        if held.content.content_id != document_id:
            raise InvalidRequest("the canonical content does not hash to its id", "restore a backup")
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


def evidence_report(repository: KnowledgeRepository, entry: EvidenceEntry) -> IdentityReport:
    """The four layers of recorded evidence, each recomputed."""
    held = {layer.check.layer: layer for layer in document_report(repository, entry.document_id).layers}
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

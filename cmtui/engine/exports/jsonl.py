"""JSONL: the whole review of one reviewer, lossless, one JSON object a line.

Lines in this order, each naming its ``type``: the ``review`` (header), every ``document`` that evidence
stands in, every ``claim`` with its runs, every ``evidence`` entry, every ``event`` of the log exactly as it
is chained, and for other programs every ``finding`` as the events leave it (not read on import).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from cmtui.errors import CmtuiError
from cmtui.model.claim import EvidenceEntry
from cmtui.model.review import EventType, ReviewEvent
from cmtui.model.source import CanonicalDocument, SourceRecord

if TYPE_CHECKING:
    from cmtui.engine.review import ReviewSession
    from cmtui.ports import KnowledgeRepository

HEADER = "cmtui/review/1"


def lines(session: ReviewSession) -> Iterator[dict[str, Any]]:
    """The objects of the file, in order."""
    repository, reviewer = session.repository, session.reviewer
    events = repository.events(reviewer)
    claims = repository.claims(archived=True)
    entries = _evidence(repository, events)
    documents = sorted({entry.document_id for entry in entries})
    yield {
        "type": "review",
        "format": HEADER,
        "reviewer": reviewer,
        "documents": len(documents),
        "claims": len(claims),
        "evidence": len(entries),
        "events": len(events),
        "last_event": events[-1].event_id if events else None,
    }
    for document_id in documents:
        yield document_line(repository, document_id)
    for claim in claims:
        yield {"type": "claim", **asdict(claim)}
    for entry in entries:
        yield {"type": "evidence", **asdict(entry)}
    for fields in event_lines(events):
        yield {"type": "event", "event": fields}
    for row in session.rows():
        yield {"type": "finding", **row}


def write(session: ReviewSession) -> bytes:
    """The file, UTF-8; keys are sorted, so that equal reviews are equal bytes."""
    return b"".join(dumps(line) + b"\n" for line in lines(session))


def dumps(value: Mapping[str, Any]) -> bytes:
    """One object in one line: keys sorted, no blanks."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def document_line(repository: KnowledgeRepository, document_id: str) -> dict[str, Any]:
    """What binds a document id to bytes and text; of a removed document only the id is known."""
    try:
        document: CanonicalDocument | None = repository.document(document_id)
        source: SourceRecord | None = repository.source_of(document_id)
    except CmtuiError:
        document, source = None, None
    if document is None or source is None:
        return {"type": "document", "document_id": document_id, "here": False}
    profile = document.profile
    return {
        "type": "document",
        "document_id": document_id,
        "here": True,
        "name": source.name,
        "source_id": source.source_id,
        "reference": source.artifact.reference,
        "source_kind": source.artifact.kind.value,
        "kind": document.version.kind.value,
        "bytes_sha256": document.version.bytes_sha256,
        "size": document.version.size,
        "version_id": document.version.version_id,
        "profile": {"name": profile.name, "version": profile.version},
        "steps": [step.name for step in profile.steps],
        "extractor": {"name": profile.extractor.name, "version": profile.extractor.version},
        "text_sha256": document.text_sha256,
        "characters": len(document.text),
    }


def event_lines(events: tuple[ReviewEvent, ...]) -> Iterator[dict[str, Any]]:
    """The events with their place in their group, as the log writes them."""
    sizes: dict[str, int] = {}
    for event in events:
        sizes[event.group] = sizes.get(event.group, 0) + 1
    seen: dict[str, int] = {}
    for event in events:
        index = seen.get(event.group, 0)
        seen[event.group] = index + 1
        fields = asdict(event)
        yield {**fields, "type": event.type.value, "index": index, "of": sizes[event.group]}


def _evidence(repository: KnowledgeRepository, events: tuple[ReviewEvent, ...]) -> list[EvidenceEntry]:
    """The evidence that the log or a run speaks of, sorted by place."""
    wanted: set[str] = set()
    for event in events:
        if event.type is not EventType.BIBLIOGRAPHY_SET and event.object:
            wanted.add(event.object.rpartition("/")[2])
        for name in ("adjusts", "reanchors"):
            if event.payload.get(name):
                wanted.add(str(event.payload[name]))
    for claim in repository.claims(archived=True):
        for run in claim.runs:
            wanted |= {finding.evidence_id for finding in run.findings if finding.evidence_id}
    known = {entry.evidence_id: entry for entry in repository.evidence_entries()}
    found = [known[evidence_id] for evidence_id in wanted if evidence_id in known]
    return sorted(found, key=lambda entry: (entry.document_id, entry.start, entry.end))

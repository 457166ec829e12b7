"""What the server answers, as JSON objects with the keys of the command line's verbs."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from enum import Enum
from typing import Any

from cmtui.engine import LocalCitationMachine
from cmtui.errors import CmtuiError
from cmtui.model.source import CanonicalDocument, DocumentSummary

JsonObject = dict[str, Any]


def plain(value: Any) -> Any:
    """A frozen value of the model as plain JSON values; enumerations by their value."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


def document_row(row: DocumentSummary, title: str | None) -> JsonObject:
    """One document. ``title`` is from the explicit bibliography alone (R102)."""
    return {
        "document_id": row.document_id,
        "source_id": row.source_id,
        "source_version": row.source_version,
        "kind": str(row.kind),
        "title": title,
        "characters": row.characters,
        "pages": row.pages,
        "passages": row.passages,
        "warnings": plain(row.warnings),
        "name": row.name,
        "language": row.language,
        "current": row.current,
    }


def document_object(document: CanonicalDocument, row: DocumentSummary, title: str | None) -> JsonObject:
    """One document with its canonical text, its profile and its sections."""
    profile = document.profile
    return document_row(row, title) | {
        "text": document.text,
        "profile": {
            "name": profile.name,
            "version": profile.version,
            "steps": [step.name for step in profile.steps],
            "extractor": plain(profile.extractor),
        },
        "sections": plain(document.tables.sections),
    }


def evidence_object(machine: LocalCitationMachine, evidence_id: str) -> JsonObject:
    """One piece of evidence, its four layers recomputed now; ``text`` is read back, or null when it fails.

    Raises NotFound, AmbiguousId.
    """
    entry = machine.recorded(evidence_id)
    (check,) = machine.verify([entry.evidence_id])
    body: JsonObject = {
        "evidence_id": entry.evidence_id,
        "document_id": entry.document_id,
        "span": {"start": entry.start, "end": entry.end},
        "text": None,
        "verified": check.ok,
        "layers": {
            layer.layer.value: plain({"ok": layer.ok, "reason": layer.reason}) for layer in check.layers
        },
        "locators": None,
    }
    if check.ok:
        identity = machine.identity(entry.evidence_id)
        body["text"] = machine.reconstruct(identity)
        body["locators"] = plain(identity.locators)
    return body


def error_object(error: CmtuiError) -> JsonObject:
    """An expected failure, as the command line prints it."""
    return {"error": {"type": type(error).__name__, "message": error.sentence, "hint": error.advice}}

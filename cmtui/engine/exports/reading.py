"""Reads a JSONL export (or the one inside a bundle) and checks that it is what was exported.

The file comes from somebody else: every line is decoded strictly, every id is recomputed, and the log must
chain. What does not raises InvalidRequest with the line; nothing is taken from such a file.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from cmtui.engine.exports.jsonl import HEADER
from cmtui.errors import CmtuiError, InvalidRequest, LogDamaged
from cmtui.model.claim import Claim, EvidenceEntry
from cmtui.model.identity import canonical_json, sha256_text, span_id
from cmtui.model.review import ReviewEvent

_T = TypeVar("_T")

#: Bytes that a review may have: far above what a person can decide, far below what memory holds.
MOST_BYTES = 512 * 1024 * 1024

_AGAIN = "Export it again: citation-machine review export --format jsonl"


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """What the file holds. ``names`` are the sources' names by document id, for messages."""

    reviewer: str
    events: tuple[ReviewEvent, ...]
    claims: tuple[Claim, ...]
    evidence: Mapping[str, EvidenceEntry] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


def read(content: bytes) -> ReviewFile:
    """The review in ``content``, JSONL or a bundle. Raises InvalidRequest."""
    lines = _lines(_jsonl(content))
    if not lines or lines[0].get("type") != "review" or lines[0].get("format") != HEADER:
        raise InvalidRequest(
            "This is no exported review.", "Give a file of 'review export --format jsonl', or a bundle."
        )
    header = lines[0]
    try:
        reviewer = str(header["reviewer"])
        events = _events([line["event"] for line in lines if line.get("type") == "event"], reviewer)
        claims = tuple(_claim(line) for line in lines if line.get("type") == "claim")
        entries = [_entry(line) for line in lines if line.get("type") == "evidence"]
        names = {
            str(line["document_id"]): str(line.get("name") or "?")
            for line in lines
            if line.get("type") == "document"
        }
        last = events[-1].event_id if events else None
        if len(events) != header["events"] or last != header["last_event"]:
            raise InvalidRequest("The file is cut short: its log does not end as its head says.", _AGAIN)
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidRequest(f"This is no whole review: {error} is missing or wrong.", _AGAIN) from error
    return ReviewFile(reviewer, events, claims, {e.evidence_id: e for e in entries}, names)


def _jsonl(content: bytes) -> bytes:
    if not content.startswith(b"PK\x03\x04"):
        return content
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            info = archive.getinfo("review.jsonl")
            if info.file_size > MOST_BYTES:
                raise InvalidRequest("The review in this bundle is too large.", _AGAIN)
            return archive.read(info)
    except (KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise InvalidRequest(
            f"This zip is no evidence bundle ({error}).", "Give a bundle of 'review export --format bundle'."
        ) from error


def _lines(content: bytes) -> list[dict[str, Any]]:
    found = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InvalidRequest(f"Line {number} is no JSON: {error}.", _AGAIN) from error
        if not isinstance(value, dict):
            raise InvalidRequest(f"Line {number} is no JSON object.", _AGAIN)
        found.append(value)
    return found


def _events(lines: list[dict[str, Any]], reviewer: str) -> tuple[ReviewEvent, ...]:
    from cmtui.store.events import follow

    try:
        links = follow(
            [canonical_json(line) for line in lines], reviewer=reviewer, after=None, name="event", number=1
        )
    except LogDamaged as error:
        raise InvalidRequest(
            f"The file was changed after it was exported: {error.message}.", _AGAIN
        ) from error
    if links and links[-1].index + 1 != links[-1].of:
        raise InvalidRequest("The file is cut short: its last action is not whole.", _AGAIN)
    return tuple(link.event for link in links)


def _claim(line: dict[str, Any]) -> Claim:
    return _convert({key: value for key, value in line.items() if key != "type"}, Claim)


def _entry(line: dict[str, Any]) -> EvidenceEntry:
    entry = _convert({key: value for key, value in line.items() if key != "type"}, EvidenceEntry)
    made = span_id(entry.document_id, entry.span, entry.text_sha256)
    if made != entry.evidence_id or sha256_text(entry.exact) != entry.text_sha256:
        raise InvalidRequest(
            f"The evidence {entry.evidence_id[:12]}… does not hash to its id: the file was changed.", _AGAIN
        )
    return entry


def _convert(value: dict[str, Any], kind: type[_T]) -> _T:
    import msgspec

    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, CmtuiError) as error:
        raise InvalidRequest(f"A {kind.__name__} in the file is not whole: {error}.", _AGAIN) from error

"""W3C Web Annotations (https://www.w3.org/TR/annotation-model/) as a JSON-LD annotation page.

One annotation per finding: the decision is its body for *assessing*, the relation for *classifying*, tags for
*tagging*, the note for *commenting*, the claim for *describing*, the citation for *identifying*. The target
has both selectors; positions count Unicode code points of the canonical text, whose id is the target's state.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from cmtui.engine.exports.rows import ExportRow
from cmtui.model.identity import identity_digest
from cmtui.model.review import Decision

CONTEXT = "http://www.w3.org/ns/anno.jsonld"

_FORMATS = {"pdf": "application/pdf", "epub": "application/epub+zip", "markdown": "text/markdown"}


def write(rows: Sequence[ExportRow], reviewer: str) -> bytes:
    """The page, indented, UTF-8."""
    items = [_annotation(row) for row in rows]
    page = {
        "@context": CONTEXT,
        "id": _urn("page", reviewer, *(item["id"] for item in items)),
        "type": "AnnotationPage",
        "partOf": {
            "id": _urn("collection", reviewer),
            "type": "AnnotationCollection",
            "label": f"Evidence reviewed by {reviewer}",
            "total": len(items),
        },
        "startIndex": 0,
        "items": items,
    }
    text = json.dumps(page, ensure_ascii=False, indent=2, sort_keys=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _annotation(row: ExportRow) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": _urn("annotation", row.reviewer, row.claim_id, row.evidence_id),
        "type": "Annotation",
        "motivation": [],
        "creator": {"type": "Person", "nickname": row.reviewer},
        "generator": {"type": "Software", "name": "Citation Machine"},
        "body": _bodies(row),
        "target": _target(row),
    }
    if row.decided_at:
        made["created"] = row.decided_at
    made["motivation"] = list(dict.fromkeys(body["purpose"] for body in made["body"]))
    return made


def _bodies(row: ExportRow) -> list[dict[str, Any]]:
    bodies = [_body("describing", row.claim)]
    if row.decision is not Decision.UNDECIDED:
        bodies.insert(0, _body("assessing", row.decision.value))
    bodies.append(_body("classifying", row.reviewer_relation or row.relation))
    bodies += [_body("tagging", tag) for tag in dict.fromkeys((*row.tags, *row.reasons))]
    if row.note:
        bodies.append(_body("commenting", row.note))
    if row.citation:
        bodies.append(_body("identifying", row.citation))
    return bodies


def _body(purpose: str, value: str) -> dict[str, Any]:
    return {"type": "TextualBody", "purpose": purpose, "value": value, "format": "text/plain"}


def _target(row: ExportRow) -> dict[str, Any]:
    source: str | dict[str, Any] = _iri(row)
    if row.kind in _FORMATS:
        source = {"id": source, "type": "Text", "format": _FORMATS[row.kind]}
    return {
        "type": "SpecificResource",
        "source": source,
        "selector": [
            {
                "type": "TextQuoteSelector",
                "exact": row.quote.exact,
                "prefix": row.quote.prefix,
                "suffix": row.quote.suffix,
            },
            {"type": "TextPositionSelector", "start": row.span.start, "end": row.span.end},
        ],
        "state": {"type": "TimeState", "cached": f"urn:cmtui:document:{row.document_id}"},
    }


def _iri(row: ExportRow) -> str:
    """The source's public address; without one a name that says nothing of this machine's paths."""
    if urlsplit(row.reference).scheme in ("http", "https"):
        return quote(row.reference, safe="%/:?#[]@!$&'()*+,;=-._~")
    return f"urn:cmtui:source:{row.source_id}" if row.source_id else f"urn:cmtui:document:{row.document_id}"


def _urn(kind: str, *parts: str) -> str:
    return f"urn:cmtui:{kind}:{identity_digest({'type': f'cmtui/{kind}/1', 'parts': list(parts)})}"

"""CSV (RFC 4180): one row per finding, the tags as columns of 0 and 1."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from cmtui.engine.exports.rows import ExportRow

#: What makes a spreadsheet take a cell for a formula (OWASP, "CSV Injection"), full-width forms included.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

COLUMNS = (
    "claim_id",
    "claim",
    "decision",
    "relation",
    "reviewer_relation",
    "confidence",
    "quote",
    "source",
    "citation",
    "page",
    "page_basis",
    "chapter",
    "section",
    "paragraph",
    "line",
    "reasons",
    "note",
    "reviewer",
    "decided_at",
    "evidence_id",
    "document_id",
    "start",
    "end",
    "backend",
    "removed",
)


def cell(text: str) -> str:
    """A text that no spreadsheet runs: an apostrophe stands before one that would begin a formula.

    This is the one change made to a text; the exact quote stands in the JSONL export.
    """
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) or text.startswith(_FORMULA) else text


def write(rows: Sequence[ExportRow]) -> bytes:
    """The table with its heading, UTF-8, lines ended by CR LF."""
    tags = sorted({tag for row in rows for tag in row.tags})
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([*COLUMNS, *(cell(f"tag:{tag}") for tag in tags)])
    for row in rows:
        place = row.place
        texts = {
            "claim_id": row.claim_id,
            "claim": row.claim,
            "decision": row.decision.value,
            "relation": row.relation,
            "reviewer_relation": row.reviewer_relation,
            "confidence": f"{row.confidence:.6g}",
            "quote": row.quote.exact,
            "source": row.source,
            "citation": row.citation,
            "page": place.page,
            "page_basis": place.page_basis,
            "chapter": place.chapter,
            "section": place.section,
            "paragraph": place.paragraph,
            "line": place.line,
            "reasons": "; ".join(row.reasons),
            "note": row.note,
            "reviewer": row.reviewer,
            "decided_at": row.decided_at,
            "evidence_id": row.evidence_id,
            "document_id": row.document_id,
            "start": str(row.span.start),
            "end": str(row.span.end),
            "backend": row.backend,
            "removed": "1" if row.removed else "0",
        }
        marks = ["1" if tag in row.tags else "0" for tag in tags]
        writer.writerow([*(cell(texts[name]) for name in COLUMNS), *marks])
    return out.getvalue().encode("utf-8", "surrogatepass")

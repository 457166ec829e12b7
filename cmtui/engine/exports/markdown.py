"""Markdown (CommonMark): claims, their quotes with citation and place, notes and tags."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from cmtui.engine.exports.rows import ExportRow
from cmtui.model.claim import CAVEAT, Relation
from cmtui.model.review import Decision

#: Signs that mean something inside a line, and those that do at its beginning.
_INLINE = re.compile(r"([\\`*_\[\]<>&~|$])")
_OPENING = re.compile(r"^(\s*)([#+\-=>:]|\d+(?=[.)]))")

_HEADINGS = {
    Relation.SUPPORTS: "Supports",
    Relation.CONTRADICTS: "Contradicts",
    Relation.RELATED: "Related",
    Relation.INSUFFICIENT: "Insufficient",
}


def escape(text: str) -> str:
    """Text that Markdown shows as it is: what would be markup is escaped, line by line.

    Blanks at the start of a line are written as character references, so that they make no code block.
    """
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    opening = _OPENING.match(line)
    body = _INLINE.sub(r"\\\1", line)
    if opening is not None and opening.group(2) not in _SELF:
        sign = opening.group(2)
        at = len(opening.group(1))
        body = (
            body[: at + len(sign)] + "\\" + body[at + len(sign) :]
            if sign.isdigit()
            else (body[:at] + "\\" + body[at:])
        )
    bare = body.lstrip(" \t")
    return "&#32;" * bool(len(body) - len(bare)) + bare


#: Opening signs that the inline rule has escaped already.
_SELF = frozenset({">"})


def block_quote(text: str) -> str:
    """A quote as a Markdown block quote, its lines as they are in the source."""
    return "\n".join(f"> {line}" if line else ">" for line in escape(text).split("\n"))


def write(rows: Sequence[ExportRow], reviewer: str) -> bytes:
    """The whole text. Only what was decided stands in it; the caller chooses the rows."""
    lines = [f"# Evidence reviewed by {escape(reviewer)}", "", f"*{CAVEAT}*", ""]
    for (_, claim), group in groupby(rows, key=lambda row: (row.claim_id, row.claim)):
        lines += [f"## {escape(claim)}", ""]
        for row in group:
            lines += [*_finding(row), ""]
    if not rows:
        lines += ["Nothing was decided.", ""]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _finding(row: ExportRow) -> list[str]:
    engine = _HEADINGS[Relation(row.relation)]
    said = f"{engine} ({row.confidence:.2f}, derived, fallible)"
    if row.reviewer_relation and row.reviewer_relation != row.relation:
        said = f"{_HEADINGS[Relation(row.reviewer_relation)]} (reviewer; the engine: {said})"
    lines = [f"**{row.decision.value}** · {said}", "", block_quote(row.quote.exact), ">"]
    where = escape(row.place.words)
    cited = row.markdown or escape(row.source)
    lines.append(f"> — {cited}" + (f" ({where})" if where else ""))
    details = []
    if row.note:
        details.append("Note: " + " ".join(escape(row.note).split("\n")))
    marks = [*row.tags, *(row.reasons if row.decision is Decision.REJECTED else ())]
    if marks:
        details.append("Tags: " + ", ".join(escape(mark) for mark in marks))
    details.append(f"Evidence: `{row.evidence_id}`")
    return [*lines, "", *(f"- {detail}" for detail in details)]

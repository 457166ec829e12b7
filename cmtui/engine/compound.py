"""Claims of several statements: evidence for the whole out of evidence for each (R97, R98).

Never across documents, and never as one quotation: the whole is supported by an evidence set, whose members
stand each in its own passage.
"""

from __future__ import annotations

from collections.abc import Sequence

from cmtui.engine.evidence import Judged, members_of
from cmtui.inference.reasons import REASONS
from cmtui.model.claim import Assessment, EvidenceSet, EvidenceSpanIdentity, Relation


def composed(members: Sequence[Sequence[Judged]], statements: Sequence[str]) -> list[Judged]:
    """One supporting row per document in which every statement is supported, best first.

    Its confidence is that of the weakest member, and its rank that of the first passage.
    """
    best: list[dict[str, Judged]] = []
    for judged in members:
        by_document: dict[str, Judged] = {}
        ranked = sorted(judged, key=lambda j: (-j.assessment.confidence, j.result.rank))
        for one in ranked:
            if one.assessment.relation is Relation.SUPPORTS and one.evidence is not None:
                by_document.setdefault(one.result.document_id, one)
        best.append(by_document)
    shared = [document for document in best[0] if all(document in part for part in best)] if best else []
    rows = [_row([part[document] for part in best], statements) for document in shared]
    return sorted(rows, key=lambda j: (-j.assessment.confidence, j.result.rank))


def _row(parts: Sequence[Judged], statements: Sequence[str]) -> Judged:
    spans: dict[str, EvidenceSpanIdentity] = {}
    for part in parts:
        assert part.evidence is not None
        spans.update((member.evidence_id, member) for member in members_of(part.evidence))
    ordered = tuple(sorted(spans.values(), key=lambda member: member.span))
    first = min(parts, key=lambda part: part.result.span)
    named = ", ".join(f"“{statement}”" for statement in statements)
    reason = "members-supported"
    assessment = Assessment(
        first.result.passage_id,
        Relation.SUPPORTS,
        min(part.assessment.confidence for part in parts),
        reason,
        f"{REASONS[reason][:1].upper()}{REASONS[reason][1:]}: {named}.",
    )
    return Judged(first.result, assessment, ordered[0] if len(ordered) == 1 else EvidenceSet(ordered))

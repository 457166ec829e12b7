"""A claim with a run of three findings, one per paragraph of one small source."""

from __future__ import annotations

from cmtui.model.claim import Claim, ClaimRun, Relation, RunFinding, claim_id
from cmtui.ports import KnowledgeRepository
from support.documents import make_document, make_evidence

TEXT = "The king wept.\n\nThe crew sang.\n\nThe nurse slept.\n"
CLAIM = claim_id("The king was sad")


def stored(repository: KnowledgeRepository, text: str = TEXT, name: str = "story.txt") -> tuple[str, ...]:
    """Store it all; the evidence ids in the order of the paragraphs."""
    document, content, artifact = make_document(text, name=name)
    repository.commit_document(document, content=content, artifact=artifact)
    entries = [make_evidence(document, p.start, p.end) for p in document.passages]
    repository.record_evidence(entries)
    repository.save_claim(Claim(CLAIM, "The king was sad"))
    relations = (Relation.SUPPORTS, Relation.RELATED, Relation.INSUFFICIENT)
    findings = tuple(
        RunFinding(
            relation,
            0.9,
            "because",
            "x",
            entry.document_id,
            f"{entry.document_id}#{index}",
            entry.start,
            entry.end,
            entry.exact,
            entry.evidence_id,
        )
        for index, (relation, entry) in enumerate(zip(relations, entries, strict=False))
    )
    repository.add_run(CLAIM, ClaimRun("rules/1", "hybrid", 50, (document.document_id,), findings))
    return tuple(entry.evidence_id for entry in entries)

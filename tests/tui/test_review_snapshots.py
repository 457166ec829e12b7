"""The review and its screens as text, in their states and sizes (tui.md 6.3).

The findings are fixed here, so that a better inference does not change what is drawn.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.model.claim import Claim, ClaimRun, Relation, RunFinding, claim_id
from support.album import Noon
from support.documents import make_document, make_evidence
from tui.harness import press, settle
from tui.test_snapshots import Album, album

STORY = (
    "The boats had been gone since the spring, and nobody spoke of them.",
    "At dusk the old king wept beside the harbour, and would not be led indoors.",
    "“He was always sad,” said the nurse, “but he was never sad before the ships.”",
    "The clerk writes that the king was not sad. He signed four hundred receipts.",
    "Brannoch brought a blanket. The ferrymen took off their hats.",
    "In November a mast came ashore at the old slipway.",
)
CLAIMS = ("The king was sad", "The crew drowned", "The harbour was empty")
BOOK = {
    "id": "writer2024",
    "type": "book",
    "title": "The Voyage",
    "author": [{"family": "Writer", "given": "Jane"}],
    "issued": {"date-parts": [[2024]]},
    "publisher": "Example Press",
}


def fill(path: Path) -> None:
    """A source, three claims with fixed findings, and what two reviewers said of the first."""
    machine = LocalCitationMachine.open(path, clock=Noon())
    document, content, artifact = make_document("\n\n".join(STORY) + "\n", name="voyage.txt")
    repository = machine.repository
    repository.commit_document(document, content=content, artifact=artifact)
    machine.set_bibliography(artifact.artifact_id, BOOK)
    entries = [make_evidence(document, passage.start, passage.end) for passage in document.passages]
    repository.record_evidence(entries)
    relations = (
        (Relation.SUPPORTS, 0.97, "Of “the old king” the sentence says “wept”, which entails “sad”."),
        (Relation.CONTRADICTS, 0.91, "“sad” is denied in one and asserted in the other."),
        (Relation.RELATED, 0.55, "The sentence speaks of the king, and not of his mood."),
        (Relation.INSUFFICIENT, 0.31, "Nothing of the claim is said."),
    )
    findings = [
        RunFinding(relation, confidence, "fixed", why, entry.document_id, f"{entry.document_id}#{index}",
                   entry.start, entry.end, entry.exact, entry.evidence_id)
        for (relation, confidence, why), entry, index in zip(
            relations, (entries[1], entries[3], entries[2], entries[4]), (1, 3, 2, 4), strict=True
        )
    ]  # fmt: skip
    refused = dataclasses.replace(findings[2], evidence_id=None, error="the quote is not in the passage")
    for number, text in enumerate(CLAIMS, 1):
        repository.save_claim(Claim(claim_id(text), text, None, number))
        if number < 3:
            rows = (*findings, refused) if number == 1 else findings[:2]
            repository.add_run(
                claim_id(text), ClaimRun("cmtui-rules/1", "hybrid", 50, (document.document_id,), tuple(rows))
            )
    claim = claim_id(CLAIMS[0])
    ada, ben = machine.review("ada"), machine.review("ben")
    ada.accept(claim, entries[1].evidence_id, note="good primary, pair with p 41")
    ada.tag(claim, entries[1].evidence_id, ["grief", "primary"])
    ada.accept(claim, entries[3].evidence_id)
    ben.reject(claim, entries[1].evidence_id, reasons=["figurative"], note="weeping is no mood")
    ben.accept(claim, entries[3].evidence_id)
    machine.close()


async def _review(taken: Album) -> None:
    taken.masks.clear()
    await taken.app.switch_mode("review")
    await settle(taken.pilot)


async def test_the_review_and_what_it_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "thesis")
    async with album(tmp_path / "thesis", tmp_path, monkeypatch, "normal") as taken:
        await _review(taken)
        pilot = taken.pilot
        await taken.take("findings")
        await press(pilot, "j", "v", "j", "j")
        await taken.take("findings-range")
        await press(pilot, "escape", "home", "y")
        await taken.take("findings-copy")
        await press(pilot, "escape", "equals_sign")
        await taken.take("findings-sum")
        await press(pilot, "escape", "s", "tab", "right", "right")
        await taken.take("adjust")
        await press(pilot, "escape", "B", "y", "D")
        await taken.take("conflicts")
        await press(pilot, "escape")
        await taken.take("findings-sighted")


async def test_the_review_where_something_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "thesis")
    async with album(tmp_path / "thesis", tmp_path, monkeypatch, "error") as taken:
        await _review(taken)
        pilot = taken.pilot
        await press(pilot, "end", "a")
        await taken.take("findings-refused")
        await press(pilot, "f")
        taken.app.screen.query_one("Input").value = "rel:cno"
        await press(pilot, "enter")
        await taken.take("findings-filter")
        await press(pilot, "escape", "J", "J")
        await taken.take("findings-unevaluated")

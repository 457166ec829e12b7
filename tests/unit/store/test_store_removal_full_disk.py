"""A full disk at any write: one clear error, and everything that was acknowledged is still there."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cmtui.errors import StoreError
from cmtui.model.claim import Claim, ClaimRun, claim_id
from cmtui.model.review import EventDraft, EventType
from cmtui.store.directory import StoreRepository
from support.documents import make_document, make_evidence

FIRST, SECOND = make_document("First."), make_document("Second.")
CLAIM = Claim(claim_id("c"), "c")

WORK: dict[str, Callable[[StoreRepository], object]] = {
    "commit": lambda r: r.commit_document(SECOND[0], content=SECOND[1], artifact=SECOND[2]),
    "evidence": lambda r: r.record_evidence([make_evidence(FIRST[0], 1, 3)]),
    "new claim": lambda r: r.save_claim(Claim(claim_id("d"), "d")),
    "run": lambda r: r.add_run(CLAIM.claim_id, ClaimRun("b", "hybrid", 1, (), ())),
    "decision": lambda r: r.append_events("ann", [EventDraft(EventType.ACCEPTED, "c/f")] * 3),
    "new reviewer": lambda r: r.append_events("bob", [EventDraft(EventType.ACCEPTED, "c/f")]),
    "bibliography": lambda r: r.set_bibliography(FIRST[2].artifact_id, {"id": "y", "type": "book"}),
    "tags": lambda r: r.update_source(FIRST[2].artifact_id, tags=["t"]),
    "removal": lambda r: r.remove_document(FIRST[0].document_id, reason="r"),
}


def facts(repository: StoreRepository) -> tuple[object, ...]:
    return (
        repository.document_ids(),
        repository.tombstones() and repository.tombstones()[0].document_id,
        repository.evidence_entries(),
        repository.claims(),
        [repository.events(reviewer) for reviewer in repository.reviewers() if repository.events(reviewer)],
        repository.bibliography(FIRST[2].artifact_id),
        [source.tags for source in repository.sources()],
    )


@pytest.mark.parametrize("partial", [False, True], ids=["nothing", "half a write"])
@pytest.mark.parametrize("name", WORK)
def test_a_full_disk_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, partial: bool
) -> None:
    repository = StoreRepository.open(tmp_path)
    repository.commit_document(FIRST[0], content=FIRST[1], artifact=FIRST[2])
    repository.record_evidence([make_evidence(FIRST[0], 0, 4)])
    repository.save_claim(CLAIM)
    repository.append_events("ann", [EventDraft(EventType.ACCEPTED, "c/e")])
    repository.set_bibliography(FIRST[2].artifact_id, {"id": "x", "type": "book"})
    before = facts(repository)
    real = os.write

    def write(descriptor: int, data: bytes) -> int:
        # The note on the lock's holder is small and may be lost; what matters fails.
        if b'"operation"' in bytes(data):
            return real(descriptor, data)
        if partial and len(data) > 1:
            partial_writes.append(1)
            if len(partial_writes) == 1:
                return real(descriptor, bytes(data)[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    partial_writes: list[int] = []
    with monkeypatch.context() as full:
        full.setattr(os, "write", write)
        with pytest.raises(StoreError, match="disk is full") as caught:
            WORK[name](repository)
        assert caught.value.hint
        assert facts(repository) == before
    assert facts(repository) == before
    assert facts(StoreRepository.open(tmp_path)) == before
    # With space again it goes through, in the same process.
    WORK[name](repository)
    assert facts(repository) != before
    assert facts(StoreRepository.open(tmp_path)) == facts(repository)

"""Removal: the tombstone first, then everything of the document, and nothing else."""

from __future__ import annotations

import errno
import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from cmtui.errors import DocumentRemoved, NotFound, StoreError, StoreReadOnly
from cmtui.model.identity import SourceArtifact
from cmtui.model.ingest import IngestStatus
from cmtui.model.removal import AcceptedQuote
from cmtui.model.review import EventDraft, EventType
from cmtui.model.source import CanonicalDocument
from cmtui.store.directory import StoreRepository
from cmtui.store.layout import Layout
from cmtui.store.memory import InMemoryKnowledgeRepository
from support.documents import make_document, make_evidence, make_profile
from support.killed import killed_at

Made = tuple[CanonicalDocument, bytes, SourceArtifact]
Repository = StoreRepository | InMemoryKnowledgeRepository


def commit(repository: Repository, made: Made) -> IngestStatus:
    document, content, artifact = made
    return repository.commit_document(document, content=content, artifact=artifact)


@pytest.fixture(params=["directory", "memory"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    return StoreRepository.open(tmp_path) if request.param == "directory" else InMemoryKnowledgeRepository()


def test_a_removed_document_is_gone_and_says_so(repository: Repository) -> None:
    kept, gone = make_document("Kept."), make_document("Gone.")
    commit(repository, kept)
    commit(repository, gone)
    before = repository.generation()
    quote = AcceptedQuote("ann", "c" * 64, "A claim", "e" * 64, 0, 5, "Gone.")
    tombstone = repository.remove_document(gone[0].document_id[:12], reason="a draft", accepted=[quote])
    assert repository.document_ids() == (kept[0].document_id,)
    assert [row.document_id for row in repository.summaries()] == [kept[0].document_id]
    assert repository.documents_of_bytes(gone[0].version.bytes_sha256) == ()
    assert [source.source_id for source in repository.sources()] == [kept[2].artifact_id]
    assert repository.generation() > before
    assert repository.tombstones() == (tombstone,)
    assert repository.tombstone(gone[0].document_id) == tombstone
    assert (tombstone.reason, tombstone.accepted) == ("a draft", (quote,))
    assert tombstone.reference == gone[2].reference
    for ask in (repository.document, repository.summary, repository.source_of):
        with pytest.raises(DocumentRemoved, match="a draft") as caught:
            ask(gone[0].document_id)
        assert gone[2].reference in caught.value.hint
    with pytest.raises(DocumentRemoved):
        repository.remove_document(gone[0].document_id, reason="")
    with pytest.raises(NotFound):
        repository.remove_document("feedfeed", reason="")


def test_logs_outlive_their_document(repository: Repository) -> None:
    made = make_document()
    commit(repository, made)
    entry = make_evidence(made[0], 0, 6)
    repository.record_evidence([entry])
    repository.append_events("ann", [EventDraft(EventType.NOTED, f"c/{entry.evidence_id}")])
    repository.remove_document(made[0].document_id, reason="")
    assert repository.evidence(entry.evidence_id) == entry
    assert repository.evidence_entries(made[0].document_id) == (entry,)
    assert len(repository.events("ann")) == 1


def test_ingesting_it_again_is_a_new_commit_with_the_same_ids(repository: Repository) -> None:
    made = make_document()
    commit(repository, made)
    source_id = made[2].artifact_id
    repository.update_source(source_id, page_offset=-12, tags=["thesis"])
    repository.set_bibliography(source_id, {"id": "x", "type": "book", "title": "T"})
    for _ in range(2):
        repository.remove_document(made[0].document_id, reason="again")
        assert commit(repository, made) is IngestStatus.ADDED
        assert repository.document(made[0].document_id) == made[0]
        assert repository.tombstones() == ()
    # What a person had set for the source holds again.
    source = repository.source(source_id)
    assert (source.page_offset, source.tags) == (-12, ("thesis",))
    record = repository.bibliography(source_id)
    assert record is not None
    assert record.item["title"] == "T"


def test_bytes_that_another_document_needs_are_kept(repository: Repository) -> None:
    one = make_document()
    other = make_document(profile=make_profile(version="2"))
    commit(repository, one)
    assert commit(repository, other) is IngestStatus.REPROFILED
    digest = one[0].version.bytes_sha256
    repository.remove_document(one[0].document_id, reason="")
    assert repository.content_bytes(digest) == one[1]
    assert repository.source(one[2].artifact_id).documents == (other[0].document_id,)
    repository.remove_document(other[0].document_id, reason="")
    with pytest.raises(NotFound):
        repository.content_bytes(digest)


def test_the_version_before_becomes_the_current_one(repository: Repository) -> None:
    old, new = make_document("Old.", name="a.txt"), make_document("New.", name="a.txt")
    commit(repository, old)
    assert commit(repository, new) is IngestStatus.NEW_VERSION
    assert not repository.summary(old[0].document_id).current
    repository.remove_document(new[0].document_id, reason="")
    assert repository.summary(old[0].document_id).current


def test_the_page_offset_can_be_taken_back(repository: Repository) -> None:
    made = make_document()
    commit(repository, made)
    repository.update_source(made[2].artifact_id, page_offset=3)
    assert repository.update_source(made[2].artifact_id, clear_page_offset=True).page_offset is None


# -- on disk ---------------------------------------------------------------------------------------------


def files_of(root: Path, document: CanonicalDocument) -> list[Path]:
    layout = Layout(root)
    digest, document_id = document.version.bytes_sha256, document.document_id
    return [layout.blob(digest), layout.snapshot(document_id), layout.identity_of(document_id)]


def test_only_tombstone_logs_and_source_record_stay(tmp_path: Path) -> None:
    repository = StoreRepository.open(tmp_path)
    made = make_document()
    commit(repository, made)
    repository.record_evidence([make_evidence(made[0], 0, 6)])
    assert all(path.exists() for path in files_of(tmp_path, made[0]))
    repository.remove_document(made[0].document_id, reason="")
    assert not any(path.exists() for path in files_of(tmp_path, made[0]))
    assert Layout(tmp_path).evidence_log(made[0].document_id).exists()
    assert Layout(tmp_path).tombstone(made[0].document_id).exists()
    assert Layout(tmp_path).source(made[2].artifact_id).exists()


def test_other_processes_see_a_removal_and_a_return(tmp_path: Path) -> None:
    here, there = StoreRepository.open(tmp_path), StoreRepository.open(tmp_path)
    made, other = make_document("One."), make_document("Two.")
    commit(here, made)
    commit(here, other)
    assert len(there.document_ids()) == 2
    assert there.document(made[0].document_id)
    here.remove_document(made[0].document_id, reason="")
    assert there.document_ids() == (other[0].document_id,)
    with pytest.raises(DocumentRemoved):
        there.document(made[0].document_id)
    here.remove_document(other[0].document_id, reason="")
    commit(here, other)
    commit(here, made)
    assert len(there.document_ids()) == 2
    there.remove_document(made[0].document_id, reason="")
    commit(there, made)
    assert here.document_ids() == there.document_ids() == StoreRepository.open(tmp_path).document_ids()


def test_a_rebuilt_catalogue_does_not_bring_it_back(tmp_path: Path) -> None:
    repository = StoreRepository.open(tmp_path)
    made = make_document()
    commit(repository, made)
    repository.remove_document(made[0].document_id, reason="")
    shutil.rmtree(tmp_path / "derived")
    assert StoreRepository.open(tmp_path).document_ids() == ()


def seeded(root: Path) -> tuple[Made, Made]:
    repository = StoreRepository.open(root)
    kept, gone = make_document("Kept.", name="a.txt"), make_document("Gone.", name="a.txt")
    commit(repository, kept)
    commit(repository, gone)
    repository.record_evidence([make_evidence(gone[0], 0, 4)])
    repository.append_events("ann", [EventDraft(EventType.NOTED, "c/e")])
    return kept, gone


def check_all_or_nothing(root: Path, kept: Made, gone: Made) -> bool:
    """That the document is there whole or gone whole; whether it is there."""
    repository = StoreRepository.open(root)
    there = gone[0].document_id in repository.document_ids()
    assert kept[0].document_id in repository.document_ids()
    assert repository.document(kept[0].document_id) == kept[0]
    assert repository.content_bytes(kept[0].version.bytes_sha256) == kept[1]
    assert repository.summary(kept[0].document_id).current is not there
    if there:
        assert repository.document(gone[0].document_id) == gone[0]
        assert repository.content_bytes(gone[0].version.bytes_sha256) == gone[1]
        assert repository.tombstones() == ()
    else:
        assert not any(path.exists() for path in files_of(root, gone[0]))
        assert [t.document_id for t in repository.tombstones()] == [gone[0].document_id]
        assert repository.source(kept[2].artifact_id).documents == (kept[0].document_id,)
    assert repository.orphan_blobs() == ()
    assert len(repository.evidence_entries(gone[0].document_id)) == 1
    assert len(repository.events("ann")) == 1
    assert not Layout(root).lock.with_name("lock.info").exists()
    assert not list(root.rglob("*.tmp"))
    assert StoreRepository.open(root).document_ids() == repository.document_ids()
    return there


def test_a_kill_at_any_step_of_a_removal_heals(tmp_path: Path) -> None:
    kept, gone = seeded(tmp_path / "seed")
    outcomes: set[bool] = set()
    step = 0
    while True:
        step += 1
        root = tmp_path / f"at-{step}"
        shutil.copytree(tmp_path / "seed", root)
        remove = partial(StoreRepository.open(root).remove_document, gone[0].document_id, reason="r")
        died = killed_at(step, remove)
        outcomes.add(check_all_or_nothing(root, kept, gone))
        if not died:
            break
    assert step > 15
    assert outcomes == {True, False}


def test_a_kill_at_any_step_of_the_return_heals(tmp_path: Path) -> None:
    kept, gone = seeded(tmp_path / "seed")
    StoreRepository.open(tmp_path / "seed").remove_document(gone[0].document_id, reason="r")
    step = 0
    died = True
    while died:
        step += 1
        root = tmp_path / f"at-{step}"
        shutil.copytree(tmp_path / "seed", root)
        died = killed_at(step, partial(commit, StoreRepository.open(root), gone))
        repository = StoreRepository.open(root)
        there = gone[0].document_id in repository.document_ids()
        assert there or died
        if there:
            assert repository.document(gone[0].document_id) == gone[0]
        # Whatever happened, it can be committed now.
        commit(repository, gone)
        assert check_all_or_nothing(root, kept, gone)


def test_a_power_cut_that_loses_the_note_heals_too(tmp_path: Path) -> None:
    """The note is not synchronised: the tombstone alone says that a removal was begun."""
    kept, gone = seeded(tmp_path)
    repository = StoreRepository.open(tmp_path)
    repository.remove_document(gone[0].document_id, reason="")
    commit(repository, gone)
    layout = Layout(tmp_path)
    (layout.removed / f"{gone[0].document_id}.1.json").rename(layout.tombstone(gone[0].document_id))
    assert not check_all_or_nothing(tmp_path, kept, gone)


def test_a_full_disk_at_any_write_removes_all_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, gone = seeded(tmp_path / "seed")
    real = os.write
    at = 0
    failed = True
    while failed:
        at += 1
        root = tmp_path / f"full-{at}"
        shutil.copytree(tmp_path / "seed", root)
        repository = StoreRepository.open(root)
        left = at

        def write(descriptor: int, data: bytes) -> int:
            nonlocal left
            left -= 1
            if left <= 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(descriptor, data)

        monkeypatch.setattr(os, "write", write)
        error: StoreError | None = None
        try:
            repository.remove_document(gone[0].document_id, reason="r")
        except StoreError as raised:
            error = raised
        monkeypatch.setattr(os, "write", real)
        failed = error is not None
        assert error is None or ("full" in error.message and error.hint)
        # The process that failed and a new one agree.
        ids = repository.document_ids()
        there = check_all_or_nothing(root, kept, gone)
        assert ids == StoreRepository.open(root).document_ids()
        assert not there or failed
    assert at > 3


def test_nothing_is_removed_from_a_read_only_store(tmp_path: Path) -> None:
    _, gone = seeded(tmp_path)
    repository = StoreRepository.open(tmp_path)
    broken = StoreRepository(
        Layout(tmp_path), clock=repository._documents._clock, lock_timeout=0, read_only="mounted read-only"
    )
    with pytest.raises(StoreReadOnly, match="mounted read-only"):
        broken.remove_document(gone[0].document_id, reason="")
    assert gone[0].document_id in StoreRepository.open(tmp_path).document_ids()


def test_an_interrupted_removal_stays_hidden_where_nothing_can_be_written(tmp_path: Path) -> None:
    kept, gone = seeded(tmp_path)
    repository = StoreRepository.open(tmp_path)
    repository.remove_document(gone[0].document_id, reason="")
    commit(repository, gone)
    layout = Layout(tmp_path)
    (layout.removed / f"{gone[0].document_id}.1.json").rename(layout.tombstone(gone[0].document_id))
    reader = StoreRepository(
        layout, clock=repository._documents._clock, lock_timeout=0, read_only="mounted read-only"
    )
    assert reader.document_ids() == (kept[0].document_id,)
    assert layout.snapshot(gone[0].document_id).exists()


def test_a_damaged_tombstone_deletes_nothing(tmp_path: Path) -> None:
    kept, gone = seeded(tmp_path)
    Layout(tmp_path).tombstone(gone[0].document_id).write_bytes(b"")
    repository = StoreRepository.open(tmp_path)
    assert repository.document_ids() == (kept[0].document_id,)
    assert Layout(tmp_path).snapshot(gone[0].document_id).exists()
    assert any("tombstone" in notice for notice in repository.notices())


def test_damaged_bytes_are_replaced_by_the_next_commit_of_them(tmp_path: Path) -> None:
    repository = StoreRepository.open(tmp_path)
    made = make_document()
    commit(repository, made)
    blob = Layout(tmp_path).blob(made[0].version.bytes_sha256)
    blob.write_bytes(b"x" * len(made[1]))
    commit(repository, made)
    assert repository.content_bytes(made[0].version.bytes_sha256) == made[1]


def test_bytes_are_no_orphans_while_a_snapshot_is_damaged(tmp_path: Path) -> None:
    repository = StoreRepository.open(tmp_path)
    made = make_document()
    commit(repository, made)
    Layout(tmp_path).snapshot(made[0].document_id).write_bytes(b"{}")
    shutil.rmtree(tmp_path / "derived")
    repository = StoreRepository.open(tmp_path)
    assert repository.orphan_blobs() == ()
    assert repository.remove_orphan_blobs() == ()
    assert Layout(tmp_path).blob(made[0].version.bytes_sha256).exists()

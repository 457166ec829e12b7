"""Several processes at one store: locks, visibility, and what a crash at any moment leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cmtui.errors import StoreLocked
from cmtui.model.claim import Claim, claim_id
from cmtui.model.identity import SourceArtifact
from cmtui.model.ingest import IngestStatus
from cmtui.model.review import EventDraft, EventType
from cmtui.model.source import CanonicalDocument
from cmtui.store import atomic, documents
from cmtui.store.directory import StoreRepository
from cmtui.store.layout import Layout
from cmtui.store.snapshots import Snapshots
from support.documents import make_document

Made = tuple[CanonicalDocument, bytes, SourceArtifact]
PROGRAM = Path(__file__).parents[2] / "support" / "store_process.py"


def start(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, text=True, **options
    )


def commit(repository: StoreRepository, made: Made) -> IngestStatus:
    document, content, artifact = made
    return repository.commit_document(document, content=content, artifact=artifact)


def check_whole(root: Path, repository: StoreRepository | None = None) -> StoreRepository:
    """That the store opens and every document that can be seen is complete, in every place it is named."""
    repository = repository or StoreRepository.open(root)
    ids = repository.document_ids()
    assert set(ids) == set(Snapshots(Layout(root)).ids())
    assert {row.document_id for row in repository.summaries()} == set(ids)
    assert sorted(d for source in repository.sources() for d in source.documents) == sorted(ids)
    for document_id in ids:
        document = repository.document(document_id)
        repository.content_bytes(document.version.bytes_sha256)
        assert repository.summary(document_id).source_id == repository.source_of(document_id).source_id
        assert Layout(root).identity_of(document_id).exists()
    for source in repository.sources():
        assert sum(repository.summary(d).current for d in source.documents) == 1
    assert not Layout(root).lock.with_name("lock.info").exists()
    assert not list(root.rglob("*.tmp"))
    return repository


# -- locks ---------------------------------------------------------------------------------------------


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    StoreRepository.open(tmp_path)
    process = start("hold", tmp_path, stdin=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_lock_that_is_held_too_long_names_its_holder(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    repository = StoreRepository.open(tmp_path, lock_timeout=0.0)
    with pytest.raises(StoreLocked) as caught:
        commit(repository, make_document())
    assert f"process {holder.pid} on" in caught.value.message
    assert "test holding" in caught.value.message
    assert caught.value.hint
    assert repository.read_only is None
    assert repository.document_ids() == ()
    holder.communicate("")
    assert commit(repository, make_document()) is IngestStatus.ADDED


def test_reading_and_deciding_never_wait_for_a_commit(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    repository = StoreRepository.open(tmp_path, lock_timeout=0.0)
    assert repository.summaries() == ()
    assert len(repository.append_events("ann", [EventDraft(EventType.NOTED, "c/e")])) == 1
    repository.save_claim(Claim(claim_id("c"), "c"))
    assert holder.poll() is None


def test_the_note_of_a_dead_holder_does_not_block(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """The kernel frees the lock; only the note can be stale."""
    holder.kill()
    holder.communicate()
    note = Layout(tmp_path).lock.with_name("lock.info")
    assert json.loads(note.read_bytes())["pid"] == holder.pid
    repository = StoreRepository.open(tmp_path, lock_timeout=0.0)
    assert commit(repository, make_document()) is IngestStatus.ADDED
    assert not note.exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"pid": "x"}', b"\xff"], ids=repr)
def test_an_unreadable_note_does_not_block(tmp_path: Path, content: bytes) -> None:
    repository = StoreRepository.open(tmp_path, lock_timeout=0.0)
    (tmp_path / "lock.info").write_bytes(content)
    assert commit(repository, make_document()) is IngestStatus.ADDED
    (tmp_path / "lock.info").write_bytes(content)
    assert len(repository.document_ids()) == 1
    check_whole(tmp_path)


def test_a_deleted_lock_file_is_made_anew(tmp_path: Path) -> None:
    repository = StoreRepository.open(tmp_path)
    (tmp_path / "lock").unlink()
    assert commit(repository, make_document()) is IngestStatus.ADDED
    check_whole(tmp_path)


def test_two_processes_commit_at_once(tmp_path: Path) -> None:
    reader = StoreRepository.open(tmp_path)
    processes = [start("commit", tmp_path, prefix, 12) for prefix in ("a", "b", "a")]
    printed = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    expected = set(printed[0]) | set(printed[1]) | set(printed[2])
    assert len(expected) == 24
    assert set(reader.document_ids()) == expected
    assert check_whole(tmp_path, reader).generation() == 24
    assert len(reader.events("ann")) == 3 * 24
    assert len(reader.evidence_entries()) == 24
    assert check_whole(tmp_path).summaries() == reader.summaries()


def test_two_processes_append_to_one_log(tmp_path: Path) -> None:
    StoreRepository.open(tmp_path)
    processes = [start("events", tmp_path, "ann", 20) for _ in range(2)]
    for process in processes:
        process.communicate()
    log = StoreRepository.open(tmp_path).events("ann")
    assert len(log) == 80
    for first, second in zip(log[::2], log[1::2], strict=True):
        assert first.group == second.group


def test_threads_read_while_another_commits(tmp_path: Path) -> None:
    repository = StoreRepository.open(tmp_path)
    made = [make_document(f"Text {n}.\n", name=f"{n % 4}.txt") for n in range(20)]
    done = threading.Event()

    def write() -> None:
        for each in made:
            commit(repository, each)
        done.set()

    def read() -> int:
        seen = 0
        while not done.is_set():
            rows = repository.summaries()
            assert len(rows) >= seen
            seen = len(rows)
            for row in rows:
                assert repository.document(row.document_id).document_id == row.document_id
        return seen

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        pool.submit(write).result()
        for reader in readers:
            assert reader.result() <= 20
    assert len(check_whole(tmp_path, repository).document_ids()) == 20


# -- crashes -------------------------------------------------------------------------------------------


class Crash(BaseException):
    """Stands for the end of the process: nothing in the store may catch it."""


class CrashingWriter:
    """Counts the store's durable writes and crashes before or after the ``at``-th."""

    def __init__(self, at: int, *, after: bool) -> None:
        self.left, self.after = at, after

    def wrap(self, real: Any) -> Any:
        def write(*args: Any, **kwargs: Any) -> Any:
            self.left -= 1
            if self.left == 0 and not self.after:
                raise Crash
            answer = real(*args, **kwargs)
            if self.left == 0:
                raise Crash
            return answer

        return write


def first_document() -> list[Made]:
    return [make_document("One.\n", name="a.txt")]


def new_version() -> list[Made]:
    return [make_document("One.\n", name="a.txt"), make_document("Two.\n", name="a.txt")]


def other_source() -> list[Made]:
    return [make_document("One.\n", name="a.txt"), make_document("Two.\n", name="b.txt")]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("scenario", [first_document, new_version, other_source])
def test_a_crash_at_any_write_leaves_a_whole_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scenario: Any, after: bool
) -> None:
    """The snapshot's rename is the commit: before it nothing is visible, after it everything is healed."""
    steps, visible = 0, []
    while True:
        steps += 1
        root = tmp_path / str(steps)
        *before, made = scenario()
        writer, reader = StoreRepository.open(root), StoreRepository.open(root)
        for earlier in before:
            commit(writer, earlier)
        crashing = CrashingWriter(steps, after=after)
        with monkeypatch.context() as patch:
            patch.setattr(atomic, "write_whole", crashing.wrap(atomic.write_whole))
            patch.setattr(documents.Catalogue, "write", crashing.wrap(documents.Catalogue.write))
            try:
                commit(writer, made)
                break
            except Crash:
                pass
        committed = Layout(root).snapshot(made[0].document_id).exists()
        visible.append(committed)
        # A process that was open all along, one that opens now, and the one that failed agree.
        for repository in (reader, StoreRepository.open(root), writer):
            assert (made[0].document_id in repository.document_ids()) == committed
            assert repository.summaries() == reader.summaries()
            check_whole(root, repository)
        if committed:
            assert reader.source_of(made[0].document_id).artifact == made[2]
            assert reader.generation() > len(before)
            assert commit(reader, made) is IngestStatus.UNCHANGED
        else:
            expected = IngestStatus.NEW_VERSION if scenario is new_version else IngestStatus.ADDED
            assert commit(reader, made) is expected
        assert check_whole(root).document(made[0].document_id) == made[0]
    # Blob, source record, snapshot, identity, catalogue, generation: visible from the third on.
    assert visible == [False, False, after, True, True, True]


def test_a_commit_that_never_happened_leaves_its_document_to_another_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source record is written before the snapshot; what it announces in vain binds nobody."""
    repository = StoreRepository.open(tmp_path)
    abandoned, made = make_document(name="a.txt"), make_document(name="b.txt")
    crashing = CrashingWriter(3, after=False)
    with monkeypatch.context() as patch:
        patch.setattr(atomic, "write_whole", crashing.wrap(atomic.write_whole))
        with pytest.raises(Crash):
            commit(repository, abandoned)
    assert Layout(tmp_path).source(abandoned[2].artifact_id).exists()
    assert repository.sources() == ()
    assert repository.source_by_reference(abandoned[2].reference) == ()
    assert commit(repository, made) is IngestStatus.ADDED
    assert [source.artifact for source in repository.sources()] == [made[2]]
    assert commit(repository, abandoned) is IngestStatus.ALIAS
    assert [source.artifact for source in check_whole(tmp_path).sources()] == [made[2]]


def test_a_crash_before_the_source_record_is_catalogued_is_healed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, reader = StoreRepository.open(tmp_path), StoreRepository.open(tmp_path)
    made = make_document()
    commit(repository, made)
    crashing = CrashingWriter(1, after=True)
    with monkeypatch.context() as patch:
        patch.setattr(atomic, "write_whole", crashing.wrap(atomic.write_whole))
        with pytest.raises(Crash):
            repository.update_source(made[2].artifact_id, tags=["new"])
    for each in (reader, repository, StoreRepository.open(tmp_path)):
        assert each.source(made[2].artifact_id).tags == ("new",)


def killed_at(root: Path, step: int) -> list[str]:
    process = start("die", root, step)
    acknowledged = process.communicate()[0].split()
    assert process.returncode == -signal.SIGKILL
    return acknowledged


@pytest.mark.parametrize("step", [7, 19, 48, 61, 66, 70, 83, 101, 118, 137])
def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path, step: int) -> None:
    """The store opens; acknowledged documents, evidence and events are there; nothing is there by half."""
    root = tmp_path / "s"
    acknowledged = killed_at(root, step) + killed_at(root, step + 3)
    repository = check_whole(root)
    assert set(acknowledged) <= set(repository.document_ids())
    log = [event.object for event in repository.events("ann")]
    evidence = [entry.document_id for entry in repository.evidence_entries()]
    for document_id in acknowledged:
        assert log.count(document_id) >= 2
        assert document_id in evidence
    assert all(log.count(document_id) % 2 == 0 for document_id in log)
    assert commit(repository, make_document()) is IngestStatus.ADDED


def test_an_interrupted_claim_or_bibliography_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = StoreRepository.open(tmp_path)
    made = make_document()
    commit(repository, made)
    claim = Claim(claim_id("c"), "c")
    writes = (
        lambda text: repository.save_claim(replace(claim, text=text)),
        lambda text: repository.set_bibliography(made[2].artifact_id, {"title": text}),
    )
    for write in writes:
        write("before")
        with monkeypatch.context() as patch:
            crashing = CrashingWriter(1, after=False)
            patch.setattr(atomic.os, "replace", crashing.wrap(os.replace))
            # The end of a process runs no clean-up.
            patch.setattr(atomic.Path, "unlink", lambda path, **_: None)
            with pytest.raises(Crash):
                write("during")
        assert list(tmp_path.rglob("*.tmp"))
        assert repository.claim(claim.claim_id).text != "during"
        write("after")
        assert not list(tmp_path.rglob("*.tmp"))
    record = repository.bibliography(made[2].artifact_id)
    assert record is not None
    assert record.history == ({"title": "before"},)


def test_kill_9_at_an_arbitrary_moment(tmp_path: Path) -> None:
    reader = StoreRepository.open(tmp_path)
    for round_ in range(3):
        process = start("commit", tmp_path, f"r{round_}-", 1000)
        assert process.stdout is not None
        acknowledged = [process.stdout.readline().strip() for _ in range(5 + round_)]
        os.kill(process.pid, signal.SIGKILL)
        rest, _ = process.communicate()
        acknowledged += [line for line in rest.splitlines() if len(line) == 64]
        assert set(acknowledged) <= set(reader.document_ids())
        assert check_whole(tmp_path, reader).summaries() == check_whole(tmp_path).summaries()

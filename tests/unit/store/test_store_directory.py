"""Opening a store directory: what is one, what is not, what may be deleted, and who may read it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cmtui.errors import NotFound, StoreError, StoreFormatError, StoreReadOnly
from cmtui.model.claim import Claim, claim_id
from cmtui.model.identity import SourceArtifact
from cmtui.model.review import EventDraft, EventType
from cmtui.model.source import CanonicalDocument
from cmtui.store.directory import StoreRepository
from cmtui.store.layout import Layout
from support.documents import make_document, make_evidence

Made = tuple[CanonicalDocument, bytes, SourceArtifact]


def commit(repository: StoreRepository, made: Made) -> CanonicalDocument:
    document, content, artifact = made
    repository.commit_document(document, content=content, artifact=artifact)
    return document


def files(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def answers(repository: StoreRepository) -> list[object]:
    return [
        repository.document_ids(),
        repository.summaries(),
        repository.sources(),
        repository.evidence_entries(),
        repository.claims(),
        repository.generation(),
        [repository.document(d) for d in repository.document_ids()],
        [repository.documents_of_bytes(s.bytes_sha256) for s in repository.summaries()],
    ]


def filled(root: Path) -> StoreRepository:
    repository = StoreRepository.open(root)
    for number in range(5):
        document = commit(repository, make_document(f"Text {number}.\n", name=f"{number % 3}.txt"))
        repository.record_evidence([make_evidence(document, 0, 4)])
    repository.update_source(repository.sources()[0].source_id, page_offset=3, tags=["t"])
    repository.save_claim(Claim(claim_id("c"), "c"))
    return repository


def test_opening_makes_an_empty_store_that_only_its_owner_reads(tmp_path: Path) -> None:
    root = tmp_path / "a" / "b" / "store"
    repository = StoreRepository.open(root)
    filled(root)
    assert repository.root == root
    assert repository.derived == root / "derived"
    assert repository.read_only is None
    assert json.loads((root / "store.json").read_bytes()) == {"format": 1, "digest": "sha256"}
    for path in [root, *root.rglob("*")]:
        expected = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == expected, path


def test_an_empty_folder_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / ".DS_Store").write_bytes(b"")
    assert StoreRepository.open(tmp_path).document_ids() == ()


def test_a_folder_of_other_files_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(StoreFormatError) as caught:
        StoreRepository.open(tmp_path)
    assert caught.value.hint
    assert os.listdir(tmp_path) == ["thesis.txt"]


def test_a_file_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "citations.json"
    path.write_text("{}")
    with pytest.raises(StoreFormatError) as caught:
        StoreRepository.open(path)
    assert caught.value.hint
    assert path.read_text() == "{}"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b'{"format": 2, "digest": "sha256"}',
        b'{"format": 1, "digest": "md5"}',
        b'{"format": 0, "digest": "sha256"}',
    ],
    ids=repr,
)
def test_another_format_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    filled(tmp_path / "s")
    (tmp_path / "s" / "store.json").write_bytes(content)
    before = files(tmp_path)
    with pytest.raises(StoreFormatError):
        StoreRepository.open(tmp_path / "s")
    assert files(tmp_path) == before


def test_a_store_whose_making_was_interrupted_is_finished(tmp_path: Path) -> None:
    (tmp_path / ".store.json.1-ab.tmp").write_bytes(b"{")
    (tmp_path / "lock").write_bytes(b"")
    StoreRepository.open(tmp_path)
    shutil.rmtree(tmp_path / "events")
    assert StoreRepository.open(tmp_path).reviewers() == ()


@pytest.mark.parametrize("damage", ["folder", "file", "rubbish", "empty", "half", "schema"])
def test_deleting_or_damaging_derived_data_changes_no_answer(tmp_path: Path, damage: str) -> None:
    expected = answers(filled(tmp_path / "s"))
    catalogue = Layout(tmp_path / "s").catalogue
    if damage == "folder":
        shutil.rmtree(catalogue.parent)
    elif damage == "file":
        catalogue.unlink()
    elif damage == "schema":
        with sqlite3.connect(catalogue) as connection:
            connection.execute("update meta set schema = 99")
        connection.close()
    else:
        content = catalogue.read_bytes()
        catalogue.write_bytes(
            {"rubbish": b"x" * 5000, "empty": b"", "half": content[: len(content) // 2]}[damage]
        )
    assert answers(StoreRepository.open(tmp_path / "s")) == expected
    assert catalogue.exists()
    assert answers(StoreRepository.open(tmp_path / "s")) == expected


def test_derived_data_may_be_deleted_under_an_open_store(tmp_path: Path) -> None:
    repository, reader = filled(tmp_path / "s"), StoreRepository.open(tmp_path / "s")
    shutil.rmtree(tmp_path / "s" / "derived")
    document = commit(repository, make_document("More.\n", name="more.txt"))
    assert document.document_id in repository.document_ids()
    assert answers(reader) == answers(repository) == answers(StoreRepository.open(tmp_path / "s"))


def test_a_document_committed_without_its_row_is_picked_up(tmp_path: Path) -> None:
    repository = filled(tmp_path / "s")
    old_catalogue = Layout(tmp_path / "s").catalogue.read_bytes()
    expected = commit(repository, make_document("Unlisted.\n", name="u.txt"))
    Layout(tmp_path / "s").catalogue.write_bytes(old_catalogue)
    found = StoreRepository.open(tmp_path / "s")
    assert found.document(expected.document_id) == expected
    assert found.summary(expected.document_id) == repository.summary(expected.document_id)


def test_strangers_in_the_folders_are_passed_over(tmp_path: Path) -> None:
    expected = answers(filled(tmp_path / "s"))
    for folder in ("snapshots", "sources", "identity", "claims", "evidence", "events", "blobs/sha256"):
        (tmp_path / "s" / folder / "notes.txt").write_text("x")
        (tmp_path / "s" / folder / ".hidden.json").write_text("x")
    shutil.rmtree(tmp_path / "s" / "derived")
    assert answers(StoreRepository.open(tmp_path / "s")) == expected


def test_a_copied_store_gives_the_same_answers(tmp_path: Path) -> None:
    """R23: the same ids on another machine."""
    expected = answers(filled(tmp_path / "s"))
    shutil.copytree(tmp_path / "s", tmp_path / "copy", copy_function=shutil.copyfile)
    assert answers(StoreRepository.open(tmp_path / "copy")) == expected


def test_other_openings_see_commits_at_once(tmp_path: Path) -> None:
    one, two = StoreRepository.open(tmp_path), StoreRepository.open(tmp_path)
    made = make_document("A.\n", name="a.txt")
    document = commit(one, made)
    assert two.document_ids() == (document.document_id,)
    assert two.generation() == one.generation()
    two.update_source(made[2].artifact_id, tags=["x"])
    assert one.source(made[2].artifact_id).tags == ("x",)
    one.add_alias(made[2].artifact_id, "urn:isbn:1", moved=False)
    assert two.source_by_reference("urn:isbn:1") == one.sources()
    newer = commit(two, make_document("B.\n", name="a.txt"))
    assert one.summary(newer.document_id).current
    assert one.document(newer.document_id) == newer
    assert one.summaries() == two.summaries()
    one.record_evidence([make_evidence(document, 0, 2)])
    assert two.evidence_entries() == one.evidence_entries()
    two.append_events("ann", [EventDraft(EventType.NOTED, "c/e")])
    one.append_events("ann", [EventDraft(EventType.NOTED, "c/e")])
    assert len(one.events("ann")) == len(two.events("ann")) == 2
    one.save_claim(Claim(claim_id("c"), "c"))
    assert two.claims() == one.claims()


def test_a_malformed_generation_file_is_named(tmp_path: Path) -> None:
    repository = filled(tmp_path / "s")
    expected = repository.document_ids()
    path = Layout(tmp_path / "s").generation
    path.write_bytes(b"{")
    for question in (repository.document_ids, lambda: StoreRepository.open(tmp_path / "s")):
        with pytest.raises(StoreError) as caught:
            question()
        assert str(path) in caught.value.message
    path.unlink()
    assert StoreRepository.open(tmp_path / "s").document_ids() == expected
    assert repository.document_ids() == expected
    commit(repository, make_document("More.\n", name="more.txt"))
    assert StoreRepository.open(tmp_path / "s").document_ids() == repository.document_ids()


def test_bytes_nobody_refers_to_are_found_and_removed(tmp_path: Path) -> None:
    repository = filled(tmp_path)
    orphan = Layout(tmp_path).blob("ab" * 32)
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(b"x")
    assert repository.orphan_blobs() == ("ab" * 32,)
    assert repository.remove_orphan_blobs() == ("ab" * 32,)
    assert not orphan.exists()
    for row in repository.summaries():
        repository.content_bytes(row.bytes_sha256)


# -- stores that cannot be written ---------------------------------------------------------------------


def check_read_only(root: Path, expected: list[object], reason: str) -> None:
    repository = StoreRepository.open(root)
    assert repository.read_only is not None
    assert reason in repository.read_only
    assert answers(repository) == expected
    document, content, artifact = make_document("More.\n")
    for write in (
        lambda: repository.commit_document(document, content=content, artifact=artifact),
        lambda: repository.update_source(repository.sources()[0].source_id, tags=["x"]),
        lambda: repository.record_evidence([make_evidence(document, 0, 3)]),
        lambda: repository.save_claim(Claim(claim_id("d"), "d")),
        lambda: repository.append_events("ann", [EventDraft(EventType.NOTED, "c/e")]),
        lambda: repository.set_bibliography(repository.sources()[0].source_id, {"title": "x"}),
    ):
        with pytest.raises(StoreReadOnly) as caught:
            write()
        assert reason in caught.value.message
    with pytest.raises(NotFound):
        repository.document(document.document_id)


@pytest.mark.parametrize("keep_catalogue", [True, False])
def test_where_locks_do_not_work_the_store_is_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep_catalogue: bool
) -> None:
    expected = answers(filled(tmp_path))
    if not keep_catalogue:
        Layout(tmp_path).catalogue.unlink()

    def unsupported(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    check_read_only(tmp_path, expected, "No locks available")


def test_a_lock_that_cannot_be_opened_makes_the_store_read_only(tmp_path: Path) -> None:
    expected = answers(filled(tmp_path))
    (tmp_path / "lock").unlink()
    (tmp_path / "lock").mkdir()
    check_read_only(tmp_path, expected, "Is a directory")


@pytest.fixture
def without_rights() -> Iterator[Path]:
    """A folder, while this process has the rights of an ordinary user in it (a superuser ignores modes)."""
    folder = Path(tempfile.mkdtemp(prefix="cmtui-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir():
                path.chmod(0o700)
        shutil.rmtree(folder)


@pytest.mark.parametrize("keep_catalogue", [True, False])
def test_a_store_without_write_permission_is_read_only(without_rights: Path, keep_catalogue: bool) -> None:
    root = without_rights / "s"
    expected = answers(filled(root))
    if not keep_catalogue:
        shutil.rmtree(root / "derived")
    for path in [root, *root.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    if os.getuid() == 0:
        os.seteuid(65534)
    check_read_only(root, expected, "ermission denied")


def test_a_store_that_cannot_be_made_says_so(without_rights: Path) -> None:
    without_rights.chmod(0o555)
    if os.getuid() == 0:
        os.seteuid(65534)
    with pytest.raises(StoreReadOnly) as caught:
        StoreRepository.open(without_rights / "s")
    assert caught.value.hint


def test_a_full_disk_is_an_error_of_the_store_and_leaves_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cmtui.store import atomic

    repository = filled(tmp_path)
    expected = answers(repository)

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(atomic.os, "write", full)
        for write in (
            lambda: commit(repository, make_document("More.\n", name="more.txt")),
            lambda: repository.append_events("ann", [EventDraft(EventType.NOTED, "c/e")]),
            lambda: repository.save_claim(Claim(claim_id("d"), "d")),
        ):
            with pytest.raises(StoreError, match="full"):
                write()
        assert answers(repository)[:5] == expected[:5]
    assert answers(repository)[:5] == expected[:5]
    assert answers(StoreRepository.open(tmp_path))[:5] == expected[:5]
    commit(repository, make_document("More.\n", name="more.txt"))
    assert len(StoreRepository.open(tmp_path).document_ids()) == 6
    assert not list(tmp_path.rglob("*.tmp"))

"""Backup and restore: one moment of the store, checked on both ends, whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import threading
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from cmtui.engine.backup import backup, restore
from cmtui.errors import BackupRefused, Cancelled, CmtuiError, InvalidRequest, NotFound, StoreError
from cmtui.model.claim import Claim, claim_id
from cmtui.model.identity import sha256_bytes
from cmtui.model.review import EventDraft, EventType
from cmtui.store import archive as archives
from cmtui.store.directory import StoreRepository
from cmtui.store.layout import Layout
from support.documents import make_document, make_evidence
from support.killed import killed_at


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


def add(repository: StoreRepository, text: str, reviewer: str = "ann") -> str:
    """A document with evidence, a claim and a decision, in the order in which the engine writes them."""
    document, content, artifact = make_document(text)
    repository.commit_document(document, content=content, artifact=artifact)
    entry = make_evidence(document, 0, 4)
    repository.record_evidence([entry])
    repository.save_claim(Claim(claim_id(text), text))
    repository.set_bibliography(artifact.artifact_id, {"id": "x", "type": "book", "title": text})
    event = EventDraft(EventType.ACCEPTED, f"{claim_id(text)}/{entry.evidence_id}")
    repository.append_events(reviewer, [event, EventDraft(EventType.NOTED, event.object, {"note": text})])
    return document.document_id


@pytest.fixture
def store(tmp_path: Path) -> StoreRepository:
    repository = StoreRepository.open(tmp_path / "store")
    for text in ("Whales are mammals.", "Sharks are fish.", "Gone soon."):
        last = add(repository, text)
    repository.remove_document(last, reason="a draft")
    return repository


def truth(root: Path) -> dict[str, bytes]:
    """Every file of a store but derived data and locks."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and "derived" not in path.parts and "lock" not in path.name
    }


def test_what_comes_back_is_what_was_there(store: StoreRepository, tmp_path: Path) -> None:
    assert store.root is not None
    made = backup(store, tmp_path / "b.zip")
    assert (made.documents, made.damaged, made.left_out) == (2, (), ())
    back = restore(tmp_path / "b.zip", tmp_path / "new" / "store")
    assert truth(back.path) == truth(store.root)
    again = StoreRepository.open(back.path)
    assert again.document_ids() == store.document_ids()
    assert again.events("ann") == store.events("ann")
    assert again.evidence_entries() == store.evidence_entries()
    assert again.tombstones() == store.tombstones()
    assert again.generation() == store.generation()
    assert stat.S_IMODE((tmp_path / "b.zip").stat().st_mode) == 0o600
    assert stat.S_IMODE(back.path.stat().st_mode) == 0o700


def test_the_same_store_gives_the_same_archive(store: StoreRepository, tmp_path: Path) -> None:
    for name in ("a.zip", "b.zip"):
        backup(store, tmp_path / name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        names = archive.namelist()
        manifest = json.loads(archive.read("manifest.json"))
    assert names[:-1] == sorted(names[:-1])
    assert manifest["digest"] == "sha256"
    assert not any(name.startswith("derived") or "lock" in name for name in names)


def test_where_a_backup_may_not_go(store: StoreRepository, tmp_path: Path) -> None:
    assert store.root is not None
    for bad in (store.root / "b.zip", tmp_path / "nowhere" / "b.zip", tmp_path):
        with pytest.raises(InvalidRequest):
            backup(store, bad)
    (tmp_path / "b.zip").write_text("precious")
    with pytest.raises(InvalidRequest, match="exists"):
        backup(store, tmp_path / "b.zip")
    assert (tmp_path / "b.zip").read_text() == "precious"
    backup(store, tmp_path / "b.zip", replace=True)
    assert zipfile.is_zipfile(tmp_path / "b.zip")


def test_where_a_restore_may_not_go(store: StoreRepository, tmp_path: Path) -> None:
    assert store.root is not None
    backup(store, tmp_path / "b.zip")
    before = truth(store.root)
    with pytest.raises(InvalidRequest, match="not empty"):
        restore(tmp_path / "b.zip", store.root)
    assert truth(store.root) == before
    with pytest.raises(NotFound):
        restore(tmp_path / "none.zip", tmp_path / "new")
    (tmp_path / "empty").mkdir()
    assert restore(tmp_path / "b.zip", tmp_path / "empty").documents == 2


def test_a_cancelled_backup_or_restore_leaves_nothing(store: StoreRepository, tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        backup(store, tmp_path / "b.zip", cancelled=lambda: True)
    assert sorted(os.listdir(tmp_path)) == ["store"]
    backup(store, tmp_path / "b.zip")
    with pytest.raises(Cancelled):
        restore(tmp_path / "b.zip", tmp_path / "new", cancelled=lambda: True)
    assert sorted(os.listdir(tmp_path)) == ["b.zip", "store"]


def test_damaged_bytes_are_copied_and_named(store: StoreRepository, tmp_path: Path) -> None:
    digest = sha256_bytes(b"Whales are mammals.")
    Layout(tmp_path / "store").blob(digest).write_bytes(b"Whales are flowers.")
    (tmp_path / "store" / "notes.txt").write_text("mine")
    made = backup(store, tmp_path / "b.zip")
    assert [name[-64:] for name in made.damaged] == [digest]
    assert made.left_out == ("notes.txt",)
    assert restore(tmp_path / "b.zip", tmp_path / "new").damaged == made.damaged


# -- others write meanwhile --------------------------------------------------------------------------------


def test_a_backup_under_writing_is_of_one_moment(store: StoreRepository, tmp_path: Path) -> None:
    """Whatever a decision in the archive names is in the archive: evidence, claim and document."""
    root = store.root
    assert root is not None
    done = threading.Event()
    failures: list[BaseException] = []

    def write() -> None:
        try:
            other = StoreRepository.open(root)
            for number in range(60):
                if done.is_set():
                    break
                document_id = add(other, f"Text number {number}.", reviewer=f"r{number % 2}")
                if number % 3 == 2:
                    other.remove_document(document_id, reason="again")
        except BaseException as error:
            failures.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(4):
            backup(store, tmp_path / f"{number}.zip")
    finally:
        done.set()
        writer.join()
    assert not failures
    for number in range(4):
        back = StoreRepository.open(restore(tmp_path / f"{number}.zip", tmp_path / f"s{number}").path)
        logged = {entry.evidence_id: entry for entry in back.evidence_entries()}
        claims = {claim.claim_id for claim in back.claims()}
        for reviewer in back.reviewers():
            for event in back.events(reviewer):
                claim, _, evidence = event.object.partition("/")
                assert claim in claims
                document_id = logged[evidence].document_id
                assert document_id in back.document_ids() or back.tombstone(document_id)
        for document_id in back.document_ids():
            back.content_bytes(back.document(document_id).version.bytes_sha256)
        assert back.notices() == ()


def test_a_document_removed_while_it_is_copied_begins_the_backup_anew(
    store: StoreRepository, tmp_path: Path
) -> None:
    first = store.document_ids()[0]

    def remove_once(progress: object) -> None:
        if store.tombstone(first) is None:
            store.remove_document(first, reason="meanwhile")

    made = backup(store, tmp_path / "b.zip", progress=remove_once)
    assert made.documents == 1
    assert restore(tmp_path / "b.zip", tmp_path / "new").documents == 1


# -- accidents -----------------------------------------------------------------------------------------------


def test_a_kill_at_any_step_leaves_no_half_backup(store: StoreRepository, tmp_path: Path) -> None:
    assert store.root is not None
    before = truth(store.root)
    target = tmp_path / "b.zip"
    step, died = 0, True
    while died:
        step += 7
        died = killed_at(step, partial(backup, store, target))
        assert died or target.exists()
        # A kill while the lock was held is healed like any other: the generation is counted up.
        now = {k: v for k, v in truth(store.root).items() if k != "generation" and not k.endswith(".tmp")}
        assert now == {name: content for name, content in before.items() if name != "generation"}
        if target.exists():
            break  # whole, even when the kill came right after the rename
    assert step > 20
    # What the killed ones left was removed by the one that finished.
    assert sorted(os.listdir(tmp_path)) == ["b.zip", "store"]
    restore(target, tmp_path / "new")


def test_a_kill_at_any_step_leaves_no_half_store(store: StoreRepository, tmp_path: Path) -> None:
    assert store.root is not None
    backup(store, tmp_path / "b.zip")
    step, died = 0, True
    while died:
        step += 3
        died = killed_at(step, partial(restore, tmp_path / "b.zip", tmp_path / "new"))
        if (tmp_path / "new").exists():
            assert truth(tmp_path / "new") == truth(store.root)
            break
        assert died
    assert step > 20
    restore(tmp_path / "b.zip", tmp_path / "newer")


def test_a_full_disk_leaves_no_half_backup_or_store(
    store: StoreRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.root is not None
    before = truth(store.root)
    with monkeypatch.context() as full:
        full.setattr(archives, "_read", _full)
        with pytest.raises(StoreError, match="disk is full") as caught:
            backup(store, tmp_path / "b.zip")
        assert caught.value.hint
    assert sorted(os.listdir(tmp_path)) == ["store"]
    assert truth(store.root) == before
    backup(store, tmp_path / "b.zip")
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", _full)
        with pytest.raises(StoreError, match="disk is full"):
            restore(tmp_path / "b.zip", tmp_path / "new")
    assert sorted(os.listdir(tmp_path)) == ["b.zip", "store"]


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_does_not_read_back_is_no_backup(
    store: StoreRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = zipfile.ZipFile.writestr

    def spoil(self: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes) -> None:
        real(self, info, data)
        assert self.fp is not None
        at = self.fp.tell()
        self.fp.seek(200)
        self.fp.write(b"\0\0\0\0")
        self.fp.seek(at)

    monkeypatch.setattr(zipfile.ZipFile, "writestr", spoil)
    with pytest.raises(BackupRefused):
        backup(store, tmp_path / "b.zip")
    assert sorted(os.listdir(tmp_path)) == ["store"]


# -- hostile archives ----------------------------------------------------------------------------------------


def rewritten(source: Path, target: Path, change: Callable[[dict[str, bytes]], dict[str, bytes]]) -> None:
    """An archive with other entries than it had; ``change`` maps names to bytes."""
    with zipfile.ZipFile(source) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in change(entries).items():
            archive.writestr(name, content)


def announced(entries: dict[str, bytes], extra: dict[str, bytes]) -> dict[str, bytes]:
    """Entries with more of them, all of which the manifest states."""
    manifest = json.loads(entries["manifest.json"])
    for name, content in extra.items():
        manifest["files"].append({"name": name, "size": len(content), "sha256": sha256_bytes(content)})
    return {**entries, **extra, "manifest.json": json.dumps(manifest).encode()}


def dropped(entries: dict[str, bytes], start: str) -> dict[str, bytes]:
    name = next(name for name in entries if name.startswith(start))
    return {key: value for key, value in entries.items() if key != name}


def flipped(entries: dict[str, bytes], start: str) -> dict[str, bytes]:
    name = next(name for name in entries if name.startswith(start))
    content = bytearray(entries[name])
    content[len(content) // 2] ^= 1
    return {**entries, name: bytes(content)}


_HEX = "ab" * 32
HOSTILE: dict[str, Callable[[dict[str, bytes]], dict[str, bytes]]] = {
    "traversal": lambda e: announced(e, {"../evil.json": b"{}"}),
    "traversal inside": lambda e: announced(e, {f"claims/../../{_HEX}.json": b"{}"}),
    "absolute": lambda e: announced(e, {"/tmp/evil": b"x"}),
    "backslash": lambda e: announced(e, {"..\\evil": b"x"}),
    "stranger": lambda e: announced(e, {"notes.txt": b"x"}),
    "lock": lambda e: announced(e, {"lock": b"x"}),
    "derived": lambda e: announced(e, {"derived/catalogue.sqlite": b"x"}),
    "folder": lambda e: announced(e, {"claims/": b""}),
    "case": lambda e: announced(e, {f"claims/{_HEX.upper()}.json": b"{}"}),
    "unannounced": lambda e: {**e, f"claims/{_HEX}.json": b"{}"},
    "missing": lambda e: dropped(e, "snapshots/"),
    "no manifest": lambda e: dropped(e, "manifest.json"),
    "no store.json": lambda e: dropped(e, "store.json"),
    "not json": lambda e: {**e, "manifest.json": b"\xff{"},
    "deep": lambda e: {**e, "manifest.json": b"[" * 100_000},
    "other format": lambda e: {
        **e,
        "manifest.json": e["manifest.json"].replace(b"cmtui-backup/1", b"cmtui-backup/9"),
    },
    "newer": lambda e: {
        **e,
        "manifest.json": e["manifest.json"].replace(b'"store_format":1', b'"store_format":2'),
    },
    "other digest": lambda e: {**e, "manifest.json": e["manifest.json"].replace(b'"sha256",', b'"md5",', 1)},
    "flipped blob": lambda e: flipped(e, "blobs/"),
    "flipped log": lambda e: flipped(e, "events/"),
    "flipped record": lambda e: flipped(e, "sources/"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_with_one_sentence(
    store: StoreRepository, tmp_path: Path, name: str
) -> None:
    backup(store, tmp_path / "b.zip")
    rewritten(tmp_path / "b.zip", tmp_path / "h.zip", HOSTILE[name])
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(BackupRefused) as caught:
        restore(tmp_path / "h.zip", tmp_path / "new")
    assert str(tmp_path / "h.zip") in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint
    assert sorted(os.listdir(tmp_path)) == before


def test_entries_that_are_no_plain_files_are_refused(store: StoreRepository, tmp_path: Path) -> None:
    backup(store, tmp_path / "b.zip")
    for mode in (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR):
        with zipfile.ZipFile(tmp_path / "b.zip") as archive:
            entries = announced(
                {name: archive.read(name) for name in archive.namelist()}, {f"claims/{_HEX}.json": b"/etc"}
            )
        with zipfile.ZipFile(tmp_path / "h.zip", "w") as archive:
            for name, content in entries.items():
                info = zipfile.ZipInfo(name)
                info.external_attr = ((mode if _HEX in name else stat.S_IFREG) | 0o600) << 16
                archive.writestr(info, content)
        with pytest.raises(BackupRefused, match="no plain file"):
            restore(tmp_path / "h.zip", tmp_path / "new")


def test_a_bomb_is_refused_before_it_is_unpacked(
    store: StoreRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "RATIO_FLOOR", 1 << 20)
    backup(store, tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "h.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in announced(entries, {f"claims/{_HEX}.json": b"0" * (8 << 20)}).items():
            archive.writestr(name, content)
    with pytest.raises(BackupRefused, match="would unpack to"):
        restore(tmp_path / "h.zip", tmp_path / "new")


def test_our_own_backup_of_a_repetitive_text_is_no_bomb(
    store: StoreRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "RATIO_FLOOR", 1 << 16)
    add(store, "x " * (1 << 17))
    backup(store, tmp_path / "b.zip")
    assert restore(tmp_path / "b.zip", tmp_path / "new").documents == 3


def test_an_archive_that_needs_more_than_the_disk_has_is_refused(
    store: StoreRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup(store, tmp_path / "b.zip")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1))
    with pytest.raises(BackupRefused, match="has 1 left"):
        restore(tmp_path / "b.zip", tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("cut", [0, 1, 10, 100, 1000, -1, -30])
def test_a_truncated_archive_is_refused(store: StoreRepository, tmp_path: Path, cut: int) -> None:
    backup(store, tmp_path / "b.zip")
    raw = (tmp_path / "b.zip").read_bytes()
    (tmp_path / "h.zip").write_bytes(raw[:cut])
    with pytest.raises(BackupRefused):
        restore(tmp_path / "h.zip", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_no_flipped_bit_is_ever_restored(store: StoreRepository, tmp_path: Path) -> None:
    """Whatever byte of the archive is changed: it is refused, or what is restored is the same."""
    assert store.root is not None
    backup(store, tmp_path / "b.zip")
    raw = (tmp_path / "b.zip").read_bytes()
    expected = truth(store.root)
    for at in range(0, len(raw), max(1, len(raw) // 150)):
        changed = bytearray(raw)
        changed[at] ^= 0x11
        (tmp_path / "h.zip").write_bytes(changed)
        into = tmp_path / f"s{at}"
        try:
            restore(tmp_path / "h.zip", into)
        except CmtuiError:
            assert not into.exists()
        else:
            assert truth(into) == expected
            shutil.rmtree(into)

"""Formats: a synthetic store of format 0 is brought to format 1, with a backup first, all or nothing."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from cmtui.engine.backup import migrate as migrate_store
from cmtui.engine.backup import restore
from cmtui.errors import StoreError, StoreFormatError
from cmtui.model.progress import never_cancelled, no_progress
from cmtui.store import migration
from cmtui.store.directory import StoreRepository
from cmtui.store.layout import Layout
from cmtui.store.migration import Step, format_of, migrate
from support.documents import make_document
from support.killed import killed_at


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store as an imagined format 0 had it: the records of sources had another key for the kind."""
    root = tmp_path / "store"
    repository = StoreRepository.open(root)
    for text in ("One.", "Two."):
        document, content, artifact = make_document(text)
        repository.commit_document(document, content=content, artifact=artifact)
    for path in Layout(root).sources.glob("*.json"):
        path.write_bytes(path.read_bytes().replace(b'"kind":', b'"type":'))
    (root / "store.json").write_bytes(b'{"format":0,"digest":"sha256"}\n')
    shutil.rmtree(root / "derived")
    return root


def rename_key(layout: Layout) -> None:
    for path in layout.sources.glob("*.json"):
        path.write_bytes(path.read_bytes().replace(b'"type":', b'"kind":'))


STEPS: dict[int, Step] = {0: rename_key}


def run(root: Path, backup: Path, steps: dict[int, Step] | None = None) -> migration.Migration:
    return migrate(root, backup, progress=no_progress, cancelled=never_cancelled, steps=steps or STEPS)


def tree(root: Path) -> dict[str, bytes]:
    return {
        p.relative_to(root).as_posix(): p.read_bytes()
        for p in root.rglob("*")
        if p.is_file() and "lock" not in p.name
    }


def test_an_older_store_is_not_opened_but_told_how(old: Path) -> None:
    before = tree(old)
    with pytest.raises(StoreFormatError, match="format 0") as caught:
        StoreRepository.open(old)
    assert "migrate" in caught.value.hint
    assert tree(old) == before


def test_the_path_backs_up_changes_a_copy_and_swaps(old: Path, tmp_path: Path) -> None:
    before = tree(old)
    done = run(old, tmp_path / "b.zip")
    assert (done.found, done.reached, done.steps, done.backup) == (0, 1, (0,), tmp_path / "b.zip")
    assert len(StoreRepository.open(old).document_ids()) == 2
    assert sorted(os.listdir(tmp_path)) == ["b.zip", "store"]
    # The backup is of the store as it was, and can be put back.
    back = restore(tmp_path / "b.zip", tmp_path / "back")
    assert tree(back.path) == before
    assert run(old, tmp_path / "c.zip").steps == ()


def test_a_step_that_fails_changes_nothing(old: Path, tmp_path: Path) -> None:
    before = tree(old)

    def fail(layout: Layout) -> None:
        rename_key(layout)
        raise StoreError("no", "")

    with pytest.raises(StoreError, match="no"):
        run(old, tmp_path / "b.zip", {0: fail})
    assert tree(old) == before
    assert sorted(os.listdir(tmp_path)) == ["b.zip", "store"]
    with pytest.raises(StoreError, match="exists already"):
        run(old, tmp_path / "b.zip")


def test_without_a_step_nothing_is_tried(old: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreFormatError, match="no steps lead"):
        migrate_store(old)
    assert sorted(os.listdir(tmp_path)) == ["store"]


def test_a_store_that_changes_meanwhile_is_not_swapped(old: Path, tmp_path: Path) -> None:
    def write(layout: Layout) -> None:
        rename_key(layout)
        (old / "events" / "new.jsonl").write_text("a decision by a program that knows no locks\n")

    with pytest.raises(StoreError, match="changed while"):
        run(old, tmp_path / "b.zip", {0: write})
    assert (old / "events" / "new.jsonl").exists()


def test_a_kill_at_any_step_keeps_one_whole_store(old: Path, tmp_path: Path, monkeypatch: object) -> None:
    seed = tmp_path / "seed"
    shutil.copytree(old, seed)
    before = tree(old)
    reached: set[int] = set()
    step, died = 0, True
    while died:
        step += 1 if step > 150 else 9
        folder = tmp_path / f"at-{step}"
        shutil.copytree(seed, folder / "store")
        died = killed_at(step, partial(run, folder / "store", folder / "b.zip"))
        migration.finish_swap(folder / "store")
        reached.add(format_of(folder / "store"))
        if format_of(folder / "store") == 1:
            assert len(StoreRepository.open(folder / "store").document_ids()) == 2
        else:
            now = {k: v for k, v in tree(folder / "store").items() if not k.endswith(".tmp")}
            assert now == before
        shutil.rmtree(folder)
    assert reached == {0, 1}


def test_a_swap_that_stopped_half_way_is_finished_by_the_next_open(old: Path, tmp_path: Path) -> None:
    run(old, tmp_path / "b.zip")
    dead = 2**22 + 1
    old.rename(tmp_path / f".store.{dead}-abcd.migrated")
    shutil.copytree(
        tmp_path / f".store.{dead}-abcd.migrated", tmp_path / f".store.{dead}-ef.before-migration"
    )
    assert len(StoreRepository.open(old).document_ids()) == 2

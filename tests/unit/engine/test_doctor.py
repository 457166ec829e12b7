"""The doctor: every kind of damage to every layer is named, and only what can be made again is touched."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.engine.doctor import doctor, examine
from cmtui.errors import Cancelled, InvalidRequest, NotFound, StoreReadOnly
from cmtui.model.health import Health, HealthCheck
from cmtui.model.identity import sha256_bytes
from cmtui.store.directory import StoreRepository
from cmtui.store.layout import Layout
from cmtui.store.memory import InMemoryKnowledgeRepository

TEXTS = {
    "whales.txt": "Whales are mammals. They breathe air with lungs.\n\nSharks are fish.\n",
    "harbour.txt": "The harbour of Skerrow was built in 1871. Whales are mammals, somebody wrote.\n",
}


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with documents, a claim, decisions, bibliography, a removed document and an index."""
    folder = tmp_path_factory.mktemp("seed")
    with LocalCitationMachine.open(folder / "store") as machine:
        for name, text in {**TEXTS, "gone.txt": "It is gone."}.items():
            (folder / name).write_text(text, encoding="utf-8")
            machine.ingest(folder / name)
        claim = machine.evaluate_claim(machine.add_claim("Whales are mammals.").claim_id)
        assert claim.latest is not None
        accepted = next(f.evidence_id for f in claim.latest.findings if f.evidence_id)
        machine.review("ada").accept(claim.claim_id, accepted, note="good")
        source = next(s for s in machine.sources() if s.name == "whales.txt")
        machine.set_bibliography(source.source_id, {"id": "w", "type": "book", "title": "Whales"})
        gone = next(row for row in machine.documents() if row.name == "gone.txt")
        machine.remove(gone.document_id, reason="a draft")
        assert list(machine.search("whales"))
    return folder / "store"


@pytest.fixture
def root(seed: Path, tmp_path: Path) -> Path:
    shutil.copytree(seed, tmp_path / "store")
    return tmp_path / "store"


def one(root: Path, folder: str) -> Path:
    return sorted(p for p in (root / folder).rglob("*") if p.is_file() and not p.name.startswith("."))[0]


def problems(root: Path) -> list[HealthCheck]:
    return list(examine(root).problems)


def files(root: Path) -> dict[str, bytes]:
    return {
        p.relative_to(root).as_posix(): p.read_bytes()
        for p in root.rglob("*")
        if p.is_file() and "derived" not in p.parts and "lock" not in p.name
    }


def test_a_sound_store_is_healthy_and_nothing_is_changed(root: Path) -> None:
    before = files(root)
    with LocalCitationMachine.open(root) as machine:
        report = machine.doctor()
    assert report.problems == ()
    assert report.healthy
    assert report.digest == "sha256"
    assert {layer: dict(states) for layer, states in report.counts.items()} == {
        "store": {"ok": 2},
        "sources": {"ok": 3},
        "removed": {"ok": 1},
        "claims": {"ok": 1},
        "evidence": {"ok": 2},
        "snapshots": {"ok": 2},
        "identity": {"ok": 2},
        "bytes": {"ok": 2},
        "bibliography": {"ok": 1},
        "events": {"ok": 1},
        "derived": {"ok": 2},
    }
    assert files(root) == before


def flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


TRUTH = ("blobs", "snapshots", "sources", "bibliography", "evidence", "claims", "events", "removed")
LAYERS = {"blobs": "bytes"}


@pytest.mark.parametrize("folder", [*TRUTH, "identity"])
def test_an_empty_file_is_named(root: Path, folder: str) -> None:
    """paperless-ngx #1144: files of 0 bytes must not go unnoticed."""
    path = one(root, folder)
    path.write_bytes(b"")
    [found] = [c for c in problems(root) if c.status is Health.EMPTY]
    assert (root / found.path, found.layer) == (path, LAYERS.get(folder, folder))
    assert found.sentence
    assert found.advice
    assert not found.repairable
    assert not examine(root).healthy


@pytest.mark.parametrize("folder", [*TRUTH, "identity"])
def test_a_flipped_bit_is_named(root: Path, folder: str) -> None:
    path = one(root, folder)
    flip(path)
    found = [c for c in problems(root) if c.status is Health.DAMAGED and root / c.path == path]
    if folder not in ("bibliography", "removed", "claims", "sources"):  # text in records has no digest
        assert found
    for check in found:
        assert check.layer == LAYERS.get(folder, folder)
        assert check.advice
        assert not check.repairable


@pytest.mark.parametrize("folder", TRUTH)
def test_a_file_that_is_no_record_is_named(root: Path, folder: str) -> None:
    path = one(root, folder)
    path.write_bytes(b'{"what": "is this"}\n')
    assert any(c.status is Health.DAMAGED and root / c.path == path for c in problems(root))


def test_one_damaged_file_hides_no_other(root: Path) -> None:
    damaged = {one(root, folder) for folder in TRUTH}
    for path in damaged:
        path.write_bytes(b"{}\n")
    found = {root / c.path for c in problems(root) if c.status is Health.DAMAGED}
    assert damaged <= found


@pytest.mark.parametrize(
    ("folder", "layer"), [("blobs", "bytes"), ("snapshots", "snapshots"), ("evidence", "evidence")]
)
def test_a_missing_file_is_named(root: Path, folder: str, layer: str) -> None:
    path = one(root, folder)
    path.unlink()
    found = [c for c in problems(root) if c.status is Health.MISSING]
    assert layer in {c.layer for c in found}
    assert any(path == root / c.path for c in found)
    assert all(c.advice and not c.repairable for c in found)


def test_a_finding_with_a_changed_text_is_named(root: Path) -> None:
    path = one(root, "claims")
    path.write_bytes(path.read_bytes().replace(b"Whales are mammals.", b"Whales are flowers."))
    found = [c for c in problems(root) if c.layer == "claims"]
    assert found
    assert all(c.status is Health.DAMAGED for c in found)


def test_a_store_that_does_not_open_is_examined(root: Path) -> None:
    (root / "store.json").write_bytes(b"")
    one(root, "sources").write_bytes(b"{}")
    assert {c.layer for c in problems(root)} >= {"store", "sources"}
    with pytest.raises(NotFound):
        examine(root / "nowhere")


def test_cancelling_and_memory(root: Path) -> None:
    with pytest.raises(Cancelled):
        examine(root, cancelled=lambda: True)
    with pytest.raises(InvalidRequest):
        doctor(InMemoryKnowledgeRepository())


# -- repair ------------------------------------------------------------------------------------------------


def orphan(root: Path) -> None:
    digest = sha256_bytes(b"x")
    path = Layout(root).blob(digest)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"x")


def dead_note(root: Path) -> None:
    note = {"pid": 2**22 + 1, "host": os.uname().nodename, "started_at": "", "operation": "x", "subject": {}}
    (root / "claims" / ".lock.info").write_text(json.dumps(note))


def stale_identity(root: Path) -> None:
    path = one(root, "identity")
    record = json.loads(path.read_bytes())
    record["snapshot_sha256"] = "0" * 64
    path.write_text(json.dumps(record))


REPAIRABLE: dict[str, Callable[[Path], object]] = {
    "orphaned bytes": orphan,
    "missing sidecar": lambda root: one(root, "identity").unlink(),
    "stale sidecar": stale_identity,
    "temporary file": lambda root: (root / "claims" / f".x.{2**22 + 1}-abcd.tmp").write_bytes(b"x"),
    "note of the dead": dead_note,
    "no catalogue": lambda root: (root / "derived" / "catalogue.sqlite").unlink(),
    "broken catalogue": lambda root: (root / "derived" / "catalogue.sqlite").write_bytes(b"junk" * 999),
    "broken index": lambda root: [p.write_bytes(b"junk") for p in (root / "derived" / "lexical").iterdir()],
}


@pytest.mark.parametrize("name", REPAIRABLE)
def test_what_can_be_made_again_is_repaired_and_said(root: Path, name: str) -> None:
    before = files(root)
    REPAIRABLE[name](root)
    assert examine(root).healthy
    with LocalCitationMachine.open(root) as machine:
        report = machine.doctor(repair=True)
        assert report.problems == ()
        assert list(machine.search("whales"))
    after = files(root)
    for changing in ("generation",):
        before.pop(changing), after.pop(changing)
    assert after == before
    if name in ("orphaned bytes", "stale sidecar", "temporary file", "note of the dead", "broken index"):
        assert report.repaired


def test_truth_is_never_touched(root: Path) -> None:
    for folder in TRUTH:
        if folder != "sources":
            one(root, folder).write_bytes(b"{}\n")
    before = files(root)
    with LocalCitationMachine.open(root) as machine:
        report = machine.doctor(repair=True)
    assert not report.healthy
    after = files(root)
    assert {k: after[k] for k in before if k != "generation"} == {
        k: v for k, v in before.items() if k != "generation"
    }


def test_bytes_that_a_damaged_document_may_need_are_not_removed(root: Path) -> None:
    snapshot = one(root, "snapshots")
    snapshot.write_bytes(b"{}")
    (root / "identity" / snapshot.name).unlink()
    shutil.rmtree(root / "derived")
    blobs = sorted((root / "blobs").rglob("*"))
    with LocalCitationMachine.open(root) as machine:
        report = machine.doctor(repair=True)
    assert any(c.layer == "bytes" and not c.repairable for c in report.problems)
    assert sorted((root / "blobs").rglob("*")) == blobs


def test_strangers_and_lines_set_aside_are_told_and_left(root: Path) -> None:
    (root / "notes.txt").write_text("mine")
    (root / "events" / "ada.jsonl.torn").write_text("{")
    with LocalCitationMachine.open(root) as machine:
        report = machine.doctor(repair=True)
    assert {c.path for c in report.problems} == {"notes.txt", "events/ada.jsonl.torn"}
    assert report.healthy
    assert (root / "notes.txt").exists()


def test_a_read_only_store_is_examined_and_not_repaired(root: Path) -> None:
    repository = StoreRepository.open(root)
    reader = StoreRepository(
        Layout(root), clock=repository._documents._clock, lock_timeout=0, read_only="mounted read-only"
    )
    assert doctor(reader).healthy
    with pytest.raises(StoreReadOnly, match="mounted read-only"):
        doctor(reader, repair=True)

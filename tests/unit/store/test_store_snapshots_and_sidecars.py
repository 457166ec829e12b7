"""Snapshots verify themselves; identity sidecars are bound to them (R18 to R22, D15)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cmtui.errors import BlobDamaged, SidecarMalformed, SnapshotDamaged, StoreError
from cmtui.model.source import CanonicalDocument
from cmtui.store.cache import DocumentCache
from cmtui.store.directory import StoreRepository
from cmtui.store.layout import Layout
from cmtui.store.snapshots import Snapshots
from support.documents import make_document


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def document(store: Path) -> CanonicalDocument:
    document, content, artifact = make_document("Whales sing.\n\nThey do.\n", name="a.txt", pages=[(0, 12)])
    StoreRepository.open(store).commit_document(document, content=content, artifact=artifact)
    return document


def test_every_flipped_bit_of_a_snapshot_is_noticed(store: Path, document: CanonicalDocument) -> None:
    """Nothing is read from a damaged snapshot: not the text, and not a page table either."""
    path = Layout(store).snapshot(document.document_id)
    sound = path.read_bytes()
    for at in range(len(sound)):
        damaged = bytearray(sound)
        damaged[at] ^= 1 << (at % 8)
        path.write_bytes(damaged)
        with pytest.raises(SnapshotDamaged) as caught:
            Snapshots(Layout(store)).load(document.document_id)
        assert str(path) in caught.value.message
        assert caught.value.hint
    path.write_bytes(sound)
    assert Snapshots(Layout(store)).load(document.document_id)[0] == document


def test_a_truncated_empty_or_missing_snapshot_is_damaged(store: Path, document: CanonicalDocument) -> None:
    path = Layout(store).snapshot(document.document_id)
    sound = path.read_bytes()
    for content in (b"", sound[:-1], sound[:200], sound + b"\n", b"[]", b"\xff"):
        path.write_bytes(content)
        with pytest.raises(SnapshotDamaged):
            StoreRepository.open(store).document(document.document_id)
    path.unlink()
    with pytest.raises(SnapshotDamaged):
        Snapshots(Layout(store)).load(document.document_id)


def test_a_snapshot_under_another_documents_name_is_damaged(store: Path, document: CanonicalDocument) -> None:
    other = "ab" * 32
    Layout(store).snapshot(other).write_bytes(Layout(store).snapshot(document.document_id).read_bytes())
    repository = StoreRepository.open(store)
    assert repository.document_ids() == (document.document_id,)
    with pytest.raises(SnapshotDamaged, match=other):
        repository.document(other)
    assert any(other in notice for notice in repository.notices())


def test_a_damaged_document_does_not_close_the_library(store: Path, document: CanonicalDocument) -> None:
    sound, content, artifact = make_document("Sound.\n", name="b.txt")
    StoreRepository.open(store).commit_document(sound, content=content, artifact=artifact)
    Layout(store).snapshot(document.document_id).write_bytes(b"{}")
    for keep_catalogue in (True, False):
        if not keep_catalogue:
            Layout(store).catalogue.unlink()
        repository = StoreRepository.open(store)
        assert repository.document(sound.document_id) == sound
        with pytest.raises(SnapshotDamaged):
            repository.document(document.document_id)


def test_ingesting_again_repairs_a_damaged_document(store: Path, document: CanonicalDocument) -> None:
    layout = Layout(store)
    layout.snapshot(document.document_id).write_bytes(b"{}")
    layout.blob(document.version.bytes_sha256).unlink()
    repository = StoreRepository.open(store)
    with pytest.raises(BlobDamaged):
        repository.content_bytes(document.version.bytes_sha256)
    again, content, artifact = make_document("Whales sing.\n\nThey do.\n", name="a.txt", pages=[(0, 12)])
    repository.commit_document(again, content=content, artifact=artifact)
    assert repository.document(document.document_id) == document
    assert repository.content_bytes(document.version.bytes_sha256) == content


def test_damaged_source_bytes_are_never_handed_out(store: Path, document: CanonicalDocument) -> None:
    """R12: the version is the digest of the exact bytes."""
    path = Layout(store).blob(document.version.bytes_sha256)
    path.write_bytes(b"X" + path.read_bytes()[1:])
    with pytest.raises(BlobDamaged, match=path.name):
        StoreRepository.open(store).content_bytes(document.version.bytes_sha256)


def test_the_sidecar_holds_layers_one_to_three_bound_to_the_snapshot(
    store: Path, document: CanonicalDocument
) -> None:
    """R10 to R13, R19."""
    from cmtui.model.identity import sha256_bytes

    layout = Layout(store)
    sidecar = json.loads(layout.identity_of(document.document_id).read_bytes())
    source = StoreRepository.open(store).source_of(document.document_id)
    assert sidecar["snapshot_sha256"] == sha256_bytes(layout.snapshot(document.document_id).read_bytes())
    assert sidecar["artifact"]["artifact_id"] == source.source_id
    assert sidecar["version"]["version_id"] == document.version.version_id
    assert sidecar["content"]["content_id"] == document.document_id
    assert document.text not in json.dumps(sidecar)


def test_a_missing_sidecar_is_rebuilt_to_the_same_bytes(store: Path, document: CanonicalDocument) -> None:
    """R20."""
    path = Layout(store).identity_of(document.document_id)
    sound = path.read_bytes()
    path.unlink()
    repository = StoreRepository.open(store)
    assert repository.document(document.document_id) == document
    assert path.read_bytes() == sound
    assert any("identity sidecar" in notice for notice in repository.notices())


def test_a_stale_sidecar_is_rebuilt(store: Path, document: CanonicalDocument) -> None:
    """R20: stale means that it is bound to another snapshot file than the verified one."""
    path = Layout(store).identity_of(document.document_id)
    sound = path.read_bytes()
    stale = json.loads(sound)
    stale["snapshot_sha256"] = "0" * 64
    path.write_text(json.dumps(stale))
    assert StoreRepository.open(store).document(document.document_id) == document
    assert path.read_bytes() == sound


def edited(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def edit(raw: bytes) -> bytes:
        sidecar = json.loads(raw)
        change(sidecar)
        return json.dumps(sidecar).encode()

    return edit


@pytest.mark.parametrize(
    "edit",
    [
        lambda _: b"",
        lambda _: b"not json",
        lambda _: b"[]",
        lambda _: b"\xff\xfe",
        lambda raw: raw[: len(raw) // 2],
        edited(lambda s: s.pop("artifact")),
        edited(lambda s: s.update(extra=1)),
        edited(lambda s: s["version"].update(size="12")),
        edited(lambda s: s["version"].update(kind="docx")),
        edited(lambda s: s["content"]["profile"].update(steps=["newlines"])),
        edited(lambda s: s.update(format=99)),
        edited(lambda s: s["artifact"].update(reference="file:///forged.txt")),
        edited(lambda s: s["content"].update(text_sha256="0" * 64)),
    ],
    ids=[
        "empty",
        "not json",
        "list",
        "not utf-8",
        "cut",
        "missing key",
        "extra key",
        "wrong type",
        "unknown kind",
        "wrong steps",
        "format",
        "forged layer 1",
        "forged layer 3",
    ],
)
def test_a_malformed_sidecar_fails_closed_and_is_never_rebuilt(
    store: Path, document: CanonicalDocument, edit: Callable[[bytes], bytes]
) -> None:
    """R21."""
    path = Layout(store).identity_of(document.document_id)
    malformed = edit(path.read_bytes())
    path.write_bytes(malformed)
    with pytest.raises(SidecarMalformed) as caught:
        StoreRepository.open(store).document(document.document_id)
    assert str(path) in caught.value.message
    assert caught.value.hint
    assert path.read_bytes() == malformed


def test_sidecars_never_change_a_snapshot(store: Path, document: CanonicalDocument) -> None:
    """R22."""
    path = Layout(store).snapshot(document.document_id)
    sound, inode = path.read_bytes(), path.stat().st_ino
    Layout(store).identity_of(document.document_id).unlink()
    repository = StoreRepository.open(store)
    repository.document(document.document_id)
    repository.set_bibliography(repository.sources()[0].source_id, {"title": "x"})
    assert (path.read_bytes(), path.stat().st_ino) == (sound, inode)


def test_a_lost_source_record_is_rebuilt_from_the_sidecar(store: Path, document: CanonicalDocument) -> None:
    layout = Layout(store)
    before = StoreRepository.open(store).source_of(document.document_id)
    layout.source(before.source_id).unlink()
    repository = StoreRepository.open(store)
    assert repository.source_of(document.document_id).artifact == before.artifact
    assert layout.source(before.source_id).exists()
    assert StoreRepository.open(store).notices() == ()


def test_without_record_and_sidecar_the_source_is_named_by_its_bytes(
    store: Path, document: CanonicalDocument
) -> None:
    layout = Layout(store)
    layout.source(StoreRepository.open(store).sources()[0].source_id).unlink()
    layout.identity_of(document.document_id).unlink()
    repository = StoreRepository.open(store)
    assert repository.document(document.document_id) == document
    reference = repository.source_of(document.document_id).artifact.reference
    assert reference == f"urn:sha256:{document.version.bytes_sha256}"


@pytest.mark.parametrize("content", [b"", b"{}", b'{"format":1}', b"\xff"], ids=repr)
def test_a_malformed_source_record_names_its_file(
    store: Path, document: CanonicalDocument, content: bytes
) -> None:
    path = Layout(store).source(StoreRepository.open(store).sources()[0].source_id)
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        StoreRepository.open(store)
    assert str(path) in caught.value.message
    path.unlink()
    assert StoreRepository.open(store).document(document.document_id) == document


@pytest.mark.parametrize(
    "content", [b"", b"{}", b'{"source_id": 1}', b"[", b'{"format":1,"item":{}}'], ids=repr
)
def test_a_malformed_bibliography_sidecar_is_refused_and_kept(
    store: Path, document: CanonicalDocument, content: bytes
) -> None:
    """In the spirit of R21: what a person entered is never overwritten because it cannot be read."""
    repository = StoreRepository.open(store)
    source_id = repository.sources()[0].source_id
    repository.set_bibliography(source_id, {"title": "A"})
    path = Layout(store).bibliography_of(source_id)
    path.write_bytes(content)
    with pytest.raises(SidecarMalformed, match=path.name):
        repository.bibliography(source_id)
    with pytest.raises(SidecarMalformed):
        repository.set_bibliography(source_id, {"title": "B"})
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[", b'{"format":1,"claim":{"claim_id":"x","text":1}}'], ids=repr
)
def test_a_malformed_claim_names_its_file(store: Path, content: bytes) -> None:
    from cmtui.model.claim import Claim, claim_id

    repository = StoreRepository.open(store)
    repository.save_claim(Claim(claim_id("a"), "a"))
    path = Layout(store).claim(claim_id("a"))
    path.write_bytes(content)
    for question in (repository.claims, lambda: repository.claim(claim_id("a"))):
        with pytest.raises(StoreError) as caught:
            question()
        assert str(path) in caught.value.message
        assert caught.value.hint


def test_the_cache_of_decoded_documents_is_bounded() -> None:
    cache = DocumentCache(capacity=10)
    documents = [make_document(text)[0] for text in ("aaaa", "bbbb", "cccc", "d" * 50)]
    for document in documents[:2]:
        cache.put(document)
    assert cache.get(documents[0].document_id) is documents[0]
    cache.put(documents[2])
    assert cache.get(documents[1].document_id) is None
    assert cache.get(documents[0].document_id) is documents[0]
    cache.put(documents[3])
    assert cache.get(documents[3].document_id) is documents[3]
    assert cache.get(documents[2].document_id) is None

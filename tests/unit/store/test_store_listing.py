"""The quick listing says exactly what the opened store says, or nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.engine.listing import listing
from cmtui.model.source import IngestWarning
from support.documents import make_document


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two sources, one of them with two versions, a title and a warning."""
    root = tmp_path / "store with ? and %20"
    with LocalCitationMachine.open(root) as machine:
        warning = IngestWarning("no-text", "Page 2 holds no text.", (2,))
        for text, name, warnings in (
            ("One.\n", "a%20b.txt", ()),
            ("Two.\n", "a%20b.txt", (warning,)),
            ("Three.\n", "c.txt", ()),
        ):
            document, content, artifact = make_document(text, name=name, warnings=warnings)
            machine.repository.commit_document(document, content=content, artifact=artifact)
        machine.set_bibliography(artifact.artifact_id, {"id": "x", "type": "book", "title": "A Title"})
    return root


def opened(root: Path) -> list[tuple[object, ...]]:
    with LocalCitationMachine.open(root) as machine:
        return [
            (
                row.document_id,
                row.source_id,
                row.source_version,
                str(row.kind),
                row.name,
                row.reference,
                row.characters,
                row.pages,
                row.passages,
                row.language,
                tuple((w.code, w.message, w.pages) for w in row.warnings),
                row.current,
                machine.title(row.source_id),
            )
            for row in machine.documents()
        ]


def test_it_is_what_the_opened_store_lists(store: Path) -> None:
    listed = listing(store)
    assert listed is not None
    assert [(*row[:10], tuple(tuple(w) for w in row.warnings), *row[11:]) for row in listed] == opened(store)
    assert {row.title for row in listed} == {None, "A Title"}
    assert sorted(row.current for row in listed) == [False, True, True]


def test_it_follows_a_commit_and_a_removal(store: Path) -> None:
    with LocalCitationMachine.open(store) as machine:
        document, content, artifact = make_document("Four.\n", name="d.txt")
        machine.repository.commit_document(document, content=content, artifact=artifact)
        listed = listing(store)
        assert listed is not None
        assert len(listed) == 4
        machine.remove(document.document_id, reason="a mistake")
    listed = listing(store)
    assert listed is None or len(listed) == 3
    assert len(opened(store)) == 3


def _touched(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" ")


@pytest.mark.parametrize(
    "harm",
    [
        lambda root: (root / "derived" / "catalogue.sqlite").unlink(),
        lambda root: (root / "derived" / "catalogue.sqlite").write_bytes(b"not a database, not at all" * 99),
        lambda root: (root / "generation").unlink(),
        lambda root: (root / "generation").write_bytes(b'{"counter":9,"changes":99}'),
        lambda root: (root / "lock.info").write_bytes(b"{}"),
        lambda root: (root / "store.json").write_bytes(b'{"format":99,"digest":"sha256"}'),
        lambda root: next((root / "snapshots").iterdir()).unlink(),
        lambda root: _touched(next((root / "sources").glob("*.json"))),
        lambda root: next((root / "bibliography").glob("*.json")).write_bytes(b"{"),
        lambda root: next((root / "bibliography").glob("*.json")).write_bytes(
            json.dumps({"format": 1, "source_id": "x", "item": {}, "unknown": 1}).encode()
        ),
        lambda root: os.rename(root / "sources", root / "elsewhere"),
    ],
)
def test_it_says_nothing_when_anything_is_unusual(store: Path, harm: Callable[[Path], object]) -> None:
    """The store must be opened then: that mends it, or says what is wrong."""
    harm(store)
    assert listing(store) is None


def test_it_makes_nothing(tmp_path: Path) -> None:
    assert listing(tmp_path / "none") is None
    assert list(tmp_path.iterdir()) == []

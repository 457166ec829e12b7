"""Candidates that are read only when they are asked for (settlements.md 2.35)."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.errors import ConfigError
from cmtui.retrieval.lexical_search import CitationLexicalSearch
from cmtui.retrieval.pool import LazyPassages, lazy_pool, sequence_of
from cmtui.retrieval.semantic import InMemorySemanticIndex
from cmtui.retrieval.vectors_index import text_digests


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    machine = LocalCitationMachine.open(tmp_path / "store")
    for name, text in {
        "a.txt": "The king wept.\n\n" * 30,
        "b.txt": "A storm at sea. " * 200 + "\n\nThe crew was sad.\n",
        "c.md": "# Grief\n\nThe queen mourned.\n",
    }.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        machine.ingest(path)
    return machine


def test_they_are_the_enumerated_candidates(machine: LocalCitationMachine) -> None:
    """R71: the same passages in the same order, by place, by slice and by id, with their digests."""
    port = machine.search_port
    assert isinstance(port, CitationLexicalSearch)
    rows = port.eligible(None)
    expected = list(port.candidates())
    lazy = LazyPassages(machine.repository, rows, {})
    pool = lazy_pool(machine.repository, rows, {})
    assert list(lazy) == expected == [lazy[at] for at in range(len(lazy))] == lazy[:]
    assert lazy[-1] == expected[-1]
    assert [lazy.passage_id(at) for at in range(len(lazy))] == list(pool)
    assert lazy.text_digests() == text_digests(expected).tobytes()
    assert sequence_of(pool)[0] == expected[0] == pool[expected[0].passage_id]
    for wrong in (
        "x",
        "x#0",
        expected[0].passage_id + "0000",
        expected[0].passage_id.replace("#0", "#00"),
        3,
    ):
        assert wrong not in pool
    with pytest.raises(KeyError):
        pool["x#0"]
    with pytest.raises(IndexError):
        lazy[len(expected)]


def test_a_store_answers_as_the_index_in_memory_does(machine: LocalCitationMachine) -> None:
    """D4, R76, R191: kept vectors and lazy candidates change no answer, nor does deleting them."""
    for query in ("sad", "storm on the ocean", "weeping kings"):
        kept = machine.semantic_search(query)
        assert kept == machine.semantic_search(query, index=InMemorySemanticIndex())
        assert machine.hybrid_search(query) == machine.hybrid_search(query, index=InMemorySemanticIndex())
    assert list((machine.path / "derived" / "vectors").rglob("*.vec"))


def test_concepts_of_a_persons_own(machine: LocalCitationMachine, tmp_path: Path) -> None:
    """``concepts.txt`` in the store directory adds concepts, and words to known ones."""
    assert not machine.semantic_search("whelm")
    (machine.path / "concepts.txt").write_text("# mine\nsadness: whelm\n", encoding="utf-8")
    with LocalCitationMachine.open(machine.path) as again:
        (first, *others) = again.semantic_search("whelm")
        assert (first.text, any("wept" in other.text for other in others)) == ("# Grief", True)
        assert len(first.retrieval.matches) == 1  # and what was meant is shown
    machine.backup(tmp_path / "copy.zip")
    with zipfile.ZipFile(tmp_path / "copy.zip") as archive:
        assert any(name.endswith("concepts.txt") for name in archive.namelist())
    (machine.path / "concepts.txt").write_text("sadness\n", encoding="utf-8")
    with LocalCitationMachine.open(machine.path) as again, pytest.raises(ConfigError, match="line 1"):
        again.semantic_search("whelm")

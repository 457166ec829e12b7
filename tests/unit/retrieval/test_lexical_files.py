"""The index directory: derived data that may be deleted, damaged, foreign or shared at any time."""

from __future__ import annotations

import json
import multiprocessing
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cmtui.errors import IndexDamaged, IndexRebuilding
from cmtui.model.progress import never_cancelled
from cmtui.model.retrieval import Filters
from cmtui.retrieval.lexical import MANIFEST, WhooshLexicalIndex
from cmtui.retrieval.search import CitationLexicalSearch, local_search
from cmtui.store.locks import FolderLock
from cmtui.store.memory import InMemoryKnowledgeRepository
from support.documents import make_document

TEXTS = [f"The king of land {n} sailed.\n\nA storm sank ship {n} at sea." for n in range(6)]
QUERY = "king storm sea"


def library(texts: list[str] = TEXTS) -> InMemoryKnowledgeRepository:
    repository = InMemoryKnowledgeRepository()
    for n, text in enumerate(texts):
        document, content, artifact = make_document(text, name=f"{n}.txt")
        repository.commit_document(document, content=content, artifact=artifact)
    return repository


def answer(search: CitationLexicalSearch) -> list[tuple[str, float]]:
    return [(result.passage_id, result.score) for result in search.search(QUERY, limit=100)]


def at(directory: Path, repository: InMemoryKnowledgeRepository | None = None) -> CitationLexicalSearch:
    return CitationLexicalSearch(repository or library(), WhooshLexicalIndex(directory))


def segment_files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.iterdir() if path.suffix in {".seg", ".toc"})


def delete_everything(directory: Path) -> None:
    shutil.rmtree(directory)


def cut_the_contents_table(directory: Path) -> None:
    for path in directory.glob("*.toc"):
        path.write_bytes(path.read_bytes()[:20])


def cut_the_segments(directory: Path) -> None:
    for path in directory.glob("*.seg"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def zero_the_headers(directory: Path) -> None:
    for path in directory.glob("*.seg"):
        content = bytearray(path.read_bytes())
        content[:64] = bytes(64)
        path.write_bytes(content)


def remove_the_segments(directory: Path) -> None:
    for path in directory.glob("*.seg"):
        path.unlink()


def another_version(directory: Path) -> None:
    manifest = json.loads((directory / MANIFEST).read_text())
    (directory / MANIFEST).write_text(json.dumps({**manifest, "stemmer": "another"}))


def garbage_manifest(directory: Path) -> None:
    (directory / MANIFEST).write_bytes(b"\xff{")


DAMAGES: list[Callable[[Path], None]] = [
    delete_everything,
    cut_the_contents_table,
    cut_the_segments,
    zero_the_headers,
    remove_the_segments,
    another_version,
    garbage_manifest,
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("opened_before", [False, True])
def test_damaged_derived_data_is_rebuilt_and_changes_no_answer(
    tmp_path: Path, damage: Callable[[Path], None], opened_before: bool
) -> None:
    """R191, architecture: delete or damage derived data and nothing is lost; the person sees no error."""
    directory = tmp_path / "derived" / "lexical"
    search = at(directory)
    expected = answer(search)
    assert len(expected) == 12
    if not opened_before:
        search = at(directory)
    damage(directory)
    assert answer(search) == expected
    assert answer(at(directory)) == expected


@pytest.mark.parametrize("seed", range(8))
def test_bytes_changed_anywhere_never_raise_to_the_person(tmp_path: Path, seed: int) -> None:
    """Damage in the middle of a file is found when it is read: rebuilt, or without effect."""
    directory = tmp_path / "lexical"
    expected = answer(at(directory))
    random_bytes = random.Random(seed)
    for path in segment_files(directory):
        content = bytearray(path.read_bytes())
        place = random_bytes.randrange(len(content) - 64)
        content[place : place + 64] = random_bytes.randbytes(64)
        path.write_bytes(content)
    ids = {result for result, _ in answer(at(directory))}
    assert ids <= {result for result, _ in expected}


def test_an_index_that_stays_broken_is_told(tmp_path: Path) -> None:
    """When rebuilding does not help, one clear error is raised."""

    class Broken(WhooshLexicalIndex):
        def search(self, query: str, *, filters: Filters, limit: int) -> list[object]:  # type: ignore[override]
            raise IndexDamaged("The search index cannot be read.", "Search again.")

    with pytest.raises(IndexDamaged):
        CitationLexicalSearch(library(), Broken(tmp_path / "lexical")).search("king")


def test_a_second_reader_sees_what_the_first_commits(tmp_path: Path) -> None:
    """Two processes share the directory: each search opens the newest generation."""
    directory = tmp_path / "lexical"
    repository = library(TEXTS[:3])
    first, second = at(directory, repository), at(directory, repository)
    assert answer(first) == answer(second)
    document, content, artifact = make_document(TEXTS[5], name="5.txt")
    repository.commit_document(document, content=content, artifact=artifact)
    assert len(answer(first)) == 8
    assert answer(second) == answer(first)


def _index_some(directory: Path, first: int) -> None:
    repository = library(TEXTS[first : first + 3])
    index = WhooshLexicalIndex(directory)
    for row in repository.summaries():
        index.add(
            [(row, repository.document(row.document_id))], progress=lambda _: None, cancelled=never_cancelled
        )
    index.close()


def test_two_processes_index_at_once(tmp_path: Path) -> None:
    """The lock beside the directory keeps writers apart; both sets of documents arrive whole."""
    directory = tmp_path / "lexical"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_index_some, args=(directory, first)) for first in (0, 3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    index = WhooshLexicalIndex(directory)
    assert index.covers() == frozenset(library().document_ids())
    index.close()


def test_waiting_for_another_writer_ends(tmp_path: Path) -> None:
    """The wait is bounded, and says what to do."""
    directory = tmp_path / "lexical"
    index = WhooshLexicalIndex(directory, lock_seconds=0.0)
    with (
        FolderLock(tmp_path / "lexical.lock", timeout=1.0).hold("index"),
        pytest.raises(IndexRebuilding) as caught,
    ):
        index.remove(["0" * 64])
    assert caught.value.hint


def test_a_folder_that_cannot_be_written_is_searched_from_memory(tmp_path: Path) -> None:
    """A store on read-only media can still be searched."""
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    search = at(blocked / "derived" / "lexical")
    assert len(answer(search)) == 12
    assert blocked.read_text() == "no folder"


def test_memory_repositories_keep_their_index_in_memory() -> None:
    """R7: no directory, no file."""
    assert len(answer(local_search(library()))) == 12

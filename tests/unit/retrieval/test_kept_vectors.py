"""Vectors kept under the derived data (D4): they save work and change no answer."""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import overload

import pytest

from cmtui.errors import Cancelled
from cmtui.model.progress import Progress
from cmtui.model.retrieval import PassageProjection, ScoredPassage
from cmtui.model.source import PassageRole
from cmtui.retrieval import vectors_folder, vectors_index
from cmtui.retrieval.concepts import read_concepts
from cmtui.retrieval.semantic import InMemorySemanticIndex
from cmtui.retrieval.vectors_index import MappedSemanticIndex

_WORDS = """
    king queen wept grief harbour storm ocean ship captain physician fever river forest sword battle
    lantern letter committee report survey increase decline protein cancer neural liver market tax vote prison
    winter snow garden bread wine school teacher memory dream silence mountain valley horse dog bird
"""
WORDS = _WORDS.split()


def passages(count: int, seed: int = 1) -> list[PassageProjection]:
    pick = random.Random(seed)
    texts = [" ".join(pick.choices(WORDS, k=pick.randint(3, 40))) for _ in range(count)]
    return [PassageProjection(f"{seed:064x}#{n}", text) for n, text in enumerate(texts)]


QUERIES = ["the weeping king", "ocean storm and a sailor", "tumour", "xyzzy", "", "snow in the mountains"]


def answers(index: object, candidates: Sequence[PassageProjection]) -> list[list[ScoredPassage]]:
    rank = index.rank  # type: ignore[attr-defined]
    return [list(rank(query, candidates, limit=limit)) for query in QUERIES for limit in (7, None)]


def test_it_answers_as_the_matcher_does_to_the_last_digit(tmp_path: Path) -> None:
    """R191: same ranks and scores, whole, filtered, with texts that stand twice, and when opened again."""
    everything = passages(120)
    everything += [
        PassageProjection("f" * 64 + "#0", everything[5].text),
        PassageProjection("e" * 64 + "#0", ""),
    ]
    reference = InMemorySemanticIndex()
    index = MappedSemanticIndex(tmp_path)
    for candidates in (everything, everything[:40], everything[90:], everything[::-1]):
        expected = answers(reference, candidates)
        assert answers(index, candidates) == expected
        assert answers(MappedSemanticIndex(tmp_path), candidates) == expected
    assert answers(MappedSemanticIndex(None), everything) == answers(reference, everything)


def test_what_is_kept_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new process reads no text that is known; a new text is the only one that is read."""
    candidates = passages(50)
    MappedSemanticIndex(tmp_path).rank("king", candidates)
    made: list[str] = []
    real = vectors_index.feature_rows
    monkeypatch.setattr(
        vectors_index, "feature_rows", lambda texts, lexicon: made.extend(texts) or real(texts, lexicon)
    )
    index = MappedSemanticIndex(tmp_path)
    index.rank("king", candidates)
    assert made == []
    index.rank("king", [*candidates, PassageProjection("a#0", "A new king.")])
    assert made == ["A new king."]


def test_small_segments_are_merged_and_answer_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Merging in tiers: few files, the same answers."""
    monkeypatch.setattr(vectors_folder, "_TIERS", (8, 64, 512))
    candidates = passages(200)
    index = MappedSemanticIndex(tmp_path)
    for end in range(5, 201, 5):
        index.rank("king", candidates[:end])
    assert len(list(tmp_path.rglob("*.vec"))) <= 16
    expected = answers(InMemorySemanticIndex(), candidates)
    assert answers(index, candidates) == expected
    assert answers(MappedSemanticIndex(tmp_path), candidates) == expected


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "list", "delete", "delete-file", "foreign"])
def test_damage_changes_no_answer(tmp_path: Path, damage: str) -> None:
    """Whatever befalls derived files, they are made anew."""
    candidates = passages(60)
    expected = answers(InMemorySemanticIndex(), candidates)
    open_index = MappedSemanticIndex(tmp_path)
    assert answers(open_index, candidates) == expected
    (file,) = tmp_path.rglob("*.vec")
    content = bytearray(file.read_bytes())
    if damage == "flip":
        content[len(content) // 2] ^= 0x40
        file.unlink()
        file.write_bytes(content)
    elif damage == "cut":
        file.unlink()
        file.write_bytes(content[: len(content) // 3])
    elif damage == "empty":
        file.unlink()
        file.write_bytes(b"")
    elif damage == "list":
        file.with_name("segments.json").write_text('["../../x", 3]')
    elif damage == "delete":
        shutil.rmtree(tmp_path)
    elif damage == "delete-file":
        file.unlink()
    else:
        file.unlink()
        file.write_bytes(bytes(content).replace(b"local-hash", b"other-hash", 1))
    assert answers(open_index, candidates) == expected
    assert answers(MappedSemanticIndex(tmp_path), candidates) == expected
    assert answers(MappedSemanticIndex(tmp_path), candidates[:30]) == answers(
        InMemorySemanticIndex(), candidates[:30]
    )


def test_a_folder_that_cannot_be_written_costs_time_alone(tmp_path: Path) -> None:
    """A store on a read-only disk is searched all the same."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    candidates = passages(30)
    assert answers(MappedSemanticIndex(blocked / "vectors"), candidates) == answers(
        InMemorySemanticIndex(), candidates
    )


def test_two_writers_at_once(tmp_path: Path) -> None:
    """Each publishes under the lock; nothing of either is lost."""
    candidates = passages(240)
    halves = [candidates[:160], candidates[80:]]
    threads = [
        threading.Thread(target=lambda half=half: MappedSemanticIndex(tmp_path).rank("king", half))
        for half in halves
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = answers(InMemorySemanticIndex(), candidates)
    assert answers(MappedSemanticIndex(tmp_path), candidates) == expected


def test_other_versions_are_removed(tmp_path: Path) -> None:
    """Another lexicon makes other vectors; the old ones go when new ones are written."""
    candidates = passages(20)
    MappedSemanticIndex(tmp_path).rank("king", candidates)
    own = read_concepts("royal: king queen\n")
    index = MappedSemanticIndex(tmp_path, lexicon=own)
    assert index.name != MappedSemanticIndex(tmp_path).name
    index.rank("king", candidates)
    assert len(list(tmp_path.glob("local-hash-*"))) == 1


class Lazy(Sequence[PassageProjection]):
    """Candidates that know their digests; reading a text is counted."""

    def __init__(self, inside: Sequence[PassageProjection]) -> None:
        self.inside = inside
        self.read = 0

    @property
    def pool_key(self) -> str:
        return "lazy"

    def text_digests(self) -> bytes:
        return vectors_index.text_digests(self.inside).tobytes()

    def passage_id(self, place: int) -> str:
        return self.inside[place].passage_id

    @overload
    def __getitem__(self, index: int) -> PassageProjection: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PassageProjection]: ...
    def __getitem__(self, index: int | slice) -> PassageProjection | Sequence[PassageProjection]:
        self.read += 1
        return self.inside[index]

    def __len__(self) -> int:
        return len(self.inside)


def test_candidates_that_know_their_digests_are_not_read(tmp_path: Path) -> None:
    """Settlement 35: no text is read when its vector is kept."""
    candidates = passages(40)
    MappedSemanticIndex(tmp_path).prepare(candidates)
    lazy = Lazy(candidates)
    hits = MappedSemanticIndex(tmp_path).rank("king", lazy)
    assert hits == InMemorySemanticIndex().rank("king", candidates)
    assert lazy.read == 0


def test_making_vectors_can_be_stopped_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress and cancelling between batches; what was made is kept."""
    monkeypatch.setattr(vectors_index, "BATCH", 10)
    seen: list[Progress] = []
    candidates = passages(35)
    with pytest.raises(Cancelled):
        MappedSemanticIndex(tmp_path).prepare(
            candidates, progress=seen.append, cancelled=lambda: len(seen) == 2
        )
    assert [step.done for step in seen] == [0, 10]
    seen.clear()
    MappedSemanticIndex(tmp_path).prepare(candidates, progress=seen.append)
    assert seen[0].total == 15


def test_a_role_is_no_part_of_it() -> None:
    """Only the text is looked at (R77)."""
    index = MappedSemanticIndex(None)
    heading = PassageProjection("a#0", "The king", PassageRole.HEADING)
    assert index.rank("king", [heading]) == InMemorySemanticIndex().rank("king", [heading])

"""What every SemanticIndex does (ports.SemanticIndex), run on each adapter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cmtui.model.retrieval import PassageProjection
from cmtui.ports import SemanticIndex
from cmtui.retrieval.learned.index import LearnedSemanticIndex
from cmtui.retrieval.semantic import InMemorySemanticIndex, SentenceTransformerMatcher
from cmtui.retrieval.vectors_index import MappedSemanticIndex


class LetterPairs:
    """An encoder without a model: counts pairs of letters."""

    def encode(self, sentences: list[str]) -> list[list[float]]:
        vectors = []
        for sentence in sentences:
            vector = [0.0] * 128
            text = sentence.lower()
            for at in range(len(text) - 1):
                if text[at : at + 2].isalpha():
                    vector[(ord(text[at]) * 7 + ord(text[at + 1])) % 128] += 1.0
            vectors.append(vector)
        return vectors


class PairEncoder:
    """The same as the encoder of a learned index."""

    name, digest = "pairs:1", "0" * 64

    def encode_query(self, text: str) -> np.ndarray:
        vector = np.array(LetterPairs().encode([text])[0], np.float32)
        return vector / max(float(np.linalg.norm(vector)), 1e-9)

    def encode_passage(self, text: str) -> np.ndarray:
        return self.encode_query(text)[None]


ADAPTERS: dict[str, Callable[[], SemanticIndex]] = {
    "local": InMemorySemanticIndex,
    "local-kept": lambda: MappedSemanticIndex(None),
    "learned": lambda: LearnedSemanticIndex(encoder=PairEncoder()),
    "sentence-transformer": lambda: InMemorySemanticIndex(SentenceTransformerMatcher(LetterPairs())),
}
TEXTS = ["The king wept.", "A sad king.", "Nobody came.", "The king wept.", "Kings and queens."]
CANDIDATES = [PassageProjection(f"{'ab' * 32}#{n}", text) for n, text in enumerate(TEXTS)]


@pytest.fixture(params=list(ADAPTERS))
def index(request: pytest.FixtureRequest) -> SemanticIndex:
    """A fresh index of each kind."""
    return ADAPTERS[request.param]()


def test_it_answers_with_ids_it_was_given_and_positive_scores_best_first(index: SemanticIndex) -> None:
    """R77."""
    hits = index.rank("the king", CANDIDATES)
    assert {hit.passage_id for hit in hits} <= {candidate.passage_id for candidate in CANDIDATES}
    assert len({hit.passage_id for hit in hits}) == len(hits) >= 3
    assert all(hit.score > 0 for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_limit_gives_the_beginning(index: SemanticIndex) -> None:
    """Whatever the limit, the order is the same."""
    hits = list(index.rank("the king", CANDIDATES))
    assert list(index.rank("the king", CANDIDATES, limit=2)) == hits[:2]
    assert list(index.rank("the king", CANDIDATES, limit=99)) == hits


def test_equal_texts_score_alike_in_the_order_given(index: SemanticIndex) -> None:
    """Ties are broken by the order of the candidates (R73)."""
    hits = {hit.passage_id: (place, hit.score) for place, hit in enumerate(index.rank("king", CANDIDATES))}
    first, second = hits[CANDIDATES[0].passage_id], hits[CANDIDATES[3].passage_id]
    assert first[1] == second[1]
    assert first[0] < second[0]


def test_each_request_stands_alone(index: SemanticIndex, request: pytest.FixtureRequest) -> None:
    """R76: rebuilt from the candidates of the request; nothing of an earlier one is left."""
    alone = ADAPTERS[request.node.callspec.params["index"]]()
    index.rank("queen", CANDIDATES)
    index.rank("king", CANDIDATES[:2])
    assert list(index.rank("king", CANDIDATES[2:])) == list(alone.rank("king", CANDIDATES[2:]))
    assert index.rank("king", []) == []


def test_the_order_of_candidates_changes_no_score(index: SemanticIndex) -> None:
    """R191."""
    forward = {hit.passage_id: hit.score for hit in index.rank("sad king", CANDIDATES)}
    backward = {hit.passage_id: hit.score for hit in index.rank("sad king", CANDIDATES[::-1])}
    assert forward == backward

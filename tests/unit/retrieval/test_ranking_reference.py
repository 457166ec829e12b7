"""Ranking against the reference: Whoosh's own BM25F on the same index."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cmtui.model.progress import never_cancelled, no_progress
from cmtui.model.retrieval import Filters
from cmtui.retrieval.lexical import WhooshLexicalIndex
from cmtui.retrieval.tokens import stem
from cmtui.store.memory import InMemoryKnowledgeRepository
from support.documents import make_document


def test_scores_are_those_of_whoosh_on_one_segment(tmp_path: Path) -> None:
    """On an index without deletions and of one segment the scores equal Whoosh's BM25F with its defaults.

    Only the average length differs: Whoosh averages exact lengths, we average them as they are coded, which
    is the same here because lengths of up to ten words are coded exactly.
    """
    words = ["king", "queen", "sea", "ship", "storm", "harbour", "gold", "winter", "letter", "bread"]
    chance = random.Random(7)
    repository = InMemoryKnowledgeRepository()
    for n in range(40):
        text = "\n\n".join(
            " ".join(chance.choice(words) for _ in range(chance.randrange(3, 11))) for _ in range(5)
        )
        document, content, artifact = make_document(text, name=f"{n}.txt")
        repository.commit_document(document, content=content, artifact=artifact)
    index = WhooshLexicalIndex(tmp_path / "lexical")
    pairs = [(row, repository.document(row.document_id)) for row in repository.summaries()]
    index.add(pairs, progress=no_progress, cancelled=never_cancelled)

    from whoosh.index import open_dir
    from whoosh.query import Or, Term

    with open_dir(str(tmp_path / "lexical")).searcher() as searcher:
        for _ in range(20):
            asked = chance.sample(words, 3)
            stems = [stem(word) for word in asked]
            reference = searcher.search(Or([Term("body", stem) for stem in stems]), limit=None)
            expected = {hit["passage_id"]: hit.score for hit in reference}
            answer = index.search(" ".join(asked), filters=Filters(), limit=1000)
            assert {hit.passage_id: hit.score for hit in answer} == pytest.approx(expected)
    index.close()

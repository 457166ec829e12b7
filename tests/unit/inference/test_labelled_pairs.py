"""Precision on labelled sentence pairs when the rules decide. Measured, never tuned case by case."""

import json
from pathlib import Path

import pytest

from cmtui.inference import LocalInferenceBackend
from cmtui.model.claim import Relation
from cmtui.model.retrieval import PassageProjection

EVAL = Path(__file__).parents[3] / ".." / "shared" / "data" / "eval"
LABELS = {Relation.SUPPORTS: "SUPPORT", Relation.CONTRADICTS: "CONTRADICT"}


def _decisions(name, limit):
    path = EVAL / name
    if not path.is_file():
        pytest.skip(f"{name} is not on this machine")
    backend = LocalInferenceBackend()
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:limit]]
    decided = []
    for row in rows:
        answer = backend.assess(row["claim"], [PassageProjection("p", row["premise"])])[0]
        if answer.relation in LABELS:
            decided.append(LABELS[answer.relation] == row["label"])
    return decided


def test_r90_precision_on_simple_sentences_is_at_least_085_per_decision():
    decided = _decisions("sick_pairs_a.jsonl", 1500)
    assert len(decided) >= 100
    assert sum(decided) / len(decided) >= 0.85


@pytest.mark.parametrize("name", ["healthver_dev.jsonl", "climate_fever_pairs_a.jsonl"])
def test_r91_scientific_claims_are_left_open_rather_than_guessed(name):
    decided = _decisions(name, 800)
    assert len(decided) - sum(decided) <= 3

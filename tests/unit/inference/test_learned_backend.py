"""The caller's own classifier behind the port (R93, R126 to R129, R133, R134)."""

import pytest

from cmtui.errors import InferenceError, InvalidRequest
from cmtui.inference import LearnedNLIBackend
from cmtui.model.claim import Relation
from cmtui.model.retrieval import PassageProjection

MAP = {"0": "contradiction", "1": "entailment", "2": "neutral"}
CLAIM = "Ulysses was sad"


def _scores(e, c, n):
    return {"1": e, "0": c, "2": n}


def _assess(classifier, text="Ulysses wept. It rained.", **options):
    return LearnedNLIBackend(classifier, MAP, **options).assess(CLAIM, [PassageProjection("p", text)])[0]


@pytest.mark.parametrize(
    ("scores", "relation", "reason"),
    [
        (_scores(0.85, 0.10, 0.05), Relation.SUPPORTS, "entailment"),
        (_scores(0.05, 0.90, 0.05), Relation.CONTRADICTS, "contradiction"),
        (_scores(0.05, 0.05, 0.90), Relation.RELATED, "neutral"),
        (_scores(0.84, 0.10, 0.06), Relation.INSUFFICIENT, "uncertain"),
    ],
)
def test_r126_r127_operating_point_and_classes(scores, relation, reason):
    answer = _assess(lambda _p, _h: scores)
    assert (answer.relation, answer.reason) == (relation, reason)


def test_r126_margin():
    answer = _assess(lambda _p, _h: _scores(0.5, 0.4, 0.1), confidence=0.5)
    assert answer.relation is Relation.INSUFFICIENT
    assert _assess(lambda _p, _h: _scores(0.5, 0.3, 0.2), confidence=0.5).relation is Relation.SUPPORTS


def test_r128_r134_the_shortest_sufficient_sentence_and_the_lower_confidence():
    def classifier(premise, _hypothesis):
        if "wept" not in premise:
            return _scores(0.1, 0.1, 0.8)
        return _scores(0.88, 0.06, 0.06) if premise == "Ulysses wept." else _scores(0.95, 0.03, 0.02)

    answer = _assess(classifier, "It rained. Ulysses wept. The crew slept.")
    assert answer.proposals[0].quote == "Ulysses wept."
    assert answer.proposals[0].offset == 11
    assert answer.confidence == 0.88


def test_r128_two_sentences_when_one_does_not_suffice():
    def classifier(premise, _hypothesis):
        both = "Ulysses came in" in premise and "He wept" in premise
        return _scores(0.9, 0.05, 0.05) if both else _scores(0.1, 0.1, 0.8)

    answer = _assess(classifier, "It rained. Ulysses came in. He wept. The crew slept.")
    assert answer.proposals[0].quote == "Ulysses came in. He wept."


def test_r133_the_budget_limits_shortening_and_not_coverage():
    calls = []

    def classifier(premise, _hypothesis):
        calls.append(premise)
        return _scores(0.9, 0.05, 0.05)

    text = "It rained. Ulysses wept. The crew slept."
    answer = _assess(classifier, text, max_span_proposals=0)
    assert answer.proposals[0].quote == text
    assert calls == [text]


def test_conflicting_sentences_abstain():
    def classifier(premise, _hypothesis):
        return _scores(0.05, 0.9, 0.05) if premise == "Ulysses laughed." else _scores(0.9, 0.05, 0.05)

    answer = _assess(classifier, "Ulysses wept. Ulysses laughed.")
    assert (answer.relation, answer.reason) == (Relation.RELATED, "conflict")


def test_r129_too_long_abstains_and_is_never_cut():
    def classifier(_premise, _hypothesis):
        raise AssertionError("must not be called")

    answer = _assess(classifier, count_tokens=lambda p, h: len((p + h).split()), max_tokens=5)
    assert (answer.relation, answer.reason) == (Relation.INSUFFICIENT, "too-long")


def test_r98_a_batch_classifier_gets_all_passages_at_once():
    class Batch:
        def __init__(self):
            self.sizes = []

        def classify_batch(self, pairs):
            self.sizes.append(len(pairs))
            return [_scores(0.1, 0.1, 0.8)] * len(pairs)

    batch = Batch()
    passages = [PassageProjection(str(i), f"Passage {i}.") for i in range(5)]
    assert len(LearnedNLIBackend(batch, MAP).assess(CLAIM, passages)) == 5
    assert batch.sizes == [5]


@pytest.mark.parametrize(
    "label_map",
    [
        {"0": "entailment", "1": "contradiction"},
        {"0": "entailment", "1": "entailment", "2": "neutral"},
        {"0": "entailment", "1": "contradiction", "2": "neutral", "3": "neutral"},
        {"0": "SUPPORTS", "1": "contradiction", "2": "neutral"},
    ],
)
def test_r93_a_label_map_must_name_the_three_classes_once(label_map):
    with pytest.raises(InvalidRequest) as refusal:
        LearnedNLIBackend(lambda _p, _h: {}, label_map)
    assert refusal.value.hint


@pytest.mark.parametrize(
    "answer",
    [
        {"0": 0.9, "1": 0.1},
        {"0": 0.9, "1": 0.05, "x": 0.05},
        {"0": 3.0, "1": -2.0, "2": 0.0},
        {"0": float("nan"), "1": 0.5, "2": 0.5},
        {"0": 0.9, "1": 0.9, "2": 0.9},
        0.97,
    ],
)
def test_r93_similarity_logits_and_two_class_answers_are_refused(answer):
    with pytest.raises(InferenceError):
        _assess(lambda _p, _h: answer)


def test_out_of_range_options_are_refused():
    for options in ({"confidence": 1.5}, {"margin": -0.1}, {"max_span_proposals": -1}, {"max_tokens": 0}):
        with pytest.raises(InvalidRequest):
            LearnedNLIBackend(lambda _p, _h: {}, MAP, **options)
    with pytest.raises(InvalidRequest):
        LearnedNLIBackend(None, MAP)

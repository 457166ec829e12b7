"""Long passages, budgets, batches and conflicts, with classifiers that are scripts (R128 to R135)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmtui.errors import Cancelled, InvalidRequest
from cmtui.inference import LearnedNLIBackend
from cmtui.inference.nli.policy import NLIPolicy, classes_of
from cmtui.inference.nli.windows import windows
from cmtui.model.claim import Relation
from cmtui.model.retrieval import PassageProjection
from cmtui.model.selectors import Span
from cmtui.model.source import PassageRole

MAP = {"e": "entailment", "c": "contradiction", "n": "neutral"}
CLAIM = "Ulysses was sad"
SUPPORT, AGAINST, NEITHER, UNSURE = (0.9, 0.05, 0.05), (0.05, 0.9, 0.05), (0.05, 0.05, 0.9), (0.5, 0.3, 0.2)


class Script:
    """Answers by the first rule whose words all stand in the premise; remembers what it was asked."""

    def __init__(self, *rules, otherwise=NEITHER):
        self.rules, self.otherwise = rules, otherwise
        self.asked: list[str] = []
        self.claims: set[str] = set()
        self.batches: list[int] = []

    def classify_batch(self, pairs):
        self.batches.append(len(pairs))
        answers = []
        for premise, hypothesis in pairs:
            self.asked.append(premise)
            self.claims.add(hypothesis)
            scores = next((s for words, s in self.rules if all(w in premise for w in words)), self.otherwise)
            answers.append(dict(zip("ecn", scores, strict=True)))
        return answers


def words(premise: str, hypothesis: str) -> int:
    return len(premise.split()) + len(hypothesis.split())


def backend(script, *, max_tokens=11, policy="windows", **options):
    return LearnedNLIBackend(
        script, MAP, count_tokens=words, max_tokens=max_tokens, long_passage_policy=policy, **options
    )


def judge(script, text, **options):
    return backend(script, **options).assess(CLAIM, [PassageProjection("p", text)])[0]


LONG = "It rained all day. Ulysses wept aloud. The crew slept on. Morning came at last. The wind had turned."


@given(st.lists(st.integers(1, 6), min_size=1, max_size=14), st.integers(6, 20))
def test_r130_windows_cover_every_sentence_and_every_pair_that_fits(sizes, limit):
    """Each window fits, they run forward, and neighbours that fit together stand together in one."""
    ends = list(itertools.accumulate(sizes))
    spans = [Span(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    found = windows(spans, lambda span: span.end - span.start <= limit)
    assert found is not None
    assert {at for run in found for at in run} == set(range(len(spans)))
    assert all(ends[run.stop - 1] - spans[run.start].start <= limit for run in found)
    assert all(a.start < b.start and a.stop < b.stop for a, b in itertools.pairwise(found))
    for at in range(len(spans) - 1):
        if sizes[at] + sizes[at + 1] <= limit:
            assert any(at in run and at + 1 in run for run in found)


def test_r130_no_sentence_is_ever_cut():
    assert windows([Span(0, 3), Span(3, 13)], lambda span: span.end - span.start <= 5) is None
    script = Script()
    answer = judge(script, "Ulysses wept. " + "and " * 20 + "so on.")
    assert (answer.relation, answer.reason, script.asked) == (Relation.INSUFFICIENT, "too-long", [])
    assert "no sentence is cut" in answer.explanation


def test_r129_the_default_abstains_on_what_does_not_fit():
    script = Script((("wept",), SUPPORT))
    answer = judge(script, LONG, policy="abstain")
    assert (answer.relation, answer.reason, script.asked) == (Relation.INSUFFICIENT, "too-long", [])


def test_r130_windows_read_all_of_it_with_the_whole_claim_and_exact_offsets():
    """Every sentence is read, the claim is never shortened, and the quote stands at its place."""
    script = Script((("wept",), SUPPORT))
    answer = judge(script, LONG)
    assert answer.relation is Relation.SUPPORTS
    [proposal] = answer.proposals
    assert proposal.quote == "Ulysses wept aloud."
    assert LONG[proposal.offset :].startswith(proposal.quote)
    assert script.claims == {CLAIM}
    for sentence in ("It rained all day.", "The wind had turned."):
        assert any(sentence in premise for premise in script.asked)
    assert "beyond a window is not seen" in answer.explanation


def test_r132_conflicting_windows_abstain_before_anything_is_shortened():
    script = Script((("wept",), SUPPORT), (("turned",), AGAINST))
    answer = judge(script, LONG)
    assert (answer.relation, answer.reason, answer.proposals) == (Relation.RELATED, "conflict", ())
    assert len(script.batches) == 1
    assert all(premise.count(".") > 1 for premise in script.asked)


def test_r132_all_windows_of_all_passages_are_read_before_one_is_shortened():
    script = Script((("wept",), SUPPORT))
    passages = [PassageProjection("a", LONG), PassageProjection("b", "Ulysses wept. It rained.")]
    answers = backend(script).assess(CLAIM, passages)
    assert [a.relation for a in answers] == [Relation.SUPPORTS] * 2
    first = script.asked[: script.batches[0]]
    assert "Ulysses wept. It rained." in first
    assert all(premise.count(".") > 1 for premise in first)


def test_r130_more_windows_than_the_budget_abstain():
    script = Script((("wept",), SUPPORT))
    answer = judge(script, LONG, max_windows=2)
    assert (answer.relation, answer.reason, script.asked) == (Relation.INSUFFICIENT, "too-long", [])
    assert "at most 2" in answer.explanation


def test_r131_a_claim_that_does_not_fit_is_never_cut():
    script = Script((("wept",), SUPPORT))
    for policy in ("abstain", "windows"):
        long_claim = " ".join(["Ulysses was sad and"] * 5) + " tired"
        [answer] = backend(script, policy=policy).assess(long_claim, [PassageProjection("p", LONG)])
        assert (answer.relation, answer.reason, script.asked) == (Relation.INSUFFICIENT, "too-long", [])


def test_r127_neutral_and_uncertain_windows():
    assert judge(Script(), LONG).relation is Relation.RELATED
    unsure = judge(Script((("turned",), UNSURE)), LONG)
    assert (unsure.relation, unsure.reason) == (Relation.INSUFFICIENT, "uncertain")


def test_r134_confidence_is_the_least_of_window_and_span():
    stronger = Script((("It rained", "wept"), (0.87, 0.07, 0.06)), (("wept",), (0.99, 0.005, 0.005)))
    assert judge(stronger, "It rained. Ulysses wept.", max_tokens=50).confidence == 0.87
    weaker = Script((("It rained", "wept"), (0.97, 0.02, 0.01)), (("wept",), (0.86, 0.1, 0.04)))
    assert judge(weaker, "It rained. Ulysses wept.", max_tokens=50).confidence == 0.86


@pytest.mark.parametrize("budget", [0, 1, 2, 3, 5])
def test_r133_the_budget_counts_intervals_and_keeps_the_complete_one(budget):
    """Sentence 4 suffices alone; with fewer proposals than that the classified whole is quoted."""
    script = Script((("turned",), SUPPORT))
    text = "It rained. The crew slept. Morning came. The wind had turned."
    answer = judge(script, text, max_tokens=50, max_span_proposals=budget)
    assert answer.proposals[0].quote == ("The wind had turned." if budget >= 4 else text)
    assert len(script.asked) == 1 + min(budget, 4)


def test_r135_nothing_is_classified_twice():
    script = Script((("wept",), SUPPORT))
    judge(script, LONG)
    assert len(script.asked) == len(set(script.asked))


def test_headings_and_references_are_not_read():
    """Nothing asserts itself in them, whatever the model would say."""
    script = Script(otherwise=SUPPORT)
    roles = (PassageRole.HEADING, PassageRole.REFERENCE, PassageRole.CODE, PassageRole.TABLE)
    answers = backend(script).assess(CLAIM, [PassageProjection(r.value, "Ulysses wept.", r) for r in roles])
    assert [a.reason for a in answers] == [f"role-{r.value}" for r in roles]
    assert script.asked == []


def test_r98_batches_have_the_size_asked_for_and_progress_counts_passages():
    script = Script()
    passages = [PassageProjection(str(i), f"Passage {i}.") for i in range(7)]
    seen = []
    backend(script, batch_size=3).assess_with(
        CLAIM, passages, progress=lambda p: seen.append((p.operation, p.done, p.total))
    )
    assert script.batches == [3, 3, 1]
    assert seen[-1] == ("infer", 7, 7)
    assert [done for _, done, _ in seen] == list(range(8))


def test_cancelling_stops_between_calls_of_the_model():
    script = Script()
    passages = [PassageProjection(str(i), f"Passage {i}.") for i in range(9)]
    with pytest.raises(Cancelled):
        backend(script, batch_size=2).assess_with(CLAIM, passages, cancelled=lambda: len(script.batches) >= 2)
    assert script.batches == [2, 2]


@pytest.mark.parametrize(
    ("labels", "label_map"),
    [
        (("contradiction", "other"), None),
        (("entailment", "not_entailment"), None),
        (("LABEL_0", "LABEL_1", "LABEL_2"), None),
        (("entailment", "neutral", "neutral"), None),
        (("a", "b", "c"), {"a": "entailment", "b": "neutral", "d": "contradiction"}),
        (("a", "b", "c"), {"a": "entailment", "b": "neutral", "c": "neutral"}),
        (("entailment", "neutral", "contradiction", "other"), None),
    ],
)
def test_r93_heads_that_are_not_three_way_and_labels_that_say_nothing_are_refused(labels, label_map):
    with pytest.raises(InvalidRequest) as refusal:
        classes_of(labels, label_map, model="m")
    assert refusal.value.hint


def test_r93_labels_are_taken_by_name_or_by_map_and_in_the_order_of_the_outputs():
    assert classes_of(("CONTRADICTION", "Neutral", "entailment"), None, model="m") == (
        "contradiction",
        "neutral",
        "entailment",
    )
    named = {"LABEL_0": "contradiction", "LABEL_1": "entailment", "LABEL_2": "neutral"}
    assert classes_of(tuple(named), named, model="m") == tuple(named.values())


def test_policies_out_of_range_are_refused():
    for options in (
        {"confidence": 2.0},
        {"margin": -1.0},
        {"max_tokens": 0},
        {"max_windows": 0},
        {"max_span_proposals": -1},
        {"long_passage_policy": "truncate"},
    ):
        with pytest.raises(InvalidRequest) as refusal:
            NLIPolicy(**options)
        assert refusal.value.hint
    with pytest.raises(InvalidRequest):
        backend(Script(), batch_size=0)
    assert "windows" in backend(Script()).name

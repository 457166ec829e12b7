"""What every inference backend owes its callers (R86 to R100)."""

import pytest

from cmtui.inference import REASON_CODES, LearnedNLIBackend, LocalInferenceBackend
from cmtui.model.claim import CAVEAT, Relation
from cmtui.model.retrieval import PassageProjection
from cmtui.model.source import PassageRole
from cmtui.ports import InferenceBackend

TEXTS = [
    "Ulysses wept.",
    "It rained all day. Ulysses wept at the shore. The crew slept.",
    "Ulysses was not sad.",
    "He wept.",
    "If Ulysses wept, the crew would stay.",
    "Did Ulysses weep?",
    "The nurse said that Ulysses wept.",
    "Ulysses was happy.",
    "Penelope wept.",
    "Ulysses wept. Ulysses was not sad.",
    "",
    "   ",
    "Ελλάδα 日本語 🙂",
]


def _classifier(premise, hypothesis):
    """A tiny honest classifier of its own: it knows one claim."""
    assert hypothesis == "Ulysses was sad"
    support = "Ulysses wept" in premise and not premise.startswith(("If", "The nurse"))
    contradiction = "Ulysses was not sad" in premise or "Ulysses was happy" in premise
    if support and contradiction:
        return {"E": 0.5, "C": 0.5, "N": 0.0}
    if support:
        return {"E": 0.9, "C": 0.05, "N": 0.05}
    return {"E": 0.02, "C": 0.9, "N": 0.08} if contradiction else {"E": 0.1, "C": 0.1, "N": 0.8}


def _learned():
    return LearnedNLIBackend(
        _classifier, {"E": "entailment", "C": "contradiction", "N": "neutral"}, confidence=0.8
    )


def _windows():
    """The same classifier, reading what does not fit in windows."""
    return LearnedNLIBackend(
        _classifier,
        {"E": "entailment", "C": "contradiction", "N": "neutral"},
        confidence=0.8,
        count_tokens=lambda premise, hypothesis: len((premise + " " + hypothesis).split()),
        max_tokens=9,
        long_passage_policy="windows",
        batch_size=2,
    )


@pytest.fixture(
    params=[LocalInferenceBackend, _learned, _windows], ids=["local", "learned", "learned-windows"]
)
def backend(request) -> InferenceBackend:
    return request.param()


def _passages():
    return [PassageProjection(f"p{i}", text) for i, text in enumerate(TEXTS) if text.strip()]


def test_r86_one_assessment_per_passage_in_order(backend):
    answers = backend.assess("Find evidence that Ulysses was sad", _passages())
    assert [a.passage_id for a in answers] == [p.passage_id for p in _passages()]
    assert backend.assess("Ulysses was sad", []) == []
    assert backend.name


def test_r87_proposals_are_exact_substrings_at_their_offset(backend):
    for answer, passage in zip(backend.assess("Ulysses was sad", _passages()), _passages(), strict=True):
        decided = answer.relation in (Relation.SUPPORTS, Relation.CONTRADICTS)
        assert bool(answer.proposals) == decided
        for proposal in answer.proposals:
            assert proposal.offset is not None
            assert passage.text[proposal.offset :].startswith(proposal.quote)
            assert proposal.quote == proposal.quote.strip() != ""


def test_r100_relations_confidence_and_reasons_are_in_their_ranges(backend):
    for answer in backend.assess("Ulysses was sad", _passages()):
        assert answer.relation in Relation
        assert 0.0 <= answer.confidence <= 1.0
        assert answer.reason in REASON_CODES
        assert len(answer.explanation) > 10
        assert answer.explanation.endswith((".", "”", ")"))


def test_r98_each_passage_is_judged_on_its_own_and_alike_every_time(backend):
    together = backend.assess("Ulysses was sad", _passages())
    assert together == [backend.assess("Ulysses was sad", [p])[0] for p in _passages()]
    assert together == list(reversed(backend.assess("Ulysses was sad", _passages()[::-1])))


def test_r99_asking_words_never_reach_the_decision(backend):
    passages = _passages()
    plain = backend.assess("Ulysses was sad", passages)
    for request in (
        "Find evidence that Ulysses was sad",
        "Find a passage showing that Ulysses was sad.",
        "Is there evidence that Ulysses was sad?",
        "  find evidence that Ulysses was sad  ",
    ):
        assert backend.assess(request, passages) == plain


def test_a_claim_without_words_or_a_question_is_not_checked(backend):
    for claim, reason in (
        ("", "empty-claim"),
        ("...", "empty-claim"),
        ("Was Ulysses sad?", "claim-question"),
    ):
        answers = backend.assess(claim, _passages())
        assert {(a.relation, a.reason) for a in answers} == {(Relation.INSUFFICIENT, reason)}


def test_r84_the_seed_examples():
    """The seed's own sentences (R84, R90 to R92)."""
    answers = LocalInferenceBackend().assess("Find evidence that Ulysses was sad", _passages())
    assert [a.relation.value for a in answers[:10]] == [
        "SUPPORTS",
        "SUPPORTS",
        "CONTRADICTS",
        *["RELATED"] * 4,
        "CONTRADICTS",
        "RELATED",
        "RELATED",
    ]
    assert answers[9].reason == "conflict"
    assert answers[1].proposals[0].quote == "Ulysses wept at the shore."


@pytest.mark.parametrize("role", list(PassageRole))
def test_r91_only_prose_can_carry_evidence(role):
    answer = LocalInferenceBackend().assess(
        "Ulysses was sad", [PassageProjection("p", "Ulysses wept.", role)]
    )[0]
    prose = role in (PassageRole.BODY, PassageRole.LIST, PassageRole.FOOTNOTE)
    assert (answer.relation is Relation.SUPPORTS) == prose
    assert prose or answer.reason == f"role-{role.value}"


def test_r96_the_caveat_says_that_relations_are_fallible():
    assert "fallible" in CAVEAT
    assert "not truth" in CAVEAT


def test_hash_order_changes_nothing():
    """The same answers in processes with other hash seeds (R90)."""
    import os
    import subprocess
    import sys

    code = (
        "from cmtui.inference import LocalInferenceBackend as B;"
        "from cmtui.model.retrieval import PassageProjection as P;"
        f"print(B().assess('Ulysses was sad', [P('p', t) for t in {TEXTS!r}]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "42")
    }
    assert len(outputs) == 1

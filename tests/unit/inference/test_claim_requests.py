"""From requests to statements, and statements taken apart where that is certain (R84, R99)."""

from __future__ import annotations

import pytest

from cmtui.inference.claims import parse_claim
from cmtui.inference.compound import MAX_MEMBERS, split_claim


@pytest.mark.parametrize(
    "request_text",
    [
        "Find evidence that Ulysses wept",
        "Find a passage showing that Ulysses wept.",
        "Find me a sentence in the text that says that Ulysses wept",
        "Can you find a passage that shows that Ulysses wept?",
        "Please show me evidence that Ulysses wept.",
        "I am looking for a quote saying that Ulysses wept.",
        "I need evidence that Ulysses wept",
        "Is there any evidence in the sources that Ulysses wept?",
        "Are there passages which say that Ulysses wept?",
        "What evidence is there that Ulysses wept?",
        "Which passage shows that Ulysses wept?",
        "Evidence for the claim that Ulysses wept",
        "Does the text say that Ulysses wept?",
        "Does the text say Ulysses wept?",
        "Do my sources mention that Ulysses wept?",
        "Does it say anywhere that Ulysses wept?",
        "Does the second book claim that Ulysses wept?",
        "Is it true that Ulysses wept?",
        "Is it really the case that Ulysses wept?",
        "Is it stated anywhere that Ulysses wept?",
        "Where does it say that Ulysses wept?",
        "Where in the text does the author write that Ulysses wept?",
        "Where is it written that Ulysses wept?",
        "Show me where the text says that Ulysses wept",
        "Tell me where it says that Ulysses wept.",
        "Check whether Ulysses wept",
        "Verify that Ulysses wept.",
        "Confirm that “Ulysses wept.”",
    ],
)
def test_r99_asking_words_are_taken_off(request_text: str) -> None:
    parsed = parse_claim(request_text)
    assert (parsed.text, parsed.problem) == ("Ulysses wept", None)


@pytest.mark.parametrize(
    ("request_text", "claim"),
    [
        ("Where does Melville say that whales are fish?", "Melville says that whales are fish"),
        (
            "Where did Herman Melville write that whales are fish?",
            "Herman Melville wrote that whales are fish",
        ),
        (
            "Where do Smith and Jones claim that whales are fish?",
            "Smith and Jones claim that whales are fish",
        ),
        ("Where did Osk state that he was deaf?", "Osk stated that he was deaf"),
    ],
)
def test_a_named_speaker_stays_a_part_of_the_claim(request_text: str, claim: str) -> None:
    """Who says it is claimed too: the text alone is no proof that this person says so."""
    assert parse_claim(request_text).text == claim


@pytest.mark.parametrize(
    "question",
    ["Did Ulysses weep?", "Does it rain?", "Where does he live?", "Does the paper mention whales?",
     "Does Ulysses say that he wept?", "Is there rain?", "Why did Ulysses weep?"],
)  # fmt: skip
def test_real_questions_stay_questions(question: str) -> None:
    assert parse_claim(question).problem == "claim-question"


@pytest.mark.parametrize(
    ("claim", "members"),
    [
        ("Penelope was sad and the crew slept", ("Penelope was sad", "The crew slept")),
        ("Find evidence that Ulysses wept, and the crew slept.", ("Ulysses wept", "The crew slept")),
        ("Ulysses wept, but the crew slept", ("Ulysses wept", "The crew slept")),
        ("Ulysses wept; Penelope was sad; the crew slept",
         ("Ulysses wept", "Penelope was sad", "The crew slept")),
        ("Sales rose by 5 percent and prices fell by 2 percent",
         ("Sales rose by 5 percent", "Prices fell by 2 percent")),
        ("Ulysses met Penelope and Telemachus wept", ("Ulysses met Penelope", "Telemachus wept")),
        ("Salt and pepper were expensive and bread was cheap",
         ("Salt and pepper were expensive", "Bread was cheap")),
        ("The ship was not old and the crew was young", ("The ship was not old", "The crew was young")),
        ("Prices fell; sales rose in 2020", ("Prices fell", "Sales rose in 2020")),
    ],
)  # fmt: skip
def test_independent_statements_are_taken_apart(claim: str, members: tuple[str, ...]) -> None:
    assert split_claim(claim) == members


@pytest.mark.parametrize(
    "claim",
    [
        "Ulysses wept",
        "Ulysses and Penelope wept",
        "Smith and Jones wrote the book",
        "Procter and Gamble makes soap",
        "The road runs between Troy and Ithaca",
        "The distance between Troy and Ithaca is short and the sea is calm",
        "Ulysses wept and slept",
        "Ulysses was sad and angry",
        "Ulysses ate bread and cheese",
        "Black and white cats slept",
        "Ulysses wept and his crew slept",
        "Ulysses wept and he slept",
        "He said that Ulysses wept and the crew slept",
        "Ulysses saw the king and the queen wept",
        "If Ulysses wept and the crew slept, the ship sank",
        "Ulysses wept and the crew slept because the ship sank",
        "Perhaps Ulysses wept and the crew slept",
        "Either Ulysses wept or the crew slept",
        "Neither Ulysses wept nor the crew slept",
        "In 2020 sales rose and prices fell",
        "Sales rose and prices fell in 2020",
        "Ulysses wept and the crew slept together",
        "“Ulysses wept and the crew slept”, it was said",
        "Ulysses wept, the crew slept",
        "Did Ulysses weep and the crew sleep?",
        "",
        "; and ;",
    ],
)
def test_what_is_not_certain_stays_whole(claim: str) -> None:
    """Names, pairs, shared subjects, conditions, reports, hedges, pronouns, shared times (conservative)."""
    assert split_claim(claim) == ()


def test_many_members_stay_whole() -> None:
    assert len(split_claim("; ".join(["Ulysses wept"] * MAX_MEMBERS))) == MAX_MEMBERS
    assert split_claim("; ".join(["Ulysses wept"] * (MAX_MEMBERS + 1))) == ()


def test_a_long_chain_of_joints_is_answered_at_once() -> None:
    """The ways to take it apart are not tried one by one without end."""
    assert split_claim("Ulysses wept " + "and the crew slept " * 60) == ()

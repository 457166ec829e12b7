"""The local semantic matcher and the index over it."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence

import pytest

from cmtui.errors import InvalidScore
from cmtui.model.retrieval import PassageProjection
from cmtui.retrieval.concepts import CONCEPTS_FILE, concept_lexicon, read_concepts
from cmtui.retrieval.semantic import (
    InMemorySemanticIndex,
    LocalEmbeddingMatcher,
    SentenceTransformerMatcher,
)
from cmtui.retrieval.tokens import words

#: A query, a passage it must find by meaning alone, and one that looks or sounds alike and must not be found.
PAIRS = [
    ("sad", "At the harbour Ulysses wept.", "The leather saddle was wiped clean."),
    ("grief", "The widow was sobbing all day.", "He griped about the brief."),
    ("crying", "She mourned him for a year.", "The morning crew sailed on."),
    ("joyful", "The crowd rejoiced.", "A jury was chosen."),
    ("furious", "The captain was enraged.", "The furnace was engaged."),
    ("frightened", "Panic seized the town.", "The freight was picnic baskets."),
    ("brave", "Her courage held.", "The grave was covered in braids."),
    ("ashamed", "It was a disgrace.", "It was shampooed with grace."),
    ("ocean", "They put out to sea.", "They put out the seal."),
    ("ship", "A schooner lay at anchor.", "The shipwright's school lay empty."),
    ("dead", "The old man had perished.", "The deadline was parish news."),
    ("disease", "Several patients fell ill.", "The hill was easy to climb."),
    ("physician", "The surgeon was sent for.", "The physics surge was measured."),
    ("hungry", "Famine spread through the land.", "The Hungarian family had land."),
    ("tired", "He was exhausted.", "The tyre was attired in rubber."),
    ("wealthy", "Their family was affluent.", "The weather was fluent in rain."),
    ("penniless", "The beggar slept outside.", "The pennant began to slip."),
    ("imprisoned", "He spent ten years in jail.", "The impression of the nail remained."),
    ("battle", "Warfare ruined the province.", "The bottle was warped."),
    ("lawyer", "The attorney spoke first.", "The lawn was torn first."),
    ("marriage", "Their wedding was in May.", "The carriage was wet in May."),
    ("remember", "I recall that summer.", "The member reclined that summer."),
    ("blizzard", "Heavy snowfall closed the pass.", "The lizard crossed the pass."),
    ("dusk", "It grew dark.", "The duck ate dust."),
    ("hurricane", "The tempest broke the mast.", "The hurried temple broke."),
    ("cardiac", "A weak heart was the trouble.", "The cardboard was the trouble."),
    ("tumor", "The carcinoma was removed.", "The rumour and the carnival were over."),
    ("toxic", "The venom spread.", "The taxi was venerable."),
    ("diminish", "Costs were reduced.", "The dinner was finished and produced."),
    ("avert", "Vaccines prevent it.", "The advert was presented."),
]


#: Words of several common senses.
AMBIGUOUS = """
    bank spring charge current bear vessel light fair match bat mine right novel tear lie leaves ring bark
    crane date fine can duck present plant poor fast trial pupil stream shower cabinet founder mad dull
"""


def stems(text: str) -> set[str]:
    return {token.stem for token in words(text) if not token.is_stop}


def found(query: str, *texts: str) -> list[str]:
    candidates = [PassageProjection(f"{'0' * 64}#{n}", text) for n, text in enumerate(texts)]
    by_id = {candidate.passage_id: candidate.text for candidate in candidates}
    return [by_id[hit.passage_id] for hit in InMemorySemanticIndex().rank(query, candidates)]


@pytest.mark.parametrize(("query", "passage", "near_miss"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_meaning_is_found_and_likeness_is_not(query: str, passage: str, near_miss: str) -> None:
    """R75, R80: 'sad' finds 'wept', and so do further pairs that share no stem; near misses stay out."""
    assert stems(query).isdisjoint(stems(passage))
    assert found(query, near_miss, passage, "The tariff applies to imported steel.") == [passage]


def test_scores_do_not_depend_on_the_process() -> None:
    """R191: no built-in hash() is in it, whose seed changes with each process."""
    code = (
        "from cmtui.retrieval.semantic import LocalEmbeddingMatcher as M;"
        "print(M().similarities('the sad king', ['a king wept', 'a sad day', 'nothing here']))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert "0.0]" in outputs.pop()


def test_more_of_the_meaning_ranks_higher() -> None:
    """A passage with the words and the meaning comes before one with the meaning alone."""
    both, one = "The king of Ithaca was full of sorrow.", "A farmer was full of sorrow, and so were others."
    assert found("the sad king", one, both) == [both, one]


@pytest.mark.parametrize("query", ["", "the of and", "...", "xyzzy"])
def test_nothing_to_look_for_finds_nothing(query: str) -> None:
    """Stop words and unknown words relate to nothing."""
    assert found(query, "The cat and the dog.", "") == []


def test_the_cache_changes_no_answer() -> None:
    """D4: features may be kept between requests, up to a bound."""
    texts = [f"{word} and the sea {n}" for n, word in enumerate(["king", "ocean", "storm", "wept"] * 5)]
    bounded, fresh = LocalEmbeddingMatcher(cached_texts=3), LocalEmbeddingMatcher()
    first = bounded.similarities("ocean king", texts)
    assert bounded.similarities("ocean king", texts) == first == fresh.similarities("ocean king", texts)
    assert fresh.similarities("ocean king", texts) == first


class Encoder:
    """Counts letters: a real encoder's shape without a model."""

    def __init__(self, broken: float | None = None) -> None:
        self.broken = broken

    def encode(self, sentences: list[str]) -> list[list[float]]:
        vectors = [[float(s.count(c)) for c in "abcdefghijklmnopqrstuvwxyz"] for s in sentences]
        if self.broken is not None:
            vectors[-1][0] = self.broken
        return vectors


def test_a_sentence_transformer_the_caller_loaded() -> None:
    """R81: cosine of the encoder's vectors; a floor can be taken off."""
    matcher = SentenceTransformerMatcher(Encoder(), name="letters")
    scores = matcher.similarities("abc", ["cba", "abcd", "xyz", ""])
    assert scores[0] == pytest.approx(1.0)
    assert scores[1] == pytest.approx(math.sqrt(3) / 2)
    assert scores[2] == scores[3] == 0.0
    assert SentenceTransformerMatcher(Encoder(), floor=0.9).similarities("abc", ["abcd"])[0] < 0
    assert matcher.similarities("abc", []) == []


@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_broken_vectors_are_refused(broken: float) -> None:
    """R78: scores that are no finite numbers fail closed."""
    index = InMemorySemanticIndex(matcher=SentenceTransformerMatcher(Encoder(broken)))
    with pytest.raises(InvalidScore):
        index.rank("abc", [PassageProjection("a#0", "abc")])


class Scores:
    """A matcher that answers with given values."""

    name = "given"

    def __init__(self, *values: object) -> None:
        self.values = values

    def similarities(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        return list(self.values)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [math.nan, -math.inf, "0.5", None, True])
def test_scores_that_are_no_finite_numbers_are_refused(value: object) -> None:
    """R78, for any matcher."""
    with pytest.raises(InvalidScore, match="given"):
        InMemorySemanticIndex(matcher=Scores(value)).rank("q", [PassageProjection("a#0", "t")])


def test_a_wrong_number_of_scores_is_refused() -> None:
    """R78: candidates and scores must match."""
    with pytest.raises(InvalidScore, match="2 scores for 1"):
        InMemorySemanticIndex(matcher=Scores(0.1, 0.2)).rank("q", [PassageProjection("a#0", "t")])


def test_the_lexicon_lies_in_the_package_and_can_be_read() -> None:
    """R80: bundled and inspectable."""
    lexicon = concept_lexicon()
    assert CONCEPTS_FILE.parent.name == "retrieval"
    assert len(lexicon.words) >= 80
    assert {"sad", "grief", "wept", "cry"} <= set(lexicon.words["sadness"])


@pytest.mark.parametrize("word", AMBIGUOUS.split())
def test_words_of_several_senses_are_left_out(word: str) -> None:
    """A lexicon that mixed senses would find what was not meant."""
    (token,) = words(word)
    assert concept_lexicon().of(token) == ()


def test_exact_forms() -> None:
    """'=tears' is not 'tear'."""
    lexicon = read_concepts("# comment\nsadness: weep =tears # more\n\nsea: ocean\n")
    by_word = {token.text: lexicon.of(token) for token in words("weeping tears tear oceans")}
    assert by_word == {"weeping": ("sadness",), "tears": ("sadness",), "tear": (), "oceans": ("sea",)}


@pytest.mark.parametrize("text", ["sadness weep", "sadness:", ": weep", "a: b\na: c", "a b: c"])
def test_a_wrong_line_of_the_lexicon_is_named(text: str) -> None:
    """People extend the file by hand."""
    with pytest.raises(ValueError, match=r"line \d"):
        read_concepts(text)

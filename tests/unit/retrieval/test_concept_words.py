"""The concept lexicon as a data file: its size, the words it leaves out, and what it relates (R80, R81)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cmtui.retrieval.concepts import CONCEPTS_FILE, concept_lexicon
from cmtui.retrieval.semantic import LocalEmbeddingMatcher
from cmtui.retrieval.tokens import stem, words

PAIRS = Path(__file__).with_name("concept_pairs.txt")

#: Words of several common senses: to list one under a concept would relate texts about another.
AMBIGUOUS = re.findall(
    r"\w+",
    """
    bank spring bark bat bow current light fair bear vessel charge match ring seal pitch scale train
    wave mine lead tear board bolt capital cell club crane date deck draft fan file fine fly jam lap
    log mean model nail net organ palm park pen plant plot pool port post pound present punch race
    rest right rock root row saw second sole sound stamp stem stick table tie tip type watch well
    yard bill block bond cap case cast chest coach content course desert head face hand key left
    letter mass mole order pass pupil sentence kind patient
    """,
)


def test_r81_several_hundred_concepts_and_thousands_of_stems() -> None:
    lexicon = concept_lexicon()
    assert len(lexicon.words) >= 300
    assert len({*lexicon.by_stem} | {stem(form) for form in lexicon.by_form}) >= 2_500


def test_no_line_is_longer_than_a_person_can_read() -> None:
    lines = CONCEPTS_FILE.read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) < 240


@pytest.mark.parametrize("word", AMBIGUOUS)
def test_a_word_of_several_senses_is_under_no_concept(word: str) -> None:
    assert concept_lexicon().of_word(word, stem(word)) == ()


def _pairs() -> list[tuple[str, str, str]]:
    lines = [line for line in PAIRS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [tuple(part.strip() for part in line.split("|")) for line in lines]  # type: ignore[misc]


def _stems(text: str) -> set[str]:
    return {token.stem for token in words(text) if not token.is_stop}


def test_r80_sentences_without_a_shared_word_are_found_by_their_matter() -> None:
    """Measured on the 100 pairs when they were written: 81 found, 3 near misses found wrongly."""
    pairs = _pairs()
    assert len(pairs) == 100
    assert not [pair for pair in pairs if _stems(pair[0]) & _stems(pair[1])], "a shared stem proves nothing"
    matcher = LocalEmbeddingMatcher()
    scores = [matcher.similarities(query, [same, other]) for query, same, other in pairs]
    assert sum(same > 0 for same, _ in scores) >= 78
    assert sum(other > 0 for _, other in scores) <= 5

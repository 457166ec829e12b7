"""Words as search sees them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmtui.retrieval.projection import fold, fold_text
from cmtui.retrieval.tokens import stem, word_counts, words


def texts(text: str) -> list[str]:
    return [token.text for token in words(text)]


def test_numbers_apostrophes_and_punctuation() -> None:
    """Numbers keep their decimals and lose their thousands commas; words keep inner apostrophes."""
    assert texts("At 4,118.5 the king\u2019s men, 12,000 strong.Next") == [
        "at", "4118.5", "the", "king's", "men", "12000", "strong", "next",
    ]  # fmt: skip


def test_a_word_joined_over_a_line_end_and_its_halves() -> None:
    """D5: the index takes the joined word and both halves, all in one position."""
    found = [(token.text, token.position) for token in words("a well-\nknown fact")]
    assert found == [("a", 0), ("wellknown", 1), ("well", 1), ("known", 1), ("fact", 2)]


def test_scripts_without_blanks_become_pairs() -> None:
    """Chinese and Japanese are searched by pairs of characters, and a single one stands alone."""
    assert texts("東京都 東") == ["東京", "京都", "東"]


def test_words_of_indic_scripts_stay_whole() -> None:
    """Vowel signs are no word boundaries."""
    assert texts("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("experiment", "experience"),
        ("author", "authority"),
        ("import", "important"),
        ("depart", "department"),
    ],
)
def test_words_that_the_stemmer_would_confuse_stay_apart(one: str, other: str) -> None:
    """A stem stands for one word and its inflections."""
    assert stem(one) != stem(other)


@settings(max_examples=120, deadline=None)
@given(
    st.text(
        alphabet=st.sampled_from("abZ-\n \t\u2019\u201c\u00a01,.'\u00ad\ufb01\u00e9\u6771\u4eac"), max_size=25
    )
)
def test_the_fast_ways_agree_with_the_exact_one(text: str) -> None:
    """Folding without offsets and counting without positions give the same words."""
    assert fold_text(text) == fold(text).text
    joined: dict[int, str] = {}
    for token in words(text):
        joined.setdefault(token.position, token.text)
    assert sorted(word_counts(text).elements()) == sorted(joined.values())

"""Topic cleaner, normaliser, relevance and score (R155, R156, R160, R161)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmtui.model.sections import CitationCandidate
from cmtui.sections.normalise import normalise, query_hash
from cmtui.sections.ranking import not_citable, recency, score
from cmtui.sections.relevance import SectionText, jaccard, relevance
from cmtui.sections.stopwords import ENGLISH, SPANISH
from cmtui.sections.topic import MAX_CHARACTERS, MAX_TERMS, clean_topic
from cmtui.sections.words import language, stems
from support.literature import RELEVANT, SECTION, UNRELATED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  The Sea,  and\tthe  SHORE!", "the sea and the shore"),
        ("well-known - state-of-the-art -x", "well-known state-of-the-art x"),
        ("ﬁnal_word (2020)", "final word 2020"),
        ("¿Qué es el MAR?", "qué es el mar"),
        ("", ""),
    ],
)
def test_r155_normalising(text: str, expected: str) -> None:
    assert normalise(text) == expected
    assert normalise(normalise(text)) == expected


def test_r155_the_hash_depends_on_words_providers_and_language() -> None:
    base = query_hash("Tidal marsh", providers=("crossref", "brave"), language="en")
    assert base == query_hash("tidal,  MARSH!", providers=("brave", "crossref"), language="en")
    assert len(base) == 64
    assert base != query_hash("tidal marsh soil", providers=("crossref", "brave"), language="en")
    assert base != query_hash("tidal marsh", providers=("crossref",), language="en")
    assert base != query_hash("tidal marsh", providers=("crossref", "brave"), language="es")


def test_r156_terms_of_an_english_section() -> None:
    topic = clean_topic("2.1 The carbon of tidal marshes", SECTION, "Coastal change")
    assert topic.language == "en"
    assert topic.terms[:3] == ("carbon", "tidal", "marshes")
    assert "Ardle" in topic.terms
    assert not {term.casefold() for term in topic.terms} & ENGLISH
    assert len(topic.terms) <= MAX_TERMS
    assert len(topic.query) <= MAX_CHARACTERS


def test_r156_terms_of_a_spanish_section() -> None:
    text = (
        "El dolor en la poesía de Antonio Machado está unido al mar. El agua es símbolo de la ausencia y"
        " de la muerte en los versos de Machado, y el estado del alma se describe por medio del paisaje."
    )
    topic = clean_topic("La pena y el mar", text, "Poesía española")
    assert topic.language == "es"
    assert topic.terms[:3] == ("pena", "mar", "Antonio Machado")
    assert "estado" in topic.query, "academic words stay"
    assert not {term.casefold() for term in topic.terms} & SPANISH


def test_r156_operators_and_symbols() -> None:
    topic = clean_topic(
        'Levels of "IL-6" AND (p53)', "The p53 protein and IL-6 were measured -not site:x.", ""
    )
    assert "IL-6" in topic.terms
    assert "p53" in topic.terms
    assert not set(topic.query) & set('"():')


def test_academic_words_are_no_stop_words() -> None:
    assert not {"system", "value", "state", "work", "research", "index", "case"} & ENGLISH
    assert not {"trabajo", "estado", "valor", "uso", "real", "total", "general", "final"} & SPANISH


def test_languages_are_told_apart_or_not_told() -> None:
    assert language(SECTION) == "en"
    assert language("El mar y la luna están en los versos que escribió el poeta") == "es"
    assert language("Homer") is None


@given(st.text(max_size=300), st.text(max_size=300))
def test_r156_a_query_is_always_short_and_deterministic(title: str, content: str) -> None:
    topic = clean_topic(title, content, "")
    assert topic == clean_topic(title, content, "")
    assert len(topic.terms) <= MAX_TERMS
    assert len(topic.query) <= MAX_CHARACTERS


_sets = st.frozensets(st.sampled_from("abcdefgh"), max_size=8)


@given(_sets, _sets)
def test_r160_jaccard_is_symmetric_and_bounded(one: frozenset[str], other: frozenset[str]) -> None:
    assert jaccard(one, other) == jaccard(other, one)
    assert 0.0 <= jaccard(one, other) <= 1.0
    assert (jaccard(one, other) == 1.0) == (one == other and bool(one))


@given(st.text(alphabet="abc. d", max_size=200))
def test_r160_relevance_is_bounded(text: str) -> None:
    found = relevance(SectionText("abba dad cab bad. A dab abad dada."), text, basis="abstract")
    assert 0.0 <= found.score <= 1.0
    assert found.score in (0.0, max(found.whole, found.pair))


def test_r160_the_best_pair_of_sentences_counts() -> None:
    found = relevance(SectionText(SECTION), RELEVANT, basis="abstract")
    assert found.pair > found.whole > 0
    assert found.score == found.pair > 0.5
    assert found.sentence.startswith("The soil of old marshes")
    assert {"carbon", "marsh", "soil"} <= set(found.shared)
    assert relevance(SectionText(SECTION), UNRELATED, basis="abstract").score == 0.0


def test_r160_too_few_shared_stems_are_no_relevance() -> None:
    section = SectionText(SECTION)
    assert relevance(section, "Carbon in soil.", basis="abstract").score == 0.0, "two, and three are needed"
    assert relevance(section, "Carbon in soil", basis="title").score > 0.0


def work(**fields: object) -> CitationCandidate:
    values: dict[str, object] = {"title": "T", "source": "crossref", **fields}
    return CitationCandidate(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("candidate", "relevance_", "expected"),
    [
        # providers.md 7.4: the lowest relevance that reaches 0.50 in each case, and one step below
        (work(doi="10.1/a", type="journal-article", year=2026), 0.11, 0.50125),
        (work(doi="10.1/a", type="journal-article", year=2026), 0.109, 0.499875),
        (work(doi="10.1/a", type="journal-article", year=None), 0.22, 0.5025),
        (work(url="https://x.example", year=None), 0.364, 0.5005),
        (work(url="https://x.example", year=None), 0.363, 0.499125),
        (work(doi="10.1/a", type="posted-content", year=2026), 0.4, 0.80),
        (work(doi="10.1/a", type="journal-article", year=2026, citation_count=1000), 0.4, 1.0),
        (work(doi="10.1/a", type="journal-article", year=2026, citation_count=10**6), 0.9, 1.0),
    ],
)
def test_r161_the_score(candidate: CitationCandidate, relevance_: float, expected: float) -> None:
    made = score(candidate, relevance_, this_year=2026)
    assert made.total == pytest.approx(expected, abs=1e-9)
    assert made.total == pytest.approx(sum(made.parts.values()))


def test_r161_recency() -> None:
    years = [2026, 2021, 2016, 2001, 1990, None, 2030]
    assert [recency(y, this_year=2026) for y in years] == [1.0, 1.0, 0.75, 0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"title": "Table of Contents"}, True),
        ({"title": "Editorial Board."}, True),
        ({"title": "A table of contents in the monastery"}, False),
        ({"title": "Figure 3", "type": "component"}, True),
        ({"title": "Issue 4", "type": "journal-issue"}, True),
        ({"title": "Marsh", "type": "journal-article"}, False),
    ],
)
def test_front_matter_is_not_citable(fields: dict[str, str], refused: bool) -> None:
    assert not_citable(work(**fields)) is refused


def test_stems_are_for_the_language_of_the_section() -> None:
    assert stems("marshes and marsh", "en") == {"marsh"}
    assert stems("los mares y el mar", "es") == {"mar"}

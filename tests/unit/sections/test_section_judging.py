"""The decision on a candidate and its APA 7 text (R160 to R162, R167, D8)."""

from __future__ import annotations

from typing import Any

import pytest

from cmtui.model.sections import CitationCandidate
from cmtui.sections.apa import apa7
from cmtui.sections.judging import REASONS, Judge
from cmtui.sections.relevance import SectionText
from cmtui.sections.settings import SectionOptions
from support.literature import (
    RELEVANT,
    SECTION,
    UNRELATED,
)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"title": " "}, "missing_title"),
        ({"title": "Front matter", "type": "journal-article"}, "not_citable"),
        ({"retracted": True}, "retracted"),
        ({"doi": None}, "no_identifier"),
        ({"abstract": None, "title": "On it"}, "title_too_short"),
        ({"abstract": "Los suelos de las marismas y el carbono que está en ellos."}, "language_mismatch"),
        ({"abstract": UNRELATED}, "relevance_below_threshold"),
        ({"abstract": SECTION.split(".")[0], "doi": None, "url": "https://x.example", "year": 1950}, None),
        (
            {
                "doi": "10.5555/x",
                "year": 1950,
                "type": "dataset",
                "abstract": "Soil, carbon and marshes were drawn, sorted, counted and painted by hand.",
            },
            "score_below_threshold",
        ),
    ],
)
def test_r160_r161_each_reason_of_a_rejection(fields: dict[str, Any], reason: str | None) -> None:
    base = {
        "title": "Soil carbon of marshes",
        "source": "crossref",
        "doi": "10.5555/x",
        "abstract": RELEVANT,
        "year": 2024,
    }
    judge = Judge(SectionOptions(), SectionText(SECTION), apa7, this_year=2026)
    [decision] = judge.decide([CitationCandidate(**{**base, **fields})])
    assert decision.rejection_reason == reason
    assert decision.accepted is (reason is None)
    assert reason is None or reason in REASONS


@pytest.mark.parametrize(
    ("relevance", "score", "reason"),
    [
        (0.16, 0.51, None),
        (0.1599999, 0.9, "relevance_below_threshold"),
        (0.3, 0.50, "score_below_threshold"),
        (0.3, 0.5000001, None),
    ],
)
def test_d8_the_thresholds_are_at_least_and_above(
    relevance: float, score: float, reason: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R160, R161: a relevance of exactly 0.16 passes, a score of exactly 0.50 does not."""
    import cmtui.sections.judging as judging
    from cmtui.sections.ranking import Score
    from cmtui.sections.relevance import Relevance

    monkeypatch.setattr(
        judging, "relevance", lambda *_a, **_k: Relevance(relevance, relevance, 0.0, "abstract")
    )
    monkeypatch.setattr(judging, "score", lambda *_a, **_k: Score(score, {"relevance": score}))
    judge = Judge(SectionOptions(), SectionText(SECTION), apa7, this_year=2026)
    [decision] = judge.decide(
        [CitationCandidate(title="Soil carbon", source="crossref", doi="10.5555/x", abstract=RELEVANT)]
    )
    assert decision.rejection_reason == reason


def test_a_preprint_and_its_published_version_are_cited_once() -> None:
    judge = Judge(SectionOptions(), SectionText(SECTION), apa7, this_year=2026)
    same = {"title": "Soil carbon", "authors": ({"family": "Writer"},), "abstract": RELEVANT}
    decisions = judge.decide(
        [
            CitationCandidate(**same, source="crossref", doi="10.5555/pre", type="posted-content", year=2023),
            CitationCandidate(
                **same, source="crossref", doi="10.5555/pub", type="journal-article", year=2024
            ),
        ]
    )
    assert [(one.candidate.doi, one.rejection_reason) for one in decisions] == [
        ("10.5555/pub", None),
        ("10.5555/pre", "duplicate"),
    ]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"authors": ()}, "Soil carbon. (2024). https://doi.org/10.5555/x"),
        ({"year": None}, "Writer, J. (n.d.). Soil carbon. https://doi.org/10.5555/x"),
        (
            {"authors": ({"literal": "Marsh Institute"},)},
            "Marsh Institute. (2024). Soil carbon. https://doi.org/10.5555/x",
        ),
        ({"doi": None, "url": "https://x.example/p"}, "Writer, J. (2024). Soil carbon. https://x.example/p"),
    ],
)
def test_r167_apa_7(fields: dict[str, Any], text: str) -> None:
    base = {
        "title": "Soil carbon",
        "source": "crossref",
        "doi": "10.5555/x",
        "year": 2024,
        "type": "journal-article",
    }
    base["authors"] = ({"family": "Writer", "given": "Jane"},)
    made = apa7(CitationCandidate(**{**base, **fields}))
    assert made.replace("*", "") == text


def test_r167_twenty_one_authors_have_an_ellipsis() -> None:
    people = tuple({"family": f"A{n:02}", "given": "B"} for n in range(1, 22))
    base = {
        "title": "T soil",
        "source": "crossref",
        "doi": "10.5555/x",
        "year": 2024,
        "type": "journal-article",
    }
    made = apa7(CitationCandidate(**base, authors=people))
    assert "A19, B., . . . A21, B." in made.replace("… ", ". . . ")
    assert "A20" not in made
    assert "A20, B." in apa7(CitationCandidate(**base, authors=people[:20]))

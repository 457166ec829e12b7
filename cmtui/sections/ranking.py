"""The final score of a candidate, and what can be cited at all (R161; design/providers.md 7.4)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from cmtui.model.sections import CitationCandidate

#: Weights of relevance, DOI, recency and citations; they sum to 1.
WEIGHTS = {"relevance": 0.55, "doi": 0.20, "recency": 0.15, "citations": 0.10}
#: The relevance that counts as full, the ages of full and no recency in years, and citations of full weight.
FULL_RELEVANCE = 0.40
NEW_YEARS, OLD_YEARS = 5, 25
FULL_CITATIONS = 1000

#: A DOI is no proof of review: whole for these kinds, half for preprints and kinds that are not said.
REVIEWED = frozenset(
    [
        *("journal-article", "proceedings-article", "book", "book-chapter", "monograph", "report"),
        *("dissertation", "JournalArticle", "Conference", "Book", "BookSection", "Review", "MetaAnalysis"),
        "ClinicalTrial",
    ]
)
PREPRINT_SHARE = 0.5
#: Kinds that nobody cites.
NOT_CITABLE = frozenset({"component", "journal", "journal-issue", "journal-volume", "peer-review", "grant"})
_FRONT_MATTER = re.compile(
    r"(?:table of contents|contents|editorial board|front matter|back matter|masthead|cover(?: image)?|"
    r"index|author index|subject index|title page|call for papers|issue information|índice|portada|"
    r"comité editorial|consejo editorial)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Score:
    """The final score in [0, 1] and its parts as they were added."""

    total: float
    parts: Mapping[str, float]


def not_citable(candidate: CitationCandidate) -> bool:
    """Whether a record is a part of a journal and no work: an issue, a cover, a list of editors."""
    return candidate.type in NOT_CITABLE or bool(_FRONT_MATTER.fullmatch(candidate.title.strip(" .")))


def score(candidate: CitationCandidate, relevance: float, *, this_year: int) -> Score:
    """Relevance first, then DOI, recency and citations, each with its weight."""
    parts = {
        "relevance": WEIGHTS["relevance"] * min(1.0, relevance / FULL_RELEVANCE),
        "doi": WEIGHTS["doi"] * doi_share(candidate),
        "recency": WEIGHTS["recency"] * recency(candidate.year, this_year=this_year),
        "citations": WEIGHTS["citations"]
        * min(1.0, math.log1p(max(0, candidate.citation_count)) / math.log1p(FULL_CITATIONS)),
    }
    return Score(sum(parts.values()), parts)


def doi_share(candidate: CitationCandidate) -> float:
    """1 for a DOI of a reviewed kind, one half for other DOIs, 0 without one."""
    if not candidate.doi:
        return 0.0
    return 1.0 if candidate.type in REVIEWED else PREPRINT_SHARE


def recency(year: int | None, *, this_year: int) -> float:
    """1 up to 5 years, falling evenly to 0 at 25 years; 0 without a year."""
    if year is None:
        return 0.0
    age = max(0, this_year - year)
    return min(1.0, max(0.0, (OLD_YEARS - age) / (OLD_YEARS - NEW_YEARS)))

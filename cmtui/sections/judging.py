"""The decision on every candidate, with each number that led to it (R160, R161, R175, D8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from cmtui.errors import BibliographyError
from cmtui.model.sections import AcceptedCitation, CandidateDecision, CitationCandidate
from cmtui.scholarly.text import fold
from cmtui.sections.ranking import not_citable, score
from cmtui.sections.relevance import Relevance, SectionText, relevance
from cmtui.sections.settings import SectionOptions
from cmtui.sections.words import language, stems

#: Makes the APA 7 text of a candidate. Raises BibliographyError.
ReferenceText = Callable[[CitationCandidate], str]

#: Every reason of a rejection, with what it means.
REASONS = {
    "missing_title": "the record has no title",
    "no_identifier": "the record has neither a DOI nor an address, so it cannot be checked",
    "not_citable": "the record is a part of a journal, a cover or a list, and no work",
    "retracted": "the work is retracted",
    "duplicate": "another row is the same work",
    "title_too_short": "there is no abstract, and the title has fewer than two words with a topic",
    "language_mismatch": "the record is in another language than the section",
    "relevance_below_threshold": "it is not about what the section is about",
    "score_below_threshold": "its score does not exceed the threshold",
    "below_the_best": "enough candidates scored higher",
    "not_formatted": "no reference could be made of its fields",
}
#: Stems that a title needs to be compared alone (design/providers.md 7.3).
MIN_TITLE_STEMS = 2


class Judge:
    """Decides on candidates for one section."""

    def __init__(
        self, options: SectionOptions, section: SectionText, reference: ReferenceText, *, this_year: int
    ) -> None:
        self._options = options
        self._section = section
        self._reference = reference
        self._year = this_year

    def decide(
        self, candidates: Iterable[CitationCandidate], duplicates: Iterable[CitationCandidate] = ()
    ) -> tuple[CandidateDecision, ...]:
        """One decision per candidate: accepted ones first, each group by score."""
        judged = [self._judge(candidate) for candidate in candidates]
        judged.sort(key=_order)
        judged = self._once(judged)
        best = [one for one in judged if one.accepted][: self._options.max_candidates]
        rest = [
            _rejected(one, "below_the_best") if one.accepted and one not in best else one for one in judged
        ]
        extra = [
            CandidateDecision(candidate=one, accepted=False, rejection_reason="duplicate")
            for one in duplicates
        ]
        return tuple(sorted(rest, key=_order)) + tuple(extra)

    def accepted(self, decisions: Sequence[CandidateDecision]) -> tuple[AcceptedCitation, ...]:
        """The citations of the accepted decisions, in their order, with their APA 7 text (R162, R169)."""
        return tuple(
            AcceptedCitation(
                **{name: getattr(one.candidate, name) for name in one.candidate.__dataclass_fields__},
                relevance_score=one.relevance_score or 0.0,
                final_score=one.final_score or 0.0,
                apa7=str(one.parts["apa7"]),
            )
            for one in decisions
            if one.accepted
        )

    def _judge(self, candidate: CitationCandidate) -> CandidateDecision:
        early = self._early(candidate)
        if early:
            return CandidateDecision(candidate=candidate, accepted=False, rejection_reason=early)
        basis, text = _compared(candidate)
        if basis == "title" and len(stems(text, self._section.language)) < MIN_TITLE_STEMS:
            return CandidateDecision(
                candidate=candidate, accepted=False, rejection_reason="title_too_short", basis=basis
            )
        found = relevance(self._section, text, basis=basis)
        made = score(candidate, found.score, this_year=self._year)
        parts: dict[str, Any] = {
            **{f"relevance_{name}": value for name, value in _numbers(found).items()},
            "score": dict(made.parts),
            "thresholds": {"relevance": self._options.min_relevance, "score": self._options.min_score},
        }
        decision = CandidateDecision(
            candidate=candidate,
            accepted=True,
            relevance_score=found.score,
            final_score=made.total,
            basis=basis,
            parts=parts,
        )
        if _rounded(found.score) < self._options.min_relevance:
            foreign = self._foreign(candidate, text)
            return _rejected(decision, "language_mismatch" if foreign else "relevance_below_threshold")
        if _rounded(made.total) <= self._options.min_score:
            return _rejected(decision, "score_below_threshold")
        try:
            parts["apa7"] = self._reference(candidate)
        except BibliographyError:
            return _rejected(decision, "not_formatted")
        return decision

    @staticmethod
    def _early(candidate: CitationCandidate) -> str | None:
        if not candidate.title.strip():
            return "missing_title"
        if not_citable(candidate):
            return "not_citable"
        if candidate.retracted:
            return "retracted"
        if not candidate.doi and not candidate.url:
            return "no_identifier"
        return None

    def _foreign(self, candidate: CitationCandidate, text: str) -> bool:
        theirs = (candidate.language or "")[:2].lower() or language(text)
        return bool(self._section.language and theirs and theirs != self._section.language)

    def _once(self, judged: list[CandidateDecision]) -> list[CandidateDecision]:
        """Of a preprint and its published version, or of two records of one work, the better one (R159)."""
        seen: list[CitationCandidate] = []
        result = []
        for one in judged:
            if one.accepted and any(_same_work(one.candidate, other) for other in seen):
                result.append(_rejected(one, "duplicate"))
                continue
            if one.accepted:
                seen.append(one.candidate)
            result.append(one)
        return result


def _compared(candidate: CitationCandidate) -> tuple[str, str]:
    if candidate.abstract:
        return "abstract", candidate.abstract
    if candidate.snippet:
        return "snippet", f"{candidate.title}. {candidate.snippet}"
    return "title", candidate.title


def _numbers(found: Relevance) -> dict[str, Any]:
    return {**asdict(found), "shared": list(found.shared)}


def _rejected(decision: CandidateDecision, reason: str) -> CandidateDecision:
    return replace(decision, accepted=False, rejection_reason=reason)


def _order(one: CandidateDecision) -> tuple[bool, float, float, str, str]:
    return (
        not one.accepted,
        -_rounded(one.final_score or 0.0),
        -_rounded(one.relevance_score or 0.0),
        one.candidate.title,
        one.candidate.doi or one.candidate.url or "",
    )


def _rounded(value: float) -> float:
    """Twelve digits: sums of tenths must not decide at a threshold."""
    return round(value, 12)


def _same_work(one: CitationCandidate, other: CitationCandidate) -> bool:
    if fold(one.title) != fold(other.title) or not one.authors or not other.authors:
        return False
    near = one.year is None or other.year is None or abs(one.year - other.year) <= 1
    return near and _family(one) == _family(other)


def _family(candidate: CitationCandidate) -> str:
    first = candidate.authors[0]
    return fold(first.get("family") or str(first.get("literal", "")).split(" ")[-1])

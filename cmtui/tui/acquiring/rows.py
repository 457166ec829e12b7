"""Candidates as rows and words. What a provider says is data of unknown origin: it is shown, never obeyed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from cmtui.model.discovery import FoundWork, ProviderState, ProviderStatus
from cmtui.model.sections import CandidateDecision, CitationCandidate
from cmtui.tui.cells import shown
from cmtui.tui.widgets.row_list import Column, Row

#: Names of providers as the line of providers has them.
SHORT = {"semantic_scholar": "s2", "crossref": "crossref", "brave": "brave", "exa": "exa"}

#: The sign of each state of a provider.
SIGN: Mapping[ProviderState, str] = {
    ProviderState.OK: "✔",
    ProviderState.EMPTY: "0",
    ProviderState.MISSING_KEY: "–",
    ProviderState.NOT_ASKED: "–",
    ProviderState.RATE_LIMITED: "!",
    ProviderState.TIMEOUT: "!",
    ProviderState.UNREACHABLE: "!",
    ProviderState.REFUSED: "!",
    ProviderState.MALFORMED: "!",
    ProviderState.CANCELLED: "x",
}

DISCOVER_COLUMNS = (
    Column("Provider", 9),
    Column("Yr", 4),
    Column("Title"),
    Column("Where", 22, above=84),
    Column("State", 20),
)
SECTION_COLUMNS = (
    Column("Provider", 9),
    Column("Rel", 4),
    Column("Score", 5),
    Column("Yr", 4),
    Column("Title"),
    Column("State", 22),
)

LEAD = "discovery text is a lead, never evidence: only captured, verified bytes are quoted"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A found work on the screen. ``decision`` is there when a section's pipeline judged it."""

    work: FoundWork
    decision: CandidateDecision | None = None

    @property
    def key(self) -> tuple[str, int]:
        """Provider and rank."""
        return self.work.key

    @property
    def rejected(self) -> bool:
        """Whether the pipeline rejected it."""
        return self.decision is not None and not self.decision.accepted


def works_of(decisions: tuple[CandidateDecision, ...]) -> list[Candidate]:
    """The candidates of a section, accepted ones first, each group by score."""
    ordered = sorted(decisions, key=lambda d: (not d.accepted, -(d.final_score or 0.0)))
    return [
        Candidate(_work_of(decision.candidate, rank), decision)
        for rank, decision in enumerate(ordered, start=1)
    ]


def _work_of(candidate: CitationCandidate, rank: int) -> FoundWork:
    return FoundWork(
        provider=candidate.source,
        rank=rank,
        title=candidate.title,
        authors=candidate.authors,
        year=candidate.year,
        doi=candidate.doi,
        url=candidate.url,
        abstract=candidate.abstract,
        type=candidate.type,
        language=candidate.language,
        citation_count=candidate.citation_count,
        sources=candidate.sources,
    )


def candidate_row(candidate: Candidate, state: tuple[str, str] | None, *, marked: bool, scored: bool) -> Row:
    """One candidate. ``state`` is what became of it (text and look), else what it is."""
    work = candidate.work
    text, look = state or own_state(candidate)
    year = str(work.year) if work.year is not None else "—"
    title = shown(work.title or "(no title)")
    provider = SHORT.get(work.provider, work.provider)
    if scored:
        decision = candidate.decision
        rel = number(decision.relevance_score if decision else None)
        score = number(decision.final_score if decision else None)
        return Row((provider, rel, score, year, title, text), style=look, marked=marked)
    return Row((provider, year, title, place(work), text), style=look, marked=marked)


def own_state(candidate: Candidate) -> tuple[str, str]:
    """What can be done with a candidate that nothing was done with yet."""
    decision, work = candidate.decision, candidate.work
    if decision is not None and not decision.accepted:
        return f"✘ {reason(decision)}", "dim"
    if work.in_library:
        return "in library", "good"
    if "retraction" in work.notices:
        return "retracted", "bad"
    return ("ready", "") if work.url else ("no address", "dim")


def reason(decision: CandidateDecision) -> str:
    """Why a candidate was rejected, with the number that decided where there is one."""
    why = decision.rejection_reason or "rejected"
    least = decision.parts.get("thresholds", {})
    if why == "relevance_below_threshold":
        return f"relevance {number(decision.relevance_score)} < {number(least.get('relevance'))}"
    if why == "score_below_threshold":
        return f"score {number(decision.final_score)} ≤ {number(least.get('score'))}"
    return why.replace("_", " ")


def number(value: float | None) -> str:
    """A score as drawn: ``.41``, ``1.0``; a dash where there is none."""
    if value is None:
        return "—"
    return f"{value:.2f}".removeprefix("0") if value < 1 else f"{value:.1f}"


def place(work: FoundWork) -> str:
    """The DOI, else the host of the address."""
    if work.doi:
        return work.doi
    try:
        return urlsplit(work.url or "").hostname or "—"
    except ValueError:
        return "—"


def detail(candidate: Candidate) -> str:
    """What is known of a candidate, with the warning that none of it is evidence."""
    work, decision = candidate.work, candidate.decision
    first = [SHORT.get(work.provider, work.provider), work.doi or work.url or "no DOI, no address"]
    if work.citation_count:
        first.append(f"cited by {work.citation_count}")
    for provider, _ in work.same_as[:2]:
        first.append(f"same as in {SHORT.get(provider, provider)}")
    lines = [" · ".join(first)]
    people = ", ".join(str(name.get("family") or name.get("literal") or "") for name in work.authors[:4])
    about = [part for part in (people, work.container, work.type, str(work.year or "")) if part]
    if about:
        lines.append(" · ".join(about))
    if work.notices:
        lines.append(f"! {', '.join(work.notices)}")
    if decision is not None:
        lines.append(f"why: {why_of(decision)}")
    elif work.abstract or work.snippet:
        lines.append(f"“{(work.abstract or work.snippet or '')[:300]}”")
    return "\n".join(shown(line) for line in [*lines, LEAD])


def why_of(decision: CandidateDecision) -> str:
    """The numbers of a decision in one line."""
    shared = ", ".join(str(word) for word in decision.parts.get("relevance_shared", ())[:5])
    compared = f"{decision.basis or 'nothing'} {number(decision.relevance_score)}"
    terms = [f"{compared} (shared: {shared})" if shared else compared]
    scored = decision.parts.get("score", {})
    terms += [f"{name} {number(value)}" for name, value in scored.items() if value and name != "relevance"]
    verdict = "passes" if decision.accepted else reason(decision)
    return f"{' + '.join(terms)} → {number(decision.final_score)}: {verdict}"


def status_line(status: ProviderStatus) -> str:
    """One provider's part of the run log."""
    code = next((str(a.status) for a in reversed(status.attempts) if a.status is not None), "—")
    name = f"{SHORT.get(status.name, status.name):<9}"
    took = f"{status.ms / 1000:.1f} s" if status.ms >= 1000 else f"{status.ms} ms"
    if status.state is ProviderState.OK:
        return f"{name} {code:<4} {status.results} hits  {took}"
    if status.state is ProviderState.EMPTY:
        return f"{name} {code:<4} no hits  {took}"
    return f"{name} {code:<4} {status.message} {status.hint}".rstrip()


def via(enabled: Mapping[str, bool], states: Mapping[str, ProviderState], *, busy: bool) -> str:
    """The providers with their state: ``via s2✔ crossref⟳ exa– (brave)``; one that is off in brackets."""
    parts = []
    for name, on in enabled.items():
        label = SHORT.get(name, name)
        if not on:
            parts.append(f"({label})")
        elif name in states:
            parts.append(f"{label}{SIGN[states[name]]}")
        else:
            parts.append(f"{label}⟳" if busy else label)
    return " via " + " ".join(parts) + " "


def with_library(candidate: Candidate, source_id: str) -> Candidate:
    """The candidate, known to be in the library now."""
    return replace(candidate, work=replace(candidate.work, in_library=source_id))

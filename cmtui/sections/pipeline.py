"""Citations for one section of a draft: cache, providers, relevance, score, and the record of it all (R154).

Nothing is invented: what is accepted stands in a provider's answer with a DOI or an address, and when nothing
passes the answer is ``found=False`` with the reason of each rejection (R153, R179).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from cmtui.discovery.merging import linked, merged
from cmtui.discovery.providers.base import LABELS
from cmtui.discovery.service import discover
from cmtui.errors import Cancelled
from cmtui.model.discovery import DiscoveryReport, FoundWork, ProviderState, ProviderStatus
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.model.sections import AcceptedCitation, CandidateDecision, CitationCandidate, CitationResult
from cmtui.ports import DiscoveryProvider
from cmtui.sections.cache import CitationCache
from cmtui.sections.judging import Judge, ReferenceText
from cmtui.sections.normalise import query_hash
from cmtui.sections.relevance import SectionText
from cmtui.sections.settings import WEB, SectionOptions
from cmtui.sections.topic import clean_topic

#: Makes the providers of these names, or the status that says why one cannot be asked.
MakeProviders = Callable[[Sequence[str]], Sequence[DiscoveryProvider | ProviderStatus]]

NOTHING = "No citation met the thresholds; nothing was invented."
NO_ANSWER = "No provider answered, so nothing is known of the literature; nothing was invented."


@dataclass(slots=True)
class _Answers:
    """What the providers said so far."""

    statuses: dict[str, ProviderStatus]
    rows: list[FoundWork]

    def take(self, report: DiscoveryReport) -> None:
        self.statuses.update({status.name: status for status in report.providers})
        self.rows.extend(report.candidates)

    @property
    def complete(self) -> bool:
        """Whether everybody who was asked answered whole."""
        return not any(status.failed for status in self.statuses.values())

    @property
    def silent(self) -> bool:
        """Whether somebody was asked and nobody answered."""
        asked = [
            status
            for status in self.statuses.values()
            if status.state not in {ProviderState.MISSING_KEY, ProviderState.NOT_ASKED}
        ]
        return all(status.failed for status in asked)


class CitationPipeline:
    """Finds citations for sections under ``options``. ``cache`` None asks anew each time.

    ``reference`` makes the APA 7 text of a candidate; ``now`` is the time of ages and of the cache. Every
    call may use the network (D1).
    """

    def __init__(
        self,
        make_providers: MakeProviders,
        *,
        reference: ReferenceText,
        cache: CitationCache | None = None,
        options: SectionOptions | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._make = make_providers
        self._reference = reference
        self._cache = cache
        self.options = options or SectionOptions()
        self._now = now

    def find_citations_for_section(
        self,
        section_title: str,
        section_content: str,
        document_topic: str = "",
        *,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> CitationResult:
        """Works that are topically relevant to a section. Raises Cancelled; a failing provider is a row.

        A cached answer is judged anew against this section and counts only if something still passes (R172).
        """
        topic = clean_topic(section_title, section_content, document_topic)
        section = SectionText(section_content)
        key = query_hash(topic.query, providers=self.options.providers, language=topic.language)
        if not topic.query:
            return CitationResult(
                section_title=section_title,
                found=False,
                query_hash=key,
                warnings=("The section has no words to search with.",),
            )
        now = self._now()
        judge = Judge(self.options, section, self._reference, this_year=now.year)
        known = None
        if self._cache is not None:
            known = self._cache.get(key, now=now, ttl_days=self.options.cache_ttl_days)
        if known:
            decisions = judge.decide(known)
            if any(decision.accepted for decision in decisions):
                return self._result(section_title, topic.query, key, decisions, judge, cache_hit=True)
        answers = self._ask(topic.query, judge, progress, cancelled)
        if cancelled():
            raise Cancelled(
                f"The search for '{section_title}' was cancelled.", "Run it again; nothing was kept."
            )
        decisions = judge.decide(*_candidates(answers.rows))
        result = self._result(
            section_title,
            topic.query,
            key,
            decisions,
            judge,
            statuses=answers.statuses,
            silent=answers.silent,
        )
        if self._cache is not None and answers.complete and result.citations:
            kept = [decision.candidate for decision in decisions if decision.accepted]
            asked = [name for name, one in answers.statuses.items() if one.state is ProviderState.OK]
            self._cache.put(key, query=topic.query, providers=asked, candidates=kept, now=now)
        return result

    def _ask(
        self, query: str, judge: Judge, progress: ProgressCallback, cancelled: CancelledCallback
    ) -> _Answers:
        """The databases, and the web search beside them or when they gave nothing accepted (R158, R166)."""
        answers = _Answers({}, [])
        names = list(self.options.providers)
        later = [WEB] if self.options.web == "fallback" and len(names) > 1 and WEB in names else []
        first = [name for name in names if name not in later]
        for part in (first, later):
            if not part:
                continue
            if part is later:
                candidates, duplicates = _candidates(answers.rows)
                if any(one.accepted for one in judge.decide(candidates, duplicates)):
                    answers.statuses[WEB] = ProviderStatus(
                        WEB,
                        ProviderState.NOT_ASKED,
                        message=f"{LABELS[WEB]} was not asked: the databases gave what passed.",
                    )
                    continue
            if cancelled():
                break
            answers.take(
                discover(
                    query, self._make(part), limit=self.options.rows, progress=progress, cancelled=cancelled
                )
            )
        return answers

    def _result(
        self,
        title: str,
        query: str,
        key: str,
        decisions: Sequence[CandidateDecision],
        judge: Judge,
        *,
        statuses: dict[str, ProviderStatus] | None = None,
        silent: bool = False,
        cache_hit: bool = False,
    ) -> CitationResult:
        citations: tuple[AcceptedCitation, ...] = judge.accepted(decisions)
        providers = tuple(
            (statuses or {})[name] for name in (*self.options.providers,) if name in (statuses or {})
        )
        warnings = [f"{status.message} {status.hint}".strip() for status in providers if status.failed]
        if not citations:
            warnings.append(NO_ANSWER if silent else NOTHING)
        return CitationResult(
            section_title=title,
            found=bool(citations),
            citations=citations,
            rejected_candidates=tuple(
                {"title": one.candidate.title, "rejection_reason": one.rejection_reason or ""}
                for one in decisions
                if not one.accepted
            ),
            cache_hit=cache_hit,
            audit=tuple(decisions),
            query=query,
            query_hash=key,
            providers=providers,
            warnings=tuple(warnings),
        )


def _candidates(
    rows: Sequence[FoundWork],
) -> tuple[list[CitationCandidate], list[CitationCandidate]]:
    """One candidate for each work by DOI or address (R159), and the rows that were merged into one."""
    joined = merged(linked(rows))
    kept = {work.key for work in joined}
    return (
        [candidate_of(work) for work in joined],
        [candidate_of(work) for work in rows if work.key not in kept],
    )


def candidate_of(work: FoundWork) -> CitationCandidate:
    """A found work as the pipeline judges it; a title that is missing is an empty one.

    What a web search says of a page is no abstract, whatever the service calls it.
    """
    web = work.fields_from.get("abstract", work.provider) == WEB
    return CitationCandidate(
        title=work.title or "",
        authors=work.authors,
        year=work.year,
        doi=work.doi,
        abstract=None if web else work.abstract,
        url=work.url,
        source=work.provider,
        citation_count=work.citation_count or 0,
        sources=work.sources or (work.provider,),
        type=work.type,
        language=work.language,
        snippet=work.snippet or (work.abstract if web else None),
        container=work.container,
        retracted="retraction" in work.notices,
    )

"""Discovery and sections on loopback: four slow services asked at once, and 36 candidates judged."""

from __future__ import annotations

import random
import statistics
import time

from cmtui.engine.discovering import discover
from cmtui.model.lookup import ProviderSettings, WebSearchSettings
from cmtui.model.sections import CitationCandidate
from cmtui.sections.apa import apa7
from cmtui.sections.judging import Judge
from cmtui.sections.relevance import SectionText
from cmtui.sections.settings import SectionOptions
from support.literature import brave_answer, crossref_answer, crossref_item, scholar_answer, scholar_paper
from support.local_http import Reply, Seen, json_reply, serving
from tests.benchmarks.timing import milliseconds, table

#: Seconds that each service takes to answer.
SLOW = 0.3


def run() -> None:
    """Print both tables."""
    _parallel()
    _judging()


def _parallel() -> None:
    answers = {
        "/works": crossref_answer(crossref_item("10.5555/a", "A")),
        "/graph": scholar_answer(scholar_paper("B")),
        "/res": brave_answer({"title": "C", "url": "https://c.example", "description": "c"}),
        "/search": json_reply({"results": [{"id": "d", "url": "https://d.example"}]}),
    }

    def slow(seen: Seen) -> Reply:
        time.sleep(SLOW)
        return next(reply for start, reply in answers.items() if seen.path.startswith(start))

    environ = {"BRAVE_API_KEY": "key", "EXA_API_KEY": "key", "SEMANTIC_SCHOLAR_API_KEY": "key"}
    rows = []
    for _ in range(5):
        # A server each: services under one name would wait for each other's pace.
        with serving(slow) as a, serving(slow) as b, serving(slow) as c, serving(slow) as d:
            settings = {
                "semantic_scholar": ProviderSettings(a.url),
                "crossref": ProviderSettings(b.url),
                "brave": WebSearchSettings(c.url),
                "exa": ProviderSettings(d.url),
            }
            start = time.perf_counter()
            report = discover("q", settings=settings, environ=environ)
            took = time.perf_counter() - start
            rows.append((took, max(status.ms for status in report.providers) / 1000))
    whole = statistics.median(row[0] for row in rows)
    slowest = statistics.median(row[1] for row in rows)
    table(
        f"discover: four services of {milliseconds(SLOW)} each (at most 1.3 times the slowest)",
        ["all four", "the slowest", "ratio"],
        [[milliseconds(whole), milliseconds(slowest), f"{whole / slowest:.2f}"]],
    )


def _judging() -> None:
    random.seed(7)
    starts = ["mar", "tid", "sed", "car", "sal", "est", "rep", "cor"]
    ends = ["bon", "sal", "ment", "ine", "uary", "ality", "ation", "ing", "ed", "ous", "ity", "er"]
    words = [f"{start}{end}" for start in starts for end in ends]

    def text(count: int) -> str:
        made = [random.choice(words) for _ in range(count)]
        return ". ".join(" ".join(made[at : at + 15]).capitalize() for at in range(0, count, 15)) + "."

    candidates = [
        CitationCandidate(
            title=f"Work {n} of {random.choice(words)}",
            source="crossref",
            doi=f"10.5555/{n}",
            year=2020,
            type="journal-article",
            abstract=text(200),
        )
        for n in range(36)
    ]
    judge = Judge(SectionOptions(), SectionText(text(250)), lambda c: c.title, this_year=2026)
    judge.decide(candidates)
    times = []
    for _ in range(9):
        content, fresh = text(250), [text(200) for _ in candidates]
        start = time.perf_counter()
        section = SectionText(content)
        Judge(SectionOptions(), section, lambda c: c.title, this_year=2026).decide(
            [
                CitationCandidate(title=c.title, source="crossref", doi=c.doi, abstract=t)
                for c, t in zip(candidates, fresh, strict=True)
            ]
        )
        times.append(time.perf_counter() - start)
    apa7(candidates[0])
    start = time.perf_counter()
    apa7(candidates[1])
    one = f"{milliseconds(time.perf_counter() - start)}"
    table(
        "sections: 36 abstracts of 200 words against a section of 250 words (at most 60 ms)",
        ["median", "worst", "one APA reference"],
        [[milliseconds(statistics.median(times)), milliseconds(max(times)), one]],
    )

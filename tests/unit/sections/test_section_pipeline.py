"""The section pipeline against services on loopback (R153 to R179, D1, D8)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cmtui import LocalCitationMachine
from cmtui.errors import AmbiguousId, Cancelled, InvalidRequest, NotFound, SectionError
from cmtui.model.discovery import ProviderState
from cmtui.model.lookup import ProviderSettings, WebSearchSettings
from cmtui.model.sections import CitationCandidate, CitationResult
from cmtui.sections.cache import CitationCache
from cmtui.sections.settings import SectionOptions
from support.literature import (
    RELEVANT,
    SECTION,
    UNRELATED,
    asked,
    brave_answer,
    crossref_answer,
    crossref_item,
    literature,
    scholar_answer,
    scholar_paper,
)
from support.local_http import LocalServer, Reply, Seen, serving

TITLE, TOPIC = "2.1 Carbon of tidal marshes", "Coastal change"
GOOD = crossref_item("10.5555/marsh", "Soil carbon of tidal marshes", abstract=f"<jats:p>{RELEVANT}</jats:p>")
BAD = crossref_item("10.5555/court", "Musicians at a court", abstract=f"<jats:p>{UNRELATED}</jats:p>")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalCitationMachine]:
    monkeypatch.setenv("BRAVE_API_KEY", "test-key-of-brave")
    monkeypatch.delenv("SEMANTIC_SCHOLAR_API_KEY", raising=False)
    with LocalCitationMachine.open(tmp_path / "store") as made:
        yield made


def settings(server: LocalServer | str, deadline: float = 10.0) -> dict[str, ProviderSettings]:
    url = server if isinstance(server, str) else server.url
    # Each host has a pace of its own: under one name the services would wait for each other.
    return {
        "semantic_scholar": ProviderSettings(url.replace("127.0.0.1", "localhost"), deadline),
        "crossref": ProviderSettings(url, deadline),
        "brave": WebSearchSettings(url, deadline),
    }


def find(
    machine: LocalCitationMachine, server: LocalServer | str, content: str = SECTION, **options: Any
) -> CitationResult:
    deadline = options.pop("deadline", 10.0)
    return machine.find_citations_for_section(
        TITLE, content, TOPIC, options=SectionOptions(**options), settings=settings(server, deadline)
    )


def table(machine: LocalCitationMachine) -> list[tuple[Any, ...]]:
    path = machine.path / "derived" / "citations.sqlite"
    if not path.exists():
        return []
    with sqlite3.connect(path) as base:
        rows = base.execute("SELECT * FROM citation_cache ORDER BY query_hash").fetchall()
    base.close()
    return rows


def test_r154_r163_r169_a_relevant_work_is_accepted_with_every_number(machine: LocalCitationMachine) -> None:
    with serving(literature(crossref=crossref_answer(BAD, GOOD))) as server:
        result = find(machine, server)
    assert (result.found, result.cache_hit, len(result.query_hash)) == (True, False, 64)
    [citation] = result.citations
    assert (citation.doi, citation.source, citation.used) == ("10.5555/marsh", "crossref", True)
    assert citation.relevance_score >= 0.16
    assert citation.final_score > 0.50
    assert citation.apa7 == "Writer, J. (2024). Soil carbon of tidal marshes. https://doi.org/10.5555/marsh"
    assert result.rejected == result.rejected_candidates
    assert [dict(row) for row in result.rejected] == [
        {"title": "Musicians at a court", "rejection_reason": "relevance_below_threshold"}
    ]
    first, second = result.audit
    assert (first.accepted, second.accepted) == (True, False)
    assert set(first.parts["score"]) == {"relevance", "doi", "recency", "citations"}
    assert sum(first.parts["score"].values()) == pytest.approx(first.final_score)
    assert first.parts["relevance_sentence"].startswith("The soil of old marshes")


def test_r153_r179_nothing_relevant_is_found_false_and_nothing_is_invented(
    machine: LocalCitationMachine,
) -> None:
    with serving(literature(crossref=crossref_answer(BAD))) as server:
        result = find(machine, server)
    assert (result.found, result.citations) == (False, ())
    assert [row["rejection_reason"] for row in result.rejected] == ["relevance_below_threshold"]
    assert any("nothing was invented" in warning for warning in result.warnings)
    assert table(machine) == []


def test_r166_brave_is_the_fallback_or_asked_beside_the_others(machine: LocalCitationMachine) -> None:
    page = {"title": "Soil of marshes", "url": "https://marsh.example/soil", "description": RELEVANT}
    script = literature(crossref=crossref_answer(GOOD), brave=brave_answer(page))
    with serving(script) as server:
        first = find(machine, server)
        assert asked(server.seen) == {"crossref": 1, "semantic_scholar": 1, "brave": 0}
        assert first.providers[-1].state is ProviderState.NOT_ASKED
    with serving(script) as server:
        both = machine.find_citations_for_section(
            TITLE,
            SECTION,
            TOPIC,
            options=SectionOptions(web="parallel"),
            settings=settings(server),
            use_cache=False,
        )
        assert asked(server.seen)["brave"] == 1
        assert both.providers[-1].state is ProviderState.OK
    with serving(literature(crossref=crossref_answer(BAD), brave=brave_answer(page))) as server:
        alone = machine.find_citations_for_section(
            TITLE, SECTION, TOPIC, options=SectionOptions(), settings=settings(server), use_cache=False
        )
    [citation] = alone.citations
    assert (citation.source, citation.url, citation.doi) == ("brave", "https://marsh.example/soil", None)
    assert alone.audit[0].basis == "snippet"


def test_r159_one_work_at_two_services_is_one_candidate(machine: LocalCitationMachine) -> None:
    paper = scholar_paper(
        "Soil carbon of tidal marshes",
        abstract=RELEVANT,
        externalIds={"DOI": "10.5555/MARSH"},
        citationCount=40,
    )
    with serving(literature(crossref=crossref_answer(GOOD), scholar=scholar_answer(paper))) as server:
        result = find(machine, server)
    [citation] = result.citations
    assert set(citation.sources) == {"crossref", "semantic_scholar"}
    assert citation.citation_count == 40
    assert [row["rejection_reason"] for row in result.rejected] == ["duplicate"]


def test_r162_the_best_twelve_are_kept_and_the_others_say_why(machine: LocalCitationMachine) -> None:
    items = [
        crossref_item(f"10.5555/m{n}", f"Soil carbon of tidal marshes, part {n}", abstract=RELEVANT)
        for n in range(12)
    ]
    papers = [
        scholar_paper(
            f"Marsh soils of region {n}",
            paperId=f"p{n}",
            abstract=RELEVANT,
            externalIds={"DOI": f"10.5556/{n}"},
        )
        for n in range(4)
    ]
    with serving(literature(crossref=crossref_answer(*items), scholar=scholar_answer(*papers))) as server:
        result = find(machine, server)
    assert len(result.citations) == 12
    scores = [citation.final_score for citation in result.citations]
    assert scores == sorted(scores, reverse=True)
    assert [row["rejection_reason"] for row in result.rejected] == ["below_the_best"] * 4
    assert len(result.audit) == 16


def test_r157_r172_a_hit_is_judged_anew_and_never_leaks_into_another_section(
    machine: LocalCitationMachine,
) -> None:
    with serving(literature(crossref=crossref_answer(GOOD))) as server:
        first = find(machine, server)
        asked_once = len(server.seen)
        again = find(machine, server)
        assert len(server.seen) == asked_once
        assert (again.cache_hit, again.found) == (True, True)
        assert [c.apa7 for c in again.citations] == [c.apa7 for c in first.citations]
        # The same query words, another section: the entry fails its revalidation, and the services are asked.
        other = machine.find_citations_for_section(
            first.query, "", "", options=SectionOptions(), settings=settings(server)
        )
        assert other.found is False
        assert other.cache_hit is False
        assert len(server.seen) > asked_once


def test_r171_r173_entries_that_are_too_old_are_ignored_and_removed(tmp_path: Path) -> None:
    cache = CitationCache(tmp_path / "c.sqlite")
    now = datetime(2026, 12, 1, tzinfo=UTC)
    one = CitationCandidate(title="T", source="crossref", doi="10.5555/a", authors=({"family": "A"},))
    cache.put("k", query="q", providers=("crossref",), candidates=[one], now=now)
    assert cache.get("k", now=now + timedelta(days=29), ttl_days=30) == (one,)
    assert cache.get("k", now=now + timedelta(days=30), ttl_days=30) is None
    assert cache.get("k", now=now - timedelta(days=1), ttl_days=30) is None, "stored in the future"
    later = now + timedelta(days=31)
    assert cache.state(now=later, ttl_days=30).expired == 1
    assert (cache.purge(now=later, ttl_days=30), cache.state(now=later, ttl_days=30).entries) == (1, 0)


def test_a_changed_payload_and_a_broken_file_are_ignored(tmp_path: Path) -> None:
    """A fabricated entry must not pass for an answer."""
    path = tmp_path / "c.sqlite"
    cache = CitationCache(path)
    now = datetime(2026, 12, 1, tzinfo=UTC)
    one = CitationCandidate(title="T", source="crossref", doi="10.5555/a")
    cache.put("k", query="q", providers=("crossref",), candidates=[one], now=now)
    with sqlite3.connect(path) as base:
        base.execute("UPDATE citation_cache SET payload = replace(payload, '10.5555/a', '10.5555/b')")
    base.close()
    assert cache.get("k", now=now, ttl_days=30) is None
    path.write_bytes(b"no database at all, by any reading of it" * 20)
    assert cache.get("k", now=now, ttl_days=30) is None
    cache.put("k", query="q", providers=("crossref",), candidates=[one], now=now)
    assert cache.get("k", now=now, ttl_days=30) == (one,)


FAULTS: dict[str, Reply] = {
    "429": Reply(429, b"{}", {"Content-Type": "application/json", "Retry-After": "3600"}),
    "500": Reply(403, b"{}", {"Content-Type": "application/json"}),
    "malformed": Reply(200, b"[1", {"Content-Type": "application/json"}),
    "partial": Reply(200, b'{"status":"ok"', {"Content-Type": "application/json"}, 4000),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_failures_are_never_cached_and_the_others_are_used(machine: LocalCitationMachine, fault: str) -> None:
    """After a 429, a refusal, a malformed or a partial answer the table is as it was."""
    paper = scholar_paper("Soil carbon", abstract=RELEVANT, externalIds={"DOI": "10.5557/x"})
    with serving(literature(crossref=crossref_answer(GOOD))) as server:
        find(machine, server)
    before = table(machine)
    assert len(before) == 1
    with serving(literature(crossref=FAULTS[fault], scholar=scholar_answer(paper))) as server:
        result = machine.find_citations_for_section(
            "Soils of marshes", SECTION, "", options=SectionOptions(), settings=settings(server, 3.0)
        )
    assert result.found, "the other service is used"
    failed = next(status for status in result.providers if status.name == "crossref")
    assert failed.failed
    assert any("Crossref" in warning for warning in result.warnings)
    assert table(machine) == before


def test_r177_nobody_answers(machine: LocalCitationMachine) -> None:
    """found=False with a warning that says so, and not as an empty literature; nothing is cached."""

    def silent(seen: Seen) -> Reply:
        return Reply(200, b"", {"Content-Type": "application/json"}, 100, hold=True)

    with serving(silent) as server:
        result = find(machine, server, deadline=0.3)
        server.released.set()
    assert result.found is False
    assert {status.state for status in result.providers} <= {
        ProviderState.TIMEOUT,
        ProviderState.RATE_LIMITED,
    }
    assert result.warnings[-1].startswith("No provider answered")
    assert table(machine) == []


def test_a_missing_key_names_the_variable_and_the_others_run(
    machine: LocalCitationMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRAVE_API_KEY")
    with serving(literature(crossref=crossref_answer(BAD))) as server:
        result = find(machine, server)
    brave = result.providers[-1]
    assert brave.state is ProviderState.MISSING_KEY
    assert "BRAVE_API_KEY" in brave.message + brave.hint


DRAFT = f"""# Coastal change

An opening that says little.

## 2.1 Carbon of tidal marshes

{SECTION}

```
code is no prose
```

## References

Writer, J. (2024). Soil.
"""


def test_r175_r178_a_whole_draft_with_its_audit_and_gate(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text(DRAFT, encoding="utf-8")
    told: list[tuple[int, int | None]] = []
    with serving(literature(crossref=crossref_answer(GOOD, BAD))) as server:
        audit = machine.run_sections(
            draft,
            options=SectionOptions(),
            settings=settings(server),
            progress=lambda p: told.append((p.done, p.total)),
        )
        warned = machine.run_sections(draft, options=SectionOptions(gate="warn"), settings=settings(server))
        enough = machine.run_sections(draft, options=SectionOptions(min_count=1), settings=settings(server))
    assert [section.section_title for section in audit.sections] == [
        "Coastal change",
        "2.1 Carbon of tidal marshes",
    ]
    assert "code" not in audit.sections[1].query
    assert (audit.total_found, audit.gate) == (1, "P0")
    assert (warned.gate, enough.gate) == ("warning", "ok")
    assert set(audit.providers_queried) == {"semantic_scholar", "crossref", "brave"}
    assert (told[0], told[-1]) == ((0, 2), (2, 2))
    assert enough.cache_hits == 1
    assert machine.section_audits()[0].sections == audit.sections
    assert machine.section_audit(audit.document_id[:8]).audit_id == enough.audit_id
    with pytest.raises(NotFound) as missing:
        machine.section_audit("0000")
    assert "sections run" in missing.value.hint
    other = tmp_path / "other.md"
    other.write_text(f"# Other\n\n{SECTION}\n", encoding="utf-8")
    with serving(literature()) as server:
        machine.run_sections(other, options=SectionOptions(), settings=settings(server))
    with pytest.raises((AmbiguousId, NotFound)):
        machine.section_audit("")


def test_r176_an_audit_survives_reopening_and_damage_is_named(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    with serving(literature(crossref=crossref_answer(GOOD))) as server:
        audit = machine.run_sections(
            DRAFT.encode(), name="d.md", options=SectionOptions(), settings=settings(server)
        )
    with LocalCitationMachine.open(machine.path) as again:
        assert again.section_audit(audit.document_id) == audit
    [file] = (machine.path / "audits").glob("*.json")
    file.write_bytes(file.read_bytes().replace(b"10.5555/marsh", b"10.5555/mersh"))
    [problem] = machine.doctor().problems
    assert problem.path is not None
    assert problem.path.endswith(file.name)


def test_r176_the_trail_tells_every_decision(machine: LocalCitationMachine) -> None:
    with serving(literature(crossref=crossref_answer(GOOD, BAD))) as server:
        machine.run_sections(
            f"# Marsh\n\n{SECTION}\n".encode(),
            name="d.md",
            options=SectionOptions(),
            settings=settings(server),
        )
    events = {event.event: event for event in machine.audit_trail("event:candidate.* actor:engine").events}
    assert events["candidate.accepted"].object == "10.5555/marsh"
    assert events["candidate.rejected"].detail.startswith("relevance below threshold, relevance 0.")
    [section] = machine.audit_trail("event:section.examined").events
    assert (section.name, section.detail) == ("d.md: Marsh", "1 kept, 1 rejected")


def test_a_cancelled_run_keeps_nothing(machine: LocalCitationMachine) -> None:
    with serving(literature(crossref=crossref_answer(GOOD))) as server, pytest.raises(Cancelled):
        machine.run_sections(
            DRAFT.encode(),
            options=SectionOptions(),
            settings=settings(server),
            cancelled=lambda: bool(server.seen),
        )
    assert machine.section_audits() == ()
    assert table(machine) == []


@pytest.mark.parametrize("content", [b"", b"# Only a heading\n", b"```\ncode\n```\n"])
def test_a_draft_without_prose_is_refused(machine: LocalCitationMachine, content: bytes) -> None:
    with pytest.raises(Exception) as refusal:
        machine.run_sections(
            content, name="d.md", options=SectionOptions(), settings=settings("http://127.0.0.1:9")
        )
    assert isinstance(refusal.value, SectionError) or refusal.value.hint  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_score": 2},
        {"min_relevance": -1},
        {"max_candidates": 0},
        {"web": "never"},
        {"gate": "x"},
        {"providers": ("exa",)},
    ],
)
def test_options_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        SectionOptions(**wrong)
    assert refusal.value.hint


def test_r174_the_environment_sets_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    from cmtui.engine.sectioning import options_from_environment

    assert options_from_environment({}) == SectionOptions(0.50, 0.16, 12, 30, 2)
    given = {
        "CITATION_MIN_SCORE": "0.6",
        "CITATION_MAX_CANDIDATES_PER_SECTION": "3",
        "CITATION_MIN_COUNT": "0",
    }
    made = options_from_environment(given)
    assert (made.min_score, made.max_candidates, made.min_count) == (0.6, 3, 0)
    with pytest.raises(InvalidRequest, match="CITATION_MIN_SCORE"):
        options_from_environment({"CITATION_MIN_SCORE": "half"})

"""What the search services answer and how they are asked: recorded answers and odd records (R164, R165)."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cmtui.discovery.providers import brave, crossref, semantic_scholar
from cmtui.discovery.providers.exa import ExaSearch
from cmtui.errors import ProviderMalformed
from cmtui.model.discovery import FoundWork, ProviderState
from cmtui.model.lookup import EXA
from cmtui.net.secrets import Secret
from support.local_http import json_reply, serving
from support.provider_search import KEY, listed, paper, provider, search, work

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "providers"


def manifest() -> list[dict[str, str]]:
    if not DATA.exists():
        return []
    with (DATA / "manifest.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def normalised(work: FoundWork | None, keys: Iterator[str] | Any) -> dict[str, Any] | None:
    if work is None:
        return None
    values = {
        "title": work.title,
        "authors": [dict(name) for name in work.authors],
        "year": work.year,
        "doi": work.doi,
        "url": work.url,
        "abstract_start": work.abstract[:80] if work.abstract else None,
        "type": work.type,
    }
    return {key: values[key] for key in keys}


def rows_of_recording(name: str, recorded: dict[str, Any]) -> list[FoundWork | None]:
    """The rows of a recorded answer, through the provider where it is the answer to a search."""
    folder = name.partition("/")[0]
    body = recorded["body"]
    headers = {k: v for k, v in recorded["headers"].items() if k.lower().startswith("x-")}
    if name == "semantic_scholar/batch_with_null.json":
        return semantic_scholar.papers_of(body)
    if name == "doi/csl_json.json":
        return [crossref.found_work(body if isinstance(body, dict) else json.loads(body))]
    if folder in ("doi", "openalex"):
        # Redirects, BibTeX and HTML of doi.org, and a service that is not asked: nothing is read from them.
        return []
    reply = json_reply(body, recorded["status"])
    reply.headers |= headers
    with serving([reply]) as server:
        if folder == "exa":
            rows, status = ExaSearch(replace(EXA, base_url=server.url), Secret(KEY)).search("x", limit=10)
        else:
            rows, status = search(server, folder)
    assert KEY not in repr(status)
    if recorded["status"] == 200:
        assert status.state in (ProviderState.OK, ProviderState.EMPTY), status
    else:
        assert status.failed
        assert status.message
        assert status.hint
    return list(rows)


@pytest.mark.skipif(not DATA.exists(), reason="the recorded answers are not here")
def test_every_recorded_answer_gives_its_right_values() -> None:
    """R164, R165, R168: title, authors, year, DOI, address and abstract of each row, exactly."""
    rows = manifest()
    assert len(rows) >= 35
    wrong = []
    for row in rows:
        expected = json.loads(row["expected_normalised_json"])
        recorded = json.loads((DATA / row["file"]).read_text("utf-8"))
        found = rows_of_recording(row["file"], recorded)
        if row["file"].endswith("citations_apos_entity.json"):
            # The recording's title-cased entity: the corrected possessive is right as well (manifest).
            expected[0]["title"] = (
                "Challenges in Banking the Rural Poor: Evidence from Kenya's Western Province"
            )
        keys = [list(entry) if entry else [] for entry in expected]
        got = [normalised(work, names) for work, names in zip(found, keys, strict=True)]
        if got != expected:
            wrong.append((row["file"], got, expected))
    assert wrong == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"issued": {"date-parts": [[None]]}, "published-online": {"date-parts": [[2019, 3]]}},
            {"year": 2019},
        ),
        ({"issued": {"date-parts": [[]]}, "created": {"date-parts": [[2021, 1, 1]]}}, {"year": None}),
        ({"issued": {"date-parts": [[None]]}, "deposited": {"date-parts": [[2022]]}}, {"year": None}),
        ({"issued": {"date-parts": [[20190]]}}, {"year": None}),
        ({"issued": {"date-parts": [["1998"]]}}, {"year": 1998}),
        ({"title": []}, {"title": None}),
        ({"title": ["Ship &amp;amp; shore"]}, {"title": "Ship & shore"}),
        ({"title": ["The <i>Mary\n        Rose</i> and H<sub>2</sub>O"]}, {"title": "The Mary Rose and H2O"}),
        (
            {"author": [{"name": "Skerrow Pilots", "sequence": "first"}]},
            {"authors": ({"literal": "Skerrow Pilots"},)},
        ),
        ({"author": [{"family": "-"}, {"sequence": "additional"}]}, {"authors": ()}),
        (
            {"author": [{"family": "de la Cruz", "given": "A."}]},
            {"authors": ({"family": "de la Cruz", "given": "A."},)},
        ),
        (
            {"abstract": "<jats:title>Abstract</jats:title><jats:p>Piers lean.</jats:p>"},
            {"abstract": "Piers lean."},
        ),
        ({"abstract": "<p>Piers &lt;lean&gt;.</p>"}, {"abstract": "Piers <lean>."}),
        ({"container-title": []}, {"container": None}),
        ({"DOI": "10.5555/AB(C)<1::AID-D>2.0.CO;2-E"}, {"doi": "10.5555/ab(c)<1::aid-d>2.0.co;2-e"}),
        ({"DOI": "10.5555/a b"}, {"doi": None, "url": None}),
        ({"is-referenced-by-count": None}, {"citation_count": None}),
        (
            {"relation": {"is-preprint-of": [{"id": "10.5555/P.2", "id-type": "doi"}]}},
            {"identifiers": {"published_as": "10.5555/p.2"}},
        ),
        (
            {"updated-by": [{"type": "retraction", "DOI": "10.5555/r.1", "label": "Retraction"}]},
            {"notices": ("retraction",)},
        ),
        (
            {"update-to": [{"type": "retraction", "DOI": "10.5555/other", "label": "Retraction"}]},
            {"notices": ()},
        ),
    ],
)
def test_an_odd_record_of_crossref(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    """R165: what 522 records had (providers.md 1.1). Reports 6, 7, 14, 15 of section 6."""
    [found] = crossref.works_of(listed(work(**fields)))
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"externalIds": {"DOI": "10.5555/A:B"}},
            {"doi": "10.5555/a:b", "url": "https://doi.org/10.5555/a:b"},
        ),
        ({"externalIds": None}, {"doi": None, "url": f"https://www.semanticscholar.org/paper/{'f' * 40}"}),
        ({"externalIds": {"ArXiv": "2101.00001"}}, {"doi": None, "identifiers": {"arxiv": "2101.00001"}}),
        ({"paperId": None, "url": None}, {"url": None}),
        ({"authors": []}, {"authors": ()}),
        ({"authors": None}, {"authors": ()}),
        (
            {"authors": [{"authorId": None, "name": "Ada M. Quay"}]},
            {"authors": ({"literal": "Ada M. Quay"},)},
        ),
        ({"authors": [{"name": "Kyriacos, Κυριάκος"}]}, {"authors": ({"literal": "Kyriacos, Κυριάκος"},)}),
        ({"year": None}, {"year": None}),
        ({"year": 0}, {"year": None}),
        ({"abstract": None, "journal": None, "publicationTypes": None}, {"abstract": None, "type": None}),
        ({"publicationTypes": ["Review", "JournalArticle"]}, {"type": "JournalArticle"}),
        (
            {"title": "Of <inline-formula><tex-math>$x$</tex-math></inline-formula> tides"},
            {"title": "Of $x$ tides"},
        ),
        ({"title": None}, {"title": None}),
        (
            {"citationCount": 7, "venue": "", "journal": {"name": "J. of Piers"}},
            {"citation_count": 7, "container": "J. of Piers"},
        ),
    ],
)
def test_an_odd_paper_of_semantic_scholar(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    """R164: what 19,758 papers had (providers.md 1.2)."""
    [found] = semantic_scholar.works_of({"total": 2, "offset": 0, "data": [None, paper(**fields)]})
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"title": "Piers & <strong>walls</strong>"}, {"title": "Piers & walls"}),
        ({"description": "The <strong>pier</strong> isn&#x27;t old"}, {"abstract": "The pier isn't old"}),
        ({"page_age": "2024-01-02T03:04:05", "age": "2 days ago"}, {"year": None}),
        ({"article": {"author": [], "date": "2024"}}, {"authors": (), "year": None}),
        ({"extra_snippets": ["one", "<b>two</b>"]}, {"snippet": "one\ntwo"}),
        ({"description": None}, {"abstract": None}),
        (
            {"url": "https://doi.org/10.5555/X.1"},
            {"doi": "10.5555/x.1", "url": "https://doi.org/10.5555/X.1"},
        ),
        ({"language": "fr"}, {"language": None}),
    ],
)
def test_an_odd_page_of_brave(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    """R166: providers.md 1.3."""
    row = {"title": "Piers", "url": "https://example.org/p"} | fields
    [found] = brave.works_of({"type": "search", "web": {"results": [row]}})
    assert {name: getattr(found, name) for name in expected} == expected


def test_nothing_found_is_no_failure() -> None:
    """Each service's own way to say nothing."""
    nothing = {
        "semantic_scholar": {"total": 0, "offset": 0},
        "crossref": listed(),
        "brave": {"type": "search", "query": {"bad_results": True}, "mixed": {"main": []}},
    }
    for name, body in nothing.items():
        with serving([json_reply(body)]) as server:
            rows, status = search(server, name)
        assert (list(rows), status.state, status.failed) == ([], ProviderState.EMPTY, False)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("semantic_scholar", {"total": 5, "offset": 0}),
        ("semantic_scholar", {"data": {"a": 1}}),
        ("semantic_scholar", {"data": [paper(), "x"]}),
        ("semantic_scholar", {"data": [paper(), paper(title=7)]}),
        ("semantic_scholar", {"data": [paper(authors="Ann")]}),
        ("semantic_scholar", {"data": [paper(authors=["Ann"])]}),
        ("semantic_scholar", {"data": [paper(year="late")]}),
        ("semantic_scholar", {"data": [paper(externalIds=[]) | {"externalIds": ["x"]}]}),
        ("crossref", {"status": "ok", "message": []}),
        ("crossref", {"status": "ok", "message": {"items": {}}}),
        ("crossref", listed(work(), None)),
        ("crossref", listed(work(), {"title": ["No DOI"]})),
        ("crossref", listed(work(author={"family": "x"}))),
        ("brave", {"type": "search", "web": []}),
        ("brave", {"type": "search", "web": {"results": {}}}),
        ("brave", {"type": "search", "web": {"results": [{"title": "no address"}]}}),
        ("brave", {"type": "ErrorResponse"}),
        ("brave", {"type": "search", "web": {"results": [{"url": "https://example.org", "title": 3}]}}),
    ],
)
def test_an_answer_of_another_form_gives_no_rows_at_all(name: str, body: dict[str, Any]) -> None:
    """Wrong nesting is malformed: half an answer would pass for a whole one."""
    with serving([json_reply(body)]) as server:
        rows, status = search(server, name)
        assert len(server.seen) == 1
    assert (list(rows), status.state) == ([], ProviderState.MALFORMED)
    assert status.attempts[-1].reason == ProviderMalformed.code


def test_each_service_is_asked_as_it_documents() -> None:
    """R164, R165, R166: fields, select, mailto; the key in its header alone."""
    with serving([json_reply({"total": 0, "offset": 0})]) as server:
        search(server, "semantic_scholar")
        [seen] = server.seen
    assert seen.path.startswith("/graph/v1/paper/search?query=harbour+walls&fields=title%2Cabstract%2Cyear")
    assert seen.headers["x-api-key"] == KEY
    assert KEY not in seen.path
    with serving([json_reply(listed())]) as server:
        asked = provider("crossref", server.url)
        asked.settings = replace(asked.settings, mailto="ann@example.org")
        asked.search("harbour walls", limit=7)
        [seen] = server.seen
    assert seen.path.startswith("/works?query.bibliographic=harbour+walls&rows=7&select=DOI%2Ctitle")
    assert seen.path.endswith("&mailto=ann%40example.org")
    assert KEY not in repr(seen)
    with serving([json_reply({"type": "search"})]) as server:
        search(server, "brave")
        [seen] = server.seen
    assert seen.path == (
        "/res/v1/web/search?q=harbour+walls&count=20&extra_snippets=true&text_decorations=false&spellcheck=0"
    )
    assert seen.headers["x-subscription-token"] == KEY
    assert KEY not in seen.path


def test_crossref_is_asked_without_select_when_it_refuses_a_name() -> None:
    refused = json_reply({"status": "failed", "message-type": "validation-failure", "message": []}, 400)
    with serving([refused, json_reply(listed(work()))]) as server:
        rows, status = search(server)
        assert ["select=" in seen.path for seen in server.seen] == [True, False]
    assert (len(rows), status.state, len(status.attempts)) == (1, ProviderState.OK, 2)

"""Every search service: recorded answers with their right values, odd data, and each row of the fault table.

The answers in ../shared/data/providers are read where they lie and served by a real server on loopback; the
odd ones below are of our own making, for no publisher's text belongs in this repository.
"""

from __future__ import annotations

import csv
import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from cmtui.discovery.providers import brave, crossref, semantic_scholar
from cmtui.discovery.providers.base import HttpProvider
from cmtui.discovery.providers.brave import BraveSearch
from cmtui.discovery.providers.crossref import CrossrefSearch
from cmtui.discovery.providers.exa import ExaSearch
from cmtui.discovery.providers.semantic_scholar import SemanticScholar
from cmtui.errors import ProviderMalformed
from cmtui.model.discovery import FoundWork, ProviderState
from cmtui.model.lookup import BRAVE, CROSSREF, EXA, SEMANTIC_SCHOLAR
from cmtui.model.progress import never_cancelled
from cmtui.net.gate import RateGate
from cmtui.net.secrets import Secret
from support.local_http import FakeTime, LocalServer, Reply, Seen, json_reply, serving
from support.raw_http import sending

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "providers"
KEY = "k-3f9a-very-secret"
NOW = 1_800_000_000.0

KINDS: dict[str, tuple[type[HttpProvider], Any]] = {
    "semantic_scholar": (SemanticScholar, SEMANTIC_SCHOLAR),
    "crossref": (CrossrefSearch, CROSSREF),
    "brave": (BraveSearch, BRAVE),
}


def provider(name: str, url: str, time: FakeTime | None = None, **options: Any) -> HttpProvider:
    """A provider whose waiting takes no time and whose pace is its own."""
    kind, settings = KINDS[name]
    time = time or FakeTime()
    deadline = options.pop("deadline", 10.0)
    defaults: dict[str, Any] = {
        "gate": RateGate(1000, clock=time.clock),
        "clock": time.clock,
        "sleep": time.sleep,
        "jitter": lambda: 0.0,
        "wall": lambda: NOW,
    }
    return kind(
        replace(settings, base_url=url, deadline=deadline),
        Secret(KEY, name="TEST_KEY"),
        **(defaults | options),
    )


def search(server: LocalServer | str, name: str = "crossref", time: FakeTime | None = None, **options: Any):
    """Rows and status of one search."""
    url = server if isinstance(server, str) else server.url
    return provider(name, url, time, **options).search("harbour walls", limit=20)


# -- recorded answers --------------------------------------------------------------------------------


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


# -- odd data of the same kinds, in our own words ----------------------------------------------------


def work(**fields: Any) -> dict[str, Any]:
    """A Crossref record of a work that does not exist."""
    return {"DOI": "10.5555/harbour.1", "title": ["Walls of harbours"], "type": "journal-article"} | fields


def listed(*items: Any) -> dict[str, Any]:
    """Crossref's list of works."""
    return {
        "status": "ok",
        "message-type": "work-list",
        "message": {"total-results": 9, "items": list(items)},
    }


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


def paper(**fields: Any) -> dict[str, Any]:
    """A paper of Semantic Scholar that does not exist."""
    return {"paperId": "f" * 40, "title": "Walls of harbours", "year": 2020} | fields


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


# -- what is sent ------------------------------------------------------------------------------------


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


# -- the fault table (providers.md 5) ----------------------------------------------------------------

EVERY = pytest.mark.parametrize("name", list(KINDS))
GOOD: dict[str, dict[str, Any]] = {
    "semantic_scholar": {"data": [paper()]},
    "crossref": listed(work()),
    "brave": {"type": "search", "web": {"results": [{"title": "Piers", "url": "https://example.org/p"}]}},
}


@EVERY
def test_one_retry_after_the_second_that_a_429_asks_for(name: str) -> None:
    """R164, D2: both attempts are in the audit."""
    time = FakeTime()
    with serving([Reply(429, b"{}", {"Retry-After": "1"}), json_reply(GOOD[name])]) as server:
        rows, status = search(server, name, time)
    assert (len(rows), status.state) == (1, ProviderState.OK)
    assert [attempt.status for attempt in status.attempts] == [429, 200]
    assert time.slept >= 1.0


@EVERY
@pytest.mark.parametrize(
    "header", ["3600", format_datetime(datetime.fromtimestamp(NOW + 7200, UTC), usegmt=True)]
)
def test_no_waiting_for_a_429_that_asks_for_too_long(name: str, header: str) -> None:
    time = FakeTime()
    with serving([Reply(429, b"{}", {"Retry-After": header})]) as server:
        rows, status = search(server, name, time)
        assert len(server.seen) == 1
    assert (list(rows), status.state) == ([], ProviderState.RATE_LIMITED)
    assert time.slept == 0.0


@EVERY
@pytest.mark.parametrize("header", ["soon", "-5", None])
def test_backing_off_by_itself_where_a_429_does_not_say(name: str, header: str | None) -> None:
    time = FakeTime()
    headers = {"Retry-After": header} if header else {}
    with serving([Reply(429, b"{}", headers)]) as server:
        _, status = search(server, name, time)
        assert len(server.seen) == 3
    assert status.state is ProviderState.RATE_LIMITED
    assert 1.5 <= time.slept < 1.6


@EVERY
def test_success_after_two_failures_of_the_server(name: str) -> None:
    for status_code in (500, 502, 503):
        with serving([Reply(status_code), Reply(status_code), json_reply(GOOD[name])]) as server:
            rows, status = search(server, name)
        assert (len(rows), status.state, len(status.attempts)) == (1, ProviderState.OK, 3)


@EVERY
def test_a_server_that_always_fails_is_a_row(name: str) -> None:
    with serving([Reply(500)]) as server:
        rows, status = search(server, name)
        assert len(server.seen) == 3
    assert (list(rows), status.state, status.failed) == ([], ProviderState.REFUSED, True)
    assert "500" in status.message


@EVERY
@pytest.mark.parametrize("code", [400, 401, 402, 403, 404, 422])
def test_a_refusal_is_not_repeated_and_the_key_is_never_said(
    name: str, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    """R42, R52: neither message nor log nor audit holds the key, though the server echoes it."""
    body = {"error": f"bad key {KEY}", "message": f"{KEY}"}
    with serving([json_reply(body, code)]) as server:
        rows, status = search(server, name)
        assert len(server.seen) == 1
    assert (list(rows), status.failed) == ([], True)
    assert status.state in (ProviderState.REFUSED, ProviderState.MALFORMED)
    assert KEY not in repr(status)
    assert KEY not in caplog.text
    assert status.hint


@EVERY
def test_an_answer_that_never_comes_ends_at_the_deadline(name: str) -> None:
    with serving([Reply(200, b"", hold=True, length=50)]) as server:
        kind, settings = KINDS[name]
        asked = kind(replace(settings, base_url=server.url, deadline=0.3), Secret(KEY), gate=RateGate(1000))
        rows, status = asked.search("x", limit=5)
    assert (list(rows), status.state) == ([], ProviderState.TIMEOUT)


def test_an_answer_that_drips_ends_at_the_deadline() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n "
    with sending(head, drip=True) as server:
        asked = CrossrefSearch(replace(CROSSREF, base_url=server.url, deadline=0.3), gate=RateGate(1000))
        rows, status = asked.search("x", limit=5)
    assert (list(rows), status.state) == ([], ProviderState.TIMEOUT)


def test_nobody_listens_and_no_such_name() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        rows, status = search(url, deadline=2.0)
    assert (list(rows), status.state) == ([], ProviderState.UNREACHABLE)
    kind, settings = KINDS["crossref"]
    asked = kind(
        replace(settings, base_url="https://no-such-host.invalid", deadline=2.0), gate=RateGate(1000)
    )
    rows, status = asked.search("x", limit=5)
    assert (list(rows), status.failed) == ([], True)
    assert status.state in (ProviderState.UNREACHABLE, ProviderState.TIMEOUT)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("answer", "reset"),
    [
        (HEAD + b'Content-Length: 900\r\n\r\n{"status"', True),
        (HEAD + b'Content-Length: 900\r\n\r\n{"status"', False),
        (HEAD + b'Transfer-Encoding: chunked\r\n\r\n5\r\n{"sta', False),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{", False),
    ],
    ids=["reset", "short", "chunk cut", "bad chunk"],
)
def test_an_answer_that_breaks_off_is_malformed_and_asked_for_once_more(answer: bytes, reset: bool) -> None:
    with sending(answer, reset=reset) as server:
        rows, status = search(server.url)
        assert server.connections == 2
    assert (list(rows), status.state) == ([], ProviderState.MALFORMED)
    assert len(status.attempts) == 2


@EVERY
@pytest.mark.parametrize(
    "body",
    [
        b"<html><title>Too many</title></html>",
        b'{"status": "ok", "mess',
        b"[]",
        b"null",
        b'{"total": NaN}',
        b"",
        b"\xff\xfe",
        b'{"a": ' * 3000,
    ],
    ids=["html", "cut", "list", "null", "nan", "empty", "not utf-8", "deep"],
)
def test_what_is_no_json_object_is_malformed(name: str, body: bytes) -> None:
    with serving([Reply(200, body, {"Content-Type": "text/html"})]) as server:
        rows, status = search(server, name)
    assert (list(rows), status.state) == ([], ProviderState.MALFORMED)
    assert "html" not in status.message


@EVERY
def test_too_much_or_compressed_is_malformed(name: str) -> None:
    with serving([Reply(200, b" " * (5 * 1024 * 1024))]) as server:
        assert search(server, name)[1].state is ProviderState.MALFORMED
    with serving([Reply(200, b"\x1f\x8b", {"Content-Encoding": "gzip"})]) as server:
        assert search(server, name)[1].state is ProviderState.MALFORMED


@EVERY
@pytest.mark.parametrize("place", ["http://127.0.0.1:{port}/", "http://169.254.169.254/latest/meta-data/"])
def test_a_redirect_is_refused_and_its_target_never_asked(name: str, place: str) -> None:
    with serving([json_reply({})]) as target:
        location = place.format(port=target.url.rpartition(":")[2])
        with serving([Reply(302, b"", {"Location": location})]) as server:
            rows, status = search(server, name)
        assert target.seen == []
    assert (list(rows), status.state) == ([], ProviderState.REFUSED)


def test_a_key_is_never_sent_over_plain_http_to_another_host() -> None:
    rows, status = search("http://example.invalid", "brave")
    assert (list(rows), status.state) == ([], ProviderState.REFUSED)
    assert status.attempts == ()
    assert "plain http" in status.hint
    assert KEY not in repr(status)


# -- pace --------------------------------------------------------------------------------------------


def pace(name: str, headers: dict[str, str], status: int = 200, times: int = 3) -> float:
    """Seconds that ``times`` searches waited for their turns."""
    time = FakeTime()
    gate = RateGate(KINDS[name][0].per_second, clock=time.clock)
    reply = json_reply(GOOD[name], status)
    reply.headers |= headers
    with serving([reply]) as server:
        asked = provider(name, server.url, time, gate=gate)
        for _ in range(times):
            asked.search("x", limit=5)
    return time.slept


def test_each_service_starts_at_the_pace_it_documents() -> None:
    """providers.md 1: Semantic Scholar and Brave one a second, Crossref five."""
    assert pace("semantic_scholar", {}) == pytest.approx(2.0)
    assert pace("brave", {}) == pytest.approx(2.0)
    assert pace("crossref", {}) == pytest.approx(0.4)


def test_crossref_says_its_pace() -> None:
    polite = {"X-Rate-Limit-Limit": "10", "X-Rate-Limit-Interval": "1s", "X-Concurrency-Limit": "3"}
    assert pace("crossref", polite) == pytest.approx(0.2 + 0.1)
    assert pace("crossref", polite | {"X-Rate-Limit-Limit": "0"}) == pytest.approx(0.4)
    assert pace("crossref", {"X-Rate-Limit": "150"}) == pytest.approx(0.4)


def test_brave_says_its_pace_in_lists() -> None:
    """Report 10 of section 6: parallel calls broke one a second; int() on the lists crashed."""
    plan = {
        "X-RateLimit-Limit": "1, 2000",
        "X-RateLimit-Policy": "1;w=1, 2000;w=2592000",
        "X-RateLimit-Remaining": "0, 1977",
        "X-RateLimit-Reset": "1, 389223",
    }
    assert pace("brave", plan) == pytest.approx(2.0)
    faster = plan | {"X-RateLimit-Policy": "20;w=1, 0;w=2592000", "X-RateLimit-Remaining": "19, 9"}
    assert pace("brave", faster) == pytest.approx(1.0 + 0.05)
    assert pace("brave", {"X-RateLimit-Policy": "0;w=0", "X-RateLimit-Remaining": "x"}) == pytest.approx(2.0)


def test_brave_is_not_asked_again_when_the_month_is_used_up() -> None:
    month = {"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 389223"}
    with serving([Reply(429, b"{}", month)]) as server:
        _, status = search(server, "brave")
        assert len(server.seen) == 1
    assert status.state is ProviderState.RATE_LIMITED
    second = {"X-RateLimit-Remaining": "0, 50", "X-RateLimit-Reset": "1, 389223"}
    with serving([Reply(429, b"{}", second), json_reply(GOOD["brave"])]) as server:
        rows, status = search(server, "brave")
    assert (len(rows), len(status.attempts)) == (1, 2)


def test_a_person_who_cancels_stops_a_search() -> None:
    released: list[bool] = []

    def answer(seen: Seen) -> Reply:
        released.append(True)
        return Reply(200, b"", hold=True, length=50)

    with serving(answer) as server:
        asked: Callable[..., Any] = provider("crossref", server.url, FakeTime()).search
        rows, status = asked("x", limit=5, cancelled=lambda: bool(released))
    assert (list(rows), status.state) == ([], ProviderState.CANCELLED)
    assert never_cancelled() is False

"""Every search service: recorded answers with their right values, odd data, and each row of the fault table.

The answers in ../shared/data/providers are read where they lie and served by a real server on loopback; the
odd ones below are of our own making, for no publisher's text belongs in this repository.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest

from cmtui.discovery.providers.crossref import CrossrefSearch
from cmtui.model.discovery import ProviderState
from cmtui.model.lookup import CROSSREF
from cmtui.model.progress import never_cancelled
from cmtui.net.gate import RateGate
from cmtui.net.secrets import Secret
from support.local_http import FakeTime, Reply, Seen, json_reply, serving
from support.provider_search import KEY, KINDS, NOW, listed, paper, provider, search, work
from support.raw_http import sending

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

"""The Exa adapter's search against a real server on loopback, and with injected clients (R36 to R53)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from cmtui.discovery.exa import ExaAcquisitionAdapter, ExaHttpClient
from cmtui.errors import ExaProviderError, InvalidRequest, MissingKey
from cmtui.net.secrets import Secret
from support.local_http import Reply, json_reply, serving

KEY = "exa-key-that-nobody-may-see"
ROW = {
    "id": "result-1",
    "url": "https://example.org/paper",
    "title": "Evidence identity",
    "score": 0.25,
    "publishedDate": "2024-01-02",
    "author": "Ann Writer",
    "highlights": ["first highlight", "second highlight"],
    "highlightScores": [0.5, 0.4],
    "text": "the full text",
    "summary": "a summary",
    "extras": {"links": ["https://example.org/more"], "content": {"text": "nested text"}},
    "subpages": [{"id": "s", "url": "https://example.org/sub", "text": "subpage text", "summary": "sub"}],
}
ANSWER = {
    "requestId": "r-1",
    "resolvedSearchType": "neural",
    "results": [ROW],
    "costDollars": {"total": 0.005},
}


class FixedClock:
    def now(self) -> str:
        return "2026-12-01T09:30:00Z"


class Fake:
    """A client of the caller's that answers what a test gives it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.calls: list[dict[str, Any]] = []

    def search(self, query: str, *, num_results: int, type: str, contents: Any) -> Any:  # noqa: A002
        self.calls.append(
            {"query": query, "num_results": num_results, "type": type, "contents": dict(contents)}
        )
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def adapter(answer: Any = ANSWER) -> ExaAcquisitionAdapter:
    return ExaAcquisitionAdapter(client=Fake(answer), clock=FixedClock())


def rows(*urls: str) -> dict[str, Any]:
    return {"results": [{"id": f"i{at}", "url": url} for at, url in enumerate(urls)]}


# -- what is asked and what comes back ---------------------------------------------------------------


def test_r39_a_search_is_one_request_of_type_auto_with_highlights() -> None:
    with serving([json_reply(ANSWER)]) as server:
        found = ExaAcquisitionAdapter(KEY, base_url=server.url).search("durable evidence", limit=7)
    assert len(found) == 1
    assert [(seen.method, seen.path) for seen in server.seen] == [("POST", "/search")]
    assert json.loads(server.seen[0].body) == {
        "query": "durable evidence",
        "type": "auto",
        "numResults": 7,
        "contents": {"highlights": True},
    }
    assert server.seen[0].headers["x-api-key"] == KEY


def test_r44_candidates_come_in_exas_order_with_one_based_ranks() -> None:
    found = adapter(rows("https://b.org/", "https://a.org/", "https://c.org/")).search("q", limit=5)
    assert isinstance(found, tuple)
    assert [(c.discovery.rank, c.discovery.url) for c in found] == [
        (1, "https://b.org/"),
        (2, "https://a.org/"),
        (3, "https://c.org/"),
    ]
    assert ExaAcquisitionAdapter(api_key=KEY, client=Fake(rows())).search("q") == ()


def test_r45_the_first_highlight_is_kept_without_offset_and_every_other_text_is_discarded() -> None:
    (found,) = adapter().search("q")
    assert found.highlight is not None
    assert (found.highlight.text, found.highlight.offset) == ("first highlight", None)
    told = repr(found.discovery)
    for text in ("second highlight", "the full text", "a summary", "nested text", "subpage text", "first"):
        assert text not in told
    assert found.discovery.result_metadata["extras"] == {"links": ["https://example.org/more"]}
    assert found.discovery.result_metadata["subpages"] == [{"id": "s", "url": "https://example.org/sub"}]


@pytest.mark.parametrize("highlights", [None, [], ["  "]])
def test_r45_a_row_without_a_highlight_is_a_candidate_without_one(highlights: Any) -> None:
    (found,) = adapter({"results": [{"url": "https://a.org/", "highlights": highlights}]}).search("q")
    assert found.highlight is None


def test_r46_what_exa_says_stays_on_the_metadata_with_result_and_response_apart() -> None:
    (found,) = adapter().search("the query", limit=3)
    discovery = found.discovery
    assert (discovery.provider, discovery.candidate_id, discovery.url) == ("exa", "result-1", ROW["url"])
    assert (discovery.title, discovery.score, discovery.query) == ("Evidence identity", 0.25, "the query")
    assert discovery.discovered_at == "2026-12-01T09:30:00Z"
    assert discovery.result_metadata["author"] == "Ann Writer"
    assert discovery.response_metadata == {
        "requestId": "r-1",
        "resolvedSearchType": "neural",
        "costDollars": {"total": 0.005},
    }


def test_r46_the_discovery_time_is_utc_to_the_second() -> None:
    (found,) = ExaAcquisitionAdapter(client=Fake(ANSWER)).search("q")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", str(found.discovery.discovered_at))


@pytest.mark.parametrize("row", [{}, {"id": None}, {"id": ""}])
def test_r47_a_missing_id_falls_back_to_the_url(row: dict[str, Any]) -> None:
    (found,) = adapter({"results": [{"url": "https://a.org/x"} | row]}).search("q")
    assert found.discovery.candidate_id == "https://a.org/x"


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://a.org/p.pdf", "pdf"),
        ("https://a.org/P.PDF?download=1#page=2", "pdf"),
        ("https://a.org/b.epub", "epub"),
        ("https://a.org/readme.md", "markdown"),
        ("https://a.org/page.html", "text"),
        ("https://a.org/pdf", "text"),
        ("https://a.org/?file=x.pdf", "text"),
    ],
)
def test_r55_the_suffix_of_the_path_hints_at_the_kind(url: str, kind: str) -> None:
    (found,) = adapter(rows(url)).search("q")
    assert found.source_kind == kind


# -- the injected client -----------------------------------------------------------------------------


def test_r49_an_injected_client_is_asked_with_these_keywords_and_needs_no_key() -> None:
    client = Fake(ANSWER)
    ExaAcquisitionAdapter(client=client).search("q", limit=2)
    assert client.calls == [
        {"query": "q", "num_results": 2, "type": "auto", "contents": {"highlights": True}}
    ]


class SdkResponse:
    results: tuple[Any, ...] = ()


@pytest.mark.parametrize(
    "answer",
    [
        SdkResponse(),
        {"results": [SdkResponse()]},
        {"results": [ROW | {"extras": SdkResponse()}]},
        {"results": [], "meta": {1: 2}},
        {"results": [], "meta": b"bytes"},
        {"results": [], "meta": {1, 2}},
    ],
)
def test_r49_opaque_objects_are_rejected(answer: Any) -> None:
    with pytest.raises(ExaProviderError, match="malformed"):
        adapter(answer).search("q")


# -- limits ------------------------------------------------------------------------------------------


def test_r50_the_default_client_takes_30_seconds_4_mib_and_never_asks_twice() -> None:
    from cmtui.discovery import exa

    assert (exa.TIMEOUT, exa.MAX_RESPONSE_BYTES) == (30.0, 4 * 1024 * 1024)
    assert exa.BASE_URL == "https://api.exa.ai"
    client = ExaHttpClient(Secret(KEY))
    assert client._http._deadline == 30.0
    assert client._http._max_bytes == 4 * 1024 * 1024
    assert client._http._retry.retries == 0


@pytest.mark.parametrize("status", [429, 500, 503])
def test_r50_and_r41_no_failure_is_retried(status: int) -> None:
    with (
        serving([Reply(status, b"{}", {"Retry-After": "0"})]) as server,
        pytest.raises(ExaProviderError) as caught,
    ):
        ExaAcquisitionAdapter(KEY, base_url=server.url).search("q")
    assert len(server.seen) == 1
    assert caught.value.status == status


def test_r50_a_redirect_is_not_followed() -> None:
    with (
        serving([json_reply(ANSWER)]) as target,
        serving([Reply(302, b"", {"Location": target.url})]) as server,
        pytest.raises(ExaProviderError, match="redirect"),
    ):
        ExaAcquisitionAdapter(KEY, base_url=server.url).search("q")
    assert target.seen == []


def test_r51_timeout_and_size_are_settings() -> None:
    with (
        serving([json_reply(ANSWER)]) as server,
        pytest.raises(ExaProviderError, match="more than 100 bytes"),
    ):
        ExaAcquisitionAdapter(KEY, base_url=server.url, max_response_bytes=100).search("q")
    with (
        serving([Reply(200, b"{", {}, length=None, hold=True)]) as server,
        pytest.raises(ExaProviderError, match=r"within 0\.2 s") as caught,
    ):
        ExaAcquisitionAdapter(KEY, base_url=server.url, timeout=0.2).search("q")
    assert caught.value.reason == "provider-timeout"


@pytest.mark.parametrize("limit", [0, -1, 101, True, 2.0, "5", None])
def test_r51_the_limit_is_a_whole_number_from_1_to_100(limit: Any) -> None:
    client = Fake(ANSWER)
    with pytest.raises(InvalidRequest, match="1 to 100"):
        ExaAcquisitionAdapter(client=client).search("q", limit=limit)
    assert client.calls == []


@pytest.mark.parametrize("limit", [1, 100])
def test_r51_the_ends_of_the_range_are_accepted(limit: int) -> None:
    assert len(adapter().search("q", limit=limit)) == 1


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "30", True])
def test_r51_a_timeout_is_a_number_of_seconds(timeout: Any) -> None:
    with pytest.raises(InvalidRequest):
        ExaAcquisitionAdapter(KEY, timeout=timeout)


@pytest.mark.parametrize("size", [0, -1, 1.5, True, None])
def test_r51_a_response_limit_is_a_number_of_bytes(size: Any) -> None:
    with pytest.raises(InvalidRequest):
        ExaAcquisitionAdapter(KEY, max_response_bytes=size)


def test_an_empty_query_is_refused_before_it_is_billed() -> None:
    client = Fake(ANSWER)
    with pytest.raises(InvalidRequest, match="empty"):
        ExaAcquisitionAdapter(client=client).search("  ")
    assert client.calls == []


# -- failures ----------------------------------------------------------------------------------------


def test_r37_a_missing_key_names_the_variable_and_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    with pytest.raises(MissingKey, match=r"Exa .*EXA_API_KEY") as caught:
        ExaAcquisitionAdapter().search("q")
    assert caught.value.provider == "exa"


def test_r42_the_key_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXA_API_KEY", KEY)
    with serving([json_reply(ANSWER)]) as server:
        monkeypatch.setenv("CMTUI_EXA_BASE_URL", server.url)
        ExaAcquisitionAdapter().search("q")
    assert server.seen[0].headers["x-api-key"] == KEY


def _everything(error: BaseException) -> str:
    """All that a traceback could show of an error."""
    told = ""
    seen: BaseException | None = error
    while seen is not None:
        told += f"{seen!r} {seen} {seen.args} {vars(seen)}"
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return told


@pytest.mark.parametrize("status", [400, 401, 402, 403, 422, 429, 500])
def test_r52_a_refusal_shows_neither_the_payload_nor_the_key(status: int) -> None:
    reply = json_reply({"error": f"bad key {KEY}", "tag": "INVALID_API_KEY"}, status)
    with serving([reply]) as server, pytest.raises(ExaProviderError) as caught:
        ExaAcquisitionAdapter(KEY, base_url=server.url).search("a private query")
    told = _everything(caught.value) + caught.value.hint
    assert KEY not in told
    assert "INVALID_API_KEY" not in told
    assert "a private query" not in told
    assert caught.value.status == status


def test_r52_a_client_that_fails_is_an_exa_error_without_its_words() -> None:
    with pytest.raises(ExaProviderError, match=r"RuntimeError") as caught:
        adapter(RuntimeError(f"request with {KEY} failed: payload")).search("q")
    assert KEY not in _everything(caught.value)
    assert "payload" not in _everything(caught.value)


def test_r190_the_key_is_in_no_repr_of_the_adapter_or_its_client() -> None:
    assert KEY not in repr(ExaAcquisitionAdapter(KEY))
    assert KEY not in repr(vars(ExaAcquisitionAdapter(KEY)))
    assert KEY not in repr(vars(ExaHttpClient(Secret(KEY))))


@pytest.mark.parametrize(
    "body",
    [
        b"<html>busy</html>",
        b"{",
        b"[]",
        b"null",
        b'{"results": [NaN]}',
        b"\xff\xfe{}",
        b'{"results": {}}',
        b"{}",
    ],
)
def test_r52_an_answer_that_is_not_exas_is_malformed(body: bytes) -> None:
    with (
        serving([Reply(200, body, {"Content-Type": "application/json"})]) as server,
        pytest.raises(ExaProviderError) as caught,
    ):
        ExaAcquisitionAdapter(KEY, base_url=server.url).search("q")
    assert caught.value.reason == "provider-malformed"


BAD_ROWS: list[Any] = [
    None,
    "https://a.org/",
    [],
    {},
    {"id": "x"},
    {"url": ""},
    {"url": 7},
    {"url": "ftp://a.org/x"},
    {"url": "no address"},
    {"url": "https://a.org/", "id": 7},
    {"url": "https://a.org/", "title": ["t"]},
    {"url": "https://a.org/", "score": "0.5"},
    {"url": "https://a.org/", "score": True},
    {"url": "https://a.org/", "score": float("nan")},
    {"url": "https://a.org/", "highlights": "text"},
    {"url": "https://a.org/", "highlights": [None]},
    {"url": "https://a.org/", "extra": float("inf")},
]


@pytest.mark.parametrize("bad", BAD_ROWS, ids=str)
@pytest.mark.parametrize("at", [0, 1])
def test_r53_one_malformed_row_fails_the_whole_search(bad: Any, at: int) -> None:
    good = [{"url": "https://a.org/"}, {"url": "https://b.org/"}]
    good.insert(at, bad)
    with pytest.raises(ExaProviderError, match=f"result {at + 1}"):
        adapter({"results": good}).search("q")


def test_r53_more_rows_than_asked_for_are_not_cut_silently() -> None:
    with pytest.raises(ExaProviderError, match="at most 1"):
        adapter(rows("https://a.org/", "https://b.org/")).search("q", limit=1)


def test_deeply_nested_metadata_is_malformed_and_no_crash() -> None:
    value: Any = "x"
    for _ in range(5000):
        value = [value]
    with pytest.raises(ExaProviderError, match="nested too deeply"):
        adapter({"results": [], "deep": value}).search("q")


def test_r43_a_bad_certificate_gets_guidance_and_verification_stays_on(tmp_path: Any) -> None:
    from support.local_http import serving as serve

    openssl = __import__("shutil").which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    import subprocess

    pem = tmp_path / "self.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
         "-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")],
        check=True, capture_output=True,
    )  # fmt: skip
    pem.write_bytes((tmp_path / "key.pem").read_bytes() + (tmp_path / "cert.pem").read_bytes())
    with (
        serve([json_reply(ANSWER)], certificate=pem) as server,
        pytest.raises(ExaProviderError, match="CERTIFICATE_VERIFY_FAILED") as caught,
    ):
        ExaAcquisitionAdapter(KEY, base_url=server.url).search("q")
    assert "SSL_CERT_FILE" in caught.value.hint
    assert caught.value.reason == "certificate"
    assert server.seen == []


def test_cancelling_a_search_ends_it() -> None:
    from cmtui.errors import Cancelled

    with serving([Reply(200, b"", {}, length=None, hold=True)]) as server, pytest.raises(Cancelled):
        ExaAcquisitionAdapter(KEY, base_url=server.url, cancelled=lambda: len(server.seen) > 0).search("q")


def test_r48_a_search_changes_no_store_and_makes_no_evidence(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the adapter's search nor ``discover`` writes a byte: what is found is a lead."""
    from cmtui import LocalCitationMachine
    from cmtui.model.lookup import ProviderSettings

    monkeypatch.setenv("EXA_API_KEY", KEY)
    with LocalCitationMachine.open(tmp_path / "store") as machine, serving([json_reply(ANSWER)]) as server:
        before = {path: path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file()}
        assert len(adapter().search("q")) == 1
        found = machine.discover("q", providers=["exa"], settings={"exa": ProviderSettings(server.url)})
        assert [work.url for work in found.candidates] == [ROW["url"]]
        assert machine.documents() == ()
        assert machine.receipts() == ()
        assert machine.verify() == ()
        after = {path: path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file()}
        assert after == before

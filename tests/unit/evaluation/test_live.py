"""Live validation (R147 to R150, R187, R190): the same code, end to end, against a loopback server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cmtui import LocalCitationMachine
from cmtui.discovery import capture
from cmtui.discovery.addresses import AddressPolicy
from cmtui.evaluation.live import TOPICS, skipped
from cmtui.evaluation.main import main
from support.local_http import LocalServer, Reply, Seen, json_reply, serving

KEY = "key-of-the-live-run"

#: Text in the manner of RFCs: lines that break inside sentences, and pages that say something else.
PAGES = {
    "/rfc9110.txt": (
        "text/plain; charset=utf-8",
        (
            "HTTP Semantics\n\nAbstract\n\n"
            "   The Hypertext Transfer Protocol (HTTP) is a stateless application-\n"
            "   level protocol for distributed, collaborative, hypertext information\n   systems.\n"
        ),
    ),
    "/rfc9110.html": (
        "text/html; charset=utf-8",
        (
            "<!DOCTYPE html><html><head><title>RFC 9110: HTTP Semantics</title></head><body><h1>HTTP</h1>"
            "<p>The Hypertext Transfer Protocol (HTTP) is a stateless application-level protocol for "
            "distributed, collaborative, hypertext information systems.</p></body></html>"
        ),
    ),
    "/rfc9000.html": (
        "text/html",
        (
            "<!DOCTYPE html><html><head><title>RFC 9000: QUIC</title></head><body><p>QUIC is a secure "
            "general-purpose transport protocol. This document defines version 1 of QUIC.</p></body></html>"
        ),
    ),
    "/rfc8259.html": (
        "text/html",
        (
            "<!DOCTYPE html><html><body><p>JavaScript Object Notation (JSON) is a lightweight, text-based, "
            "language-independent data interchange format.</p></body></html>"
        ),
    ),
    "/other.txt": (
        "text/plain",
        "The committee doubts that QUIC is a secure general-purpose transport protocol.\n",
    ),
}


@pytest.fixture
def exa(monkeypatch: pytest.MonkeyPatch) -> Any:
    local = AddressPolicy(allow_addresses=frozenset({"127.0.0.1"}), ports=None)
    made = capture.WebCapture
    monkeypatch.setattr(capture, "WebCapture", lambda **options: made(policy=local, **options))
    with serving([Reply()]) as server:
        monkeypatch.setenv("EXA_API_KEY", KEY)
        monkeypatch.setenv("CMTUI_EXA_BASE_URL", server.url)
        yield server


def site(server: LocalServer, found: dict[str, list[str]]) -> None:
    """Exa at /search, answering by the RFC number in the query, and the pages."""

    def answer(seen: Seen) -> Reply:
        if seen.path != "/search":
            kind, text = PAGES.get(seen.path, ("text/plain", ""))
            return Reply(200 if text else 404, text.encode(), {"Content-Type": kind})
        query = json.loads(seen.body)["query"]
        paths = next(paths for number, paths in found.items() if number in query)
        rows = [
            {"id": path, "url": server.url + path, "title": "SEARCH TITLE", "author": "SEARCH AUTHOR",
             "publishedDate": "1987-01-01", "highlights": ["QUIC is a SEARCH HIGHLIGHT"]}
            for path in paths
        ]  # fmt: skip
        return json_reply({"requestId": "r", "results": rows})

    server.script = answer


ALL = {"9110": ["/rfc9110.html"], "9000": ["/rfc9000.html"], "8259": ["/rfc8259.html"]}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any], str]:
    status = main(["live", *arguments])
    out, err = capsys.readouterr()
    return status, json.loads(out) if out else {}, err


def test_r147_three_rfc_topics_are_searched_captured_verified_and_cited(
    exa: LocalServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site(exa, ALL)
    status, report, err = run(capsys, "--store", str(tmp_path / "store"))
    assert (status, err) == (0, "")
    assert (report["status"], report["passed"], report["total"]) == ("passed", 3, 3)
    assert len(TOPICS) == 3
    searches = [seen for seen in exa.seen if seen.path == "/search"]
    assert len(searches) == 3, "each search is billed, and sent once"
    for case in report["cases"]:
        (finding,) = case["findings"]
        assert finding["verified"]
        assert sorted(finding["citations"]) == ["apa", "bibtex"]
        assert exa.url in finding["citations"]["apa"]
        with LocalCitationMachine.open(tmp_path / "store") as machine:
            assert machine.reconstruct(finding["evidence_ids"][0]) == finding["text"]
    assert "smoke test" in report["caveat"]


def test_r147_what_the_search_says_is_ignored(
    exa: LocalServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site(exa, ALL)
    _, report, _ = run(capsys, "--store", str(tmp_path / "store"))
    assert "SEARCH" not in json.dumps(report)
    assert "1987" not in json.dumps(report)
    titles = [case["findings"][0]["citations"]["bibtex"] for case in report["cases"]]
    assert "HTTP Semantics" in titles[0].replace("{", "").replace("}", ""), "the page's own title"
    for path in (tmp_path / "store" / "bibliography").glob("*.json"):
        assert b"SEARCH" not in path.read_bytes()


def test_r148_identities_are_equal_under_other_metadata(
    exa: LocalServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site(exa, ALL)
    _, report, _ = run(capsys, "--store", str(tmp_path / "store"))
    assert all(case["identities_stable"] for case in report["cases"])
    assert all(capture["identities_stable"] for case in report["cases"] for capture in case["captures"])
    with LocalCitationMachine.open(tmp_path / "store") as machine:
        assert not [r for r in machine.receipts() if r.discovery.provider.startswith("replay")]


def test_r148_a_case_fails_when_an_identity_depends_on_metadata(
    exa: LocalServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cmtui.evaluation import live

    site(exa, ALL)
    honest = live.CitationAcquisitionService.acquire

    def forged(service: Any, adapter: Any, candidate: Any) -> Any:
        from dataclasses import replace

        receipt = honest(service, adapter, candidate)
        if candidate.discovery.provider == "replay":
            return replace(receipt, source_version=candidate.discovery.candidate_id)
        return receipt

    monkeypatch.setattr(live.CitationAcquisitionService, "acquire", forged)
    status, report, _ = run(capsys)
    assert (status, report["status"], report["passed"]) == (1, "failed", 0)


def test_r149_failed_captures_and_abstentions_stay_in_the_report(
    exa: LocalServer, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = {"9110": ["/gone", "/rfc9110.html"], "9000": ["/other.txt", "/rfc9000.html"]}
    site(exa, pages | {"8259": ["/other.txt"]})
    status, report, _ = run(capsys)
    assert (status, report["status"], report["passed"]) == (1, "failed", 2)
    http, quic, json_case = report["cases"]
    assert [c["error"] and c["error"]["rule"] for c in http["captures"]] == ["status", None]
    assert http["passed"]
    assert quic["passed"]
    assert quic["abstentions"]
    assert all(row["why"] for row in quic["abstentions"])
    assert not json_case["passed"]
    assert json_case["findings"] == []


def test_r149_a_search_that_fails_is_a_failed_case_and_the_others_run(
    exa: LocalServer, capsys: pytest.CaptureFixture[str]
) -> None:
    site(exa, ALL)
    good = exa.script
    assert callable(good)

    def answer(seen: Seen) -> Reply:
        return Reply(500, KEY.encode()) if b"9000" in seen.body else good(seen)

    exa.script = answer
    status, report, err = run(capsys)
    assert (status, report["passed"]) == (1, 2)
    assert report["cases"][1]["error"]["type"] == "ExaProviderError"
    assert KEY not in json.dumps(report) + err


def test_lines_that_break_inside_a_sentence_are_quoted_as_they_stand(
    exa: LocalServer, capsys: pytest.CaptureFixture[str]
) -> None:
    site(exa, ALL | {"9110": ["/rfc9110.txt"]})
    _, report, _ = run(capsys)
    case = report["cases"][0]
    for finding in case["findings"]:
        assert finding["text"] in PAGES["/rfc9110.txt"][1]
    assert case["findings"] or case["abstentions"]


def test_r149_a_missing_key_is_an_explicit_skip(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    status, report, err = run(capsys, "--store", str(tmp_path / "store"))
    assert (status, err) == (0, "")
    assert report["status"] == "skipped"
    assert "EXA_API_KEY is not set" in report["reason"]
    assert not (tmp_path / "store").exists()
    assert skipped({"EXA_API_KEY": "  "}) is not None


def test_r150_and_r187_the_report_goes_to_a_file_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    _, report, _ = run(capsys, "--output", str(tmp_path / "report.json"))
    assert json.loads((tmp_path / "report.json").read_text("utf-8")) == report
    status, _, err = run(capsys, "--output", str(tmp_path / "none" / "report.json"))
    assert status == 2
    assert "cannot be written" in json.loads(err)["error"]["message"]


def test_r150_the_options_of_the_seed_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", "--help"]) == 0
    text = capsys.readouterr().out
    for option in (
        "--model-cache", "--device", "--embedding-batch-size", "--nli-batch-size", "--threshold", "--margin",
        "--max-span-proposals", "--long-passages", "--store", "--output", "--learned", "--allow-download",
    ):  # fmt: skip
        assert option in text


def test_r190_the_key_is_in_no_file_of_the_run(
    exa: LocalServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site(exa, ALL)
    status, report, err = run(
        capsys, "--store", str(tmp_path / "store"), "--output", str(tmp_path / "report.json"), "--verbose"
    )
    assert status == 0
    assert KEY not in json.dumps(report) + err
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


@pytest.mark.parametrize("limit", ["0", "101"])
def test_a_limit_out_of_range(capsys: pytest.CaptureFixture[str], limit: str) -> None:
    assert run(capsys, "--limit", limit)[0] == 2

"""``acquire`` and ``receipts`` (R67, R68, R113 to R117), with Exa and pages on a real loopback server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cmtui.discovery import capture
from cmtui.discovery.addresses import AddressPolicy
from support.cli import CommandLine
from support.local_http import LocalServer, Reply, Seen, json_reply, serving

TEXT = b"The lighthouse of Skerrow was lit in 1871 and burns still.\n"
KEYS = ["url", "document_id", "source_version", "evidence_id", "error"]


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine as a place to capture from: no setting and no variable allows that, so the test does."""
    local = AddressPolicy(allow_addresses=frozenset({"127.0.0.1"}), ports=None)
    made = capture.WebCapture

    def make(**options: Any) -> capture.WebCapture:
        return made(policy=local, **options)

    monkeypatch.setattr(capture, "WebCapture", make)


def site(server: LocalServer, *paths: str, highlight: str = "lit in 1871") -> None:
    """Exa at /search and pages at every other path, on one server."""

    def answer(seen: Seen) -> Reply:
        if seen.path == "/search":
            rows = [
                {"id": path, "url": server.url + path, "title": "A page", "highlights": [highlight]}
                for path in paths
            ]
            return json_reply({"requestId": "r", "results": rows})
        if seen.path == "/gone":
            return Reply(404, b"gone")
        return Reply(200, TEXT, {"Content-Type": "text/plain"})

    server.script = answer


@pytest.fixture
def exa(monkeypatch: pytest.MonkeyPatch) -> Any:
    with serving([Reply()]) as server:
        monkeypatch.setenv("EXA_API_KEY", "key-of-the-test")
        monkeypatch.setenv("CMTUI_EXA_BASE_URL", server.url)
        yield server


def test_r67_a_query_is_searched_captured_and_reported(
    cli: CommandLine, exa: LocalServer, loopback: None
) -> None:
    site(exa, "/a", "/b")
    ran = cli("acquire", "lighthouses", "--limit", "2")
    assert ran.status == 0
    receipts = ran.object["receipts"]
    assert [list(row)[:5] for row in receipts] == [KEYS, KEYS]
    assert [row["url"] for row in receipts] == [exa.url + "/a", exa.url + "/b"]
    assert [row["status"] for row in receipts] == ["added", "alias"]
    assert all(row["error"] is None and row["text"] == "lit in 1871" for row in receipts)
    assert json.loads(exa.seen[0].body)["numResults"] == 2
    read_back = cli("reconstruct", receipts[0]["evidence_id"])
    assert read_back.object["text"] == "lit in 1871"
    listed = cli("receipts").object["receipts"]
    assert listed == receipts
    assert cli("receipts", receipts[0]["document_id"]).object["receipts"] == receipts


def test_r68_a_failure_is_a_row_and_the_exit_status_is_2(
    cli: CommandLine, exa: LocalServer, loopback: None
) -> None:
    site(exa, "/a", "/gone", "/b")
    ran = cli("acquire", "lighthouses")
    assert ran.status == 2
    rows = json.loads(ran.out)["receipts"]
    assert [row["error"] and row["error"]["rule"] for row in rows] == [None, "status", None]
    assert rows[1]["document_id"] is None
    assert ran.error["type"] == "CaptureValidationError"
    assert "1 of 3 candidates failed" in ran.error["message"]
    assert len(cli("receipts").object["receipts"]) == 2


def test_a_stitched_highlight_is_a_normal_explained_outcome(
    cli: CommandLine, exa: LocalServer, loopback: None
) -> None:
    site(exa, "/a", highlight="The lighthouse of Skerrow\n...burns still")
    ran = cli("acquire", "lighthouses")
    (row,) = json.loads(ran.out)["receipts"]
    assert row["document_id"] is not None
    assert row["evidence_id"] is None
    assert row["error"]["type"] == "highlight-alignment"
    assert "stitch" in row["error"]["hint"]
    assert ran.error["type"] == "HighlightAlignmentError"


def test_a_url_is_captured_with_its_kind_and_its_way_of_reading(
    cli: CommandLine, loopback: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    page = b"<!DOCTYPE html><html><body><p>Lit &amp; burning.</p></body></html>"
    with serving([Reply(200, page, {"Content-Type": "text/html; charset=utf-8"})]) as server:
        raw = cli("acquire", "--url", server.url + "/x").object["receipts"][0]
        text = cli("acquire", "--url", server.url + "/x", "--html", "text").object["receipts"][0]
        wrong = cli("acquire", "--url", server.url + "/x", "--kind", "pdf")
    assert "&amp;" in cli("document", raw["document_id"]).object["text"]
    assert "Lit & burning." in cli("document", text["document_id"]).object["text"]
    assert raw["source_version"] == text["source_version"]
    assert text["status"] == "reprofiled"
    assert wrong.status == 2
    assert json.loads(wrong.out)["receipts"][0]["error"]["rule"] == "type"


def test_the_program_as_it_is_captures_from_no_private_address(cli: CommandLine) -> None:
    with serving([Reply(200, TEXT, {"Content-Type": "text/plain"})]) as server:
        ran = cli("acquire", "--url", server.url)
        assert ran.status == 2
        assert server.seen == []
    (row,) = json.loads(ran.out)["receipts"]
    assert row["error"]["rule"] == "port"
    rules = [
        json.loads(cli("acquire", "--url", url).out)["receipts"][0]["error"]["rule"]
        for url in ("http://127.0.0.1/", "http://localhost/", "https://[::1]/", "http://169.254.169.254/")
    ]
    assert rules == ["address"] * 4


def test_a_missing_key_names_the_variable_and_captures_nothing(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    ran = cli("acquire", "lighthouses")
    assert ran.status == 2
    assert ran.error["type"] == "MissingKey"
    assert "EXA_API_KEY" in ran.error["message"]


def test_r42_no_env_file_is_ever_loaded(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    (tmp_path / ".env").write_text("EXA_API_KEY=from-the-file\n")
    monkeypatch.chdir(tmp_path)
    assert cli("acquire", "lighthouses").error["type"] == "MissingKey"


def test_r190_the_key_is_in_no_output(cli: CommandLine, exa: LocalServer) -> None:
    exa.script = [Reply(401, b"key-of-the-test is wrong")]
    ran = cli("acquire", "lighthouses")
    assert ran.status == 2
    assert ran.error["type"] == "ExaProviderError"
    assert "key-of-the-test" not in ran.out + ran.err


@pytest.mark.parametrize(
    "words", [[], ["q", "--url", "https://a.org/"], ["q", "--limit", "0"], ["q", "--limit", "101"]]
)
def test_wrong_usage_is_an_error_with_a_hint(cli: CommandLine, exa: LocalServer, words: list[str]) -> None:
    ran = cli("acquire", *words)
    assert ran.status == 2
    assert ran.error["hint"]
    assert exa.seen == []

"""The read-only server (D11, R176) as it is started from the command line, with a real uvicorn.

Skipped where the extra 'server' is not installed: ``make test-server``.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cmtui import LocalCitationMachine
from cmtui.model.lookup import ProviderSettings, WebSearchSettings
from cmtui.sections.settings import SectionOptions
from support.literature import SECTION, UNRELATED, brave_answer, literature
from support.local_http import serving

TEXT = "The lighthouse of Skerrow was lit in 1871.\n\nIt burns still, on the northern pier.\n"


def installed() -> bool:
    from importlib.util import find_spec

    return find_spec("starlette") is not None and find_spec("uvicorn") is not None


needs_server = pytest.mark.skipif(not installed(), reason="the extra 'server' is not installed")


@dataclass
class Server:
    url: str
    port: int
    process: subprocess.Popen[bytes]
    document_id: str
    evidence_id: str
    store: Path

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, headers=named)
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def get(self, path: str, status: int = 200) -> dict[str, Any]:
        found, headers, body = self.ask(path)
        assert found == status, body
        assert headers["content-type"] == "application/json"
        value = json.loads(body)
        assert isinstance(value, dict)
        return value

    def raw(self, request: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            received = b""
            while piece := connection.recv(65536):
                received += piece
        return received


def start(store: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "cmtui.cli.main", "--store", str(store), "serve", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if not installed():
        pytest.skip("the extra 'server' is not installed")
    folder = tmp_path_factory.mktemp("served")
    (folder / "light.txt").write_text(TEXT, encoding="utf-8")
    with LocalCitationMachine.open(folder / "store") as machine:
        document_id = machine.ingest(folder / "light.txt")
        check = machine.check_quote("was lit in 1871")
    process = start(folder / "store", "--port", "0")
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        port = int(told["url"].rpartition(":")[2])
        yield Server(told["url"], port, process, document_id, check.evidence_ids[0], folder / "store")
    finally:
        process.kill()
        process.communicate()


def test_it_says_where_it_listens_and_that_it_only_reads(server: Server) -> None:
    assert server.url == f"http://127.0.0.1:{server.port}"
    health = server.get("/health")
    assert (health["status"], health["read_only"], health["documents"]) == ("ok", True, 1)


def test_r176_the_audit_of_a_draft_by_its_id_or_the_beginning_of_it(server: Server) -> None:
    """Every candidate with its reason, as the section pipeline kept it."""
    page = {"title": "Musicians at a court", "url": "https://court.example", "description": UNRELATED}
    with (
        serving(literature(brave=brave_answer(page))) as services,
        LocalCitationMachine.open(server.store) as machine,
        pytest.MonkeyPatch.context() as environment,
    ):
        environment.setenv("BRAVE_API_KEY", "test-key-of-brave")
        other = services.url.replace("127.0.0.1", "localhost")
        kept = machine.run_sections(
            f"# Marsh\n\n{SECTION}\n".encode(),
            name="d.md",
            options=SectionOptions(),
            settings={
                "semantic_scholar": ProviderSettings(other),
                "crossref": ProviderSettings(services.url),
                "brave": WebSearchSettings(services.url),
            },
        )
    for asked in (kept.document_id, kept.document_id[:10]):
        told = server.get(f"/documents/{asked}/citation-audit")
        assert told["audit_id"] == kept.audit_id
        [decision] = told["sections"][0]["audit"]
        assert decision["rejection_reason"] == "relevance_below_threshold"
    assert "test-key-of-brave" not in json.dumps(told)
    server.get("/documents/0000000000/citation-audit", 404)


def test_r176_documents_by_list_and_by_id(server: Server) -> None:
    (row,) = server.get("/documents")["documents"]
    assert row["document_id"] == server.document_id
    assert (row["name"], row["kind"], row["title"]) == ("light.txt", "text", None)
    one = server.get(f"/documents/{server.document_id[:12]}")
    assert one["text"] == TEXT
    assert one["document_id"] == server.document_id
    assert one["profile"]["name"] == "cmtui-canon"


def test_r176_evidence_by_id_is_read_back_and_verified(server: Server) -> None:
    found = server.get(f"/evidence/{server.evidence_id}")
    assert found["text"] == "was lit in 1871"
    assert found["verified"] is True
    assert set(found["layers"]) == {"artifact", "version", "content", "span"}
    assert found["document_id"] == server.document_id
    start_, end = found["span"]["start"], found["span"]["end"]
    assert TEXT[start_:end] == "was lit in 1871"


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("/", 404, "NotFound"),
        ("/nothing", 404, "NotFound"),
        ("/documents/", 404, "NotFound"),
        ("/documents/ffffffffffff", 404, "NotFound"),
        ("/documents/..%2f..%2fetc%2fpasswd", 404, "NotFound"),
        ("/documents/%00", 404, "NotFound"),
        ("/evidence/ffffffffffff", 404, "NotFound"),
        ("/evidence/not-an-id", 404, "NotFound"),
        ("/openapi.json", 404, "NotFound"),
    ],
)
def test_errors_are_json_with_a_hint(server: Server, path: str, status: int, kind: str) -> None:
    error = server.get(path, status)["error"]
    assert list(error) == ["type", "message", "hint"]
    assert error["type"] == kind
    assert error["message"]
    assert error["hint"]
    assert str(server.store) not in json.dumps(error)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_but_reading_is_allowed(server: Server, method: str) -> None:
    status, headers, body = server.ask("/documents", method)
    assert status == 405
    assert headers["allow"] == "GET, HEAD"
    assert json.loads(body)["error"]["type"] == "MethodNotAllowed"


def test_head_answers_as_get_without_a_body(server: Server) -> None:
    status, headers, body = server.ask("/documents", "HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) == len(server.ask("/documents")[2])


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "127.0.0.2",
        "0.0.0.0",
        "[::2]",
        "localhost:x",
        "[::1",
        "2130706433",
        "127.1",
    ],
)
def test_a_name_that_was_rebound_to_this_machine_is_not_answered(server: Server, host: str) -> None:
    status, _, body = server.ask("/documents", Host=host)
    assert status == 421
    assert json.loads(body)["error"]["type"] == "MisdirectedRequest"
    assert b"lighthouse" not in body


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:{port}", "127.0.0.1:{port}", "[::1]:{port}", "localhost."]
)
def test_the_names_of_this_machine_are_answered(server: Server, host: str) -> None:
    assert server.ask("/health", Host=host.format(port=server.port))[0] == 200


def test_a_request_without_a_host_or_with_two_is_refused(server: Server) -> None:
    none = server.raw(b"GET /documents HTTP/1.0\r\n\r\n")
    two = server.raw(b"GET /documents HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
    for answer in (none, two):
        assert answer.split(b" ", 2)[1] in (b"400", b"421")
        assert b"light.txt" not in answer


def test_answers_carry_no_cors_and_are_not_cached(server: Server) -> None:
    for path in ("/documents", "/nothing"):
        _, headers, _ = server.ask(path, Origin="https://evil.example")
        assert not [name for name in headers if name.startswith("access-control")]
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "server" not in headers


def test_a_forwarded_header_changes_nothing(server: Server) -> None:
    assert server.ask("/documents", Host="evil.example", X_Forwarded_Host="localhost")[0] == 421


def test_garbage_does_not_stop_it(server: Server) -> None:
    server.raw(b"garbage\r\n\r\n")
    server.raw(b"GET / HTTP/1.1\r\n" + b"X: " + b"x" * 100_000)
    assert server.get("/health")["status"] == "ok"


def test_what_another_process_ingests_is_served(server: Server, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("Another source.\n", encoding="utf-8")
    with LocalCitationMachine.open(server.store) as machine:
        document_id = machine.ingest(tmp_path / "more.txt")
        assert document_id in {row["document_id"] for row in server.get("/documents")["documents"]}
        machine.repository.remove_document(document_id, reason="test")
    error = server.get(f"/documents/{document_id}", 410)["error"]
    assert error["type"] == "DocumentRemoved"


def test_reading_changes_no_file_of_the_store(server: Server) -> None:
    def files() -> dict[str, bytes]:
        return {
            str(p): p.read_bytes()
            for p in server.store.rglob("*")
            if p.is_file() and "derived" not in p.parts and "lock" not in p.name
        }

    before = files()
    for path in (
        "/health",
        "/documents",
        f"/documents/{server.document_id}",
        f"/evidence/{server.evidence_id}",
    ):
        server.get(path)
    assert files() == before


# -- starting ----------------------------------------------------------------------------------------


def ended(store: Path, *options: str) -> tuple[int, dict[str, str], bytes]:
    process = start(store, *options)
    out, err = process.communicate(timeout=60)
    last = err.strip().splitlines()[-1]
    error: dict[str, str] = json.loads(last)["error"]
    return process.returncode, error, out


@pytest.fixture
def store(tmp_path: Path) -> Path:
    LocalCitationMachine.open(tmp_path / "store").close()
    return tmp_path / "store"


@needs_server
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_an_address_that_others_can_reach_needs_permission(store: Path, host: str) -> None:
    status, error, out = ended(store, "--host", host, "--port", "0")
    assert (status, out) == (2, b"")
    assert error["type"] == "InvalidRequest"
    assert "--allow-remote" in error["hint"]


@needs_server
def test_a_permitted_address_is_served_with_a_warning(store: Path) -> None:
    process = start(
        store, "--host", "0.0.0.0", "--port", "0", "--allow-remote", "--allow-host", "Lab.example"
    )
    try:
        assert process.stdout is not None
        port = int(json.loads(process.stdout.readline())["url"].rpartition(":")[2])
        for host, expected in (("lab.example", 200), (f"0.0.0.0:{port}", 200), ("other.example", 421)):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/health", headers={"Host": host})
            assert connection.getresponse().status == expected
            connection.close()
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert b"no passwords" in err
    assert b"Traceback" not in err


@needs_server
def test_a_taken_port_is_an_error_with_a_hint(store: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        status, error, out = ended(store, "--port", str(taken.getsockname()[1]))
    assert (status, out) == (2, b"")
    assert error["type"] == "InvalidRequest"
    assert "--port" in error["hint"]


@needs_server
@pytest.mark.parametrize("port", ["-1", "65536"])
def test_a_port_that_is_none(store: Path, port: str) -> None:
    assert ended(store, "--port", port)[1]["type"] == "InvalidRequest"


@needs_server
@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(store: Path, signal_: signal.Signals) -> None:
    process = start(store, "--port", "0")
    assert process.stdout is not None
    assert process.stdout.readline()
    process.send_signal(signal_)
    _, err = process.communicate(timeout=30)
    assert b"Traceback" not in err
    assert process.returncode in (0, 130, -signal_, 128 + signal_)


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    status, error, _ = ended(tmp_path / "none", "--port", "0")
    assert (status, error["type"]) == (2, "NotFound")
    assert not (tmp_path / "none").exists()


@pytest.mark.skipif(installed(), reason="the extra 'server' is installed")
def test_without_the_extra_the_error_names_it(store: Path) -> None:
    status, error, out = ended(store, "--port", "0")
    assert (status, out) == (2, b"")
    assert error["type"] == "BackendMissing"
    assert "cmtui[server]" in error["hint"]


def test_the_engine_needs_no_server_and_importing_the_verb_loads_none() -> None:
    code = (
        "import sys, cmtui.cli.verbs; print(sorted(m for m in sys.modules if m in ('starlette', 'uvicorn')))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ | {}
    )
    assert ran.stdout.strip() == "[]"

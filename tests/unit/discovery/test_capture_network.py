"""Capture against time, a bad network, certificates and injected fetchers (R43, R62, R63, R65)."""

from __future__ import annotations

import ssl
import subprocess
import time
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from cmtui.discovery.capture import WebCapture
from cmtui.discovery.exa import ExaAcquisitionAdapter
from cmtui.discovery.fetcher import WebFetcher
from cmtui.errors import (
    Cancelled,
    CaptureValidationError,
    CertificateRejected,
    ExaProviderError,
    ProviderTimeout,
    ProviderUnreachable,
)
from cmtui.model.discovery import CapturedSource, DiscoveryCandidate, DiscoveryMetadata
from support.capturing import LOCAL, TEXT, candidate, capture, plain
from support.local_http import FakeTime, Reply, serving
from support.raw_http import RawServer, head, sending


def held(server: RawServer, timeout: float = 0.3) -> float:
    started = time.monotonic()
    with pytest.raises(ProviderTimeout, match=r"within 0\.3 s"):
        capture(server.url, timeout=timeout)
    return time.monotonic() - started


def test_r63_a_silent_server_ends_at_the_deadline() -> None:
    with sending(b"", hold=True) as server:
        assert held(server) < 5


def test_r63_a_body_that_drips_ends_at_the_deadline() -> None:
    with sending(head(Content_Type="text/plain", Content_Length="100000") + b"x", drip=True) as server:
        assert held(server) < 5


def test_r63_headers_that_drip_end_at_the_deadline() -> None:
    with sending(b"HTTP/1.1 200 OK\r\nX-Slow: x", drip=True) as server:
        assert held(server) < 5


def test_the_deadline_covers_resolving(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket
    import threading

    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: answered.wait(30) and [])
    with pytest.raises(ProviderTimeout):
        WebFetcher(LOCAL).fetch("http://slow.example/", timeout=0.2, max_response_bytes=10)
    answered.set()


def test_a_host_that_refuses_or_resets_or_does_not_exist() -> None:
    with sending(b"") as server:
        gone = server.url
    with pytest.raises(ProviderUnreachable, match="cannot be reached"):
        capture(gone)
    with pytest.raises(ProviderUnreachable):
        capture("http://no-such-host.invalid/")
    with (
        sending(head(Content_Type="text/plain", Content_Length="500") + b"x", reset=True) as server,
        pytest.raises((ProviderUnreachable, CaptureValidationError)),
    ):
        capture(server.url)


def test_r62_a_network_failure_of_an_exa_candidate_is_an_exa_error() -> None:
    with sending(b"") as server:
        gone = server.url
    with pytest.raises(ExaProviderError, match="cannot be reached") as caught:
        ExaAcquisitionAdapter("key-9", fetcher=WebFetcher(LOCAL)).capture(candidate(gone))
    assert caught.value.reason == "provider-unreachable"
    with sending(b"", hold=True) as server, pytest.raises(ExaProviderError) as caught:
        ExaAcquisitionAdapter("key-9", fetcher=WebFetcher(LOCAL), timeout=0.2).capture(candidate(server.url))
    assert caught.value.reason == "provider-timeout"


def test_r63_timeout_and_byte_limit_of_the_adapter_apply_to_capture() -> None:
    adapter = ExaAcquisitionAdapter("k", fetcher=WebFetcher(LOCAL), max_response_bytes=10)
    with sending(plain()) as server, pytest.raises(CaptureValidationError) as caught:
        adapter.capture(candidate(server.url))
    assert caught.value.rule == "size"


def test_cancelling_ends_a_capture() -> None:
    with sending(b"", hold=True) as server:
        web = WebCapture(fetcher=WebFetcher(LOCAL, cancelled=lambda: server.connections > 0))
        with pytest.raises(Cancelled):
            web.capture(candidate(server.url))


def test_a_clock_that_has_run_out_ends_a_stream() -> None:
    time_passes = FakeTime(tick=1.0)
    fetcher = WebFetcher(LOCAL, clock=time_passes.clock)
    with sending(plain()) as server, pytest.raises(ProviderTimeout):
        fetcher.fetch(server.url, timeout=3.0, max_response_bytes=1000)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    openssl = which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=paper.example",
         "-addext", "subjectAltName=DNS:paper.example",
         "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")],
        check=True, capture_output=True,
    )  # fmt: skip
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return both


def _resolving(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    import socket

    real = socket.getaddrinfo

    def ask(host: str, port: Any, *args: Any, **kwargs: Any) -> Any:
        return real("127.0.0.1" if host == name else host, port, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", ask)


def test_the_pinned_connection_keeps_host_and_sni(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _resolving(monkeypatch, "paper.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving([Reply(200, TEXT, {"Content-Type": "text/plain"})], certificate=certificate) as server:
        port = server.url.rpartition(":")[2]
        got = capture(f"https://paper.example:{port}/x")
    assert got.content == TEXT
    assert server.seen[0].headers["host"] == f"paper.example:{port}"


def test_r43_a_certificate_of_another_name_is_rejected_with_guidance(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _resolving(monkeypatch, "other.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving([Reply(200, TEXT)], certificate=certificate) as server:
        port = server.url.rpartition(":")[2]
        with pytest.raises(CertificateRejected, match="CERTIFICATE_VERIFY_FAILED") as caught:
            capture(f"https://other.example:{port}/x")
    assert "SSL_CERT_FILE" in caught.value.hint
    assert server.seen == []


def test_r43_verification_is_on_in_the_context_of_every_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    from cmtui.net.trust import ssl_context

    for name in ("PYTHONHTTPSVERIFY", "SSL_VERIFY", "CURL_INSECURE"):
        monkeypatch.setenv(name, "0")
    context = ssl_context("web")
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


class Fetched:
    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[str, float, int]] = []

    def fetch(self, url: str, *, timeout: float, max_response_bytes: int) -> Any:
        self.asked.append((url, timeout, max_response_bytes))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


GOOD: dict[str, Any] = {"status": 200, "headers": {"Content-Type": "text/plain"}, "content": TEXT}


def by_fetcher(answer: Any, kind: str = "text", limit: int = 1000) -> CapturedSource:
    fetcher = Fetched(answer)
    adapter = ExaAcquisitionAdapter("k", fetcher=fetcher, timeout=7.0, max_response_bytes=limit)
    got = adapter.capture(candidate("https://a.org/x", kind))
    assert fetcher.asked == [("https://a.org/x", 7.0, limit)]
    return got


def test_r65_an_injected_fetcher_gets_url_timeout_and_limit() -> None:
    assert by_fetcher(GOOD).content == TEXT


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"status": "200"}, "fetcher"),
        ({"status": True}, "fetcher"),
        ({"status": 200.0}, "fetcher"),
        ({"headers": [("a", "b")]}, "fetcher"),
        ({"headers": {"a": 1}}, "fetcher"),
        ({"headers": {b"a": "b"}}, "fetcher"),
        ({"headers": {"Content-Type": "text/plain", "content-type": "text/html"}}, "fetcher"),
        ({"content": "text"}, "fetcher"),
        ({"content": bytearray(TEXT)}, "fetcher"),
        ({"content": memoryview(TEXT)}, "fetcher"),
        ({"content": None}, "fetcher"),
        ({"status": 302}, "redirect"),
        ({"status": 404}, "status"),
        ({"status": 206}, "partial"),
        ({"content": b""}, "empty"),
        ({"content": b"x" * 1001}, "size"),
        ({"headers": {}}, "type"),
        ({"headers": {"Content-Type": "text/plain", "CONTENT-ENCODING": "gzip"}}, "encoding"),
        ({"headers": {"Content-Type": "text/plain", "Content-Length": "3"}}, "length"),
        ({"headers": {"Content-Type": "text/plain", "Content-Length": "39, 39"}}, "length"),
        ({"headers": {"Content-Type": "text/plain", "Content-Length": "９"}}, "length"),
    ],
)
def test_r65_an_injected_fetchers_answer_is_checked_like_any_other(change: dict[str, Any], rule: str) -> None:
    with pytest.raises(CaptureValidationError) as caught:
        by_fetcher(GOOD | change)
    assert caught.value.rule == rule


@pytest.mark.parametrize("answer", [None, [], "text", 200])
def test_r65_an_answer_that_is_no_mapping_is_refused(answer: Any) -> None:
    with pytest.raises(CaptureValidationError) as caught:
        by_fetcher(answer)
    assert caught.value.rule == "fetcher"


def test_r65_a_fetcher_that_raises_is_a_network_failure_without_its_words() -> None:
    with pytest.raises(ExaProviderError, match="OSError") as caught:
        by_fetcher(OSError("secret words"))
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_r66_the_captured_bytes_hold_nothing_of_the_provider() -> None:
    lead = DiscoveryCandidate(
        "text",
        DiscoveryMetadata("exa", "ID-77", url="https://a.org/x", title="T-77", query="Q-77", score=0.77),
    )
    got = ExaAcquisitionAdapter("k", fetcher=Fetched(GOOD)).capture(lead)
    assert got == CapturedSource(
        TEXT, "text", url="https://a.org/x", media_type="text/plain", length_declared=False
    )
    assert "77" not in repr(got)

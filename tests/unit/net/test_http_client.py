"""The HTTP client against a real server on loopback: limits, retries, refusals, and what it never says."""

from __future__ import annotations

import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from cmtui.errors import (
    Cancelled,
    CertificateRejected,
    CmtuiError,
    ConfigError,
    ProviderError,
    ProviderMalformed,
    ProviderRateLimited,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnreachable,
)
from cmtui.net.client import HttpClient
from cmtui.net.gate import RateGate
from cmtui.net.retry import NO_RETRIES
from cmtui.net.secrets import Secret
from support.local_http import FakeTime, LocalServer, Reply, json_reply, serving

KEY = "k-3f9a-very-secret"


def client(server: LocalServer | str, time: FakeTime | None = None, **options: Any) -> HttpClient:
    """A client whose waiting takes no time."""
    time = time or FakeTime()
    url = server if isinstance(server, str) else server.url
    defaults: dict[str, Any] = {
        "gate": RateGate(1000, clock=time.clock),
        "clock": time.clock,
        "sleep": time.sleep,
        "jitter": lambda: 0.0,
        "wall": lambda: 1_800_000_000.0,
    }
    return HttpClient("Provider", url, **(defaults | options))


# -- answers -----------------------------------------------------------------------------------------


def test_an_answer_comes_back_whole_and_the_request_says_who_asks() -> None:
    with serving([json_reply({"a": 1})]) as server:
        asking = client(server, mailto="ann@example.org")
        answer = asking.get("/works/10.1000/182", {"q": "a b"})
        assert asking.json_of(answer) == {"a": 1}
        assert (answer.status, answer.attempts) == (200, 1)
        [seen] = server.seen
    assert seen.path == "/works/10.1000/182?q=a+b"
    assert seen.headers["user-agent"].startswith("cmtui/")
    assert "mailto:ann@example.org" in seen.headers["user-agent"]
    assert seen.headers["accept-encoding"] == "identity"
    assert "cookie" not in seen.headers


def test_a_body_is_posted_as_json() -> None:
    with serving([json_reply({})]) as server:
        client(server).post_json("/search", {"query": "wal"})
        [seen] = server.seen
    assert (seen.method, seen.body) == ("POST", b'{"query": "wal"}')


def test_an_accepted_status_is_an_answer() -> None:
    with serving([Reply(404, b"Resource not found.")]) as server:
        assert client(server).get("/x", accept=(200, 404)).status == 404


def test_proxies_and_netrc_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving([json_reply({})]) as server:
        assert client(server).get("/x").status == 200


# -- retries (D2) ------------------------------------------------------------------------------------


def test_429_is_asked_again_after_what_the_host_says() -> None:
    """D2: Retry-After is honoured inside the deadline."""
    time = FakeTime()
    with serving([Reply(429, headers={"Retry-After": "2"}), json_reply({"ok": True})]) as server:
        answer = client(server, time).get("/x")
        assert len(server.seen) == 2
    assert answer.attempts == 2
    assert time.slept == pytest.approx(2.0)


@pytest.mark.parametrize("after", ["3600", "99999999999", "date"])
def test_429_for_longer_than_the_deadline_is_given_up_at_once(after: str) -> None:
    if after == "date":
        later = datetime.fromtimestamp(1_800_000_000, UTC) + timedelta(hours=1)
        after = later.strftime("%a, %d %b %Y %H:%M:%S GMT")
    time = FakeTime()
    with serving([Reply(429, headers={"Retry-After": after})]) as server:
        with pytest.raises(ProviderRateLimited) as caught:
            client(server, time).get("/x")
        assert len(server.seen) == 1
    assert time.slept == 0
    assert caught.value.status == 429
    assert caught.value.hint


@pytest.mark.parametrize("headers", [{}, {"Retry-After": "soon"}, {"Retry-After": "-5"}])
def test_without_a_sensible_retry_after_the_own_delays_hold(headers: dict[str, str]) -> None:
    """D2: at most two retries."""
    time = FakeTime()
    with serving([Reply(429, headers=headers)]) as server:
        with pytest.raises(ProviderRateLimited):
            client(server, time).get("/x")
        assert len(server.seen) == 3
    assert time.slept == pytest.approx(0.5 + 1.0)


def test_failures_of_the_server_may_pass() -> None:
    with serving([Reply(503), Reply(502), json_reply({})]) as server:
        assert client(server).get("/x").attempts == 3


def test_a_server_that_keeps_failing_is_refused() -> None:
    with serving([Reply(500)]) as server, pytest.raises(ProviderRefused) as caught:
        client(server).get("/x")
    assert (caught.value.status, caught.value.attempts) == (500, 3)


def test_a_billable_request_is_never_repeated() -> None:
    """R50: no automatic retries for a provider that bills."""
    with serving([Reply(503)]) as server:
        with pytest.raises(ProviderRefused):
            client(server, retry=NO_RETRIES).post_json("/search", {})
        assert len(server.seen) == 1


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_a_refusal_is_not_repeated(status: int) -> None:
    with serving([Reply(status, b"secret payload")]) as server:
        with pytest.raises(ProviderRefused) as caught:
            client(server).get("/x")
        assert len(server.seen) == 1
    assert caught.value.status == status
    assert "payload" not in caught.value.message


# -- limits ------------------------------------------------------------------------------------------


def test_a_body_that_comes_slowly_ends_at_the_deadline() -> None:
    """D2: one deadline over everything, however slowly bytes come."""
    with serving([Reply(200, b"{", length=100, hold=True)]) as server:
        with pytest.raises(ProviderTimeout) as caught:
            client(server, FakeTime(tick=0.5)).get("/x")
        assert len(server.seen) == 1
    assert "10 s" in caught.value.message


def test_headers_that_never_end_are_left_at_the_deadline() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    try:
        with pytest.raises(ProviderTimeout):
            client(f"http://127.0.0.1:{listener.getsockname()[1]}", FakeTime(tick=0.5)).get("/x")
    finally:
        listener.close()


@pytest.mark.parametrize("length", [-1, None])
def test_an_answer_over_the_limit_is_refused(length: int | None) -> None:
    """R50: the size limit holds with and without a stated length."""
    reply = Reply(200, b"x" * 5000, length=length)
    with serving([reply]) as server, pytest.raises(ProviderMalformed) as caught:
        client(server, max_bytes=4999).get("/x")
    assert "4999" in caught.value.message


def test_an_answer_at_the_limit_is_accepted() -> None:
    with serving([Reply(200, b"x" * 5000)]) as server:
        assert len(client(server, max_bytes=5000).get("/x").body) == 5000


def test_cancelling_stops_the_reading() -> None:
    asked: list[bool] = []

    def cancelled() -> bool:
        asked.append(True)
        return len(asked) > 6

    with serving([Reply(200, b"{", length=100, hold=True)]) as server, pytest.raises(Cancelled):
        client(server).get("/x", cancelled=cancelled)


# -- refusals ----------------------------------------------------------------------------------------


def test_a_redirect_is_never_followed() -> None:
    """R50: no redirects."""
    with serving([json_reply({})]) as target:
        moved = Reply(302, headers={"Location": f"{target.url}/secret"})
        with serving([moved]) as server, pytest.raises(ProviderRefused) as caught:
            client(server).get("/x")
        assert target.seen == []
    assert "redirect" in caught.value.message
    assert target.url not in caught.value.message


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"a": NaN}', b"<html></html>", b'{"a": "\xff"}']
)
def test_what_is_no_json_object_is_malformed(body: bytes) -> None:
    """R52: malformed answers become an error without the payload in it."""
    with serving([Reply(200, body)]) as server:
        asking = client(server)
        with pytest.raises(ProviderMalformed) as caught:
            asking.json_of(asking.get("/x"))
    assert not body or body.decode("latin-1") not in caught.value.message


def test_a_compressed_answer_is_refused() -> None:
    reply = Reply(200, b"\x1f\x8b", {"Content-Encoding": "gzip"})
    with serving([reply]) as server, pytest.raises(ProviderMalformed):
        client(server).get("/x")


def test_a_body_that_was_cut_is_asked_for_again_and_then_refused() -> None:
    with serving([Reply(200, b"{}", length=50), Reply(200, b"{}")]) as server:
        assert client(server).get("/x").attempts == 2
    with serving([Reply(200, b"{}", length=50)]) as server:
        with pytest.raises(ProviderMalformed):
            client(server).get("/x")
        assert len(server.seen) == 2


def test_a_host_that_refuses_the_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ProviderUnreachable):
        client(f"http://127.0.0.1:{port}").get("/x")


def test_a_name_that_does_not_resolve(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with pytest.raises(ProviderUnreachable):
        client("https://provider.invalid").get("/x")


def test_every_address_of_a_host_must_be_permitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name with one public and one private address is refused before anything is sent."""
    with serving([json_reply({})]) as server:
        port = int(server.url.rsplit(":", 1)[1])
        rows = [(2, 1, 6, "", ("192.0.2.7", port)), (2, 1, 6, "", ("127.0.0.1", port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: rows)
        with pytest.raises(ProviderRefused):
            client(f"http://two.invalid:{port}", permit=lambda address: address != "127.0.0.1").get("/x")
        assert server.seen == []


@pytest.mark.parametrize(
    "url",
    ["", "ftp://a.example", "https://", "https://user:pw@a.example", "https://a.example/?q=1", "nonsense"],
)
def test_a_base_url_that_cannot_be_used(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        client(url)
    assert "pw" not in caught.value.message


# -- secrets -----------------------------------------------------------------------------------------


def everything_said(error: BaseException | None) -> str:
    """The texts of an error and of every error behind it."""
    said = ""
    while error is not None:
        hint = error.hint if isinstance(error, CmtuiError) else ""
        said += f"{error!r} {error} {hint} {vars(error)} "
        error = error.__cause__ or error.__context__
    return said


@pytest.mark.parametrize("reply", [Reply(401), Reply(429), Reply(200, b"{", length=9), Reply(302)])
def test_a_key_is_sent_and_never_said(reply: Reply) -> None:
    """R52: no credential in any message, cause or repr."""
    with serving([reply]) as server:
        asking = client(server, headers={"x-api-key": Secret(KEY, name="EXA_API_KEY")})
        with pytest.raises(ProviderError) as caught:
            asking.get("/x", {"key": "value"})
        assert server.seen[0].headers["x-api-key"] == KEY
    assert KEY not in everything_said(caught.value) + repr(asking) + str(vars(asking))


def test_a_key_is_never_sent_over_plain_http_to_another_machine() -> None:
    with pytest.raises(ConfigError) as caught:
        client("http://provider.example", headers={"x-api-key": Secret(KEY)})
    assert KEY not in caught.value.message + caught.value.hint


# -- certificates (R43) ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for 127.0.0.1 with its key."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_bytes(
        built.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


def test_a_certificate_that_does_not_verify_is_refused_with_guidance(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R43: CERTIFICATE_VERIFY_FAILED names SSL_CERT_FILE; verification stays on."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    with serving([json_reply({})], certificate=certificate) as server:
        with pytest.raises(CertificateRejected) as caught:
            client(server).get("/x")
        assert server.seen == []
    assert "CERTIFICATE_VERIFY_FAILED" in caught.value.message
    assert "self-signed" in caught.value.message
    assert "SSL_CERT_FILE" in caught.value.hint
    assert "stays on" in caught.value.hint


def test_a_certificate_in_ssl_cert_file_is_trusted(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R43: SSL_CERT_FILE is the way behind an inspecting proxy."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving([json_reply({"ok": True})], certificate=certificate) as server:
        assert client(server).get("/x").status == 200


def test_a_certificate_file_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with pytest.raises(CertificateRejected) as caught:
        client("https://127.0.0.1:9").get("/x")
    assert "SSL_CERT_FILE" in caught.value.message


# -- the gate ----------------------------------------------------------------------------------------


def test_requests_to_a_host_keep_their_distance() -> None:
    time = FakeTime()
    with serving([json_reply({}, x_rate_limit_limit="2", x_rate_limit_interval="1s")]) as server:
        asking = client(server, time, gate=RateGate(5, clock=time.clock))
        asking.get("/x")
        first = time.slept
        asking.get("/x")
        second = time.slept
        asking.get("/x")
    assert first == 0
    assert second == pytest.approx(0.2)
    assert time.slept == pytest.approx(0.2 + 0.5)


def test_a_turn_that_comes_after_the_deadline_is_not_waited_for() -> None:
    time = FakeTime()
    gate = RateGate(0.01, clock=time.clock)
    with serving([json_reply({})]) as server:
        asking = client(server, time, gate=gate)
        asking.get("/x")
        with pytest.raises(ProviderRateLimited):
            asking.get("/x")
        assert len(server.seen) == 1


def make_clients() -> list[Callable[[], HttpClient]]:
    return [
        lambda: HttpClient("A", "https://one.example"),
        lambda: HttpClient("B", "https://one.example/v1/"),
    ]


def test_clients_of_one_host_share_its_gate() -> None:
    one, two = (make() for make in make_clients())
    assert one._gate is two._gate
    assert one._gate is not HttpClient("C", "https://two.example")._gate

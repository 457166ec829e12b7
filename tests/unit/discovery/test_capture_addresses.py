"""Where a capture may go: URLs as text, addresses as resolved (providers.md 2.4, R63)."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from cmtui.discovery.addresses import AddressPolicy, check_url, shown_url, why_refused
from cmtui.discovery.fetcher import WebFetcher
from cmtui.errors import CaptureValidationError
from support.raw_http import head, sending

PUBLIC = AddressPolicy()


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.9.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.8", "192.0.0.170", "192.0.2.1",
        "198.18.0.1", "198.51.100.1", "203.0.113.7", "192.88.99.1", "224.0.0.1", "239.1.1.1", "240.0.0.1",
        "255.255.255.255",
        "::1", "::", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::7f00:1", "::8.8.8.8",
        "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::8.8.8.8", "2002:7f00:1::", "2002:808:808::1",
        "2001::1", "2001:0:53aa:64c:0:5efe:7f00:1", "2001:db8::1", "2001:10::1", "fc00::1", "fd12:3456::1",
        "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "100::1", "3fff::1", "5f00::1", "4000::1", "1::1",
        "", "localhost", "2130706433", "0x7f000001", "127.1",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert why_refused(address)


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "93.184.216.34", "1.1.1.1", "100.128.0.1", "172.32.0.1", "2606:4700:4700::1111",
     "2a00:1450:4001::1", "::ffff:8.8.8.8", "64:ff9b::808:808"],
)  # fmt: skip
def test_a_public_address_is_permitted(address: str) -> None:
    assert why_refused(address) is None


def test_only_the_very_address_that_was_allowed_is_allowed() -> None:
    policy = AddressPolicy(allow_addresses=frozenset({"127.0.0.1"}))
    assert policy.why_refused("127.0.0.1") is None
    assert policy.why_refused("127.0.0.2")
    assert policy.why_refused("::1")


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("", "url"),
        ("   ", "url"),
        ("http://127.0.0.1\\@evil.example/", "url"),
        ("http://exa mple.org/", "url"),
        ("http://a.org/\r\nX-Evil: 1", "url"),
        ("http://a.org/\x00", "url"),
        ("http://a.org:99999/", "url"),
        ("http://a.org/" + "x" * 9000, "url"),
        ("http://[::1", "url"),
        ("http://１２７.0.0.1/", "url"),
        ("http://0177.0.0.1/", "url"),
        ("ftp://a.org/", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("//a.org/", "scheme"),
        ("a.org", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("data:text/plain,x", "scheme"),
        ("https://user:secret@a.org/", "userinfo"),
        ("https://user@a.org/", "userinfo"),
        ("https://@a.org/", "userinfo"),
        ("https://a.org@evil.example/", "userinfo"),
        ("http:///path", "host"),
        ("http://", "host"),
        ("http://exa%6dple.org/", "host"),
        ("http://a..b/", "host"),
        ("http://-a.org/", "host"),
        ("http://a_b!.org/", "host"),
        ("http://a.org:8080/", "port"),
        ("http://a.org:0/", "port"),
        ("https://a.org:22/", "port"),
        ("http://127.0.0.1/", "address"),
        ("http://[::1]/", "address"),
        ("http://[::ffff:127.0.0.1]/", "address"),
        ("http://2130706433/", "address"),
        ("http://127.1/", "address"),
        ("http://169.254.169.254/latest", "address"),
        ("http://[fe80::1%25eth0]/", "address"),
    ],
)
def test_a_url_is_refused_by_the_rule_it_breaks_before_anything_is_resolved(
    url: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: pytest.fail("resolved"))
    with pytest.raises(CaptureValidationError) as caught:
        WebFetcher().fetch(url, timeout=5, max_response_bytes=1000)
    assert caught.value.rule == rule
    assert caught.value.sentence.endswith(".")
    assert caught.value.hint
    assert "secret" not in caught.value.message


@pytest.mark.parametrize(
    ("url", "host", "port", "asked"),
    [
        ("https://a.org./x#part", "a.org", 443, "https://a.org/x"),
        ("HTTP://A.ORG:80/x?q=1", "a.org", 80, "http://a.org/x?q=1"),
        ("https://münchen.de/Straße", "xn--mnchen-3ya.de", 443, "https://xn--mnchen-3ya.de/Stra%C3%9Fe"),
        ("https://8.8.8.8/a", "8.8.8.8", 443, "https://8.8.8.8/a"),
        ("https://[2606:4700::1111]/a", "2606:4700::1111", 443, "https://[2606:4700::1111]/a"),
    ],
)
def test_a_good_url_is_asked_for_as_it_stands_without_its_fragment(
    url: str, host: str, port: int, asked: str
) -> None:
    target = check_url(url, PUBLIC)
    assert (target.host, target.port, target.url) == (host, port, asked)


def test_other_ports_are_a_setting() -> None:
    assert check_url("http://a.org:8080/", AddressPolicy(ports=frozenset({8080}))).port == 8080
    assert check_url("http://a.org:1234/", AddressPolicy(ports=None)).port == 1234


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:secret@a.org/x", "https://a.org/x"),
        ("//user:secret@a.org/x", "//a.org/x"),
        ("https://a.org/\x1b[31m", "https://a.org/�[31m"),
        ("https://a.org/?mail=a@b.org", "https://a.org/?mail=a@b.org"),
    ],
)
def test_a_url_in_a_message_holds_no_password_and_no_control_characters(url: str, shown: str) -> None:
    assert shown_url(url) == shown


# -- resolving ---------------------------------------------------------------------------------------


class Resolver:
    """Answers with the given addresses, one list for each time it is asked (the last repeats)."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, port: Any, *args: Any, **kwargs: Any) -> list[Any]:
        self.asked.append(host)
        found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [
            (socket.AF_INET6 if ":" in a else socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, port))
            for a in found
        ]


PAGE = head(Content_Type="text/plain", Content_Length="5") + b"hello"


@pytest.mark.parametrize(
    "forms",
    [
        ["127.0.0.1"],
        ["93.184.216.34", "127.0.0.1"],
        ["127.0.0.1", "93.184.216.34"],
        ["93.184.216.34", "::1"],
        ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"],
    ],
)
def test_a_name_with_any_address_that_is_not_public_is_refused_and_nothing_connects(
    forms: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with sending(PAGE) as server:
        monkeypatch.setattr(socket, "getaddrinfo", Resolver(forms))
        with pytest.raises(CaptureValidationError, match="not a public address") as caught:
            WebFetcher(AddressPolicy(ports=None)).fetch(
                f"http://mixed.example:{server.port}/", timeout=5, max_response_bytes=1000
            )
        assert caught.value.rule == "address"
        assert server.connections == 0


@pytest.mark.parametrize("host", ["0x7f000001", "localhost", "0x7f.1"])
def test_what_the_resolver_makes_of_odd_hosts_is_checked(host: str) -> None:
    with sending(PAGE) as server:
        with pytest.raises(CaptureValidationError) as caught:
            WebFetcher(AddressPolicy(ports=None)).fetch(
                f"http://{host}:{server.port}/", timeout=5, max_response_bytes=1000
            )
        assert caught.value.rule == "address"
        assert server.connections == 0


def test_a_resolver_that_changes_its_answer_is_asked_once_and_the_checked_address_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 127.0.0.1 is allowed here; a second look-up would lead to 127.0.0.2, which is not.
    with sending(PAGE) as good, sending(PAGE, host="127.0.0.2") as bad:
        resolver = Resolver(["127.0.0.1"], ["127.0.0.2"])
        real = socket.getaddrinfo

        def ask(host: str, *args: Any, **kwargs: Any) -> Any:
            return (
                resolver(host, *args, **kwargs) if host == "rebind.example" else real(host, *args, **kwargs)
            )

        monkeypatch.setattr(socket, "getaddrinfo", ask)
        policy = AddressPolicy(allow_addresses=frozenset({"127.0.0.1"}), ports=None)
        answer = WebFetcher(policy).fetch(
            f"http://rebind.example:{good.port}/x", timeout=5, max_response_bytes=1000
        )
        assert answer["content"] == b"hello"
        assert resolver.asked == ["rebind.example"]
        assert bad.connections == 0
        assert f"Host: rebind.example:{good.port}".encode() in good.requests[0]

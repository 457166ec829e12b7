"""``cmtui serve``: what it listens to and answers, without the extra."""

from __future__ import annotations

import sys

import pytest

from cmtui.errors import InvalidRequest
from cmtui.tui import serving
from cmtui.tui.main import main
from cmtui.tui.serving import Serve, allowed, parse, policy


def test_it_listens_to_this_machine_alone_by_default() -> None:
    found = parse([])
    assert (found.host, found.port, found.store) == ("127.0.0.1", 8000, None)
    assert found.loopback


def test_arguments() -> None:
    found = parse(["/a store", "--host=::1", "--port", "8123"])
    assert found.url == "http://[::1]:8123"
    assert found.loopback
    assert found.command == f"{sys.executable} -m cmtui.tui.main '/a store'"
    assert not parse(["--host", "0.0.0.0"]).loopback
    assert not parse(["--host", "my.host"]).loopback


@pytest.mark.parametrize("arguments", [["--port", "x"], ["--port"], ["--wat"], ["a", "b"], ["--port=70000"]])
def test_wrong_arguments(arguments: list[str]) -> None:
    with pytest.raises(InvalidRequest):
        parse(arguments)


@pytest.mark.parametrize(
    ("host", "origin", "expected"),
    [
        ("127.0.0.1:8000", None, True),
        ("localhost:8000", "http://localhost:8000", True),
        ("127.0.0.1:8000", "http://evil.example", False),
        ("evil.example:8000", None, False),
        ("127.0.0.1:9999", None, False),
        ("127.0.0.1:8000", "null", False),
        ("", None, False),
    ],
)
def test_only_its_own_page_is_answered(host: str, origin: str | None, *, expected: bool) -> None:
    """A page of another site must not reach the socket, nor a name that was pointed at this address."""
    assert allowed(Serve(), host, origin) is expected


def test_the_page_may_load_nothing_from_elsewhere() -> None:
    text = policy(Serve())
    assert "default-src 'self'" in text
    assert "ws://127.0.0.1:8000" in text
    assert "googleapis" not in text


def test_without_the_extra_the_install_line_is_given(monkeypatch, capsys) -> None:
    monkeypatch.setattr(serving, "installed", lambda: False)
    assert main(["serve"]) == 2
    assert "pip install 'cmtui[web]'" in capsys.readouterr().err

"""Secrets that cannot be shown by accident, and the reading of Retry-After and rate headers."""

from __future__ import annotations

import json
import pickle

import pytest

from cmtui.net.gate import RateGate
from cmtui.net.retry import RetryPolicy, retry_after_seconds
from cmtui.net.secrets import Secret, redact


def test_a_secret_comes_from_the_environment_alone(tmp_path, monkeypatch) -> None:
    """R42: no ``.env`` is read; R37: the key's place is EXA_API_KEY."""
    (tmp_path / ".env").write_text("EXA_API_KEY=from-the-file\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    assert Secret.from_environment("EXA_API_KEY") is None
    assert Secret.from_environment("EXA_API_KEY", {"EXA_API_KEY": "  "}) is None
    secret = Secret.from_environment("EXA_API_KEY", {"EXA_API_KEY": "abc "})
    assert secret is not None
    assert secret.reveal() == "abc"


def test_a_secret_is_not_shown() -> None:
    """R52: neither by repr nor in a text, and it is not written to a file."""
    secret = Secret("abc-def", name="KEY")
    assert "abc" not in f"{secret} {secret!r} {secret:>20} {[secret]} {secret.__class__.__dict__}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        json.dumps(secret)


def test_redaction_leaves_no_part_of_a_longer_secret() -> None:
    assert redact("x abcdef abc", [Secret("abc"), Secret("abcdef"), Secret("")]) == "x [hidden] [hidden]"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("0", 0.0),
        (" 7 ", 7.0),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("٣", None),
        ("Fri, 15 Jan 2027 08:00:30 GMT", 30.0),
        ("Fri, 15 Jan 2027 07:00:00 GMT", 0.0),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, 1_800_000_000.0) == seconds


def test_delays_double_and_jitter_adds_a_quarter_at_most() -> None:
    policy = RetryPolicy()
    assert [policy.delay(n, None, lambda: 0.0) for n in (1, 2)] == [0.5, 1.0]
    assert policy.delay(1, None, lambda: 1.0) == 0.625
    assert policy.delay(1, 3.0, lambda: 1.0) == 3.0


@pytest.mark.parametrize(
    ("limit", "interval", "expected"),
    [
        ("10", "1s", 0.1),
        ("150", "1s", 1 / 150),
        ("1, 2000", "1", 0.2),
        ("0", "1s", 0.2),
        ("x", "1s", 0.2),
        ("5", "", 0.2),
    ],
)
def test_the_rate_that_a_host_states(limit: str, interval: str, expected: float) -> None:
    gate = RateGate(5)
    gate.observe({"x-rate-limit-limit": limit, "x-rate-limit-interval": interval})
    assert gate.interval == pytest.approx(expected)

"""Settings shared by all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# Machines are shared and noisy: a slow example is no failure, and the same examples run everywhere.
settings.register_profile(
    "cmtui", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("cmtui")


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test reads or writes the person's own store, configuration or state.

    Durability against power loss cannot be tested in a process: without fsync the suite is several times
    faster on a busy disk. The programs that tests start as processes of their own do sync.
    """
    monkeypatch.setattr(os, "fsync", lambda _: None)
    home = tmp_path_factory.getbasetemp() / "home"
    home.mkdir(exist_ok=True)
    for name in list(os.environ):
        if name.startswith("CMTUI_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))

"""One prepared store for the screens, copied for each test; no waiting on the clock of the screens."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.tui.demo import prepare
from cmtui.tui.screens import cite, following


@pytest.fixture(scope="session")
def prepared_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the sample corpus, its bibliography and its prepared claims."""
    path = tmp_path_factory.mktemp("demo") / "store"
    with LocalCitationMachine.open(path) as machine:
        assert prepare(machine)
    return path


@pytest.fixture
def machine(prepared_store: Path, tmp_path: Path) -> Iterator[LocalCitationMachine]:
    """A machine over a copy of the prepared store."""
    shutil.copytree(prepared_store, tmp_path / "store")
    with LocalCitationMachine.open(tmp_path / "store") as machine:
        yield machine


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[LocalCitationMachine]:
    """A machine over an empty store."""
    with LocalCitationMachine.open(tmp_path / "empty") as machine:
        yield machine


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Debounce by almost nothing, keep copies in the test's folder, and look at no real clipboard."""
    monkeypatch.setattr(following, "REST", 0.001)
    monkeypatch.setattr(cite, "PAUSE", 0.001)
    monkeypatch.setenv("CMTUI_STATE", str(tmp_path / "state"))
    for name in ("TMUX", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)

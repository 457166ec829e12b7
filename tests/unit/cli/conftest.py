"""A command line with a store of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import CommandLine, prepare


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sources and their store, ingested once."""
    return prepare(tmp_path_factory.mktemp("prepared"))


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], prepared: Path) -> CommandLine:
    """The program, with a store that does not exist yet."""
    return CommandLine(tmp_path, capsys, prepared)

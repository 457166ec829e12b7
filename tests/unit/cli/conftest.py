"""A command line with a store of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import CommandLine


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(tmp_path, capsys)

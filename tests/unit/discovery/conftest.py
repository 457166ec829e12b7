"""What the tests of discovery share."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui import LocalCitationMachine


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    return LocalCitationMachine.open(tmp_path / "store")

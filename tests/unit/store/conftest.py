"""Durability against power cuts cannot be seen in a test; waiting for the disk only makes it slow."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make fsync do nothing in this process. The processes that are killed do it for real."""
    monkeypatch.setattr(os, "fsync", lambda _: None)

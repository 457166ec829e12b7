"""Word lists kept as running text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of ``text``, which are separated by blanks."""
    return frozenset(text.split())

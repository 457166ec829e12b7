"""Every requirement of this house is named by a test; the ones that are not yet are listed here."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

#: All of them.
COVERED = {*range(1, 192)}

#: Not named by a test yet. Shrinks only; a number that a test names must leave this set.
NOT_YET: frozenset[int] = frozenset({189})


def named_requirements() -> set[int]:
    """Numbers that the tests name, singly (R87) or as a range (R9 to R17)."""
    found: set[int] = set()
    for path in TESTS.rglob("*.py"):
        if path == Path(__file__).resolve():
            continue
        text = path.read_text("utf-8")
        found |= {int(number) for number in re.findall(r"\bR(\d{1,3})\b", text)}
        for first, last in re.findall(r"\bR(\d{1,3}) to R(\d{1,3})\b", text):
            found |= set(range(int(first), int(last) + 1))
    return found


def test_every_requirement_is_named_by_a_test() -> None:
    missing = COVERED - named_requirements()
    assert missing - NOT_YET == set(), "name these in the test that pins them"


def test_the_list_of_missing_requirements_is_up_to_date() -> None:
    assert NOT_YET - (COVERED - named_requirements()) == set(), "these are named now: take them off the list"

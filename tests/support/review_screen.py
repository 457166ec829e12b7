"""What the tests of the review screen look at."""

from __future__ import annotations


def decided(app) -> list[str]:
    found = [s.decision.value for s in app.session.state().findings.values()]
    return [value for value in found if value != "undecided"]

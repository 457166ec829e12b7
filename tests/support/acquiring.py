"""An adapter, its candidates and the files of a store, for tests of acquisition."""

from __future__ import annotations

from typing import Any

from cmtui import (
    CandidateHighlight,
    CapturedSource,
    DiscoveryCandidate,
    DiscoveryMetadata,
    LocalCitationMachine,
)

TEXT = (
    "A complete source with exact evidence.\n\nIt says so twice: twice is more than once.\n\nThe end of it.\n"
)


BYTES = TEXT.encode()


class Adapter:
    """Captures what the test says, and counts."""

    def __init__(self, content: Any = BYTES, kind: str = "text", **more: Any) -> None:
        self.source = CapturedSource(content, kind, **more)
        self.calls = 0

    def capture(self, candidate: DiscoveryCandidate) -> CapturedSource:
        self.calls += 1
        return self.source


def candidate(
    highlight: str | None = None, offset: int | None = None, *, kind: str = "text", **metadata: Any
) -> DiscoveryCandidate:
    return DiscoveryCandidate(
        kind,
        DiscoveryMetadata(**{"provider": "example", "candidate_id": "candidate-1"} | metadata),
        None if highlight is None else CandidateHighlight(highlight, offset),
    )


def files(machine: LocalCitationMachine) -> dict[str, bytes]:
    """Every file of the store but locks, with its bytes."""
    return {
        str(path.relative_to(machine.path)): path.read_bytes()
        for path in machine.path.rglob("*")
        if path.is_file() and "lock" not in path.name and not path.name.startswith("catalogue")
    }

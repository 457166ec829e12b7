"""The engine over a slow backend: progress over all candidates, a stop within one call, its own caveat."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui import InMemoryKnowledgeRepository, LearnedNLIBackend, LocalCitationMachine
from cmtui.errors import Cancelled
from cmtui.model.claim import CAVEAT
from cmtui.model.progress import Progress

MAP = {"e": "entailment", "c": "contradiction", "n": "neutral"}


class Counting:
    """Says that nothing is decided, and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def classify_batch(self, pairs):
        self.calls += 1
        return [{"e": 0.05, "c": 0.05, "n": 0.9} for _ in pairs]


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    machine = LocalCitationMachine(InMemoryKnowledgeRepository())
    path = tmp_path / "log.txt"
    paragraphs = [
        f"Ulysses wept on day {n}. " + "The sea was grey and the wind was cold. " * 20 for n in range(40)
    ]
    path.write_text("\n\n".join(paragraphs), encoding="utf-8")
    machine.ingest(path)
    return machine


def test_progress_runs_over_all_candidates_and_never_back(machine: LocalCitationMachine) -> None:
    """R98: batches of a slow backend report passages out of the whole pool."""
    seen: list[Progress] = []
    backend = LearnedNLIBackend(Counting(), MAP, batch_size=2)
    report = machine.find_evidence("Ulysses wept", inference=backend, progress=seen.append)
    done = [p.done for p in seen if p.operation == "infer"]
    assert done == sorted(done)
    assert done[-1] == report.candidates > 16
    assert {p.total for p in seen if p.operation == "infer"} == {report.candidates}


def test_a_stop_takes_effect_within_one_call(machine: LocalCitationMachine) -> None:
    """Long before the sixteen passages of an engine batch are through."""
    counting = Counting()
    backend = LearnedNLIBackend(counting, MAP, batch_size=1)
    with pytest.raises(Cancelled):
        machine.find_evidence("Ulysses wept", inference=backend, cancelled=lambda: counting.calls >= 3)
    assert counting.calls == 3


def test_the_caveats_of_a_model_are_printed_with_its_answers(machine: LocalCitationMachine) -> None:
    """R96, R126: fallible relations always; uncalibrated scores and windows where they apply."""
    plain = machine.find_evidence("Ulysses wept")
    assert plain.caveat == CAVEAT
    for policy, words in (("abstain", "uncalibrated"), ("windows", "beyond a window is not seen")):
        backend = LearnedNLIBackend(Counting(), MAP, long_passage_policy=policy)
        caveat = machine.find_evidence("Ulysses wept", inference=backend).caveat
        assert caveat.startswith(CAVEAT)
        assert words in caveat

"""``citation-machine-evaluate benchmark``: modes, honest nulls and the gate (R140 to R146, R150, R188)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cmtui.errors import InferenceError
from cmtui.evaluation.benchmark import MODES, Models, gate, run_benchmark
from cmtui.evaluation.fixture import FIXTURE_SHA256, load_fixture
from cmtui.evaluation.main import main
from cmtui.model.claim import Assessment, Proposal, Relation
from cmtui.model.retrieval import PassageProjection, ScoredPassage

FIXTURE = load_fixture()


class Oracle:
    """An index and a backend in one that know the gold, and answer wrong where they are told to."""

    name = "oracle"

    def __init__(self, *, extra: bool = False, shift: bool = False, fail: Sequence[str] = ()) -> None:
        self.extra, self.shift, self.fail = extra, shift, frozenset(fail)
        self.text = {p.text: p.passage_id for p in FIXTURE.passages}

    def rank(
        self, query: str, candidates: Sequence[PassageProjection], *, limit: int | None = None
    ) -> list[ScoredPassage]:
        gold = {g.passage for q in FIXTURE.queries if q.query == query for g in q.gold}
        scored = [
            ScoredPassage(c.passage_id, 1.0 if self.text[c.text] in gold else 0.001) for c in candidates
        ]
        return sorted(scored, key=lambda s: (-s.score, s.passage_id))[:limit]

    def assess(self, claim: str, passages: Sequence[PassageProjection]) -> list[Assessment]:
        return [self._one(claim, passage) for passage in passages]

    def _one(self, claim: str, passage: PassageProjection) -> Assessment:
        if claim.rstrip(".") in self.fail:
            raise InferenceError("The model failed.", "")
        key = self.text[passage.text]
        cases = [(q.claim, g, Relation.SUPPORTS) for q in FIXTURE.queries for g in q.gold]
        cases += [(p.claim, p.gold, p.label) for p in FIXTURE.pairs if p.gold is not None]
        for stated, gold, relation in cases:
            if stated.rstrip(".") == claim.rstrip(".") and gold.passage == key:
                start, end = gold.span.start, gold.span.end - (1 if self.shift else 0)
                proposal = Proposal(passage.text[start:end], start)
                return Assessment(passage.passage_id, relation, 0.9, "entailment", "Known.", (proposal,))
        labels = {
            p.label for p in FIXTURE.pairs if p.passage == key and p.claim.rstrip(".") == claim.rstrip(".")
        }
        if self.extra and key == "p14":
            proposal = Proposal(passage.text, 0)
            return Assessment(passage.passage_id, Relation.SUPPORTS, 0.5, "entailment", "Wrong.", (proposal,))
        relation = labels.pop() if labels else Relation.INSUFFICIENT
        return Assessment(passage.passage_id, relation, 0.1, "neutral", "Nothing here.")


def learned_alone(inference: Oracle) -> dict[str, Any]:
    """One end-to-end mode, with retrieval that finds everything."""
    mode = "end-to-end-learned"
    report = run_benchmark(FIXTURE, Models(Oracle(), inference), modes=(mode,))
    assert [name for name in MODES if name not in report["not_run"]] == [mode]
    found: dict[str, Any] = report["modes"][mode]
    return found


@pytest.fixture(scope="module")
def local() -> dict[str, Any]:
    return run_benchmark(FIXTURE)


@pytest.fixture(scope="module")
def perfect() -> dict[str, Any]:
    oracle = Oracle()
    return run_benchmark(FIXTURE, Models(oracle, oracle, {"embedding": "oracle", "inference": "oracle"}))


def test_d13_seven_modes_by_name_and_null_where_not_run(local: dict[str, Any]) -> None:
    """D13, R140, R141: without models the learned modes are null, not 0."""
    assert tuple(local["modes"]) == MODES == (
        "lexical", "semantic-local", "hybrid-local", "semantic-learned", "hybrid-learned",
        "end-to-end-local", "end-to-end-learned",
    )  # fmt: skip
    assert local["not_run"] == ["semantic-learned", "hybrid-learned", "end-to-end-learned"]
    assert local["fixture"]["sha256"] == FIXTURE_SHA256
    assert [local["fixture"][k] for k in ("passages", "queries", "answerable", "no_answer", "pairs")] == [
        60, 24, 18, 6, 93,
    ]  # fmt: skip


def test_r144_nothing_is_invented_for_what_a_mode_does_not_do(local: dict[str, Any]) -> None:
    for mode in ("lexical", "semantic-local", "hybrid-local"):
        body = local["modes"][mode]
        assert (body["pairs"], body["evidence"]) == (None, None)
        assert all(part["pairs"] is None and part["evidence"] is None for part in body["per_domain"].values())
    assert local["modes"]["end-to-end-local"]["retrieval"] is None
    assert local["gate"]["passed"] is None


def test_r143_every_measure_is_there_per_mode_and_domain(local: dict[str, Any]) -> None:
    figures = local["modes"]["lexical"]["retrieval"]
    assert set(figures) == {"queries", "mrr"} | {f"{m}_{k}" for m in ("recall", "hit") for k in (1, 3, 5)}
    body = local["modes"]["end-to-end-local"]
    assert {"exact_span", "strict_end_to_end", "no_answer_abstention", "errors"} <= set(body["evidence"])
    assert {"accuracy", "macro_f1", "per_class", "errors"} <= set(body["pairs"])
    assert list(body["per_domain"]) == ["prose", "technical", "reports"]
    assert sum(d["pairs"]["pairs"] for d in body["per_domain"].values()) == 93
    assert local["gains"]["hybrid-local over lexical"]["better"] >= 0
    assert local["gains"]["semantic-learned over lexical"] is None


def test_the_local_rules_abstain_where_there_is_no_answer(local: dict[str, Any]) -> None:
    """The six no-answer queries abstain, and no supporting finding is wrong."""
    evidence = local["modes"]["end-to-end-local"]["evidence"]
    assert evidence["no_answer_abstention"] == 1.0
    assert evidence["wrong_supporting_findings"] == 0
    assert evidence["errors"] == 0


def test_a_perfect_model_scores_one_everywhere_and_passes_the_gate(perfect: dict[str, Any]) -> None:
    """What the measures say of an oracle, and R146."""
    assert perfect["not_run"] == []
    assert perfect["modes"]["semantic-learned"]["retrieval"]["recall_1"] == 1.0
    assert perfect["modes"]["semantic-learned"]["retrieval"]["mrr"] == 1.0
    body = perfect["modes"]["end-to-end-learned"]
    assert (body["pairs"]["accuracy"], body["pairs"]["macro_f1"]) == (1.0, 1.0)
    assert {body["evidence"][k] for k in ("exact_span", "strict_end_to_end", "no_answer_abstention")} == {1.0}
    assert perfect["gate"]["passed"] is True
    assert perfect["gains"]["semantic-learned over lexical"]["worse"] == 0


def test_r145_one_wrong_finding_fails_the_whole_case() -> None:
    """Every case gets one wrong supporting passage beside the right one: none is strictly right."""
    body = learned_alone(Oracle(extra=True))
    evidence = body["evidence"]
    assert (evidence["strict_end_to_end"], evidence["no_answer_abstention"]) == (0.0, 0.0)
    assert evidence["exact_span"] == 1.0
    assert evidence["wrong_supporting_findings"] == 24
    assert "exact and wrong" in body["outcomes"].values()


def test_a_span_one_character_off_is_not_exact() -> None:
    body = learned_alone(Oracle(shift=True))
    assert body["evidence"]["exact_span"] == 0.0
    assert "other span" in body["outcomes"].values()


def test_r145_errors_stay_in_the_denominators() -> None:
    """One failing claim of a query and one of a pair: counted, and the shares are of all cases."""
    failing = ("The schoolmaster burned the letter", "Marit was grieving")
    body = learned_alone(Oracle(fail=failing))
    assert body["errors"] == 2
    assert body["evidence"]["cases"] == 24
    assert body["outcomes"]["q03"] == "error: InferenceError"
    assert (body["pairs"]["pairs"], body["pairs"]["accuracy"]) == (93, pytest.approx(92 / 93, abs=1e-5))


@pytest.mark.parametrize(
    ("lexical", "semantic", "hybrid", "passed"),
    [
        ((0.5, 0.4), (0.6, 0.4), (0.5, 0.4), True),
        ((0.5, 0.4), (0.59, 0.5), (0.58, 0.5), False),
        ((0.5, 0.4), (0.7, 0.39), (0.5, 0.6), False),
        ((0.5, 0.4), (0.4, 0.3), (0.65, 0.41), True),
    ],
)
def test_r146_the_gate(
    lexical: tuple[float, float], semantic: tuple[float, float], hybrid: tuple[float, float], passed: bool
) -> None:
    """Recall@3 at least 0.10 more and MRR no less, in the same mode."""
    named = {"lexical": lexical, "semantic-learned": semantic, "hybrid-learned": hybrid}
    body = gate({m: {"retrieval": {"recall_3": r, "mrr": mrr}} for m, (r, mrr) in named.items()})
    assert body["passed"] is passed
    assert "does not certify general semantic reliability" in body["caveat"]


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(["benchmark", *argv])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_r140_the_command_prints_equal_bytes_and_writes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two processes with other hash seeds, offline; ``--output`` holds the same report."""
    output = tmp_path / "report.json"
    status, out, err = run(capsys, "--output", str(output))
    assert (status, err) == (0, "")
    assert json.loads(output.read_text("utf-8")) == json.loads(out)
    again = subprocess.run(
        [sys.executable, "-m", "cmtui.evaluation.main", "benchmark"],
        env={**os.environ, "PYTHONHASHSEED": "99", "HF_HUB_OFFLINE": "1", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
    )
    assert again.stdout.decode("utf-8") == out
    body = json.loads(out)
    assert body["gate"]["required"] is False
    assert any("does not certify general semantic reliability" in c for c in body["caveats"])
    assert any("not truth" in c for c in body["caveats"])


def test_r146_the_gate_needs_a_learned_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "--require-gain")
    assert (status, out) == (2, "")
    assert "--learned" in json.loads(err)["error"]["hint"]
    status, _, err = run(capsys, "--output", str(tmp_path / "no" / "folder.json"))
    assert status == 2
    assert json.loads(err)["error"]["type"] == "InvalidRequest"

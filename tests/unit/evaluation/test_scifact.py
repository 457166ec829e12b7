"""``citation-machine-evaluate scifact``: measures by hand, the contract of cli.md, and pinned figures."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest

from cmtui.errors import InvalidRequest
from cmtui.evaluation.decisions import Decided, calibration, per_class
from cmtui.evaluation.fixture import load_fixture
from cmtui.evaluation.library import committed, ingested
from cmtui.evaluation.main import main
from cmtui.evaluation.measures import ndcg_at, recall_at, reciprocal_rank, wilson
from cmtui.evaluation.narration import narrator
from cmtui.evaluation.ranking import Ranker
from cmtui.model.progress import Progress
from cmtui.retrieval.query import plain_query

#: Measured on 2026-12-01 over the first 20 queries: nDCG@10, and how often a rationale is among three.
PINNED = {"lexical": 0.891, "semantic": 0.893, "hybrid": 0.890, "sentence_hit_3": 0.786}
DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "eval"


def test_measures_by_hand() -> None:
    """Against values worked out on paper."""
    ranking, gains = ["x", "a", "y", "b"], {"a": 1.0, "b": 1.0, "c": 1.0}
    assert reciprocal_rank(ranking, gains) == 0.5
    assert reciprocal_rank(["x"], gains) == 0.0
    assert [recall_at(ranking, gains, k) for k in (1, 2, 4)] == [
        0.0,
        pytest.approx(1 / 3),
        pytest.approx(2 / 3),
    ]
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert ndcg_at(ranking, gains, 10) == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)
    assert ndcg_at(["a", "b", "c"], gains, 10) == pytest.approx(1.0)
    assert ndcg_at([], {}, 10) == 0.0


def test_wilson_is_that_of_the_tables() -> None:
    """8 of 10 and 0 of 20, as in Newcombe 1998 and by the formula."""
    low, high = wilson(8, 10) or (0, 0)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)
    low, high = wilson(0, 20) or (1, 1)
    assert (low, round(high, 4)) == (0.0, 0.1611)
    assert wilson(0, 0) is None


def test_few_decisions_are_said_to_be_few_and_confidences_are_compared_with_outcomes() -> None:
    rows = [Decided("SUPPORTS", "SUPPORTS", 0.96)] * 29 + [Decided("NEUTRAL", "CONTRADICTS", 0.62)]
    body = per_class(rows)
    assert body["SUPPORTS"]["verdict"] == "not enough decisions"
    assert per_class([*rows, rows[0]])["SUPPORTS"]["verdict"] == "measured"
    table = calibration(rows)
    assert [(row["low"], row["decisions"], row["right"]) for row in table] == [(0.6, 1, 0.0), (0.95, 29, 1.0)]
    assert calibration([Decided("SUPPORTS", "NEUTRAL", 0.9)]) == []
    assert calibration([Decided("SUPPORTS", "SUPPORTS", 1.0)])[0]["high"] == 1.0


def test_the_rankings_measured_are_those_of_the_engine() -> None:
    """Lexical, semantic and hybrid, for every query of the fixture."""
    fixture = load_fixture()
    library = ingested([(p.passage_id, p.text) for p in fixture.passages])
    ranker = Ranker(library)
    machine = library.machine
    for query in fixture.queries:
        text = query.query
        assert ranker.ranking("lexical", text, limit=20) == library.ranking(
            machine.search(plain_query(text), limit=20)
        )
        assert ranker.ranking("semantic", text, limit=20) == library.ranking(
            machine.semantic_search(text, limit=20)
        )
        assert ranker.ranking("hybrid", text, limit=20) == library.ranking(
            machine.retriever.candidates(text, limit=20)
        )
    with pytest.raises(InvalidRequest, match="needs a model"):
        ranker.ranking("semantic-learned", "boats", limit=5)


def test_texts_become_single_passages() -> None:
    library = committed([("1", "One.\nTwo. Three."), ("2", "Four.")])
    assert sorted(library.keys.values()) == ["1", "2"]
    assert all(len(library.machine.document(d).passages) == 1 for d in library.keys)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A set of our own in the format of the labelled sets."""

    def rows(name: str, *values: dict[str, Any]) -> None:
        text = "".join(json.dumps(value) + "\n" for value in values)
        (tmp_path / name).write_text(text, encoding="utf-8")

    rows(
        "scifact_corpus.jsonl",
        {"doc_id": "10", "title": "Whales", "sentences": ["Whales are mammals.", "They breathe air."]},
        {"doc_id": "20", "title": "Sharks", "sentences": ["Sharks have gills.", "Sharks are not mammals."]},
        {"doc_id": "30", "title": "Harbours", "sentences": ["The harbour has two piers."]},
    )
    rows(
        "scifact_beir_queries.jsonl",
        {"_id": "1", "text": "Whales are mammals."},
        {"_id": "2", "text": "Sharks are mammals."},
        {"_id": "9", "text": "not judged"},
    )
    (tmp_path / "scifact_beir_test_qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\n1\t10\t1\n2\t20\t1\n", encoding="utf-8"
    )
    rows(
        "scifact_claims_dev_a.jsonl",
        {"id": 1, "claim": "Whales are mammals.", "cited_doc_ids": ["10"],
         "evidence": [{"doc_id": "10", "sentences": [0], "label": "SUPPORT"}]},
        {"id": 2, "claim": "Sharks are mammals.", "cited_doc_ids": ["20"],
         "evidence": [{"doc_id": "20", "sentences": [1], "label": "CONTRADICT"}]},
        {"id": 3, "claim": "Harbours are expensive.", "cited_doc_ids": [], "evidence": []},
    )  # fmt: skip
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: Any) -> tuple[int, str, str]:
    status = main(["scifact", *(str(word) for word in argv)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_scifact_prints_the_figures_of_the_contract(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """cli.md: the keys, on a set where every figure is known."""
    status, out, err = run(capsys, "--data", tiny)
    assert (status, err) == (0, "")
    body = json.loads(out)
    assert list(body["retrieval"]) == ["lexical", "semantic", "hybrid"]
    for figures in body["retrieval"].values():
        assert list(figures)[:7] == [
            "ndcg_10", "mrr", "recall_1", "recall_3", "recall_5", "recall_10", "recall_100",
        ]  # fmt: skip
        assert {figures[key] for key in ("ndcg_10", "mrr", "recall_1")} == {1.0}
        assert figures["queries"] == 2
    evidence = body["evidence"]
    assert list(evidence)[:4] == ["sentence_hit_1", "sentence_hit_3", "label_f1", "label_rationale_f1"]
    assert [evidence[k] for k in list(evidence)[:4]] == [1.0] * 4
    assert evidence["claims_with_evidence"] == 2
    assert evidence["per_class"]["CONTRADICTS"]["recall"] == 1.0
    assert "scientific claims" in body["caveat"]
    assert run(capsys, "--data", tiny)[1] == out


def test_modes_claims_limit_and_output(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claims = tiny / "other.jsonl"
    claims.write_text((tiny / "scifact_claims_dev_a.jsonl").read_text("utf-8").split("\n")[0] + "\n", "utf-8")
    output = tiny / "report.json"
    status, out, _ = run(
        capsys, "--data", tiny, "--mode", "lexical", "--claims", claims, "--limit", 1, "--output", output
    )
    body = json.loads(out)
    assert (status, list(body["retrieval"]), body["evidence"]["claims"]) == (0, ["lexical"], 1)
    assert body["retrieval"]["lexical"]["queries"] == 1
    assert json.loads(output.read_text("utf-8")) == body


def test_what_is_missing_or_wrong_is_named(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def told(*argv: Any) -> str:
        status, out, err = run(capsys, *argv)
        assert (status, out) == (2, "")
        error = json.loads(err)["error"]
        assert error["hint"]
        return str(error["message"])

    assert "no file" in told("--data", tiny / "elsewhere")
    missing = told("--data", tiny, "--mode", "semantic-learned", "--embedding-model", tiny / "no-model")
    assert "no-model" in missing
    assert "above 0" in told("--data", tiny, "--limit", 0)
    (tiny / "scifact_claims_dev_a.jsonl").write_text('{"id": 1}\n', "utf-8")
    assert "not as expected" in told("--data", tiny)
    (tiny / "scifact_corpus.jsonl").write_text("{\n", "utf-8")
    assert "line 1" in told("--data", tiny)


@pytest.mark.skipif(not DATA.is_dir(), reason="the labelled sets are not beside this checkout")
def test_figures_on_a_fixed_part_of_scifact(capsys: pytest.CaptureFixture[str]) -> None:
    """20 queries over 200 abstracts, with a small margin; the whole set is in ``make bench``."""
    body = json.loads(run(capsys, "--data", DATA, "--limit", 20)[1])
    assert body["abstracts"] == 200
    retrieval, evidence = body["retrieval"], body["evidence"]
    assert retrieval["lexical"]["ndcg_10"] >= PINNED["lexical"] - 0.01
    assert retrieval["semantic"]["ndcg_10"] >= PINNED["semantic"] - 0.02
    assert retrieval["hybrid"]["ndcg_10"] >= PINNED["hybrid"] - 0.01
    assert evidence["sentence_hit_3"] >= PINNED["sentence_hit_3"] - 0.03


def test_narration_is_for_terminals_alone() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, told in ((io.StringIO(), False), (Terminal(), True)):
        tell = narrator(stream)
        for done in range(300):
            tell(Progress("scifact", "lexical", done, 300))
        assert bool(stream.getvalue()) is told
        assert stream.getvalue().count("lexical") <= 101

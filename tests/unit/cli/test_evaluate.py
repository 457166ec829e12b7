"""``citation-machine-evaluate pairs`` keeps to the contract and counts right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cmtui.evaluation.decisions import Decided
from cmtui.evaluation.main import main
from cmtui.evaluation.pairs import Pair, read_pairs, score

ROWS = [
    {"claim": "Whales are mammals", "premise": "Whales are mammals.", "label": "SUPPORT"},
    {"claim": "Sharks are mammals", "premise": "Sharks are not mammals.", "label": "CONTRADICT"},
    {"claim": "Whales are mammals", "premise": "The harbour has two piers.", "label": "NEUTRAL"},
]


def run(capsys: pytest.CaptureFixture[str], *argv: Any) -> tuple[int, str, str]:
    status = main([str(word) for word in argv])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_pairs_prints_the_figures_of_the_contract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The local rules over three plain pairs: all decided right."""
    file = write(tmp_path / "pairs.jsonl", ROWS)
    status, out, err = run(capsys, "pairs", file)
    assert (status, err) == (0, "")
    body = json.loads(out)
    assert list(body)[:5] == ["pairs", "decided", "accuracy", "macro_f1", "per_class"]
    assert list(body["per_class"]) == ["SUPPORTS", "CONTRADICTS"]
    assert list(body["per_class"]["SUPPORTS"])[:3] == ["decided", "precision", "recall"]
    assert (body["pairs"], body["decided"], body["accuracy"], body["macro_f1"]) == (3, 2, 1.0, 1.0)
    assert body["backend"]
    assert run(capsys, "pairs", file)[1] == out
    assert json.loads(run(capsys, "pairs", file, "--limit", "1")[1])["pairs"] == 1


def test_figures_are_counted_as_documented() -> None:
    """Accuracy over three classes; precision over what was decided; recall over what was there."""
    outcomes = (
        [("SUPPORTS", "SUPPORTS")] * 3
        + [("SUPPORTS", "NEUTRAL")] * 1
        + [("CONTRADICTS", "SUPPORTS")] * 1
        + [("CONTRADICTS", "NEUTRAL")] * 1
        + [("NEUTRAL", "NEUTRAL")] * 4
    )
    body = score([Decided(gold, predicted, 0.9) for gold, predicted in outcomes])
    assert (body["pairs"], body["decided"], body["accuracy"]) == (10, 4, 0.7)
    assert body["per_class"]["SUPPORTS"] == {
        "decided": 4, "precision": 0.75, "recall": 0.75, "gold": 4, "coverage": 0.75,
        "precision_low": 0.300642, "precision_high": 0.954413, "verdict": "not enough decisions",
    }  # fmt: skip
    assert body["per_class"]["CONTRADICTS"] == {
        "decided": 0, "precision": None, "recall": 0.0, "gold": 2, "coverage": 0.5,
        "precision_low": None, "precision_high": None, "verdict": "not enough decisions",
    }  # fmt: skip
    assert body["calibration"] == [
        {"low": 0.9, "high": 0.95, "decisions": 4, "mean_confidence": 0.9, "right": 0.75}
    ]
    assert body["decided_accuracy"] == 0.75
    # F1: supports 6/8, contradicts 0, neutral 8/10
    assert body["macro_f1"] == float(f"{(0.75 + 0 + 0.8) / 3:.6g}")


def test_every_measurement_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for verb in ("pairs", "benchmark", "scifact", "live"):
        assert verb in text


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("", "holds no pairs"),
        ("{\n", "line 1"),
        ('{"claim": "a", "premise": "b", "label": "SUPPORT"}\n{"claim": "a"}\n', "line 2"),
        ('{"claim": "a", "premise": "b", "label": "MAYBE"}\n', "line 1"),
        ("[]\n", "line 1"),
    ],
)
def test_bad_files_are_errors_with_their_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, place: str
) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(content)
    status, out, err = run(capsys, "pairs", file)
    assert (status, out) == (2, "")
    error = json.loads(err)["error"]
    assert error["type"] == "InvalidRequest"
    assert place in error["message"]


def test_usage_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "pairs.jsonl", ROWS)
    for argv in (["pairs"], ["pairs", file, "--limit", "x"], ["pairs", file, "--inference", "guess"], []):
        status, out, err = run(capsys, *argv)
        assert (status, out) == (2, "")
        assert json.loads(err)["error"]["type"] == "UsageError"
    status, _, err = run(capsys, "pairs", tmp_path / "none.jsonl")
    assert (status, json.loads(err)["error"]["type"]) == (2, "InvalidRequest")
    assert run(capsys, "pairs", file, "--limit", "0")[0] == 2


def test_importing_it_loads_nothing_heavy() -> None:
    code = (
        "import sys, cmtui.evaluation.main as m; m.build_parser();"
        "heavy = ('numpy', 'torch', 'textual', 'whoosh', 'pypdf', 'cmtui.cli');"
        "print([n for n in heavy if n in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout == "[]\n"


SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "eval" / "sick_pairs_a.jsonl"


@pytest.mark.skipif(not SHARED.is_file(), reason="shared evaluation data is not here")
def test_a_hundred_real_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    """SICK: the rules abstain more than they decide, and are right more often than not when they decide."""
    status, out, _ = run(capsys, "pairs", SHARED, "--limit", "100")
    body = json.loads(out)
    assert status == 0
    assert body["pairs"] == 100
    assert body["decided"] < 50
    assert body["decided_accuracy"] is None or body["decided_accuracy"] >= 0.5


def test_the_split_goes_by_the_digest_of_the_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Seven in ten ids to tune on, the rest held out; equal ids stand together; nothing is lost."""
    pairs = [Pair("c", "p", "NEUTRAL", str(number)) for number in range(4000)]
    share = sum(pair.split == "tune" for pair in pairs) / len(pairs)
    assert 0.68 < share < 0.72
    assert Pair("a", "b", "NEUTRAL", "7").split == Pair("c", "d", "SUPPORTS", "7").split
    assert {Pair("a", str(n), "NEUTRAL").split for n in range(50)} == {"tune", "held-out"}
    rows = [{**row, "id": number} for number, row in enumerate(ROWS * 20)]
    file = write(tmp_path / "pairs.jsonl", rows)
    parts = {split: list(read_pairs(file, split=split)) for split in ("all", "tune", "held-out")}
    assert len(parts["tune"]) + len(parts["held-out"]) == len(parts["all"]) == 60
    assert {pair.split for pair in parts["held-out"]} == {"held-out"}
    body = json.loads(run(capsys, "pairs", file, "--split", "held-out")[1])
    assert (body["pairs"], body["split"]) == (len(parts["held-out"]), "held-out")

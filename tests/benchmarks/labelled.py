"""Retrieval and inference on the labelled sets beside the repository, whole (minutes)."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from cmtui.evaluation.main import main

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "eval"
PAIRS = ("sick_pairs_a.jsonl", "healthver_dev.jsonl", "climate_fever_pairs_a.jsonl")


def run() -> None:
    """Print the tables; says so when the sets are not there."""
    print("== labelled sets ==")
    if not DATA.is_dir():
        print(f"  not there: {DATA}")
        return
    body = _measure("scifact", "--data", str(DATA))
    for mode, figures in body["retrieval"].items():
        print(f"  SciFact {mode:<9}", "  ".join(f"{k} {v}" for k, v in figures.items()))
    print("  SciFact evidence ", "  ".join(f"{k} {body['evidence'][k]}" for k in list(body["evidence"])[:4]))
    for name in PAIRS:
        for split in ("tune", "held-out"):
            body = _measure("pairs", str(DATA / name), "--split", split)
            print(f"  {name} ({split}): pairs {body['pairs']} decided {body['decided']}")
            for label, figures in body["per_class"].items():
                print(f"    {label:<12}", "  ".join(f"{k} {v}" for k, v in figures.items()))


def _measure(*argv: str) -> dict[str, Any]:
    out = StringIO()
    with redirect_stdout(out):
        status = main(list(argv))
    assert status == 0, out.getvalue()
    body: dict[str, Any] = json.loads(out.getvalue())
    return body

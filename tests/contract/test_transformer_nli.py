"""The transformers loader of inference, offline, with a tiny model made here (R120, R121, R124, R125).

Runs where torch and transformers are installed: ``make test-transformers``.
"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from cmtui.errors import InferenceError, InvalidRequest
from cmtui.inference.nli import TransformerNLIBackend, TransformerNLIConfig
from cmtui.model.claim import Relation
from cmtui.model.retrieval import PassageProjection

for package in ("torch", "transformers"):
    pytest.importorskip(package, reason=f"{package} is not installed; run: make test-transformers")

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] ulysses wept it rained all day the crew slept on ."
LABELS = ("contradiction", "entailment", "neutral")

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


def write_model(
    folder: Path, *, labels: tuple[str, ...] = LABELS, favoured: int = 1, safetensors: bool = True
) -> Path:
    """A BERT of one layer with random weights, whose head favours one class whatever it reads."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(WORDS.split()) + "\n", encoding="utf-8")
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(WORDS.split()),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        id2label=dict(enumerate(labels)),
        label2id={label: at for at, label in enumerate(labels)},
    )
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        model.classifier.bias[favoured] = 6.0
    if safetensors:
        model.save_pretrained(folder)
    else:
        config.save_pretrained(folder)
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    from tokenizers import BertWordPieceTokenizer

    words = {word: at for at, word in enumerate(WORDS.split())}
    BertTokenizerFast(
        tokenizer_object=BertWordPieceTokenizer(words, lowercase=True)._tokenizer
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("nli") / "model")


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection is a failure."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def backend(directory: Path, **options: object) -> TransformerNLIBackend:
    return TransformerNLIBackend(TransformerNLIConfig(model_name=str(directory), revision=None, **options))


def assess(nli: TransformerNLIBackend, *texts: str):
    return nli.assess("Ulysses wept", [PassageProjection(str(i), text) for i, text in enumerate(texts)])


def test_probabilities_are_those_of_the_model(directory: Path) -> None:
    """Against transformers itself: labels in place, softmax right, batches of any size alike."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    pairs = [("It rained all day.", "Ulysses wept"), ("The crew slept on. It rained.", "The crew slept")]
    model = AutoModelForSequenceClassification.from_pretrained(directory).eval()
    tokenizer = AutoTokenizer.from_pretrained(directory)
    expected = []
    for premise, hypothesis in pairs:
        with torch.inference_mode():
            logits = model(**tokenizer(premise, hypothesis, return_tensors="pt")).logits[0]
        expected.append(torch.softmax(logits.double(), -1).tolist())
    answers = backend(directory)._classify(pairs)
    for answer, row in zip(answers, expected, strict=True):
        assert list(answer) == list(LABELS)
        assert list(answer.values()) == pytest.approx(row, abs=1e-5)


def test_a_directory_is_named_by_its_content_and_not_by_its_path(directory: Path, tmp_path: Path) -> None:
    """Runs are recorded under it: the same files elsewhere are the same model, and paths stay private."""
    import shutil

    copy = shutil.copytree(directory, tmp_path / directory.name)
    assert backend(copy).name == backend(directory).name
    assert str(tmp_path) not in backend(copy).name
    (copy / "config.json").write_text((copy / "config.json").read_text("utf-8") + " ", "utf-8")
    assert backend(copy).name != backend(directory).name


def test_loading_is_silent(directory: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assess(backend(directory), "Ulysses wept.")
    captured = capfd.readouterr()
    assert "Loading" not in captured.out + captured.err


def test_r127_r128_a_decision_and_an_exact_quote(directory: Path) -> None:
    text = "It rained all day. Ulysses wept. The crew slept on."
    [answer] = assess(backend(directory), text)
    assert answer.relation is Relation.SUPPORTS
    [proposal] = answer.proposals
    assert text[proposal.offset :].startswith(proposal.quote)
    assert proposal.quote.count(".") == 1


def test_r129_r130_long_passages(directory: Path) -> None:
    text = "It rained all day. " * 6 + "Ulysses wept."
    [strict] = assess(backend(directory, max_tokens=24), text)
    assert (strict.relation, strict.reason) == (Relation.INSUFFICIENT, "too-long")
    [wide] = assess(backend(directory, max_tokens=24, long_passage_policy="windows"), text)
    assert wide.relation is Relation.SUPPORTS
    assert "overlapping windows" in wide.explanation


def test_r93_a_head_that_is_not_three_way_is_refused_and_labels_may_be_mapped(tmp_path: Path) -> None:
    two = write_model(tmp_path / "two", labels=("entailment", "not_entailment"))
    with pytest.raises(InvalidRequest, match="three-way"):
        assess(backend(two), "Ulysses wept.")
    unnamed = write_model(tmp_path / "unnamed", labels=("A", "B", "C"))
    with pytest.raises(InvalidRequest, match="do not say what they mean"):
        assess(backend(unnamed), "Ulysses wept.")
    named = {"A": "neutral", "B": "contradiction", "C": "entailment"}
    [answer] = assess(backend(unnamed, label_map=named), "Ulysses wept.")
    assert answer.relation is Relation.CONTRADICTS


def test_r124_only_safetensors_are_read(tmp_path: Path) -> None:
    """Pickled weights are refused, even when nothing else is there."""
    pickled = write_model(tmp_path / "pickled", safetensors=False)
    with pytest.raises(InferenceError, match="cannot be loaded"):
        assess(backend(pickled), "Ulysses wept.")


def test_r121_what_is_not_cached_is_not_fetched(tmp_path: Path) -> None:
    """The default never connects; the hint names the explicit permission."""
    nli = TransformerNLIBackend(TransformerNLIConfig(cache_directory=str(tmp_path)))
    with pytest.raises(InferenceError) as failure:
        assess(nli, "Ulysses wept.")
    assert "--allow-download" in failure.value.hint
    assert list(tmp_path.rglob("*.safetensors")) == []


def test_r121_a_permission_without_a_connection_is_an_error_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HF_HUB_OFFLINE wins over the permission (R142)."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    nli = TransformerNLIBackend(TransformerNLIConfig(cache_directory=str(tmp_path), local_files_only=False))
    with pytest.raises(InferenceError) as failure:
        assess(nli, "Ulysses wept.")
    assert "HF_HUB_OFFLINE" in failure.value.hint


def test_r135_the_model_is_loaded_once(directory: Path) -> None:
    nli = backend(directory)
    assess(nli, "Ulysses wept.")
    kept = nli._loaded()
    assess(nli, "It rained.")
    assert nli._loaded() is kept

"""The seed's configuration of the learned classifier (R118, R121, R124 to R126), without its libraries."""

from __future__ import annotations

import dataclasses
import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cmtui.errors import ExtraMissing, InvalidRequest, ModelDirectoryError
from cmtui.inference.nli import OnnxNLIBackend, TransformerNLIBackend, TransformerNLIConfig
from cmtui.model.retrieval import PassageProjection


def test_r125_r126_the_defaults_are_the_seeds_and_frozen():
    config = TransformerNLIConfig()
    assert (config.model_name, len(config.revision)) == ("MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli", 40)
    assert (config.confidence, config.margin, config.max_tokens) == (0.85, 0.15, 512)
    assert (config.local_files_only, config.long_passage_policy) == (True, "abstain")
    assert (config.max_span_proposals, config.batch_size, config.device) == (128, 8, "cpu")
    assert config.cache_directory is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.confidence = 0.5


@pytest.mark.parametrize(
    "options",
    [
        {"revision": "main"},
        {"revision": "6f5cf0a"},
        {"revision": None},
        {"model_name": ""},
        {"batch_size": 0},
        {"confidence": 1.5},
        {"long_passage_policy": "cut"},
    ],
)
def test_r125_what_is_not_pinned_or_out_of_range_is_refused(options):
    with pytest.raises(InvalidRequest) as refusal:
        TransformerNLIConfig(**options)
    assert refusal.value.hint


def test_a_local_directory_needs_no_revision(tmp_path):
    assert TransformerNLIConfig(model_name=str(tmp_path), revision=None).revision is None


@pytest.mark.skipif(importlib.util.find_spec("transformers") is not None, reason="the extra is installed")
def test_a_missing_extra_gives_the_install_line():
    backend = TransformerNLIBackend()
    assert "DeBERTa" in backend.name
    with pytest.raises(ExtraMissing) as missing:
        backend.assess("Ulysses was sad", [PassageProjection("p", "Ulysses wept.")])
    assert missing.value.hint == "pip install 'cmtui[transformers]'"


def test_a_directory_without_a_manifest_is_refused(tmp_path):
    with pytest.raises(ModelDirectoryError):
        OnnxNLIBackend(tmp_path)


def test_r124_importing_loads_no_library():
    """Not one of the heavy packages, and no socket is needed."""
    code = (
        "import sys, cmtui.inference, cmtui.inference.nli;"
        "cmtui.inference.nli.TransformerNLIBackend();"
        "print(sorted({'torch', 'transformers', 'onnxruntime', 'tokenizers', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_r118_models_are_an_extra_and_the_base_needs_none() -> None:
    """The base names no model library; the extras bring them, torch apart from the light one."""
    project = tomllib.loads((Path(__file__).resolve().parents[3] / "pyproject.toml").read_text("utf-8"))
    base, extras = project["project"]["dependencies"], project["project"]["optional-dependencies"]
    heavy = ("torch", "transformers", "onnxruntime", "tokenizers", "sentence-transformers")
    assert not [need for need in base if need.startswith(heavy)]
    assert any(need.startswith("onnxruntime") for need in extras["learned"])
    assert not [need for need in extras["learned"] if need.startswith("torch")]
    assert any(need.startswith("torch") for need in extras["transformers"])

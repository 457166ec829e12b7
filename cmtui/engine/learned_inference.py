"""Learned inference by name of a directory: the one way for the front ends to a model of a person's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cmtui.errors import InvalidRequest
from cmtui.ports import InferenceBackend


def learned_inference(
    directory: str | Path | None,
    *,
    confidence: float | None = None,
    margin: float | None = None,
    batch_size: int | None = None,
    max_span_proposals: int | None = None,
    long_passage_policy: str = "abstain",
    device: str | None = None,
) -> InferenceBackend:
    """The backend over a model directory: ONNX where it has ``cmtui-model.json``, else transformers.

    None takes the defaults (R126, R133). ``device`` concerns transformers alone; ONNX runs on the CPU. Raises
    InvalidRequest when there is no directory or no model in it, ModelDirectoryError for files that are not
    those of the manifest; a missing extra is told on first use.
    """
    if directory is None or not str(directory).strip():
        raise InvalidRequest(
            "Learned inference needs a model, and none is named.",
            "Name its directory with --nli-model DIR, or in the settings as learned.nli_model.",
        )
    path = Path(directory).expanduser()
    if not path.is_dir():
        raise InvalidRequest(
            f"There is no model directory '{path}'.", "Check --nli-model and learned.nli_model."
        )
    options: dict[str, Any] = {
        name: value
        for name, value in (
            ("confidence", confidence),
            ("margin", margin),
            ("batch_size", batch_size),
            ("max_span_proposals", max_span_proposals),
        )
        if value is not None
    }
    options["long_passage_policy"] = long_passage_policy
    if (path / "cmtui-model.json").is_file():
        from cmtui.inference.nli import OnnxNLIBackend

        if device not in (None, "cpu"):
            raise InvalidRequest(f"The ONNX model runs on the CPU, not on '{device}'.", "Leave --device out.")
        return OnnxNLIBackend(path, **options)
    if (path / "config.json").is_file():
        from cmtui.inference.nli import TransformerNLIBackend, TransformerNLIConfig

        if device is not None:
            options["device"] = device
        return TransformerNLIBackend(TransformerNLIConfig(model_name=str(path), revision=None, **options))
    raise InvalidRequest(
        f"'{path}' holds no model: neither cmtui-model.json (ONNX) nor config.json (transformers) is in it.",
        "For ONNX, write the manifest with: citation-machine embed --model DIR --describe NAME",
    )

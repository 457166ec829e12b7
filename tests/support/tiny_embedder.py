"""An embedding model small enough to be made in a test, and real: an ONNX graph over token ids.

Each known word is an axis, ``sad`` and ``wept`` share one; the graph gives one vector per token.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cmtui.retrieval.learned.manifest import describe_model_directory

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "king", "wept", "sad", "storm", "sea", "query", "the", ".", ":")


def write_tiny_embedder(
    folder: Path, *, pooling: str = "mean", instruction: str = "", max_tokens: int = 16, inputs: int = 3
) -> Path:
    """A model directory with manifest, vocabulary and ONNX model."""
    import numpy as np
    from onnx import TensorProto, checker, helper, numpy_helper

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    table = np.eye(len(WORDS), dtype=np.float32)
    table[WORDS.index("sad")] = table[WORDS.index("wept")]
    for padding in ("[PAD]", "[UNK]", "[SEP]", "the", ".", ":"):
        table[WORDS.index(padding)] *= 0.01
    names = ("input_ids", "attention_mask", "token_type_ids", "position_ids")[:inputs]
    given: list[Any] = [
        helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"]) for n in names
    ]
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tiny",
        given,
        [
            helper.make_tensor_value_info(
                "last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", len(WORDS)]
            )
        ],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    checker.check_model(model)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    describe_model_directory(
        folder, name="tiny", pooling=pooling, query_instruction=instruction, max_tokens=max_tokens
    )
    return folder

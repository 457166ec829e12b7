"""A three-way classifier small enough to be made in a test, and real: an ONNX graph over token ids.

It knows a few words. Entailment grows with the share of the claim's words that stand in the passage,
contradiction when moreover exactly one of the two says "not"; else it is neutral.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WORDS = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "not", "ulysses", "wept", "was", "sad", "the", "king", "slept"),
    *("it", "rained", "all", "day", "crew", "on", ".", ",", "penelope", "laughed"),
)
LABELS = ("contradiction", "entailment", "neutral")


def write_tiny_nli(
    folder: Path, *, labels: Sequence[str] = LABELS, outputs: int = 3, max_tokens: int = 64
) -> Path:
    """A model directory with manifest, tokenizer and ONNX model; ``outputs`` is the width of its head."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    (folder / "model.onnx").write_bytes(_graph(outputs))
    files = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("model.onnx", "vocab.txt")
    }
    manifest = {
        "format": 1,
        "name": "tiny-nli",
        "files": files,
        "labels": list(labels),
        "max_tokens": max_tokens,
        "lowercase": True,
    }
    (folder / "cmtui-model.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def _graph(outputs: int) -> bytes:
    import numpy as np
    from onnx import TensorProto, checker, helper, numpy_helper

    size = len(WORDS)
    eye = np.eye(size, dtype=np.float32)
    eye[: WORDS.index("not")] = 0.0  # special tokens are no words
    content = np.ones((size, 1), np.float32)
    content[WORDS.index("not")] = 0.0
    negation = np.zeros((size, 1), np.float32)
    negation[WORDS.index("not")] = 1.0
    # Rows: overlap, denied, one; columns: contradiction, entailment, neutral.
    weights = np.array([[0.0, 20.0, 0.0], [20.0, -40.0, 0.0], [-14.0, -14.0, 0.0]], np.float32)[:, :outputs]

    def constant(name: str, value: Any) -> Any:
        return numpy_helper.from_array(np.asarray(value), name)

    constants = [
        constant("eye", eye),
        constant("content", content),
        constant("negation", negation),
        constant("weights", weights),
        constant("one", np.float32(1.0)),
        constant("axis1", np.array([1], np.int64)),
        constant("axis2", np.array([2], np.int64)),
    ]
    make = helper.make_node
    nodes = [
        make("Gather", ["eye", "input_ids"], ["tokens"]),
        make("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        make("Cast", ["attention_mask"], ["real"], to=TensorProto.FLOAT),
        make("Sub", ["real", "second"], ["first"]),
        make("Unsqueeze", ["first", "axis2"], ["first3"]),
        make("Unsqueeze", ["second", "axis2"], ["second3"]),
        make("Mul", ["tokens", "first3"], ["premise_tokens"]),
        make("Mul", ["tokens", "second3"], ["claim_tokens"]),
        make("ReduceMax", ["premise_tokens"], ["premise"], axes=[1], keepdims=0),
        make("ReduceMax", ["claim_tokens"], ["claim"], axes=[1], keepdims=0),
        make("Min", ["premise", "claim"], ["shared"]),
        make("MatMul", ["shared", "content"], ["found"]),
        make("MatMul", ["claim", "content"], ["wanted"]),
        make("Max", ["wanted", "one"], ["at_least_one"]),
        make("Div", ["found", "at_least_one"], ["overlap"]),
        make("MatMul", ["premise", "negation"], ["premise_not"]),
        make("MatMul", ["claim", "negation"], ["claim_not"]),
        make("Sub", ["premise_not", "claim_not"], ["unequal"]),
        make("Abs", ["unequal"], ["parity"]),
        make("Mul", ["parity", "overlap"], ["denied"]),
        make("Sub", ["overlap", "overlap"], ["zero"]),
        make("Add", ["zero", "one"], ["ones"]),
        make("Concat", ["overlap", "denied", "ones"], ["features"], axis=1),
        make("MatMul", ["features", "weights"], ["logits"]),
    ]
    shape = ["rows", "tokens"]
    graph = helper.make_graph(
        nodes,
        "tiny-nli",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows", outputs])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    checker.check_model(model)
    return model.SerializeToString()

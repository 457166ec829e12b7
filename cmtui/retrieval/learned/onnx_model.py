"""Loading a local model directory: an ONNX session and a tokenizer over files held to their digests.

Shared by embeddings and by inference. CPU only; no network, no custom operators, no code of the model's
author (R124). onnxruntime and tokenizers are imported on first use (extra ``[learned]``).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cmtui.errors import ExtraMissing, ModelDirectoryError
from cmtui.retrieval.learned.manifest import ModelManifest, checked_file, read_manifest

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]
    Ids = npt.NDArray[np.int64]

#: The inputs a model may have; everything else is refused, since nothing here could fill it.
KNOWN_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@dataclass(frozen=True, slots=True)
class Encoded:
    """One text, or pair of texts, as token ids with their segments (0 first text, 1 second)."""

    ids: tuple[int, ...]
    type_ids: tuple[int, ...]


class ModelTokenizer:
    """The tokenizer of a model directory. Never truncates: callers window or abstain (R123, R129)."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()

    @property
    def pad_id(self) -> int:
        """The id of padding: that of ``[PAD]`` or ``<pad>``, else 0."""
        for token in ("[PAD]", "<pad>"):
            found = self._tokenizer.token_to_id(token)
            if found is not None:
                return int(found)
        return 0

    def encode(self, text: str, pair: str | None = None) -> Encoded:
        """Token ids with the model's special tokens."""
        encoding = self._tokenizer.encode(text) if pair is None else self._tokenizer.encode(text, pair)
        return Encoded(tuple(encoding.ids), tuple(encoding.type_ids))

    def count(self, text: str, pair: str | None = None) -> int:
        """How many tokens the model would be given, special ones included."""
        return len(self.encode(text, pair).ids)

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Start and end in ``text`` of every token that is not special, in code points."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return [(int(start), int(end)) for start, end in encoding.offsets]

    def special_tokens(self) -> int:
        """How many special tokens one text is given."""
        return int(self._tokenizer.num_special_tokens_to_add(is_pair=False))


class OnnxModel:
    """An ONNX session over token ids. Safe for threads: ONNX Runtime runs one session from many."""

    def __init__(self, session: Any, *, pad_id: int = 0) -> None:
        self._session = session
        self._pad_id = pad_id
        inputs = session.get_inputs()
        self.inputs: tuple[str, ...] = tuple(one.name for one in inputs)
        self.outputs: tuple[str, ...] = tuple(one.name for one in session.get_outputs())
        #: Tokens of every row where the model takes one length only, else None.
        self.fixed_tokens: int | None = next(
            (one.shape[1] for one in inputs if len(one.shape) == 2 and isinstance(one.shape[1], int)), None
        )
        #: Rows of every call where the model takes one number only, else None.
        self.fixed_rows: int | None = next(
            (one.shape[0] for one in inputs if one.shape and isinstance(one.shape[0], int)), None
        )
        self._integers = {one.name: "int32" if "int32" in one.type else "int64" for one in inputs}

    def run(self, rows: Sequence[Encoded]) -> tuple[list[Array], Ids]:
        """All outputs as float32 with the attention mask (rows x tokens), padded to the longest row.

        Raises ModelDirectoryError when the model cannot take the rows or fails on them.
        """
        import numpy as np

        longest = max(len(row.ids) for row in rows)
        if self.fixed_tokens is not None:
            if longest > self.fixed_tokens:
                raise ModelDirectoryError(
                    f"The model takes {self.fixed_tokens} tokens, not {longest}.",
                    f"Set 'max_tokens' to {self.fixed_tokens} in cmtui-model.json.",
                )
            longest = self.fixed_tokens
        ids = np.full((len(rows), longest), self._pad_id, np.int64)
        mask = np.zeros((len(rows), longest), np.int64)
        types = np.zeros((len(rows), longest), np.int64)
        for at, row in enumerate(rows):
            size = len(row.ids)
            ids[at, :size] = row.ids
            mask[at, :size] = 1
            types[at, :size] = row.type_ids
        arrays = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        feed = {name: arrays[name].astype(self._integers[name], copy=False) for name in self.inputs}
        try:
            if self.fixed_rows is None or self.fixed_rows == len(rows):
                answer = self._session.run(None, feed)
            else:
                answer = self._one_by_one(feed)
        except Exception as error:
            raise ModelDirectoryError(
                f"The model failed on its input: {str(error).splitlines()[0]}.",
                "Check 'max_tokens' in cmtui-model.json and that tokenizer and model belong together.",
            ) from error
        return [np.asarray(output, np.float32) for output in answer], mask

    def _one_by_one(self, feed: dict[str, Any]) -> list[Any]:
        import numpy as np

        size = len(next(iter(feed.values())))
        parts = [
            self._session.run(None, {name: array[at : at + 1] for name, array in feed.items()})
            for at in range(size)
        ]
        return [np.concatenate([part[output] for part in parts]) for output in range(len(parts[0]))]


@dataclass(slots=True)
class ModelDirectory:
    """A model directory whose files were read and held to their digests when it was loaded."""

    path: Path
    manifest: ModelManifest
    _model_bytes: bytes = field(repr=False)
    _tokenizer_bytes: bytes = field(repr=False)
    _tokenizer: ModelTokenizer | None = field(default=None, repr=False)
    _guard: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def digest(self) -> str:
        """SHA-256 of the manifest: files, pooling, instruction and limits; the key of derived vectors."""
        return self.manifest.digest

    def tokenizer(self) -> ModelTokenizer:
        """The tokenizer, made on first use. Raises ExtraMissing, ModelDirectoryError."""
        with self._guard:
            if self._tokenizer is None:
                self._tokenizer = ModelTokenizer(self._make_tokenizer())
            return self._tokenizer

    def session(self, *, threads: int | None = None) -> OnnxModel:
        """A new session on the CPU; ``threads`` None takes all cores.

        Raises ExtraMissing, ModelDirectoryError.
        """
        try:
            import onnxruntime
        except ImportError as error:
            raise _missing("onnxruntime") from error
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        if threads is not None:
            options.intra_op_num_threads = threads
        name = self.manifest.model_file
        try:
            session = onnxruntime.InferenceSession(
                self._model_bytes, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise ModelDirectoryError(
                f"'{self.path / name}' cannot be loaded as an ONNX model: {str(error).splitlines()[0]}.",
                "Export the model as one .onnx file with its weights inside.",
            ) from error
        model = OnnxModel(session, pad_id=self.tokenizer().pad_id)
        wrong = [given for given in model.inputs if given not in KNOWN_INPUTS]
        if wrong or "input_ids" not in model.inputs:
            raise ModelDirectoryError(
                f"'{self.path / name}' takes the inputs {', '.join(model.inputs)}; "
                f"only {', '.join(KNOWN_INPUTS)} can be given.",
                "Export the model with the inputs of a BERT encoder.",
            )
        return model

    def _make_tokenizer(self) -> Any:
        try:
            import tokenizers
        except ImportError as error:
            raise _missing("tokenizers") from error
        name = self.manifest.tokenizer_file
        try:
            text = self._tokenizer_bytes.decode("utf-8")
            if name == "tokenizer.json":
                return tokenizers.Tokenizer.from_str(text)
            vocabulary = {token: at for at, token in enumerate(text.split("\n")) if token}
            missing = [token for token in ("[UNK]", "[CLS]", "[SEP]") if token not in vocabulary]
            if missing:
                raise ValueError(f"the token {missing[0]} is not in it")
            return tokenizers.BertWordPieceTokenizer(vocabulary, lowercase=self.manifest.lowercase)
        except Exception as error:
            raise ModelDirectoryError(
                f"'{self.path / name}' is no tokenizer: {str(error).splitlines()[0]}.",
                "Take the tokenizer file that was published with the model.",
            ) from error


def load_model_directory(path: str | Path) -> ModelDirectory:
    """Read a model directory and hold each file to the manifest's SHA-256; no library is loaded for that.

    Raises ModelDirectoryError, one sentence that names the file, for everything that is wrong.
    """
    directory = Path(path).expanduser()
    manifest = read_manifest(directory)
    contents = {name: checked_file(directory, name, manifest) for name in manifest.files}
    return ModelDirectory(
        directory, manifest, contents[manifest.model_file], contents[manifest.tokenizer_file]
    )


def _missing(package: str) -> ExtraMissing:
    return ExtraMissing(
        f"A learned model needs the package {package}, which is not installed.",
        "pip install 'cmtui[learned]'",
    )

"""Texts to vectors: an ONNX model directory, or a transformers checkpoint; long texts in windows (R123)."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from cmtui.errors import ModelDirectoryError
from cmtui.retrieval.learned.config import LearnedSemanticConfig
from cmtui.retrieval.learned.onnx_model import ModelDirectory, OnnxModel, load_model_directory
from cmtui.retrieval.learned.pretrained import FAILURES, Checkpoint, content_digest

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]


class TextEncoder(Protocol):
    """What a learned index needs of a model."""

    @property
    def name(self) -> str:
        """Name and revision, recorded with results."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of everything that shapes a vector: the key of vectors that are kept (D4)."""
        ...

    def encode_query(self, text: str) -> Vectors:
        """One unit vector."""
        ...

    def encode_passage(self, text: str) -> Vectors:
        """One unit vector per window, in order; at least one."""
        ...


def make_encoder(config: LearnedSemanticConfig) -> TextEncoder:
    """The encoder that a config names. Loads nothing yet, but holds a model directory to its digests.

    Raises ModelDirectoryError.
    """
    if config.model_directory is not None:
        return OnnxEncoder(load_model_directory(config.model_directory), config)
    return TransformersEncoder(config)


def windows(text: str, offsets: Sequence[tuple[int, int]], tokens: int, overlap: float) -> list[str]:
    """Parts of ``text`` of at most ``tokens`` tokens, each beginning inside the one before.

    ``offsets`` are those of the tokens of the whole text. Cut between tokens, so that a part has no more of
    them than its share; the last part ends with the text.
    """
    if len(offsets) <= tokens:
        return [text]
    step = max(1, tokens - int(tokens * overlap))
    parts = []
    for first in range(0, len(offsets), step):
        last = min(first + tokens, len(offsets))
        parts.append(text[offsets[first][0] : offsets[last - 1][1]])
        if last == len(offsets):
            break
    return parts


class OnnxEncoder:
    """Embeddings of an ONNX model directory. One text a call: a vector does not depend on its neighbours."""

    def __init__(self, directory: ModelDirectory, config: LearnedSemanticConfig) -> None:
        manifest = directory.manifest
        if manifest.labels:
            raise ModelDirectoryError(
                f"'{directory.path}' holds a classifier with labels, not an embedding model.",
                "Use it as --nli-model; an embedding model has no labels in its manifest.",
            )
        self._directory = directory
        self._threads = config.threads
        self._tokens = min(manifest.max_tokens, config.max_tokens or manifest.max_tokens)
        self._overlap = config.overlap
        self._guard = threading.Lock()
        self._model: OnnxModel | None = None

    @property
    def name(self) -> str:
        """Name of the manifest and the beginning of its digest."""
        return f"{self._directory.manifest.name}:{self._directory.digest[:12]}"

    @property
    def digest(self) -> str:
        """Manifest (with the digest of every file), window and overlap."""
        shape = f"{self._directory.digest}/{self._tokens}/{self._overlap}"
        return hashlib.sha256(shape.encode("ascii")).hexdigest()

    def encode_query(self, text: str) -> Vectors:
        """One unit vector, with the model's instruction before the text; what is too long is cut."""
        tokenizer = self._directory.tokenizer()
        asked = self._directory.manifest.query_instruction + text
        room = self._tokens - tokenizer.special_tokens()
        offsets = tokenizer.offsets(asked)
        if len(offsets) > room:
            asked = asked[: offsets[room - 1][1]]
        vector: Vectors = self._vector(asked)
        return vector

    def encode_passage(self, text: str) -> Vectors:
        """One unit vector per window."""
        import numpy as np

        tokenizer = self._directory.tokenizer()
        room = self._tokens - tokenizer.special_tokens()
        parts = windows(text, tokenizer.offsets(text), room, self._overlap)
        return np.stack([self._vector(part) for part in parts])

    def _vector(self, text: str) -> Any:
        import numpy as np

        with self._guard:
            if self._model is None:
                self._model = self._directory.session(threads=self._threads)
        encoded = self._directory.tokenizer().encode(text)
        outputs, mask = self._model.run([encoded])
        first = outputs[0]
        if first.ndim == 3:
            weights = mask[..., None].astype(np.float32)
            pooled = (
                first[:, 0]
                if self._directory.manifest.pooling == "cls"
                else (first * weights).sum(axis=1) / weights.sum(axis=1)
            )
        elif first.ndim == 2:
            pooled = first
        else:
            raise ModelDirectoryError(
                f"The model answers with an array of {first.ndim} dimensions; an embedding has 2 or 3.",
                "Export it with last_hidden_state or a sentence embedding as its first output.",
            )
        return _checked(pooled, normalise=self._directory.manifest.normalise, name=self.name)[0]


class TransformersEncoder:
    """Normalised CLS vectors of a checkpoint such as BGE, pinned and from safetensors alone (R119, R124).

    On first use raises ExtraMissing without the extra, ModelDirectoryError when the model is not there.
    """

    def __init__(self, config: LearnedSemanticConfig) -> None:
        self._config = config
        self._guard = threading.Lock()
        self._kept: tuple[Any, Any, Any, int] | None = None

    @property
    def name(self) -> str:
        """Name and revision."""
        revision = f":{self._config.revision[:12]}" if self._config.revision else ""
        return f"{self._config.model_name}{revision}"

    @property
    def digest(self) -> str:
        """Name, revision (or the digests of a local directory's files), instruction and window."""
        config = self._config
        of_files = ""
        if config.revision is None:
            of_files = content_digest(Path(config.model_name).expanduser())
        shape = (config.model_name, config.revision, of_files, config.max_tokens, config.overlap)
        return hashlib.sha256(repr(shape).encode("utf-8")).hexdigest()

    def encode_query(self, text: str) -> Vectors:
        """One unit vector, with the instruction before the text; what is too long is cut."""
        vector: Vectors = self._vectors([self._config.query_instruction + text])[0]
        return vector

    def encode_passage(self, text: str) -> Vectors:
        """One unit vector per window."""
        _, _, tokenizer, limit = self._loaded()
        encoded = tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        room = limit - int(tokenizer.num_special_tokens_to_add())
        parts = windows(text, encoded["offset_mapping"], room, self._config.overlap)
        return self._vectors(parts)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        torch, model, tokenizer, limit = self._loaded()
        found = []
        for first in range(0, len(texts), self._config.batch_size):
            part = list(texts[first : first + self._config.batch_size])
            batch = tokenizer(part, padding=True, truncation=True, max_length=limit, return_tensors="pt")
            with torch.inference_mode():
                states = model(**batch.to(self._config.device)).last_hidden_state[:, 0]
            found.append(states.float().cpu().numpy())
        vectors: Vectors = _checked(np.concatenate(found), normalise=True, name=self.name)
        return vectors

    def _loaded(self) -> tuple[Any, Any, Any, int]:
        with self._guard:
            if self._kept is None:
                self._kept = _load(self._config)
            return self._kept


def _load(config: LearnedSemanticConfig) -> tuple[Any, Any, Any, int]:
    source = Checkpoint(
        config.model_name, config.revision, config.cache_directory, config.local_files_only, config.device
    )
    torch, transformers = source.libraries()
    try:
        tokenizer = source.read(transformers.AutoTokenizer, use_fast=True)
        model = source.model(transformers.AutoModel)
    except FAILURES as error:
        permission = "local_files_only=False, or --allow-download"
        raise source.failure(error, ModelDirectoryError, permission) from error
    limit = int(getattr(model.config, "max_position_embeddings", 512))
    return torch, model, tokenizer, min(limit, 512, config.max_tokens or limit)


class PassageEncoder:
    """A TextEncoder as the encoder of ``SentenceTransformerMatcher`` (R81): queries come first there."""

    def __init__(self, encoder: TextEncoder) -> None:
        self._encoder = encoder

    def encode(self, sentences: list[str]) -> Any:
        """The query's vector, then the first window of each passage."""
        import numpy as np

        of: Callable[[str], Any] = self._encoder.encode_passage
        return np.stack([self._encoder.encode_query(sentences[0]), *(of(text)[0] for text in sentences[1:])])


def _checked(vectors: Any, *, normalise: bool, name: str) -> Any:
    """Finite float32 vectors, of length 1 when ``normalise``. Raises ModelDirectoryError."""
    import numpy as np

    array = np.asarray(vectors, np.float32)
    if not np.isfinite(array).all():
        raise ModelDirectoryError(
            f"The model '{name}' answered with numbers that are not finite.",
            "The model file does not suit this computer; export it again.",
        )
    if not normalise:
        return array
    norms = np.linalg.norm(array, axis=1, keepdims=True)
    norms[norms == 0] = 1.0
    return array / norms

"""What a local model directory says of itself: ``cmtui-model.json``, with the SHA-256 of each of its files.

A model directory holds an ONNX model, a tokenizer and the manifest, and nothing else of it is read::

    model.onnx        the network (any name ending in .onnx)
    tokenizer.json    or vocab.txt, the word pieces of a BERT model
    cmtui-model.json  {"format": 1, "name": "bge-small-en-v1.5", "revision": "5c38ec7c...",
                       "files": {"model.onnx": "<sha256>", "tokenizer.json": "<sha256>"},
                       "pooling": "cls", "normalise": true, "max_tokens": 512,
                       "query_instruction": "Represent this sentence for searching relevant passages: "}

For a classifier of sentence pairs ``labels`` lists what its outputs mean, in order; ``pooling`` and
``query_instruction`` do not concern it. ``lowercase`` belongs to ``vocab.txt`` and is true unless it is said
otherwise.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cmtui.errors import ModelDirectoryError

#: The manifest inside a model directory.
MANIFEST_NAME = "cmtui-model.json"
#: Version of the manifest that is read and written.
MANIFEST_FORMAT = 1
#: How token vectors become one: the vector of the first token, or the mean of those that are not padding.
POOLINGS = ("cls", "mean")
#: Token limit of BERT-like models; a manifest may name a smaller one.
MAX_TOKENS = 512

_SHA256 = re.compile(r"[0-9a-f]{64}")
_KEYS = (
    "format",
    "name",
    "revision",
    "files",
    "pooling",
    "normalise",
    "query_instruction",
    "max_tokens",
    "labels",
    "lowercase",
)


@dataclass(frozen=True, slots=True)
class ModelManifest:
    """The manifest of a model directory. ``files`` maps plain file names to lower-case SHA-256 digests."""

    name: str
    files: Mapping[str, str]
    revision: str = ""
    pooling: str = "mean"
    normalise: bool = True
    query_instruction: str = ""
    max_tokens: int = MAX_TOKENS
    labels: tuple[str, ...] = ()
    lowercase: bool = True
    digest: str = field(default="", compare=False)

    @property
    def model_file(self) -> str:
        """Name of the network."""
        return next(name for name in self.files if name.endswith(".onnx"))

    @property
    def tokenizer_file(self) -> str:
        """Name of the tokenizer: ``tokenizer.json``, else ``vocab.txt``."""
        return "tokenizer.json" if "tokenizer.json" in self.files else "vocab.txt"

    def as_json(self) -> dict[str, Any]:
        """The JSON object of the manifest."""
        return {
            "format": MANIFEST_FORMAT,
            "name": self.name,
            "revision": self.revision,
            "files": dict(sorted(self.files.items())),
            "pooling": self.pooling,
            "normalise": self.normalise,
            "query_instruction": self.query_instruction,
            "max_tokens": self.max_tokens,
            "labels": list(self.labels),
            "lowercase": self.lowercase,
        }


def read_manifest(directory: Path) -> ModelManifest:
    """The manifest of ``directory``; its files are not looked at. Raises ModelDirectoryError."""
    if not directory.is_dir():
        raise ModelDirectoryError(
            f"There is no model directory '{directory}'.",
            "Give the folder that holds model.onnx, tokenizer.json or vocab.txt, and cmtui-model.json.",
        )
    path = directory / MANIFEST_NAME
    try:
        raw = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ModelDirectoryError(
            f"The model directory '{directory}' has no {MANIFEST_NAME}.",
            "Write one with: citation-machine embed --model DIR --describe NAME",
        ) from None
    except (OSError, ValueError) as error:
        raise ModelDirectoryError(
            f"'{path}' cannot be read as JSON: {error}.", "Write it anew; see ARCHITECTURE.md for its keys."
        ) from error
    return _manifest(raw, path)


def describe_model_directory(
    directory: Path,
    *,
    name: str,
    revision: str = "",
    pooling: str = "mean",
    normalise: bool = True,
    query_instruction: str = "",
    max_tokens: int = MAX_TOKENS,
    labels: tuple[str, ...] = (),
    lowercase: bool = True,
) -> ModelManifest:
    """Hash the files of a model directory and write its manifest. Raises ModelDirectoryError.

    From then on the files are held to these digests; whether they are the ones their author published is for
    the person to compare.
    """
    networks = sorted(path.name for path in directory.glob("*.onnx"))
    if len(networks) != 1:
        raise ModelDirectoryError(
            f"'{directory}' holds {len(networks)} files ending in .onnx; a model directory has one.",
            "Keep the one to be used.",
        )
    tokenizers = [known for known in ("tokenizer.json", "vocab.txt") if (directory / known).is_file()]
    if not tokenizers:
        raise ModelDirectoryError(
            f"'{directory}' holds neither tokenizer.json nor vocab.txt.",
            "Put the tokenizer of the model beside it.",
        )
    files = {file: file_sha256(directory / file) for file in (networks[0], tokenizers[0])}
    made = ModelManifest(
        name=name,
        files=files,
        revision=revision,
        pooling=pooling,
        normalise=normalise,
        query_instruction=query_instruction,
        max_tokens=max_tokens,
        labels=labels,
        lowercase=lowercase,
    )
    path = directory / MANIFEST_NAME
    checked = _manifest(made.as_json(), path)
    try:
        path.write_text(json.dumps(made.as_json(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise ModelDirectoryError(
            f"'{path}' cannot be written: {error.strerror}.", "Copy the model to a folder you may write to."
        ) from error
    return checked


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file. Raises ModelDirectoryError when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelDirectoryError(
            f"The model file '{path}' cannot be read: {error.strerror}.", "Put it back, or make it readable."
        ) from error


def checked_file(directory: Path, name: str, manifest: ModelManifest) -> bytes:
    """The bytes of a file of the manifest, held to its digest. Raises ModelDirectoryError.

    The bytes that were hashed are the ones that are used: nothing can be swapped in between.
    """
    path = directory / name
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ModelDirectoryError(
            f"The model directory '{directory}' has no {name}, which its manifest names.",
            "Put the file back.",
        ) from None
    except OSError as error:
        raise ModelDirectoryError(
            f"The model file '{path}' cannot be read: {error.strerror}.", "Make it readable."
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != manifest.files[name]:
        raise ModelDirectoryError(
            f"'{path}' is not the file of the manifest: its SHA-256 begins with {found[:12]}, "
            f"not with {manifest.files[name][:12]}.",
            "Get the right file; or, if this one is meant, write the manifest again with embed --describe.",
        )
    return content


def _manifest(raw: Any, path: Path) -> ModelManifest:
    if not isinstance(raw, dict):
        raise _wrong(path, "it is no JSON object")
    unknown = sorted(set(raw) - set(_KEYS))
    if unknown:
        raise _wrong(path, f"the key '{unknown[0]}' is unknown")
    if raw.get("format") != MANIFEST_FORMAT:
        raise _wrong(path, f"'format' must be {MANIFEST_FORMAT}")
    name = raw.get("name")
    if not isinstance(name, str) or not name.strip():
        raise _wrong(path, "'name' must be a text")
    max_tokens = raw.get("max_tokens", MAX_TOKENS)
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or not 8 <= max_tokens <= 8192:
        raise _wrong(path, "'max_tokens' must be a number from 8 to 8192")
    pooling = raw.get("pooling", "mean")
    if pooling not in POOLINGS:
        raise _wrong(path, "'pooling' must be cls or mean")
    labels = raw.get("labels", [])
    if not isinstance(labels, list) or not all(isinstance(label, str) and label for label in labels):
        raise _wrong(path, "'labels' must be a list of texts")
    manifest = ModelManifest(
        name=name.strip(),
        files=_files(raw.get("files"), path),
        revision=_text(raw, "revision", path),
        pooling=pooling,
        normalise=_truth(raw, "normalise", path),
        query_instruction=_text(raw, "query_instruction", path),
        max_tokens=max_tokens,
        labels=tuple(labels),
        lowercase=_truth(raw, "lowercase", path),
    )
    canonical = json.dumps(manifest.as_json(), sort_keys=True, separators=(",", ":"))
    return replace(manifest, digest=hashlib.sha256(canonical.encode("ascii")).hexdigest())


def _files(raw: Any, path: Path) -> dict[str, str]:
    if not isinstance(raw, dict) or not raw:
        raise _wrong(path, "'files' must map file names to SHA-256 digests")
    for name, digest in raw.items():
        if Path(name).name != name or name in (".", ".."):
            raise _wrong(path, f"the file name '{name}' must be plain, without folders")
        if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
            raise _wrong(path, f"the digest of '{name}' must be 64 hexadecimal digits in lower case")
    if sum(1 for name in raw if name.endswith(".onnx")) != 1:
        raise _wrong(path, "'files' must name exactly one file ending in .onnx")
    if not {"tokenizer.json", "vocab.txt"} & set(raw):
        raise _wrong(path, "'files' must name tokenizer.json or vocab.txt")
    return dict(raw)


def _text(raw: Mapping[str, Any], key: str, path: Path) -> str:
    value = raw.get(key, "")
    if not isinstance(value, str):
        raise _wrong(path, f"'{key}' must be a text")
    return value


def _truth(raw: Mapping[str, Any], key: str, path: Path) -> bool:
    value = raw.get(key, True)
    if not isinstance(value, bool):
        raise _wrong(path, f"'{key}' must be true or false")
    return value


def _wrong(path: Path, why: str) -> ModelDirectoryError:
    return ModelDirectoryError(
        f"The model manifest '{path}' is wrong: {why}.",
        "Correct it, or write it anew with: citation-machine embed --model DIR --describe NAME",
    )

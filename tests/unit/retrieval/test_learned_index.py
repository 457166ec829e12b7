"""The learned index over an encoder without a model: what is kept, windows, exact cosine (R121 to R125)."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cmtui.engine.embedding import learned_index
from cmtui.errors import Cancelled, IndexRebuilding, InvalidRequest, ModelDirectoryError
from cmtui.model.progress import Progress
from cmtui.model.retrieval import PassageProjection
from cmtui.retrieval.learned.config import LearnedSemanticConfig
from cmtui.retrieval.learned.encoders import windows
from cmtui.retrieval.learned.index import LearnedSemanticIndex
from cmtui.retrieval.learned.manifest import MANIFEST_NAME, describe_model_directory, read_manifest
from cmtui.retrieval.learned.onnx_model import load_model_directory


class Letters:
    """Counts letters, in windows of forty characters; remembers what it was given."""

    name = "letters:1"
    digest = hashlib.sha256(b"letters").hexdigest()

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode_query(self, text: str) -> np.ndarray:
        vector = np.array([text.count(c) for c in "abcdefghijklmnopqrstuvwxyz"], np.float32)
        norm = np.linalg.norm(vector)
        return vector if norm == 0 else vector / norm

    def encode_passage(self, text: str) -> np.ndarray:
        self.seen.append(text)
        return np.stack([self.encode_query(text[at : at + 40]) for at in range(0, max(1, len(text)), 40)])


CANDIDATES = [
    PassageProjection(f"a#{n}", text)
    for n, text in enumerate(["king", "queen", "", "zzz", "king", "q" * 80 + " king" * 20, "abc\0"])
]


def index(folder: Path | None, encoder: Letters | None = None, **options: object) -> LearnedSemanticIndex:
    return LearnedSemanticIndex(folder=folder, encoder=encoder or Letters(), **options)  # type: ignore[arg-type]


def test_cosine_with_the_best_window_and_ties_in_the_order_given(tmp_path: Path) -> None:
    """R123: a long passage counts by its best window; equal texts keep their order (R73)."""
    for made in (index(None), index(tmp_path)):
        hits = made.rank("king", CANDIDATES)
        assert [hit.passage_id for hit in hits[:2]] == ["a#0", "a#4"]
        assert hits[0].score == pytest.approx(1.0)
        assert next(hit.score for hit in hits if hit.passage_id == "a#5") > 0.9
        assert "a#3" not in {hit.passage_id for hit in hits}
        assert made.rank("king", CANDIDATES, limit=2) == hits[:2]
        assert made.rank("  ", CANDIDATES) == made.rank("king", []) == []


def test_embeddings_are_made_once(tmp_path: Path) -> None:
    """R122, D4: kept by model and text; deleting them costs time alone."""
    first, again, anew = Letters(), Letters(), Letters()
    expected = index(tmp_path, first).rank("king", CANDIDATES)
    assert len(first.seen) == 6
    assert index(tmp_path, again).rank("king", CANDIDATES) == expected
    assert again.seen == []
    (file,) = tmp_path.glob("*.f32")
    file.unlink()
    assert index(tmp_path, anew).rank("king", CANDIDATES) == expected
    assert len(anew.seen) == 6


def test_clear_discards_what_memory_holds() -> None:
    """R122."""
    encoder = Letters()
    made = index(None, encoder)
    made.rank("king", CANDIDATES[:2])
    made.rank("queen", CANDIDATES[:2])
    assert len(encoder.seen) == 2
    made.clear()
    made.rank("king", CANDIDATES[:2])
    assert len(encoder.seen) == 4


@pytest.mark.parametrize("damage", ["flip", "torn", "garbage"])
def test_damaged_records_are_made_again(tmp_path: Path, damage: str) -> None:
    """A wrong sum, a torn end, or anything else in the file: the answer is the same."""
    expected = index(tmp_path).rank("king", CANDIDATES)
    (file,) = tmp_path.glob("*.f32")
    content = bytearray(file.read_bytes())
    if damage == "flip":
        content[60] ^= 1
    elif damage == "torn":
        content = content[:-7]
    else:
        content = bytearray(b"\xff" * 999)
    file.write_bytes(content)
    assert index(tmp_path).rank("king", CANDIDATES) == expected
    assert index(tmp_path).rank("king", CANDIDATES) == expected


def test_the_job_can_be_stopped_and_goes_on(tmp_path: Path) -> None:
    """Cancelling keeps what is done; progress says how far it is."""
    seen: list[Progress] = []
    with pytest.raises(Cancelled, match="after 3 of 6"):
        index(tmp_path).prepare(CANDIDATES, progress=seen.append, cancelled=lambda: len(seen) == 3)
    made = index(tmp_path)
    assert made.missing(CANDIDATES) == 3
    assert made.prepare(CANDIDATES) == 3
    assert made.missing(CANDIDATES) == 0


def test_a_search_does_not_begin_a_long_job(tmp_path: Path) -> None:
    """Hours of work are asked for, never begun silently."""
    made = index(tmp_path, max_unasked=5)
    with pytest.raises(IndexRebuilding, match="6 passages"):
        made.rank("king", CANDIDATES)
    made.prepare(CANDIDATES)
    assert made.rank("king", CANDIDATES)


def test_windows_overlap_and_cover_the_text() -> None:
    """R123: windows of so many tokens, each beginning inside the one before, to the end of the text."""
    text = "one two three four five six seven"
    offsets = [(0, 3), (4, 7), (8, 13), (14, 18), (19, 23), (24, 27), (28, 33)]
    assert windows(text, offsets, 7, 0.25) == [text]
    assert windows(text, offsets, 4, 0.25) == ["one two three four", "four five six seven"]
    assert windows(text, offsets, 3, 0.0) == ["one two three", "four five six", "seven"]


@pytest.mark.parametrize(
    "wrong",
    [{"revision": "main"}, {"revision": None}, {"batch_size": 0}, {"overlap": 0.9}, {"max_tokens": 2}],
)
def test_a_config_out_of_range_is_refused(wrong: dict[str, object]) -> None:
    """R119, R125: a full revision, and sensible numbers. Frozen; no download by default (R121)."""
    with pytest.raises(InvalidRequest):
        LearnedSemanticConfig(**wrong)  # type: ignore[arg-type]
    config = LearnedSemanticConfig()
    assert config.local_files_only
    with pytest.raises(AttributeError):
        config.device = "cuda"  # type: ignore[misc]


def directory(tmp_path: Path) -> Path:
    (tmp_path / "model.onnx").write_bytes(b"a network")
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nking\n")
    describe_model_directory(tmp_path, name="tiny", pooling="cls")
    return tmp_path


def test_a_model_directory_is_described_and_read(tmp_path: Path) -> None:
    """The manifest names each file with its digest; the directory is loaded without any library."""
    made = load_model_directory(directory(tmp_path))
    assert made.manifest == read_manifest(tmp_path)
    assert made.manifest.files["model.onnx"] == hashlib.sha256(b"a network").hexdigest()
    assert (made.manifest.pooling, made.manifest.tokenizer_file) == ("cls", "vocab.txt")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda d: (d / "model.onnx").write_bytes(b"another"), "model.onnx"),
        (lambda d: (d / "vocab.txt").unlink(), "vocab.txt"),
        (lambda d: (d / MANIFEST_NAME).unlink(), MANIFEST_NAME),
        (lambda d: (d / MANIFEST_NAME).write_text("{"), MANIFEST_NAME),
        (lambda d: edit(d, '"cls"', '"max"'), "pooling"),
        (lambda d: edit(d, '"format": 1', '"format": 9'), "format"),
        (lambda d: edit(d, '"max_tokens": 512', '"max_tokens": "x"'), "max_tokens"),
        (lambda d: edit(d, '"model.onnx"', '"../model.onnx"'), "../model.onnx"),
        (lambda d: edit(d, '"lowercase"', '"lowercaze"'), "lowercaze"),
        (lambda d: edit(d, '"vocab.txt"', '"words.txt"'), "vocab.txt"),
    ],
)
def test_whatever_is_wrong_with_a_directory_is_named(tmp_path: Path, change: object, named: str) -> None:
    """One sentence that names the file, the digest or the key."""
    change(directory(tmp_path))  # type: ignore[operator]
    with pytest.raises(ModelDirectoryError, match=named.replace(".", r"\.")) as caught:
        learned_index(tmp_path)
    assert caught.value.hint
    assert caught.value.message.count("\n") == 0


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / MANIFEST_NAME
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_importing_loads_no_weights_and_no_library() -> None:
    """R124."""
    code = (
        "import sys, cmtui.retrieval.learned.index, cmtui.retrieval.learned.onnx_model\n"
        "import cmtui.engine.embedding\n"
        "heavy = ('onnxruntime', 'tokenizers', 'torch', 'transformers', 'numpy')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""A semantic index over a learned model: exact cosine, long passages by their best window (R121 to R123)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.errors import Cancelled, IndexRebuilding
from cmtui.model.progress import (
    CancelledCallback,
    Progress,
    ProgressCallback,
    never_cancelled,
    no_progress,
)
from cmtui.model.retrieval import PassageProjection, ScoredPassage
from cmtui.ports import DigestedPassages
from cmtui.retrieval.fusion import rounded
from cmtui.retrieval.learned.config import LearnedSemanticConfig
from cmtui.retrieval.learned.encoders import TextEncoder, make_encoder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cmtui.retrieval.learned.embedding_file import EmbeddingFile, Embeddings

#: Name of the embeddings inside the store's folder of derived data.
EMBEDDINGS_FOLDER = "embeddings"
#: Passages that a search embeds unasked; more than these are a job of minutes or hours, which is asked for.
MAX_UNASKED = 2_000
#: Passages of one write: what a job that is killed loses at most.
TOGETHER = 32
#: No score in float32 is further from the one in float64.
_ERROR = 1e-4


class LearnedSemanticIndex:
    """A SemanticIndex over embeddings of a model (R121). The model is loaded on first use and kept (R135).

    ``folder`` is where embeddings are kept, keyed by model and text; None keeps them in memory. Raises
    ModelDirectoryError at once for a wrong model directory; ExtraMissing on first use.
    """

    def __init__(
        self,
        config: LearnedSemanticConfig | None = None,
        *,
        folder: Path | None = None,
        encoder: TextEncoder | None = None,
        max_unasked: int | None = MAX_UNASKED,
    ) -> None:
        self.config = config or LearnedSemanticConfig()
        self._encoder = encoder if encoder is not None else make_encoder(self.config)
        self._folder = folder
        self._max_unasked = max_unasked
        self._guard = threading.Lock()
        self._file: EmbeddingFile | None = None
        self._read: Embeddings | None = None

    @property
    def name(self) -> str:
        """Name and revision of the model."""
        return self._encoder.name

    def clear(self) -> None:
        """Discard the embeddings in memory (R122); kept files are derived data and stay."""
        with self._guard:
            if self._file is not None:
                self._file.clear()
            self._file = self._read = None

    def missing(self, candidates: Sequence[PassageProjection]) -> int:
        """How many distinct texts have no embedding yet."""
        import numpy as np

        with self._guard:
            digests = _digests(candidates)
            return int(np.unique(digests[self._embeddings().find(digests) < 0]).size)

    def prepare(
        self,
        candidates: Sequence[PassageProjection],
        *,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> int:
        """Embed what is missing and return how many texts that were. What was made before a stop is kept.

        Raises Cancelled, ExtraMissing, ModelDirectoryError.
        """
        with self._guard:
            return self._prepare(candidates, _digests(candidates), progress, cancelled)

    def rank(
        self, query: str, candidates: Sequence[PassageProjection], *, limit: int | None = None
    ) -> Sequence[ScoredPassage]:
        """Candidates with a positive cosine, best first; ties in the order given.

        Raises IndexRebuilding when more than ``max_unasked`` texts have no embedding yet.
        """
        import numpy as np

        if not candidates or not query.strip():
            return []
        with self._guard:
            digests = _digests(candidates)
            lacking = int(np.unique(digests[self._embeddings().find(digests) < 0]).size)
            if self._max_unasked is not None and lacking > self._max_unasked:
                raise IndexRebuilding(
                    f"{lacking} passages have no embedding of '{self.name}' yet.",
                    "Make them once, in the background: citation-machine embed",
                )
            if lacking:
                self._prepare(candidates, digests, no_progress, never_cancelled)
            kept = self._embeddings()
            asked = self._encoder.encode_query(query)
        texts = kept.find(digests)
        wanted = np.unique(texts)
        scores = _scores(kept, wanted, asked, limit)
        ranked = sorted(
            (-rounded(float(score)), place)
            for place, score in enumerate(scores[np.searchsorted(wanted, texts)].tolist())
            if score > 0
        )
        named = candidates if isinstance(candidates, DigestedPassages) else None
        return [
            ScoredPassage(candidates[place].passage_id if named is None else named.passage_id(place), -score)
            for score, place in ranked[: len(ranked) if limit is None else limit]
        ]

    def _prepare(
        self,
        candidates: Sequence[PassageProjection],
        digests: npt.NDArray[np.bytes_],
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> int:
        import numpy as np

        lacking = np.flatnonzero(self._embeddings().find(digests) < 0)
        _, firsts = np.unique(digests[lacking], return_index=True)
        places = lacking[np.sort(firsts)].tolist()
        file = self._opened()
        made: list[tuple[bytes, npt.NDArray[np.float32]]] = []
        try:
            for done, place in enumerate(places):
                if cancelled():
                    raise Cancelled(
                        f"Embedding was cancelled after {done} of {len(places)} passages.",
                        "What is done is kept: run it again to go on.",
                    )
                progress(Progress("embed", self.name, done, len(places)))
                vectors = self._encoder.encode_passage(candidates[place].text)
                made.append((bytes(digests[place]).ljust(32, b"\0"), vectors))
                if len(made) == TOGETHER:
                    file.append_many(made)
                    made = []
        finally:
            if made:
                file.append_many(made)
            if places:
                self._read = None
        if places:
            progress(Progress("embed", self.name, len(places), len(places)))
        return len(places)

    def _embeddings(self) -> Embeddings:
        if self._read is None:
            self._read = self._opened().read()
        return self._read

    def _opened(self) -> EmbeddingFile:
        if self._file is None:
            from cmtui.retrieval.learned.embedding_file import EmbeddingFile

            # The dimensions are the model's: asked of the model itself, once.
            size = int(self._encoder.encode_query("size").shape[0])
            name = f"{self._encoder.digest[:32]}-{size}.f32"
            self._file = EmbeddingFile(None if self._folder is None else self._folder / name, size)
        return self._file


def _scores(
    kept: Embeddings, texts: npt.NDArray[np.int64], asked: npt.NDArray[np.float32], limit: int | None
) -> npt.NDArray[np.float64]:
    """The best window's cosine of each text; those that cannot be among the best ``limit`` are 0.

    A first pass in float32 over everything; what counts is scored again in float64, row by row, so that a
    score does not depend on where its vector lies (R191).
    """
    import numpy as np

    sizes = kept.counts[texts]
    ends = np.cumsum(sizes)
    begins = ends - sizes
    rows = kept.order[np.repeat(kept.starts[texts] - begins, sizes) + np.arange(int(ends[-1]))]
    rough = np.empty(rows.size, np.float32)
    for first in range(0, rows.size, 8_192):
        rough[first : first + 8_192] = kept.vectors[rows[first : first + 8_192]] @ asked
    best = np.maximum.reduceat(rough, begins)
    chosen = np.arange(texts.size)
    if limit is not None and limit < texts.size:
        least = np.partition(best, texts.size - limit)[texts.size - limit] - 2 * _ERROR
        chosen = np.flatnonzero(best >= least)
    scores = np.zeros(texts.size, np.float64)
    exact = asked.astype(np.float64)
    for at in chosen.tolist():
        windows = kept.vectors[rows[begins[at] : ends[at]]].astype(np.float64)
        scores[at] = max(float(np.sum(window * exact)) for window in windows)
    return scores


def _digests(candidates: Sequence[PassageProjection]) -> npt.NDArray[np.bytes_]:
    import numpy as np

    from cmtui.retrieval.vectors_index import text_digests

    if isinstance(candidates, DigestedPassages):
        return np.frombuffer(candidates.text_digests(), "|S32")
    return text_digests(candidates)

"""The default semantic index of a store: the local matcher over vectors that are kept (D4).

The answers are those of ``InMemorySemanticIndex()`` to the last digit. A query touches only the lists of its
own features: they give every related passage a score that is right to 0.1 %; the passages that can be among
the best are then scored again from their exact rows, with the arithmetic of the matcher.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cmtui.errors import Cancelled
from cmtui.model.progress import (
    CancelledCallback,
    Progress,
    ProgressCallback,
    never_cancelled,
    no_progress,
)
from cmtui.model.retrieval import PassageProjection, ScoredPassage
from cmtui.ports import DigestedPassages
from cmtui.retrieval.concepts import ConceptLexicon, concept_lexicon
from cmtui.retrieval.fusion import rounded
from cmtui.retrieval.vectors import DIMENSIONS, feature_rows, features_name, text_features
from cmtui.retrieval.vectors_folder import VectorFolder
from cmtui.retrieval.vectors_segment import Segment

#: The score of a related text whose cosine rounds to nothing or is hidden by hash collisions.
LEAST_SCORE = 1e-6
#: Name of the vectors inside the store's folder of derived data.
VECTORS_FOLDER = "vectors"
#: Texts whose features are made before they are kept; bounds the memory of making them.
BATCH = 4_096
#: Sets of candidates whose statistics are kept: the whole library and a few filters.
KEPT_POOLS = 4
#: No approximate cosine is further from the exact one: weights of 11 bits, sums in float32.
_ERROR = 1e-3
_ROWS_TOGETHER = 2_048

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Pool:
    """Candidates as rows of segments. ``rows[p]`` counts through all segments (``bases``); ``present`` are
    the distinct ones in ascending order, ``norms`` their approximate lengths."""

    segments: tuple[Segment, ...]
    bases: Rows
    rows: Rows
    present: Rows
    norms: npt.NDArray[np.float32]
    idf: Floats


class MappedSemanticIndex:
    """A SemanticIndex over kept vectors. ``folder`` None keeps them in memory.

    ``lexicon`` None takes the bundled one. Safe for threads, one request at a time.
    """

    def __init__(self, folder: Path | None, *, lexicon: ConceptLexicon | None = None) -> None:
        self.lexicon = concept_lexicon() if lexicon is None else lexicon
        self._name = features_name(self.lexicon)
        self._folder = VectorFolder(folder, self._name)
        self._pools: OrderedDict[str, _Pool] = OrderedDict()
        self._guard = threading.Lock()

    @property
    def name(self) -> str:
        """Name and revision."""
        return self._name

    def prepare(
        self,
        candidates: Sequence[PassageProjection],
        *,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> None:
        """Make the vectors that are missing. What was made before a stop is kept. Raises Cancelled."""
        with self._guard:
            self._pool(candidates, progress, cancelled)

    def rank(
        self, query: str, candidates: Sequence[PassageProjection], *, limit: int | None = None
    ) -> Sequence[ScoredPassage]:
        """Candidates with a positive score, best first; ties in the order given."""
        asked = text_features(query, self.lexicon)
        if not asked.keys or not candidates:
            return []
        with self._guard:
            pool = self._pool(candidates, no_progress, never_cancelled)
            vector = np.zeros(DIMENSIONS, np.float64)
            vector[asked.places] = asked.weights * pool.idf[asked.places]
            length = math.sqrt(float(vector @ vector))
            chosen = _chosen(pool, asked.keys, asked.places, vector, length, limit)
            scores = _exact(pool, chosen, vector, length)
        score_of = dict(zip(chosen.tolist(), (rounded(max(s, LEAST_SCORE)) for s in scores), strict=True))
        wanted = np.isin(pool.rows, chosen)
        ranked = sorted((-score_of[int(pool.rows[place])], int(place)) for place in np.flatnonzero(wanted))
        named = candidates if isinstance(candidates, DigestedPassages) else None
        return [
            ScoredPassage(candidates[place].passage_id if named is None else named.passage_id(place), -score)
            for score, place in ranked[: len(ranked) if limit is None else limit]
        ]

    # -- the rows of the candidates ----------------------------------------------------------------

    def _pool(
        self,
        candidates: Sequence[PassageProjection],
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> _Pool:
        if isinstance(candidates, DigestedPassages):
            key = candidates.pool_key
            digests = None
        else:
            digests = text_digests(candidates)
            key = hashlib.sha256(digests.tobytes()).hexdigest()
        known = self._pools.get(key)
        if known is not None:
            self._pools.move_to_end(key)
            return known
        if digests is None:
            assert isinstance(candidates, DigestedPassages)
            digests = np.frombuffer(candidates.text_digests(), "|S32")
        pool = _statistics(self._located(candidates, digests, progress, cancelled))
        self._pools[key] = pool
        while len(self._pools) > KEPT_POOLS:
            self._pools.popitem(last=False)
        return pool

    def _located(
        self,
        candidates: Sequence[PassageProjection],
        digests: npt.NDArray[np.bytes_],
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> tuple[tuple[Segment, ...], Rows]:
        segments, rows = self._find(digests)
        missing = np.flatnonzero(rows < 0)
        if not missing.size:
            return segments, rows
        _, firsts = np.unique(digests[missing], return_index=True)
        places = missing[np.sort(firsts)]
        for first in range(0, places.size, BATCH):
            if cancelled():
                raise Cancelled("Making vectors was cancelled.", "Search again to go on.")
            progress(Progress("vectors", "", first, int(places.size)))
            part = places[first : first + BATCH]
            made = feature_rows([candidates[int(place)].text for place in part], self.lexicon)
            self._folder.add(made, digests[part])
        segments, rows = self._find(digests)
        lost = np.flatnonzero(rows < 0)
        if lost.size:
            # Somebody deleted the folder meanwhile: the answer must not depend on it.
            aside = VectorFolder(None, self._name)
            for first in range(0, lost.size, BATCH):
                part = lost[first : first + BATCH]
                made = feature_rows([candidates[int(place)].text for place in part], self.lexicon)
                aside.add(made, digests[part])
            segments, rows = _find_in((*segments, *aside.segments()), digests)
        return segments, rows

    def _find(self, digests: npt.NDArray[np.bytes_]) -> tuple[tuple[Segment, ...], Rows]:
        return _find_in(self._folder.segments(), digests)


def text_digests(candidates: Sequence[PassageProjection]) -> npt.NDArray[np.bytes_]:
    """The SHA-256 of each text, as an array of 32 bytes each."""
    joined = b"".join(
        hashlib.sha256(candidate.text.encode("utf-8", "surrogatepass")).digest() for candidate in candidates
    )
    return np.frombuffer(joined, "|S32")


def _find_in(
    segments: tuple[Segment, ...], digests: npt.NDArray[np.bytes_]
) -> tuple[tuple[Segment, ...], Rows]:
    rows = np.full(digests.size, -1, np.int64)
    base = 0
    for segment in segments:
        open_places = np.flatnonzero(rows < 0)
        if not open_places.size:
            break
        found = segment.find(digests[open_places])
        rows[open_places] = np.where(found < 0, -1, found + base)
        base += segment.rows
    return segments, rows


def _statistics(located: tuple[tuple[Segment, ...], Rows]) -> _Pool:
    segments, rows = located
    sizes = np.array([segment.rows for segment in segments], np.int64)
    bases = np.concatenate(([0], np.cumsum(sizes)))
    times = np.bincount(rows, minlength=int(bases[-1]))
    frequencies = np.zeros(DIMENSIONS, np.int64)
    for segment, base, size in zip(segments, bases, sizes, strict=False):
        frequencies += _frequencies(segment, times[base : base + size])
    idf = np.log((rows.size + 1) / (frequencies + 1)) + 1.0
    present = np.flatnonzero(times)
    norms = np.empty(present.size, np.float32)
    single = idf.astype(np.float32)
    for at, segment, inside in _parts(segments, bases, present):
        cells, counts = segment.cells(inside)
        values = segment.arrays["weights"][cells] * single[segment.arrays["places"][cells]]
        norms[at] = np.sqrt(_sums(values * values, counts))
    norms[norms == 0] = 1.0
    return _Pool(segments, bases, rows, present, norms, idf)


def _frequencies(segment: Segment, times: Rows) -> Rows:
    """How many candidates have each place; ``times`` says how often each row of the segment is one."""
    starts = segment.arrays["column_starts"].astype(np.int64)
    everything = starts[1:] - starts[:-1]
    odd = np.flatnonzero(times != 1)
    if odd.size > segment.rows // 2:
        used = np.flatnonzero(times)
        cells, counts = segment.cells(used)
        weights = np.repeat(times[used], counts)
        found = np.bincount(segment.arrays["places"][cells], weights=weights, minlength=DIMENSIONS)
        return found.astype(np.int64)
    cells, counts = segment.cells(odd)
    change = np.bincount(
        segment.arrays["places"][cells], weights=np.repeat(times[odd] - 1, counts), minlength=DIMENSIONS
    )
    return everything + change.astype(np.int64)


# -- scores ----------------------------------------------------------------------------------------------


def _chosen(
    pool: _Pool,
    keys: frozenset[int],
    places: npt.NDArray[np.int32],
    vector: Floats,
    length: float,
    limit: int | None,
) -> Rows:
    """The related rows that can be among the best ``limit``, ascending."""
    total = int(pool.bases[-1])
    related = np.zeros(total, np.bool_)
    dots = np.zeros(total, np.float32)
    weights = (vector * pool.idf).astype(np.float32)
    for segment, base in zip(pool.segments, pool.bases, strict=False):
        here = slice(int(base), int(base) + segment.rows)
        mine, sums = related[here], dots[here]
        for key in keys:
            mine[segment.rows_of_key(key)] = True
        if mine.any():
            for place in places.tolist():
                inside, values = segment.column(place)
                sums[inside] += values.astype(np.float32) * weights[place]
    among = related[pool.present]
    rows = pool.present[among]
    if limit is None or rows.size <= limit:
        return rows
    scores = dots[rows] / (pool.norms[among] * np.float32(length))
    least = float(np.partition(scores, rows.size - limit)[rows.size - limit]) - 2 * _ERROR
    return rows if least <= LEAST_SCORE + _ERROR else rows[scores >= least]


def _exact(pool: _Pool, rows: Rows, vector: Floats, length: float) -> list[float]:
    """Cosines with the arithmetic of ``LocalEmbeddingMatcher``: the same to the last bit."""
    scores = np.empty(rows.size, np.float64)
    for at, segment, inside in _parts(pool.segments, pool.bases, rows):
        cells, counts = segment.cells(inside)
        places = segment.arrays["places"][cells]
        values = segment.arrays["weights"][cells] * pool.idf[places]
        starts = np.cumsum(counts) - counts
        norms = np.sqrt(np.add.reduceat(values * values, starts))
        dots = np.add.reduceat(values * vector[places], starts)
        scores[at] = dots / (norms * length)
    return [float(score) for score in scores]


def _parts(segments: Sequence[Segment], bases: Rows, rows: Rows) -> list[tuple[slice, Segment, Rows]]:
    """Ascending rows in parts of bounded size: where each part stands, its segment, and its rows there."""
    parts = []
    cuts = np.searchsorted(rows, bases)
    for number, segment in enumerate(segments):
        for first in range(int(cuts[number]), int(cuts[number + 1]), _ROWS_TOGETHER):
            at = slice(first, min(first + _ROWS_TOGETHER, int(cuts[number + 1])))
            parts.append((at, segment, rows[at] - bases[number]))
    return parts


def _sums(values: npt.NDArray[np.float32], counts: Rows) -> npt.NDArray[np.float32]:
    """The sum of every run; a run of none is 0."""
    result = np.zeros(counts.size, np.float32)
    used = counts > 0
    if values.size:
        result[used] = np.add.reduceat(values, (np.cumsum(counts) - counts)[used])
    return result

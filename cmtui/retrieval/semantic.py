"""Semantic matching without a learned model, with one that the caller loads, and the index over either.

The local matcher is conceptual within its inspectable lexicon and otherwise close to lexical: it is not an
open-domain semantic model (R80). Nothing here is stored in the canonical store, and nothing is downloaded
(R79, R82).
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from cmtui.errors import InvalidScore
from cmtui.model.retrieval import PassageProjection, ScoredPassage
from cmtui.ports import SemanticMatcher
from cmtui.retrieval.concepts import concept_lexicon
from cmtui.retrieval.fusion import rounded

if TYPE_CHECKING:
    from cmtui.retrieval.vectors import Features

#: Texts whose features are kept between requests (D4); about 4 kB each.
CACHED_TEXTS = 20_000
#: The score of a related text whose cosine rounds to nothing or is hidden by hash collisions.
LEAST_SCORE = 1e-6
_CHUNK = 2_048


class Encoder(Protocol):
    """What is used of a sentence-transformers model."""

    def encode(self, sentences: list[str]) -> Any:
        """One vector per sentence."""
        ...


class LocalEmbeddingMatcher:
    """Cosine of signed feature hashes: stems, character 4-grams and concepts, weighted by idf (R80).

    The idf is that of the candidates of the request, so nothing but the candidates is needed. A text is
    related, and scores above 0, only when it shares a stem or a concept with the query: character 4-grams
    order related texts but never relate them (``sad`` and ``saddle`` share two). Stop words do not count.
    Deterministic across processes and platforms up to rounding. Safe for threads.
    """

    def __init__(self, *, cached_texts: int = CACHED_TEXTS) -> None:
        self._limit = cached_texts
        self._cache: OrderedDict[bytes, Features] = OrderedDict()
        self._guard = threading.Lock()

    @property
    def name(self) -> str:
        """Name and revision."""
        from cmtui.retrieval.vectors import features_name

        return features_name(concept_lexicon())

    def similarities(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One cosine per text, in order; 0 where the text is not related."""
        import numpy as np

        from cmtui.retrieval.vectors import DIMENSIONS, text_features

        asked = text_features(query, concept_lexicon())
        if not asked.keys or not texts:
            return [0.0] * len(texts)
        features = [self._of(text) for text in texts]
        frequencies = np.zeros(DIMENSIONS, np.int64)
        for chunk in _chunks(features):
            frequencies += np.bincount(
                np.concatenate([one.places for one in chunk]), minlength=DIMENSIONS
            ).astype(np.int64)
        idf = np.log((len(texts) + 1) / (frequencies + 1)) + 1.0
        vector = np.zeros(DIMENSIONS, np.float64)
        vector[asked.places] = asked.weights * idf[asked.places]
        length = math.sqrt(float(vector @ vector))
        related = [not asked.keys.isdisjoint(one.keys) for one in features]
        scores = [0.0] * len(texts)
        chosen = [at for at, is_related in enumerate(related) if is_related]
        for first in range(0, len(chosen), _CHUNK):
            part = chosen[first : first + _CHUNK]
            places = np.concatenate([features[at].places for at in part])
            values = np.concatenate([features[at].weights for at in part]) * idf[places]
            sizes = np.array([features[at].places.size for at in part])
            starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
            norms = np.sqrt(np.add.reduceat(values * values, starts))
            dots = np.add.reduceat(values * vector[places], starts)
            for at, score in zip(part, (dots / (norms * length)).tolist(), strict=True):
                scores[at] = max(score, LEAST_SCORE)
        return scores

    def _of(self, text: str) -> Features:
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._guard:
            known = self._cache.get(key)
            if known is not None:
                self._cache.move_to_end(key)
                return known
        from cmtui.retrieval.vectors import text_features

        made = text_features(text, concept_lexicon())
        with self._guard:
            self._cache[key] = made
            while len(self._cache) > self._limit:
                self._cache.popitem(last=False)
        return made


class SentenceTransformerMatcher:
    """Cosine of the vectors of an encoder that the caller has loaded (R81). Nothing is downloaded (R82).

    ``floor`` is taken off every cosine, for encoders that find everything a little alike: a text is related
    when its cosine is above it.
    """

    def __init__(self, encoder: Encoder, *, name: str | None = None, floor: float = 0.0) -> None:
        self._encoder = encoder
        self._floor = floor
        self._name = name or f"sentence-transformer:{type(encoder).__name__}"

    @property
    def name(self) -> str:
        """Name and revision."""
        return self._name

    def similarities(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One cosine above the floor per text, in order. Raises InvalidScore for vectors of no use."""
        import numpy as np

        if not texts:
            return []
        vectors = np.asarray(self._encoder.encode([query, *texts]), np.float64)
        if vectors.ndim != 2 or vectors.shape[0] != len(texts) + 1 or not np.isfinite(vectors).all():
            raise InvalidScore(
                f"The encoder '{self._name}' did not answer with one finite vector per text.",
                "Check the encoder: encode(list of n strings) must give n vectors of one length.",
            )
        norms = np.linalg.norm(vectors, axis=1)
        norms[norms == 0] = 1.0
        unit = vectors / norms[:, None]
        return [float(score) - self._floor for score in unit[1:] @ unit[0]]


class InMemorySemanticIndex:
    """A SemanticIndex that is made from the candidates of each request (R76, D4).

    Candidates come in the order in which ties are to be broken.
    """

    def __init__(self, matcher: SemanticMatcher | None = None) -> None:
        self._matcher: SemanticMatcher = matcher if matcher is not None else LocalEmbeddingMatcher()

    @property
    def matcher(self) -> SemanticMatcher:
        """What scores the texts."""
        return self._matcher

    def rank(
        self, query: str, candidates: Sequence[PassageProjection], *, limit: int | None = None
    ) -> Sequence[ScoredPassage]:
        """Candidates with a positive score, best first. Raises InvalidScore."""
        scores = self._matcher.similarities(query, [candidate.text for candidate in candidates])
        if len(scores) != len(candidates):
            raise InvalidScore(
                f"The matcher '{self._matcher.name}' gave {len(scores)} scores for {len(candidates)} texts.",
                "This is a fault of the matcher; use the local one.",
            )
        ranked = sorted(
            (-rounded(checked_score(score, self._matcher.name)), place)
            for place, score in enumerate(scores)
            if checked_score(score, self._matcher.name) > 0
        )
        return [
            ScoredPassage(candidates[place].passage_id, -score)
            for score, place in ranked[: len(ranked) if limit is None else limit]
        ]


def checked_score(score: object, name: str) -> float:
    """``score`` as a float. Raises InvalidScore unless it is a finite number (R78)."""
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise InvalidScore(
            f"'{name}' answered with {score!r}, which is no finite number.",
            "This is a fault of the index or matcher; use the local one.",
        )
    return float(score)


def _chunks(features: Sequence[Features]) -> list[Sequence[Features]]:
    return [features[first : first + _CHUNK] for first in range(0, len(features), _CHUNK)]

"""Texts as sparse vectors of signed feature hashes: stems, character 4-grams and concepts (R80).

One place in 32,768 for each feature, chosen with its sign by BLAKE2b of its name, so that the vectors are the
same in every process and on every platform (R191). Nothing here depends on other texts: idf is applied when a
query is asked.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cmtui.retrieval.concepts import ConceptLexicon
from cmtui.retrieval.tokens import STOP_WORDS, stem, stemmer_version, word_counts

#: Dimensions of the hashed space (design/retrieval.md 3: 4,096 lose .044 nDCG@10 on SciFact).
DIMENSIONS = 32_768
#: How much a stem, each of its character 4-grams, and a concept count. Chosen on SciFact train claims.
STEM_WEIGHT = 1.0
GRAM_WEIGHT = 0.3
CONCEPT_WEIGHT = 0.5
#: Raised with every change of what a feature is: vectors of another version are made anew.
FEATURES_VERSION = 2
#: Texts whose features are counted together; bounds the memory of a block to a few megabytes.
_TOGETHER = 256

Places = npt.NDArray[np.uint16]
Weights = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint64]
Starts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Features:
    """One text: its places in ascending order with signed weights; and the keys of its stems and concepts,
    64-bit digests that do not collide where places do."""

    places: npt.NDArray[np.int32]
    weights: Weights
    keys: frozenset[int]


@dataclass(frozen=True, slots=True)
class FeatureRows:
    """Many texts: row ``r`` has ``places[starts[r]:starts[r + 1]]`` in ascending order, and the same way
    ``keys[key_starts[r]:key_starts[r + 1]]``."""

    starts: Starts
    places: Places
    weights: Weights
    key_starts: Starts
    keys: Keys

    @property
    def rows(self) -> int:
        """How many texts."""
        return self.starts.size - 1


def features_name(lexicon: ConceptLexicon) -> str:
    """Name and version of the features, with all that shapes them: the key of vectors that are kept (D4)."""
    shape = (STEM_WEIGHT, GRAM_WEIGHT, CONCEPT_WEIGHT, stemmer_version(), sorted(STOP_WORDS), lexicon.digest)
    digest = hashlib.sha256(repr(shape).encode("utf-8")).hexdigest()
    return f"local-hash-{DIMENSIONS}/{FEATURES_VERSION}+{digest[:12]}"


def text_features(text: str, lexicon: ConceptLexicon) -> Features:
    """The features of one text, as of a query."""
    rows = feature_rows([text], lexicon)
    return Features(rows.places.astype(np.int32), rows.weights, frozenset(rows.keys.tolist()))


def feature_rows(texts: Sequence[str], lexicon: ConceptLexicon) -> FeatureRows:
    """The features of many texts. A row is the same whichever texts stand beside it."""
    parts = [
        _together(texts[first : first + _TOGETHER], lexicon) for first in range(0, len(texts), _TOGETHER)
    ]
    return joined_rows(parts)


def joined_rows(parts: Iterable[FeatureRows]) -> FeatureRows:
    """Rows one after another."""
    given = list(parts)
    return FeatureRows(
        _joined_starts([part.starts for part in given]),
        np.concatenate([np.empty(0, np.uint16), *(part.places for part in given)]),
        np.concatenate([np.empty(0, np.float32), *(part.weights for part in given)]),
        _joined_starts([part.key_starts for part in given]),
        np.concatenate([np.empty(0, np.uint64), *(part.keys for part in given)]),
    )


def ragged(starts: Starts, sizes: Starts) -> Starts:
    """The indexes ``starts[i] ... starts[i] + sizes[i] - 1`` of every run ``i``, one after another."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if ends.size else 0
    return np.repeat(starts - (ends - sizes), sizes) + np.arange(total, dtype=np.int64)


def _together(texts: Sequence[str], lexicon: ConceptLexicon) -> FeatureRows:
    known: dict[str, int] = {}
    words: list[Features] = []
    word_of: list[int] = []
    scale: list[float] = []
    ends: list[int] = []
    for text in texts:
        for word, count in word_counts(text).items():
            if word in STOP_WORDS:
                continue
            at = known.get(word)
            if at is None:
                at = known[word] = len(words)
                words.append(_word(word, lexicon))
            word_of.append(at)
            scale.append(1.0 if count == 1 else 1.0 + math.log(count))
        ends.append(len(word_of))
    row_of = np.repeat(np.arange(len(texts), dtype=np.int64), np.diff(ends, prepend=0))
    used = np.array(word_of, np.int64)

    sizes = np.array([word.places.size for word in words], np.int64)
    flat = ragged((np.cumsum(sizes) - sizes)[used], sizes[used])
    all_places = np.concatenate([np.empty(0, np.int32), *(word.places for word in words)])
    all_weights = np.concatenate([np.empty(0, np.float32), *(word.weights for word in words)])
    cells = np.repeat(row_of, sizes[used]) * DIMENSIONS + all_places[flat]
    # Scaled in float32 and added in float64 in the order of the words: the same sum in every block.
    values = all_weights[flat] * np.repeat(np.array(scale, np.float32), sizes[used])
    cells, inverse = np.unique(cells, return_inverse=True)
    weights = np.bincount(inverse, weights=values, minlength=cells.size).astype(np.float32)

    key_lists = [np.fromiter(sorted(word.keys), np.uint64, len(word.keys)) for word in words]
    key_sizes = np.array([keys.size for keys in key_lists], np.int64)
    distinct, number = np.unique(np.concatenate([np.empty(0, np.uint64), *key_lists]), return_inverse=True)
    flat_keys = ragged((np.cumsum(key_sizes) - key_sizes)[used], key_sizes[used])
    width = max(1, distinct.size)
    key_cells = np.unique(np.repeat(row_of, key_sizes[used]) * width + number[flat_keys])
    return FeatureRows(
        _starts(cells // DIMENSIONS, len(texts)),
        (cells % DIMENSIONS).astype(np.uint16),
        weights,
        _starts(key_cells // width, len(texts)),
        distinct[key_cells % width],
    )


def _starts(row_of: Starts, rows: int) -> Starts:
    return np.concatenate(([0], np.cumsum(np.bincount(row_of, minlength=rows)))).astype(np.int64)


def _joined_starts(parts: Sequence[Starts]) -> Starts:
    base = 0
    moved = [np.zeros(1, np.int64)]
    for part in parts:
        moved.append(part[1:] + base)
        base += int(part[-1])
    return np.concatenate(moved)


@lru_cache(maxsize=65_536)
def _word(word: str, lexicon: ConceptLexicon) -> Features:
    """The features of one word of a text."""
    word_stem = stem(word)
    marked = f"<{word}>"
    vector: dict[int, float] = {}
    keys = [_digest(f"s:{word_stem}")]
    keys.extend(_digest(f"c:{concept}") for concept in lexicon.of_word(word, word_stem))
    _add(vector, keys[0], STEM_WEIGHT)
    for at in range(max(1, len(marked) - 3)):
        _add(vector, _digest(f"g:{marked[at : at + 4]}"), GRAM_WEIGHT)
    for key in keys[1:]:
        _add(vector, key, CONCEPT_WEIGHT)
    return Features(
        np.array(list(vector), np.int32), np.array(list(vector.values()), np.float32), frozenset(keys)
    )


def _digest(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8"), digest_size=8).digest(), "little")


def _add(vector: dict[int, float], digest: int, weight: float) -> None:
    """The top bit of the digest is the sign of the feature."""
    place = digest % DIMENSIONS
    vector[place] = vector.get(place, 0.0) + (weight if digest >> 63 else -weight)

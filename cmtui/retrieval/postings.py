"""Ranked boolean search over one open generation of the index.

The inverted lists are Whoosh's; matching and ranking happen here, on arrays, for two reasons. The answer must
not depend on the order in which documents were added nor on how Whoosh cut them into segments (R191): Whoosh
breaks ties by row number, counts deleted rows in idf and averages lengths differently before and after a
merge. And plain Whoosh takes over 70 ms for a claim of ten words at 10,000 passages (retrieval.md 2.2).

The formula is that of Whoosh's BM25F for one field with its defaults (K1 = 1.2, B = 0.75)::

    idf(t)   = ln(N / (n(t) + 1)) + 1
    score(t) = idf(t) * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / average length))

with N, n and the average over live passages only, lengths in words as Whoosh codes them (one lossy byte).
A phrase counts as one term whose idf is the sum of its words'; a prefix as one term with all its words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from cmtui.model.retrieval import Filters, ScoredPassage
from cmtui.retrieval.fusion import rounded
from cmtui.retrieval.query import AllOf, AnyOf, FieldFilter, Node, Phrase, Prefix, Query, Term

K1 = 1.2
B = 0.75
#: Postings kept in memory per generation; older ones are dropped all at once beyond this (8 bytes each).
CACHED_POSTINGS = 4_000_000

Rows = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Hits:
    """Row numbers in ascending order, with one number for each (a frequency or a score)."""

    rows: Rows
    values: Numbers


@dataclass(frozen=True, slots=True)
class _Document:
    document_id: str
    source_id: str
    kind: str


_NOTHING = Hits(np.empty(0, np.int64), np.empty(0, np.float64))


class PostingReader:
    """One generation of the index, read only. Not safe for threads: Whoosh's files share one position."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._leaves: list[tuple[Any, int]] = list(reader.leaf_readers()) if reader.doc_count_all() else []
        size = int(reader.doc_count_all())
        self._lengths = np.zeros(size, np.float64)
        self._owner = np.full(size, -1, np.int64)  # place of the row's document in _documents
        found: list[tuple[_Document, Rows]] = []
        for leaf, base in self._leaves:
            for row in range(leaf.doc_count_all()):
                self._lengths[base + row] = leaf.doc_field_length(row, "body", 0)
            for term in leaf.lexicon("document_id"):
                rows = np.fromiter(leaf.postings("document_id", term).all_ids(), np.int64) + base
                if not rows.size:
                    continue  # all its rows are deleted
                stored = leaf.stored_fields(int(rows[0]) - base)
                source_id, kind = stored["about"]
                document = _Document(term.decode("utf-8"), source_id, kind)
                found.append((document, rows if "passage_id" in stored else rows[:0]))
        found.sort(key=lambda pair: (pair[0].source_id, pair[0].document_id))
        self._documents = [document for document, _ in found]
        for place, (_, rows) in enumerate(found):
            self._owner[rows] = place
        live = self._owner >= 0
        self._count = int(live.sum())
        average = float(self._lengths[live].sum()) / self._count if self._count else 1.0
        self._norms = K1 * (1 - B + B * self._lengths / (average or 1.0))
        self._cache: dict[Node, tuple[Hits, float]] = {}
        self._cached = 0

    def close(self) -> None:
        """Close the files."""
        self._reader.close()

    @property
    def document_ids(self) -> frozenset[str]:
        """Ids of the documents in the index."""
        return frozenset(document.document_id for document in self._documents)

    def search(self, query: Query, filters: Filters, limit: int) -> list[ScoredPassage]:
        """The best ``limit`` passages; ties by source, document and place in the document."""
        hits = self._match(query.root)
        if not hits.rows.size:
            return []
        owners = self._owner[hits.rows]
        keep = owners >= 0
        allowed = self._allowed(query.filters, filters)
        if allowed is not None:
            keep &= allowed[owners]
        rows, scores, owners = hits.rows[keep], hits.values[keep], owners[keep]
        if rows.size > limit:
            # Everything that could round to the score at the limit stays in, so that ties are broken below.
            boundary = np.partition(scores, rows.size - limit)[rows.size - limit]
            near = scores >= boundary - abs(boundary) * 1e-9
            rows, scores, owners = rows[near], scores[near], owners[near]
        ranked = sorted(
            (-rounded(float(score)), int(owner), int(row))
            for score, owner, row in zip(scores, owners, rows, strict=True)
        )
        return [ScoredPassage(self._passage_id(row), -score) for score, _, row in ranked[:limit]]

    # -- filters -----------------------------------------------------------------------------------

    def _allowed(self, chosen: Sequence[FieldFilter], filters: Filters) -> npt.NDArray[np.bool_] | None:
        if not (chosen or filters.source_ids or filters.document_ids or filters.kinds):
            return None
        kinds = {str(kind) for kind in filters.kinds}
        return np.array(
            [
                (not filters.source_ids or document.source_id in filters.source_ids)
                and (not filters.document_ids or document.document_id in filters.document_ids)
                and (not kinds or document.kind in kinds)
                and _passes(document, chosen)
                for document in self._documents
            ],
            dtype=np.bool_,
        )

    def _passage_id(self, row: int) -> str:
        for leaf, base in reversed(self._leaves):
            if row >= base:
                return str(leaf.stored_fields(row - base)["passage_id"])
        raise AssertionError("a row outside of the index")

    # -- matching ----------------------------------------------------------------------------------

    def _match(self, node: Node) -> Hits:
        """Rows that match, with their scores."""
        if isinstance(node, AnyOf | AllOf):
            parts = [self._match(child) for child in node.children]
            hits = _union(parts) if isinstance(node, AnyOf) else _intersection(parts)
            for excluded in node.excluded:
                keep = ~np.isin(hits.rows, self._match(excluded).rows)
                hits = Hits(hits.rows[keep], hits.values[keep])
            return hits
        frequencies, idf = self._leaf(node)
        tf = frequencies.values
        scores = idf * tf * (K1 + 1) / (tf + self._norms[frequencies.rows])
        return Hits(frequencies.rows, scores)

    def _leaf(self, node: Term | Prefix | Phrase) -> tuple[Hits, float]:
        """Frequencies of a term, prefix or phrase in the rows that have it, and its idf."""
        known = self._cache.get(node)
        if known is not None:
            return known
        if isinstance(node, Term):
            hits = self._postings("body", [node.stem])
            idf = self._idf(hits)
        elif isinstance(node, Prefix):
            expanded = (term.decode("utf-8") for term in self._reader.expand_prefix("surface", node.text))
            hits = self._postings("surface", expanded)
            idf = self._idf(hits)
        else:
            parts = [self._leaf(Term(stem)) for stem in node.stems]
            idf = sum(self._idf(part) for part, _ in parts)
            hits = self._phrase(node, [part.rows for part, _ in parts])
        if self._cached > CACHED_POSTINGS:
            self._cache.clear()
            self._cached = 0
        self._cache[node] = (hits, idf)
        self._cached += 2 * hits.rows.size
        return hits, idf

    def _idf(self, hits: Hits) -> float:
        return math.log(self._count / (hits.rows.size + 1)) + 1 if self._count else 0.0

    def _postings(self, field: str, terms: Iterable[str]) -> Hits:
        """Live rows of any of the terms with the sum of their frequencies."""
        rows: list[int] = []
        weights: list[float] = []
        names = list(terms)
        for leaf, base in self._leaves:
            for name in names:
                matcher = self._matcher(leaf, field, name)
                while matcher is not None and matcher.is_active():
                    rows.append(matcher.id() + base)
                    weights.append(matcher.weight())
                    matcher.next()
        if not rows:
            return _NOTHING
        found, inverse = np.unique(np.array(rows, np.int64), return_inverse=True)
        summed = np.zeros(found.size, np.float64)
        np.add.at(summed, inverse, np.array(weights, np.float64))
        keep = self._owner[found] >= 0
        return Hits(found[keep], summed[keep])

    @staticmethod
    def _matcher(leaf: Any, field: str, term: str) -> Any:
        encoded = term.encode("utf-8")
        return leaf.postings(field, encoded) if (field, encoded) in leaf else None

    def _phrase(self, node: Phrase, lists: list[Rows]) -> Hits:
        """Rows in which the stems stand one after the other, and how often."""
        candidates = reduce(lambda a, b: np.intersect1d(a, b, assume_unique=True), lists)
        rows: list[int] = []
        counts: list[float] = []
        for leaf, base in self._leaves:
            here = candidates[(candidates >= base) & (candidates < base + leaf.doc_count_all())]
            if not here.size:
                continue
            matchers = [self._matcher(leaf, "body", stem) for stem in node.stems]
            for row in here.tolist():
                starts: set[int] | None = None
                for place, matcher in enumerate(matchers):
                    matcher.skip_to(row - base)
                    positions = {at - place for at in matcher.value_as("positions")}
                    starts = positions if starts is None else starts & positions
                    if not starts:
                        break
                if starts:
                    rows.append(row)
                    counts.append(len(starts))
        return Hits(np.array(rows, np.int64), np.array(counts, np.float64)) if rows else _NOTHING


def _passes(document: _Document, chosen: Sequence[FieldFilter]) -> bool:
    """Whether a document passes the filters of a query: any value of a field, every field."""
    wanted: dict[str, bool] = {}
    for one in chosen:
        if one.field == "kind":
            match = document.kind == one.value
        elif one.field == "source":
            match = document.source_id.startswith(one.value)
        else:
            match = document.document_id.startswith(one.value)
        if one.excluded:
            if match:
                return False
        else:
            wanted[one.field] = wanted.get(one.field, False) or match
    return all(wanted.values())


def _union(parts: Sequence[Hits]) -> Hits:
    """Rows of any part; scores are added in the order of the parts, so that sums do not depend on rows."""
    if len(parts) == 1:
        return parts[0]
    rows = np.unique(np.concatenate([part.rows for part in parts]))
    values = np.zeros(rows.size, np.float64)
    for part in parts:
        values[np.searchsorted(rows, part.rows)] += part.values
    return Hits(rows, values)


def _intersection(parts: Sequence[Hits]) -> Hits:
    """Rows of every part, with their scores added in order."""
    rows = reduce(lambda a, b: np.intersect1d(a, b, assume_unique=True), [part.rows for part in parts])
    values = np.zeros(rows.size, np.float64)
    for part in parts:
        values += part.values[np.searchsorted(part.rows, rows)]
    return Hits(rows, values)

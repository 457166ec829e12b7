"""One adapter for lexical and dense search through pymilvus, from a file on this machine to a cluster.

The same code runs on a Milvus Lite file (a path that ends in ``.db``), on a server on this machine and on a
cluster (a URI). Everything in Milvus is derived: canonical text, verification and identities stay in the
store, answers are ids and scores and are checked like those of any index, and a collection can be dropped at
any time.

A server elsewhere receives the words of every passage and of every query. That is refused unless
``allow_remote`` is set (D1).
"""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
import math
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from cmtui.errors import (
    Cancelled,
    ConfigError,
    ExtraMissing,
    IndexDamaged,
    InvalidScore,
)
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback
from cmtui.model.retrieval import Filters, PassageProjection, ScoredPassage
from cmtui.model.source import CanonicalDocument, DocumentSummary
from cmtui.retrieval.fusion import RRF_K, rounded
from cmtui.retrieval.milvus import collection as layout
from cmtui.retrieval.query import parse

#: Passages sent at once, and the most that Milvus answers.
BATCH = 500
MOST = 16_384
#: The score of a passage that matches by a prefix alone: Milvus has no BM25 for those.
PREFIX_SCORE = 1e-6


class DenseEncoder(Protocol):
    """Makes the vectors of the dense side, such as a model of ``[learned]``. Vectors have unit length."""

    @property
    def name(self) -> str:
        """Model and revision: another one is another collection."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def encode(self, texts: Sequence[str], *, query: bool) -> Sequence[Sequence[float]]:
        """One vector per text; ``query`` says whether they are queries or passages."""
        ...


class MilvusIndex:
    """A LexicalIndex and a SemanticIndex over one collection.

    ``uri`` is a path ending in ``.db`` (Milvus Lite) or an http(s) address. ``name`` sets collections of
    several stores apart. Without an ``encoder`` there is no dense side. Safe for threads. Raises ConfigError
    for a remote address without ``allow_remote``, ExtraMissing without pymilvus.
    """

    def __init__(
        self,
        uri: str,
        *,
        name: str = "cmtui",
        token: str = "",
        allow_remote: bool = False,
        encoder: DenseEncoder | None = None,
    ) -> None:
        self.uri = uri
        self.remote = is_remote(uri)
        if self.remote and not allow_remote:
            raise ConfigError(
                f"The index at {_shown(uri)} is not on this machine, and every passage would be sent there.",
                "Open it with MilvusIndex(..., allow_remote=True) if that is wanted.",
            )
        dense = encoder.name if encoder is not None else ""
        self._encoder = encoder
        self._passages = f"{name}_{layout.fingerprint(dense)}"
        self._documents = f"{self._passages}_documents"
        self._token = token
        self._client: Any = None
        self._covered: frozenset[str] | None = None
        self._guard = threading.RLock()

    # -- the lexical port --------------------------------------------------------------------------

    def covers(self) -> frozenset[str]:
        """Ids of the documents whose passages are all there, as this process knows.

        Read once: what another process adds in between is sent again, which changes nothing, and what it
        removes has left the store too.
        """
        with self._guard:
            if self._covered is None:
                self._covered = frozenset(self._document_ids(""))
            return self._covered

    def add(
        self,
        documents: Sequence[tuple[DocumentSummary, CanonicalDocument]],
        *,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> None:
        """Send the passages of documents, a document at a time; those already there are no-ops.

        A document counts only once its last passage has arrived, so a cancelled or broken run is resumed by
        adding the same documents again. Raises Cancelled, IndexDamaged.
        """
        known = self.covers()
        fresh = {d.document_id: (s, d) for s, d in documents if d.document_id not in known}
        total = sum(len(document.passages) for _, document in fresh.values())
        done = 0
        progress(Progress("index", "", 0, total))
        for summary, document in fresh.values():
            rows = layout.passage_rows(document, summary.source_id)
            for first in range(0, len(rows), BATCH):
                if cancelled():
                    raise Cancelled("Indexing was cancelled.", "Search again to go on.")
                progress(Progress("index", summary.name, done, total))
                part = self._with_vectors(document, rows[first : first + BATCH], first)
                self._call("upsert", self._passages, part)
                done += len(part)
            if cancelled():
                raise Cancelled("Indexing was cancelled.", "Search again to go on.")
            row = {"document_id": document.document_id, "passages": len(rows), "nothing": [0.0, 0.0]}
            self._call("upsert", self._documents, [row])
            with self._guard:
                self._covered = self.covers() | {document.document_id}
        if fresh:
            # Until a segment is sealed it is searched row by row: 600 ms against 20 ms at 2,600 passages. A
            # cluster limits how often this may be asked and seals by itself, so a refusal is no failure.
            with contextlib.suppress(IndexDamaged):
                self._call("flush", self._passages)
        progress(Progress("index", "", done, total))

    def remove(self, document_ids: Sequence[str]) -> None:
        """Forget documents: first that they are there, then their passages."""
        for document_id in sorted(self.covers() & set(document_ids)):
            condition = f'document_id == "{document_id}"'
            self._call("delete", self._documents, filter=condition)
            with self._guard:
                self._covered = self.covers() - {document_id}
            self._call("delete", self._passages, filter=condition)

    def search(self, query: str, *, filters: Filters, limit: int) -> Sequence[ScoredPassage]:
        """Passages by Milvus's BM25, best first; ties by passage id. Raises QueryError, IndexDamaged.

        Scores are those of Milvus: it counts deleted passages until its next compaction, and Milvus Lite
        takes word statistics from the filtered passages. They may change with a collection's history.
        """
        parsed = parse(query)
        conditions = self._conditions(filters, parsed.filters)
        if conditions is None:
            return []
        if layout.needs_condition(parsed.root):
            conditions.append(f"({layout.condition(parsed.root)})")
        stems = layout.scored_stems(parsed.root)
        expression = " and ".join(conditions)
        found: dict[str, float] = {}
        if stems:
            text = " ".join(layout.plain_word(stem) for stem in stems)
            found = self._ask("bm25", [text], "BM25", expression, limit)
        if len(found) < limit and layout.has_prefix(parsed.root):
            for passage_id in self._matching(expression):
                found.setdefault(passage_id, PREFIX_SCORE)
        return _ranked(found, limit)

    # -- the semantic port -------------------------------------------------------------------------

    def rank(
        self, query: str, candidates: Sequence[PassageProjection], *, limit: int | None = None
    ) -> Sequence[ScoredPassage]:
        """Candidates by the inner product of their vectors with the query's, best first.

        Only passages that are in the collection are ranked: add their documents first. Raises ConfigError
        without an encoder.
        """
        wanted = {candidate.passage_id for candidate in candidates}
        most = min(MOST, len(wanted) if limit is None else max(limit * 2, 64))
        while True:
            found = self._ask("dense", [self._vector(query)], "IP", "", most)
            inside = {key: score for key, score in found.items() if key in wanted and score > 0}
            enough = limit is not None and len(inside) >= limit
            if enough or len(found) < most or most >= MOST:
                return _ranked(inside, len(inside) if limit is None else limit)
            most = min(MOST, most * 4)

    def fused(self, query: str, *, filters: Filters, limit: int) -> Sequence[ScoredPassage]:
        """BM25 and vectors fused by Milvus itself, by reciprocal ranks with k = 60 (R72): for libraries whose
        passages nobody enumerates. Plain words only; the query language belongs to ``search``."""
        from pymilvus import AnnSearchRequest, RRFRanker

        conditions = self._conditions(filters, ())
        if conditions is None:
            return []
        expression = " and ".join(conditions)
        stems = layout.scored_stems(parse(query).root)
        text = " ".join(layout.plain_word(stem) for stem in stems)
        depth = min(MOST, max(limit * 4, 100))
        requests = [
            AnnSearchRequest([text], "bm25", {"metric_type": "BM25"}, depth, expr=expression),
            AnnSearchRequest([self._vector(query)], "dense", {"metric_type": "IP"}, depth, expr=expression),
        ]
        [hits] = self._call(
            "hybrid_search",
            self._passages,
            requests,
            RRFRanker(RRF_K),
            limit=limit,
            output_fields=["document_id"],
        )
        return _ranked(self._scores(hits), limit)

    # -- lifetime ----------------------------------------------------------------------------------

    def drop(self) -> None:
        """Delete both collections. Nothing is lost: the store holds everything they were made from."""
        with self._guard, self._connected() as client:
            for name in (self._documents, self._passages):
                if client.has_collection(name):
                    client.drop_collection(name)
        self.close()

    def close(self) -> None:
        """Close the connection. The index opens again by itself."""
        with self._guard:
            if self._client is not None:
                with contextlib.suppress(Exception):
                    self._client.close()
            self._client = None
            self._covered = None

    # -- asking ------------------------------------------------------------------------------------

    def _ask(self, where: str, data: list[Any], metric: str, expression: str, limit: int) -> dict[str, float]:
        [hits] = self._call(
            "search",
            self._passages,
            data=data,
            anns_field=where,
            limit=min(limit, MOST),
            filter=expression,
            search_params={"metric_type": metric},
            output_fields=["document_id"],
        )
        # Milvus Lite tells BM25 with a minus sign, a server without.
        return self._scores(hits, sign=metric == "BM25")

    def _scores(self, hits: Any, *, sign: bool = False) -> dict[str, float]:
        covered = self.covers()
        found: dict[str, float] = {}
        for hit in hits:
            score = abs(float(hit["distance"])) if sign else float(hit["distance"])
            if not math.isfinite(score):
                raise InvalidScore("The index answered with a score that is no number.", _AGAIN)
            if hit["entity"]["document_id"] in covered:
                found[str(hit["passage_id"])] = rounded(score)
        return found

    def _matching(self, expression: str) -> list[str]:
        rows = self._call(
            "query",
            self._passages,
            filter=expression,
            output_fields=["passage_id", "document_id"],
            limit=MOST,
        )
        covered = self.covers()
        return sorted(row["passage_id"] for row in rows if row["document_id"] in covered)

    def _conditions(self, filters: Filters, fields: Sequence[Any]) -> list[str] | None:
        """Filter expressions; None when nothing can match."""
        covered = self.covers()
        chosen = covered
        conditions: list[str] = []
        if filters.document_ids:
            chosen = covered & filters.document_ids
        if not chosen:
            return None
        if chosen != covered:
            conditions.append(f"document_id in {_listed(chosen)}")
        if filters.source_ids:
            conditions.append(f"source_id in {_listed(filters.source_ids)}")
        if filters.kinds:
            conditions.append(f"kind in {_listed(str(kind) for kind in filters.kinds)}")
        for field in fields:
            column = {"kind": "kind", "source": "source_id", "document": "document_id"}[field.field]
            value = "".join(c for c in field.value.lower() if c.isascii() and (c.isalnum() or c == "-"))
            same = f'{column} like "{value}%"' if column != "kind" else f'kind == "{value}"'
            conditions.append(f"(not ({same}))" if field.excluded else f"({same})")
        return conditions

    def _with_vectors(
        self, document: CanonicalDocument, rows: list[dict[str, Any]], first: int
    ) -> list[dict[str, Any]]:
        if self._encoder is None:
            return rows
        passages = document.passages[first : first + len(rows)]
        vectors = self._encoder.encode([document.passage_text(p) for p in passages], query=False)
        return [
            row | {"dense": [float(x) for x in vector]} for row, vector in zip(rows, vectors, strict=True)
        ]

    def _vector(self, query: str) -> list[float]:
        if self._encoder is None:
            raise ConfigError(
                "This index has no vectors: it was opened without a model.",
                "Set learned.embedding_model to the directory of a model, or search lexically.",
            )
        [vector] = self._encoder.encode([query], query=True)
        return [float(value) for value in vector]

    # -- the connection ----------------------------------------------------------------------------

    def _call(self, method: str, *args: Any, **options: Any) -> Any:
        """Ask the server. Whatever the client raises means that its answer cannot be used (fail closed)."""
        with self._guard, self._connected() as client:
            try:
                return getattr(client, method)(*args, **options)
            except Exception as error:
                self.close()
                raise IndexDamaged(
                    f"The index at {_shown(self.uri)} did not answer ({type(error).__name__}).",
                    "Check that it runs, then search again; it can be dropped and filled anew at any time.",
                ) from error

    def _document_ids(self, prefix: str) -> list[str]:
        """Ids that begin so, in parts that one answer can hold."""
        rows = self._call(
            "query",
            self._documents,
            filter=f'document_id like "{prefix}%"',
            output_fields=["document_id"],
            limit=MOST,
        )
        if len(rows) < MOST:
            return [str(row["document_id"]) for row in rows]
        return [key for digit in "0123456789abcdef" for key in self._document_ids(prefix + digit)]

    @contextlib.contextmanager
    def _connected(self) -> Iterator[Any]:
        if self._client is None:
            self._client = self._connect()
        yield self._client

    def _connect(self) -> Any:
        try:
            from pymilvus import MilvusClient
        except ImportError as error:
            raise ExtraMissing(
                "Searching with Milvus needs the package pymilvus.", "pip install 'cmtui[milvus]'"
            ) from error
        if not self.uri.startswith(("http://", "https://")):
            Path(self.uri).parent.mkdir(parents=True, exist_ok=True)
        try:
            client = MilvusClient(self.uri, token=self._token)
            if not client.has_collection(self._passages):
                dimensions = self._encoder.dimensions if self._encoder is not None else 0
                layout.make_passages(client, self._passages, dimensions)
            if not client.has_collection(self._documents):
                layout.make_documents(client, self._documents)
            for name in (self._passages, self._documents):
                client.load_collection(name)
        except Exception as error:
            raise IndexDamaged(
                f"The index at {_shown(self.uri)} cannot be opened ({type(error).__name__}).",
                "Check the address and that the server runs.",
            ) from error
        return client


_AGAIN = "Drop the collection and search again: it is filled from the stored documents."


def is_remote(uri: str) -> bool:
    """Whether an address is on another machine. A path and a loopback address are not."""
    if "://" not in uri:
        return False
    host = urlsplit(uri).hostname or ""
    if host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


def collection_name(store: Path) -> str:
    """The name of a store's collections: the same for the same directory."""
    return f"cmtui_{hashlib.sha256(str(store.resolve()).encode()).hexdigest()[:12]}"


def _shown(uri: str) -> str:
    """An address without user name, password or query."""
    if "://" not in uri:
        return uri
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.hostname or ''}" + (f":{parts.port}" if parts.port else "")


def _listed(values: Any) -> str:
    return "[" + ", ".join(f'"{value}"' for value in sorted(values)) + "]"


def _ranked(found: dict[str, float], limit: int) -> list[ScoredPassage]:
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return [ScoredPassage(passage_id, score) for passage_id, score in ordered[:limit]]

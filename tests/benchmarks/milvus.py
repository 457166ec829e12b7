"""Milvus beside the default index on SciFact's 5,183 abstracts: ``python -m tests.benchmarks milvus`` in the
environment that ``make test-milvus`` makes. Figures are of this machine; a cluster was never at hand."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from cmtui.model.progress import never_cancelled, no_progress
from cmtui.model.retrieval import Filters
from cmtui.model.source import CanonicalDocument, DocumentSummary
from cmtui.ports import LexicalIndex
from cmtui.retrieval.lexical import WhooshLexicalIndex
from cmtui.retrieval.query import plain_query
from support.documents import make_document
from tests.benchmarks.timing import milliseconds, table

DATA = Path(__file__).parents[2] / ".." / "shared" / "data" / "eval"
#: Claims asked, and abstracts put into one document.
QUERIES, TOGETHER = 100, 20


def run() -> None:
    """Print build time and query times of both indexes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import milvus_lite  # noqa: F401

            from cmtui.retrieval.milvus.index import MilvusIndex
    except ImportError:
        print("\nMilvus: skipped, pymilvus and milvus-lite are not installed (make test-milvus).")
        return
    if not (DATA / "scifact_corpus.jsonl").exists():
        print("\nMilvus: skipped, ../shared/data is not there.")
        return
    pairs = _pairs()
    queries = [
        plain_query(json.loads(line)["text"])
        for line in (DATA / "scifact_beir_queries.jsonl").read_text("utf-8").splitlines()[:QUERIES]
    ]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (
            ("whoosh", lambda: WhooshLexicalIndex(Path(folder) / "lexical")),
            ("milvus lite, a file", lambda: MilvusIndex(str(Path(folder) / "lite.db"))),
        ):
            rows.append(_row(name, make, pairs, queries))
    passages = sum(len(document.passages) for _, document in pairs)
    table(
        f"{passages:,} passages of SciFact, {len(queries)} claims, top 50",
        ["index", "build", "p50", "p95", "top 10 shared"],
        [[*row, share] for row, share in zip([r[:4] for r in rows], _shares(rows), strict=True)],
    )


def _row(
    name: str,
    make: Callable[[], LexicalIndex],
    pairs: list[tuple[DocumentSummary, CanonicalDocument]],
    queries: list[str],
) -> list[object]:
    index = make()
    start = time.perf_counter()
    index.add(pairs, progress=no_progress, cancelled=never_cancelled)
    built = time.perf_counter() - start
    index.search(queries[0], filters=Filters(), limit=50)
    times, tops = [], []
    for query in queries:
        start = time.perf_counter()
        hits = index.search(query, filters=Filters(), limit=50)
        times.append(time.perf_counter() - start)
        tops.append({hit.passage_id for hit in hits[:10]})
    index.close()  # type: ignore[attr-defined]
    ordered = sorted(times)
    p95 = ordered[int(len(ordered) * 0.95) - 1]
    return [name, f"{built:.1f} s", milliseconds(statistics.median(times)), milliseconds(p95), tops]


def _shares(rows: list[list[object]]) -> list[str]:
    first = rows[0][4]
    return [
        f"{statistics.mean(len(a & b) / max(1, len(a)) for a, b in zip(first, row[4], strict=True)):.2f}"  # type: ignore[call-overload]
        for row in rows
    ]


def _pairs() -> list[tuple[DocumentSummary, CanonicalDocument]]:
    texts = [
        " ".join([work["title"], *work["sentences"]]).replace("\n", " ")
        for work in map(json.loads, (DATA / "scifact_corpus.jsonl").read_text("utf-8").splitlines())
    ]
    made = []
    for at in range(0, len(texts), TOGETHER):
        document, content, artifact = make_document("\n\n".join(texts[at : at + TOGETHER]), name=f"{at}.txt")
        made.append(
            (
                DocumentSummary(
                    document_id=document.document_id,
                    source_id=artifact.artifact_id,
                    source_version=document.version.version_id,
                    kind=document.kind,
                    name=f"{at}.txt",
                    reference=artifact.reference,
                    bytes_sha256=document.version.bytes_sha256,
                    size=len(content),
                    profile=document.profile.label,
                    characters=len(document.text),
                    pages=0,
                    passages=len(document.passages),
                ),
                document,
            )
        )
    return made

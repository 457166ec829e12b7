"""Milvus as a LexicalIndex and a SemanticIndex: a Milvus Lite file, and a Milvus Lite server on loopback.

Runs where ``[milvus]`` is installed: ``make test-milvus``. The same adapter, only the address differs.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from cmtui.errors import Cancelled, ConfigError, ExtraMissing, IndexDamaged, QueryError
from cmtui.model.identity import SourceKind
from cmtui.model.progress import Progress, never_cancelled, no_progress
from cmtui.model.retrieval import Filters, PassageProjection
from cmtui.model.source import CanonicalDocument, DocumentSummary
from cmtui.retrieval.fusion import reciprocal_rank_fusion
from cmtui.retrieval.milvus.index import MilvusIndex, is_remote
from support.documents import make_document

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import milvus_lite  # noqa: F401
        import pymilvus  # noqa: F401
    INSTALLED = True
except ImportError:
    INSTALLED = False

needs_milvus = pytest.mark.skipif(not INSTALLED, reason="needs pymilvus and milvus-lite: make test-milvus")
pytestmark = pytest.mark.filterwarnings("ignore")  # of pymilvus and its protobuf files

Pair = tuple[DocumentSummary, CanonicalDocument]
Make = Callable[..., MilvusIndex]


def pair(text: str, *, name: str, kind: str = "text") -> Pair:
    document, content, artifact = make_document(text, name=name, kind=kind)
    summary = DocumentSummary(
        document_id=document.document_id,
        source_id=artifact.artifact_id,
        source_version=document.version.version_id,
        kind=document.kind,
        name=name,
        reference=artifact.reference,
        bytes_sha256=document.version.bytes_sha256,
        size=len(content),
        profile=document.profile.label,
        characters=len(document.text),
        pages=0,
        passages=len(document.passages),
    )
    return summary, document


PAIRS = [
    pair("The king sailed the sea.\n\nA storm at sea sank the ship of the king.", name="a.txt"),
    pair("The queen of the sea wept.\n\nNo king was there.", name="b.md", kind="markdown"),
    pair(
        "An experi-\nment on well-\nknown scienti\ufb01c data.\n\nExperience counts.",
        name="c.pdf",
        kind="pdf",
    ),
    pair(
        "To be or not to be.\n\nThe \u201cking\u2019s\u201d men sailed 4,118 miles."
        "\n\n\u6771\u4eac\u90fd\u306e\u6d77 caf\u00e9",
        name="d.epub",
        kind="epub",
    ),
]
TEXTS = {d.passage_id(p): d.passage_text(p) for _, d in PAIRS for p in d.passages}


class Letters:
    """An encoder without a model: counts of letters, of unit length."""

    name = "letters/1"
    dimensions = 26

    def encode(self, texts: Sequence[str], *, query: bool) -> list[list[float]]:
        rows = []
        for text in texts:
            row = [float(text.lower().count(chr(97 + n))) for n in range(26)]
            length = sum(x * x for x in row) ** 0.5 or 1.0
            rows.append([x / length for x in row])
        return rows


def free_port() -> int:
    with contextlib.closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Milvus Lite server. It listens on every address unless it is told otherwise."""
    port = free_port()
    folder = tmp_path_factory.mktemp("milvus")
    command = [str(Path(sys.executable).with_name("milvus-lite")), "server"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--data-dir", str(folder)]
    log = (folder / "log").open("wb")
    process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while True:
            with contextlib.closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)
        log.close()


@pytest.fixture(params=["file", "server"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes empty indexes, each with collections of its own."""
    if not INSTALLED:
        pytest.skip("needs pymilvus and milvus-lite: make test-milvus")
    numbers = itertools.count()
    made: list[MilvusIndex] = []
    uri = request.getfixturevalue("server") if request.param == "server" else str(tmp_path / "lite.db")

    def build(**options: object) -> MilvusIndex:
        name = f"t{abs(hash(tmp_path)) % 10**9}_{next(numbers)}"
        made.append(MilvusIndex(uri, name=name, **options))  # type: ignore[arg-type]
        return made[-1]

    yield build
    for index in made:
        with contextlib.suppress(IndexDamaged):
            index.drop()
        index.close()


def add(index: MilvusIndex, *pairs: Pair) -> None:
    index.add(pairs, progress=no_progress, cancelled=never_cancelled)


def find(index: MilvusIndex, query: str, **filters: object) -> set[str]:
    chosen = Filters(**{key: frozenset(value) for key, value in filters.items()})  # type: ignore[arg-type, call-overload]
    return {TEXTS[hit.passage_id][:8] for hit in index.search(query, filters=chosen, limit=20)}


CASES = [
    ("king", {"The king", "A storm ", "No king ", "The \u201ckin"}),
    ("KINGS", {"The king", "A storm ", "No king ", "The \u201ckin"}),
    ("king AND sea", {"The king", "A storm "}),
    ("king NOT sea", {"No king ", "The \u201ckin"}),
    ("(ship OR queen) AND sea", {"A storm ", "The quee"}),
    ('"king sailed"', {"The king"}),
    ('"the sea"', {"The king", "The quee"}),
    ('"to be or not to be"', {"To be or"}),
    ('"ship of a king"', set()),
    ("experiment", {"An exper"}),
    ("experim*", {"An exper"}),
    ("queen OR experim*", {"The quee", "An exper"}),
    ("wellknown", {"An exper"}),
    ('"well-known scientific data"', {"An exper"}),
    ("known", {"An exper"}),
    ('"experience counts"', {"Experien"}),
    ("4,118", {"The \u201ckin"}),
    ("king kind:pdf", set()),
    ("sea kind:markdown", {"The quee"}),
    ("king NOT kind:text", {"No king ", "The \u201ckin"}),
    (f"king source:{PAIRS[0][0].source_id[:16]}", {"The king", "A storm "}),
    (f"king document:{PAIRS[1][1].document_id}", {"No king "}),
    ("\u6771\u4eac", {"\u6771\u4eac\u90fd\u306e\u6d77 ca"}),
    ("caf*", {"\u6771\u4eac\u90fd\u306e\u6d77 ca"}),
    ("zebra", set()),
]


def test_the_query_language_and_filters(make: Make) -> None:
    """The words are made here, so every case means what it means to Whoosh (D5, R115)."""
    index = make()
    add(index, *PAIRS)
    assert {query: find(index, query) for query, _ in CASES} == dict(CASES)
    (a, _), (b, other), *_ = PAIRS
    assert find(index, "king", kinds=[SourceKind.TEXT]) == {"The king", "A storm "}
    assert len(find(index, "king", source_ids=[a.source_id, b.source_id])) == 3
    assert find(index, "king", source_ids=[a.source_id], document_ids=[other.document_id]) == set()
    for query in ["", "the of", 'a "b', "*x", "AND"]:
        with pytest.raises(QueryError):
            index.search(query, filters=Filters(), limit=5)
    assert find(index, 'zebra" or 1==1 or "zebra') == set()
    assert find(index, "king%\\ _sea' or true") == find(index, "king sea or true")


def test_scores_are_positive_best_first_and_repeatable(make: Make) -> None:
    index = make()
    add(index, *PAIRS)
    hits = list(index.search("queen king sea", filters=Filters(), limit=20))
    assert TEXTS[hits[0].passage_id].startswith("The queen")
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
    assert hits[-1].score > 0
    assert list(index.search("queen king sea", filters=Filters(), limit=20)) == hits
    assert list(index.search("queen king sea", filters=Filters(), limit=2)) == hits[:2]


def test_it_covers_what_was_added_until_it_is_removed(make: Make) -> None:
    """Adding again is a no-op, another process sees the same, and what was removed can come back."""
    index = make()
    assert index.covers() == frozenset()
    assert index.search("king", filters=Filters(), limit=5) == []
    add(index, *PAIRS[:2])
    add(index, *PAIRS[:3])
    ids = [document.document_id for _, document in PAIRS]
    assert index.covers() == frozenset(ids[:3])
    index.remove([ids[0], "0" * 64])
    assert find(index, "king") == {"No king "}
    index.close()
    assert index.covers() == frozenset(ids[1:3]), "read from the server again"
    add(index, PAIRS[0])
    assert len(find(index, "king")) == 3


def test_a_broken_run_leaves_no_half_document_and_is_resumed(make: Make) -> None:
    index = make()
    big = pair("\n\n".join(f"word{n} king" for n in range(1_200)), name="big.txt")
    asked = iter([False, False])
    with pytest.raises(Cancelled):
        index.add([big], progress=no_progress, cancelled=lambda: next(asked, True))
    assert index.covers() == frozenset()
    assert index.search("king", filters=Filters(), limit=5) == [], "rows of a document that is not whole"
    told: list[Progress] = []
    index.add([big], progress=told.append, cancelled=never_cancelled)
    assert (told[0].done, told[-1].done, told[-1].total) == (0, 1_200, 1_200)
    hits = index.search("word1111", filters=Filters(), limit=5)
    assert [hit.passage_id for hit in hits] == [big[1].passage_id(big[1].passages[1111])]


def test_vectors_rank_candidates_and_fusion_is_by_reciprocal_ranks(make: Make) -> None:
    """R72, R77: the server's own fusion has the order of ours over its two lists."""
    index = make(encoder=Letters())
    add(index, *PAIRS)
    candidates = [PassageProjection(key, text) for key, text in TEXTS.items()]
    hits = list(index.rank("the king wept at sea", candidates))
    assert {hit.passage_id for hit in hits} <= set(TEXTS)
    assert len(hits) >= 6
    assert list(index.rank("the king wept at sea", candidates, limit=2)) == hits[:2]
    some = candidates[:2]
    assert {hit.passage_id for hit in index.rank("king", some, limit=5)} <= {c.passage_id for c in some}
    lexical = index.search("king sea", filters=Filters(), limit=50)
    dense = index.rank("king sea", candidates)
    ours = reciprocal_rank_fusion([[h.passage_id for h in lexical], [h.passage_id for h in dense]])
    theirs = index.fused("king sea", filters=Filters(), limit=4)
    assert [h.score for h in theirs] == pytest.approx(sorted(ours.values(), reverse=True)[:4], abs=1e-6)


@needs_milvus
def test_a_server_that_does_not_answer_fails_closed() -> None:
    index = MilvusIndex(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(IndexDamaged, match=r"127\.0\.0\.1"):
        index.covers()


@pytest.mark.parametrize(
    ("uri", "remote"),
    [
        ("/home/me/index.db", False),
        ("http://localhost:19530", False),
        ("http://127.0.0.1:19530", False),
        ("http://[::1]:19530", False),
        ("https://milvus.example.org:19530", True),
        ("http://10.0.0.3:19530", True),
        ("tcp://user:secret@milvus.example.org", True),
    ],
)
def test_a_remote_index_has_to_be_allowed(uri: str, remote: bool) -> None:
    """D1: every passage and query would leave the machine, so it is asked for by name; no secret is shown."""
    assert is_remote(uri) is remote
    if remote:
        with pytest.raises(ConfigError, match="not on this machine") as caught:
            MilvusIndex(uri)
        assert "secret" not in str(caught.value)
    else:
        assert MilvusIndex(uri).remote is False


@pytest.mark.skipif(INSTALLED, reason="pymilvus is installed")
def test_a_missing_package_is_named_with_the_line_that_installs_it(tmp_path: Path) -> None:
    with pytest.raises(ExtraMissing) as caught:
        MilvusIndex(str(tmp_path / "x.db")).covers()
    assert "cmtui[milvus]" in caught.value.hint

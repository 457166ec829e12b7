"""The sample corpus in a store directory: what lies on disk, what may be deleted, and what never leaves."""

from __future__ import annotations

import json
import shutil
import socket
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.errors import InvalidRequest
from cmtui.model.claim import EvidenceReport, EvidenceSet, EvidenceSpanIdentity
from cmtui.model.ingest import IngestStatus
from cmtui.model.retrieval import PassageProjection, ScoredPassage
from support.corpus import CORPUS, ROOT, SOURCES, expected

CLAIM = "The old king was sad"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the corpus, its bibliography and one saved evidence."""
    store = tmp_path_factory.mktemp("library") / "store"
    with LocalCitationMachine.open(store) as machine:
        report = machine.ingest_paths([CORPUS])
        assert not report.errors
        items = json.loads((CORPUS / "bibliography.json").read_text("utf-8"))
        for document in report.documents:
            if document.summary.name in items:
                machine.set_bibliography(document.summary.source_id, items[document.summary.name])
        machine.find_evidence(CLAIM)
    return store


@pytest.fixture
def store(filled: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(filled, tmp_path / "store"))


def ids(report: EvidenceReport) -> list[str]:
    return [evidence_id for finding in report for evidence_id in finding.evidence_ids]


def test_the_directory_holds_snapshots_and_sidecars(filled: Path) -> None:
    """One snapshot, identity sidecar and source record for each document (R182, D10)."""
    with LocalCitationMachine.open(filled) as machine:
        documents = {row.document_id for row in machine.documents()}
        sources = {row.source_id for row in machine.documents()}
    assert len(documents) == len(SOURCES)
    for folder, names in (("snapshots", documents), ("identity", documents), ("sources", sources)):
        assert {path.stem for path in (filled / folder).glob("*.json")} == names
    assert len(list((filled / "bibliography").glob("*.json"))) == len(SOURCES) - 1


def test_a_second_ingest_changes_nothing(store: Path) -> None:
    """The same files again are unchanged, and so is the generation (R23)."""
    with LocalCitationMachine.open(store) as machine:
        before = machine.generation()
        report = machine.ingest_paths([CORPUS])
        assert {document.status for document in report.documents} == {IngestStatus.UNCHANGED}
        assert machine.generation() == before


def test_deleting_derived_data_changes_no_answer(store: Path) -> None:
    """No index data is in identity or persistence; reconstruction needs none of it (R79)."""
    queries = [(search["query"], search["mode"]) for search in expected()["searches"]]

    def answers() -> tuple[list[str], list[list[tuple[str, float]]]]:
        with LocalCitationMachine.open(store) as machine:
            modes = {
                "lexical": machine.search,
                "semantic": machine.semantic_search,
                "hybrid": machine.hybrid_search,
            }
            found = [[(r.passage_id, r.score) for r in modes[mode](query)] for query, mode in queries]
            return ids(machine.find_evidence(CLAIM)), found

    before = answers()
    assert before[0]
    with LocalCitationMachine.open(store) as machine:
        derived = machine.repository.derived
    assert derived is not None
    shutil.rmtree(derived)
    with LocalCitationMachine.open(store) as machine:
        for evidence_id in before[0]:
            assert machine.reconstruct(evidence_id) == "The old king wept beside the harbour."
    assert answers() == before


class LastFirst:
    """A semantic index of the caller: every candidate, in an order of its own."""

    def rank(
        self, query: str, candidates: Sequence[PassageProjection], *, limit: int | None = None
    ) -> Sequence[ScoredPassage]:
        del query
        ranked = [ScoredPassage(c.passage_id, 1.0 + n) for n, c in enumerate(candidates)][::-1]
        return ranked[:limit]


class Length:
    """A matcher of the caller: long texts first."""

    name = "length/1"

    def similarities(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        del query
        return [float(len(text)) for text in texts]


def test_the_engine_is_whoosh_a_replaceable_index_and_a_verifier(filled: Path) -> None:
    """Another semantic index ranks otherwise and changes no evidence id (R181, R82, R79)."""
    from cmtui.retrieval.semantic import InMemorySemanticIndex

    with LocalCitationMachine.open(filled) as machine:
        usual = machine.semantic_search("grief", limit=5)
        other = machine.semantic_search("grief", limit=5, index=LastFirst())
        longest = machine.semantic_search("grief", limit=5, index=InMemorySemanticIndex(matcher=Length()))
        assert [r.passage_id for r in usual] != [r.passage_id for r in other]
        assert [len(r.text) for r in longest] == sorted((len(r.text) for r in longest), reverse=True)
        assert ids(machine.find_evidence(CLAIM, index=LastFirst())) == ids(machine.find_evidence(CLAIM))
        derived = machine.repository.derived
        assert derived is not None
        assert list(derived.rglob("*.seg")), "Whoosh writes segments"
        assert all(check.ok for check in machine.verify())


def test_nothing_is_downloaded(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search by meaning and inference work with every socket refused (R82, R117)."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    with LocalCitationMachine.open(filled) as machine:
        assert len(machine.semantic_search("sorrow"))
        assert len(machine.hybrid_search("sorrow"))
        assert len(machine.find_evidence(CLAIM))


def test_the_members_of_a_set_are_cited_one_by_one(filled: Path) -> None:
    """Each member has its own place; the set as a whole is refused (R111)."""
    with LocalCitationMachine.open(filled) as machine:
        report = machine.find_evidence("Nine men were aboard", limit=10)
        members = tuple(f.evidence for f in report if isinstance(f.evidence, EvidenceSpanIdentity))
        assert len(members) == 2
        pair = EvidenceSet(members)
        assert machine.reconstruct(pair) == ("Nine men were aboard.", "Nine men were aboard.")
        with pytest.raises(InvalidRequest):
            machine.format_citation(pair)
        cited = [machine.format_citation(member, style="apa") for member in pair.members]
        assert len(set(cited)) == 2
        for style in ("mla", "chicago", "ieee", "bibtex"):
            assert all(machine.format_citation(member, style=style) for member in pair.members)


def test_the_card_s_packages_are_the_dependencies() -> None:
    """The libraries of the design card; httpx comes with the first network command (R185, R117)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extra = project["optional-dependencies"]["dev"]
    names = {d.split("[")[0].split(">")[0].split("=")[0].lower() for d in (*project["dependencies"], *extra)}
    assert {"textual", "rich", "pypdf", "ebooklib", "whoosh", "pyyaml", "citeproc-py"} <= names
    assert {"pytest", "pytest-asyncio"} <= names

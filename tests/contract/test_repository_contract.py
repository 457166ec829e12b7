"""One suite for ``KnowledgeRepository``, run on both adapters: memory (R7) and the store directory (D10)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cmtui.errors import AmbiguousId, InvalidRequest, NotFound
from cmtui.model.claim import Claim, ClaimRun, Relation, RunFinding, claim_id
from cmtui.model.identity import SourceArtifact, SourceKind
from cmtui.model.ingest import IngestStatus
from cmtui.model.review import EventDraft, EventType, fold
from cmtui.model.source import CanonicalDocument, IngestWarning
from cmtui.ports import KnowledgeRepository
from cmtui.store.directory import StoreRepository
from cmtui.store.memory import InMemoryKnowledgeRepository
from support.documents import make_document, make_evidence, make_profile


class StepClock:
    """A clock that moves one second each time it is asked."""

    def __init__(self) -> None:
        self.seconds = 0

    def now(self) -> str:
        self.seconds += 1
        return f"2026-12-01T10:{self.seconds // 60:02d}:{self.seconds % 60:02d}Z"


Reopen = Callable[[KnowledgeRepository], KnowledgeRepository]


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Durability against power cuts cannot be seen here; waiting for the disk only makes it slow."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(params=["memory", "directory", "reopened"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KnowledgeRepository]:
    if request.param == "memory":
        yield InMemoryKnowledgeRepository(clock=StepClock())
    else:
        yield StoreRepository.open(tmp_path / "store", clock=StepClock())


@pytest.fixture
def again(request: pytest.FixtureRequest) -> Reopen:
    """Another look at the same repository: for "reopened" as a new process would have it."""
    mode = request.node.callspec.params["repository"]

    def reopen(repository: KnowledgeRepository) -> KnowledgeRepository:
        if mode != "reopened":
            return repository
        assert repository.root is not None
        return StoreRepository.open(repository.root, clock=StepClock())

    return reopen


def commit(
    repository: KnowledgeRepository, made: tuple[CanonicalDocument, bytes, SourceArtifact], *aliases: str
) -> IngestStatus:
    document, content, artifact = made
    return repository.commit_document(document, content=content, artifact=artifact, aliases=aliases)


# -- documents -----------------------------------------------------------------------------------------


def test_both_adapters_are_knowledge_repositories(repository: KnowledgeRepository) -> None:
    """R7: an in-memory repository exists alongside the durable one."""
    assert isinstance(repository, KnowledgeRepository)
    assert (repository.root is None) == (repository.derived is None)


def test_a_committed_document_comes_back_equal(repository: KnowledgeRepository, again: Reopen) -> None:
    made = make_document("Été — naïve 𝔘nicode.\n\nSecond line.\n", name="é.txt", pages=[(0, 10), (10, 20)])
    document, content, artifact = made
    assert commit(repository, made) is IngestStatus.ADDED
    repository = again(repository)
    assert repository.document_ids() == (document.document_id,)
    assert repository.document(document.document_id) == document
    assert repository.content_bytes(document.version.bytes_sha256) == content
    assert repository.documents_of_bytes(document.version.bytes_sha256) == (document.document_id,)
    assert repository.source_of(document.document_id).artifact == artifact


def test_the_summary_says_what_the_document_and_its_source_are(
    repository: KnowledgeRepository, again: Reopen
) -> None:
    warning = IngestWarning("odd", "Page 2 is odd.", (2,))
    document, content, artifact = made = make_document(
        "One.\n\nTwo.\n", name="a%20b.txt", pages=[(0, 5), (5, 11)], warnings=[warning], language="de"
    )
    commit(repository, made)
    (row,) = again(repository).summaries()
    assert row == again(repository).summary(document.document_id)
    assert (row.document_id, row.source_id) == (document.document_id, artifact.artifact_id)
    assert row.source_version == document.version.version_id
    assert (row.name, row.reference) == ("a b.txt", "file:///library/a%20b.txt")
    assert (row.size, row.characters, row.pages, row.passages) == (len(content), 11, 2, 2)
    assert (row.profile, row.language, row.warnings) == ("cmtui-test/1", "de", (warning,))
    assert row.kind is SourceKind.TEXT
    assert row.current
    assert row.ingested_at is not None


def test_committing_the_same_document_again_changes_nothing(repository: KnowledgeRepository) -> None:
    """R23: the same bytes, reference and profile are the same document."""
    made = make_document()
    commit(repository, made)
    before = (repository.summaries(), repository.sources(), repository.generation())
    assert commit(repository, made) is IngestStatus.UNCHANGED
    assert (repository.summaries(), repository.sources(), repository.generation()) == before


def test_new_bytes_of_a_source_are_a_new_version_and_become_current(
    repository: KnowledgeRepository, again: Reopen
) -> None:
    """R12: a version is its exact bytes; old versions stay readable."""
    old = make_document("Old.\n", name="a.txt")
    new = make_document("New.\n", name="a.txt")
    assert commit(repository, old) is IngestStatus.ADDED
    assert commit(repository, new) is IngestStatus.NEW_VERSION
    repository = again(repository)
    (source,) = repository.sources()
    assert source.documents == (old[0].document_id, new[0].document_id)
    assert source.versions == (old[0].version.version_id, new[0].version.version_id)
    assert {row.document_id: row.current for row in repository.summaries()} == {
        old[0].document_id: False,
        new[0].document_id: True,
    }
    assert repository.document(old[0].document_id).text == "Old.\n"


def test_a_file_put_back_to_old_bytes_makes_the_old_document_current(
    repository: KnowledgeRepository, again: Reopen
) -> None:
    old = make_document("Old.\n", name="a.txt")
    new = make_document("New.\n", name="a.txt")
    for made in (old, new):
        commit(repository, made)
    assert commit(repository, old) is IngestStatus.UNCHANGED
    repository = again(repository)
    assert repository.summary(old[0].document_id).current
    assert not repository.summary(new[0].document_id).current


def test_the_same_bytes_under_another_profile_are_reprofiled(
    repository: KnowledgeRepository, again: Reopen
) -> None:
    """R24: a profile change is new content, and the old content still reads."""
    old = make_document(name="a.txt")
    new = make_document(name="a.txt", profile=make_profile(version="2"))
    commit(repository, old)
    assert commit(repository, new) is IngestStatus.REPROFILED
    repository = again(repository)
    (source,) = repository.sources()
    assert source.versions == (old[0].version.version_id,)
    assert repository.documents_of_bytes(old[0].version.bytes_sha256) == tuple(
        sorted([old[0].document_id, new[0].document_id])
    )
    assert repository.summary(new[0].document_id).current
    assert not repository.summary(old[0].document_id).current
    assert repository.document(old[0].document_id) == old[0]


def test_a_document_of_another_source_is_that_source_under_another_name(
    repository: KnowledgeRepository,
) -> None:
    """Two processes may ingest two copies of one file at once: there is one document still."""
    first = make_document(name="a.txt")
    second = make_document(name="copy.txt")
    assert first[0].document_id == second[0].document_id
    commit(repository, first)
    assert commit(repository, second) is IngestStatus.ALIAS
    assert commit(repository, second) is IngestStatus.UNCHANGED
    (source,) = repository.sources()
    assert source.artifact == first[2]
    assert source.aliases == (second[2].reference,)
    assert len(repository.document_ids()) == 1


def test_generation_rises_with_each_new_document_only(repository: KnowledgeRepository, again: Reopen) -> None:
    assert repository.generation() == 0
    made = make_document("A.\n", name="a.txt")
    commit(repository, made)
    one = repository.generation()
    assert one > 0
    commit(repository, make_document("B.\n", name="b.txt"))
    two = repository.generation()
    assert two > one
    repository.update_source(made[2].artifact_id, tags=["x"])
    assert again(repository).generation() == two


def test_summaries_are_sorted_by_name_then_id(repository: KnowledgeRepository) -> None:
    for name in ("c.txt", "a.txt", "b.txt"):
        commit(repository, make_document(f"{name}\n", name=name))
    commit(repository, make_document("a two\n", name="a.txt"))
    rows = repository.summaries()
    assert [row.name for row in rows] == ["a.txt", "a.txt", "b.txt", "c.txt"]
    assert [row.document_id for row in rows] == [
        row.document_id for row in sorted(rows, key=lambda row: (row.name, row.document_id))
    ]
    assert repository.document_ids() == tuple(sorted(repository.document_ids()))
    assert [source.name for source in repository.sources()] == ["a.txt", "b.txt", "c.txt"]


@pytest.mark.parametrize(
    "broken",
    [
        lambda d, b, a: (replace(d, text=d.text + "x"), b, a),
        lambda d, b, a: (d, b + b"x", a),
        lambda d, b, a: (d, b, SourceArtifact(SourceKind.PDF, a.reference)),
        lambda d, b, a: (d, b, SourceArtifact(a.kind, "")),
        lambda d, b, a: (replace(d, passages=d.passages[::-1]), b, a),
        lambda d, b, a: (replace(d, passages=(replace(d.passages[0], end=10_000),)), b, a),
        lambda d, b, a: (replace(d, passages=(replace(d.passages[0], text_sha256="0" * 64),)), b, a),
    ],
    ids=["text", "bytes", "kind", "reference", "order", "bounds", "passage digest"],
)
def test_a_document_that_contradicts_itself_is_refused(
    repository: KnowledgeRepository, broken: Callable[..., tuple[CanonicalDocument, bytes, SourceArtifact]]
) -> None:
    with pytest.raises(InvalidRequest):
        commit(repository, broken(*make_document()))
    assert repository.document_ids() == ()
    assert repository.sources() == ()


def test_ids_may_be_shortened_to_a_unique_prefix(repository: KnowledgeRepository) -> None:
    document, _, artifact = made = make_document()
    commit(repository, made)
    short = document.document_id[:4]
    assert repository.document(short) == document
    assert repository.document(document.document_id.upper()) == document
    assert repository.summary(short).document_id == document.document_id
    assert repository.source_of(short) == repository.source(artifact.artifact_id[:8])


@pytest.mark.parametrize("value", ["", "abc", "zzzz", "0" * 64, "../../etc", "0" * 65])
def test_unknown_ids_are_not_found(repository: KnowledgeRepository, value: str) -> None:
    commit(repository, make_document())
    for question in (
        repository.document,
        repository.summary,
        repository.source,
        repository.source_of,
        repository.evidence,
        repository.claim,
    ):
        with pytest.raises(NotFound) as caught:
            question(value)
        assert caught.value.hint


def test_an_ambiguous_prefix_names_the_candidates(repository: KnowledgeRepository) -> None:
    groups: dict[str, list[Claim]] = {}
    number = 0
    while not any(len(group) == 2 for group in groups.values()):
        claim = Claim(claim_id(str(number)), str(number))
        groups.setdefault(claim.claim_id[:4], []).append(claim)
        number += 1
    (pair,) = (group for group in groups.values() if len(group) == 2)
    for claim in pair:
        repository.save_claim(claim)
    with pytest.raises(AmbiguousId) as caught:
        repository.claim(pair[0].claim_id[:4])
    for claim in pair:
        assert claim.claim_id[:8] in caught.value.message
        assert repository.claim(claim.claim_id) == claim


def test_unknown_bytes_are_not_found(repository: KnowledgeRepository) -> None:
    assert repository.documents_of_bytes("0" * 64) == ()
    with pytest.raises(NotFound):
        repository.content_bytes("0" * 64)


# -- sources -------------------------------------------------------------------------------------------


def test_aliases_join_a_source_and_are_found_by_reference(
    repository: KnowledgeRepository, again: Reopen
) -> None:
    made = make_document(name="a.txt")
    commit(repository, made, "urn:isbn:1")
    source_id = made[2].artifact_id
    assert repository.add_alias(source_id, "file:///b.txt", moved=False).moved_to is None
    repository.add_alias(source_id, "file:///b.txt", moved=False)
    repository = again(repository)
    source = repository.source(source_id)
    assert source.aliases == ("urn:isbn:1", "file:///b.txt")
    for reference in (made[2].reference, "urn:isbn:1", "file:///b.txt"):
        assert repository.source_by_reference(reference) == (source,)
    assert repository.source_by_reference("file:///c.txt") == ()


def test_a_moved_source_says_where_it_is_now(repository: KnowledgeRepository, again: Reopen) -> None:
    made = make_document(name="a.txt")
    commit(repository, made)
    source_id = made[2].artifact_id
    assert repository.add_alias(source_id, "file:///new.txt", moved=True).moved_to == "file:///new.txt"
    assert again(repository).source(source_id).moved_to == "file:///new.txt"
    assert again(repository).source(source_id).source_id == source_id
    back = repository.add_alias(source_id, made[2].reference, moved=True)
    assert back.moved_to is None
    assert back.aliases == ("file:///new.txt",)


def test_user_settings_of_a_source_are_kept(repository: KnowledgeRepository, again: Reopen) -> None:
    made = make_document(name="a.txt")
    commit(repository, made)
    source_id = made[2].artifact_id
    repository.update_source(source_id, page_offset=-4)
    repository.update_source(source_id, tags=["b", "a", "b"])
    source = again(repository).source(source_id)
    assert (source.page_offset, source.tags) == (-4, ("b", "a"))
    commit(repository, make_document("Newer.\n", name="a.txt"))
    assert again(repository).source(source_id).page_offset == -4
    with pytest.raises(NotFound):
        repository.update_source("0" * 64, tags=[])
    with pytest.raises(NotFound):
        repository.add_alias("0" * 64, "file:///x", moved=False)


# -- evidence ------------------------------------------------------------------------------------------


def test_evidence_is_kept_once_and_in_order(repository: KnowledgeRepository, again: Reopen) -> None:
    document, *_ = made = make_document()
    commit(repository, made)
    entries = [make_evidence(document, start, start + 5) for start in (9, 0, 3)]
    repository.record_evidence(entries[:2])
    repository.record_evidence(entries)
    repository.record_evidence([])
    repository = again(repository)
    assert repository.evidence_entries(document.document_id) == tuple(entries)
    assert repository.evidence_entries(document.document_id[:6]) == tuple(entries)
    assert repository.evidence_entries() == tuple(entries)
    assert repository.evidence_entries("0" * 64) == ()
    for entry in entries:
        assert repository.evidence(entry.evidence_id) == entry
        assert repository.evidence(entry.evidence_id[:8]) == entry


def test_evidence_of_several_documents_stands_by_document(repository: KnowledgeRepository) -> None:
    documents = [make_document(f"Text {n} here.\n", name=f"{n}.txt")[0] for n in range(3)]
    entries = [make_evidence(document, start, start + 3) for start in (4, 0) for document in documents]
    repository.record_evidence(entries)
    expected = [e for d in sorted(d.document_id for d in documents) for e in entries if e.document_id == d]
    assert repository.evidence_entries() == tuple(expected)


@pytest.mark.parametrize(
    "change",
    [
        {"exact": "Sharks"},
        {"start": 1, "end": 7},
        {"text_sha256": "0" * 64},
        {"evidence_id": "0" * 64},
        {"end": 0},
        {"document_id": "../x"},
    ],
    ids=str,
)
def test_evidence_that_does_not_hash_to_its_id_is_refused(
    repository: KnowledgeRepository, change: dict[str, str | int]
) -> None:
    """R14: the span is bound to its exact text."""
    document, *_ = make_document()
    with pytest.raises(InvalidRequest):
        repository.record_evidence([replace(make_evidence(document, 0, 6), **change)])  # type: ignore[arg-type]
    assert repository.evidence_entries() == ()


# -- claims --------------------------------------------------------------------------------------------


def make_run(confidence: float = 0.9, evaluated_at: str | None = None) -> ClaimRun:
    finding = RunFinding(Relation.SUPPORTS, confidence, "r", "because é", "d" * 64, "d#0", 0, 4, "text")
    return ClaimRun("local/1", "hybrid", 50, ("d" * 64,), (finding,), evaluated_at)


def test_claims_are_listed_by_order_then_text(repository: KnowledgeRepository, again: Reopen) -> None:
    for text, order, archived in (("b", 1, False), ("a", 1, False), ("z", 0, False), ("gone", 0, True)):
        repository.save_claim(Claim(claim_id(text), text, order=order, archived=archived))
    repository = again(repository)
    assert [claim.text for claim in repository.claims()] == ["z", "a", "b"]
    assert [claim.text for claim in repository.claims(archived=True)] == ["gone", "z", "a", "b"]
    assert repository.claim(claim_id("a")[:8]).text == "a"


def test_saving_a_claim_again_changes_it_but_not_its_runs(
    repository: KnowledgeRepository, again: Reopen
) -> None:
    claim = Claim(claim_id("Whales swim."), "Whales swim.", "whale", 3)
    repository.save_claim(claim)
    repository.add_run(claim.claim_id, make_run())
    repository.save_claim(replace(claim, text="Whales can swim.", archived=True, retrieval_query=None))
    stored = again(repository).claim(claim.claim_id)
    assert (stored.text, stored.archived, stored.retrieval_query, stored.order) == (
        "Whales can swim.",
        True,
        None,
        3,
    )
    assert len(stored.runs) == 1
    assert stored.runs[0].run_id == make_run().run_id


def test_a_run_equal_to_the_newest_is_not_added(repository: KnowledgeRepository, again: Reopen) -> None:
    claim = Claim(claim_id("c"), "c")
    repository.save_claim(claim)
    first = repository.add_run(claim.claim_id, make_run())
    assert first.latest is not None
    assert first.latest.evaluated_at is not None
    assert repository.add_run(claim.claim_id, make_run(evaluated_at="2030-01-01T00:00:00Z")) == first
    repository.add_run(claim.claim_id, make_run(0.1 + 0.2))
    repository.add_run(claim.claim_id[:8], make_run())
    runs = again(repository).claim(claim.claim_id).runs
    assert [run.findings[0].confidence for run in runs] == [0.9, 0.1 + 0.2, 0.9]
    with pytest.raises(NotFound):
        repository.add_run("0" * 64, make_run())


def test_claims_that_cannot_be_stored_are_refused(repository: KnowledgeRepository) -> None:
    for claim in (
        Claim("../x", "text"),
        Claim(claim_id("x"), "  "),
        Claim(claim_id("x"), "x", runs=(make_run(float("nan")),)),
    ):
        with pytest.raises(InvalidRequest):
            repository.save_claim(claim)
    repository.save_claim(Claim(claim_id("x"), "x"))
    with pytest.raises(InvalidRequest):
        repository.add_run(claim_id("x"), make_run(float("inf")))
    assert repository.claim(claim_id("x")).runs == ()


# -- events --------------------------------------------------------------------------------------------


def draft(number: int, kind: EventType = EventType.NOTED) -> EventDraft:
    return EventDraft(kind, f"c/{number}", {"note": f"é {number}", "n": [1, 2.5, None, {"deep": True}]})


def test_events_come_back_in_order_and_chained(repository: KnowledgeRepository, again: Reopen) -> None:
    first = repository.append_events("ann", [draft(1), draft(2)])
    second = repository.append_events("ann", [draft(3)])
    log = again(repository).events("ann")
    assert log == (*first, *second)
    assert [event.object for event in log] == ["c/1", "c/2", "c/3"]
    assert log[0].group == log[1].group != log[2].group
    assert log[0].prev == ""
    assert len({event.prev for event in log}) == 3
    assert len({event.event_id for event in log}) == 3
    assert {event.actor for event in log} == {"ann"}
    assert log[0].payload == draft(1).payload
    assert repository.append_events("ann", []) == ()
    assert len(fold(log).undoable) == 2


def test_equal_actions_are_separate_groups(repository: KnowledgeRepository) -> None:
    """Undo works by group: two presses of the same key in one second are two actions."""
    events = [repository.append_events("ann", [draft(1)])[0] for _ in range(3)]
    assert len({event.group for event in events}) == 3
    assert len({event.event_id for event in events}) == 3


@pytest.mark.parametrize(
    "pair",
    [("ann", "Ann"), ("a.b", "a%2Eb"), ("..", "."), ("é", "e\u0301"), ("a/b", "a%2Fb"), ("x", " x")],
    ids=ascii,
)
def test_different_reviewers_never_share_a_log(
    repository: KnowledgeRepository, again: Reopen, pair: tuple[str, str]
) -> None:
    for number, reviewer in enumerate(pair):
        repository.append_events(reviewer, [draft(number)])
    repository = again(repository)
    assert repository.reviewers() == tuple(sorted(pair))
    for number, reviewer in enumerate(pair):
        assert [event.object for event in repository.events(reviewer)] == [f"c/{number}"]


def test_the_same_events_at_the_same_times_are_the_same_log(repository: KnowledgeRepository) -> None:
    """A log is imported into another store with its times, and then hashes to the same ids."""
    for _ in range(2):
        repository.append_events("ann", [draft(1), draft(2)], time="2026-01-02T03:04:05Z")
    from cmtui.store.memory import InMemoryKnowledgeRepository

    other = InMemoryKnowledgeRepository()
    for _ in range(2):
        other.append_events("ann", [draft(1), draft(2)], time="2026-01-02T03:04:05Z")
    assert other.events("ann") == repository.events("ann")
    assert {event.time for event in other.events("ann")} == {"2026-01-02T03:04:05Z"}


def test_a_reviewer_without_events_has_an_empty_log(repository: KnowledgeRepository) -> None:
    assert repository.events("nobody") == ()
    assert repository.reviewers() == ()
    for name in ("", "  ", "x" * 300, "\ud800"):
        with pytest.raises(InvalidRequest):
            repository.events(name)
        with pytest.raises(InvalidRequest):
            repository.append_events(name, [draft(1)])


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, "\ud800"], ids=ascii)
def test_a_payload_that_is_not_json_is_refused(repository: KnowledgeRepository, value: object) -> None:
    with pytest.raises(InvalidRequest):
        repository.append_events("ann", [draft(1), EventDraft(EventType.NOTED, "c/e", {"x": value})])  # type: ignore[dict-item]
    assert repository.events("ann") == ()


# -- bibliography --------------------------------------------------------------------------------------


def test_bibliography_keeps_its_history_and_survives_new_versions(
    repository: KnowledgeRepository, again: Reopen
) -> None:
    """R112: metadata corrections never change an identity."""
    made = make_document(name="a.txt")
    commit(repository, made)
    source_id = made[2].artifact_id
    assert repository.bibliography(source_id) is None
    item = {"type": "book", "title": "Wale", "issued": {"date-parts": [[1851]]}}
    first = repository.set_bibliography(source_id, item)
    assert (first.item, first.history) == (item, ())
    assert repository.set_bibliography(source_id[:8], {**item}) == first
    repository.set_bibliography(source_id, {"type": "book", "title": "Whales"})
    ids = repository.document_ids()
    commit(repository, make_document("Newer.\n", name="a.txt"))
    record = again(repository).bibliography(source_id)
    assert record is not None
    assert record.item["title"] == "Whales"
    assert record.history == (item,)
    assert record.updated_at is not None
    assert set(ids) < set(again(repository).document_ids())


def test_bibliography_is_a_copy_of_what_was_given(repository: KnowledgeRepository) -> None:
    made = make_document()
    commit(repository, made)
    item = {"title": "A", "author": [{"family": "B"}]}
    repository.set_bibliography(made[2].artifact_id, item)
    item["title"] = "changed"
    record = repository.bibliography(made[2].artifact_id)
    assert record is not None
    assert record.item["title"] == "A"


def test_bibliography_of_an_unknown_source(repository: KnowledgeRepository) -> None:
    assert repository.bibliography("0" * 64) is None
    assert repository.bibliography("../../etc/passwd") is None
    with pytest.raises(NotFound):
        repository.set_bibliography("0" * 64, {"title": "x"})
    made = make_document()
    commit(repository, made)
    with pytest.raises(InvalidRequest):
        repository.set_bibliography(made[2].artifact_id, {"title": float("nan")})

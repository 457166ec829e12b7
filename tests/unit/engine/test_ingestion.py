"""What ingest says of files that changed, moved, were copied or went back (R6, R11, R12, R23)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.engine.files import file_reference, path_of
from cmtui.errors import EmptyFile, SourceMissing, UnsupportedKind
from cmtui.model.ingest import IngestReport, IngestStatus

TEXT = "The king wept beside the harbour.\n"


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    return LocalCitationMachine.open(tmp_path / "store")


def _status(report: IngestReport) -> list[IngestStatus]:
    return [document.status for document in report.documents]


def test_a_second_ingest_reports_unchanged(machine: LocalCitationMachine, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    assert _status(machine.ingest_paths([path])) == [IngestStatus.ADDED]
    generation = machine.generation()
    assert _status(machine.ingest_paths([path])) == [IngestStatus.UNCHANGED]
    assert machine.generation() == generation


def test_changed_bytes_are_a_new_version_and_the_old_one_still_reconstructs(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    """R24: old evidence is read from its own version."""
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    first = machine.ingest(path)
    evidence = machine.identity(machine.search("harbour")[0])
    path.write_text("The king laughed beside the harbour.\n")
    report = machine.ingest_paths([path])
    assert _status(report) == [IngestStatus.NEW_VERSION]
    second = report.documents[0].summary
    assert second.document_id != first
    assert second.source_id == machine.summary(first).source_id
    assert not machine.summary(first).current
    assert [result.document_id for result in machine.search("harbour")] == [second.document_id]
    assert machine.reconstruct(evidence.evidence_id) == TEXT.strip()


def test_a_file_that_goes_back_makes_its_old_version_current(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    first = machine.ingest(path)
    path.write_text("Something else stands here now.\n")
    machine.ingest(path)
    path.write_text(TEXT)
    report = machine.ingest_paths([path])
    assert _status(report) == [IngestStatus.NEW_VERSION]
    assert report.documents[0].summary.document_id == first
    assert machine.summary(first).current
    assert len(machine.documents()) == 2


def test_a_copy_is_an_alias_and_a_moved_file_is_moved(machine: LocalCitationMachine, tmp_path: Path) -> None:
    """The same bytes are never a second document, and every evidence id stays."""
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    document = machine.ingest(path)
    copy = tmp_path / "copy.txt"
    copy.write_text(TEXT)
    assert _status(machine.ingest_paths([copy])) == [IngestStatus.ALIAS]
    path.unlink()
    copy.unlink()
    moved = tmp_path / "new place" / "räksmörgås #1.txt"
    moved.parent.mkdir()
    moved.write_text(TEXT)
    assert _status(machine.ingest_paths([moved])) == [IngestStatus.MOVED]
    assert [row.document_id for row in machine.documents()] == [document]


def test_a_renamed_and_changed_file_keeps_its_source(machine: LocalCitationMachine, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    first = machine.ingest(path)
    moved = path.rename(tmp_path / "b.txt")
    machine.ingest(moved)
    moved.write_text("A new edition of the text.\n")
    report = machine.ingest_paths([moved])
    assert _status(report) == [IngestStatus.NEW_VERSION]
    assert report.documents[0].summary.source_id == machine.summary(first).source_id


def test_a_stated_reference_is_the_source(machine: LocalCitationMachine, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    document = machine.ingest(path, reference="doi:10.1000/xyz")
    assert machine.source(document).artifact.reference == "doi:10.1000/xyz"


def test_one_bad_file_never_stops_the_others(machine: LocalCitationMachine, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(TEXT)
    (tmp_path / "in" / "b.pdf").write_bytes(b"")
    (tmp_path / "in" / "c.docx").write_bytes(b"not taken up by a walk")
    (tmp_path / "in" / ".hidden.txt").write_text("no")
    report = machine.ingest_paths([tmp_path / "in", tmp_path / "gone.txt"])
    assert _status(report) == [IngestStatus.ADDED]
    assert [(Path(e.path).name, e.code) for e in report.errors] == [
        ("b.pdf", EmptyFile.code),
        ("gone.txt", SourceMissing.code),
    ]
    assert all(error.hint for error in report.errors)


def test_a_single_file_of_an_unknown_kind_says_what_to_do(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    path = tmp_path / "notes.xyz"
    path.write_text(TEXT)
    with pytest.raises(UnsupportedKind) as caught:
        machine.ingest(path)
    assert "--kind" in caught.value.hint
    assert machine.ingest(path, kind="text")


def test_cancelling_keeps_what_is_done_and_leaves_nothing_partial(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"{TEXT} {name}")
    calls = []

    def cancelled() -> bool:
        calls.append(1)
        return len(machine.documents()) >= 1

    report = machine.ingest_paths([tmp_path / f"{name}.txt" for name in "abc"], cancelled=cancelled)
    assert report.cancelled
    assert len(machine.documents()) == len(report.documents) == 1
    assert calls


def test_file_references_survive_any_name(tmp_path: Path) -> None:
    for name in ("plain.txt", "with space.txt", "percent%41.txt", "hash#.txt", "ünï.txt"):
        path = tmp_path / name
        path.touch()
        assert path_of(file_reference(path)) == path.resolve()
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "plain.txt")
    assert file_reference(link) == file_reference(tmp_path / "plain.txt")

"""Files that moved or changed, tags, page offsets, and the original of a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.engine.housekeeping import FileState, show, viewer_command
from cmtui.errors import Cancelled, InvalidRequest, NotFound, SourceMissing
from cmtui.model.ingest import IngestStatus

TEXT = "Whales are mammals. They breathe air with lungs.\n"


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    return LocalCitationMachine.open(tmp_path / "store")


def ingested(machine: LocalCitationMachine, path: Path, text: str = TEXT) -> str:
    """A file written and ingested; its source id."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return machine.summary(machine.ingest(path)).source_id


def test_a_moved_file_is_relinked(machine: LocalCitationMachine, tmp_path: Path) -> None:
    source_id = ingested(machine, tmp_path / "a.txt")
    (tmp_path / "new place").mkdir()
    moved = (tmp_path / "a.txt").rename(tmp_path / "new place" / "ä b.txt")
    [state] = machine.file_states()
    assert state.state is FileState.MISSING
    source = machine.relink(source_id[:8], moved)
    assert source.moved_to == moved.as_uri()
    assert source.source_id == source_id
    [state] = machine.file_states()
    assert (state.state, state.path) == (FileState.SAME, moved)
    # The same file is no new document, and going back is possible.
    [one] = machine.ingest_paths([moved]).documents
    assert one.status is IngestStatus.UNCHANGED
    moved.rename(tmp_path / "a.txt")
    assert machine.relink(source_id, tmp_path / "a.txt").moved_to is None


def test_other_bytes_are_a_new_version_and_no_move(machine: LocalCitationMachine, tmp_path: Path) -> None:
    source_id = ingested(machine, tmp_path / "a.txt")
    other = tmp_path / "b.txt"
    other.write_text("Something else.", encoding="utf-8")
    with pytest.raises(InvalidRequest, match="no known version") as caught:
        machine.relink(source_id, other)
    assert "--reference" in caught.value.hint
    # The hint holds: the reference makes it a version of that source.
    [one] = machine.ingest_paths([other], reference=machine.source(source_id).artifact.reference).documents
    assert (one.status, one.summary.source_id) == (IngestStatus.NEW_VERSION, source_id)
    with pytest.raises(SourceMissing):
        machine.relink(source_id, tmp_path / "none.txt")
    with pytest.raises(NotFound):
        machine.relink("feedfeed", other)


def test_the_file_of_another_source_is_refused(machine: LocalCitationMachine, tmp_path: Path) -> None:
    first = ingested(machine, tmp_path / "a.txt", "One.")
    second = ingested(machine, tmp_path / "b.txt", "Two.")
    (tmp_path / "b.txt").write_text("One.", encoding="utf-8")
    with pytest.raises(InvalidRequest, match="another source"):
        machine.relink(first, tmp_path / "b.txt")
    assert machine.source(second).aliases == ()


def test_changed_and_missing_files_are_found(machine: LocalCitationMachine, tmp_path: Path) -> None:
    for name in ("same.txt", "longer.txt", "other.txt", "gone.txt"):
        ingested(machine, tmp_path / name, f"The text of {name}.")
    (tmp_path / "longer.txt").write_text("The text of longer.txt, and more.")
    (tmp_path / "other.txt").write_text("The text of other.TXT.")
    (tmp_path / "gone.txt").unlink()
    states = {state.name: state.state for state in machine.file_states()}
    assert states == {
        "same.txt": FileState.SAME,
        "longer.txt": FileState.CHANGED,
        "other.txt": FileState.CHANGED,
        "gone.txt": FileState.MISSING,
    }
    with pytest.raises(Cancelled):
        machine.file_states(cancelled=lambda: True)


def test_a_source_without_a_file_is_passed_over(machine: LocalCitationMachine, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    machine.ingest(tmp_path / "a.txt", reference="doi:10.1000/1")
    assert machine.file_states() == ()


def test_tags_are_added_and_dropped(machine: LocalCitationMachine, tmp_path: Path) -> None:
    source_id = ingested(machine, tmp_path / "a.txt")
    assert machine.change_tags(source_id, add=["thesis", " chapter  two ", "thesis"]).tags == (
        "thesis",
        "chapter two",
    )
    assert machine.change_tags(source_id, add=["x"], drop=["thesis", "never there"]).tags == (
        "chapter two",
        "x",
    )
    for bad in ("", "  ", "a\x07b", "x" * 101):
        with pytest.raises(InvalidRequest):
            machine.change_tags(source_id, add=[bad])


def test_the_page_offset_is_set_and_taken_back(machine: LocalCitationMachine, tmp_path: Path) -> None:
    source_id = ingested(machine, tmp_path / "a.txt")
    assert machine.set_page_offset(source_id, -12).page_offset == -12
    assert machine.set_page_offset(source_id, 0).page_offset == 0
    assert machine.set_page_offset(source_id, None).page_offset is None


def test_the_original_is_the_file_or_else_the_stored_bytes(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    source_id = ingested(machine, tmp_path / "a b.txt")
    document_id = machine.source(source_id).documents[0]
    found = machine.original(document_id[:9])
    assert (found.path, found.copied) == (tmp_path / "a b.txt", False)
    (tmp_path / "a b.txt").write_text("Somebody changed it.")
    found = machine.original(document_id)
    assert found.copied
    assert found.path.read_text() == TEXT
    assert found.path.name == "a b.txt"
    assert found.path.is_relative_to(machine.path / "derived")
    with pytest.raises(InvalidRequest, match="no page 2"):
        machine.original(document_id, 2)
    machine.remove(document_id, reason="")
    with pytest.raises(NotFound):
        machine.original(document_id)


def test_a_name_cannot_lead_out_of_the_folder(machine: LocalCitationMachine, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    document_id = machine.ingest(tmp_path / "a.txt", reference="https://x.example/%2e%2e%2f%2e%2e%2fevil")
    found = machine.original(document_id)
    assert found.path.resolve().is_relative_to(machine.path / "derived" / "originals")
    assert found.path.read_text() == TEXT


def test_the_viewer_is_the_systems(
    machine: LocalCitationMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source_id = ingested(machine, tmp_path / "a.txt")
    found = machine.original(machine.source(source_id).documents[0])
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert viewer_command(found) is None
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "xdg-open"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert viewer_command(found) == ("xdg-open", str(found.path))
    assert not show(["no-such-viewer-anywhere", "x"])

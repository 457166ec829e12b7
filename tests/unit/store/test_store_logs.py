"""Append-only logs: torn tails are set aside, anything else that is wrong fails closed with file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cmtui.errors import InvalidRequest, LogDamaged
from cmtui.model.identity import sha256_bytes
from cmtui.model.review import EventDraft, EventType
from cmtui.store.directory import StoreRepository
from cmtui.store.layout import Layout, reviewer_file_name, reviewer_of_file
from support.documents import make_document, make_evidence


def drafts(*objects: str) -> list[EventDraft]:
    return [EventDraft(EventType.NOTED, name, {"note": f"“{name}”"}) for name in objects]


def objects(root: Path, reviewer: str = "ann") -> list[str]:
    return [event.object for event in StoreRepository.open(root).events(reviewer)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    repository = StoreRepository.open(tmp_path)
    repository.append_events("ann", drafts("a"))
    repository.append_events("ann", drafts("b1", "b2", "b3"))
    repository.append_events("ann", drafts("c"))
    return Layout(tmp_path).event_log("ann")


def test_each_line_holds_the_digest_of_the_line_before(log: Path) -> None:
    lines = log.read_bytes().splitlines()
    prevs = [json.loads(line)["prev"] for line in lines]
    assert prevs == ["", *(sha256_bytes(line) for line in lines[:-1])]


def test_every_truncation_gives_whole_groups_and_appending_goes_on(tmp_path: Path, log: Path) -> None:
    """A crash may cut the log anywhere. A bulk action is there as a whole or not at all."""
    whole = log.read_bytes()
    starts = [0]
    for line in whole.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    groups = {starts[0]: [], starts[1]: ["a"], starts[4]: ["a", "b1", "b2", "b3"]}
    groups[starts[5]] = [*groups[starts[4]], "c"]
    torn_name = log.with_name(log.name + ".torn")
    for size in range(0, len(whole) + 1, 29):
        log.write_bytes(whole[:size])
        torn_name.unlink(missing_ok=True)
        kept = max(end for end in groups if end <= size)
        repository = StoreRepository.open(tmp_path)
        assert [event.object for event in repository.events("ann")] == groups[kept]
        assert log.stat().st_size == kept
        if kept < size:
            assert torn_name.read_bytes() == whole[kept:size] + b"\n"
            assert str(log) in "".join(repository.notices())
        repository.append_events("ann", drafts("next"))
        assert objects(tmp_path) == [*groups[kept], "next"]


def test_appending_to_a_torn_log_sets_the_tail_aside_first(tmp_path: Path, log: Path) -> None:
    with log.open("ab") as file:
        file.write(b'{"actor":"ann"')
    repository = StoreRepository.open(tmp_path)
    repository.append_events("ann", drafts("next"))
    assert objects(tmp_path) == ["a", "b1", "b2", "b3", "c", "next"]
    assert log.with_name(log.name + ".torn").read_bytes() == b'{"actor":"ann"\n'


def test_every_changed_byte_breaks_the_chain(tmp_path: Path, log: Path) -> None:
    whole = log.read_bytes()
    for at in range(0, len(whole) - 1, 13):
        damaged = bytearray(whole)
        damaged[at] ^= 1
        log.write_bytes(damaged)
        number = whole.count(b"\n", 0, at) + 1
        with pytest.raises(LogDamaged) as caught:
            StoreRepository.open(tmp_path).events("ann")
        assert f"{log}, line {number}:" in caught.value.message
        assert caught.value.hint


@pytest.mark.parametrize("action", ["remove", "swap", "repeat", "blank"])
def test_lines_cannot_be_removed_moved_or_added(tmp_path: Path, log: Path, action: str) -> None:
    lines = log.read_bytes().splitlines(keepends=True)
    match action:
        case "remove":
            del lines[0]
        case "swap":
            lines[1], lines[2] = lines[2], lines[1]
        case "repeat":
            lines.append(lines[-1])
        case "blank":
            lines.insert(1, b"\n")
    log.write_bytes(b"".join(lines))
    repository = StoreRepository.open(tmp_path)
    with pytest.raises(LogDamaged):
        repository.events("ann")
    with pytest.raises(LogDamaged):
        repository.append_events("ann", drafts("next"))
    assert log.read_bytes() == b"".join(lines)


def test_a_broken_chain_closes_that_log_only(tmp_path: Path, log: Path) -> None:
    StoreRepository.open(tmp_path).append_events("bob", drafts("x"))
    log.write_bytes(b"{}\n" + log.read_bytes())
    assert objects(tmp_path, "bob") == ["x"]
    with pytest.raises(LogDamaged):
        objects(tmp_path)


def test_a_log_under_another_reviewers_name_is_refused(tmp_path: Path, log: Path) -> None:
    Layout(tmp_path).event_log("bob").write_bytes(log.read_bytes())
    with pytest.raises(LogDamaged):
        objects(tmp_path, "bob")


def test_a_log_replaced_under_an_open_store_is_read_again(tmp_path: Path, log: Path) -> None:
    repository = StoreRepository.open(tmp_path)
    repository.events("ann")
    first_line = log.read_bytes().splitlines(keepends=True)[0]
    log.unlink()
    assert repository.events("ann") == ()
    log.write_bytes(first_line)
    assert [event.object for event in repository.events("ann")] == ["a"]


@pytest.mark.parametrize("reviewer", ["ann", "Ann Lee", "łukasz", "a/b", "..", "con.", "100%", "%41", "x~y"])
def test_reviewer_names_become_file_names_and_back(reviewer: str) -> None:
    name = reviewer_file_name(reviewer)
    assert reviewer_of_file(name) == reviewer
    assert name.isascii()
    assert not set(name) & set("/\\.~ :")
    assert name.replace("%", "").isalnum() or "-" in name or "_" in name


def test_file_names_nobody_wrote_are_no_reviewers(tmp_path: Path, log: Path) -> None:
    for stem in ("Ann", "a.b", "%6", "%zz", ""):
        (log.parent / f"{stem}.jsonl").write_bytes(b"")
    assert StoreRepository.open(tmp_path).reviewers() == ("ann",)
    with pytest.raises(InvalidRequest):
        reviewer_file_name("")


# -- the evidence log ----------------------------------------------------------------------------------


@pytest.fixture
def evidence_log(tmp_path: Path) -> Path:
    document, *_ = make_document()
    repository = StoreRepository.open(tmp_path)
    repository.record_evidence([make_evidence(document, n, n + 4) for n in range(3)])
    return Layout(tmp_path).evidence_log(document.document_id)


def test_a_torn_evidence_line_is_set_aside_and_reported(tmp_path: Path, evidence_log: Path) -> None:
    whole = evidence_log.read_bytes()
    document, *_ = make_document()
    ends = [0]
    for line in whole.splitlines(keepends=True):
        ends.append(ends[-1] + len(line))
    for size in range(0, len(whole), 31):
        evidence_log.write_bytes(whole[:size])
        repository = StoreRepository.open(tmp_path)
        kept = max(end for end in ends if end <= size)
        assert len(repository.evidence_entries()) == ends.index(kept)
        if kept < size:
            assert str(evidence_log) in "".join(repository.notices())
        repository.record_evidence([make_evidence(document, n, n + 4) for n in range(3)])
        assert evidence_log.read_bytes() == whole


@pytest.mark.parametrize("line", [0, 1, 2])
def test_a_broken_evidence_line_is_named(tmp_path: Path, evidence_log: Path, line: int) -> None:
    lines = evidence_log.read_bytes().splitlines(keepends=True)
    lines[line] = lines[line].replace(b'"exact":"', b'"exact":"X')
    evidence_log.write_bytes(b"".join(lines))
    repository = StoreRepository.open(tmp_path)
    for question in (repository.evidence_entries, lambda: repository.evidence("0" * 64)):
        with pytest.raises(LogDamaged) as caught:
            question()
        assert f"{evidence_log}, line {line + 1}:" in caught.value.message
        assert caught.value.hint


def test_evidence_of_another_document_is_refused(tmp_path: Path, evidence_log: Path) -> None:
    evidence_log.rename(Layout(tmp_path).evidence_log("ab" * 32))
    with pytest.raises(LogDamaged):
        StoreRepository.open(tmp_path).evidence_entries()


def test_appending_evidence_reads_only_what_is_new(tmp_path: Path, evidence_log: Path) -> None:
    """What was read stays known: even a damaged old line is not noticed by a process that read it."""
    document, *_ = make_document()
    reader, writer = StoreRepository.open(tmp_path), StoreRepository.open(tmp_path)
    assert len(reader.evidence_entries()) == 3
    writer.record_evidence([make_evidence(document, 9, 14)])
    content = evidence_log.read_bytes()
    with evidence_log.open("r+b") as file:
        file.write(b"X" * 20)
    assert len(reader.evidence_entries()) == 4
    evidence_log.write_bytes(content)

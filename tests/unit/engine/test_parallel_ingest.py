"""Several files are read at once; reports, order and stores are what one reader would give."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.engine.ingestion import CitationIngestionService, IngestOptions
from cmtui.engine.reading import ReadAhead
from cmtui.errors import Cancelled, IngestError
from cmtui.ingest.sandbox import ReaderPool
from cmtui.model.ingest import IngestStatus
from cmtui.model.progress import Progress, never_cancelled, no_progress
from support.pdf_fixtures import make_pdf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Slow and quick files, a damaged one, and twins."""
    root = tmp_path / "in"
    root.mkdir()
    (root / "a.pdf").write_bytes(make_pdf([f"Page {n} of the long book about lamps." for n in range(60)]))
    (root / "b.txt").write_text("A short text.\n")
    (root / "c.pdf").write_bytes(b"%PDF-1.7 broken")
    (root / "d.md").write_text("# Title\n\nA note about lamps.\n")
    (root / "e.txt").write_text("A short text.\n")
    (root / "f.pdf").write_bytes(b"%PDF-1.7 broken")
    return root


def test_reports_and_ids_do_not_depend_on_the_number_of_readers(folder: Path, tmp_path: Path) -> None:
    seen = []
    for size in (1, 4):
        machine = LocalCitationMachine.open(tmp_path / f"store{size}")
        with ReaderPool(size) as pool:
            service = CitationIngestionService(machine.repository, pool=pool)
            report = service.ingest_paths([folder], IngestOptions())
            assert len(pool.workers()) <= size
        seen.append(
            (
                [(d.path, d.status, d.summary.document_id) for d in report.documents],
                [(e.path, e.code, e.message) for e in report.errors],
            )
        )
    assert seen[0] == seen[1]
    assert [status for _, status, _ in seen[0][0]] == [
        IngestStatus.ADDED,
        IngestStatus.ADDED,
        IngestStatus.ADDED,
        IngestStatus.ALIAS,
    ]
    assert [Path(path).name for path, _, _ in seen[0][1]] == ["c.pdf", "f.pdf"]


def test_progress_and_cancel_come_from_the_callers_thread(folder: Path, tmp_path: Path) -> None:
    threads: set[int] = set()
    states: list[Progress] = []

    def progress(state: Progress) -> None:
        threads.add(threading.get_ident())
        states.append(state)

    def cancelled() -> bool:
        threads.add(threading.get_ident())
        return False

    machine = LocalCitationMachine.open(tmp_path / "store")
    machine.ingest_paths([folder], progress=progress, cancelled=cancelled)
    assert threads == {threading.get_ident()}
    assert [s.done for s in states if s.operation == "ingest"] == [0, 1, 2, 3, 4, 5, 6]
    assert {s.total for s in states if s.operation == "read" and s.subject == "a.pdf"} == {60}


def test_a_cancel_ends_every_reader_and_keeps_what_is_done(folder: Path, tmp_path: Path) -> None:
    machine = LocalCitationMachine.open(tmp_path / "store")
    asked: list[Progress] = []
    with ReaderPool(4) as pool:
        service = CitationIngestionService(machine.repository, pool=pool)
        report = service.ingest_paths(
            [folder],
            IngestOptions(),
            progress=asked.append,
            cancelled=lambda: any(state.operation == "ingest" and state.done == 1 for state in asked),
        )
    assert report.cancelled
    assert [Path(d.path).name for d in report.documents][:1] == ["a.pdf"]
    assert len(machine.documents()) == len(report.documents)


def test_an_error_of_the_store_ends_the_readers(folder: Path, tmp_path: Path) -> None:
    machine = LocalCitationMachine.open(tmp_path / "store")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    machine.repository.commit_document = full  # type: ignore[method-assign, assignment]
    with ReaderPool(2) as pool:
        service = CitationIngestionService(machine.repository, pool=pool)
        with pytest.raises(OSError, match="No space"):
            service.ingest_paths([folder], IngestOptions())
        assert threading.active_count() < 50
    assert machine.documents() == ()


def test_files_are_drawn_only_as_far_ahead_as_there_is_room() -> None:
    drawn: list[int] = []

    def tasks() -> object:
        for number in range(40):
            drawn.append(number)
            yield number, 100 * 1024 * 1024, True

    with ReadAhead(
        lambda task, _report, _stop: task * 2, workers=2, progress=no_progress, cancelled=never_cancelled
    ) as ahead:
        for task, answer in ahead.run(tasks()):  # type: ignore[arg-type]
            assert answer is not None
            assert answer() == task * 2
            assert len(drawn) <= task + 4, "256 MiB hold three files of 100 MiB at most"
    assert drawn == list(range(40))


def test_what_a_reader_raises_is_raised_at_its_turn() -> None:
    def read(task: int, _report: object, _stop: object) -> int:
        if task == 1:
            raise IngestError("no.", "hint")
        return task

    with ReadAhead(read, workers=3, progress=no_progress, cancelled=never_cancelled) as ahead:
        outcomes = []
        for task, answer in ahead.run((n, 1, n != 2) for n in range(4)):
            try:
                outcomes.append(answer() if answer else None)
            except IngestError:
                outcomes.append(-task)
    assert outcomes == [0, -1, None, 3]


def test_waiting_hears_the_cancel() -> None:
    release = threading.Event()

    def read(_task: int, _report: object, stop: object) -> int:
        assert callable(stop)
        while not stop():
            release.wait(0.01)
        raise Cancelled("stopped.")

    with ReadAhead(read, workers=1, progress=no_progress, cancelled=lambda: True) as ahead:
        ((_, answer),) = ahead.run([(0, 1, True)])
        assert answer is not None
        with pytest.raises(Cancelled):
            answer()

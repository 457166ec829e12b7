"""The reading child process: right answers and errors, limits, cancellation, and no orphan."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cmtui.errors import (
    Cancelled,
    EncodingUnknown,
    IngestError,
    Malformed,
    NoTextLayer,
    NotThisFormat,
    PasswordRequired,
    ResourceLimit,
    TimeLimit,
)
from cmtui.ingest import child, sandbox
from cmtui.ingest.limits import MIB, ReadLimits
from cmtui.ingest.messages import ReadFailure, error_of, failure_of
from cmtui.ingest.sandbox import ReaderPool, read_source, read_source_inline
from cmtui.model.identity import SourceKind
from cmtui.model.progress import Progress
from support.epub_fixtures import make_epub, page
from support.pdf_fixtures import make_pdf

PDF = make_pdf(["Page one.", "Page two.", "Page three."], labels="0 << /S /r >>", outline=[(1, "A", 2)])
#: A page that takes a reader some milliseconds.
LINES = "Words on a line that the reader has to place.\n" * 60
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc or uses pidfd")


@pytest.fixture
def pool() -> Iterator[ReaderPool]:
    with ReaderPool() as readers:
        yield readers


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (SourceKind.PDF, PDF),
        (SourceKind.EPUB, make_epub({"c.xhtml": page("<h1>T</h1><p>x \u2028 \U0001d400</p>")})),
        (SourceKind.MARKDOWN, b"---\ntitle: x\n---\n\n# A\n\ntext\n"),
        (SourceKind.TEXT, b"one\r\n\r\ntwo\f\nthree"),
    ],
)
def test_a_worker_answers_what_the_reader_answers_inline(
    pool: ReaderPool, kind: SourceKind, content: bytes
) -> None:
    assert pool.read(content, kind, name="f") == read_source_inline(content, kind, name="f")


def test_one_warm_worker_reads_file_after_file(pool: ReaderPool) -> None:
    assert pool.workers() == ()
    pool.read(PDF, SourceKind.PDF)
    first = pool.workers()
    pool.read(b"text", SourceKind.TEXT)
    assert pool.workers() == first
    assert len(first) == 1


@pytest.mark.parametrize(
    ("kind", "content", "error"),
    [
        (SourceKind.PDF, make_pdf([""]), NoTextLayer),
        (SourceKind.PDF, b"text", NotThisFormat),
        (SourceKind.TEXT, b"caf\xe9", EncodingUnknown),
        (SourceKind.EPUB, b"PK\x03\x04junk", NotThisFormat),
    ],
)
def test_errors_arrive_as_the_same_class_with_sentence_and_hint(
    pool: ReaderPool, kind: SourceKind, content: bytes, error: type[IngestError]
) -> None:
    with pytest.raises(error) as inline:
        read_source_inline(content, kind, name="odd.bin")
    with pytest.raises(error) as sandboxed:
        pool.read(content, kind, name="odd.bin")
    assert type(sandboxed.value) is type(inline.value)
    assert sandboxed.value.message == inline.value.message
    assert sandboxed.value.hint == inline.value.hint


def test_the_worker_stays_after_an_error(pool: ReaderPool) -> None:
    pool.read(b"text", SourceKind.TEXT)
    before = pool.workers()
    with pytest.raises(EncodingUnknown):
        pool.read(b"caf\xe9", SourceKind.TEXT)
    assert pool.workers() == before


def test_every_ingest_error_crosses_the_wire() -> None:
    pending = [IngestError]
    for kind in pending:
        pending.extend(kind.__subclasses__())
        sent = kind("sentence.", "hint")
        got = error_of(failure_of(sent))
        assert (type(got), got.message, got.hint) == (kind, "sentence.", "hint")
    assert type(error_of(ReadFailure("SystemExit", "m", "h"))) is IngestError


def test_password_and_encoding_reach_the_reader(pool: ReaderPool) -> None:
    import io

    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(PDF))
    writer.encrypt("sesame", algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    with pytest.raises(PasswordRequired):
        pool.read(out.getvalue(), SourceKind.PDF)
    assert "Page one." in pool.read(out.getvalue(), SourceKind.PDF, password="sesame").text
    assert pool.read(b"caf\xe9", SourceKind.TEXT, encoding="latin-1").text == "café"


def test_progress_reports_pages(pool: ReaderPool) -> None:
    seen: list[Progress] = []
    pool.read(PDF, SourceKind.PDF, name="book.pdf", progress=seen.append)
    assert seen[-1] == Progress("read", "book.pdf", 3, 3)
    assert [state.done for state in seen] == sorted(state.done for state in seen)


def test_cancel_kills_the_worker_and_the_next_file_is_read(pool: ReaderPool) -> None:
    pool.read(PDF, SourceKind.PDF)
    (worker,) = pool.workers()
    with pytest.raises(Cancelled):
        pool.read(PDF, SourceKind.PDF, cancelled=lambda: True)
    assert not alive(worker)
    assert pool.workers() == ()
    assert pool.read(PDF, SourceKind.PDF).text.startswith("Page one.")


@pytest.mark.parametrize("limits", [ReadLimits(open_seconds=0), ReadLimits(document_seconds=0)])
def test_a_wall_clock_ends_a_read(limits: ReadLimits) -> None:
    with ReaderPool(limits=limits) as pool:
        with pytest.raises(TimeLimit, match=r"slow\.pdf"):
            pool.read(PDF, SourceKind.PDF, name="slow.pdf")
        assert pool.workers() == ()


@pytest.mark.parametrize("slow", [{2}, {1, 3}])
def test_a_page_that_runs_out_of_time_is_left_out_with_a_warning(
    pool: ReaderPool, monkeypatch: pytest.MonkeyPatch, slow: set[int]
) -> None:
    """One slow page must not cost the others; the clocks of pages and file stay what they are."""
    ask = child.Worker.ask
    asked: list[tuple[int, ...]] = []

    def slow_pages(worker: child.Worker, request: object, *rest: object) -> object:
        left_out = request.limits.left_out_pages  # type: ignore[attr-defined]
        asked.append(left_out)
        remaining = sorted(slow - set(left_out))
        if remaining:
            worker.kill()
            raise child.PageTimeLimit("slow.", "x", page=remaining[0], total=3)
        return ask(worker, request, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(child.Worker, "ask", slow_pages)
    document = pool.read(PDF, SourceKind.PDF, name="book.pdf")
    (warning,) = [warning for warning in document.warnings if warning.code == "slow-pages"]
    assert warning.pages == tuple(sorted(slow))
    assert len(asked) == len(slow) + 1
    kept = [mark.number for mark in document.tables.pages if mark.end > mark.start]
    assert kept == [number for number in (1, 2, 3) if number not in slow]
    assert [mark.label for mark in document.tables.pages] == ["i", "ii", "iii"], "places stay what they are"


def test_a_file_whose_pages_all_run_out_of_time_is_refused(
    pool: ReaderPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(worker: child.Worker, request: object, *_: object) -> object:
        worker.kill()
        left_out = request.limits.left_out_pages  # type: ignore[attr-defined]
        raise child.PageTimeLimit("slow.", "x", page=len(left_out) + 1, total=3)

    monkeypatch.setattr(child.Worker, "ask", never)
    with pytest.raises(TimeLimit):
        pool.read(PDF, SourceKind.PDF, name="book.pdf")


def test_processor_time_is_limited_for_each_file() -> None:
    slow = make_pdf([LINES] * 400)

    def read_again_and_again(pool: ReaderPool) -> None:
        for _ in range(50):
            pool.read(slow, SourceKind.PDF, name="slow.pdf")

    with (
        ReaderPool(limits=ReadLimits(cpu_seconds=0)) as pool,
        pytest.raises(TimeLimit, match="processor time"),
    ):
        read_again_and_again(pool)


@LINUX
def test_processor_time_is_raised_before_each_file(pool: ReaderPool) -> None:
    """settlements.md 2.38: the limit counts a process's life; one file must not use up that of the next."""
    import resource

    slow = make_pdf([LINES] * 40)
    pool.read(b"text", SourceKind.TEXT)
    (pid,) = pool.workers()
    first, _ = resource.prlimit(pid, resource.RLIMIT_CPU)
    for _ in range(40):
        pool.read(slow, SourceKind.PDF)
        now, _ = resource.prlimit(pid, resource.RLIMIT_CPU)
        if now > first:
            break
    assert now > first >= 300
    assert pool.workers() == (pid,)


def test_memory_is_limited() -> None:
    big = "\U0001d400" + "x" * (31 * MIB)  # four bytes for each character once it is decoded
    with ReaderPool(limits=ReadLimits(memory_bytes=256 * MIB)) as pool:
        with pytest.raises(ResourceLimit, match=r"big\.txt"):
            pool.read(big.encode(), SourceKind.TEXT, name="big.txt")
        assert pool.read(b"small", SourceKind.TEXT).text == "small"


@pytest.mark.parametrize(
    ("number", "error"),
    [(signal.SIGKILL, ResourceLimit), (signal.SIGSEGV, Malformed), (signal.SIGXCPU, TimeLimit)],
)
def test_a_worker_that_dies_is_a_clean_error_and_is_replaced(
    pool: ReaderPool, number: signal.Signals, error: type[IngestError]
) -> None:
    long = make_pdf([f"Page {n}." for n in range(300)])

    def die(_: Progress) -> None:
        for pid in pool.workers():
            os.kill(pid, number)

    with pytest.raises(error, match=r"bad\.pdf"):
        pool.read(long, SourceKind.PDF, name="bad.pdf", progress=die)
    assert pool.read(PDF, SourceKind.PDF).text.startswith("Page one.")


def test_a_worker_is_replaced_after_its_share_of_files(
    pool: ReaderPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "FILES_PER_WORKER", 2)
    seen = set()
    for _ in range(4):
        seen.update(pool.workers())
        pool.read(b"text", SourceKind.TEXT)
        seen.update(pool.workers())
    assert len(seen) == 2
    assert not any(alive(pid) for pid in seen)


def test_threads_share_a_pool(pool: ReaderPool) -> None:
    answers: list[str] = []
    threads = [
        threading.Thread(
            target=lambda n=n: answers.append(pool.read(f"text {n}".encode(), SourceKind.TEXT).text)
        )
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [f"text {n}" for n in range(6)]
    assert len(pool.workers()) == 1


def test_close_ends_workers_also_those_at_work() -> None:
    pool = ReaderPool()
    long = make_pdf([f"Page {n}." for n in range(300)])

    def close(_: Progress) -> None:
        pool.close()

    with pytest.raises(Cancelled):
        pool.read(long, SourceKind.PDF, progress=close)
    assert pool.workers() == ()
    with pytest.raises(Cancelled):
        pool.read(PDF, SourceKind.PDF)


def test_the_default_pool_is_made_again_after_a_close() -> None:
    assert read_source(b"text", SourceKind.TEXT).text == "text"
    sandbox.close_all()
    assert read_source(b"text", SourceKind.TEXT).text == "text"
    sandbox.close_all()


def test_a_file_over_the_limit_never_reaches_a_worker() -> None:
    with ReaderPool(limits=ReadLimits(file_bytes=10)) as pool:
        with pytest.raises(ResourceLimit, match="11 bytes"):
            pool.read(b"x" * 11, SourceKind.TEXT, name="f.txt")
        assert pool.workers() == ()


@LINUX
def test_a_worker_knows_no_secret_and_leads_its_own_session(
    pool: ReaderPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXA_API_KEY", "hush-hush")
    pool.read(b"text", SourceKind.TEXT)
    (pid,) = pool.workers()
    assert b"hush-hush" not in Path(f"/proc/{pid}/environ").read_bytes()
    assert os.getsid(pid) == pid


def test_a_module_in_the_working_directory_is_not_imported(
    pool: ReaderPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("queue", "yaml", "msgspec"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('hijacked')")
    monkeypatch.chdir(tmp_path)
    assert pool.read(b"text", SourceKind.TEXT).text == "text"


_SCRIPT = """
import os, sys
from cmtui.ingest.sandbox import default_pool, read_source
from cmtui.model.identity import SourceKind
read_source(b"text", SourceKind.TEXT)
print(*default_pool().workers(), flush=True)
{end}
"""


def test_no_worker_outlives_a_normal_exit() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT.format(end="")], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    (pid,) = map(int, done.stdout.split())
    assert not alive(pid)


@LINUX
def test_no_worker_outlives_a_parent_that_is_killed() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _SCRIPT.format(end="sys.stdin.read()")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        handle = os.pidfd_open(pid)
        parent.kill()
        try:
            readable, _, _ = select.select([handle], [], [], 30)
        finally:
            os.close(handle)
    assert readable, "the worker ended when its stdin did"


def test_a_worker_of_a_large_application_is_not_large_itself() -> None:
    """Linux keeps the peak of the parent over exec; each worker would be replaced after its first file."""
    ask = "from cmtui.ingest.worker import _peak_kib; print(_peak_kib())"
    large = f"import subprocess, sys; x = b'x' * 600_000_000; subprocess.run([sys.executable, '-c', {ask!r}])"
    done = subprocess.run([sys.executable, "-c", large], check=True, capture_output=True, text=True)
    assert 0 < int(done.stdout) < 200 * 1024

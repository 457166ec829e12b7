"""Progress on stderr, with the time left, and the words for it."""

from __future__ import annotations

import io

import pytest

from cmtui.cli.narration import LINE_LIMIT, Narrator
from cmtui.model.progress import Progress, time_left, words_for
from support.cli import CommandLine


class Clock:
    """Monotonic seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """A stderr at which someone watches."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock() -> Clock:
    return Clock()


def narrated(capsys: pytest.CaptureFixture[str]) -> list[str]:
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()


@pytest.mark.parametrize(
    ("done", "total", "elapsed", "left"),
    [
        (12, 40, 60.0, 140.0),
        (1, 2, 0.5, 0.5),
        (40, 40, 60.0, 0.0),
        (0, 40, 60.0, None),
        (3, 0, 60.0, None),
        (5, 4, 60.0, None),
        (3, 4, 0.0, None),
        (3, 4, -1.0, None),
    ],
)
def test_time_left_is_the_mean_of_what_is_done_times_the_rest(
    done: int, total: int, elapsed: float, left: float | None
) -> None:
    assert time_left(done, total, elapsed) == left


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "a few seconds left"),
        (9.99, "a few seconds left"),
        (10.0, "about 10 s left"),
        (10.1, "about 20 s left"),
        (50.0, "about 50 s left"),
        (50.1, "about 1 min left"),
        (60.0, "about 1 min left"),
        (61.0, "about 2 min left"),
        (3540.0, "about 59 min left"),
        (3541.0, "about 1 h left"),
        (3601.0, "about 1 h 10 min left"),
        (7200.0, "about 2 h left"),
        (90000.0, "about 25 h left"),
    ],
)
def test_words_for_time_left_are_coarse_and_rounded_up(seconds: float, words: str) -> None:
    assert words_for(seconds) == words


def test_a_verbose_run_tells_each_step_and_the_time_left(
    capsys: pytest.CaptureFixture[str], clock: Clock
) -> None:
    narrator = Narrator(verbose=True, clock=clock)
    narrator(Progress("ingest", "a.pdf", 0, 40))
    clock.now += 60
    narrator(Progress("ingest", "m.pdf", 20, 40))
    narrator(Progress("ingest", "m.pdf", 20, 40))
    clock.now += 30
    narrator(Progress("ingest", "m.pdf", 20, 40))
    narrator(Progress("ingest", "n.pdf", 30, 40))
    narrator(Progress("ingest", "", 40, 40))
    assert narrated(capsys) == [
        "ingest 0/40 a.pdf",
        "ingest 20/40 m.pdf … about 1 min left",
        "ingest 30/40 n.pdf … about 30 s left",
        "ingest 40/40",
    ]


def test_the_time_left_inside_a_file_is_that_of_all_files(
    capsys: pytest.CaptureFixture[str], clock: Clock
) -> None:
    """Pages of a file are read quickly; the person waits for the files."""
    narrator = Narrator(verbose=True, clock=clock)
    narrator(Progress("ingest", "a.pdf", 0, 3))
    narrator(Progress("read", "a.pdf", 0, 10))
    clock.now += 100
    narrator(Progress("read", "a.pdf", 5, 10))
    narrator(Progress("ingest", "b.pdf", 1, 3))
    clock.now += 20
    narrator(Progress("read", "b.pdf", 1, 10))
    clock.now += 1000
    narrator(Progress("read", "b.pdf", 9, 10))
    narrator(Progress("ingest", "c.pdf", 2, 3))
    clock.now += 5000
    narrator(Progress("read", "c.pdf", 1, 10))
    assert narrated(capsys) == [
        "ingest 0/3 a.pdf",
        "read 0/10 a.pdf",
        "read 5/10 a.pdf",
        "ingest 1/3 b.pdf … about 4 min left",
        "read 1/10 b.pdf … about 3 min left",
        # The second file takes longer than the mean: the third is still to come.
        "read 9/10 b.pdf … about 2 min left",
        "ingest 2/3 c.pdf … about 10 min left",
        # The last one takes longer than the mean: nothing is known of its end.
        "read 1/10 c.pdf",
    ]


def test_the_pages_of_a_single_file_have_a_time_left_and_the_next_work_starts_anew(
    capsys: pytest.CaptureFixture[str], clock: Clock
) -> None:
    narrator = Narrator(verbose=True, clock=clock)
    narrator(Progress("ingest", "a.pdf", 0, 1))
    narrator(Progress("read", "a.pdf", 2, 10))  # what was done before is not part of the mean
    clock.now += 60
    narrator(Progress("read", "a.pdf", 6, 10))
    narrator(Progress("ingest", "", 1, 1))
    narrator(Progress("index", "a.pdf", 0, 2))
    clock.now += 15
    narrator(Progress("index", "b.pdf", 1, 2))
    assert narrated(capsys) == [
        "ingest 0/1 a.pdf",
        "read 2/10 a.pdf",
        "read 6/10 a.pdf … about 1 min left",
        "ingest 1/1",
        "index 0/2 a.pdf",
        "index 1/2 b.pdf … about 20 s left",
    ]


def test_work_of_unknown_length_has_no_time_left(capsys: pytest.CaptureFixture[str], clock: Clock) -> None:
    narrator = Narrator(verbose=True, clock=clock)
    narrator(Progress("index", "", 1))
    clock.now += 60
    narrator(Progress("index", "", 7))
    narrator(Progress("index", "x", 8))
    assert narrated(capsys) == ["index", "index x"]


def test_a_terminal_sees_one_line_that_is_rewritten_and_cleared(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    narrator = Narrator(verbose=False, clock=clock)
    narrator(Progress("ingest", "a" * 200, 0, 4))
    clock.now += 5
    narrator(Progress("ingest", "b" * 200, 1, 4))
    narrator.finish()
    lines = terminal.getvalue().split("\r\x1b[K")
    assert lines[0] == lines[-1] == ""
    assert [len(line) for line in lines[1:-1]] == [LINE_LIMIT, LINE_LIMIT]
    assert lines[2].endswith("b … about 20 s left")
    assert "\n" not in terminal.getvalue()


def test_nobody_watching_hears_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """R114: stdout has the answer only; stderr is quiet unless --verbose or a terminal."""
    Narrator(verbose=False)(Progress("ingest", "a.pdf", 1, 2))
    assert capsys.readouterr() == ("", "")


def test_a_real_ingest_tells_its_files_on_stderr_only(cli: CommandLine) -> None:
    first, second = cli.write("a.txt", "Whales are mammals.\n"), cli.write("b.txt", "Sharks are fish.\n")
    ran = cli("ingest", first, second, "--verbose")
    assert ran.status == 0
    assert len(ran.object["documents"]) == 2
    lines = ran.err.splitlines()
    assert "ingest 0/2 a.txt" in lines
    assert any(line.startswith("ingest 1/2 b.txt … ") and line.endswith(" left") for line in lines)

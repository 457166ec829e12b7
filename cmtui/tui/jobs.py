"""Background jobs: what the screens show of them, and how the application runs them and asks on their way.

A job never holds a password: it is handed from the prompt to the one piece of work that reads the file.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from cmtui.model.ingest import IngestedDocument, IngestFailure, IngestReport
from cmtui.model.progress import Progress, time_left, words_for
from cmtui.tui.labels import bar, plural
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import Choice, MenuScreen, PromptScreen
from cmtui.tui.workers import Asks, Call

if TYPE_CHECKING:
    from cmtui.engine import CitationMachine

#: Seconds for the job's clock; only differences count.
Clock = Callable[[], float]


class JobState(StrEnum):
    """Where a job is."""

    RUNNING = "running"
    WAITING = "asks you"
    CANCELLING = "cancelling"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


GLYPH = {
    JobState.RUNNING: "⟳",
    JobState.WAITING: "?",
    JobState.CANCELLING: "⟳",
    JobState.DONE: "✔",
    JobState.CANCELLED: "–",
    JobState.FAILED: "✘",
}

#: The ways of reading a saved web page (D3), and the readers of a PDF.
WEB_PAGE = (Choice("r", "raw markup (as captured)", "raw"), Choice("t", "readable text", "text"))
PDF_READERS = (Choice("p", "pypdf", "pypdf"), Choice("f", "pdfium", "pdfium"))

_WEB_PAGES = frozenset({".html", ".htm", ".xhtml"})
_PARTS = 1000


@dataclass
class Pace:
    """The time left of one kind of work after another, by ``clock``."""

    clock: Clock = time.monotonic
    _work: tuple[str, int] = ("", 0)
    _done: int = 0
    _started: float = 0.0

    def left(self, operation: str, done: int, total: int) -> str:
        """``done`` of ``total`` now; the time left in words, empty while it cannot be told."""
        now = self.clock()
        if (operation, total) != self._work or done < self._done:
            self._work, self._started = (operation, total), now
        self._done = done
        seconds = time_left(done, total, now - self._started)
        return "" if seconds is None or done >= total else words_for(seconds)


@dataclass
class Job:
    """One ingest run. ``topic`` names its worker group; ``left`` is the time left in words, or empty."""

    topic: str
    title: str
    state: JobState = JobState.RUNNING
    progress: Progress = field(default_factory=lambda: Progress("ingest"))
    report: IngestReport | None = None
    error: str = ""
    left: str = ""
    pace: Pace = field(default_factory=Pace, repr=False)
    _files: Progress = field(default_factory=lambda: Progress("ingest", total=1), repr=False)

    @property
    def ended(self) -> bool:
        """Whether it has ended, one way or another."""
        return self.state in (JobState.DONE, JobState.CANCELLED, JobState.FAILED)

    def advance(self, progress: Progress) -> None:
        """Take up a report. Pages of the file that is being read count as parts of that file."""
        self.progress = progress
        part = 0
        if progress.operation == "ingest":
            self._files = progress
        elif progress.total and self._files.subject in ("", progress.subject):
            part = _PARTS * progress.done // progress.total
        else:
            return  # A file that is read ahead says nothing of the whole.
        done = min(self._files.done * _PARTS + part, self._files.total * _PARTS)
        self.left = self.pace.left("ingest", done, self._files.total * _PARTS)

    def line(self) -> str:
        """The job in one line for the status line; what matters most stands first, for want of room."""
        progress = self.progress
        share = f"{progress.done}/{progress.total}" if progress.total else ""
        name = (progress.subject or self.title)[:32]
        parts = (GLYPH[self.state], share, self.left, name, bar(progress.done, progress.total or 1))
        return " ".join(part for part in parts if part)


def report_lines(report: IngestReport) -> list[str]:
    """What an ingest run did: one summary line, then one line per error."""
    counts = Counter(document.status.value.replace("_", " ") for document in report.documents)
    parts = [f"{count} {status}" for status, count in counts.items()]
    if report.errors:
        parts.append(plural(len(report.errors), "error"))
    if report.cancelled:
        parts.append("cancelled")
    glyph = "✘" if report.errors else "✔"
    lines = [f"{glyph} Ingest: {', '.join(parts) or 'nothing to do'}"]
    lines += [f"✘ {error.message} {error.hint}" for error in report.errors]
    return lines


def holds_web_page(paths: Iterable[Path]) -> bool:
    """Whether an ingest of ``paths`` would read a saved web page."""
    from cmtui.engine.files import expand

    return any(path.suffix.lower() in _WEB_PAGES for path in expand(paths))


@dataclass
class _Run:
    """An ingest on its way: what it reads and how, and what came of it so far."""

    job: Job
    find: Callable[[], list[Path]]
    options: dict[str, Any]
    then: Callable[[IngestReport], None] | None = None
    documents: list[IngestedDocument] = field(default_factory=list)
    errors: list[IngestFailure] = field(default_factory=list)
    locked: list[IngestFailure] = field(default_factory=list)
    cancelled: bool = False

    def take(self, report: IngestReport) -> None:
        """Add a report; encrypted files wait for their password."""
        self.documents += report.documents
        for failure in report.errors:
            (self.locked if failure.code == "password-required" else self.errors).append(failure)
        self.cancelled = self.cancelled or report.cancelled


class RunsJobs(Asks, App[None]):
    """The part of the application that ingests in the background."""

    machine: CitationMachine

    def __init__(self, *, clock: Clock = time.monotonic) -> None:
        super().__init__()
        self.clock = clock
        self.jobs: list[Job] = []
        self._pace = Pace(clock)

    # -- what the application shows ------------------------------------------------------------------

    def say(self, text: str, look: str = "note") -> None:
        """A message in the status lines."""
        raise NotImplementedError

    def show_error(self, error: BaseException, trace: str = "") -> None:
        """A failure as a toast or a dialog."""
        raise NotImplementedError

    def working(self, text: str) -> None:
        """What is going on, at the right of the status lines."""
        raise NotImplementedError

    def show_progress(self, progress: Progress) -> None:
        """Progress of a screen's own work, at the right of its status line."""
        share = f"{progress.done}/{progress.total}" if progress.total else ""
        left = self._pace.left(progress.operation, progress.done, progress.total)
        parts = ("⟳", progress.operation, progress.subject[:30], share, left)
        self.working(" ".join(part for part in parts if part))

    # -- running -------------------------------------------------------------------------------------

    def ingest(self, paths: list[Path], then: Callable[[IngestReport], None] | None = None) -> Job:
        """Ingest in the background; the job shows in the status line and under J.

        Asks how to read web pages when there are some, and for the password of each encrypted PDF.
        """
        return self._begin(", ".join(path.name or str(path) for path in paths), lambda: paths, {}, then)

    def read_again(self, document_id: str, name: str, *, reference: str, backend: str) -> Job:
        """Read the bytes of a PDF again with another reader, for the source known by ``reference``."""

        def find() -> list[Path]:
            return [self.machine.original(document_id).path]

        options = {"kind": "pdf", "reference": reference, "backend": backend}
        return self._begin(f"{name} with {backend}", find, options, None)

    def _begin(
        self,
        title: str,
        find: Callable[[], list[Path]],
        options: dict[str, Any],
        then: Callable[[IngestReport], None] | None,
    ) -> Job:
        job = Job(f"ingest-{len(self.jobs)}", title, pace=Pace(self.clock))
        self.jobs.append(job)
        self._read(_Run(job, find, options, then))
        return job

    def _read(self, run: _Run) -> None:
        ask_html = not {"html", "backend"} & run.options.keys()

        def work(call: Call) -> IngestReport | None:
            paths = run.find()
            if ask_html and holds_web_page(paths):
                return None
            return self.machine.ingest_paths(
                paths, progress=call.progress, cancelled=call.cancelled, **run.options
            )

        def done(report: IngestReport | None) -> None:
            if report is None:
                self._ask_html(run)
            else:
                run.take(report)
                self._unlock(run)

        self._work_on(run, work, done)

    def _work_on(
        self,
        run: _Run,
        work: Callable[[Call], IngestReport | None],
        done: Callable[[IngestReport | None], None],
    ) -> None:
        run.job.state = JobState.RUNNING

        def failed(error: BaseException) -> None:
            run.job.state, run.job.error = JobState.FAILED, str(error)
            self._job_ended(run.job)
            self.show_error(error)

        self.ask(run.job.topic, work, done, failed=failed)
        self._show_jobs()

    def _end(self, run: _Run) -> None:
        job = run.job
        job.state = JobState.CANCELLED if run.cancelled else JobState.DONE
        job.report = IngestReport(tuple(run.documents), tuple(run.errors), cancelled=run.cancelled)
        self._job_ended(job)
        if run.then is not None:
            run.then(job.report)

    # -- questions on the way ------------------------------------------------------------------------

    def _ask_html(self, run: _Run) -> None:
        def chosen(html: str | None) -> None:
            if html is None:
                run.cancelled = True
                self._end(run)
            else:
                run.options["html"] = html
                self._read(run)

        run.job.state = JobState.WAITING
        self._show_jobs()
        self.push_screen(MenuScreen("Read saved web pages as", WEB_PAGE), chosen)

    def _unlock(self, run: _Run) -> None:
        """Ask for the password of the next encrypted file, or end."""
        if run.cancelled:
            run.errors += run.locked
            run.locked.clear()
        if run.locked:
            self._ask_password(run, run.locked.pop(0))
        else:
            self._end(run)

    def _ask_password(self, run: _Run, failure: IngestFailure, *, wrong: bool = False) -> None:
        name = Path(failure.path).name
        title = f"Wrong password. Again, for {name}" if wrong else f"Password of {name}"
        if wrong:
            self.say(f"✘ That password does not open {name}.", "bad")
        run.job.state = JobState.WAITING
        self._show_jobs()
        prompt = PromptScreen(title, hint="enter: open   esc: leave it out", secret=True)
        self.push_screen(prompt, partial(self._password_given, run, failure))

    def _password_given(self, run: _Run, failure: IngestFailure, password: str | None) -> None:
        if password is None:
            message = f"'{Path(failure.path).name}' is encrypted and was left out."
            run.errors.append(replace(failure, message=message, hint="Add it again to be asked once more."))
            self._unlock(run)
            return

        def work(call: Call) -> IngestReport:
            return self.machine.ingest_paths(
                [Path(failure.path)],
                password=password,
                progress=call.progress,
                cancelled=call.cancelled,
                **run.options,
            )

        def done(report: IngestReport | None) -> None:
            if report is not None and any(error.code == failure.code for error in report.errors):
                self._ask_password(run, failure, wrong=True)
            elif report is not None:
                run.take(report)
                self._unlock(run)

        self._work_on(run, work, done)

    # -- following -----------------------------------------------------------------------------------

    def cancel_job(self, job: Job) -> None:
        """Ask a job to stop; what it finished stays."""
        if job.state is JobState.RUNNING:
            job.state = JobState.CANCELLING
            self.workers.cancel_group(self, job.topic)
            self._show_jobs()

    def progressed(self, topic: str, progress: Progress) -> None:
        """Progress of a job."""
        for job in self.jobs:
            if job.topic == topic:
                job.advance(progress)
                self._show_jobs()
                return
        self.show_progress(progress)

    def running(self) -> list[Job]:
        """Jobs that have not ended."""
        return [job for job in self.jobs if not job.ended]

    def _job_ended(self, job: Job) -> None:
        job.left = ""
        self._show_jobs()
        if job.report is not None:
            lines = report_lines(job.report)
            self.say(lines[0], "bad" if job.report.errors else "good")
            for failure in job.report.errors[:3]:
                self.notify(failure.hint, title=failure.message, severity="error", timeout=8, markup=False)
        for screen in self.screen_stack:
            if isinstance(screen, BaseScreen):
                screen.reload()

    def _show_jobs(self) -> None:
        running = self.running()
        text = ""
        if running:
            text = running[0].line()
            if len(running) > 1:
                text += f"   {plural(len(running), 'job')}  J Jobs"
        self.working(text)
        for screen in self.screen_stack:
            refresh = getattr(screen, "jobs_changed", None)
            if refresh is not None:
                refresh()

"""Background jobs as the screens show them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from cmtui.model.ingest import IngestReport
from cmtui.model.progress import Progress
from cmtui.tui.labels import bar, plural


class JobState(StrEnum):
    """Where a job is."""

    RUNNING = "running"
    CANCELLING = "cancelling"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


GLYPH = {
    JobState.RUNNING: "⟳",
    JobState.CANCELLING: "⟳",
    JobState.DONE: "✔",
    JobState.CANCELLED: "–",
    JobState.FAILED: "✘",
}


@dataclass
class Job:
    """One ingest run. ``topic`` names its worker group."""

    topic: str
    title: str
    state: JobState = JobState.RUNNING
    progress: Progress = field(default_factory=lambda: Progress("ingest"))
    report: IngestReport | None = None
    error: str = ""

    @property
    def ended(self) -> bool:
        """Whether it has ended, one way or another."""
        return self.state not in (JobState.RUNNING, JobState.CANCELLING)

    def line(self) -> str:
        """The job in one line for the status line."""
        progress = self.progress
        share = f"{progress.done}/{progress.total}" if progress.total else ""
        name = progress.subject or self.title
        return f"{GLYPH[self.state]} {name[:32]}  {share} {bar(progress.done, progress.total or 1)}"


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

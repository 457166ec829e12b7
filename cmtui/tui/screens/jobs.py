"""The jobs of this session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from cmtui.tui.actions import bindings
from cmtui.tui.jobs import GLYPH, Job, JobState, report_lines
from cmtui.tui.labels import plural
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.widgets.row_list import Column, Row, RowList


def _share(job: Job) -> str:
    return f"{job.progress.done}/{job.progress.total}"


def _row(job: Job) -> Row:
    """A job as drawn; one that ended with errors does not look like one that ended well."""
    errors = len(job.report.errors) if job.report is not None else 0
    glyph, state, style = GLYPH[job.state], job.state.value, ""
    if job.state is JobState.DONE and errors:
        glyph, state, style = "✘", plural(errors, "error"), "bad"
    elif job.state is JobState.FAILED:
        style = "bad"
    return Row((glyph, job.title, state, _share(job), job.left.removesuffix(" left")), style=style)


class JobsScreen(BaseScreen):
    """Jobs above, what the one under the cursor did below."""

    scope = "jobs"
    BINDINGS: ClassVar[list[BindingType]] = bindings("jobs")
    CSS = "JobsScreen #report { height: 1fr; }"

    def body(self) -> Iterable[Widget]:
        """List and report."""
        yield RowList(
            [
                Column("", 2),
                Column("Job"),
                Column("State", 12),
                Column("Done", 10, "right"),
                Column("Left", 17),
            ],
            title="Jobs",
            empty="No job in this session.",
            id="jobs",
        )
        with VerticalScroll(classes="pane", id="report"):
            yield Static("", id="text", markup=False)

    def on_mount(self) -> None:
        """Show them, with the cursor on the one that runs or ran last."""
        self.query_one(RowList).focus()
        going = [index for index, job in enumerate(self.cmtui.jobs) if not job.ended]
        self._show(going[0] if going else len(self.cmtui.jobs) - 1)

    @property
    def here(self) -> Job | None:
        """The job under the cursor."""
        index = self.query_one(RowList).cursor
        return self.cmtui.jobs[index] if index < len(self.cmtui.jobs) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only a running job can be cancelled."""
        del parameters
        if action == "cancel":
            return self.here is not None and self.here.state is JobState.RUNNING
        return True

    def jobs_changed(self) -> None:
        """Show the jobs as they are now."""
        self._show()

    def _show(self, cursor: int | None = None) -> None:
        self.query_one(RowList).show([_row(job) for job in self.cmtui.jobs], cursor=cursor)

    @on(RowList.Highlighted)
    def _highlighted(self) -> None:
        job = self.here
        lines = [job.error] if job is not None and job.error else []
        if job is not None and job.report is not None:
            lines += report_lines(job.report)
            lines += [f"{d.status.value:<12} {d.summary.name}" for d in job.report.documents]
        elif job is not None:
            lines.append(job.line())
        self.query_one("#text", Static).update("\n".join(lines))
        self.refresh_keys()

    def action_cancel(self) -> None:
        """Ask the job to stop."""
        if self.here is not None:
            self.cmtui.cancel_job(self.here)

    def action_close(self) -> None:
        """Back to the library."""
        self.dismiss()

"""The two widgets that carry big data: rows and source text, headless at 100 x 30."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from textual.app import App, ComposeResult
from textual.widget import Widget

from cmtui.model.selectors import Span
from cmtui.tui.widgets.row_list import Column, Row, RowList
from cmtui.tui.widgets.source_view import SourceView, verified
from tests.benchmarks.engine import prose
from tests.benchmarks.timing import milliseconds, table


class _Stage(App[None]):
    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget

    def compose(self) -> ComposeResult:
        yield self.widget


async def _timed(widget: Widget, work: Callable[[], object]) -> float:
    """Seconds from ``work`` to the next painted screen, median of five."""
    times = []
    async with _Stage(widget).run_test(size=(100, 30)) as pilot:
        for _ in range(5):
            start = time.perf_counter()
            work()
            await pilot.pause()
            times.append(time.perf_counter() - start)
    return sorted(times)[2]


def run() -> None:
    rows = []
    base = 0.0
    for count in (100, 10_000, 100_000):
        data = [Row(("✔", f"Title number {n}", "Author", "2024")) for n in range(count)]
        rows_list = RowList((Column("St", 2), Column("Title"), Column("Author", 12), Column("Yr", 4)))
        seconds = asyncio.run(_timed(rows_list, lambda r=rows_list, d=data: r.show(d)))
        base = base or seconds
        budget = "1.5 x" if count == 100_000 else ""
        rows.append([f"RowList, {count:,} rows", milliseconds(seconds), f"{seconds / base:.1f} x", budget])
    base = 0.0
    budgets = {10_000: "", 1_000_000: "3 x", 5_000_000: "8 x"}
    for size, budget in budgets.items():
        text = prose(size // 70)
        view = SourceView()
        seconds = asyncio.run(_timed(view, lambda v=view, t=text: v.show(t)))
        base = base or seconds
        rows.append(
            [
                f"SourceView, {len(text):,} characters",
                milliseconds(seconds),
                f"{seconds / base:.1f} x",
                budget,
            ]
        )
    span = Span(len(text) // 2, len(text) // 2 + 80)

    def jump() -> None:
        view.set_marks([verified(span)])
        view.goto(span)

    view = SourceView()

    def prepare_and_jump() -> None:
        if not view.virtual_size.height > 30:
            view.show(text)
        jump()

    rows.append(
        ["SourceView, jump and mark in it", milliseconds(asyncio.run(_timed(view, prepare_and_jump))), "", ""]
    )
    table("Screen", ["work", "median, work to paint", "against the smallest", "budget"], rows)

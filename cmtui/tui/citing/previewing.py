"""The live preview: the item as every style prints it, in one of three forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from cmtui.errors import CmtuiError
from cmtui.model.bibliography import CslItem
from cmtui.tui.cells import fit
from cmtui.tui.labels import STYLE

if TYPE_CHECKING:
    from cmtui.engine import CitationMachine

#: The forms of a citation, in the order of the switch.
FORMS = ("reference", "inline", "footnote")


@dataclass(frozen=True)
class Line:
    """One style of the preview: the citation, or why there is none."""

    style: str
    text: str
    ok: bool
    notes: tuple[str, ...] = ()


def line(machine: CitationMachine, item: CslItem, style: str, form: str) -> Line:
    """An item in a style and form. For a worker thread."""
    if not item:
        return Line(style, "— no metadata; nothing is guessed from the file name", ok=False)
    try:
        made = machine.preview(item, style=style, form=form)
    except CmtuiError as error:
        return Line(style, f"— {error}", ok=False)
    return Line(style, made.text, ok=True, notes=made.warnings)


def every_line(
    machine: CitationMachine, item: CslItem, form: str, cancelled: Callable[[], bool]
) -> list[Line]:
    """An item in every style. For a worker thread; stops between styles."""
    lines = []
    for style in machine.citation_styles():
        if cancelled():
            break
        lines.append(line(machine, item, style, form))
    return lines


class Preview(VerticalScroll):
    """The pane below the form."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(classes="pane", id=id, can_focus=True)
        self.border_title = "Preview (live)"
        self.lines: Sequence[Line] = ()

    def compose(self) -> ComposeResult:
        """The text."""
        yield Static("", markup=False)

    def show(self, lines: Sequence[Line], *, style: str, form: str) -> None:
        """Every style on a line; the current one whole, first."""
        self.lines = lines
        width = max(20, self.size.width - 4)  # without its scroll bar, whether that is there or not
        texts = []
        for one in lines:
            name, text = STYLE.get(one.style, one.style), " ".join(one.text.split())
            if one.style == style:
                texts.append(fill(text, width, initial_indent=f"▌ {name:<11} ", subsequent_indent=" " * 14))
            else:
                texts.append(fit(f"  {name:<11} {text}", width))
        self.query_one(Static).update("\n".join(texts))
        self.border_title = f"Preview (live) · {form}"
        self.border_subtitle = f"style {STYLE.get(style, style)}"

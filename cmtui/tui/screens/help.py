"""Help made from the registry, for the screen it was opened on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from cmtui.model.claim import CAVEAT
from cmtui.tui.actions import EVERYWHERE, bindings, groups
from cmtui.tui.screens.base import BaseScreen

#: What the glyphs mean; the same on every screen.
LEGEND = """\
Lists        j k ↓ ↑ pgup pgdn home end
Panes        tab, shift+tab; the mouse works too
Text         drag selects exact text, ctrl+c copies it

SUP SUPPORTS     CON CONTRADICTS
REL related      INS insufficient
· undecided  ✔ accepted  ✘ rejected  – skipped
⟦…⟧ verified span   ⟪…⟫ match   ▌ current
! needs attention   ⟳ running

Copy goes: wl-copy, xclip, pbcopy or clip.exe; the
tmux buffer; OSC 52; and always last-copy.txt."""


class HelpScreen(BaseScreen):
    """Keys of the screen at the left; keys of every screen and the glyphs at the right."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("help")
    scope = "help"
    CSS = """
    HelpScreen .pane:focus { border: heavy $primary; }
    HelpScreen.-narrow #panes { layout: vertical; }
    """

    def __init__(self, about: str) -> None:
        super().__init__()
        self.about = about

    def body(self) -> Iterable[Widget]:
        """Two panes of text."""
        with Horizontal(id="panes"):
            with VerticalScroll(classes="pane", id="keys", can_focus=True) as left:
                left.border_title = self.about.capitalize()
                yield Static(help_text(self.about), markup=False)
            with VerticalScroll(classes="pane", can_focus=True) as right:
                right.border_title = "Everywhere"
                text = f"{help_text(EVERYWHERE)}\n\n{LEGEND}\n\n{CAVEAT}"
                yield Static(text, markup=False)

    def on_mount(self) -> None:
        """Scroll with the keys."""
        self.query_one("#keys").focus()
        self.context("keys as they are bound now")

    def action_close(self) -> None:
        """Back."""
        self.dismiss()


def help_text(scope: str) -> str:
    """The keys of a scope, by group."""
    blocks = []
    for group, actions in groups(scope):
        lines = [group] + [f"  {action.shown:<9} {action.description}" for action in actions]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)

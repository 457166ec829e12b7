"""Help made from the live keymap, for the screen it was opened on."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.app import SuspendNotSupported
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, Label, Static

from cmtui.config import config_path
from cmtui.keymap import Keymap, keymap_lines
from cmtui.model.claim import CAVEAT
from cmtui.tui.actions import EVERYWHERE, LISTS, PANES, bindings
from cmtui.tui.screens.base import BaseScreen

#: What the glyphs mean; the same on every screen.
LEGEND = """\
Text         drag selects exact text, ctrl+c copies it

SUP SUPPORTS     CON CONTRADICTS
REL related      INS insufficient
· undecided  ✔ accepted  ✘ rejected  – skipped
⟦…⟧ verified span   ⟪…⟫ match   ▌ current
! needs attention   ⟳ running

Copy goes: wl-copy, xclip, pbcopy or clip.exe; the
tmux buffer; OSC 52; and always last-copy.txt."""


class HelpScreen(BaseScreen):
    """Keys of the screen at the left; keys of every screen and the glyphs at the right; a search below."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("help")
    scope = "help"
    panes = ("#keys", "#shared")
    CSS = """
    HelpScreen .pane:focus { border: heavy $primary; border-title-color: $foreground; }
    HelpScreen #found { height: auto; max-height: 8; padding: 0 1; color: $foreground; }
    HelpScreen #search { padding: 0 1; }
    """

    def __init__(self, about: str) -> None:
        super().__init__()
        self.about = about

    def body(self) -> Iterable[Widget]:
        """Two panes of text and a line that searches every command."""
        keymap = self.cmtui.live_keys
        with Horizontal(id="panes"):
            with VerticalScroll(classes="pane", id="keys", can_focus=True) as left:
                left.border_title = self.about.capitalize()
                yield Static(help_text(self.about, keymap), markup=False)
            with VerticalScroll(classes="pane", id="shared", can_focus=True) as right:
                right.border_title = "Everywhere"
                shared = "\n\n".join(help_text(scope, keymap) for scope in (EVERYWHERE, PANES, LISTS))
                yield Static(f"{shared}\n\n{LEGEND}\n\n{CAVEAT}", markup=False)
        with Horizontal(classes="line"):
            yield Label(" Command ▏")
            yield Input(id="search", placeholder="/ searches every command")
        yield Static("", id="found", markup=False)

    def on_mount(self) -> None:
        """Scroll with the keys."""
        self.query_one("#keys").focus()
        self.context(f"keymap {self.cmtui.live_keys.name}")
        self.say("every key here is read from the live bindings, so a remapped key shows as remapped", "")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters are no keys while a command is searched."""
        if self.typing and action in ("edit", "text", "search"):
            return False
        return super().check_action(action, parameters)

    def action_search(self) -> None:
        """Type to search every command of every screen."""
        self.query_one("#search", Input).focus()

    @on(Input.Changed, "#search")
    def _searched(self, event: Input.Changed) -> None:
        self.query_one("#found", Static).update("\n".join(found_lines(event.value, self.cmtui.live_keys)))

    @on(Input.Submitted, "#search")
    def _done(self) -> None:
        self.query_one("#keys").focus()

    def action_close(self) -> None:
        """Leave the search, or the help."""
        if self.typing:
            self.query_one("#keys").focus()
        else:
            self.dismiss()

    def action_text(self) -> None:
        """Copy every key as text."""
        self.cmtui.copy("\n".join(keymap_lines(self.cmtui.live_keys)) + "\n", "keys as text")

    def action_edit(self) -> None:
        """Open the settings file in the person's editor."""
        path = config_path()
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if not editor:
            self.say("$EDITOR is not set; keymap: stands in config.yaml.")
            self.notify(str(path), title="The settings file", timeout=20, markup=False)
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self.app.suspend():
                subprocess.run([*shlex.split(editor), str(path)], check=False)
        except (SuspendNotSupported, OSError, ValueError) as error:
            self.say(f"✘ {path} cannot be opened in {editor}: {error}", "bad")
            return
        self.say("Keys are read when the application starts.")


def help_text(scope: str, keymap: Keymap) -> str:
    """The keys of a scope, by group; a star marks what is remapped."""
    blocks = []
    for group, actions in keymap.groups(scope):
        lines = [group]
        for action in actions:
            mark = "*" if action.id in keymap.changed else " "
            lines.append(f" {mark}{action.shown:<9} {action.description}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def found_lines(query: str, keymap: Keymap) -> list[str]:
    """Every command whose words, id or key hold all words of the query: key, what it does, where."""
    words = query.casefold().split()
    if not words:
        return []
    found = []
    for action in keymap.table:
        text = f"{action.description} {action.tooltip} {action.id} {action.shown}".casefold()
        if all(word in text for word in words):
            found.append(f"{action.shown:<12} {action.description:<40} {action.scope}")
    return found or [f"No command has “{query.strip()}”."]

"""Help made from the live keymap, for the screen it was opened on."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
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

#: Cells of the keys' column.
KEYS = 12

#: What the glyphs mean; the same on every screen.
LEGEND = """\
Text: drag selects it exactly, ctrl+c copies it

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
    COMPONENT_CLASSES: ClassVar[set[str]] = {"help--key", "help--group"}
    scope = "help"
    panes = ("#keys", "#shared")
    CSS = """
    HelpScreen .pane:focus { border: heavy $primary; border-title-color: $foreground; }
    HelpScreen > .help--key { color: $accent; text-style: bold; }
    HelpScreen > .help--group { color: $foreground-muted; text-style: italic; }
    HelpScreen #found { height: auto; max-height: 8; padding: 0 1; color: $foreground; }
    HelpScreen #search { padding: 0 1; }
    """

    def __init__(self, about: str) -> None:
        super().__init__()
        self.about = about

    def body(self) -> Iterable[Widget]:
        """Two panes of text and a line that searches every command."""
        with Horizontal(id="panes"):
            with VerticalScroll(classes="pane", id="keys", can_focus=True) as left:
                left.border_title = self.about.capitalize()
                yield Static("", id="own", markup=False)
            with VerticalScroll(classes="pane", id="shared", can_focus=True) as right:
                right.border_title = "Everywhere"
                yield Static("", id="all", markup=False)
        with Horizontal(classes="line"):
            yield Label(" Command ▏")
            yield Input(id="search", placeholder="/ searches every command")
        yield Static("", id="found", markup=False)

    def on_mount(self) -> None:
        """Scroll with the keys."""
        keymap = self.cmtui.live_keys
        self.query_one("#own", Static).update(self._painted(help_text(self.about, keymap)))
        shared = [screens_line(keymap)]
        shared += [help_text(scope, keymap, skip="Screens") for scope in (EVERYWHERE, PANES, LISTS)]
        text = self._painted("\n".join(shared))
        self.query_one("#all", Static).update(text.append(f"\n{LEGEND}\n\n{CAVEAT}"))
        self.query_one("#keys").focus()
        self.context(f"keymap {self.cmtui.live_keys.name}")
        self.say("every key here is read from the live bindings, so a remapped key shows as remapped", "")

    def _painted(self, text: str) -> Text:
        """Groups and keys in their colours; the words say the same without them."""
        key, group = (
            self.get_component_rich_style(f"help--{name}", partial=True) for name in ("key", "group")
        )
        painted = Text(text)
        at = 0
        for line in text.splitlines(keepends=True):
            if line.strip():
                look, end = (key, KEYS) if line.startswith(" ") else (group, len(line))
                painted.stylize(look, at, at + end)
            at += len(line)
        return painted

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


def help_text(scope: str, keymap: Keymap, *, skip: str = "") -> str:
    """The keys of a scope, by group; a star marks what is remapped."""
    lines = []
    for group, actions in keymap.groups(scope):
        if group == skip:
            continue
        lines.append(group)
        for action in actions:
            mark = "*" if action.id in keymap.changed else " "
            lines.append(f" {mark}{action.shown:<{KEYS - 3}} {action.description}")
    return "\n".join(lines)


def screens_line(keymap: Keymap) -> str:
    """The six screens in one line where their keys follow each other: ``1…6  Library to Audit``."""
    actions = [action for action in keymap.actions(EVERYWHERE) if action.group == "Screens"]
    keys = "…".join((actions[0].shown, actions[-1].shown)) if keys_in_a_row(keymap) else ""
    if not keys:
        return help_text(EVERYWHERE, Keymap(keymap.name, tuple(actions), keymap.changed))
    return f"Screens\n  {keys:<{KEYS - 3}} {actions[0].description} to {actions[-1].description}"


def keys_in_a_row(keymap: Keymap) -> bool:
    """Whether the screens still have the digits from 1 on."""
    actions = [action for action in keymap.actions(EVERYWHERE) if action.group == "Screens"]
    return [action.shown for action in actions] == [str(number) for number in range(1, len(actions) + 1)]


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

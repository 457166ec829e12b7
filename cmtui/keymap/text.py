"""The keymap as plain text: what ``citation-machine keys`` and ``cmtui help keys`` print."""

from __future__ import annotations

from cmtui.keymap.actions import EVERYWHERE, LISTS, PANES
from cmtui.keymap.table import Keymap

#: Headings in the order in which a person meets the screens.
HEADINGS = {
    EVERYWHERE: "Everywhere",
    PANES: "Panes",
    LISTS: "Every list",
    "welcome": "Welcome (empty store)",
    "library": "1 Library",
    "search": "2 Search",
    "review": "3 Review",
    "cite": "4 Cite",
    "acquire": "5 Acquire",
    "audit": "6 Audit",
    "source": "Source, full screen",
    "jobs": "Jobs",
    "help": "Help",
}


def headings(keymap: Keymap) -> dict[str, str]:
    """Scope and heading of every scope that has actions; one that is not listed above stands last."""
    there = dict.fromkeys(action.scope for action in keymap.table)
    known = {scope: title for scope, title in HEADINGS.items() if scope in there}
    return {**known, **{scope: scope.capitalize() for scope in there if scope not in known}}


def keymap_lines(keymap: Keymap) -> list[str]:
    """One line per action: keys, what it does, and its id for the settings."""
    lines = [f"Keymap: {keymap.name}"]
    for scope, title in headings(keymap).items():
        lines += ["", title]
        for action in keymap.actions(scope):
            mark = "*" if action.id in keymap.changed else " "
            lines.append(f" {mark}{action.shown:<14} {action.description:<42} {action.id}".rstrip())
    if keymap.changed:
        lines += ["", "* differs from the default keymap"]
    lines += ["", "Remap in config.yaml:  keymap: vim    or    keymap: {review.accept: [a, +]}"]
    return lines

"""The keys of the screens as Textual bindings. The table itself is ``cmtui/keymap/actions.py``."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from cmtui.keymap import (
    ACTIONS,
    EVERYWHERE,
    FORBIDDEN,
    LISTS,
    PANES,
    Action,
    actions,
    footer,
    groups,
)

__all__ = [
    "ACTIONS",
    "EVERYWHERE",
    "FORBIDDEN",
    "LISTS",
    "PANES",
    "Action",
    "actions",
    "binding",
    "bindings",
    "footer",
    "groups",
]


def binding(action: Action) -> Binding:
    """The Textual binding of an action. The footer is our own, so Textual's is never shown."""
    return Binding(
        ",".join(action.keys),
        action.name,
        action.description,
        show=False,
        key_display=action.shown,
        id=action.id,
        tooltip=action.tooltip,
    )


def bindings(scope: str) -> list[BindingType]:
    """The Textual bindings of a scope, with their default keys; the application lays its keymap over them."""
    return [binding(action) for action in actions(scope)]

"""Keymaps by name. Each holds only what differs from the registry; the rest stays as it is there."""

from __future__ import annotations

from collections.abc import Mapping

#: What vim's fingers expect: g and G for the ends of a list, ctrl+r to redo, ' to jump.
_VIM = {
    "list.first": "g home",
    "list.last": "G end",
    "list.page_down": "ctrl+f pagedown",
    "list.page_up": "ctrl+u pageup",
    "everywhere.jump": "apostrophe",
    "review.redo": "ctrl+r U",
    "review.down": "j",
    "review.up": "k",
}

#: What Emacs' fingers expect. Some are keys that multiplexers take; whoever chooses this has them free.
_EMACS = {
    "list.down": "down ctrl+n j",
    "list.up": "up ctrl+p k",
    "list.page_down": "ctrl+v pagedown",
    "list.page_up": "alt+v pageup",
    "list.first": "alt+less_than_sign home",
    "list.last": "alt+greater_than_sign end",
    "everywhere.palette": "alt+x colon",
    "everywhere.quit": "ctrl+q q",
    "library.filter": "ctrl+s slash",
    "search.query": "ctrl+s slash",
    "source.find": "ctrl+s slash",
    "review.undo": "ctrl+underscore u",
    "help.close": "ctrl+g escape",
    "jobs.close": "ctrl+g escape",
    "source.close": "ctrl+g escape backspace",
}

PRESETS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    name: {action: tuple(keys.split()) for action, keys in table.items()}
    for name, table in (("default", {}), ("vim", _VIM), ("emacs", _EMACS))
}

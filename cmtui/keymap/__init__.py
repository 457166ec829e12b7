"""Keys: the registry of actions, the presets, and the keymap in force. Loads no user interface."""

from cmtui.keymap.actions import ACTIONS, EVERYWHERE, FORBIDDEN, LISTS, PANES, Action
from cmtui.keymap.names import key_name, shown_keys
from cmtui.keymap.presets import PRESETS
from cmtui.keymap.table import Clash, Keymap, KeymapSetting, actions, footer, groups, resolve
from cmtui.keymap.text import keymap_lines

__all__ = [
    "ACTIONS",
    "EVERYWHERE",
    "FORBIDDEN",
    "LISTS",
    "PANES",
    "PRESETS",
    "Action",
    "Clash",
    "Keymap",
    "KeymapSetting",
    "actions",
    "footer",
    "groups",
    "key_name",
    "keymap_lines",
    "resolve",
    "shown_keys",
]

"""The keymap in force: the registry with a preset and a person's own keys laid over it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from cmtui.keymap.actions import ACTIONS, EVERYWHERE, LISTS, PANES, Action
from cmtui.keymap.names import shown_keys
from cmtui.keymap.presets import PRESETS

#: Screens that hold lists, so that a key of a list is a key of theirs too.
WITH_LISTS = frozenset({"library", "search", "review", "acquire", "audit", "jobs"})

#: Screens over which the keys of the whole application do not act.
MODAL: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KeymapSetting:
    """What the settings say: a preset, and keys (Textual's names) by action id laid over it."""

    preset: str = "default"
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Clash:
    """One key for two actions that are alive at the same time."""

    key: str
    actions: tuple[str, str]

    @property
    def sentence(self) -> str:
        """The clash for people."""
        first, second = self.actions
        return f"'{shown_keys((self.key,))}' is the key of both {first} and {second}."


def actions(scope: str, table: Sequence[Action] = ACTIONS) -> tuple[Action, ...]:
    """The actions of a scope, in registry order."""
    return tuple(action for action in table if action.scope == scope)


def footer(scope: str, table: Sequence[Action] = ACTIONS) -> list[Action]:
    """The actions a footer may show in a scope, the most used first and help last."""
    shown = [action for action in (*actions(scope, table), *actions(EVERYWHERE, table)) if action.priority]
    return sorted(shown, key=lambda action: action.priority)


def groups(scope: str, table: Sequence[Action] = ACTIONS) -> Iterator[tuple[str, list[Action]]]:
    """Group headings of a scope with their actions, in registry order."""
    found: dict[str, list[Action]] = {}
    for action in actions(scope, table):
        found.setdefault(action.group, []).append(action)
    yield from found.items()


@dataclass(frozen=True)
class Keymap:
    """The registry as it is bound now. ``changed`` are the ids whose keys are not the registry's own."""

    name: str
    table: tuple[Action, ...]
    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def actions(self, scope: str) -> tuple[Action, ...]:
        """The actions of a scope with the keys they have now."""
        return actions(scope, self.table)

    def footer(self, scope: str) -> list[Action]:
        """What a footer may show in a scope."""
        return footer(scope, self.table)

    def groups(self, scope: str) -> list[tuple[str, list[Action]]]:
        """Group headings of a scope with their actions."""
        return list(groups(scope, self.table))

    def shown(self, action_id: str) -> str:
        """How the keys of an action are printed."""
        return next((action.shown for action in self.table if action.id == action_id), "")

    @cached_property
    def clashes(self) -> tuple[Clash, ...]:
        """Keys that mean two things on one screen. The registry itself has none (a test sees to it)."""
        found: dict[tuple[str, tuple[str, str]], Clash] = {}
        for scope in dict.fromkeys(action.scope for action in self.table):
            table = [*self.actions(scope)]
            if scope not in (EVERYWHERE, LISTS, PANES, *MODAL):
                table += self.actions(EVERYWHERE)
            if scope in WITH_LISTS:
                table += [*self.actions(LISTS), *self.actions(PANES)]
            owner: dict[str, Action] = {}
            for action in table:
                for key in action.keys:
                    other = owner.setdefault(key, action)
                    pair = (other.id, action.id)
                    if other is not action and not _meant(pair):
                        found[(key, pair)] = Clash(key, pair)
        return tuple(found.values())


def _meant(pair: tuple[str, str]) -> bool:
    """Whether two actions share a key on purpose: a screen's own next row and the list's are one thing."""
    return _sharing(pair) or pair in default_shared()


def _sharing(pair: tuple[str, str]) -> bool:
    names = {action.partition(".")[2] for action in pair}
    return any(action.startswith("list.") for action in pair) and len(names) == 1


@cache
def default_shared() -> frozenset[tuple[str, str]]:
    """Pairs that share a key in the registry: alive in different focuses (a handle of the form, a list)."""
    shared = set()
    for scope in dict.fromkeys(action.scope for action in ACTIONS):
        table = [*actions(scope)]
        if scope not in (EVERYWHERE, LISTS, PANES, *MODAL):
            table += actions(EVERYWHERE)
        if scope in WITH_LISTS:
            table += [*actions(LISTS), *actions(PANES)]
        for first in table:
            for second in table:
                if first is not second and set(first.keys) & set(second.keys):
                    shared.add((first.id, second.id))
    return frozenset(shared)


def resolve(setting: KeymapSetting | None = None) -> Keymap:
    """The registry with the preset and the person's own keys. Unknown ids are ignored."""
    setting = setting or KeymapSetting()
    wanted = {**PRESETS.get(setting.preset, {}), **setting.keys}
    table, changed = [], {}
    for action in ACTIONS:
        keys = wanted.get(action.id)
        if keys is not None and keys != action.keys:
            action = replace(action, keys=keys, shown=shown_keys(keys))  # noqa: PLW2901 - the same one, rebound
            changed[action.id] = keys
        table.append(action)
    name = setting.preset + (" + own keys" if setting.keys else "")
    return Keymap(name, tuple(table), changed)

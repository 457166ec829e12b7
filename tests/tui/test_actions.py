"""The registry: no key twice in a scope, none that terminals take, and everything has words."""

from __future__ import annotations

import pytest

from cmtui.tui.actions import ACTIONS, EVERYWHERE, FORBIDDEN, actions, binding, bindings, footer, groups

SCOPES = sorted({action.scope for action in ACTIONS})
#: Scopes whose screens keep the application's keys alive beneath them.
OPEN_SCOPES = ("library", "search", "review", "cite", "source", "welcome")


@pytest.mark.parametrize("scope", SCOPES)
def test_no_key_means_two_things_in_a_scope(scope: str) -> None:
    table = list(actions(scope))
    if scope in OPEN_SCOPES:
        table += actions(EVERYWHERE)
    keys = [key for action in table for key in action.keys]
    assert len(keys) == len(set(keys)), sorted(key for key in keys if keys.count(key) > 1)


def test_no_forbidden_control_key_but_the_universal_copy() -> None:
    used = {key: action.id for action in ACTIONS for key in action.keys if key in FORBIDDEN}
    assert used == {"ctrl+c": "everywhere.copy_selection"}


@pytest.mark.parametrize("action", ACTIONS, ids=lambda a: a.id)
def test_every_action_has_words_and_a_binding_with_its_id(action) -> None:
    assert action.description
    assert action.tooltip
    assert action.label
    assert action.group
    assert binding(action).id == action.id


def test_ids_are_unique() -> None:
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)


@pytest.mark.parametrize("scope", OPEN_SCOPES)
def test_help_stands_last_in_the_footer(scope: str) -> None:
    assert footer(scope)[-1].id == "everywhere.help"
    assert len(bindings(scope)) == len(actions(scope))
    assert sum(len(items) for _, items in groups(scope)) == len(actions(scope))


def test_decision_keys_avoid_the_letters_reviewers_confuse() -> None:
    """R180: a, x and space decide; i, r and e never do (tui.md 0.5)."""
    decide = {a.keys[0] for a in actions("review") if a.name in ("accept", "reject", "skip")}
    assert decide == {"a", "x", "space"}

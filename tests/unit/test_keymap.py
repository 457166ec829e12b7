"""Keymaps: names of keys as Textual has them, presets that name real actions, and clashes that are told."""

from __future__ import annotations

import string

import pytest

from cmtui.keymap import ACTIONS, PRESETS, KeymapSetting, key_name, keymap_lines, resolve
from cmtui.keymap.names import shown_key
from cmtui.keymap.table import default_shared

IDS = {action.id for action in ACTIONS}


def test_names_of_signs_are_those_of_textual() -> None:
    from textual.keys import _character_to_key

    for character in string.punctuation + string.ascii_letters + string.digits + "§äß":
        assert key_name(character) == _character_to_key(character)
        assert shown_key(key_name(character)) == character


@pytest.mark.parametrize(
    ("text", "name", "shown"),
    [
        ("ctrl+r", "ctrl+r", "ctrl+r"),
        ("Ctrl++", "ctrl+plus", "ctrl++"),
        ("alt+<", "alt+less_than_sign", "alt+<"),
        ("esc", "escape", "esc"),
        ("question_mark", "question_mark", "?"),
        ("F5", "f5", "f5"),
        ("space", "space", "space"),
        ("shift+tab", "shift+tab", "shift+tab"),
    ],
)
def test_names_of_keys(text: str, name: str, shown: str) -> None:
    assert key_name(text) == name
    assert shown_key(name) == shown


@pytest.mark.parametrize("text", ["", "hyper+a", "f99", "nokey", "ctrl+", "a+b"])
def test_what_is_no_key(text: str) -> None:
    assert key_name(text) is None


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_names_real_actions_and_has_no_clash(preset: str) -> None:
    assert set(PRESETS[preset]) <= IDS
    keymap = resolve(KeymapSetting(preset))
    assert [clash.sentence for clash in keymap.clashes] == []
    assert set(keymap.changed) <= set(PRESETS[preset])


def test_the_registry_itself_shares_keys_only_between_a_screen_and_its_list() -> None:
    assert all(any(part.startswith("list.") for part in pair) for pair in default_shared())


def test_a_clash_is_told_with_both_actions() -> None:
    keymap = resolve(KeymapSetting(keys={"review.accept": ("x",)}))
    assert [clash.sentence for clash in keymap.clashes] == [
        "'x' is the key of both review.accept and review.reject."
    ]


def test_swapping_two_keys_is_no_clash() -> None:
    keys = {"review.accept": ("x",), "review.reject": ("a",)}
    assert resolve(KeymapSetting(keys=keys)).clashes == ()


def test_the_text_has_every_action_and_marks_what_is_remapped() -> None:
    lines = keymap_lines(resolve(KeymapSetting(keys={"review.accept": ("v",)})))
    text = "\n".join(lines)
    assert all(action.id in text for action in ACTIONS)
    assert next(line for line in lines if line.endswith("review.accept")).startswith(" *v ")

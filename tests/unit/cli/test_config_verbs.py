"""``config`` and ``keys``: the settings and the keymap without the application."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cmtui.keymap import ACTIONS
from support.cli import CommandLine


def test_show_gives_each_value_with_its_origin(cli: CommandLine, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("citation_style: apa\nkeymap: vim\n", encoding="utf-8")
    monkeypatch.setenv("CMTUI_CONFIG", str(path))
    monkeypatch.setenv("CMTUI_REVIEWER", "grace")
    monkeypatch.setenv("EXA_API_KEY", "sk-secret")
    ran = cli.bare("config", "show")
    rows = {row["name"]: row for row in ran.object["settings"]}
    assert rows["citation_style"]["value"] == "apa"
    assert rows["citation_style"]["origin"] == f"{path}:1"
    assert rows["keymap"]["value"] == {"preset": "vim"}
    assert rows["reviewer"]["origin"] == "CMTUI_REVIEWER"
    assert rows["theme"]["origin"] == "default"
    assert "sk-secret" not in ran.out
    assert cli.bare("config", "show", "--jsonl").out.count("\n") == len(rows)


def test_a_wrong_file_is_an_error_with_its_line(cli: CommandLine, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("theme: x\ncitation_stile: apa\n", encoding="utf-8")
    monkeypatch.setenv("CMTUI_CONFIG", str(path))
    ran = cli.bare("config", "show")
    assert ran.status == 2
    assert f"{path}, line 2" in ran.error["message"]
    assert "citation_style" in ran.error["hint"]
    assert cli.bare("config", "path").object == {"file": str(path), "exists": True}


def test_keys_are_text_and_with_json_an_object(cli: CommandLine, monkeypatch) -> None:
    text = cli.bare("keys").out
    assert all(action.id in text for action in ACTIONS)
    monkeypatch.setenv("CMTUI_KEYMAP", "vim")
    found = cli.bare("keys", "--json").object
    assert found["keymap"] == "vim"
    assert found["clashes"] == []
    assert any(row["remapped"] for row in found["actions"])


def test_the_schema_is_json_schema(cli: CommandLine) -> None:
    body = cli.bare("config", "schema").object
    assert body["properties"]["sections"]["properties"]["min_score"]["maximum"] == 1
    assert "review.accept" in json.dumps(body["properties"]["keymap"])


@pytest.mark.parametrize("verb", [["config", "show"], ["config", "schema"], ["keys"]])
def test_no_store_is_made(cli: CommandLine, verb: list[str]) -> None:
    assert cli(*verb).status == 0
    assert not cli.store.exists()

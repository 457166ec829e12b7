"""Settings: where each value comes from, and what a wrong one says."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui import config
from cmtui.errors import ConfigError


def load(tmp_path: Path, text: str | None = None, **env: str) -> config.Settings:
    path = tmp_path / "cmtui" / "config.yaml"
    if text is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    base = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "USER": "ada"}
    return config.load({**base, **env})


def test_defaults_without_a_file(tmp_path: Path) -> None:
    settings = load(tmp_path)
    assert settings.store == tmp_path / "data" / "cmtui" / "store"
    assert settings.demo_store != settings.store
    assert (settings.reviewer, settings.citation_style, settings.clipboard) == ("ada", "mla", "auto")
    assert set(settings.origins.values()) == {"default"}


def test_file_then_environment(tmp_path: Path) -> None:
    text = "store: ~/thesis\nreviewer: Ada L\ncitation_style: apa\nreview:\n  auto_advance: false\n"
    text += "  reject_reasons: [a, b]\nclipboard:\n  command: mycopy --x\n"
    settings = load(tmp_path, text, CMTUI_STYLE="ieee", CMTUI_STORE=str(tmp_path / "s"))
    assert settings.store == tmp_path / "s"
    assert settings.reviewer == "Ada L"
    assert settings.citation_style == "ieee"
    assert settings.clipboard == "command: mycopy --x"
    assert not settings.review.auto_advance
    assert settings.review.reject_reasons == ("a", "b")
    assert settings.origins["store"] == "CMTUI_STORE"
    assert settings.origins["reviewer"].endswith("config.yaml:2")


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("store: x\ncitation_stile: apa\n", "line 2", "citation_style"),
        ("review:\n  auto_advanse: true\n", "line 2", "review.auto_advance"),
        ("citation_style: appa\n", "line 1", "apa"),
        ("clipboard: tmucks\n", "line 1", "tmux"),
        ("- a\n", "line 1", "store"),
        ("store: [\n", "line 2", "key: value"),
        ("review:\n  auto_advance: maybe\n", "line 2", "true or false"),
        ("store:\n", "line 1", "store"),
    ],
)
def test_wrong_settings_name_file_line_and_way_out(tmp_path: Path, text: str, line: str, word: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    assert "config.yaml" in caught.value.message
    assert line in caught.value.message
    assert word in caught.value.hint + caught.value.message


def test_a_wrong_environment_value_names_the_variable(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="CMTUI_STYLE"):
        load(tmp_path, CMTUI_STYLE="nope")

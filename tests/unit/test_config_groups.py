"""Groups of settings: read from file and environment, limited, shown with origins, and in the schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cmtui import config
from cmtui.config.rules import read_value
from cmtui.config.showing import SCHEMA_FILE, schema, shown
from cmtui.errors import ConfigError
from cmtui.keymap import resolve


def load(tmp_path: Path, text: str = "", **env: str) -> config.Settings:
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return config.load({"CMTUI_CONFIG": str(path), "XDG_DATA_HOME": str(tmp_path), "USER": "ada", **env})


def test_the_environment_of_the_section_pipeline_wins_over_the_file(tmp_path: Path) -> None:
    """R174: the names CITATION_* override the file's ``sections:`` keys."""
    text = "sections:\n  min_score: 0.7\n  max_candidates: 5\n"
    settings = load(tmp_path, text, CITATION_MIN_SCORE="0.8", CITATION_PROVIDER_TIMEOUT_SECONDS="3")
    assert (settings.sections.min_score, settings.sections.max_candidates) == (0.8, 5)
    assert settings.sections.provider_timeout == 3.0
    assert settings.origins["sections.min_score"] == "CITATION_MIN_SCORE"
    assert settings.origins["sections.max_candidates"].endswith("config.yaml:3")
    assert settings.origins["sections.min_count"] == "default"


def test_the_defaults_of_the_section_pipeline(tmp_path: Path) -> None:
    """R161, R162, R169, R174, R178."""
    found = load(tmp_path).sections
    assert (found.min_score, found.min_relevance, found.max_candidates) == (0.5, 0.16, 12)
    assert (found.cache_ttl_days, found.min_count, found.provider_timeout) == (30, 2, 10.0)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "sections:\n  min_score: 2\n",
            "line 2: sections.min_score must be a number, from 0 and up to 1",
            "0.5",
        ),
        ("sections:\n  min_scor: 1\n", "line 2: unknown key 'sections.min_scor'", "sections.min_score"),
        ("sections:\n  max_candidates: many\n", "line 2", "max_candidates: 12"),
        ("thresholds:\n  score: 1\n", "line 1: unknown key 'thresholds'", "sections:"),
        ("exa_api_key: abc\n", "line 1: unknown key 'exa_api_key'", "environment alone"),
        ("reduced_motion: perhaps\n", "line 1: reduced_motion must be true or false", "true or false"),
        ("reviewer: a\nreviewer: b\n", "line 2: reviewer stands on line 1 already", "Delete"),
        ("providers:\n  crossref:\n    deadline: 0\n", "line 3: providers.crossref.deadline", "10"),
        ("providers:\n  crosref:\n    deadline: 1\n", "line 2: unknown key 'providers.crosref'", "crossref"),
        ("clipboard:\n  comand: x\n", "unknown key 'clipboard.comand'", "clipboard.command"),
        ("review: true\n", "line 1: review must hold", "auto_advance"),
        ("keymap: wim\n", "line 1: keymap cannot be 'wim'", "vim"),
        ("keymap:\n  review.acept: a\n", "line 2: unknown action 'review.acept'", "review.accept"),
        (
            "keymap:\n  review.accept: a\n  review.reject: hyper+q+\n",
            "line 3: 'hyper+q+' is no key",
            "ctrl+r",
        ),
    ],
)
def test_a_wrong_setting_names_its_line_and_the_way_out(
    tmp_path: Path, text: str, message: str, hint: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    assert message in caught.value.message
    assert str(tmp_path / "config.yaml") in caught.value.message
    assert hint in caught.value.hint


def test_keys_by_action_id_over_a_preset(tmp_path: Path) -> None:
    text = (
        "keymap:\n  preset: vim\n  review.accept: [v, +]\n  review.reject: n\n  search:\n    mode: 'M, ?'\n"
    )
    setting = load(tmp_path, text).keymap
    assert setting.preset == "vim"
    assert setting.keys["review.accept"] == ("v", "plus")
    assert setting.keys["review.reject"] == ("n",)  # YAML's truth value of a bare n is a key here
    assert setting.keys["search.mode"] == ("M", "question_mark")
    assert resolve(setting).shown("review.accept") == "v +"


@pytest.mark.parametrize("name", [name for name in config.specs() if name != "keymap"])
def test_every_setting_has_words_a_variable_and_a_default_that_it_accepts(name: str) -> None:
    spec = config.specs()[name]
    assert spec.rule.doc.endswith("."), name
    assert spec.variable.startswith(("CMTUI_", "CITATION_"))
    if isinstance(spec.default, str | int | float):
        assert read_value(spec, str(spec.default), "here") == spec.default


def test_no_two_settings_share_a_variable() -> None:
    variables = [spec.variable for spec in config.specs().values()]
    assert len(variables) == len(set(variables))
    assert not {"CMTUI_CONFIG", "CMTUI_STATE"} & set(variables)


def test_config_show_prints_no_secret(tmp_path: Path) -> None:
    """R42, R52: of a secret only whether it is set."""
    env = {
        "CMTUI_CONFIG": str(tmp_path / "config.yaml"),
        "EXA_API_KEY": "sk-very-secret",
        "BRAVE_API_KEY": "",
        "CMTUI_CLIPBOARD": "command: mycopy --token sk-very-secret",
        "CMTUI_CROSSREF_BASE_URL": "https://ada:hunter2@example.org/api",
        "USER": "ada",
    }
    body = shown(config.load(env), env)
    text = json.dumps(body, ensure_ascii=False)
    assert "sk-very-secret" not in text
    assert "hunter2" not in text
    assert {"name": "EXA_API_KEY", "provider": "exa", "set": True} in body["secrets"]
    assert {"name": "BRAVE_API_KEY", "provider": "brave", "set": False} in body["secrets"]
    assert body["exists"] is False


def test_the_shipped_schema_is_the_one_that_reads_the_file() -> None:
    """`make schema` writes it again after a setting or an action was added."""
    assert json.loads(SCHEMA_FILE.read_text("utf-8")) == schema()


def test_every_key_of_the_schema_is_a_setting() -> None:
    def names(node: dict[str, object], prefix: str = "") -> list[str]:
        found = []
        for key, value in node["properties"].items():
            nested = value.get("properties")
            found += names(value, f"{prefix}{key}.") if nested else [f"{prefix}{key}"]
        return found

    assert names(schema()) == list(config.specs())

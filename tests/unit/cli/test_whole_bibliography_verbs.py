"""The engine option and the printed bibliography of the command line."""

from __future__ import annotations

import json

import pytest

from cmtui import config
from cmtui.bibliography import pandoc
from support.cli import CommandLine

BOOK = {"type": "book", "title": "The Odyssey", "author": [{"family": "Butler", "given": "Samuel"}]}


@pytest.fixture
def cited(cli: CommandLine) -> CommandLine:
    ids = cli.ingested()
    cli.ok("bibliography", "set", ids["ulysses.md"], "--from", cli.write("b.json", json.dumps(BOOK)))
    return cli


def test_the_sources_are_printed_as_one_bibliography(cited: CommandLine) -> None:
    made = cited.ok("bibliography", "export", "--style", "mla", "--output", "markdown")
    assert made["text"] == "Butler, Samuel. *The Odyssey*."
    assert made["entries"][0]["text"] == made["text"]
    assert made["engine"].startswith("citeproc-py ")
    assert len(made["style_sha256"]) == 64
    assert ["left out" in warning for warning in made["warnings"]] == [True]


def test_a_printed_bibliography_can_be_written_to_a_file(cited: CommandLine) -> None:
    target = cited.write("bibliography.rtf", "")
    made = cited.ok("bibliography", "export", "--style", "ieee", "--output", "rtf", "--to", str(target))
    with open(target, encoding="utf-8") as file:
        text = file.read()
    assert text.startswith("{\\rtf1")
    assert made["bytes"] == len(text.encode("utf-8"))


def test_options_of_records_and_of_printing_do_not_mix(cited: CommandLine) -> None:
    assert cited.fails("bibliography", "export", "--output", "html")["type"] == "UsageError"
    assert cited.fails("bibliography", "export", "--style", "mla", "--format", "ris")["type"] == "UsageError"


def test_a_missing_engine_is_an_error_with_the_install_line(
    cited: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pandoc, "executable", lambda: None)
    failure = cited.fails("bibliography", "export", "--style", "mla", "--engine", "pandoc")
    assert failure["type"] == "EngineMissing"
    assert "cmtui[pandoc]" in failure["hint"]
    monkeypatch.setenv("CMTUI_CITATION_ENGINE", "pandoc")
    assert cited.fails("bibliography", "export", "--style", "mla")["type"] == "EngineMissing"


def test_the_engine_is_a_setting_that_names_its_values() -> None:
    assert config.load({"CMTUI_CITATION_ENGINE": "pandoc"}).citation_engine == "pandoc"
    with pytest.raises(config.ConfigError, match="pandok"):
        config.load({"CMTUI_CITATION_ENGINE": "pandok"})

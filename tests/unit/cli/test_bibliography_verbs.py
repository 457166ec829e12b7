"""``bibliography``, ``format`` and ``cite`` keep to the contract."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from support.cli import BOOK, CommandLine

PAPER = {
    "id": "ada2021",
    "type": "article-journal",
    "title": "On whales",
    "author": [{"family": "Ada", "given": "Mary"}],
    "container-title": "Journal of Seas",
    "volume": "3",
    "page": "1-9",
    "issued": {"date-parts": [[2021]]},
}
STYLES = ("mla", "apa", "chicago", "chicago-notes", "ieee")


def with_book(cli: CommandLine) -> dict[str, str]:
    ids = cli.ingested()
    cli.ok("bibliography", "set", ids["ulysses.md"], "--from", cli.write("book.json", json.dumps(BOOK)))
    return ids


# -- bibliography ------------------------------------------------------------------------------------


def test_an_item_is_set_shown_and_exported(cli: CommandLine) -> None:
    """R101: explicit CSL-JSON metadata in, the same out."""
    ids = cli.ingested()
    [before] = cli.ok("bibliography", "show", ids["ulysses.md"])["items"]
    assert before["item"] is None
    cli.ok("bibliography", "set", ids["ulysses.md"][:16], "--from", cli.write("b.json", json.dumps([BOOK])))
    [shown] = cli.ok("bibliography", "show", ids["ulysses.md"])["items"]
    assert shown["source_id"] == before["source_id"]
    assert shown["item"]["title"] == "The Odyssey"
    assert shown["item"]["author"] == BOOK["author"]
    assert len(cli.ok("bibliography", "show")["items"]) == 2
    exported = cli.ok("bibliography", "export")
    assert exported["format"] == "csl-json"
    assert [item["title"] for item in exported["items"]] == ["The Odyssey"]
    assert all(item["id"] for item in exported["items"])
    bibtex = cli.ok("bibliography", "export", ids["ulysses.md"], "--format", "bibtex")
    assert bibtex["text"].startswith("@book{")


def test_what_an_item_was_stays_in_its_history(cli: CommandLine) -> None:
    ids = with_book(cli)
    changed = json.dumps(BOOK | {"title": "The Odyssey of Homer"})
    cli.ok("bibliography", "set", ids["ulysses.md"], "--from", cli.write("c.json", changed))
    [shown] = cli.ok("bibliography", "show", ids["ulysses.md"])["items"]
    assert [item["title"] for item in shown["history"]] == ["The Odyssey"]


def test_an_edit_with_a_reviewer_can_be_undone(cli: CommandLine) -> None:
    ids = with_book(cli)
    changed = cli.write("c.json", json.dumps(BOOK | {"title": "Wrong"}))
    cli.ok("bibliography", "set", ids["ulysses.md"], "--from", changed, "--reviewer", "ada")
    assert "bibliography" in cli.ok("review", "undo", "--reviewer", "ada")["description"]
    [shown] = cli.ok("bibliography", "show", ids["ulysses.md"])["items"]
    assert shown["item"]["title"] == "The Odyssey"


def test_an_item_from_standard_input(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = cli.ingested()
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(BOOK)))
    item = cli.ok("bibliography", "set", ids["ulysses.md"], "--from", "-")["item"]
    assert item["title"] == "The Odyssey"


def test_errors_of_bibliography(cli: CommandLine) -> None:
    ids = cli.ingested()
    ulysses = ids["ulysses.md"]
    broken = cli.write("broken.json", '{"type": "book",\n "title": }')
    error = cli.fails("bibliography", "set", ulysses, "--from", broken)
    assert (error["type"], "line 2, column 11" in error["message"]) == ("InvalidMetadata", True)
    for name, content in {
        "number.json": "7",
        "empty.json": "[]",
        "two.json": json.dumps([BOOK, PAPER]),
        "words.json": '["book"]',
        "type.json": json.dumps(BOOK | {"title": {"main": "x"}}),
        "deep.json": "[" * 100_000,
    }.items():
        written = cli.write(name, content)
        assert cli.fails("bibliography", "set", ulysses, "--from", written)["type"] == "InvalidMetadata", name
    assert cli.fails("bibliography", "set", ulysses, "--from", "nowhere")["type"] == "InputMissing"
    assert cli.fails("bibliography", "set", ulysses, "--from", cli.folder)["type"] == "InputMissing"
    assert cli.fails("bibliography", "set", ulysses)["type"] == "UsageError"
    assert cli.fails("bibliography", "show", "ffffffff")["type"] == "NotFound"
    assert cli.fails("bibliography", "export", ulysses)["type"] == "MetadataMissing"
    assert cli.ok("bibliography", "export")["items"] == []


# -- format ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", [*STYLES, "bibtex"])
def test_a_document_in_every_style(cli: CommandLine, style: str) -> None:
    """R3, R106: five styles and BibTeX."""
    ids = with_book(cli)
    body = cli.ok("format", ids["ulysses.md"], "--style", style)
    assert list(body)[:3] == ["style", "form", "text"]
    assert (body["style"], body["form"]) == (style, "reference")
    assert "Odyssey" in body["text"]
    assert "Butler" in body["text"]


def test_evidence_is_cited_without_a_page_that_nobody_stated(cli: CommandLine) -> None:
    """R108: a Markdown file has no pages, so the inline citation names none."""
    with_book(cli)
    [location] = cli.ok("quote", "Ulysses sat on the shore and wept.")["locations"]
    body = cli.ok("format", location["evidence_ids"][0], "--style", "mla", "--form", "inline")
    assert (body["form"], body["text"]) == ("inline", "(Butler)")


def test_html_output(cli: CommandLine) -> None:
    ids = with_book(cli)
    body = cli.ok("format", ids["ulysses.md"], "--output", "html")
    assert body["output"] == "html"
    assert "<i>" in body["text"]


def test_errors_of_format(cli: CommandLine) -> None:
    """R102, R107: nothing is guessed, and an unsupported combination is an error."""
    ids = with_book(cli)
    missing = cli.fails("format", ids["whales.txt"])
    assert missing["type"] == "MetadataMissing"
    assert "bibliography set" in missing["hint"]
    ulysses = ids["ulysses.md"]
    assert cli.fails("format", ulysses, "--style", "mla", "--form", "footnote")["type"] == "UnsupportedForm"
    assert cli.fails("format", ulysses, "--style", "no-such-style")["type"] == "UnknownStyle"
    assert cli.fails("format", ulysses, "--style", str(cli.folder / "none.csl"))["type"] == "UnknownStyle"
    assert cli.fails("format", "ffffffff")["type"] == "NotFound"


# -- cite --------------------------------------------------------------------------------------------


def cite(cli: CommandLine, items: list[dict[str, Any]], *options: Any) -> dict[str, Any]:
    ran = cli.bare("cite", "--items", cli.write("items.json", json.dumps(items)), *options)
    assert (ran.status, ran.err) == (0, "")
    return ran.object


@pytest.mark.parametrize("style", [*STYLES, "bibtex"])
def test_items_are_formatted_without_a_store(cli: CommandLine, style: str) -> None:
    """The contract: entries as one bibliography in the order of the style; no store is made."""
    body = cite(cli, [BOOK, PAPER], "--style", style)
    assert list(body)[:4] == ["style", "form", "engine", "entries"]
    assert (body["style"], body["form"]) == (style, "reference")
    assert body["engine"]
    assert [list(entry) for entry in body["entries"]] == [["id", "text"]] * 2
    texts = {entry["id"]: entry["text"] for entry in body["entries"]}
    assert "Odyssey" in texts["homer1900"]
    assert "whales" in texts["ada2021"].lower()
    if style in ("mla", "apa", "chicago"):
        assert [entry["id"] for entry in body["entries"]] == ["ada2021", "homer1900"]
    if style == "ieee":
        assert [entry["id"] for entry in body["entries"]] == ["homer1900", "ada2021"]
        assert texts["homer1900"].startswith("[1]")
    assert not cli.store.exists()


def test_clusters_are_cited_in_their_order(cli: CommandLine) -> None:
    clusters = [
        [{"id": "homer1900", "locator": "12", "label": "page"}],
        [{"id": "homer1900"}, {"id": "ada2021"}],
    ]
    cites = cli.write("cites.json", json.dumps(clusters))
    body = cite(cli, [BOOK, PAPER], "--style", "apa", "--form", "inline", "--cites", cites)
    assert body["form"] == "inline"
    assert body["citations"][0] == "(Butler, 1900, p. 12)"
    assert len(body["citations"]) == 2


def test_an_export_can_be_cited(cli: CommandLine) -> None:
    with_book(cli)
    exported = cli.write("export.json", cli("bibliography", "export").out)
    ran = cli.bare("cite", "--items", exported, "--style", "apa")
    assert "Odyssey" in ran.object["entries"][0]["text"]


def test_errors_of_cite(cli: CommandLine) -> None:
    items = cli.write("items.json", json.dumps([BOOK]))

    def fails(*argv: Any) -> str:
        ran = cli.bare("cite", *argv)
        assert (ran.status, ran.out) == (2, "")
        return ran.error["type"]

    assert fails("--items", items) == "UsageError"
    assert fails("--items", "-", "--cites", "-", "--style", "apa") == "UsageError"
    assert fails("--items", "nowhere.json", "--style", "apa") == "InputMissing"
    assert fails("--items", cli.write("bad.json", "{"), "--style", "apa") == "InvalidMetadata"
    assert fails("--items", items, "--style", "no-such-style") == "UnknownStyle"
    for content in ('{"id": 1}', "[[1]]", '[[{"locator": "2"}]]', "[1]"):
        bad = cli.write("cites.json", content)
        assert fails("--items", items, "--style", "apa", "--form", "inline", "--cites", bad) == (
            "InvalidMetadata"
        )

"""``ingest``, ``documents`` and ``document`` keep to the contract."""

from __future__ import annotations

import json

import pytest

from support.cli import BOOK, ULYSSES, WHALES, CommandLine

ROW = [
    "document_id",
    "source_id",
    "source_version",
    "kind",
    "status",
    "title",
    "characters",
    "pages",
    "passages",
    "warnings",
]


def test_ingest_prints_the_rows_of_the_contract(cli: CommandLine) -> None:
    """R113, R114: one object with documents and errors, keys in fixed order."""
    body = cli.ok("ingest", cli.write("ulysses.md", ULYSSES))
    assert list(body) == ["documents", "errors"]
    [row] = body["documents"]
    assert list(row)[: len(ROW)] == ROW
    assert (row["kind"], row["status"], row["title"]) == ("markdown", "added", None)
    assert row["characters"] == len(ULYSSES.rstrip("\n")) or row["characters"] > 0
    assert row["passages"] > 0
    assert row["name"] == "ulysses.md"
    assert body["errors"] == []


def test_ingest_walks_folders_and_says_what_is_unchanged(cli: CommandLine) -> None:
    folder = cli.folder / "sources"
    folder.mkdir()
    (folder / "b.txt").write_text(WHALES)
    (folder / "a.md").write_text(ULYSSES)
    (folder / ".hidden.txt").write_text("not walked")
    first = cli.ok("ingest", folder)["documents"]
    assert [(row["name"], row["status"]) for row in first] == [("a.md", "added"), ("b.txt", "added")]
    again = cli.ok("ingest", folder)["documents"]
    assert [(row["document_id"], row["status"]) for row in again] == [
        (row["document_id"], "unchanged") for row in first
    ]


def test_new_bytes_are_a_new_version_of_the_same_source(cli: CommandLine) -> None:
    path = cli.write("whales.txt", WHALES)
    [old] = cli.ok("ingest", path)["documents"]
    path.write_text(WHALES + "\nDolphins are mammals.\n")
    [new] = cli.ok("ingest", path)["documents"]
    assert new["status"] == "new_version"
    assert new["source_id"] == old["source_id"]
    current = {row["document_id"]: row["current"] for row in cli.ok("documents")["documents"]}
    assert current == {old["document_id"]: False, new["document_id"]: True}


def test_one_bad_file_never_stops_the_others(cli: CommandLine) -> None:
    """The contract: documents list the good ones, errors the bad ones, exit status 2, and stderr says so."""
    good = cli.write("good.txt", WHALES)
    empty = cli.write("empty.txt", "")
    binary = cli.write("binary.txt", b"a\x00b")
    ran = cli("ingest", empty, good, binary, cli.folder / "missing.pdf")
    assert ran.status == 2
    assert [row["name"] for row in ran.object["documents"]] == ["good.txt"]
    assert [list(row) for row in ran.object["errors"]] == [["path", "type", "message", "hint"]] * 3
    assert [row["type"] for row in ran.object["errors"]] == ["EmptyFile", "NotText", "SourceMissing"]
    assert ran.error["type"] == "IngestError"
    assert ran.error["message"].startswith("3 of 4 files")


def test_ingest_options_reach_the_reader(cli: CommandLine) -> None:
    latin = cli.write("latin.txt", "Caf\xe9s are open.\n".encode("latin-1"))
    assert cli("ingest", latin).object["errors"][0]["type"] == "EncodingUnknown"
    [row] = cli.ok("ingest", latin, "--encoding", "latin-1", "--reference", "doi:10.1/x")["documents"]
    assert row["reference"] == "doi:10.1/x"
    assert cli.ok("document", row["document_id"])["text"].startswith("Cafés")
    [forced] = cli.ok("ingest", cli.write("notes", "# One\n\nText here.\n"), "--kind", "markdown")[
        "documents"
    ]
    assert forced["kind"] == "markdown"


def test_a_reference_names_exactly_one_file(cli: CommandLine) -> None:
    one, two = cli.write("a.txt", WHALES), cli.write("b.txt", ULYSSES)
    assert cli.fails("ingest", one, two, "--reference", "doi:10.1/x")["type"] == "InvalidRequest"
    assert cli.fails("ingest", cli.folder, "--reference", "doi:10.1/x")["type"] == "InvalidRequest"


def test_documents_lists_what_document_shows(cli: CommandLine) -> None:
    ids = cli.ingested()
    rows = cli.ok("documents")["documents"]
    assert {row["name"]: row["document_id"] for row in rows} == ids
    body = cli.ok("document", ids["ulysses.md"])
    assert list(body)[: len(ROW)] == ROW
    assert {"text", "profile", "pages", "sections", "candidates"} <= set(body)
    assert "Ulysses sat on the shore and wept." in body["text"]
    assert body["characters"] == len(body["text"])
    assert list(body["profile"]) == ["name", "version", "steps", "extractor"]
    assert all(list(step) == ["name", "count"] for step in body["profile"]["steps"])
    assert ["The Odyssey, retold", "Book V: Calypso"] in [mark["section"] for mark in body["sections"]]
    assert body["pages"] == []


def test_the_beginning_of_an_id_is_enough(cli: CommandLine) -> None:
    ids = cli.ingested()
    whole = cli.ok("document", ids["whales.txt"])
    assert cli.ok("document", ids["whales.txt"][:16]) == whole
    assert cli.fails("document", "ffffffffffffffff")["type"] == "NotFound"


def test_the_title_is_from_the_bibliography_alone(cli: CommandLine) -> None:
    """R102: a file's heading or name never becomes its title."""
    ids = cli.ingested()
    assert {row["title"] for row in cli.ok("documents")["documents"]} == {None}
    cli.ok("bibliography", "set", ids["ulysses.md"], "--from", cli.write("book.json", json.dumps(BOOK)))
    titles = {row["name"]: row["title"] for row in cli.ok("documents")["documents"]}
    assert titles == {"ulysses.md": "The Odyssey", "whales.txt": None}


@pytest.mark.parametrize("verb", [["documents"], ["search", "whales"], ["claims", "list"]])
def test_output_is_byte_deterministic(cli: CommandLine, verb: list[str]) -> None:
    cli.ingested()
    assert cli(*verb).out == cli(*verb).out


def test_jsonl_prints_one_row_a_line(cli: CommandLine) -> None:
    cli.ingested()
    rows = cli.ok("documents")["documents"]
    lines = cli("documents", "--jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == rows
    assert json.loads(cli("documents", "--pretty").out)["documents"] == rows

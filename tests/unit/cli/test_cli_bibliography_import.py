"""``bibliography import``, ``export`` and ``duplicates``: nothing is overwritten, nothing is lost in silence."""

# ruff: noqa: E501  (a command or a row of a table reads better on one line)
from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from support.cli import CommandLine

BIB = """@article{ada2021,
  title = {On whales}, author = {Ada, Mary and {Whale Institute}}, journaltitle = {Seas},
  date = {2021-05}, doi = {10.1/whales},
  file = {Full Text:whales.txt:text/plain;Snapshot:gone.html:text/html}
}
@book{homer, title = {The Odyssey}, isbn = {978-3-16-148410-0}, publisher = {Longmans}}
"""


def beside(cli: CommandLine) -> dict[str, str]:
    """The two sources, with copies of their files beside the bibliography."""
    ids = cli.ingested()
    for name in ids:
        document = cli.ok("document", ids[name])
        cli.write(name, document["text"])
    return ids


def item_of(cli: CommandLine, document_id: str) -> dict[str, Any]:
    [shown] = cli.ok("bibliography", "show", document_id)["items"]
    return shown["item"]


def links(entry: dict[str, Any]) -> list[tuple[str, str]]:
    return [(link["name"], link["basis"]) for link in entry["links"]]


def test_empty_fields_are_filled_and_unlinked_entries_listed(cli: CommandLine) -> None:
    ids = beside(cli)
    body = cli.ok("bibliography", "import", cli.write("a.bib", BIB))
    assert body["format"] == "biblatex"
    assert (body["dry_run"], body["unlinked"], body["problems"]) == (False, ["homer"], [])
    ada, homer = body["entries"]
    assert (ada["key"], ada["line"], ada["type"], ada["title"]) == (
        "ada2021",
        1,
        "article-journal",
        "On whales",
    )
    assert links(ada) == [("whales.txt", "bytes")]
    assert ada["links"][0]["left"] == []
    assert [(one["path"], one["document_id"]) for one in ada["attachments"]] == [
        ("whales.txt", ids["whales.txt"]),
        ("gone.html", None),
    ]
    assert (homer["line"], homer["links"]) == (6, [])
    stored = item_of(cli, ids["whales.txt"])
    assert (stored["title"], stored["DOI"]) == ("On whales", "10.1/whales")
    assert stored["author"] == [{"family": "Ada", "given": "Mary"}, {"literal": "Whale Institute"}]


def test_a_conflict_is_left_until_it_is_accepted(cli: CommandLine) -> None:
    ids = beside(cli)
    file = cli.write("a.bib", BIB)
    cli.ok("bibliography", "import", file)
    changed = cli.write("b.bib", BIB.replace("On whales", "On sharks").replace("Seas", "Oceans") + "% more\n")
    changed.write_text(changed.read_text().replace("doi =", "volume = {3}, doi ="))
    [link] = cli.ok("bibliography", "import", changed)["entries"][0]["links"]
    assert (link["basis"], link["stored"]) == ("doi", []), "a DOI whose title disagrees may be a wrong DOI"
    assert set(link["left"]) == {"title", "container-title", "volume"}
    differing = [one for one in link["fields"] if one["status"] == "differs"]
    assert differing[0] == {
        "field": "title",
        "status": "differs",
        "current": "On whales",
        "proposed": "On sharks",
    }
    assert "the titles differ" in link["warnings"][0]
    kept = item_of(cli, ids["whales.txt"])
    assert (kept["title"], kept["container-title"], kept.get("volume")) == ("On whales", "Seas", None)
    cli.ok("bibliography", "import", changed, "--accept", "ada2021=container-title,volume")
    kept = item_of(cli, ids["whales.txt"])
    assert (kept["title"], kept["container-title"], kept["volume"]) == ("On whales", "Oceans", "3")
    cli.ok("bibliography", "import", changed, "--accept-all", "ada2021")
    assert item_of(cli, ids["whales.txt"])["title"] == "On sharks"
    [shown] = cli.ok("bibliography", "show", ids["whales.txt"])["items"]
    assert [item.get("title") for item in shown["history"]] == ["On whales", "On whales"]


def test_importing_again_stores_nothing(cli: CommandLine) -> None:
    ids = beside(cli)
    file = cli.write("a.bib", BIB)
    cli.ok("bibliography", "import", file)
    [link] = cli.ok("bibliography", "import", file)["entries"][0]["links"]
    assert (link["stored"], link["left"]) == ([], [])
    [shown] = cli.ok("bibliography", "show", ids["whales.txt"])["items"]
    assert shown["history"] == []


def test_a_dry_run_proposes_and_stores_nothing(cli: CommandLine) -> None:
    ids = beside(cli)
    body = cli.ok("bibliography", "import", cli.write("a.bib", BIB), "--dry-run")
    assert body["dry_run"] is True
    [link] = body["entries"][0]["links"]
    assert {one["status"] for one in link["fields"]} == {"new"}
    assert item_of(cli, ids["whales.txt"]) is None


def test_an_entry_is_linked_by_hand(cli: CommandLine) -> None:
    ids = beside(cli)
    file = cli.write("a.bib", BIB)
    body = cli.ok("bibliography", "import", file, "--link", f"homer={ids['ulysses.md'][:12]}")
    assert body["unlinked"] == []
    assert links(body["entries"][1]) == [("ulysses.md", "hand")]
    assert item_of(cli, ids["ulysses.md"])["publisher"] == "Longmans"
    # From now on the ISBN links it, but not a chapter of the same book.
    again = cli.ok("bibliography", "import", file)
    assert links(again["entries"][1]) == [("ulysses.md", "isbn")]
    chapter = cli.write("c.bib", "@incollection{c, title={One}, isbn={978-3-16-148410-0}}")
    assert cli.ok("bibliography", "import", chapter)["unlinked"] == ["c"]


def test_a_file_name_alone_is_a_candidate_and_no_link(cli: CommandLine) -> None:
    ids = cli.ingested()
    file = cli.write("a.bib", "@misc{w, title={W}, file={PDF:D\\:\\\\Papers\\\\whales.txt:text/plain}}")
    [entry] = cli.ok("bibliography", "import", file)["entries"]
    assert entry["links"] == []
    assert [(one["name"], one["basis"]) for one in entry["candidates"]] == [("whales.txt", "file-name")]
    assert entry["attachments"][0]["path"] == "D:\\Papers\\whales.txt"
    assert item_of(cli, ids["whales.txt"]) is None


def test_two_entries_never_fill_one_source(cli: CommandLine) -> None:
    beside(cli)
    text = "@misc{a, title={A}, file={whales.txt}}\n@misc{b, title={B}, file={whales.txt}}\n"
    a, b = cli.ok("bibliography", "import", cli.write("a.bib", text))["entries"]
    assert links(a) == [("whales.txt", "bytes")]
    assert b["links"] == []
    assert b["warnings"] == ["'whales.txt' is already linked to the entry 'a' (line 1)"]


def test_an_import_is_undone_as_one_action(cli: CommandLine) -> None:
    ids = beside(cli)
    file = cli.write("a.bib", BIB)
    link = f"homer={ids['ulysses.md']}"
    cli.ok("bibliography", "import", file, "--link", link, "--reviewer", "ada")
    assert item_of(cli, ids["ulysses.md"]) is not None
    cli.ok("review", "undo", "--reviewer", "ada")
    assert item_of(cli, ids["ulysses.md"]) is None
    assert item_of(cli, ids["whales.txt"]) is None
    cli.ok("review", "redo", "--reviewer", "ada")
    assert item_of(cli, ids["whales.txt"])["title"] == "On whales"


def test_attachments_are_ingested_when_asked(cli: CommandLine) -> None:
    """Several attachments of one entry (zotero #1497), relative to the file, encoded, in RIS."""
    cli.write("one two.md", "# Whales\n\nWhales are mammals with lungs.\n")
    cli.write("notes.txt", "Sharks are fish and not mammals.\n")
    ris = cli.write(
        "a.ris", "TY  - JOUR\nTI  - On whales\nL1  - one%20two.md\nL1  - notes.txt\nL1  - gone.pdf\nER  - \n"
    )
    body = cli.ok("bibliography", "import", ris, "--ingest-attachments")
    assert [row["status"] for row in body["ingested"]["documents"]] == ["added", "added"]
    [entry] = body["entries"]
    assert sorted(links(entry)) == [("notes.txt", "path"), ("one two.md", "path")]
    for row in body["ingested"]["documents"]:
        assert item_of(cli, row["document_id"])["title"] == "On whales"


def test_a_damaged_attachment_is_reported_and_the_rest_is_stored(cli: CommandLine) -> None:
    beside(cli)
    cli.write("bad.pdf", b"%PDF-1.4 nothing")
    ran = cli(
        "bibliography",
        "import",
        cli.write("a.bib", BIB.replace("gone.html", "bad.pdf")),
        "--ingest-attachments",
    )
    assert (ran.status, ran.error["type"]) == (2, "IngestError")
    assert len(ran.object["ingested"]["errors"]) == 1
    assert ran.object["entries"][0]["links"][0]["stored"]


def test_broken_entries_are_reported_by_line_and_the_rest_comes_in(cli: CommandLine) -> None:
    ids = beside(cli)
    ran = cli("bibliography", "import", cli.write("a.bib", "@book{x, title={Open\n" + BIB))
    assert ran.status == 2
    assert ran.object["problems"][0]["line"] == 1
    assert "line 1" in ran.error["message"]
    assert item_of(cli, ids["whales.txt"])["title"] == "On whales"


def test_standard_input_and_csl_json(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = cli.ingested()
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps([{"id": "w", "type": "book", "title": "W"}])))
    body = cli.ok("bibliography", "import", "-", "--link", f"w={ids['whales.txt']}")
    assert body["format"] == "csl-json"
    assert item_of(cli, ids["whales.txt"])["title"] == "W"


def test_errors(cli: CommandLine) -> None:
    ids = cli.ingested()
    bib = cli.write("a.bib", BIB)

    def fails(*argv: str | Path) -> dict[str, str]:
        return cli.fails("bibliography", "import", *argv)

    wrong = fails(cli.write("a.ris", "TY  - JOUR\nTI  - T\nER  - \n"), "--format", "bibtex")
    assert wrong["type"] == "WrongBibliographyFormat"
    assert "is RIS, not BibTeX." in wrong["message"]
    assert "is plain text." in fails(cli.write("a.txt", "Dear diary"))["message"]
    assert fails("nowhere.bib")["type"] == "InputMissing"
    assert fails(cli.folder)["type"] == "InputMissing"
    assert fails(bib, "--link", "homer")["type"] == "UsageError"
    assert fails(bib, "--link", f"nobody={ids['whales.txt']}")["type"] == "InvalidRequest"
    assert fails(bib, "--link", "homer=ffffffff")["type"] == "NotFound"
    assert fails(bib, "--accept", "homer")["type"] == "UsageError"
    assert fails(bib, "--accept", "homer=gizmo")["type"] == "InvalidRequest"
    assert "ada2021" in fails(bib, "--accept-all", "nobody")["hint"]
    assert fails(bib, "--format", "endnote")["type"] == "UsageError"
    assert cli.fails("bibliography", "export", "--accepted", ids["whales.txt"])["type"] == "UsageError"
    assert cli.fails("bibliography", "export", "--reviewer", "ada")["type"] == "UsageError"
    assert cli.fails("bibliography", "export", "--to", cli.folder)["type"] == "OutputFailed"
    assert item_of(cli, ids["whales.txt"]) is None


# -- export and duplicates -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format_name", "start"), [("bibtex", "@article{"), ("biblatex", "@article{"), ("ris", "TY  - ")]
)
def test_export_has_the_same_bytes_each_time_and_comes_back(
    cli: CommandLine, format_name: str, start: str
) -> None:
    beside(cli)
    cli.ok("bibliography", "import", cli.write("a.bib", BIB))
    first = cli("bibliography", "export", "--format", format_name)
    assert cli("bibliography", "export", "--format", format_name).out == first.out
    body = first.object
    assert body["format"] == format_name
    assert body["text"].startswith(start)
    assert body["warnings"] == []
    target = cli.folder / "out"
    written = cli.ok("bibliography", "export", "--format", format_name, "--to", target)
    assert target.read_bytes() == body["text"].encode()
    assert written["bytes"] == len(target.read_bytes())
    [link] = cli.ok("bibliography", "import", target)["entries"][0]["links"]
    assert (link["basis"], link["stored"], link["left"]) == ("doi", [], [])


def test_export_of_what_a_reviewer_accepted(cli: CommandLine) -> None:
    ids = beside(cli)
    cli.ok("bibliography", "import", cli.write("a.bib", BIB), "--link", f"homer={ids['ulysses.md']}")
    claim_id = cli.ok("claims", "add", "Whales are mammals.")["claim_id"]
    evidence_id = cli.ok("review", "list", "--reviewer", "ada")["findings"][0]["evidence_id"]
    assert cli.ok("bibliography", "export", "--accepted", "--reviewer", "ada")["items"] == []
    cli.ok("review", "accept", evidence_id, "--claim", claim_id, "--reviewer", "ada")
    accepted = cli.ok("bibliography", "export", "--accepted", "--reviewer", "ada")["items"]
    assert [item["title"] for item in accepted] == ["On whales"]
    assert cli.ok("bibliography", "export", "--accepted", "--reviewer", "bob")["items"] == []
    assert len(cli.ok("bibliography", "export")["items"]) == 2


def test_what_a_format_cannot_carry_is_named(cli: CommandLine) -> None:
    ids = cli.ingested()
    item = {"type": "book", "title": "W", "issued": {"date-parts": [[2020], [2021]]}, "medium": "paper"}
    cli.ok("bibliography", "set", ids["whales.txt"], "--from", cli.write("i.json", json.dumps(item)))
    body = cli.ok("bibliography", "export", "--format", "ris")
    assert body["warnings"] == ["'W': ris does not carry issued, medium unchanged."]


def test_duplicates_are_shown_as_links(cli: CommandLine) -> None:
    ids = cli.ingested()
    assert cli.ok("bibliography", "duplicates")["duplicates"] == []
    for name, title in (("whales.txt", "On whales"), ("ulysses.md", "On Whales.")):
        item = {
            "type": "book",
            "title": title,
            "author": [{"family": "Ada"}],
            "issued": {"date-parts": [[2020]]},
        }
        cli.ok("bibliography", "set", ids[name], "--from", cli.write("i.json", json.dumps(item)))
    [row] = cli.ok("bibliography", "duplicates")["duplicates"]
    assert [source["name"] for source in row["sources"]] == ["ulysses.md", "whales.txt"]
    assert row["reasons"] == ["title-author-year"]
    assert item_of(cli, ids["whales.txt"])["title"] == "On whales"

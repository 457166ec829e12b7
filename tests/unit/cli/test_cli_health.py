"""``doctor``, ``backup``, ``restore``, ``remove`` and housekeeping on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import CommandLine


def test_doctor_backup_restore(cli: CommandLine) -> None:
    cli.ingested()
    body = cli.ok("doctor")
    assert (body["healthy"], body["checks"], body["repaired"]) == (True, [], [])
    assert body["digest"] == "sha256"
    assert body["layers"]["snapshots"] == {"ok": 2}
    assert {check["status"] for check in cli.ok("doctor", "--all")["checks"]} == {"ok"}
    made = cli.ok("backup", cli.folder / "b.zip")
    assert (made["documents"], made["damaged"]) == (2, [])
    assert cli.fails("backup", cli.folder / "b.zip")["type"] == "InvalidRequest"
    cli.ok("backup", cli.folder / "b.zip", "--replace")
    assert cli.fails("restore", cli.folder / "b.zip")["type"] == "InvalidRequest"
    assert cli.ok("restore", cli.folder / "b.zip", "--into", cli.folder / "new")["documents"] == 2
    ran = cli.bare("--store", cli.folder / "new", "doctor")
    assert ran.status == 0
    ran = cli.bare("--store", cli.folder / "newer", "restore", cli.folder / "b.zip")
    assert ran.object["store"] == str(cli.folder / "newer")
    (cli.folder / "h.zip").write_bytes(b"no zip")
    error = cli.fails("restore", cli.folder / "h.zip", "--into", cli.folder / "x")
    assert error["type"] == "BackupRefused"


def test_doctor_fails_when_something_is_damaged(cli: CommandLine) -> None:
    """R116: a check that ran and failed has exit status 1."""
    cli.ingested()
    blob = next(p for p in (cli.store / "blobs").rglob("*") if p.is_file())
    blob.write_bytes(b"other")
    for words in (["doctor"], ["doctor", "--repair"]):
        ran = cli(*words)
        assert (ran.status, ran.err) == (1, "")
        [check] = ran.object["checks"]
        assert (check["layer"], check["status"], check["repairable"]) == ("bytes", "damaged", False)
        assert check["advice"]
    # What the advice says holds.
    names = {row["document_id"]: row["reference"] for row in cli.ok("documents")["documents"]}
    assert names
    for path in cli._prepared.glob("*.*"):
        cli.ok("ingest", path, "--reprofile")
    assert cli.ok("doctor")["healthy"]


def test_doctor_looks_at_a_store_that_does_not_open(cli: CommandLine) -> None:
    cli.ingested()
    next((cli.store / "sources").glob("*.json")).write_bytes(b"{}")
    ran = cli("doctor")
    assert ran.status == 1
    assert any(check["layer"] == "sources" for check in ran.object["checks"])


def test_remove_lists_first_and_removes_with_yes(cli: CommandLine) -> None:
    ids = cli.ingested()
    claim = cli.ok("claims", "add", "Whales are mammals.")
    finding = next(f for f in claim["findings"] if f["document_id"] == ids["whales.txt"])
    evidence = finding["evidence_id"]
    cli.ok("review", "accept", evidence, "--reviewer", "ada")
    ran = cli("remove", ids["whales.txt"][:10], "--reason", "not mine")
    assert ran.status == 1
    body = ran.object
    assert (body["removed"], body["document_id"]) == (False, ids["whales.txt"])
    assert [(q["reviewer"], q["evidence_id"]) for q in body["accepted"]] == [("ada", evidence)]
    assert len(cli.ok("documents")["documents"]) == 2
    body = cli.ok("remove", ids["whales.txt"], "--reason", "not mine", "--yes")
    assert (body["removed"], body["reason"]) == (True, "not mine")
    assert len(cli.ok("documents")["documents"]) == 1
    # Review goes on without it.
    rows = cli.ok("review", "list", "--reviewer", "ada")["findings"]
    assert {r["removed"] for r in rows if r["document_id"] == ids["whales.txt"]} == {True}
    following = cli.ok("review", "next", "--reviewer", "ada")["finding"]
    assert following is None or following["document_id"] != ids["whales.txt"]
    cli.ok("claims", "rerun", "--all")
    [row] = cli.ok("review", "export", "--reviewer", "ada")["rows"]
    assert (row["decision"], row["evidence_id"], row["removed"]) == ("accepted", evidence, True)
    assert row["citation"]["reference"].endswith("whales.txt")
    cli.ok("review", "note", evidence, "gone", "--claim", claim["claim_id"], "--reviewer", "ada")
    error = cli.fails("reconstruct", evidence)
    assert error["type"] == "DocumentRemoved"
    assert "not mine" in error["message"]
    assert cli.fails("remove", ids["whales.txt"], "--yes")["type"] == "DocumentRemoved"
    assert cli.ok("doctor")["healthy"]


def test_files_tags_and_pages(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cli.write("a.txt", "Whales are mammals.\n")
    [row] = cli.ok("ingest", path)["documents"]
    source, document = row["source_id"], row["document_id"]
    assert cli.ok("tag", source, "thesis", "two words")["tags"] == ["thesis", "two words"]
    assert cli.ok("tag", document[:9], "--remove", "thesis")["tags"] == ["two words"]
    assert cli.ok("tag", source)["tags"] == ["two words"]
    [tagged] = cli.ok("documents", "--tag", "two words")["documents"]
    assert (tagged["document_id"], tagged["tags"]) == (document, ["two words"])
    assert cli.ok("documents", "--tag", "two words", "--tag", "thesis")["documents"] == []
    assert cli.ok("source", source, "--page-offset", "-3")["page_offset"] == -3
    assert cli.ok("source", source)["page_offset"] == -3
    assert cli.ok("source", source, "--no-page-offset")["page_offset"] is None
    assert cli.ok("open", document, "--print")["path"] == str(path)
    monkeypatch.setenv("PATH", str(cli.folder))
    ran = cli("open", document)
    assert ran.status == 2
    assert (ran.object["opened"], ran.object["path"]) == (False, str(path))
    assert ran.error["type"] == "NoViewer"
    assert cli.fails("open", document, "--page", "0")["type"] == "UsageError"
    moved = path.rename(cli.folder / "b.txt")
    assert cli.ok("relink", source, moved)["moved_to"] == moved.as_uri()


def test_ingest_changed(cli: CommandLine) -> None:
    paths = [cli.write(f"{name}.txt", f"The text of {name}.\n") for name in ("same", "changed", "gone")]
    cli.ok("ingest", *paths)
    assert cli.ok("ingest", "--changed")["documents"] == []
    paths[1].write_text("The new text.\n")
    paths[2].unlink()
    body = cli.ok("ingest", "--changed")
    assert [(Path(d["path"]).name, d["status"]) for d in body["documents"]] == [
        ("changed.txt", "new_version")
    ]
    assert [(m["name"], m["state"]) for m in body["missing"]] == [("gone.txt", "missing")]
    assert cli.fails("ingest")["type"] == "UsageError"


def test_a_store_of_this_format_has_nothing_to_migrate(cli: CommandLine) -> None:
    cli.ingested()
    body = cli.ok("migrate")
    assert (body["from_format"], body["to_format"], body["steps"], body["backup"]) == (1, 1, [], None)

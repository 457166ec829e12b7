"""``reanchor``: the report on evidence of older versions, and accepting one proposal."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import CommandLine, prepare


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("CMTUI_REVIEWER", "ada")
    folder = tmp_path / "prepared"
    folder.mkdir()
    return CommandLine(tmp_path, capsys, prepare(folder))


def edited(cli: CommandLine) -> tuple[str, str]:
    """Accepted evidence of a file that was then edited; the claim and the old evidence id."""
    path = cli.write("crew.txt", "The crew sang all night.\n\nThe old king wept bitterly.\n")
    cli.ok("ingest", path)
    claim = cli.ok("claims", "add", "The old king wept bitterly")
    evidence = next(f["evidence_id"] for f in claim["findings"] if f["relation"] == "SUPPORTS")
    cli.ok("review", "accept", evidence)
    path.write_text("A new first line.\n\nThe crew sang all day.\n\nThe old king wept bitterly.\n")
    [row] = cli.ok("ingest", path)["documents"]
    assert row["status"] == "new_version"
    return claim["claim_id"], evidence


def test_the_report_shows_old_and_new_and_who_accepted(cli: CommandLine) -> None:
    claim, evidence = edited(cli)
    report = cli.ok("reanchor")
    assert report["exact_moved"] == 1
    [source] = report["sources"]
    row = next(row for row in source["evidence"] if row["evidence_id"] == evidence)
    assert (row["class"], row["reason"]) == ("exact_moved", "unique")
    assert row["current"]["span"]["start"] == row["span"]["start"] + len("A new first line.\n\n") - 2
    assert row["current"]["text"] == row["text"] == "The old king wept bitterly."
    assert row["accepted_by"] == [{"reviewer": "ada", "claim_id": claim, "carried": False}]
    assert cli.ok("reanchor", source["source_id"][:12]) == report
    [listed] = [row for row in cli.ok("review", "list")["findings"] if row["evidence_id"] == evidence]
    assert listed["superseded"] == {
        "class": "exact_moved",
        "document_id": source["current_document_id"],
    }


def test_a_proposal_is_accepted_for_the_claim(cli: CommandLine) -> None:
    claim, evidence = edited(cli)
    done = cli.ok("reanchor", "--accept", evidence)
    assert (done["class"], done["reviewer"], done["claims"]) == ("exact_moved", "ada", [claim])
    assert cli.ok("reconstruct", done["evidence_id"])["text"] == "The old king wept bitterly."
    assert cli.ok("reconstruct", evidence)["text"] == "The old king wept bitterly."
    # Evaluated again, the claim finds the text in the new version, and the decision is there already.
    cli.ok("claims", "rerun", "--all")
    [row] = [r for r in cli.ok("review", "list")["findings"] if r["decision"] == "accepted"]
    assert (row["evidence_id"], row["superseded"]) == (done["evidence_id"], None)


def test_errors_say_what_to_do(cli: CommandLine) -> None:
    edited(cli)
    assert cli.fails("reanchor", "ffff")["type"] == "NotFound"
    assert cli.fails("reanchor", "--offset", "3")["type"] == "UsageError"
    assert cli.fails("reanchor", "x", "--accept", "y")["type"] == "UsageError"

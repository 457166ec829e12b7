"""``claims`` and ``review``: the whole review flow without the screen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.cli import CommandLine

CLAIM = "Whales are mammals"


@pytest.fixture(autouse=True)
def _reviewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CMTUI_REVIEWER", "ada")


def added(cli: CommandLine, text: str = CLAIM) -> dict[str, Any]:
    return cli.ok("claims", "add", text)


def supporting(cli: CommandLine, text: str = CLAIM) -> tuple[str, str]:
    """A claim and the evidence id of its supporting finding."""
    claim = added(cli, text)
    row = next(f for f in claim["findings"] if f["relation"] == "SUPPORTS")
    return claim["claim_id"], row["evidence_id"]


# -- claims ------------------------------------------------------------------------------------------


def test_a_claim_is_added_and_evaluated(cli: CommandLine) -> None:
    cli.ingested()
    claim = added(cli)
    assert (claim["text"], claim["new_sources"], len(claim["runs"])) == (CLAIM, 0, 1)
    assert claim["runs"][0]["findings"]["SUPPORTS"] == 1
    assert claim["findings"][0]["text"] == "Whales are mammals."
    assert "fallible" in claim["caveat"]
    again = added(cli)
    assert (again["claim_id"], len(again["runs"])) == (claim["claim_id"], 1)
    [listed] = cli.ok("claims", "list")["claims"]
    assert listed["claim_id"] == claim["claim_id"]
    assert listed["runs"] == claim["runs"]


def test_new_sources_are_counted_until_the_claim_is_run_again(cli: CommandLine) -> None:
    cli.ingested()
    claim = added(cli)
    cli.ok("ingest", cli.write("more.txt", "It is said that whales are mammals. Whales are mammals.\n"))
    assert cli.ok("claims", "list")["claims"][0]["new_sources"] == 1
    [rerun] = cli.ok("claims", "rerun", claim["claim_id"][:12])["claims"]
    assert (rerun["new_sources"], len(rerun["runs"])) == (0, 2)
    [all_of_them] = cli.ok("claims", "rerun", "--all")["claims"]
    assert all_of_them["claim_id"] == claim["claim_id"]


def test_claims_are_renamed_ordered_and_archived(cli: CommandLine) -> None:
    cli.ingested()
    first = added(cli)["claim_id"]
    second = cli.ok("claims", "add", "Sharks are fish", "--no-run")
    assert second["runs"] == []
    renamed = cli.ok("claims", "rename", first, "All whales are mammals", "--retrieval-query", "whales")
    assert (renamed["claim_id"], renamed["text"]) == (first, "All whales are mammals")
    assert renamed["retrieval_query"] == "whales"
    cli.ok("claims", "order", first, "9")
    assert [c["claim_id"] for c in cli.ok("claims", "list")["claims"]] == [second["claim_id"], first]
    assert cli.ok("claims", "archive", first)["archived"] is True
    assert [c["claim_id"] for c in cli.ok("claims", "list")["claims"]] == [second["claim_id"]]
    assert len(cli.ok("claims", "list", "--archived")["claims"]) == 2
    assert cli.ok("claims", "archive", first, "--undo")["archived"] is False


def test_errors_of_claims(cli: CommandLine) -> None:
    cli.ingested()
    assert cli.fails("claims", "add", "  ")["type"] == "InvalidRequest"
    assert cli.fails("claims", "rename", "ffffffff", "x")["type"] == "NotFound"
    assert cli.fails("claims", "rerun")["type"] == "UsageError"
    assert cli.fails("claims", "order", "ffffffff", "first")["type"] == "UsageError"


# -- review ------------------------------------------------------------------------------------------


def test_next_shows_a_finding_in_its_source(cli: CommandLine) -> None:
    """R183: the next undecided finding with its context, and how many are left."""
    cli.ingested()
    claim, evidence = supporting(cli)
    body = cli.ok("review", "next")
    assert (body["reviewer"], body["remaining"], body["total"]) == ("ada", 1, 1)
    finding = body["finding"]
    assert (finding["claim_id"], finding["evidence_id"]) == (claim, evidence)
    assert finding["text"] == "Whales are mammals."
    assert finding["context"]["after"].startswith(" They breathe air")
    assert finding["source"] == "whales.txt"
    assert finding["locators"]["line_start"] == 1
    assert "fallible" in body["caveat"]


def test_next_in_plain_text_reads_from_top_to_bottom(cli: CommandLine) -> None:
    cli.ingested()
    supporting(cli)
    lines = cli("review", "next", "--plain").out.splitlines()
    assert lines[0] == "1 of 1 findings left to decide."
    assert lines[1] == f"Claim: {CLAIM}"
    assert "Quote: Whales are mammals." in lines
    assert any("fallible" in line for line in lines)
    cli.ok("review", "accept", cli.ok("review", "next")["finding"]["evidence_id"])
    assert cli("review", "next", "--plain").out == "Nothing left to decide. 1 findings in all.\n"


def test_decisions_are_made_undone_and_made_again(cli: CommandLine) -> None:
    """R183: accept, reject, skip, undo, redo, note, tag."""
    cli.ingested()
    claim, evidence = supporting(cli)
    accepted = cli.ok("review", "accept", evidence[:12], "--reason", "plain", "--note", "good")
    assert (accepted["claim_id"], accepted["evidence_id"]) == (claim, evidence)
    assert (accepted["decision"], accepted["reasons"], accepted["note"]) == ("accepted", ["plain"], "good")
    assert cli.ok("review", "next")["finding"] is None
    undone = cli.ok("review", "undo")
    assert undone["description"].startswith("Undid")
    assert cli.ok("review", "next")["remaining"] == 1
    assert cli.ok("review", "redo")["description"].startswith("Redid")
    assert cli.ok("review", "next")["remaining"] == 0
    assert cli.ok("review", "reject", evidence, "--reason", "off-topic")["decision"] == "rejected"
    assert cli.ok("review", "skip", evidence)["decision"] == "skipped"
    assert cli.ok("review", "note", evidence, "see p. 3")["note"] == "see p. 3"
    assert cli.ok("review", "tag", evidence, "key", "whales")["tags"] == ["key", "whales"]
    [row] = cli.ok("review", "list", "--decision", "skipped")["findings"]
    assert (row["note"], row["tags"]) == ("see p. 3", ["key", "whales"])
    assert cli.ok("review", "list", "--decision", "accepted")["findings"] == []


def test_export_has_what_was_decided(cli: CommandLine) -> None:
    cli.ingested()
    _, evidence = supporting(cli)
    assert cli.ok("review", "export")["rows"] == []
    cli.ok("review", "accept", evidence)
    [row] = cli.ok("review", "export")["rows"]
    assert (row["evidence_id"], row["decision"], row["reviewer"]) == (evidence, "accepted", "ada")
    assert row["text"] == "Whales are mammals."
    assert [json.loads(line) for line in cli("review", "export", "--jsonl").out.splitlines()] == [row]
    undecided = cli.ok("review", "export", "--decision", "undecided")["rows"]
    assert all(row["decision"] == "undecided" for row in undecided)


def test_reviewers_do_not_see_each_other(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ingested()
    _, evidence = supporting(cli)
    cli.ok("review", "accept", evidence, "--reviewer", "ben")
    assert cli.ok("review", "next")["remaining"] == 1
    assert cli.ok("review", "next", "--reviewer", "ben")["remaining"] == 0
    assert cli.fails("review", "undo")["type"] == "NothingToUndo"
    monkeypatch.delenv("CMTUI_REVIEWER")
    monkeypatch.setenv("USER", "ben")
    assert cli.ok("review", "next")["reviewer"] == "ben"
    assert cli.fails("review", "next", "--reviewer", " ")["type"] == "InvalidRequest"


def test_contradictions_are_offered_and_the_rest_on_request(cli: CommandLine) -> None:
    cli.ingested()
    claim = added(cli, "Sharks are mammals")
    assert cli.ok("review", "next")["finding"]["relation"] == "CONTRADICTS"
    related = cli.ok("review", "list", "--claim", claim["claim_id"][:12])["findings"]
    assert len(related) == sum(1 for f in claim["findings"] if f["evidence_id"])
    assert cli.ok("review", "list", "--relation", "SUPPORTS")["findings"] == []


def test_evidence_under_two_claims_must_say_which(cli: CommandLine) -> None:
    cli.ingested()
    first, evidence = supporting(cli)
    second, same = supporting(cli, "whales are mammals")
    if first == second:
        pytest.skip("both wordings are one claim")
    assert same == evidence
    error = cli.fails("review", "accept", evidence)
    assert error["type"] == "AmbiguousId"
    assert first[:12] in error["message"]
    assert second[:12] in error["message"]
    assert cli.ok("review", "accept", evidence, "--claim", second[:12])["claim_id"] == second


def test_accept_verifies_again_and_records_nothing_when_it_fails(cli: CommandLine) -> None:
    """R87, R183: a finding whose source bytes changed in the store cannot be accepted."""
    cli.ingested()
    _, evidence = supporting(cli)
    for blob in (cli.store / "blobs").rglob("*"):
        if blob.is_file():
            blob.chmod(0o600)
            blob.write_bytes(blob.read_bytes() + b"x")
    assert cli.fails("review", "accept", evidence)["type"] == "VerificationError"
    assert cli.ok("review", "next")["remaining"] == 1


def test_errors_of_review(cli: CommandLine) -> None:
    cli.ingested()
    _, evidence = supporting(cli)
    assert cli.fails("review", "accept", "ffffffff")["type"] == "NotFound"
    assert cli.fails("review", "accept", evidence, "--claim", "ffffffff")["type"] == "NotFound"
    [location] = cli.ok("quote", "They breathe air with lungs.")["locations"]
    error = cli.fails("review", "accept", location["evidence_ids"][0])
    assert error["type"] == "NotFound"
    assert "under no claim" in error["message"]
    for verb in ("undo", "redo"):
        assert cli.fails("review", verb)["type"] == "NothingToUndo"

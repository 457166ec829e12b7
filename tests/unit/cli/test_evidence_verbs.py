"""``find-evidence``, ``identity``, ``reconstruct``, ``verify`` and ``quote`` keep to the contract."""

from __future__ import annotations

from typing import Any

from support.cli import CommandLine

FINDING = [
    "relation",
    "text",
    "evidence_ids",
    "confidence",
    "explanation",
    "document_id",
    "span",
    "locators",
]


def found(cli: CommandLine, claim: str = "Whales are mammals", *options: str) -> dict[str, Any]:
    return cli.ok("find-evidence", claim, *options)


def test_findings_have_the_keys_of_the_contract(cli: CommandLine) -> None:
    """R84, R96, R114: findings with their ids, and the caveat that belongs to relations."""
    ids = cli.ingested()
    body = found(cli)
    assert list(body)[:2] == ["claim", "findings"]
    assert not {"contradictions", "related", "insufficient"} & set(body)
    assert "fallible" in body["caveat"]
    assert "not truth" in body["caveat"]
    [finding] = body["findings"]
    assert list(finding)[: len(FINDING)] == FINDING
    assert finding["relation"] == "SUPPORTS"
    assert finding["text"] == "Whales are mammals."
    assert finding["document_id"] == ids["whales.txt"]
    assert "context" not in finding
    [evidence_id] = finding["evidence_ids"]
    assert len(evidence_id) == 64


def test_reconstruct_equals_the_finding_byte_for_byte(cli: CommandLine) -> None:
    """R84: reconstruct == text."""
    cli.ingested()
    [finding] = found(cli)["findings"]
    [evidence_id] = finding["evidence_ids"]
    body = cli.ok("reconstruct", evidence_id)
    assert body == {"evidence_id": evidence_id, "text": finding["text"]}
    assert cli.ok("reconstruct", evidence_id[:12]) == body


def test_diagnostics_and_context(cli: CommandLine) -> None:
    """R94, R95: the other relations, without evidence, and the passage a quote was taken from."""
    cli.ingested()
    body = found(cli, "Sharks are mammals", "--diagnostics", "--context")
    assert body["findings"] == []
    assert [f["text"] for f in body["contradictions"]] == ["Sharks are not mammals."]
    for key in ("contradictions", "related", "insufficient"):
        for finding in body[key]:
            assert list(finding)[: len(FINDING)] == FINDING
            assert finding["evidence_ids"] == []
    [contradiction] = body["contradictions"]
    text = cli.ok("document", contradiction["document_id"])["text"]
    around = contradiction["context_span"]
    assert contradiction["context"] == text[around["start"] : around["end"]]
    assert contradiction["text"] in contradiction["context"]


def test_without_saving_spans_have_no_ids(cli: CommandLine) -> None:
    """architecture.md: --no-save prints spans without ids, and the evidence log stays as it was."""
    cli.ingested()
    [finding] = found(cli, "Whales are mammals", "--no-save")["findings"]
    assert finding["evidence_ids"] == []
    assert finding["span"] == {"start": 0, "end": 19}
    assert cli.ok("verify", "--all")["checked"] == 0
    found(cli)
    assert cli.ok("verify", "--all")["checked"] == 1


def test_the_retrieval_query_is_apart_from_the_claim(cli: CommandLine) -> None:
    """R99: retrieval gets the query, inference gets the claim; the identity is the same."""
    cli.ingested()
    plain = found(cli)
    other = found(cli, "Find evidence that whales are mammals", "--retrieval-query", "whales lungs air")
    assert other["retrieval_query"] == "whales lungs air"
    assert [f["evidence_ids"] for f in other["findings"]] == [f["evidence_ids"] for f in plain["findings"]]
    filtered = found(cli, "Whales are mammals", "--source-kind", "markdown")
    assert filtered["findings"] == []
    assert found(cli, "Whales are mammals", "--candidate-limit", "1")["candidates"] == 1


def test_a_file_of_claims(cli: CommandLine) -> None:
    cli.ingested()
    claims = cli.write("claims.txt", "Whales are mammals\n\nSharks are fish\n?\n")
    ran = cli("find-evidence", "--claims", claims)
    assert ran.status == 2
    reports = ran.object["claims"]
    assert [r["claim"] for r in reports] == ["Whales are mammals", "Sharks are fish"]
    assert [len(r["findings"]) for r in reports] == [1, 1]
    [error] = ran.object["errors"]
    assert list(error) == ["claim", "type", "message", "hint"]
    assert error["claim"] == "?"
    single = found(cli)
    assert reports[0] == single


def test_errors_of_find_evidence(cli: CommandLine) -> None:
    cli.ingested()
    assert cli.fails("find-evidence")["type"] == "UsageError"
    assert cli.fails("find-evidence", "a", "--claims", "b")["type"] == "UsageError"
    assert cli.fails("find-evidence", "a", "--limit", "0")["type"] == "InvalidRequest"
    assert cli.fails("find-evidence", "a", "--candidate-limit", "-1")["type"] == "InvalidRequest"
    assert cli.fails("find-evidence", "--claims", "nowhere.txt")["type"] == "InputMissing"
    blank = cli.write("blank.txt", "\n\n")
    assert cli.fails("find-evidence", "--claims", blank)["type"] == "InvalidRequest"
    latin = cli.write("latin.txt", b"caf\xe9\n")
    assert "byte 3" in cli.fails("find-evidence", "--claims", latin)["message"]
    assert cli.fails("find-evidence", "--claims", blank, "--retrieval-query", "x")["type"] == "UsageError"


def test_identity_prints_the_four_layers(cli: CommandLine) -> None:
    """R10, R16: four full digests, and the steps of the profile."""
    ids = cli.ingested()
    [finding] = found(cli)["findings"]
    body = cli.ok("identity", finding["evidence_ids"][0])
    assert list(body["layers"]) == ["artifact", "version", "content", "span"]
    assert all(len(layer["id"]) == 64 for layer in body["layers"].values())
    assert body["layers"]["content"]["id"] == body["document_id"] == ids["whales.txt"]
    assert body["layers"]["artifact"]["id"] == body["source_id"]
    assert body["layers"]["artifact"]["reference"].endswith("/whales.txt")
    assert body["layers"]["content"]["profile"]["steps"]
    assert body["layers"]["span"]["id"] == finding["evidence_ids"][0]
    assert body["text"] == body["selector"]["exact"] == "Whales are mammals."


def test_verify_recomputes_every_layer(cli: CommandLine) -> None:
    cli.ingested()
    [evidence_id] = found(cli)["findings"][0]["evidence_ids"]
    for argv in (["verify"], ["verify", "--all"], ["verify", evidence_id[:12]]):
        body = cli.ok(*argv)
        assert (body["checked"], body["failed"]) == (1, 0)
        [row] = body["evidence"]
        assert (row["evidence_id"], row["status"]) == (evidence_id, "ok")
        assert list(row["layers"]) == ["artifact", "version", "content", "span"]
        assert all(layer["status"] == "ok" and layer["reason"] for layer in row["layers"].values())
    assert cli.fails("verify", "--all", evidence_id)["type"] == "UsageError"
    assert cli.fails("verify", "ffffffffffff")["type"] == "NotFound"


def test_verify_fails_with_status_1_when_the_source_bytes_were_changed(cli: CommandLine) -> None:
    """The contract: a check that ran and failed is 1, and stdout says which layer and why."""
    cli.ingested()
    found(cli)
    for blob in (cli.store / "blobs").rglob("*"):
        if blob.is_file():
            blob.chmod(0o600)
            blob.write_bytes(blob.read_bytes() + b"x")
    ran = cli("verify")
    assert (ran.status, ran.err) == (1, "")
    [row] = ran.object["evidence"]
    assert row["status"] == "failed"
    assert row["layers"]["version"]["status"] == "failed"
    assert row["layers"]["version"]["reason"]


def test_a_damaged_snapshot_fails_closed(cli: CommandLine) -> None:
    """R21: an error that names what is damaged, never a silent answer."""
    ids = cli.ingested()
    snapshot = cli.store / "snapshots" / f"{ids['whales.txt']}.json"
    snapshot.chmod(0o600)
    snapshot.write_bytes(snapshot.read_bytes().replace(b"mammals", b"mammels"))
    assert cli.fails("document", ids["whales.txt"])["type"] == "SnapshotDamaged"
    snapshot.unlink()
    ran = cli("document", ids["whales.txt"])
    assert ran.status == 2
    assert ran.error["type"] in ("NotFound", "SnapshotDamaged")


def test_identity_and_reconstruct_of_unknown_ids(cli: CommandLine) -> None:
    cli.ingested()
    for verb in ("identity", "reconstruct"):
        assert cli.fails(verb, "ffffffffffff")["type"] == "NotFound"


# -- quote -------------------------------------------------------------------------------------------

LOCATION = [
    "document_id",
    "source_id",
    "span",
    "text",
    "locators",
    "evidence_ids",
    "difference",
    "gaps",
]


def test_an_exact_quote(cli: CommandLine) -> None:
    ids = cli.ingested()
    body = cli.ok("quote", "They breathe air with lungs.")
    assert list(body)[:3] == ["quote", "verdict", "locations"]
    assert body["verdict"] == "exact"
    [location] = body["locations"]
    assert list(location) == LOCATION
    assert location["document_id"] == ids["whales.txt"]
    [evidence_id] = location["evidence_ids"]
    assert cli.ok("reconstruct", evidence_id)["text"] == "They breathe air with lungs."


def test_quotes_that_are_not_exact_have_status_1(cli: CommandLine) -> None:
    """The contract: exit 1, no id, and the difference shown."""
    cli.ingested()
    for text, verdict in (
        ("They breathe air with gills.", "near_miss"),
        ("Nothing like this stands anywhere at all.", "absent"),
        ("Whales", "too_short"),
    ):
        ran = cli("quote", text)
        assert (ran.status, ran.err) == (1, "")
        assert ran.object["verdict"] == verdict
        assert all(location["evidence_ids"] == [] for location in ran.object["locations"])
    [near] = cli("quote", "They breathe air with gills.").object["locations"]
    assert {part["op"] for part in near["difference"]} > {"equal"}
    assert all(list(part) == ["op", "quote", "source"] for part in near["difference"])


def test_a_quote_in_another_document_is_misattributed(cli: CommandLine) -> None:
    ids = cli.ingested()
    ran = cli("quote", "They breathe air with lungs.", "--document-id", ids["ulysses.md"])
    assert (ran.status, ran.object["verdict"]) == (1, "misattributed")


def test_short_quotes_need_a_document_and_an_offset(cli: CommandLine) -> None:
    ids = cli.ingested()
    where = ("--document-id", ids["whales.txt"][:16], "--offset", "0")
    assert cli.ok("quote", "Whales", *where)["verdict"] == "exact"
    assert cli.fails("quote", "Whales", "--offset", "0")["type"] == "UsageError"
    assert cli.fails("quote", "They breathe air.", "--document-id", "ffffffffffff")["type"] == "NotFound"

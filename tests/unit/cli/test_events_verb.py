"""``events``: the trail by command line."""

from __future__ import annotations

from support.cli import CommandLine


def test_events_lists_the_trail_and_the_chains(cli: CommandLine) -> None:
    cli.ingested()
    body = cli.ok("events")
    assert body["total"] == 2
    assert {event["event"] for event in body["events"]} == {"source.ingested"}
    assert body["chains"] == []
    assert cli.ok("events", "event:finding.*")["events"] == []
    assert len(cli.ok("events", "--limit", "1")["events"]) == 1
    assert "event:" in cli.fails("events", "evnt:x")["hint"]


def test_a_broken_chain_is_a_failed_check(cli: CommandLine) -> None:
    cli.ingested()
    log = cli.store / "events" / "ada.jsonl"
    log.parent.mkdir(exist_ok=True)
    log.write_text('{"not": "an event"}\n', encoding="utf-8")
    ran = cli("events")
    assert ran.status == 1
    assert ran.object["chains"][0]["ok"] is False
    assert "line 1" in ran.object["chains"][0]["problem"]

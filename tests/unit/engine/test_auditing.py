"""The trail: what the store truthfully shows, filters, chains, layers, and how versions differ."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.engine.audit_filter import AuditFilter
from cmtui.errors import InvalidRequest
from cmtui.model.audit import AuditEvent

NOW = datetime(2026, 12, 1, 15, 0, tzinfo=UTC)


class Clock:
    """One second later at every look."""

    def __init__(self) -> None:
        self.seconds = 0

    def now(self) -> str:
        self.seconds += 1
        return f"2026-12-01T{self.seconds // 3600:02}:{self.seconds // 60 % 60:02}:{self.seconds % 60:02}Z"


@pytest.fixture
def machine(tmp_path: Path):
    """A store with one source in two versions, a claim, and a reviewer's decisions."""
    file = tmp_path / "ulysses.md"
    with LocalCitationMachine.open(tmp_path / "store", clock=Clock()) as machine:
        for text in (
            "The old king wept.\n\nThe harbour was empty.\n",
            "The old king wept.\n\nIt was full.\n",
        ):
            file.write_text(text, encoding="utf-8")
            machine.ingest(file)
        claim = machine.add_claim("The old king wept")
        machine.evaluate_claim(claim.claim_id)
        yield machine


def decide(machine: LocalCitationMachine) -> str:
    claim = machine.claims()[0]
    evidence_id = next(f.evidence_id for f in claim.latest.findings if f.evidence_id)
    session = machine.review("ada")
    session.accept(claim.claim_id, evidence_id)
    session.undo()
    session.reject(claim.claim_id, evidence_id, reasons=["figurative"])
    session.note(claim.claim_id, evidence_id, "not him")
    return evidence_id


def test_the_trail_has_every_kind_of_record_newest_first(machine) -> None:
    evidence_id = decide(machine)
    source = machine.sources()[0].source_id
    machine.set_bibliography(source, {"type": "book", "title": "The Odyssey"})
    trail = machine.audit_trail()
    assert [event.event for event in trail.events] == [
        "bibliography.updated",
        "finding.noted",
        "finding.rejected",
        "undo",
        "finding.accepted",
        "claim.evaluated",
        "source.ingested",
        "source.ingested",
    ]
    rejected = trail.events[2]
    assert (rejected.actor, rejected.evidence_id) == ("ada", evidence_id)
    assert rejected.detail.startswith("reasons: figurative")
    assert trail.events[3].detail == "of finding.accepted"
    assert trail.events[1].detail.startswith("note: not him")
    assert trail.whole
    assert trail.chains[0].events == 4


def test_a_removed_source_stays_in_the_trail(machine) -> None:
    decide(machine)
    document = next(row.document_id for row in machine.documents() if row.current)
    machine.remove(document, reason="wrong edition")
    trail = machine.audit_trail()
    removed = next(event for event in trail.events if event.event == "source.removed")
    assert removed.detail == "wrong edition"
    assert any(event.event == "finding.rejected" for event in trail.events)


def test_a_broken_chain_is_told_and_hides_no_other_log(machine) -> None:
    evidence_id = decide(machine)
    grace = machine.review("grace")
    grace.skip(machine.claims()[0].claim_id, evidence_id)
    log = next(machine.path.glob("events/ada*.jsonl"))
    log.write_text(log.read_text("utf-8").replace("figurative", "literal"), encoding="utf-8")
    with LocalCitationMachine.open(machine.path) as again:
        trail = again.audit_trail()
        own = again.audit_trail(reviewer="ada")
    assert not trail.whole
    broken = next(chain for chain in trail.chains if not chain.ok)
    assert broken.reviewer == "ada"
    assert "line 3" in broken.problem
    assert [event.actor for event in trail.events if event.event == "finding.skipped"] == ["grace"]
    # Whether ada reviews blind cannot be read from a broken log: then she sees no other reviewer's events.
    assert not own.whole
    assert {event.actor for event in own.events} == {"engine"}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("event:finding.*", True),
        ("event:source.*", False),
        ("actor:any since:today", True),
        ("actor:engine", False),
        ("since:yesterday until:yesterday", False),
        ("since:2h", True),
        ("since:2026-12-01T14:30:00", False),
        ("until:2026-12-01", True),
        ("object:7f3a", True),
        ("VOYAGE figurative", True),
        ("voyage sober", False),
        ("", True),
    ],
)
def test_the_filter(text: str, *, kept: bool) -> None:
    event = AuditEvent(
        "2026-12-01T14:00:00Z", "me", "finding.rejected", "7f3a9", "The Voyage", "tag: figurative"
    )
    assert AuditFilter.parse(text, now=NOW).keeps(event) is kept


@pytest.mark.parametrize(
    ("text", "hint"), [("evnt:x", "event:"), ("zzz:1", "since"), ("since:tuesday", "yesterday")]
)
def test_a_filter_that_cannot_be_read(text: str, hint: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        AuditFilter.parse(text, now=NOW)
    assert hint in caught.value.hint


def test_the_identity_report_recomputes_all_layers(machine) -> None:
    """R10, R15: each of the four layers by itself."""
    report = machine.identity_report(decide(machine))
    assert [str(layer.check.layer) for layer in report.layers] == ["artifact", "version", "content", "span"]
    assert report.ok
    assert report.text == "The old king wept."
    assert report.layers[0].check.reason == "path exists"
    assert report.layers[0].about.endswith("ulysses.md")
    document = machine.identity_report(machine.documents()[0].document_id)
    assert len(document.layers) == 3
    assert document.ok


def test_damage_is_found_layer_by_layer(machine) -> None:
    decide(machine)
    row = next(row for row in machine.documents() if row.current)
    blob = next(path for path in machine.path.rglob("*") if row.bytes_sha256 in str(path) and path.is_file())
    blob.chmod(0o600)
    blob.write_bytes(b"forged")
    with LocalCitationMachine.open(machine.path) as again:
        report = again.identity_report(row.document_id)
        assert [layer.check.ok for layer in report.layers] == [True, False, True]
        check = again.verify_store()
    assert check.documents == 2
    assert any("version" in problem for problem in check.problems)


def test_verifying_can_be_cancelled_and_says_so(machine) -> None:
    seen = []
    check = machine.verify_store(progress=seen.append, cancelled=lambda: len(seen) >= 1)
    assert check.cancelled
    assert check.documents == 1
    assert machine.verify_store().problems == ()


def test_the_difference_of_two_versions_is_line_by_line(machine) -> None:
    lines = machine.compare_versions(machine.sources()[0].source_id)
    assert "-The harbour was empty." in lines
    assert "+It was full." in lines
    assert not any(line.startswith(("-The old", "+The old")) for line in lines)


def test_one_version_has_nothing_to_be_compared_with(machine, tmp_path: Path) -> None:
    other = tmp_path / "one.txt"
    other.write_text("Alone.\n", encoding="utf-8")
    document = machine.ingest(other)
    with pytest.raises(InvalidRequest, match="one version"):
        machine.compare_versions(machine.summary(document).source_id)


def test_the_export_is_jsonl_and_overwrites_nothing(machine, tmp_path: Path) -> None:
    decide(machine)
    trail = machine.audit_trail()
    path = tmp_path / "trail.jsonl"
    assert machine.export_trail(path, trail.events) == len(trail.events)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [row["event"] for row in rows] == [event.event for event in trail.events][::-1]
    chained = [row["record"] for row in rows if row["record"]]
    assert chained[0]["prev"] == ""
    before = path.read_bytes()
    with pytest.raises(InvalidRequest, match="already"):
        machine.export_trail(path, trail.events)
    assert path.read_bytes() == before

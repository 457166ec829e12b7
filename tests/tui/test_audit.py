"""Audit: the trail, the layers of what is under the cursor, verification, export, comparison."""

from __future__ import annotations

import json
from pathlib import Path

from cmtui.tui.screens.dialogs import PromptScreen, TextScreen
from cmtui.tui.screens.source import SourceScreen
from tui.harness import footer, press, running, screen_lines, screen_text, settle, status, type_line


def decide(machine) -> str:
    claim = next(claim for claim in machine.claims() if "sad" in claim.text)
    evidence_id = next(f.evidence_id for f in claim.latest.findings if f.evidence_id)
    session = machine.review("tester")
    session.accept(claim.claim_id, evidence_id)
    session.reject(claim.claim_id, evidence_id, reasons=["figurative"])
    session.undo()
    return evidence_id


async def test_the_trail_shows_decisions_evaluations_ingests_and_the_chain(machine, tmp_path: Path) -> None:
    evidence_id = decide(machine)
    async with running(machine, tmp_path, mode="audit") as (app, _):
        text = screen_text(app)
        assert "chain ✔" in screen_lines(app)[0]
        for word in (
            "undo",
            "finding.rejected",
            "finding.accepted",
            "claim.evaluated",
            "reasons: figurative",
        ):
            assert word in text
        assert f"Identity of {evidence_id[:4]}…{evidence_id[-4:]}" in text
        for layer in ("1 source artifact", "2 source version", "3 canonical content", "4 span"):
            line = next(line for line in text.splitlines() if layer in line)
            assert "✔" in line
        assert "“The old king wept beside the harbour.”" in text


async def test_the_filter_narrows_while_it_is_typed_and_says_what_it_cannot_read(
    machine, tmp_path: Path
) -> None:
    decide(machine)
    async with running(machine, tmp_path, mode="audit") as (app, pilot):
        await press(pilot, "slash")
        app.screen.query_one("#filter").value = "event:finding.*"
        await settle(pilot)
        assert {event.event for event in app.screen.trail.events} == {"finding.accepted", "finding.rejected"}
        app.screen.query_one("#filter").value = "evnt:x"
        await settle(pilot)
        assert "Did you mean 'event:'" in screen_text(app)
        await press(pilot, "escape", "escape")
        assert len(app.screen.trail.events) > 10


async def test_verify_this_and_verify_all(machine, tmp_path: Path) -> None:
    decide(machine)
    async with running(machine, tmp_path, mode="audit") as (app, pilot):
        await press(pilot, "v")
        assert "4 layers recomputed and equal" in status(app)
        await press(pilot, "V")
        assert "✔ 7 documents and" in status(app)


async def test_verify_all_tells_damage_in_a_dialog(machine, tmp_path: Path) -> None:
    row = machine.documents()[0]
    blob = next(path for path in machine.path.rglob("*") if path.is_file() and row.bytes_sha256 in str(path))
    blob.chmod(0o600)
    blob.write_bytes(b"forged")
    async with running(machine, tmp_path, mode="audit") as (app, pilot):
        await press(pilot, "V")
        assert isinstance(app.screen, TextScreen)
        assert row.name in screen_text(app)


async def test_verify_all_is_cancelled_with_x_and_shown_only_then(
    machine, tmp_path: Path, monkeypatch
) -> None:
    import threading

    gate, real = threading.Event(), machine.verify_store
    monkeypatch.setattr(machine, "verify_store", lambda **kw: (gate.wait(5), real(**kw))[1], raising=False)
    async with running(machine, tmp_path, mode="audit") as (app, pilot):
        assert "x Cancel" not in footer(app)
        await pilot.press("V")
        await pilot.pause()
        assert "x Cancel" in footer(app)
        await pilot.press("x")
        gate.set()
        await settle(pilot)
        assert "cancelled" in status(app)
        assert "x Cancel" not in footer(app)


async def test_enter_goes_to_the_finding_the_claim_and_the_source(machine, tmp_path: Path) -> None:
    decide(machine)
    async with running(machine, tmp_path, mode="audit") as (app, pilot):
        await press(pilot, "enter")
        assert app.current_mode == "review"
        assert "The old king was sad" in screen_lines(app)[1]
        await press(pilot, "6")
        app.screen.query_one("#filter").value = "event:source.ingested"
        await settle(pilot)
        await press(pilot, "enter")
        assert isinstance(app.screen, SourceScreen)


async def test_export_writes_what_is_shown_and_y_copies_the_full_id(machine, tmp_path: Path) -> None:
    evidence_id = decide(machine)
    async with running(machine, tmp_path, mode="audit") as (app, pilot):
        await press(pilot, "y")
        assert (tmp_path / "state" / "last-copy.txt").read_text("utf-8") == evidence_id
        await press(pilot, "E")
        assert isinstance(app.screen, PromptScreen)
        app.screen.query_one("Input").value = str(tmp_path / "trail.jsonl")
        await press(pilot, "enter")
        rows = [json.loads(line) for line in (tmp_path / "trail.jsonl").read_text("utf-8").splitlines()]
        assert rows[-1]["event"] == "undo"
        assert f"{len(rows)} events written" in status(app)


async def test_d_compares_two_versions(machine, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    for text in ("The ship left.\nNobody wept.\n", "The ship left.\nEverybody wept.\n"):
        file.write_text(text, encoding="utf-8")
        machine.ingest(file)
    async with running(machine, tmp_path, mode="audit") as (app, pilot):
        app.screen.query_one("#filter").value = "letter source.ingested"
        await settle(pilot)
        await press(pilot, "d")
        assert "-Nobody wept." in screen_text(app)
        assert "+Everybody wept." in screen_text(app)


async def test_a_broken_chain_stands_in_the_header(machine, tmp_path: Path) -> None:
    decide(machine)
    log = next(machine.path.glob("events/*.jsonl"))
    log.write_text(log.read_text("utf-8").replace("figurative", "literal"), encoding="utf-8")
    async with running(machine, tmp_path, mode="audit", reviewer="grace") as (app, _):
        assert "chain ✘ BROKEN" in screen_lines(app)[0]
        assert "line 2" in status(app)


async def test_an_empty_store_says_so(empty, tmp_path: Path) -> None:
    async with running(empty, tmp_path, mode="audit") as (app, pilot):
        app.pop_screen()
        await settle(pilot)
        assert "Nothing yet." in screen_text(app)
        await type_line(pilot, "")
        assert "0 events" in screen_lines(app)[0]

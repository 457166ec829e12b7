"""A store that is locked or damaged, files that are missing, and what was not foreseen: each really made."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from cmtui import logfile
from cmtui.engine import LocalCitationMachine
from cmtui.store.directory import StoreRepository
from cmtui.tui.screens.dialogs import TextScreen
from cmtui.tui.screens.trouble import DamagedScreen, LockedScreen
from tui.harness import press, running, screen_text, settle, status, toasts


def hold_every_lock(store: str, ready, leave) -> None:
    """In another process: hold the locks of the store until told to leave."""
    import contextlib

    from cmtui.store.locks import FolderLock

    with contextlib.ExitStack() as stack:
        for path in sorted(Path(store).rglob("*lock")):
            stack.enter_context(FolderLock(path, timeout=5.0).hold("copy the store"))
        ready.set()
        leave.wait(60)


@pytest.fixture
def locked(machine):
    """A machine that waits a moment, over a store that another process holds."""
    claim = machine.claims()[0]
    evidence = [f.evidence_id for f in claim.latest.findings if f.evidence_id]
    machine.review("tester").skip(claim.claim_id, evidence[0])
    context = multiprocessing.get_context("spawn")
    ready, leave = context.Event(), context.Event()
    holder = context.Process(target=hold_every_lock, args=(str(machine.path), ready, leave))
    holder.start()
    assert ready.wait(30)
    repository = StoreRepository.open(machine.path, lock_timeout=0.05)
    with LocalCitationMachine(repository) as impatient:
        yield impatient, holder.pid
    leave.set()
    holder.join(30)


async def test_a_locked_store_names_who_holds_it_and_offers_to_read_only(locked, tmp_path: Path) -> None:
    machine, pid = locked
    async with running(machine, tmp_path, mode="review") as (app, pilot):
        before = app.session.state().events
        await press(pilot, "a")
        await settle(pilot)
        assert isinstance(app.screen, LockedScreen)
        text = screen_text(app)
        assert f"process {pid}" in text
        assert "Read-only for now" in text
        await press(pilot, "escape")
        assert app.session.state().events == before
        app._told.clear()
        await press(pilot, "a")
        await settle(pilot)
        await press(pilot, "r")
        assert app.next_store == machine.path
        assert "read-only" in (app.next_read_only or "")


async def test_read_only_refuses_to_write_and_says_so(machine, tmp_path: Path) -> None:
    with LocalCitationMachine.open(machine.path, read_only="Opened read-only.") as reading:
        async with running(reading, tmp_path, mode="review") as (app, pilot):
            before = app.session.state().events
            await press(pilot, "a")
            assert "read-only" in toasts(app).lower() + status(app).lower()
            assert app.session.state().events == before
            await press(pilot, "1")
            assert "(read-only)" in screen_text(app).splitlines()[0]


def damage_sidecar(machine) -> str:
    row = machine.documents()[0]
    path = next(path for path in machine.path.rglob(f"identity/*{row.document_id[4:]}*") if path.is_file())
    path.chmod(0o600)
    text = path.read_text("utf-8")
    path.write_text(text.replace(row.bytes_sha256, "0" * 64), encoding="utf-8")
    return row.document_id


async def test_a_damaged_sidecar_is_told_verified_and_rebuilt_on_request(machine, tmp_path: Path) -> None:
    """R20, R21: never silently."""
    document_id = damage_sidecar(machine)
    with LocalCitationMachine.open(machine.path) as again:
        async with running(again, tmp_path) as (app, pilot):
            ids = [row.summary.document_id for row in app.screen.shown]
            app.screen.sources.cursor = ids.index(document_id)
            await settle(pilot)
            if not isinstance(app.screen, DamagedScreen):
                await press(pilot, "enter")
            assert isinstance(app.screen, DamagedScreen)
            words = " ".join(screen_text(app).replace("┃", " ").split())
            assert "is not the digest of its layer" in words
            assert document_id[:12] in words
            await press(pilot, "v")
            assert "1 problem" in screen_text(app)
            await press(pilot, "b")
            assert "was rebuilt from its verified snapshot" in screen_text(app)
            await press(pilot, "escape")
        assert again.identity_report(document_id).ok
    assert list(machine.path.rglob("*.damaged"))


async def test_a_damaged_snapshot_offers_no_rebuilding(machine, tmp_path: Path) -> None:
    row = machine.documents()[0]
    path = next(p for p in machine.path.rglob(f"snapshots/*{row.document_id[4:]}*") if p.is_file())
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:-40])
    with LocalCitationMachine.open(machine.path) as again:
        async with running(again, tmp_path) as (app, pilot):
            ids = [each.summary.document_id for each in app.screen.shown]
            app.screen.sources.cursor = ids.index(row.document_id)
            await settle(pilot)
            assert isinstance(app.screen, DamagedScreen)
            assert "Rebuild" not in screen_text(app)
            await press(pilot, "b")
            assert isinstance(app.screen, DamagedScreen)


async def test_a_missing_file_is_told_and_the_rest_goes_on(machine, tmp_path: Path) -> None:
    good = tmp_path / "good.txt"
    good.write_text("A line.\n", encoding="utf-8")
    async with running(machine, tmp_path) as (app, pilot):
        app.ingest([tmp_path / "nowhere.txt", good])
        await settle(pilot)
        assert "1 error" in status(app)
        assert "nowhere.txt" in toasts(app)
        assert any(row.name == "good.txt" for row in machine.documents())


async def test_what_was_not_foreseen_leaves_a_report_without_secrets_and_no_decision_is_lost(
    machine, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("EXA_API_KEY", "sk-very-secret")
    monkeypatch.setattr(logfile, "_folder", tmp_path / "state")  # whatever ran before in this process

    def broken(_: object) -> None:
        raise RuntimeError("unforeseen with sk-very-secret inside")

    async with running(machine, tmp_path, mode="review") as (app, pilot):
        await press(pilot, "a")
        decided = app.session.state().events
        app.screen.ask("boom", broken, print)
        await settle(pilot)
        assert isinstance(app.screen, TextScreen)
        assert "sk-very-secret" not in screen_text(app)
        report = next((tmp_path / "state").glob("report-*.txt"))
        text = report.read_text("utf-8")
        assert "unforeseen with [EXA_API_KEY] inside" in text
        assert "Traceback" in text
        assert "sk-very-secret" not in text + (tmp_path / "state" / "cmtui.log").read_text("utf-8")
        assert report.stat().st_mode & 0o077 == 0
        await press(pilot, "escape")
        assert decided == 1
    with LocalCitationMachine.open(machine.path) as again:
        assert again.review("tester").state().events == decided

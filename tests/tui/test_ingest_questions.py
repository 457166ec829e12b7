"""What an ingest asks on its way: passwords, how to read web pages, another reader; and the time it takes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from cmtui.model.ingest import IngestReport
from cmtui.model.progress import Progress
from cmtui.tui.jobs import Job, JobState, Pace
from cmtui.tui.screens.dialogs import MenuScreen, PromptScreen
from cmtui.tui.screens.jobs import JobsScreen
from support.pdf_fixtures import make_pdf
from tui.harness import press, running, screen_text, settle, status, toasts

PASSWORD = "Grünspan-7"
PAGE = (
    "<!DOCTYPE html><html><head><title>T</title></head><body><p>The heron &amp; the gull.</p></body></html>"
)


def encrypted(path: Path, text: str = "The lantern was lit before dusk.") -> Path:
    """A PDF with one page of text that opens with PASSWORD alone (AES-256)."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(make_pdf([text]))))
    writer.encrypt(PASSWORD, "owner", algorithm="AES-256")
    writer.write(path)
    return path


async def add(pilot, *paths: Path) -> None:
    """Press ``a`` in the library and name paths."""
    await press(pilot, "a")
    pilot.app.screen.query_one("Input").value = " ".join(str(path) for path in paths)
    await press(pilot, "enter")


async def answer(pilot, text: str) -> None:
    """Type into the open prompt as a person does, character by character."""
    assert isinstance(pilot.app.screen, PromptScreen)
    for character in text:
        await pilot.press({"-": "minus"}.get(character, character))
    await settle(pilot)
    assert text not in screen_text(pilot.app)
    await press(pilot, "enter")


async def test_the_password_of_an_encrypted_pdf_is_asked_for_and_kept_nowhere(empty, tmp_path: Path) -> None:
    secret = encrypted(tmp_path / "secret.pdf")
    async with running(empty, tmp_path) as (app, pilot):
        await press(pilot, "a")
        app.screen.query_one("Input").value = str(secret)
        await press(pilot, "enter")
        assert "Password of secret.pdf" in screen_text(app)
        assert app.jobs[0].state is JobState.WAITING
        await answer(pilot, "guess")
        assert "Wrong password. Again, for secret.pdf" in screen_text(app)
        assert empty.documents() == ()
        await answer(pilot, PASSWORD)
        assert app.jobs[0].state is JobState.DONE
        assert [row.name for row in empty.documents()] == ["secret.pdf"]
        text = empty.document(empty.documents()[0].document_id).text
        assert "lantern was lit" in text
        assert PASSWORD not in repr(vars(app.jobs[0])) + toasts(app) + status(app)
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path != secret]
    assert kept
    assert not [path for path in kept if PASSWORD.encode() in path.read_bytes()]


async def test_a_password_can_be_neither_copied_nor_cut(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await add(pilot, encrypted(tmp_path / "secret.pdf"))
        await press(pilot, *"abc", "ctrl+a", "shift+home", "ctrl+c", "ctrl+x")
        app.action_copy_selection()
        await settle(pilot)
        assert app.clipboard == ""
        assert app.copied == []
        assert not (tmp_path / "state" / "last-copy.txt").exists()


async def test_esc_leaves_the_encrypted_file_out_and_the_others_stay(machine, tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("A plain file about otters.\n")
    first, second = encrypted(tmp_path / "one.pdf"), encrypted(tmp_path / "two.pdf", "Another text here.")
    async with running(machine, tmp_path) as (app, pilot):
        await add(pilot, first, tmp_path / "plain.txt", second)
        assert "Password of one.pdf" in screen_text(app)
        await press(pilot, "escape")
        assert "Password of two.pdf" in screen_text(app)
        await answer(pilot, PASSWORD)
        assert "2 added, 1 error" in status(app)
        assert "'one.pdf' is encrypted and was left out." in toasts(app)
        assert "--password" not in toasts(app)
        assert {"plain.txt", "two.pdf"} <= {row.title for row in app.screen.all}
        assert "one.pdf" not in {row.title for row in app.screen.all}


@pytest.mark.parametrize(
    ("key", "profile", "held"), [("r", "cmtui-canon/", "&amp;"), ("t", "html-text/1", "& the")]
)
async def test_a_web_page_is_read_as_the_person_chooses(
    machine, tmp_path: Path, key: str, profile: str, held: str
) -> None:
    """D3: markup as captured, or readable text; the detail says which."""
    folder = tmp_path / "saved"
    folder.mkdir()
    (folder / "birds.xhtml").write_text(PAGE)
    async with running(machine, tmp_path) as (app, pilot):
        await add(pilot, folder)
        assert isinstance(app.screen, MenuScreen)
        assert "r  raw markup (as captured)" in screen_text(app)
        await press(pilot, key)
        names = [row.title for row in app.screen.shown]
        app.screen.sources.cursor = names.index("birds.xhtml")
        await settle(pilot)
        assert f"profile    {profile}" in screen_text(app)
        assert held in machine.document(app.screen.here.summary.document_id).text


async def test_esc_at_the_web_page_menu_adds_nothing(machine, tmp_path: Path) -> None:
    (tmp_path / "birds.htm").write_text(PAGE)
    async with running(machine, tmp_path) as (app, pilot):
        await add(pilot, tmp_path / "birds.htm")
        await press(pilot, "escape")
        assert app.jobs[0].state is JobState.CANCELLED
        assert "cancelled" in status(app)
        assert len(app.screen.all) == 7


async def on_the_pdf(app, pilot):
    """Move to the PDF of the sample corpus."""
    app.screen.sources.cursor = [row.summary.kind.value for row in app.screen.shown].index("pdf")
    await settle(pilot)
    return app.screen.here.summary


async def test_a_pdf_is_read_again_with_the_other_reader_and_back(machine, tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    async with running(machine, tmp_path) as (app, pilot):
        before = await on_the_pdf(app, pilot)
        await press(pilot, "R")
        assert "p  pypdf" in screen_text(app)
        assert "f  pdfium" in screen_text(app)
        await press(pilot, "f")
        after = app.screen.here.summary
        assert after.source_id == before.source_id
        assert after.document_id != before.document_id
        assert "pdfium-text/" in screen_text(app)
        assert "1 reprofiled" in status(app)
        assert len(app.screen.all) == 7
        await press(pilot, "R", "p")
        assert app.screen.here.summary.document_id == before.document_id
        await press(pilot, "R", "escape")
        assert len(app.jobs) == 2


async def test_a_pdf_whose_file_is_gone_is_read_again_as_the_same_source(machine, tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    (tmp_path / "gone.pdf").write_bytes(make_pdf(["A page about herons and gulls by the sea."]))
    report = machine.ingest_paths([tmp_path / "gone.pdf"])
    (tmp_path / "gone.pdf").unlink()
    source = machine.source(report.documents[0].summary.source_id)
    async with running(machine, tmp_path) as (app, pilot):
        app.screen.sources.cursor = [row.title for row in app.screen.shown].index("gone.pdf")
        await settle(pilot)
        await press(pilot, "R", "f")
        assert app.jobs[0].state is JobState.DONE
        now = machine.source(source.source_id)
        assert len(now.documents) == 2
        assert (now.artifact, now.aliases, now.moved_to) == (source.artifact, source.aliases, source.moved_to)


async def test_a_reader_that_is_not_installed_is_a_toast_with_what_to_do(
    machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cmtui.ingest.readers import pdfium

    monkeypatch.setattr(pdfium, "find_spec", lambda _: None)
    async with running(machine, tmp_path) as (app, pilot):
        await on_the_pdf(app, pilot)
        await press(pilot, "R", "f")
        assert app.jobs[0].state is JobState.FAILED
        assert "cmtui[pdfium]" in toasts(app)


async def test_a_warning_advises_the_key_and_not_a_command(machine, tmp_path: Path) -> None:
    (tmp_path / "joined.pdf").write_bytes(make_pdf(["TheearthScience2 isthestudyofEarth " * 10]))
    machine.ingest_paths([tmp_path / "joined.pdf"])
    async with running(machine, tmp_path, size=(120, 40)) as (app, pilot):
        app.screen.sources.cursor = [row.title for row in app.screen.shown].index("joined.pdf")
        await settle(pilot)
        assert "R reads" in screen_text(app)
        assert "--backend" not in screen_text(app)


async def test_only_a_pdf_can_be_read_again(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        app.screen.sources.cursor = [row.title for row in app.screen.shown].index("notes-on-provenance.md")
        await settle(pilot)
        await press(pilot, "R")
        assert not isinstance(app.screen, MenuScreen)


# -- time left ---------------------------------------------------------------------------------------------


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_pages_of_the_file_being_read_count_as_parts_of_the_run() -> None:
    clock = Clock()
    job = Job("t", "x", pace=Pace(clock))
    job.advance(Progress("ingest", "a.pdf", 0, 2))
    assert job.left == ""
    clock.now += 60
    job.advance(Progress("read", "a.pdf", 50, 100))
    assert job.left == "about 3 min left"  # a quarter took one minute
    job.advance(Progress("read", "b.pdf", 1, 100))  # read ahead: another file
    assert job.left == "about 3 min left"
    clock.now += 60
    job.advance(Progress("ingest", "b.pdf", 1, 2))
    assert job.left == "about 2 min left"
    assert job.line().startswith("⟳ 1/2 about 2 min left b.pdf ▕█████")
    job.advance(Progress("ingest", "", 2, 2))
    assert job.left == ""


def test_another_kind_of_work_starts_the_time_anew() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.left("verify", 0, 10)
    clock.now += 30
    assert pace.left("verify", 5, 10) == "about 30 s left"
    assert pace.left("evaluate", 5, 10) == ""
    clock.now += 30
    assert pace.left("evaluate", 1, 10) == ""


async def test_the_status_line_and_the_jobs_screen_show_the_time_left(
    machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    go = threading.Event()

    def slow(paths, *, progress, cancelled):
        del paths, cancelled
        progress(Progress("ingest", "a.txt", 0, 4))
        go.wait(30)
        return IngestReport((), ())

    clock = Clock()
    monkeypatch.setattr("cmtui.tui.workers.PROGRESS_EVERY", 0.0)
    monkeypatch.setattr(machine, "ingest_paths", slow)
    async with running(machine, tmp_path) as (app, pilot):
        app.clock = clock
        try:
            job = app.ingest([tmp_path / "a.txt"])
            while job.progress.total != 4:
                await pilot.pause()
            clock.now += 100
            app.progressed(job.topic, Progress("ingest", "b.txt", 1, 4))
            await pilot.pause()
            assert "about 5 min left" in status(app)
            await pilot.press("J")
            await pilot.pause()
            assert isinstance(app.screen, JobsScreen)
            assert screen_text(app).count("about 5 min") >= 2
        finally:
            go.set()
        await settle(pilot)
        assert "left" not in status(app)

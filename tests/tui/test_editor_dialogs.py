"""The dialogs of the bibliography screen, key by key: copy, paste, look-up, history, links."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cmtui.model.bibliography import EditorialNotice, NoticeKind
from cmtui.model.lookup import ProviderSettings
from support.local_http import LocalServer, Reply, Seen, json_reply, serving
from tui.harness import press, running, screen_text, settle, status, toasts

DOI = "10.1000/182"
WORK = {
    "DOI": DOI,
    "type": "journal-article",
    "title": ["A Survey of Towers"],
    "author": [{"family": "Osei", "given": "Daniel"}],
    "container-title": ["Journal of Lights"],
    "issued": {"date-parts": [[2020, 3]]},
    "updated-by": [
        {
            "DOI": "10.1000/183",
            "type": "retraction",
            "label": "Retraction",
            "source": "publisher",
            "updated": {"date-parts": [[2021, 2, 3]]},
        }
    ],
}


def answer(seen: Seen) -> Reply:
    if seen.path.startswith(f"/works/{DOI}"):
        return json_reply({"status": "ok", "message-type": "work", "message": WORK})
    return json_reply({"errors": []}, 404)


@pytest.fixture
def agency() -> Iterator[LocalServer]:
    with serving(answer) as server:
        yield server


def providers(server: LocalServer) -> dict[str, ProviderSettings]:
    return {name: ProviderSettings(server.url) for name in ("crossref", "datacite")}


async def open_form(pilot, title: str) -> None:
    screen = pilot.app.screen
    screen.sources.cursor = [row.title for row in screen.rows].index(title)
    await settle(pilot)


async def paste(pilot, text: str) -> None:
    await press(pilot, "f8")
    pilot.app.screen.query_one("TextArea").insert(text)
    await settle(pilot)


def source_of(machine, title: str) -> str:
    for document in machine.documents():
        record = machine.bibliography(document.source_id)
        if title in (document.name, record.item.get("title") if record else None):
            return document.source_id
    raise LookupError(title)


async def test_f4_offers_every_form_in_any_style(machine, tmp_path: Path) -> None:
    """Issue 5, part 9: plain, Markdown, HTML, RTF, BibTeX, CSL-JSON, RIS."""
    last = tmp_path / "state" / "last-copy.txt"
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        source = app.screen.loaded.source_id
        await press(pilot, "f4", "s", "f")
        assert "APA" in screen_text(app)
        assert "(Writer, 2024)" in screen_text(app)
        await press(pilot, "p")
        assert last.read_text() == machine.format_citation(source, "apa", "inline")
        for key, form in (("m", "markdown"), ("b", "bibtex"), ("c", "csl-json"), ("i", "ris")):
            await press(pilot, "f4", key)
            made = machine.copy_forms(source, form, "mla")
            assert last.read_bytes() == made.text.encode()
        for key, form, start in (("h", "html", "Writer, Jane. <i>"), ("r", "rtf", "{\\rtf")):
            await press(pilot, "f4", key)
            assert (last.parent / f"last-copy.{form}").read_text().startswith(start)
        await press(pilot, "f4", "escape")
        assert not app.screen.query("CopyScreen")


async def test_f6_shows_other_forms_and_says_where_a_style_has_none(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        await press(pilot, "f6")
        assert "Preview (live) · inline" in screen_text(app)
        assert "(Writer, 2024)" in screen_text(app)
        await press(pilot, "f6")
        lines = {line.style: line for line in app.screen.preview.lines}
        assert lines["chicago-notes"].ok
        assert not lines["bibtex"].ok
        assert lines["bibtex"].text in screen_text(app) or "— " in screen_text(app)


ENTRY = (
    "@book{v, title={The Voyage}, author={van Gogh, Vincent and {Harbour Board}}, "
    "publisher={Other Press}, year=2024, isbn={9780306406157}}"
)


async def test_a_pasted_entry_is_accepted_field_by_field(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        source, before = app.screen.loaded.source_id, app.screen.item()
        await paste(pilot, "not an entry")
        assert "✘" in screen_text(app)
        await press(pilot, "f2")
        app.screen.query_one("TextArea").text = ENTRY
        await settle(pilot)
        assert "✔ 1 entry" in screen_text(app)
        await press(pilot, "f2")
        assert "Other Press" in screen_text(app)
        assert "Example Press" in screen_text(app)
        await press(pilot, "enter")
        assert "Nothing is taken yet" in screen_text(app)
        await press(pilot, "a", "enter")
        now = app.screen.item()
        assert now == before | {"ISBN": now["ISBN"]}, "only what was empty was taken"
        assert machine.bibliography(source).item == before
        await paste(pilot, ENTRY)
        await press(pilot, "f2", "A", "enter")
        assert app.screen.item()["publisher"] == "Other Press"
        assert app.screen.item()["author"][0]["non-dropping-particle"] == "van"
        assert app.screen.item()["publisher-place"] == before["publisher-place"]
        await press(pilot, "f2")
        assert machine.bibliography(source).item["publisher"] == "Other Press"


async def test_of_several_pasted_records_one_is_chosen(machine, tmp_path: Path) -> None:
    ris = "".join(f"TY  - BOOK\nTI  - Book {n}\nPY  - 200{n}\nER  - \n\n" for n in (1, 2))
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "notes-on-provenance.md")
        await paste(pilot, ris)
        await press(pilot, "f2", "2", "A", "enter")
        assert app.screen.item()["title"] == "Book 2"
        assert app.screen.item()["type"] == "book"
        assert app.screen.query_one("#type").value == "book"
        await paste(pilot, ris)
        await press(pilot, "f2", "2")
        assert "nothing differs" in status(app)


async def test_a_look_up_is_accepted_field_by_field_and_its_retraction_stays(
    machine, tmp_path: Path, agency: LocalServer
) -> None:
    title = "Ardle Light: Survey of the Tower and the Lamp"
    async with running(machine, tmp_path, mode="cite", providers=providers(agency)) as (app, pilot):
        await open_form(pilot, title)
        source, before = app.screen.loaded.source_id, app.screen.item()
        app.screen.query_one("#f-DOI").value = DOI
        await press(pilot, "f5")
        text = screen_text(app)
        assert f"Crossref on {DOI}" in text
        assert "⊗ RETRACTED 2021-02-03 (publisher)" in text
        assert "The title disagrees" in text
        await press(pilot, "a", "enter")
        assert app.screen.item()["container-title"] == "Journal of Lights"
        assert app.screen.item()["title"] == title
        assert machine.bibliography(source).item == before
        assert machine.editorial_notices(source) == ()
        await press(pilot, "f2")
        assert [n.kind for n in machine.editorial_notices(source)] == [NoticeKind.RETRACTION]
        assert "⊗ RETRACTED 2021-02-03" in screen_text(app)
        await press(pilot, "escape", "1")
        app.screen.sources.cursor = [row.title for row in app.screen.shown].index(title)
        await settle(pilot)
        assert "⊗ RETRACTED 2021-02-03" in screen_text(app)


async def test_notices_of_another_doi_are_not_kept(machine, tmp_path: Path, agency: LocalServer) -> None:
    async with running(machine, tmp_path, mode="cite", providers=providers(agency)) as (app, pilot):
        await open_form(pilot, "The Voyage")
        app.screen.query_one("#f-DOI").value = DOI
        await press(pilot, "f5", "enter")
        assert machine.editorial_notices(app.screen.loaded.source_id) == ()
        app.screen.query_one("#f-DOI").value = "10.1000/other"
        await press(pilot, "f2")
        assert machine.bibliography(app.screen.loaded.source_id).item["DOI"] == "10.1000/other"
        assert machine.editorial_notices(app.screen.loaded.source_id) == ()


async def test_what_a_provider_cannot_answer_is_a_toast_with_its_hint(
    machine, tmp_path: Path, agency: LocalServer
) -> None:
    async with running(machine, tmp_path, mode="cite", providers=providers(agency)) as (app, pilot):
        await open_form(pilot, "The Voyage")
        await press(pilot, "f5")
        assert "has no DOI" in status(app)
        assert app.focused is app.screen.query_one("#f-DOI")
        assert not agency.seen
        app.screen.query_one("#f-DOI").value = "10.1000/none"
        await press(pilot, "f5")
        assert "Neither Crossref nor DataCite knows" in toasts(app)
        assert "Compare it with the work" in toasts(app)


async def test_esc_cancels_a_look_up(machine, tmp_path: Path) -> None:
    with serving([Reply(hold=True, length=50)]) as server:
        async with running(machine, tmp_path, mode="cite", providers=providers(server)) as (app, pilot):
            await open_form(pilot, "The Voyage")
            app.screen.query_one("#f-DOI").value = DOI
            await settle(pilot)
            await pilot.press("f5")
            assert app.screen.busy("lookup")
            await pilot.press("escape")
            server.released.set()
            await settle(pilot)
            assert "cancelled" in status(app)
            assert app.screen.item()["DOI"] == DOI
            assert len(app.screen_stack) == 1


async def test_an_earlier_item_comes_back_as_an_edit_that_can_be_undone(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        source = app.screen.loaded.source_id
        assert not app.screen.check_action("history", ())
        app.screen.query_one("#f-publisher").value = "Other Press"
        await press(pilot, "f2")
        await press(pilot, "f9")
        text = screen_text(app)
        assert "now   Other Press" in text
        assert "then  Example Press" in text
        await press(pilot, "enter")
        assert machine.bibliography(source).item["publisher"] == "Example Press"
        assert app.screen.query_one("#f-publisher").value == "Example Press"
        app.session.undo()
        assert machine.bibliography(source).item["publisher"] == "Other Press"


async def test_the_same_work_is_a_link_with_its_reason_and_nothing_is_merged(machine, tmp_path: Path) -> None:
    voyage, letters = (
        source_of(machine, title) for title in ("The Voyage", "Letters from Ardle Light, 1911–1912")
    )
    machine.set_bibliography(letters, machine.bibliography(voyage).item | {"title": "The voyage."})
    items = json.dumps([machine.bibliography(s).item for s in (voyage, letters)])
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        text = screen_text(app)
        assert "≈ same title, author and year" in text
        await press(pilot, "d")
        assert app.screen.loaded.source_id == letters
        await press(pilot, "d")
        assert app.screen.loaded.source_id == voyage
        assert json.dumps([machine.bibliography(s).item for s in (voyage, letters)]) == items


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (NoticeKind.RETRACTION, "⊗ RETRACTED"),
        (NoticeKind.CONCERN, "? CONCERN EXPRESSED"),
        (NoticeKind.CORRECTION, "± CORRECTED"),
    ],
)
async def test_three_states_have_three_marks_in_every_list(
    machine, tmp_path: Path, kind: NoticeKind, shown: str
) -> None:
    """Issue 5, part 8."""
    voyage = source_of(machine, "The Voyage")
    item = machine.bibliography(voyage).item | {"DOI": DOI}
    machine.repository.set_bibliography(voyage, item, notices=(EditorialNotice(kind, DOI, "10.1000/9"),))
    async with running(machine, tmp_path, mode="cite", size=(80, 24)) as (app, pilot):
        await open_form(pilot, "The Voyage")
        assert shown in screen_text(app)
        await press(pilot, "1")
        app.screen.sources.cursor = [row.title for row in app.screen.shown].index("The Voyage")
        await settle(pilot)
        assert shown in screen_text(app)
        await press(pilot, "tab")  # narrow: the details take the screen
        assert f"{shown}  doi 10.1000/9" in screen_text(app)
        await press(pilot, "3")
        for view in app.screen.findings_data.claims:
            row = next((row for row in view.rows if row.name == "The Voyage"), None)
            if row is not None:
                app.screen.show_head(row)
                break
        await settle(pilot)
        assert f"{shown}  The Voyage" in screen_text(app)

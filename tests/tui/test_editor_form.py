"""The bibliography form on the screen: names one per line, the type switch, and the arrows."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui.tui import csl_form
from cmtui.tui.citing.rows import Handle
from tui.harness import footer, press, running, screen_text, settle

WATER = "Water Quality in Skerrow Harbour, 2019"


async def open_form(pilot, title: str) -> None:
    screen = pilot.app.screen
    screen.sources.cursor = [row.title for row in screen.rows].index(title)
    await settle(pilot)


async def test_names_stand_one_per_line_and_letters_act_at_their_start(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, WATER)
        screen = app.screen
        row = screen.form.rows["author"]
        before = screen.item()["author"]
        row.lines[1].handle.focus()
        await settle(pilot)
        for key in ("a Add name", "x Remove", "o pers/org", "K Up", "J Down"):
            assert key in footer(app)
        await press(pilot, "K")
        assert screen.item()["author"] == before[::-1]
        assert isinstance(app.focused, Handle)
        await press(pilot, "J", "K", "x")
        assert screen.item()["author"] == [before[0]]
        await press(pilot, "a", *"Vries", "tab", *"Hugo", "tab", *"de", "tab", *"Jr")
        assert screen.item()["author"][1] == {
            "family": "Vries",
            "given": "Hugo",
            "non-dropping-particle": "de",
            "suffix": "Jr",
        }
        await press(pilot, "enter", *"UNESCO")
        row.lines[2].handle.focus()
        await press(pilot, "o")
        assert screen.item()["author"][2] == {"literal": "UNESCO"}
        await press(pilot, "f2")
        assert len(machine.bibliography(screen.loaded.source_id).item["author"]) == 3


async def test_letters_are_text_in_the_parts_of_a_name(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, WATER)
        app.screen.form.rows["author"].focus_field()
        await press(pilot, *"axo")
        assert app.screen.item()["author"][0]["family"] == "Lindqvistaxo"
        assert len(app.screen.item()["author"]) == 2
        assert "a Add name" not in footer(app)


async def test_switching_the_type_keeps_what_it_does_not_show_and_says_so(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite") as (app, pilot):
        await open_form(pilot, "The Voyage")
        screen = app.screen
        before = screen.item()
        screen.query_one("#f-edition").value = "2"
        screen.query_one("#type").value = "webpage"
        await settle(pilot)
        assert not screen.query_one("#f-edition").parent.parent.display
        assert "kept, not shown for webpage: " in screen_text(app)
        assert "Edition" in screen.form.query_one("#kept").content
        assert screen.item() == before | {"type": "webpage", "edition": "2"}
        screen.query_one("#type").value = "book"
        await settle(pilot)
        assert screen.query_one("#f-edition").value == "2"
        assert screen.item() == before | {"edition": "2"}


@pytest.mark.parametrize(("size", "kind"), [((100, 30), "paper-conference"), ((80, 24), "motion_picture")])
async def test_every_field_of_a_type_can_be_reached_and_typed_in(
    machine, tmp_path: Path, size: tuple[int, int], kind: str
) -> None:
    async with running(machine, tmp_path, mode="cite", size=size) as (app, pilot):
        await open_form(pilot, "The Voyage")
        screen = app.screen
        screen.query_one("#type").value = kind
        await settle(pilot)
        screen.form.enter()
        await pilot.pause()
        reached = []
        for _ in csl_form.fields_of(kind):
            reached.append(screen.form.row.variable)
            await pilot.press("down")
        await settle(pilot)
        assert reached == [field.variable for field in csl_form.fields_of(kind)]
        await pilot.press("end", *"xyz")
        assert screen.item()["language"].endswith("xyz")
        region = app.focused.region
        assert screen.form.region.contains_region(region), "what has the focus is on the screen"


async def test_a_narrow_terminal_gives_the_form_the_whole_width(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="cite", size=(80, 24)) as (app, pilot):
        await open_form(pilot, WATER)
        assert "Sources 7" in screen_text(app)
        await press(pilot, "tab")
        assert "Sources 7" not in screen_text(app)
        assert screen_text(app).count("Lindqvist") >= 1
        await press(pilot, "escape")
        assert "Sources 7" in screen_text(app)

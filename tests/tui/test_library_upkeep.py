"""Removing, tagging and changing the store from the library."""

from __future__ import annotations

from pathlib import Path

from rich.cells import cell_len

from cmtui.engine import LocalCitationMachine
from cmtui.tui import stores
from cmtui.tui.screens.dialogs import PromptScreen
from cmtui.tui.screens.library import first_letters
from tui.harness import press, running, screen_lines, screen_text, settle, status, type_line


async def _on(app, pilot, title: str) -> None:
    app.screen.sources.cursor = [row.title for row in app.screen.shown].index(title)
    await settle(pilot)


async def test_removing_asks_for_the_first_letters_and_keeps_what_was_decided(
    machine, tmp_path: Path
) -> None:
    claim = next(claim for claim in machine.claims() if "sad" in claim.text)
    evidence_id = next(f.evidence_id for f in claim.latest.findings if f.evidence_id)
    machine.review("tester").accept(claim.claim_id, evidence_id)
    async with running(machine, tmp_path) as (app, pilot):
        await _on(app, pilot, "The Voyage")
        await press(pilot, "D")
        assert isinstance(app.screen, PromptScreen)
        assert "Type The" in screen_text(app)
        assert "1 accepted quote" in screen_text(app)
        await press(pilot, "D", "enter")
        assert "Nothing was removed" in status(app)
        assert len(app.screen.shown) == 7
        await press(pilot, "D", "t", "h", "e", "enter")
        assert "removed The Voyage" in status(app)
        assert "The Voyage" not in [row.title for row in app.screen.shown]
        assert app.session.state().of(claim.claim_id, evidence_id).decision.value == "accepted"


async def test_leaving_the_question_removes_nothing(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (_, pilot):
        await press(pilot, "D", "escape")
        assert len(machine.documents()) == 7


def test_the_letters_that_confirm_are_never_blank() -> None:
    assert first_letters("“A b” C") == "AbC"
    assert first_letters("…") == "…"


async def test_tags_are_set_shown_and_filtered(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await _on(app, pilot, "The Voyage")
        await press(pilot, "t")
        app.screen.query_one("Input").value = "grief, chapter 2"
        await press(pilot, "enter")
        assert "grief, chapter 2" in status(app)
        await _on(app, pilot, "The Voyage")
        assert "tags       grief, chapter 2" in screen_text(app)
        await press(pilot, "slash")
        app.screen.query_one("#filter").value = "tag:grief"
        await settle(pilot)
        assert [row.title for row in app.screen.shown] == ["The Voyage"]
        await press(pilot, "escape", "t")
        app.screen.query_one("Input").value = "grief"
        await press(pilot, "enter")
        source = machine.source(app.screen.shown[0].source_id)
        assert source.tags == ("grief",)


async def test_the_filter_asks_for_kind_and_status_and_says_so(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        assert "kind:any   status:any   sort:title" in screen_text(app)
        app.screen.query_one("#filter").value = "kind:md status:ok"
        await settle(pilot)
        assert {row.summary.kind.value for row in app.screen.shown} == {"markdown"}
        assert "kind:md   status:ok" in screen_text(app)
        app.screen.query_one("#filter").value = "status:attention"
        await settle(pilot)
        assert app.screen.shown == []


async def test_long_values_go_on_below_their_value(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path) as (app, pilot):
        await _on(app, pilot, "The Voyage")
        lines = screen_text(app).splitlines()
        at = next(n for n, line in enumerate(lines) if "Citation     complete" in line)
        assert lines[at + 1].split("│ ")[1].startswith(" " * 13)


async def test_the_store_switcher_offers_stores_opened_before_and_leaves_for_one(
    machine, tmp_path: Path
) -> None:
    with LocalCitationMachine.open(tmp_path / "other") as other:
        stores.remember(other.path)
    stores.remember(tmp_path / "gone")
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "S")
        text = screen_text(app)
        assert "other" in text
        assert "gone" not in text
        await press(pilot, "1")
        await settle(pilot)
        assert app.next_store == tmp_path / "other"


async def test_a_store_that_cannot_be_opened_is_told_and_this_one_stays(machine, tmp_path: Path) -> None:
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "holiday.jpg").write_bytes(b"x")
    async with running(machine, tmp_path) as (app, pilot):
        await press(pilot, "S", "p")
        app.screen.query_one("Input").value = str(tmp_path / "strange")
        await press(pilot, "enter")
        assert app.next_store is None
        assert "✘" in status(app)
        await type_line(pilot, "")


def test_remembered_stores_are_newest_first_and_a_broken_list_is_no_failure(tmp_path: Path) -> None:
    for name in ("a", "b", "a"):
        (tmp_path / name).mkdir(exist_ok=True)
        stores.remember(tmp_path / name)
    assert stores.recent() == [tmp_path / "a", tmp_path / "b"]
    (tmp_path / "state" / "stores.json").write_text("{", encoding="utf-8")
    assert stores.recent() == []


async def test_the_welcome_screen_opens_another_store(empty, tmp_path: Path) -> None:
    with LocalCitationMachine.open(tmp_path / "other") as other:
        stores.remember(other.path)
    async with running(empty, tmp_path) as (app, pilot):
        assert "Open another store" in screen_text(app)
        await press(pilot, "S", "1")
        await settle(pilot)
        assert app.next_store == tmp_path / "other"


async def test_reduced_motion_stops_the_cursor_from_blinking(machine, tmp_path: Path) -> None:
    for reduced in (True, False):
        async with running(machine, tmp_path, reduced_motion=reduced) as (app, pilot):
            await press(pilot, "slash")
            assert app.focused.cursor_blink is not reduced
            assert app.animation_level == "none"


async def test_wide_and_combining_titles_keep_the_columns_in_line(machine, tmp_path: Path) -> None:
    sources = machine.sources()
    titles = ("漢字の本とその長い題名についての研究", "e\u0301tude de l'e\u0301te\u0301", "👩‍🔬 in the lab")
    for source, title in zip(sources, titles, strict=False):
        machine.set_bibliography(source.source_id, {"type": "book", "title": title})
    async with running(machine, tmp_path) as (app, _):
        lines = screen_lines(app)
        rows = [line for line in lines if any(title[:3] in line for title in titles)]
        assert len(rows) >= 3
        heads = {cell_len(line[: line.index("┃", 1)]) for line in lines[3:10]}
        assert len(heads) == 1, heads  # the frame stands in one column, whatever the characters

"""The search screen, key by key."""

from __future__ import annotations

import threading
from pathlib import Path

from cmtui.model.retrieval import RetrievalMode
from cmtui.tui.screens.search import snippet
from cmtui.tui.screens.source import SourceScreen
from tui.harness import footer, press, running, screen_text, settle, status, type_line, until


def copied(tmp_path: Path) -> str:
    return (tmp_path / "state" / "last-copy.txt").read_text(encoding="utf-8")


async def search(pilot, text: str) -> None:
    await press(pilot, "slash")
    pilot.app.screen.query_one("#query").value = ""
    await type_line(pilot, text)


async def test_a_query_gives_ranked_hits_with_snippets_and_the_passage(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        assert "Press / and type a query." in screen_text(app)
        await search(pilot, "king wept")
        text = screen_text(app)
        assert "⟪" in text
        assert "▌" in text
        assert "[hybrid]" in text
        assert "hit" in text
        assert app.screen.hits.has_focus
        assert "chars" in status(app)


async def test_mode_cycles_and_searches_again(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        await search(pilot, "sad")
        await press(pilot, "m")
        assert app.screen.retrieval is RetrievalMode.LEXICAL
        assert "[lexical]" in screen_text(app)
        lexical = {hit.passage_id for hit in app.screen.results}
        await press(pilot, "m")
        assert app.screen.retrieval is RetrievalMode.SEMANTIC
        assert {hit.passage_id for hit in app.screen.results} != lexical


async def test_no_hits_says_why_and_what_next(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        await press(pilot, "m")
        await search(pilot, "zyzzyva")
        assert "No passage matched" in screen_text(app)
        await press(pilot, "enter", "y", "Y", "n", "N")
        assert len(app.screen_stack) == 1


async def test_context_follows_the_cursor_and_matches_are_stepped_through(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        await search(pilot, "king harbour")
        first = app.screen.view.current
        await press(pilot, "n")
        assert "match 1/" in status(app)
        assert app.screen.view.selected_text
        await press(pilot, "N")
        assert "match" in status(app)
        await press(pilot, "j")
        assert app.screen.view.current != first


async def test_enter_opens_the_source_at_the_passage(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        await search(pilot, "king wept")
        hit = app.screen.here
        await press(pilot, "enter")
        assert isinstance(app.screen, SourceScreen)
        assert app.screen.at == hit.span
        await press(pilot, "escape")
        assert app.screen.here.passage_id == hit.passage_id


async def test_quote_and_citation_are_copied(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        await search(pilot, "king wept")
        sources = [app.screen.names[hit.source_id] for hit in app.screen.results]
        app.screen.hits.cursor = sources.index("The Voyage")
        await settle(pilot)
        hit = app.screen.here
        await press(pilot, "y")
        assert copied(tmp_path) == hit.text == machine.document(hit.document_id).slice(hit.span)
        await press(pilot, "Y")
        assert copied(tmp_path) == machine.format_citation(hit.source_id, "mla")


async def test_restrict_to_this_source_and_back(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        await search(pilot, "harbour")
        everywhere = len({hit.source_id for hit in app.screen.results})
        source = app.screen.here.source_id
        await press(pilot, "F")
        assert {hit.source_id for hit in app.screen.results} == {source}
        await press(pilot, "F")
        assert len({hit.source_id for hit in app.screen.results}) == everywhere > 1


async def test_a_claim_is_made_of_the_query(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        await search(pilot, "The ships returned")
        await press(pilot, "c", "enter")
        await settle(pilot)
        assert app.current_mode == "review"
        assert "The ships returned" in [claim.text for claim in machine.claims()]


async def test_a_snippet_keeps_the_words_of_the_passage(machine, tmp_path: Path) -> None:
    for hit in machine.search("king harbour", limit=20):
        line = snippet(hit).replace("⟪", "").replace("⟫", "").strip("…")
        assert line.strip() in " ".join(hit.text.split())


async def test_a_query_typed_without_a_pause_loses_no_letter(machine, tmp_path: Path) -> None:
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        from textual import events

        for key, character in (("slash", "/"), ("k", "k"), ("m", "m"), ("q", "q"), ("enter", None)):
            app.post_message(events.Key(key, character))
        await settle(pilot)
        assert app.screen.query_one("#query").value == "kmq"
        assert app.screen.ran == "kmq"
        assert app.screen.retrieval is RetrievalMode.HYBRID
        assert not app._exit


async def test_a_newer_query_replaces_one_that_still_runs(machine, tmp_path: Path, monkeypatch) -> None:
    gate, real, stopped = threading.Event(), machine.hybrid_search, []

    def slow(query, **options):
        if query == "slow":
            gate.wait(10)
            stopped.append(options["cancelled"]())
        return real(query, **options)

    monkeypatch.setattr(machine, "hybrid_search", slow, raising=False)
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        await pilot.press("slash", *"slow", "enter")
        await pilot.press("slash", *(["backspace"] * 4), *"king", "enter")  # typed while the other runs
        for _ in range(100):
            await pilot.pause(0.02)
            if app.screen.results:
                break
        assert "king" in screen_text(app)
        count = len(app.screen.results)
        gate.set()
        await settle(pilot)
        assert stopped == [True]
        assert len(app.screen.results) == count
        assert app.screen.query_one("#query").value == "king"


async def test_a_search_is_cancelled_with_x_and_the_hits_before_stay(
    machine, tmp_path: Path, monkeypatch
) -> None:
    gate, real = threading.Event(), machine.hybrid_search

    def slow(query, **options):
        if query == "slow":
            gate.wait(10)
        return real(query, **options)

    monkeypatch.setattr(machine, "hybrid_search", slow, raising=False)
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        await press(pilot, "slash", *"king", "enter")
        before = len(app.screen.results)
        assert "x Cancel" not in footer(app)
        await pilot.press("slash", *(["backspace"] * 4), *"slow", "enter")
        await until(pilot, lambda: "x Cancel" in footer(app))
        await pilot.press("x")
        gate.set()
        await settle(pilot)
        assert "cancelled" in status(app)
        assert len(app.screen.results) == before
        assert "x Cancel" not in footer(app)


async def test_a_query_searches_the_sources_of_a_tag_alone(machine, tmp_path: Path) -> None:
    voyage = next(source for source in machine.sources() if "voyage" in source.name)
    machine.change_tags(voyage.source_id, add=["grief"])
    async with running(machine, tmp_path, mode="search") as (app, pilot):
        await press(pilot, "slash", *"king", "enter")
        assert len({hit.source_id for hit in app.screen.results}) > 1
        await press(pilot, "T", "1")
        assert "Scope ▏tag grief" in screen_text(app)
        assert {hit.source_id for hit in app.screen.results} == {voyage.source_id}
        await press(pilot, "T")
        assert "Scope ▏all sources" in screen_text(app)

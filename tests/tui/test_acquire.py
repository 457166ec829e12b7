"""The acquire screen (tui.md 5.5) over real providers and pages on a loopback server."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import pytest

import cmtui.discovery.providers.base
import cmtui.net.client
from cmtui.config import load
from cmtui.discovery import capture
from cmtui.discovery.addresses import AddressPolicy
from cmtui.errors import CmtuiError
from cmtui.model.lookup import ProviderSettings
from cmtui.net.gate import RateGate
from cmtui.tui.screens.dialogs import MenuScreen, TextScreen
from support.literature import (
    RELEVANT,
    SECTION,
    UNRELATED,
    crossref_answer,
    crossref_item,
    literature,
)
from support.local_http import LocalServer, Reply, Seen, json_reply, serving
from tui.harness import footer, press, running, screen_text, settle, status, type_line, until

KEY = "key-of-the-screen"
TEXT = b"The lighthouse of Skerrow was lit in 1871 and burns still.\n"
HTML = b"<!DOCTYPE html><html><body><p>Lit &amp; burning.</p></body></html>"


class Site:
    """Every provider and every page on one server; ``wrong`` names providers that fail."""

    def __init__(self, server: LocalServer) -> None:
        self.server = server
        self.wrong: set[str] = set()
        self.hold: set[str] = set()
        self.asked: list[str] = []
        server.script = self.answer

    def answer(self, seen: Seen) -> Reply:
        path = unquote_plus(seen.path)
        name = next((n for n in ("s2", "crossref", "brave", "exa") if path.startswith(f"/{n}")), "")
        if name:
            self.asked.append(name)
        if name in self.wrong:
            return Reply(500, b"{}")
        if name in self.hold:
            return Reply(200, b"", {}, length=None, hold=True)
        if name == "crossref" and "/works/10." in path:
            return json_reply({"status": "ok", "message-type": "work", "message": self.record()})
        if name == "crossref":
            return json_reply({"status": "ok", "message-type": "work-list",
                               "message": {"total-results": 1, "items": [self.record()]}})  # fmt: skip
        if name == "s2":
            return json_reply({"total": 0, "offset": 0})
        if name == "exa":
            lit = ["Lit & burning"]
            rows = [
                {"id": str(at), "url": f"{self.server.url}{page}", "title": title, "highlights": lit}
                for at, (page, title) in enumerate(
                    [
                        ("/page.html", "A page of the light"),
                        ("/plain", "Plain words"),
                        ("/binary", "A download"),
                        ("/gone", "Gone"),
                    ]
                )
            ]  # fmt: skip
            return json_reply({"requestId": "r", "results": rows})
        return {
            "/page.html": Reply(200, HTML, {"Content-Type": "text/html"}),
            "/plain": Reply(200, TEXT, {"Content-Type": "text/plain"}),
            "/binary": Reply(200, b"# Head\n\nThe words.\n", {"Content-Type": "text/markdown"}),
        }.get(path, Reply(404, b""))

    @staticmethod
    def record() -> dict[str, Any]:
        return {
            "DOI": "10.1000/skerrow", "type": "journal-article", "title": ["The lighthouse of Skerrow"],
            "author": [{"family": "Writer", "given": "Ann", "sequence": "first"}],
            "issued": {"date-parts": [[1999]]}, "container-title": ["Journal of Harbours"],
            "is-referenced-by-count": 14,
        }  # fmt: skip


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    local = AddressPolicy(allow_addresses=frozenset({"127.0.0.1"}), ports=None)
    made = capture.WebCapture
    monkeypatch.setattr(capture, "WebCapture", lambda **options: made(policy=local, **options))
    for module in (cmtui.net.client, cmtui.discovery.providers.base):
        monkeypatch.setattr(module, "gate_of", lambda *_, **__: RateGate(1_000_000))
    monkeypatch.setenv("EXA_API_KEY", KEY)
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    monkeypatch.delenv("SEMANTIC_SCHOLAR_API_KEY", raising=False)
    with serving([Reply()]) as server:
        yield Site(server)


def providers(site: Site) -> dict[str, Any]:
    known = load({"XDG_CONFIG_HOME": "/nonexistent"}).providers
    base = {
        "semantic_scholar": "s2",
        "crossref": "crossref",
        "brave": "brave",
        "exa": "exa",
        "datacite": "datacite",
    }
    return {
        name: replace(of, base_url=f"{site.server.url}/{base[name]}", deadline=2.0)
        for name, of in known.items()
    }


async def ask(pilot: Any, topic: str = "lighthouses") -> None:
    await press(pilot, "slash")
    await type_line(pilot, topic)


async def test_nothing_is_asked_until_a_topic_is_entered(empty, tmp_path: Path, site: Site) -> None:
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "escape")
        await press(pilot, "5")
        assert "Nothing was asked yet" in screen_text(app)
        assert "nothing asked" in screen_text(app)
        for key in ("R", "C", "enter", "x", "b", "y", "o", "space"):
            await press(pilot, key)
        assert site.server.seen == []


async def test_every_provider_is_asked_and_its_state_shown(empty, tmp_path: Path, site: Site) -> None:
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5")
        await ask(pilot)
        text = screen_text(app)
        assert "The lighthouse of Skerrow" in text
        assert "A page of the light" in text
        assert "via s2" in text
        assert "crossref✔" in text
        assert "brave–" in text
        assert "exa✔" in text
        assert "BRAVE_API_KEY" in text
        assert "crossref  200  1 hits" in text
        assert set(site.asked) == {"s2", "crossref", "exa"}
        assert KEY not in text
        assert "a lead, never evidence" in text
        assert len(app.machine.documents()) == 0, "discovery stores nothing"


async def test_a_provider_that_fails_leaves_the_others_usable(empty, tmp_path: Path, site: Site) -> None:
    site.wrong = {"crossref"}
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5")
        await ask(pilot)
        assert "A page of the light" in screen_text(app)
        assert "crossref!" in screen_text(app)
        assert "Crossref" in status(app)


async def test_a_web_page_is_captured_as_raw_markup_or_readable_text(
    empty, tmp_path: Path, site: Site
) -> None:
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5")
        await ask(pilot)
        await press(pilot, "down", "enter")
        assert isinstance(app.screen, MenuScreen)
        await press(pilot, "t")
        (row,) = app.machine.documents()
        assert "Lit & burning." in app.machine.document(row.document_id).text
        assert "✔ captured" in screen_text(app)
        assert "captured, ingested and verified" in status(app)
        (receipt,) = app.machine.receipts()
        assert receipt.discovery.provider == "exa"
        assert receipt.evidence is None, "a snippet is no highlight"
        await press(pilot, "enter", "r")
        assert len(app.machine.documents()) == 2
        assert "&amp;" in "".join(app.machine.document(d.document_id).text for d in app.machine.documents())


async def test_what_is_marked_is_captured_one_after_the_other_and_failures_are_rows(
    empty, tmp_path: Path, site: Site
) -> None:
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5")
        await ask(pilot)
        await press(pilot, "down", "space", "space", "down", "space")
        assert [c.work.title for c in app.screen._marked()] == ["A page of the light", "Plain words", "Gone"]
        await press(pilot, "C", "r")
        assert len(app.machine.documents()) == 2
        text = screen_text(app)
        assert text.count("✔ captured") >= 2
        assert "✘ status" in text
        assert "1 of 3 failed" in status(app)
        assert [c.work.title for c in app.screen._marked()] == ["Gone"], "what failed stays marked"


async def test_a_page_of_another_kind_is_asked_about(empty, tmp_path: Path, site: Site) -> None:
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5")
        await ask(pilot)
        site.server.script = lambda seen: Reply(200, b"%PDF-1.7\nx", {"Content-Type": "application/pdf"})
        await press(pilot, "down", "down", "enter", "r")
        assert isinstance(app.screen, MenuScreen)
        assert "application/pdf, which is not text" in screen_text(app)
        await press(pilot, "p")
        assert "✘" in screen_text(app)
        assert app.machine.documents() == ()


async def test_a_record_becomes_a_bibliography_entry(empty, tmp_path: Path, site: Site) -> None:
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5")
        await ask(pilot)
        await press(pilot, "home", "b")
        (entry,) = app.machine.references()
        assert entry.item["author"] == [{"family": "Writer", "given": "Ann"}]
        assert "✔ in bibliography" in screen_text(app)
        assert "from crossref" in screen_text(app)


async def test_cancelling_keeps_what_came(empty, tmp_path: Path, site: Site) -> None:
    site.hold = {"crossref"}
    settings = providers(site)
    settings["crossref"] = replace(settings["crossref"], deadline=60.0)
    async with running(empty, tmp_path, mode="acquire", providers=settings) as (app, pilot):
        await press(pilot, "5")
        await pilot.press("slash", *"light", "enter")
        while not any("exa" in line.lower() for line in app.screen.lines if "answered" in line):
            await pilot.pause(0.02)
        assert app.screen.check_action("cancel", ())
        assert "asking" in screen_text(app)
        await press(pilot, "x")
        assert "A page of the light" in screen_text(app)
        assert "crossrefx" in screen_text(app)
        assert not app.screen.running


async def test_cancelling_a_capture_stores_nothing(empty, tmp_path: Path, site: Site) -> None:
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5")
        await ask(pilot)
        seen = len(site.server.seen)
        site.server.script = lambda _: Reply(200, b"", {"Content-Type": "text/plain"}, length=None, hold=True)
        await press(pilot, "down")
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("r")
        while len(site.server.seen) == seen:
            await pilot.pause(0.02)
        await press(pilot, "x")
        assert app.machine.documents() == ()
        assert "cancelled" in screen_text(app)


async def test_providers_are_turned_off_and_on(empty, tmp_path: Path, site: Site) -> None:
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5", "p", "4", "escape")
        assert "(exa)" in screen_text(app)
        await ask(pilot)
        assert "exa" not in site.asked
        await press(pilot, "p", "1", "2", "3", "escape", "R")
        assert "Every provider is off" in status(app)


async def test_the_set_up_is_shown_without_any_key(empty, tmp_path: Path, site: Site) -> None:
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5", "P")
        assert isinstance(app.screen, TextScreen)
        text = app.screen.text
        assert "EXA_API_KEY" in text
        assert "providers.crossref.base_url" in text
        assert KEY not in text


async def test_the_doi_or_the_address_is_copied(empty, tmp_path: Path, site: Site) -> None:
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (_app, pilot):
        await press(pilot, "5")
        await ask(pilot)
        await press(pilot, "home", "y")
        assert (tmp_path / "state" / "last-copy.txt").read_text() == "10.1000/skerrow"
        await press(pilot, "down", "y")
        assert (tmp_path / "state" / "last-copy.txt").read_text() == site.server.url + "/page.html"


async def test_an_address_is_opened_only_when_it_is_a_web_address(
    empty, tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cmtui.tui.acquiring.browser import open_address

    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5")
        await ask(pilot)
        await press(pilot, "down", "o")
        assert opened == [site.server.url + "/page.html"]
        assert "opened in the browser" in status(app)
    for url in ("javascript:alert(1)", "file:///etc/passwd", "-flag", ""):
        assert open_address(url)[1] == "bad"
    assert len(opened) == 1


async def test_a_title_with_control_characters_moves_no_cursor(empty, tmp_path: Path, site: Site) -> None:
    from cmtui.model.discovery import DiscoveryReport, FoundWork

    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5")
        row = FoundWork("brave", 1, "a\x1b[2Jtitle\u202e", url="https://a.org/", snippet="\x1b]0;x\x07lead")
        app.screen.answered(DiscoveryReport("q", (), (row,)))
        await settle(pilot)
        assert "\x1b" not in screen_text(app)
        assert "title" in screen_text(app)


@pytest.mark.parametrize("size", [(100, 30), (80, 24), (60, 20)])
async def test_what_matters_is_on_the_screen_at_every_size(
    empty, tmp_path: Path, site: Site, size: tuple[int, int]
) -> None:
    async with running(empty, tmp_path, mode="acquire", size=size, providers=providers(site)) as (app, pilot):
        await press(pilot, "5")
        await ask(pilot)
        text = screen_text(app)
        assert "The lighthouse" in text
        assert "ready" in text
        assert "enter Capture" in footer(app)


async def test_a_draft_that_is_cancelled_leaves_no_audit_and_no_stale_key(
    empty, tmp_path: Path, site: Site
) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text(f"# Marshes\n\n{SECTION}\n", encoding="utf-8")
    site.server.script = lambda _: Reply(200, b"", {}, length=None, hold=True)
    settings = {
        name: replace(of, base_url=site.server.url, deadline=60.0)
        for name, of in load({"XDG_CONFIG_HOME": "/nonexistent"}).providers.items()
    }
    async with running(empty, tmp_path, mode="acquire", providers=settings) as (app, pilot):
        await press(pilot, "5")
        await press(pilot, "f")
        await pilot.press(*str(draft), "enter")
        await until(pilot, lambda: bool(site.server.seen))
        assert "x Cancel" in footer(app)
        await pilot.press("x")
        await until(pilot, lambda: "cancelled; nothing was kept" in status(app))
        assert "x Cancel" not in footer(app)
        assert "network on command · asking" not in screen_text(app)
        assert app.machine.section_audits() == ()


async def test_a_draft_is_examined_section_by_section(empty, tmp_path: Path, site: Site) -> None:
    """R176: every candidate with its reason, each section by itself, and the audit stays in the store."""
    draft = tmp_path / "draft.md"
    draft.write_text(f"# Marshes\n\n{SECTION}\n\n## Music\n\nThe band played on.\n", encoding="utf-8")
    items = [
        crossref_item("10.5555/marsh", "Soil carbon of tidal marshes", abstract=RELEVANT),
        crossref_item("10.5555/court", "Musicians at a court", abstract=UNRELATED),
    ]
    site.server.script = literature(crossref=crossref_answer(*items))
    settings = {
        name: replace(of, base_url=site.server.url, deadline=2.0)
        for name, of in load({"XDG_CONFIG_HOME": "/nonexistent"}).providers.items()
    }
    async with running(empty, tmp_path, mode="acquire", providers=settings) as (app, pilot):
        await press(pilot, "5")
        await press(pilot, "f")
        await type_line(pilot, str(draft))
        text = screen_text(app)
        assert "1 pass · 1 rejected · 1/2 Marshes" in text
        assert "Soil carbon of tidal marshes" in text
        assert "Musicians" not in text
        assert "network on command · idle" in text
        assert "] Section" in text
        await press(pilot, "r")
        assert "relevance .00 < .16" in screen_text(app)
        await press(pilot, "right_square_bracket")
        assert "0 pass" in screen_text(app)
        assert "2/2 Music" in screen_text(app)
        [audit] = app.machine.section_audits()
        assert audit.total_found == 1


async def test_a_failing_engine_is_told_and_the_screen_goes_on(
    empty, tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise CmtuiError("the disk is full", "make room")

    async with running(empty, tmp_path, mode="acquire", providers=providers(site)) as (app, pilot):
        await press(pilot, "5")
        await ask(pilot)
        monkeypatch.setattr(type(app.machine), "acquire", broken)
        await press(pilot, "down", "enter", "r")
        assert "ready" in screen_text(app)
        assert not app.screen.running


def test_settings_are_of_the_kind_the_engine_takes(site: Site) -> None:
    assert all(isinstance(of, ProviderSettings) for of in providers(site).values())

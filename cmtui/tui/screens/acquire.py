"""Acquire: ask the search services, look at what they found, and capture what is wanted (tui.md 5.5).

Two tabs: *Discover* asks all providers for works and pages; *Section* runs the citation pipeline over one
section of a draft and shows every candidate with its numbers. Nothing is asked but on an explicit key.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, Label, Static

from cmtui.errors import Cancelled
from cmtui.model.discovery import PROVIDERS, AcquisitionReceipt, DiscoveryReport, ImportedWork, ProviderState
from cmtui.model.progress import Progress
from cmtui.tui.acquiring import words
from cmtui.tui.acquiring.browser import open_address
from cmtui.tui.acquiring.providers import settings_text
from cmtui.tui.acquiring.rows import (
    DISCOVER_COLUMNS,
    SECTION_COLUMNS,
    Candidate,
    candidate_row,
    detail,
    place,
    status_line,
    via,
)
from cmtui.tui.acquiring.section_tab import SectionTab
from cmtui.tui.actions import bindings
from cmtui.tui.jobs import WEB_PAGE
from cmtui.tui.labels import plural
from cmtui.tui.screens.dialogs import Choice, MenuScreen, TextScreen
from cmtui.tui.widgets.row_list import RowList
from cmtui.tui.workers import Call

#: Rows of each provider.
LIMIT = 20
#: Lines of the log that are kept.
LOG_LINES = 500

#: What a source can be, when it was served as something else than its address says.
KINDS = (
    Choice("p", "PDF", "pdf"),
    Choice("e", "EPUB", "epub"),
    Choice("m", "Markdown", "markdown"),
    Choice("t", "text or web page", "text"),
)
NEEDS_CANDIDATE = frozenset({"select", "record", "copy"})
NEEDS_ADDRESS = frozenset({"capture", "browse"})


class AcquireScreen(SectionTab):
    """Candidates above, the one under the cursor and the run log below."""

    scope = "acquire"
    mode = "acquire"
    panes = ("#candidates", "#candidate", "#log")
    BINDINGS: ClassVar[list[BindingType]] = bindings("acquire")
    CSS = """
    AcquireScreen #candidate { height: 6; }
    AcquireScreen #log { height: 8; }
    AcquireScreen #candidate:focus, AcquireScreen #log:focus {
        border: heavy $primary; border-title-color: $foreground;
    }
    AcquireScreen #candidate Static, AcquireScreen #log Static { height: auto; }
    AcquireScreen.-short #candidate, AcquireScreen.-short #log { display: none; }
    AcquireScreen.-narrow #via { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.tab = "discover"
        self.query_text = ""
        self.found: dict[str, list[Candidate]] = {"discover": [], "section": []}
        self.shown: list[Candidate] = []
        self.marked: set[tuple[str, int]] = set()
        self.became: dict[tuple[str, int], tuple[str, str]] = {}
        self.enabled = dict.fromkeys(PROVIDERS, True)
        self.states: dict[str, ProviderState] = {}
        self.lines: list[str] = []
        self.show_rejected = False
        self.asked = {"discover": False, "section": False}
        self.halt = threading.Event()

    def body(self) -> Iterable[Widget]:
        """The question, the candidates, one of them, the log."""
        with Horizontal(classes="line"):
            yield Label("", id="tabs", markup=False)
            yield Label(" Topic ▏")
            yield Input(id="topic", placeholder="what to look for; enter asks")
            yield Label("", id="via", markup=False)
        yield RowList(DISCOVER_COLUMNS, title="Candidates", position="", id="candidates")
        with VerticalScroll(classes="pane", id="candidate", can_focus=True) as pane:
            pane.border_title = "Candidate"
            yield Static("", id="detail", markup=False)
        with VerticalScroll(classes="pane", id="log", can_focus=True) as pane:
            pane.border_title = "Run log"
            yield Static("", id="lines", markup=False)
        with Horizontal(classes="line", id="notice"):
            yield Label(words.NOTICE)

    def on_mount(self) -> None:
        """Keys go to the candidates."""
        self.candidates.focus()

    @property
    def candidates(self) -> RowList:
        """The list."""
        return self.query_one("#candidates", RowList)

    @property
    def here(self) -> Candidate | None:
        """The candidate under the cursor."""
        index = self.candidates.cursor
        return self.shown[index] if index < len(self.shown) else None

    @property
    def running(self) -> bool:
        """Whether something is being asked or captured."""
        return any(self.busy(topic) for topic in ("discover", "section", "capture", "record"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What applies depends on the candidate, the tab, and whether the topic is typed."""
        here = self.here
        if self.typing and action not in ("next", "previous", "topic"):
            return False
        if action in NEEDS_CANDIDATE:
            return here is not None
        if action in NEEDS_ADDRESS:
            return here is not None and bool(here.work.url) and not (action == "capture" and self.running)
        if action == "capture_selected":
            return any(self._marked()) and not self.running
        if action == "rejected":
            return any(candidate.rejected for candidate in self.found[self.tab])
        if action == "rerun":
            return bool(self.query_text) and not self.running
        if action == "draft":
            return not self.running
        if action in ("next_section", "previous_section"):
            return self.tab == "section" and self.audit is not None and len(self.audit.sections) > 1
        if action == "cancel":
            return self.running
        return super().check_action(action, parameters)

    # -- showing -------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Paint again; nothing is asked."""
        self.paint()

    def paint(self, *, cursor: int | None = None) -> None:
        """The rows of this tab, the providers, and what the header says."""
        found = self.found[self.tab]
        hidden = [candidate for candidate in found if candidate.rejected]
        self.shown = [c for c in found if self.show_rejected or not c.rejected]
        scored = self.tab == "section"
        self.candidates.columns = SECTION_COLUMNS if scored else DISCOVER_COLUMNS
        rows = [
            candidate_row(c, self.became.get(c.key), marked=c.key in self.marked, scored=scored)
            for c in self.shown
        ]
        self.candidates.empty = self._empty()
        title = f"Candidates {len(found)}" if found else "Candidates"
        if scored and found:
            title += f" · {len(found) - len(hidden)} pass · {len(hidden)} rejected · {self.section_title()}"
        self.candidates.border_title = title
        self.candidates.show(rows, cursor=cursor)
        tabs = "[Discover] Section" if self.tab == "discover" else "Discover [Section]"
        self.query_one("#tabs", Label).update(f" {tabs} ")
        self.query_one("#via", Label).update(via(self.enabled, self.states, busy=self.busy("discover")))
        asking = "asking" if self.running else "nothing asked" if not any(self.asked.values()) else "idle"
        self.context(f"network on command · {asking}", short=asking)
        if not self.shown:
            self.query_one("#detail", Static).update("")
        self.refresh_keys()

    def _empty(self) -> str:
        if not self.asked[self.tab]:
            return words.EMPTY_DISCOVER if self.tab == "discover" else words.EMPTY_SECTION
        return words.NOTHING_FOUND if not self.found[self.tab] else words.NOTHING_MET

    @on(RowList.Highlighted, "#candidates")
    def _highlighted(self) -> None:
        here = self.here
        self.query_one("#detail", Static).update("" if here is None else detail(here))
        self.refresh_keys()

    def log_line(self, text: str) -> None:
        """A line of the run log, with its time."""
        self.lines = [*self.lines, f"{words.clock()} {text}"][-LOG_LINES:]
        self.query_one("#lines", Static).update("\n".join(self.lines))
        self.call_after_refresh(self.query_one("#log", VerticalScroll).scroll_end, animate=False)

    # -- asking --------------------------------------------------------------------------------------

    @on(Input.Submitted, "#topic")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.candidates.focus()
        self.query_text = event.value.strip()
        self.action_rerun()

    def action_topic(self) -> None:
        """Type what to look for."""
        self.query_one("#topic", Input).focus()

    def action_rerun(self) -> None:
        """Ask again, or for the first time."""
        if not self.query_text:
            self.say("Say what to look for: / and a few words.", "bad")
            return
        if self.running:
            self.say("Something is still running; x cancels it.", "bad")
            return
        chosen = [name for name, on_ in self.enabled.items() if on_]
        if not chosen:
            self.say("Every provider is off; p turns them on.", "bad")
            return
        query, settings = self.query_text, self.cmtui.settings.providers
        self.halt.clear()
        self.states = {}
        self.log_line(f"ask       “{query}”")

        def work(call: Call) -> DiscoveryReport:
            return self.machine.discover(
                query,
                providers=chosen,
                limit=LIMIT,
                settings=settings,
                progress=call.post,  # four at most: each provider has its line in the log
                cancelled=lambda: self.halt.is_set() or call.cancelled(),
            )

        self.ask("discover", work, self.answered)
        self.paint()

    def progressed(self, topic: str, progress: Progress) -> None:
        """Each provider that is done, while the others are still asked."""
        if topic == "discover" and progress.subject:
            self.log_line(f"answered  {progress.subject} ({progress.done} of {progress.total})")
        if topic == "section":
            self.section_progressed(progress)
        super().progressed(topic, progress)

    def answered(self, report: DiscoveryReport) -> None:
        """Show a report: each provider's state in the log, and the candidates."""
        self.cmtui.working("")
        self.tab = "discover"
        self.asked["discover"] = True
        self.states = {status.name: status.state for status in report.providers}
        for status in report.providers:
            self.log_line(status_line(status))
        same = sum(1 for work in report.candidates if work.same_as)
        self.log_line(
            f"found     {plural(len(report.candidates), 'row')}, {same} of them the same work as another"
        )
        self.found["discover"] = [Candidate(work) for work in report.candidates]
        self.marked, self.became = set(), {}
        self.paint(cursor=0)
        failed = [status for status in report.providers if status.failed]
        if failed:
            self.say(f"! {failed[0].message}", "bad")

    def action_cancel(self) -> None:
        """Stop what runs; what came by then stays."""
        self.halt.set()
        self.say("cancelling…")

    def ended(self, topic: str, *, answered: bool) -> None:
        """What was asked is over; a draft that was cancelled leaves no row."""
        super().ended(topic, answered=answered)
        if not answered:
            self.cmtui.working("")
            self.log_line("cancelled")
            self.say("cancelled; nothing was kept")
            self.paint()

    def action_tab(self) -> None:
        """The other tab."""
        self.tab = "section" if self.tab == "discover" else "discover"
        self.paint(cursor=0)

    def action_rejected(self) -> None:
        """Show or hide what was rejected, with the reasons."""
        self.show_rejected = not self.show_rejected
        self.paint()

    # -- capturing -----------------------------------------------------------------------------------

    def _marked(self) -> list[Candidate]:
        return [c for c in self.found[self.tab] if c.key in self.marked and c.work.url]

    def action_select(self) -> None:
        """Mark or unmark this candidate, and go on."""
        here = self.here
        assert here is not None
        self.marked ^= {here.key}
        self.paint(cursor=min(self.candidates.cursor + 1, len(self.shown) - 1))

    def action_capture(self) -> None:
        """Capture this candidate."""
        here = self.here
        assert here is not None
        self.capture([here])

    def action_capture_selected(self) -> None:
        """Capture what is marked."""
        self.capture(self._marked())

    def capture(self, wanted: list[Candidate], *, kind: str | None = None) -> None:
        """Capture candidates one after the other; asks how web pages are read when there may be some."""
        from cmtui.engine.found import candidate_of

        leads = [candidate_of(one.work, query=self.query_text or None, kind=kind) for one in wanted]
        if not any(lead.source_kind == "text" for lead in leads):
            self._capture(wanted, kind, "raw")
            return
        note = "A web page is kept exactly as it is served. Its text is read"

        def chosen(html: str | None) -> None:
            if html:
                self._capture(wanted, kind, html)

        self.app.push_screen(MenuScreen("Web pages", WEB_PAGE, note=note), chosen)

    def _capture(self, wanted: list[Candidate], kind: str | None, html: str) -> None:
        from cmtui.engine.found import candidate_of

        leads = [candidate_of(one.work, query=self.query_text or None, kind=kind) for one in wanted]
        self.halt.clear()
        for one in wanted:
            self.became[one.key] = ("⟳ capturing", "")

        def work(call: Call) -> tuple[AcquisitionReceipt, ...]:
            return self.machine.acquire(
                candidates=leads,
                html=html,
                progress=call.progress,
                cancelled=lambda: self.halt.is_set() or call.cancelled(),
            )

        def then(receipts: tuple[AcquisitionReceipt, ...]) -> None:
            self._captured(wanted, receipts)

        def failed(error: BaseException) -> None:
            self._undone(wanted)
            self.cmtui.show_error(error)

        self.ask("capture", work, then, failed=failed)
        self.paint()

    def _captured(self, wanted: list[Candidate], receipts: tuple[AcquisitionReceipt, ...]) -> None:
        self.cmtui.working("")
        self._undone(wanted)
        for one, receipt in zip(wanted, receipts, strict=False):
            self.became[one.key] = words.captured_state(receipt)
            self.log_line(words.captured_line(receipt))
            if receipt.document_id is not None:
                self.marked.discard(one.key)
        self.paint()
        if not receipts:
            self.say("cancelled; nothing was captured")
            return
        self.say(*words.captured_summary(receipts))
        if len(receipts) == 1 and receipts[0].rule == "type":
            self._ask_kind(wanted, receipts[0])

    def _undone(self, wanted: list[Candidate]) -> None:
        for one in wanted:
            self.became.pop(one.key, None)
        self.paint()

    def _ask_kind(self, wanted: list[Candidate], receipt: AcquisitionReceipt) -> None:
        """A page that was served as another kind than its address says: which one is it?"""

        def chosen(kind: str | None) -> None:
            if kind:
                self.capture(wanted, kind=kind)

        self.app.push_screen(MenuScreen("Capture it as", KINDS, note=receipt.message or ""), chosen)

    # -- one candidate -------------------------------------------------------------------------------

    def action_record(self) -> None:
        """Make a bibliography entry of this candidate: its DOI's record, or what the service gave."""
        here = self.here
        assert here is not None
        if self.running:
            self.say("Something is still running; x cancels it.", "bad")
            return
        work, providers = here.work, self.cmtui.settings.providers
        self.halt.clear()

        def run(call: Call) -> ImportedWork:
            return self.machine.import_found(
                work,
                providers=providers,
                reviewer=self.cmtui.settings.reviewer,
                cancelled=lambda: self.halt.is_set() or call.cancelled(),
            )

        def then(imported: ImportedWork) -> None:
            self.became[here.key] = ("✔ in bibliography", "good")
            self.log_line(words.imported_line(work.title or place(work), imported))
            self.paint()
            told = [*(f"! {notice}" for notice in imported.notices), *imported.warnings]
            self.say(told[0] if told else "✔ The record is in the bibliography.", "bad" if told else "good")

        def failed(error: BaseException) -> None:
            if not isinstance(error, Cancelled):
                self.cmtui.show_error(error)

        self.ask("record", run, then, failed=failed)
        self.refresh_keys()

    def action_browse(self) -> None:
        """Open the address in the system's browser."""
        here = self.here
        assert here is not None
        self.say(*open_address(here.work.url or ""))

    def action_copy(self) -> None:
        """Copy the DOI, else the address."""
        here = self.here
        assert here is not None
        text = here.work.doi or here.work.url
        if text:
            self.cmtui.copy(text, "DOI" if here.work.doi else "address")
        else:
            self.say("This candidate has neither a DOI nor an address.", "bad")

    # -- providers -----------------------------------------------------------------------------------

    def action_providers(self) -> None:
        """Turn providers on and off."""
        names = list(self.enabled)
        choices = [
            Choice(str(number), f"{'on ' if self.enabled[name] else 'off'}  {name}", name)
            for number, name in enumerate(names, start=1)
        ]

        def chosen(name: str | None) -> None:
            if name:
                self.enabled[name] = not self.enabled[name]
                self.paint()
                self.action_providers()

        self.app.push_screen(MenuScreen("Providers", choices, note="A digit turns one on or off."), chosen)

    def action_settings(self) -> None:
        """Every provider setting with its origin; of a key only whether it is set."""
        self.app.push_screen(TextScreen("Providers", settings_text(self.cmtui.settings)))

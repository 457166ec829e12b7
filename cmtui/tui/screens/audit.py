"""Audit: what happened in this store, and whether all of it still holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar, overload

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, Label, Static

from cmtui.errors import CmtuiError
from cmtui.model.audit import AuditEvent, AuditTrail, IdentityReport, StoreCheck
from cmtui.model.claim import EvidenceEntry
from cmtui.model.verification import Layer
from cmtui.tui.actions import bindings
from cmtui.tui.cells import fit, width
from cmtui.tui.labels import plural, short_id
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import PromptScreen, TextScreen
from cmtui.tui.widgets.row_list import Column, Row, RowList
from cmtui.tui.workers import Call

#: What each layer is called on the screen.
LAYERS = {
    Layer.ARTIFACT: "1 source artifact",
    Layer.VERSION: "2 source version",
    Layer.CONTENT: "3 canonical content",
    Layer.SPAN: "4 span",
}

#: The append-only log in one line.
NOTICE = " append-only; undo adds an event, it never deletes one"

#: Actions that need an event under the cursor.
NEEDS_EVENT = frozenset({"copy", "export"})

#: The most lines of a comparison that are shown.
MOST_LINES = 2000


class EventRows(Sequence[Row]):
    """Rows made when they are painted, so that a long trail costs what is visible."""

    def __init__(self, events: Sequence[AuditEvent], today: str) -> None:
        self.events, self.today = events, today

    def __len__(self) -> int:
        return len(self.events)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [event_row(event, self.today) for event in self.events[index]]
        return event_row(self.events[index], self.today)


def event_row(event: AuditEvent, today: str) -> Row:
    """An event as drawn: the time of day for today's, else the date."""
    style = "bad" if event.event.endswith(".damaged") else "dim" if event.actor == "engine" else ""
    name = event.name if event.event.startswith("claim.") else f"{short_id(event.object)} {event.name}"
    return Row((when(event.time, today), event.actor, event.event, name, event.detail), style=style)


def when(time: str | None, today: str) -> str:
    """``18:04:40`` for today, ``11-28 14:02`` for this year, ``2025-11-28`` before; UTC."""
    if not time:
        return "—"
    if time[:10] == today:
        return time[11:19]
    return f"{time[5:10]} {time[11:16]}" if time[:4] == today[:4] else time[:10]


class AuditScreen(BaseScreen):
    """The trail above, the layers of the object under the cursor below."""

    scope = "audit"
    mode = "audit"
    panes = ("#events", "#identity")
    BINDINGS: ClassVar[list[BindingType]] = bindings("audit")
    CSS = """
    AuditScreen #identity { height: 9; }
    AuditScreen #identity:focus { border: heavy $primary; border-title-color: $foreground; }
    AuditScreen #layers { height: auto; }
    AuditScreen #count { padding: 0 1; }
    AuditScreen.-short #identity { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.trail = AuditTrail((), ())
        self.report: IdentityReport | None = None

    def body(self) -> Iterable[Widget]:
        """Filter line, the events, the identity."""
        with Horizontal(classes="line"):
            yield Label(" Filter ▏")
            yield Input(id="filter", placeholder="event:finding.*  actor:any  since:today")
            yield Label("", id="count", markup=False)
        yield RowList(
            [
                Column("When (UTC)", 11),
                Column("Actor", 8, above=66),
                Column("Event", 20),
                Column("Object"),
                Column("Detail", above=84),
            ],
            title="Events",
            position="",
            id="events",
        )
        with VerticalScroll(classes="pane", id="identity", can_focus=True) as pane:
            pane.border_title = "Identity"
            yield Static("", id="layers", markup=False)
        with Horizontal(classes="line", id="notice"):
            yield Label(NOTICE)

    def on_mount(self) -> None:
        """Keys go to the events."""
        self.events.focus()

    @property
    def events(self) -> RowList:
        """The list of events."""
        return self.query_one("#events", RowList)

    @property
    def here(self) -> AuditEvent | None:
        """The event under the cursor."""
        index = self.events.cursor
        return self.trail.events[index] if index < len(self.trail.events) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What applies depends on the event; letters are never keys while the filter is typed."""
        here = self.here
        if self.typing and action not in ("filter", "next", "previous"):
            return False
        if action == "cancel":
            return self.busy("verify")
        if action in NEEDS_EVENT:
            return here is not None
        if action == "open":
            return here is not None and bool(here.claim_id or here.document_id)
        if action == "verify":
            return here is not None and bool(here.evidence_id or here.document_id)
        if action == "verify_all":
            return not self.busy("verify")
        if action == "diff":
            return here is not None and bool(here.source_id)
        return super().check_action(action, parameters)

    # -- reading ------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read the trail again, with the filter as it stands."""
        where = self.query_one("#filter", Input).value
        reviewer = self.cmtui.session.reviewer  # a blind one does not see here what others decided

        def failed(error: BaseException) -> None:
            if isinstance(error, CmtuiError):
                self.query_one("#count", Label).update(f"✘ {error.sentence} {error.advice}")
            else:
                self.cmtui.show_error(error)

        self.ask(
            "trail", lambda _: self.machine.audit_trail(where, reviewer=reviewer), self._read, failed=failed
        )

    def _read(self, trail: AuditTrail) -> None:
        before = self.here
        self.trail = trail
        today = self.cmtui.today()
        at = trail.events.index(before) if before is not None and before in trail.events else 0
        filtered = bool(self.query_one("#filter", Input).value.strip())
        self.events.empty = "No event passes the filter.\n\n/ changes it." if filtered else "Nothing yet."
        self.events.show(EventRows(trail.events, today), cursor=at)
        self.query_one("#count", Label).update("")
        chain = "chain ✔" if trail.whole else "chain ✘ BROKEN"
        self.context(f"{plural(len(trail.events), 'event')} · {chain}", short=chain)
        broken = [chain for chain in trail.chains if not chain.ok]
        if broken:
            self.say(f"✘ {broken[0].reviewer}: {self.cmtui.inside(broken[0].problem)}", "bad")
        if not trail.events:
            self.query_one("#layers", Static).update("")
        self.refresh_keys()

    @on(RowList.Highlighted, "#events")
    def _highlighted(self) -> None:
        event = self.here
        self.refresh_keys()
        subject = (event.evidence_id or event.document_id) if event is not None else ""
        pane = self.query_one("#identity")
        if not subject:
            self.report = None
            pane.border_title = "Identity"
            self.query_one("#layers", Static).update(self._no_identity(event))
            return
        self.ask("identity", lambda _: self.machine.identity_report(subject), self._identity)

    def _no_identity(self, event: AuditEvent | None) -> str:
        if event is None:
            return ""
        if event.claim_id:
            return f"A claim has no layers; its findings have.\n\n“{event.name}”"
        return "What it concerned is not in this store any more; the record is kept."

    def _identity(self, report: IdentityReport) -> None:
        self.report = report
        pane = self.query_one("#identity")
        pane.border_title = f"Identity of {short_id(report.subject)}"
        pane.border_subtitle = f"V verify all {plural(len(self.machine.sources()), 'source')}"
        self.query_one("#layers", Static).update("\n".join(self._layer_lines(report)))

    def arranged(self) -> None:
        """The layers are laid out for the width."""
        if self.report is not None and self.here is not None:
            self.query_one("#layers", Static).update("\n".join(self._layer_lines(self.report)))

    def _layer_lines(self, report: IdentityReport) -> list[str]:
        cells = max(56, self.size.width - 4)
        lines = []
        for layer in report.layers:
            ok = "✔" if layer.check.ok else "✘"
            short = layer.check.ok and layer.check.layer is not Layer.ARTIFACT
            reason = _short_reason(layer.check.layer) if short else layer.check.reason
            name = LAYERS[layer.check.layer]
            head = (
                f"{name:<21}sha256 {layer.digest[:4]}…  "
                if cells >= 70
                else f"{name:<20}{layer.digest[:4]}… "
            )
            about = layer.about if layer.check.ok else ""
            tail = f"{ok} {reason}"
            room = cells - len(head) - (len(tail) + 2 if layer.check.ok else 0)
            lines.append(f"{head}{_fit_end(about, room)}  {tail}" if layer.check.ok else f"{head}{tail}")
        if report.text:
            lines.append(fit(f"   “{' '.join(report.text.split())}”", cells).rstrip())
        return lines

    # -- actions ------------------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Go to the filter."""
        self.set_focus(self.query_one("#filter", Input))

    @on(Input.Changed, "#filter")
    def _changed(self) -> None:
        self.reload()

    @on(Input.Submitted, "#filter")
    def _submitted(self) -> None:
        self.events.focus()

    def key_escape(self) -> None:
        """Leave the filter; a second time empties it."""
        if self.typing:
            self.events.focus()
        else:
            self.query_one("#filter", Input).value = ""

    def action_open(self) -> None:
        """Go to the finding, the claim, the bibliography or the source."""
        from cmtui.tui.screens.source import SourceScreen

        event = self.here
        if event is None:
            return
        if event.claim_id:
            self.app.call_later(self.cmtui.open_review, event.claim_id)
        elif event.event.startswith("bibliography."):
            self.app.call_later(self.cmtui.open_cite, event.source_id)
        elif event.evidence_id:

            def then(entry: EvidenceEntry) -> None:
                self.app.push_screen(SourceScreen(entry.document_id, at=entry.span, spans=[entry.span]))

            self.ask("open", lambda _: self.machine.recorded(event.evidence_id), then)
        elif event.document_id:
            self.app.push_screen(SourceScreen(event.document_id))

    @on(RowList.Selected)
    def _selected(self) -> None:
        if self.check_action("open", ()):
            self.action_open()

    def action_verify(self) -> None:
        """Recompute every layer of this object."""
        event = self.here
        if event is None:
            return
        subject = event.evidence_id or event.document_id

        def then(report: IdentityReport) -> None:
            self._identity(report)
            failed = [layer for layer in report.layers if not layer.check.ok]
            if failed:
                first = failed[0].check
                self.say(f"✘ {short_id(report.subject)}: {first.layer}: {first.reason}", "bad")
            else:
                count = plural(len(report.layers), "layer")
                self.say(f"✔ {short_id(report.subject)}: {count} recomputed and equal", "good")

        self.ask("identity", lambda _: self.machine.identity_report(subject), then)

    def action_verify_all(self) -> None:
        """Recompute everything, with progress."""

        def work(call: Call) -> StoreCheck:
            return self.machine.verify_store(progress=call.progress, cancelled=call.cancelled)

        def then(check: StoreCheck) -> None:
            self.cmtui.working("")
            what = f"{plural(check.documents, 'document')} and {plural(check.evidence, 'evidence span')}"
            if check.problems:
                self.say(f"✘ {plural(len(check.problems), 'problem')} in {what}", "bad")
                self.app.push_screen(TextScreen("Verification failed", "\n".join(check.problems), error=True))
            else:
                self.say(f"✔ {what} verified", "good")
            self.refresh_keys()

        self.say("⟳ verifying everything…  x cancels")
        self.ask("verify", work, then)
        self.refresh_keys()

    def action_cancel(self) -> None:
        """Stop verifying."""
        self.stop("verify")
        self.cmtui.working("")
        self.say("– verification cancelled; nothing was changed")
        self.call_later(self.refresh_keys)

    def action_export(self) -> None:
        """Write the events shown as JSONL."""
        events = self.trail.events

        def then(text: str | None) -> None:
            path = (text or "").strip()
            if path:
                self.ask("export", lambda _: self.machine.export_trail(path, events), done)

        def done(count: int) -> None:
            self.say(f"✔ {plural(count, 'event')} written as JSONL", "good")

        name = f"{Path(self.cmtui.store_path).name}-events-{self.cmtui.today()}.jsonl"
        self.app.push_screen(PromptScreen(f"Write {plural(len(events), 'event')} to", name), then)

    def action_copy(self) -> None:
        """Copy the full id of the object."""
        if self.here is not None:
            self.cmtui.copy(self.here.object, f"id {short_id(self.here.object)}")

    def action_diff(self) -> None:
        """Compare the two newest versions of this event's source."""
        event = self.here
        if event is None:
            return

        def then(lines: list[str]) -> None:
            text = "\n".join(lines[:MOST_LINES]) if lines else "The canonical texts are equal."
            if len(lines) > MOST_LINES:
                text += f"\n… {len(lines) - MOST_LINES:,} more lines"
            self.app.push_screen(TextScreen(f"{event.name}: - before, + now", text))

        self.ask("diff", lambda _: self.machine.compare_versions(event.source_id), then)


def _fit_end(text: str, cells: int) -> str:
    """``kind · reference`` in so many cells: what is cut is the beginning of the reference."""
    kind, dot, reference = text.partition(" · file://")
    if not dot or width(text) <= cells:
        return fit(text, cells)
    room = cells - width(kind) - 4
    return fit(f"{kind} · …{reference[-room:] if room > 0 else ''}", cells)


def _short_reason(layer: Layer) -> str:
    return {
        Layer.VERSION: "bytes match",
        Layer.CONTENT: "recomputed",
        Layer.SPAN: "text equal",
    }[layer]

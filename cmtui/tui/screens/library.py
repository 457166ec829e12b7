"""The library: what is in the store, and bringing files in."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, Label, Static

from cmtui.errors import CmtuiError
from cmtui.model.identity import SourceKind
from cmtui.model.ingest import PDFIUM_ADVICE
from cmtui.model.review import Decision
from cmtui.model.source import CanonicalDocument, SourceRecord
from cmtui.model.verification import EvidenceCheck
from cmtui.tui import catalogue
from cmtui.tui.actions import bindings
from cmtui.tui.catalogue import LibraryRow
from cmtui.tui.cells import width
from cmtui.tui.jobs import PDF_READERS
from cmtui.tui.labels import STYLE, day, notice_line, plural, short_id, size
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import Choice, MenuScreen, PromptScreen
from cmtui.tui.screens.paths import PathSuggester, split_paths
from cmtui.tui.widgets.row_list import Column, RowList
from cmtui.tui.workers import Call

if TYPE_CHECKING:
    from cmtui.engine.removal import RemovalPlan

#: Cells of the labels in the detail.
LABEL = 13

#: Actions that need a source under the cursor.
NEEDS_ROW = frozenset({"open", "original", "edit", "find", "verify", "tag", "remove"})


@dataclass(frozen=True)
class Detail:
    """What the right pane shows of a source."""

    row: LibraryRow
    source: SourceRecord
    document: CanonicalDocument
    styles: tuple[str, ...]


def _in_keys(warning: str) -> str:
    """A warning with its advice as a key of this screen instead of a command."""
    return warning.replace(PDFIUM_ADVICE, "R reads it again with pdfium; compare.")


def hang(line: str, cells: int) -> list[str]:
    """A line of the detail in so many cells; what does not fit goes on below its value."""
    if width(line) <= cells:
        return [line]
    label, value = (line[:LABEL], line[LABEL:]) if line[LABEL - 2 : LABEL] == "  " else ("", line)
    parts = textwrap.wrap(value.strip(), max(10, cells - len(label)), break_on_hyphens=False)
    return [f"{label}{parts[0]}", *(f"{' ' * len(label)}{part}" for part in parts[1:])] if parts else [line]


def first_letters(title: str) -> str:
    """The letters that confirm a removal: the first three of the title that are letters or digits."""
    return "".join(character for character in title if character.isalnum())[:3] or title[:3]


class LibraryScreen(BaseScreen):
    """List of sources at the left, the layers of the one under the cursor at the right."""

    scope = "library"
    mode = "library"
    panes = ("#sources", "#detail")
    BINDINGS: ClassVar[list[BindingType]] = bindings("library")
    CSS = """
    LibraryScreen #sources { width: 60%; }
    LibraryScreen #detail { width: 1fr; }
    LibraryScreen #sort { padding: 0 1; }
    LibraryScreen #detail:focus { border: heavy $primary; border-title-color: $foreground; }
    LibraryScreen.-short #detail { display: none; }
    LibraryScreen.-short #sources { width: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.all: list[LibraryRow] = []
        self.shown: list[LibraryRow] = []
        self.sort = "title"
        self.checks: dict[str, str] = {}
        self.detail: Detail | None = None

    def body(self) -> Iterable[Widget]:
        """Filter line and two panes."""
        with Horizontal(classes="line"):
            yield Label(" Filter ▏")
            yield Input(id="filter", placeholder="")
            yield Label("", id="sort")
        with Horizontal(id="panes"):
            yield RowList(
                [
                    Column("St", 2),
                    Column("Title"),
                    Column("Author", 12, above=56),
                    Column("Yr", 4),
                    Column("Kind", 4),
                ],
                title="Sources",
                empty="No source matches.\n\na  adds a file or folder",
                id="sources",
            )
            with VerticalScroll(classes="pane", id="detail", can_focus=True):
                yield Static("", id="text", markup=False)

    def on_mount(self) -> None:
        """Keys go to the list; only / goes to the filter."""
        self.sources.focus()

    @property
    def sources(self) -> RowList:
        """The list of sources."""
        return self.query_one("#sources", RowList)

    @property
    def here(self) -> LibraryRow | None:
        """The source under the cursor."""
        return self.shown[self.sources.cursor] if self.sources.cursor < len(self.shown) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a source there is nothing to open, edit, search in or verify."""
        if action in NEEDS_ROW:
            return self.here is not None and not self.typing
        if action == "read_again":
            here = self.here
            return here is not None and here.summary.kind is SourceKind.PDF and not self.typing
        if action == "verify_all":
            return bool(self.all) and not self.typing
        return super().check_action(action, parameters)

    # -- reading ------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read the catalogue again."""
        session = self.cmtui.session

        def work(_: Call) -> list[LibraryRow]:
            return catalogue.load(self.machine, session.state())

        self.ask("library", work, self._loaded)

    def _loaded(self, rows: list[LibraryRow]) -> None:
        self.all = rows
        self._arrange()

    def _arrange(self) -> None:
        before = self.here.source_id if self.here else ""
        self.shown = catalogue.arrange(self.all, self.query_one("#filter", Input).value, self.sort)
        ids = [row.source_id for row in self.shown]
        self.sources.border_title = f"Sources {len(self.shown)}"
        if len(self.shown) != len(self.all):
            self.sources.border_title += f" of {len(self.all)}"
        kind, status = catalogue.chosen(self.query_one("#filter", Input).value)
        self.query_one("#sort", Label).update(f"kind:{kind}   status:{status}   sort:{self.sort} ▲")
        rows = [row.row() for row in self.shown]
        self.sources.show(rows, cursor=ids.index(before) if before in ids else None)
        undecided = sum(row.decisions[Decision.UNDECIDED] for row in self.all)
        count = plural(len(self.all), "source")
        self.context(f"{self.cmtui.store_name}  {count} · {undecided} open", short=count)
        if not self.shown:
            self.query_one("#text", Static).update("")
            self.query_one("#detail").border_title = ""
        self.refresh_keys()

    @on(RowList.Highlighted)
    def _highlighted(self) -> None:
        row = self.here
        self.refresh_keys()
        if row is None:
            return

        def work(_: Call) -> Detail:
            styles = []
            for style in self.machine.citation_styles():
                try:
                    self.machine.cite(row.source_id, style=style)
                except CmtuiError:
                    continue  # Not complete in this style.
                styles.append(style)
            document = self.reader.document(row.summary.document_id)
            return Detail(row, self.machine.source(row.source_id), document, tuple(styles))

        self.ask("detail", work, self._detail)

    def _detail(self, detail: Detail) -> None:
        self.query_one("#detail").border_title = detail.row.title[:40]
        self.detail = detail
        self._show_detail()

    def arranged(self) -> None:
        """Long values are wrapped to the pane."""
        self.call_after_refresh(self._show_detail)

    def _show_detail(self) -> None:
        if self.detail is not None and self.here is not None:
            room = max(30, self.query_one("#detail").scrollable_content_region.width)
            lines = [part for line in self._lines(self.detail) for part in hang(line, room)]
            self.query_one("#text", Static).update("\n".join(lines))

    def _lines(self, detail: Detail) -> list[str]:
        row, summary, tables = detail.row, detail.row.summary, detail.document.tables
        kinds = ("pages", "print_pages", "chapters", "sections", "paragraphs")
        locators = [kind.replace("_", " ") for kind in kinds if getattr(tables, kind)]
        counts, open_ = row.decisions, row.decisions[Decision.UNDECIDED]
        styles = " ".join(STYLE.get(style, style) for style in detail.styles)
        lines = [
            f"1 artifact   {summary.kind.value} · {summary.name}",
            f"2 version    {short_id(summary.bytes_sha256)}  {size(summary.size)}",
            f"3 canonical  {short_id(summary.document_id)}",
            f"             {plural(summary.characters, 'character')}",
            f"  profile    {summary.profile} · {plural(len(detail.document.profile.steps), 'step')}",
            f"  locators   {', '.join(locators) or 'lines'}",
            f"  passages   {summary.passages:,}",
            f"  added      {day(summary.ingested_at)}",
            f"  versions   {len(detail.source.documents)}",
            f"  tags       {', '.join(detail.source.tags) or 'none: t'}",
            "",
            f"Findings     {counts[Decision.ACCEPTED]} ✔  {counts[Decision.REJECTED]} ✘  {open_} open",
            f"Citation     {'complete: ' + styles if styles else 'no metadata yet: e'}",
            "",
            f"Integrity    {self.checks.get(row.source_id, 'not verified in this session: v')}",
        ]
        lines = [*(notice_line(notice) for notice in row.notices), *([""] if row.notices else []), *lines]
        lines += [f"! {_in_keys(warning.message)}" for warning in summary.warnings]
        if row.problem:
            lines.append(f"! {self.cmtui.inside(row.problem)}")
        return lines

    # -- actions ------------------------------------------------------------------------------------

    def action_add(self) -> None:
        """Ask for a path and ingest it."""
        prompt = PromptScreen(
            "Add a file or folder",
            hint="tab: complete   enter: ingest   esc: leave",
            suggester=PathSuggester(),
        )
        self.app.push_screen(prompt, self._add)

    def _add(self, text: str | None) -> None:
        paths = split_paths(text or "")
        if paths:
            self.cmtui.ingest(paths)

    def action_open(self) -> None:
        """Read the source full screen."""
        from cmtui.tui.screens.source import SourceScreen

        if self.here is not None:
            self.app.push_screen(SourceScreen(self.here.summary.document_id))

    @on(RowList.Selected)
    def _selected(self) -> None:
        self.action_open()

    def action_original(self) -> None:
        """Show the file itself in the system viewer."""
        if self.here is not None:
            self.cmtui.open_original(self.here.summary.document_id)

    def action_read_again(self) -> None:
        """Choose the reader that reads this PDF again."""
        row = self.here
        if row is None:
            return
        summary = row.summary

        def work(_: Call) -> str:
            return self.machine.source(row.source_id).artifact.reference

        def chosen(backend: str | None) -> None:
            if backend is None:
                return

            def then(reference: str) -> None:
                self.cmtui.read_again(summary.document_id, summary.name, reference=reference, backend=backend)

            self.ask("reader", work, then)

        note = f"Its text is {summary.profile} now; the older reading stays known."
        self.app.push_screen(MenuScreen("Read it again with", PDF_READERS, note=note), chosen)

    async def action_edit(self) -> None:
        """Edit the bibliography."""
        if self.here is not None:
            await self.cmtui.open_cite(self.here.source_id)

    def action_find(self) -> None:
        """State a claim and check it against this source."""
        row = self.here
        if row is None:
            return

        def then(text: str | None) -> None:
            if text and text.strip():
                self.cmtui.make_claim(text.strip(), source_id=row.source_id)

        self.app.push_screen(PromptScreen(f"Claim to check in {row.title[:50]}"), then)

    def action_filter(self) -> None:
        """Go to the filter."""
        self.set_focus(self.query_one("#filter", Input))

    @on(Input.Changed, "#filter")
    def _filtered(self) -> None:
        self._arrange()

    @on(Input.Submitted, "#filter")
    def _filter_done(self) -> None:
        self.sources.focus()

    def key_escape(self) -> None:
        """Leave the filter; a second time empties it."""
        if self.typing:
            self.sources.focus()
        else:
            self.query_one("#filter", Input).value = ""

    def action_sort(self) -> None:
        """Choose the order."""
        choices = [Choice(key, name, name) for key, name in zip("tuyka", catalogue.SORTS, strict=True)]
        self.app.push_screen(MenuScreen("Sort by", choices), self._sort)

    def _sort(self, name: str | None) -> None:
        if name:
            self.sort = name
            self._arrange()

    def action_verify(self) -> None:
        """Recompute the hashes of one source."""
        if self.here is not None:
            self._verify([self.here])

    def action_verify_all(self) -> None:
        """Recompute the hashes of every source."""
        self._verify(self.all)

    def _verify(self, rows: list[LibraryRow]) -> None:
        from cmtui.tui.verifying import verify_sources

        def done(results: dict[str, tuple[EvidenceCheck, ...] | str]) -> None:
            self.cmtui.working("")
            bad = 0
            for source_id, result in results.items():
                failed = result if isinstance(result, str) else ""
                if not isinstance(result, str):
                    failed = "; ".join(
                        f"{layer.layer}: {layer.reason}"
                        for check in result
                        for layer in check.layers
                        if not layer.ok
                    )
                bad += bool(failed)
                what = plural(len(result), "evidence span") if not isinstance(result, str) else ""
                self.checks[source_id] = f"✘ {failed}" if failed else f"✔ text and {what} verified"
            text = (
                f"✘ {plural(bad, 'source')} failed" if bad else f"✔ {plural(len(results), 'source')} verified"
            )
            self.say(text, "bad" if bad else "good")
            self._highlighted()

        self.say("⟳ verifying…")
        self.ask("verify", lambda call: verify_sources(self.machine, [r.summary for r in rows], call), done)

    def action_tag(self) -> None:
        """Set the tags of the source: words separated by commas."""
        row = self.here
        if row is None:
            return
        before = row.tags

        def then(text: str | None) -> None:
            if text is None:
                return
            wanted = [tag.strip() for tag in text.split(",") if tag.strip()]
            drop = [tag for tag in before if tag not in wanted]
            self.ask("tag", lambda _: self.machine.change_tags(row.source_id, add=wanted, drop=drop), tagged)

        def tagged(source: SourceRecord) -> None:
            self.say(f"✔ {row.title[:40]}: {', '.join(source.tags) or 'no tag'}", "good")
            self.reload()

        prompt = PromptScreen(
            f"Tags of {row.title[:50]}", ", ".join(before), hint="commas between   enter: keep   esc: leave"
        )
        self.app.push_screen(prompt, then)

    def action_remove(self) -> None:
        """Ask what it would take away, then for the first letters of the title."""
        row = self.here
        if row is None:
            return
        self.ask("plan", lambda _: self.machine.plan_removal(row.summary.document_id), self._confirm(row))

    def _confirm(self, row: LibraryRow) -> Callable[[RemovalPlan], None]:
        letters = first_letters(row.title)

        def then(plan: RemovalPlan) -> None:
            kept = f"{plural(len(plan.accepted), 'accepted quote')} and every decision stay in the log"
            older = "; the version before it becomes the current one" if plan.successor else ""
            prompt = PromptScreen(
                f"Remove {row.title[:40]}? Type {letters}",
                hint=f"{kept}{older}   enter: remove   esc: leave",
            )
            self.app.push_screen(prompt, typed)

        def typed(text: str | None) -> None:
            if text is None:
                return
            if text.strip().casefold() != letters.casefold():
                self.say(f"Nothing was removed: “{text.strip()}” is not {letters}.")
                return
            self.ask(
                "remove",
                lambda _: self.machine.remove(row.summary.document_id, reason="removed in the library"),
                removed,
            )

        def removed(_: object) -> None:
            self.say(f"✔ removed {row.title[:50]}; what was decided on it is kept", "good")
            self.reload()

        return then

    def action_stores(self) -> None:
        """Open another store: one opened before, or by its path."""
        from cmtui.tui.stores import ask_for_store

        ask_for_store(self.cmtui)

    def action_jobs(self) -> None:
        """Show what is running."""
        from cmtui.tui.screens.jobs import JobsScreen

        self.app.push_screen(JobsScreen())

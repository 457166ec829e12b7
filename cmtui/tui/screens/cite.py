"""Bibliography: the CSL-JSON item of a source as a form, with its citations as they will read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Label, Select, Static

from cmtui.errors import CmtuiError
from cmtui.model.bibliography import BibliographyRecord, CslItem
from cmtui.model.source import MetadataCandidate
from cmtui.tui import catalogue
from cmtui.tui.actions import bindings
from cmtui.tui.catalogue import LibraryRow
from cmtui.tui.cells import fit
from cmtui.tui.csl_form import FIELDS, TYPES, item_of, values
from cmtui.tui.labels import STYLE
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import Choice, ConfirmScreen, MenuScreen
from cmtui.tui.widgets.row_list import Column, Row, RowList
from cmtui.tui.workers import Call

#: Seconds without a key before the preview is made again.
PAUSE = 0.15

NOTICE = " editing metadata never changes an evidence id; nothing is inferred from file names"

#: Fields of MetadataCandidate that have a line in the form.
CANDIDATE_FIELDS = {"title": "title", "author": "author", "authors": "author", "creator": "author"}
CANDIDATE_FIELDS |= {field.variable: field.variable for field in FIELDS}
CANDIDATE_FIELDS |= {"date": "issued", "year": "issued", "doi": "DOI", "url": "URL"}
CANDIDATE_FIELDS |= {"container_title": "container-title", "publisher_place": "publisher-place"}


@dataclass(frozen=True)
class Loaded:
    """What the form needs of a source."""

    source_id: str
    item: CslItem
    candidates: tuple[MetadataCandidate, ...]


@dataclass(frozen=True)
class Line:
    """One style of the preview: the citation, or why there is none."""

    style: str
    text: str
    ok: bool
    notes: tuple[str, ...] = ()


class CiteScreen(BaseScreen):
    """Sources at the left, the form at the right, every style below."""

    scope = "cite"
    mode = "cite"
    BINDINGS: ClassVar[list[BindingType]] = bindings("cite")
    CSS = """
    CiteScreen #sources { width: 34; }
    CiteScreen #form { width: 1fr; padding: 0 1; }
    CiteScreen #form:focus-within { border: heavy $primary; border-title-color: $foreground; }
    CiteScreen .field { height: 1; }
    CiteScreen .field Label { width: 11; color: $foreground-muted; }
    CiteScreen .field Input, CiteScreen .field Input:focus {
        border: none; height: 1; padding: 0 1; width: 1fr; background: $surface;
    }
    CiteScreen .field Input:focus { background: $panel; }
    CiteScreen .field Select { width: 1fr; height: 1; margin: 0 0 0 1; }
    CiteScreen #notes { height: auto; color: $foreground-muted; }
    CiteScreen #preview { height: 10; padding: 0 1; }
    CiteScreen .line Label { width: 1fr; }
    CiteScreen.-narrow #sources { width: 26; }
    CiteScreen.-narrow #preview { height: 7; }
    CiteScreen.-short #preview { height: 4; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[LibraryRow] = []
        self.complete: dict[str, bool] = {}
        self.wanted = ""
        self.loaded: Loaded | None = None
        self.preview: dict[str, Line] = {}
        self._pause: Timer | None = None
        self._filling = False

    def body(self) -> Iterable[Widget]:
        """Sources, form, preview, and one line that says what editing does not do."""
        with Horizontal(id="panes"):
            yield RowList(
                [Column("Title"), Column("CSL", 3)],
                title="Sources",
                empty="No source yet.\n1 then a adds one",
                id="sources",
            )
            with VerticalScroll(classes="pane", id="form", can_focus=False) as form:
                form.border_title = "CSL-JSON item"
                with Horizontal(classes="field"):
                    yield Label("Type")
                    options = [(name, name) for name in TYPES]
                    yield Select(options, id="type", compact=True, prompt="choose a type")
                for field in FIELDS:
                    with Horizontal(classes="field"):
                        yield Label(field.label)
                        yield Input(id=f"f-{field.variable}", placeholder=field.hint, select_on_focus=False)
                yield Static("", id="notes", markup=False)
        with VerticalScroll(classes="pane", id="preview", can_focus=True) as preview:
            preview.border_title = "Preview (live)"
            yield Static("", id="lines", markup=False)
        with Vertical(classes="line"):
            yield Label(NOTICE)

    def on_mount(self) -> None:
        """Keys go to the sources; tab goes into the form."""
        self.sources.focus()

    @property
    def sources(self) -> RowList:
        """The list of sources."""
        return self.query_one("#sources", RowList)

    @property
    def modified(self) -> bool:
        """Whether the form says something else than the store."""
        return self.loaded is not None and self.item() != self.loaded.item

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a source there is nothing to save, copy or revert."""
        del parameters
        if action in ("save", "copy", "next_field"):
            return self.loaded is not None
        if action == "revert":
            return self.loaded is not None and (self.modified or not self.sources.has_focus)
        if action == "candidates":
            return self.loaded is not None and bool(self.loaded.candidates)
        return True

    # -- reading ---------------------------------------------------------------------------------------

    def choose(self, source_id: str) -> None:
        """Show this source as soon as it is read, with the form ready."""
        self.wanted = source_id
        self.reload()

    def reload(self) -> None:
        """Read the sources again; a form with changes stays."""
        session = self.cmtui.session

        def work(_: Call) -> tuple[list[LibraryRow], dict[str, bool]]:
            rows = catalogue.arrange(catalogue.load(self.machine, session.state()), "", "title")
            complete = {}
            for row in rows:
                try:
                    complete[row.source_id] = bool(row.item) and bool(self.machine.cite(row.source_id))
                except CmtuiError:
                    complete[row.source_id] = False
            return rows, complete

        self.ask("sources", work, lambda both: self._listed(*both))

    def _listed(self, rows: list[LibraryRow], complete: dict[str, bool]) -> None:
        self.rows, self.complete = rows, complete
        here = self.wanted or (self.loaded.source_id if self.loaded else "")
        ids = [row.source_id for row in rows]
        shown = [Row((row.title, self._glyph(row)), style="" if row.item else "dim") for row in rows]
        self.sources.border_title = f"Sources {len(rows)}"
        self.context(f"{sum(complete.values())} of {len(rows)} complete")
        self.sources.show(shown, cursor=ids.index(here) if here in ids else None)
        if self.wanted:
            self.query_one("#f-title", Input).focus()
        self.wanted = ""

    def _glyph(self, row: LibraryRow) -> str:
        return "✔" if self.complete.get(row.source_id) else ("!" if row.item else "✘")

    @on(RowList.Highlighted)
    def _highlighted(self) -> None:
        if self.sources.cursor >= len(self.rows):
            return
        source = self.rows[self.sources.cursor]
        if self.loaded is not None and self.loaded.source_id == source.source_id and self.modified:
            return
        if self.loaded is not None and self.loaded.source_id != source.source_id and self.modified:
            ids = [row.source_id for row in self.rows]
            if self.loaded.source_id in ids:
                self.sources.cursor = ids.index(self.loaded.source_id)
                self.say("Save (f2) or revert (esc) what you changed first.", "bad")
                return
        self._open(source)

    def _open(self, row: LibraryRow) -> None:
        def work(_: Call) -> Loaded:
            record = self.machine.bibliography(row.source_id)
            candidates = self.machine.metadata_candidates(row.summary.document_id)
            return Loaded(row.source_id, record.item if record else {}, candidates)

        def then(loaded: Loaded) -> None:
            self.loaded = loaded
            self.query_one("#form").border_title = f"{row.title} — CSL-JSON item"
            self._fill(values(loaded.item))

        self.ask("item", work, then)

    def _fill(self, texts: dict[str, str]) -> None:
        with self.prevent(Input.Changed, Select.Changed):
            for field in FIELDS:
                self.query_one(f"#f-{field.variable}", Input).value = texts.get(field.variable, "")
            select = self.query_one("#type", Select)
            kind = texts.get("type", "")
            if kind and kind not in TYPES:
                select.set_options([(name, name) for name in (*TYPES, kind)])
            if kind:
                select.value = kind
            else:
                select.clear()
        self._changed()

    def item(self) -> CslItem:
        """The item as the form says it."""
        texts = {field.variable: self.query_one(f"#f-{field.variable}", Input).value for field in FIELDS}
        kind = self.query_one("#type", Select).value
        texts["type"] = kind if isinstance(kind, str) else ""
        return item_of(texts, self.loaded.item if self.loaded else {})

    # -- preview ---------------------------------------------------------------------------------------

    @on(Input.Changed)
    @on(Select.Changed)
    def _typed(self) -> None:
        self._changed()

    def _changed(self) -> None:
        form = self.query_one("#form")
        form.border_subtitle = "modified ●" if self.modified else ""
        self.refresh_keys()
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self._preview)

    def _preview(self) -> None:
        if self.loaded is None:
            return
        item = self.item()

        def work(call: Call) -> list[Line]:
            lines = []
            for style in self.machine.citation_styles():
                if call.cancelled():
                    break
                lines.append(self._line(item, style))
            return lines

        self.ask("preview", work, self._previewed)

    def _line(self, item: CslItem, style: str) -> Line:
        if not item:
            return Line(style, "— no metadata; nothing is guessed from the file name", ok=False)
        try:
            made = self.machine.preview(item, style=style)
        except CmtuiError as error:
            return Line(style, f"— {error}", ok=False)
        return Line(style, made.text, ok=True, notes=made.warnings)

    def _previewed(self, lines: list[Line]) -> None:
        self.preview = {line.style: line for line in lines}
        style = self.cmtui.style
        width = max(20, self.query_one("#preview").content_size.width - 1)
        texts = []
        for line in lines:
            name, text = STYLE.get(line.style, line.style), " ".join(line.text.split())
            if line.style == style:
                texts.append(f"▌ {name}\n  {text}")
            else:
                texts.append(fit(f"  {name:<11} {text}", width))
        self.query_one("#lines", Static).update("\n".join(texts))
        self.query_one("#preview").border_subtitle = f"style {STYLE.get(style, style)}"
        notes = list(dict.fromkeys(f"! {note}" for line in lines for note in line.notes))
        if self.loaded is not None and self.loaded.candidates:
            notes.append("f6 shows what the file says about itself")
        self.query_one("#notes", Static).update("\n".join(notes))

    # -- actions ---------------------------------------------------------------------------------------

    def action_next_field(self) -> None:
        """The next field; from the list, the first."""
        self.focus_next()

    def action_save(self) -> None:
        """Validate and store the item. No evidence id changes."""
        loaded = self.loaded
        if loaded is None:
            return
        if not self.modified:
            self.say("Nothing was changed.")
            return
        item, reviewer = self.item(), self.cmtui.settings.reviewer

        def work(_: Call) -> BibliographyRecord:
            return self.machine.set_bibliography(loaded.source_id, item, reviewer=reviewer)

        def then(record: BibliographyRecord) -> None:
            self.loaded = Loaded(loaded.source_id, record.item, loaded.candidates)
            self._fill(values(record.item))
            self.say("✔ saved; no evidence id changed", "good")
            self.reload()

        self.ask("save", work, then)

    def action_revert(self) -> None:
        """Ask before changes are thrown away; without changes leave the form."""
        loaded = self.loaded
        if loaded is None or not self.modified:
            self.sources.focus()
            return

        def then(answer: bool | None) -> None:
            if answer:
                self._fill(values(loaded.item))
                self.say("Reverted to what is stored.")
                self.sources.focus()

        self.app.push_screen(ConfirmScreen("Revert", "Throw away what you changed in this form?"), then)

    def action_style(self) -> None:
        """The next style is the current one, here and in Review."""
        styles = self.machine.citation_styles()
        at = styles.index(self.cmtui.style) if self.cmtui.style in styles else -1
        self.cmtui.style = styles[(at + 1) % len(styles)]
        self.say(f"Citation style: {STYLE.get(self.cmtui.style, self.cmtui.style)}")
        self._preview()

    def action_copy(self) -> None:
        """Copy the citation of the form in the current style."""
        if self.loaded is None:
            return
        style, item = self.cmtui.style, self.item()

        def work(_: Call) -> Line:
            return self._line(item, style)

        def then(line: Line) -> None:
            if line.ok:
                self.cmtui.copy(line.text, f"{STYLE.get(style, style)} citation")
            else:
                self.say(f"Nothing to copy: {line.text.removeprefix('— ')}", "bad")

        self.ask("copy", work, then)

    def action_candidates(self) -> None:
        """Show what the file says about itself; what is chosen goes into its field, unsaved."""
        if self.loaded is None:
            return
        usable = [
            c for c in self.loaded.candidates if c.field.lower() in _LOWER or c.field in CANDIDATE_FIELDS
        ]
        others = [c for c in self.loaded.candidates if c not in usable]
        keys = "123456789abcdefghijkl"
        choices = [
            Choice(key, f"{c.field}: {c.value[:60]}   ({c.origin})", str(number))
            for number, (key, c) in enumerate(zip(keys, usable, strict=False))
        ]
        note = "Found in the file; nothing is written until f2."
        for candidate in others[:6]:
            note += f"\n   {candidate.field}: {candidate.value[:60]}   ({candidate.origin})"

        def then(value: str | None) -> None:
            if value is not None:
                candidate = usable[int(value)]
                variable = _LOWER[candidate.field.lower()]
                field = self.query_one(f"#f-{variable}", Input)
                field.value = candidate.value
                field.focus()

        self.app.push_screen(MenuScreen("Metadata in the file", choices, note=note), then)


_LOWER = {name.lower(): variable for name, variable in CANDIDATE_FIELDS.items()}

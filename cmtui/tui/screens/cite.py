"""Bibliography: the CSL-JSON item of a source as a form, with its citations as they will read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Label, Static

from cmtui.engine.editing import ItemCheck
from cmtui.model.bibliography import BibliographyRecord, CslItem
from cmtui.model.lookup import Lookup
from cmtui.model.source import MetadataCandidate
from cmtui.tui.actions import bindings
from cmtui.tui.catalogue import LibraryRow
from cmtui.tui.citing import listing
from cmtui.tui.citing.form import ItemForm
from cmtui.tui.citing.listing import Shelf
from cmtui.tui.citing.previewing import FORMS, Line, Preview, every_line
from cmtui.tui.citing.rows import Handle
from cmtui.tui.csl_form import label_of
from cmtui.tui.labels import STYLE
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.cite_tasks import CiteTasks
from cmtui.tui.screens.dialogs import ConfirmScreen
from cmtui.tui.widgets.row_list import Column, RowList
from cmtui.tui.workers import Call

#: Seconds without a key before the preview is made again.
PAUSE = 0.15

NOTICE = " editing metadata never changes an evidence id; nothing is inferred from file names"

#: Actions on the name whose handle has the focus.
ON_NAME = frozenset({"name_add", "name_drop", "name_up", "name_down", "name_turn"})


@dataclass(frozen=True)
class Loaded:
    """What the form needs of a source. ``looked_up`` waits to be kept with the item (see action_save)."""

    source_id: str
    item: CslItem
    candidates: tuple[MetadataCandidate, ...]
    earlier: int = 0
    looked_up: Lookup | None = None


class CiteScreen(CiteTasks, BaseScreen):
    """Sources at the left, the form at the right, every style below."""

    scope = "cite"
    mode = "cite"
    BINDINGS: ClassVar[list[BindingType]] = bindings("cite")
    CSS = """
    CiteScreen #shelf { width: 34; }
    CiteScreen #about { height: auto; max-height: 8; padding: 0 1; color: $warning; }
    CiteScreen #form { width: 1fr; padding: 0 1; }
    CiteScreen #form:focus-within { border: heavy $primary; border-title-color: $foreground; }
    CiteScreen #preview { height: 9; padding: 0 1; scrollbar-size-vertical: 1; }
    CiteScreen #preview:focus { border: heavy $primary; border-title-color: $foreground; }
    CiteScreen #preview Static { height: auto; }
    CiteScreen .line Label { width: 1fr; }
    CiteScreen.-narrow #shelf { width: 30; }
    CiteScreen.-narrow.-editing #shelf { display: none; }
    CiteScreen.-narrow #preview { height: 8; }
    CiteScreen.-short #preview { height: 4; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.shelf = Shelf()
        self.wanted = ""
        self.loaded: Loaded | None = None
        self.form = ItemForm(id="form")
        self.preview = Preview(id="preview")
        self.cite_form = FORMS[0]
        self.check = ItemCheck()
        self._pause: Timer | None = None

    def body(self) -> Iterable[Widget]:
        """Sources, form, preview, and one line that says what editing does not do."""
        with Horizontal(id="panes"):
            with Vertical(id="shelf"):
                yield RowList(
                    [Column("Title"), Column("", 2), Column("CSL", 3)],
                    title="Sources",
                    empty="No source yet.\n1 then a adds one",
                    id="sources",
                )
                yield Static("", id="about", markup=False)
            self.form.border_title = "CSL-JSON item"
            yield self.form
        yield self.preview
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
    def rows(self) -> list[LibraryRow]:
        """The sources in the order of the list."""
        return list(self.shelf.rows)

    @property
    def modified(self) -> bool:
        """Whether the form says something else than the store."""
        return self.loaded is not None and self.item() != self.loaded.item

    def item(self) -> CslItem:
        """The item as the form says it."""
        return self.form.item()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a source there is nothing to save, copy or revert; names are acted on at their handle."""
        del parameters
        if action in ON_NAME:
            return isinstance(self.focused, Handle)
        if action in ("save", "copy", "next_field", "paste", "form"):
            return self.loaded is not None
        if action == "lookup":
            return self.loaded is not None and not self.busy("lookup")
        if action == "history":
            return self.loaded is not None and self.loaded.earlier > 0
        if action == "revert":
            return self.loaded is not None and (self.modified or not self.sources.has_focus)
        if action == "take":
            return self.form.row is not None and self.form.row.next_offer is not None
        if action == "same":
            return self.sources.has_focus and self.loaded is not None and bool(self._same())
        return True

    def on_descendant_focus(self) -> None:
        """Which keys apply depends on the focus; in a narrow terminal the form takes the whole width."""
        self.set_class(not self.sources.has_focus, "-editing")
        self.refresh_keys()

    # -- reading ---------------------------------------------------------------------------------------

    def choose(self, source_id: str) -> None:
        """Show this source as soon as it is read, with the form ready."""
        self.wanted = source_id
        self.reload()

    def reload(self) -> None:
        """Read the sources again; a form with changes stays."""
        session = self.cmtui.session
        self.ask("sources", lambda _: listing.load(self.machine, session.state()), self._listed)

    def _listed(self, shelf: Shelf) -> None:
        self.shelf = shelf
        here = self.wanted or (self.loaded.source_id if self.loaded else "")
        ids = shelf.ids
        self.sources.border_title = f"Sources {len(ids)}"
        self.context(f"{sum(shelf.complete.values())} of {len(ids)} complete")
        self.sources.show(shelf.shown(), cursor=ids.index(here) if here in ids else None)
        if self.wanted:
            self.form.enter()
        self.wanted = ""
        self._tell_about()

    def _tell_about(self) -> None:
        """What the marks of the source under the cursor mean."""
        lines = self.shelf.about(self.rows[self.sources.cursor].source_id) if self.rows else []
        about = self.query_one("#about", Static)
        about.update("\n".join(lines))
        about.display = bool(lines)
        self.refresh_keys()

    @on(RowList.Highlighted)
    def _highlighted(self) -> None:
        if self.sources.cursor >= len(self.rows):
            return
        source = self.rows[self.sources.cursor]
        here = self.loaded.source_id if self.loaded is not None else ""
        if here and here != source.source_id and self.modified and here in self.shelf.ids:
            self.sources.cursor = self.shelf.ids.index(here)
            self.say("Save (f2) or revert (esc) what you changed first.", "bad")
            return
        self._tell_about()
        if here != source.source_id or not self.modified:
            self._open(source)

    def _open(self, row: LibraryRow) -> None:
        def work(_: Call) -> Loaded:
            record = self.machine.bibliography(row.source_id)
            candidates = self.machine.metadata_candidates(row.summary.document_id)
            if record is None:
                return Loaded(row.source_id, {}, candidates)
            return Loaded(row.source_id, record.item, candidates, len(record.history))

        def then(loaded: Loaded) -> None:
            if self.loaded is not None and self.loaded.source_id == loaded.source_id:
                if self.modified:
                    return  # Something was typed while it was read.
                loaded = replace(loaded, looked_up=self.loaded.looked_up)
            else:
                self.stop("lookup")
                self.cmtui.working("")
                self.form.scroll_home(animate=False)
            self.loaded = loaded
            self.form.border_title = f"{row.title} — CSL-JSON item"
            self.form.show(loaded.item, loaded.candidates)
            self._changed()

        self.ask("item", work, then)

    # -- preview and checks ------------------------------------------------------------------------------

    @on(ItemForm.Changed)
    def _changed(self) -> None:
        self.form.border_subtitle = "modified ●" if self.modified else ""
        item = self.item()
        self.check = self.machine.check_item(item) if item else ItemCheck()
        self._judge(item)
        self.refresh_keys()
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self._preview)

    def _judge(self, item: CslItem) -> None:
        lines = self.preview.lines
        notes = list(dict.fromkeys(f"! {note}" for line in lines for note in line.notes))
        if item and not self.check.errors and not self.check.notes:
            notes.append("✔ every field shown can be stored")
        self.form.judge(self.check, item, notes)

    def _preview(self) -> None:
        if self.loaded is None:
            return
        item, form = self.item(), self.cite_form

        def work(call: Call) -> list[Line]:
            return every_line(self.machine, item, form, call.cancelled)

        def then(lines: list[Line]) -> None:
            self.preview.show(lines, style=self.cmtui.style, form=form)
            self._judge(item)

        self.ask("preview", work, then)

    # -- actions ---------------------------------------------------------------------------------------

    def action_next_field(self) -> None:
        """The next field; from the list, the first."""
        if self.sources.has_focus:
            self.form.query_one("#type").focus()
        else:
            self.focus_next()

    def action_save(self) -> None:
        """Validate and store the item. No evidence id changes."""
        loaded = self.loaded
        if loaded is None:
            return
        item = self.item()
        if not self.modified:
            self.say("Nothing was changed.")
            return
        check = self.machine.check_item(item)
        if check.errors:
            variable, reason = check.errors[0]
            self.say(f"✘ not saved: {label_of(variable, self.form.kind)}: {reason}", "bad")
            self.form.enter(variable)
            return
        self.store(loaded.source_id, item, loaded.looked_up, "✔ saved; no evidence id changed")

    def store(self, source_id: str, item: CslItem, lookup: Lookup | None, message: str) -> None:
        """Store an item as this reviewer's edit, with the notices of a look-up when it is of that DOI."""
        reviewer = self.cmtui.settings.reviewer

        def work(_: Call) -> BibliographyRecord:
            record = self.machine.set_bibliography(source_id, item, reviewer=reviewer)
            return self.keep_notices(lookup, record)

        def then(record: BibliographyRecord) -> None:
            if self.loaded is not None and self.loaded.source_id == source_id:
                self.loaded = Loaded(source_id, record.item, self.loaded.candidates, len(record.history))
                self.form.show(record.item)
                self._changed()
            self.say(message, "good")
            self.reload()

        self.ask("save", work, then)

    def action_revert(self) -> None:
        """Cancel a look-up; else ask before changes are thrown away; without changes leave the form."""
        loaded = self.loaded
        if self.cancel_lookup():
            return
        if loaded is None or not self.modified:
            self.sources.focus()
            return

        def then(answer: bool | None) -> None:
            if answer:
                self.loaded = replace(loaded, looked_up=None)
                self.form.show(loaded.item)
                self._changed()
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

    def action_form(self) -> None:
        """The preview as references, inline citations or footnotes."""
        self.cite_form = FORMS[(FORMS.index(self.cite_form) + 1) % len(FORMS)]
        self.say(f"Preview: {self.cite_form}")
        self._preview()

    async def action_take(self) -> None:
        """What the file says, into the field that has the focus. It is not stored until f2."""
        row = self.form.row
        offer = row.next_offer if row is not None else None
        if row is not None and offer is not None:
            await row.take(offer)
            self.say(f"Taken from {offer.origin}; f2 saves.")
            if not isinstance(self.focused, Input):
                self.say(f"Taken from {offer.origin} as one name; o parts it, f2 saves.")

    # -- names -------------------------------------------------------------------------------------------

    async def action_name_add(self) -> None:
        """A new name after this one."""
        if (here := self.form.name_line) is not None:
            await here[0].add(here[1])

    def action_name_drop(self) -> None:
        """Take this name away."""
        if (here := self.form.name_line) is not None:
            here[0].drop(here[1])

    def action_name_up(self) -> None:
        """This name before the one above."""
        if (here := self.form.name_line) is not None:
            here[0].move(here[1], -1)

    def action_name_down(self) -> None:
        """This name after the one below."""
        if (here := self.form.name_line) is not None:
            here[0].move(here[1], 1)

    def action_name_turn(self) -> None:
        """A person, or an organisation."""
        if (here := self.form.name_line) is not None:
            here[0].turn(here[1])

    # -- the same work -----------------------------------------------------------------------------------

    def _same(self) -> list[str]:
        here = self.rows[self.sources.cursor].source_id if self.rows else ""
        return [other for other, _ in self.shelf.same.get(here, ()) if other in self.shelf.ids]

    def action_same(self) -> None:
        """Go to the source that looks like the same work. They stay two sources."""
        others = self._same()
        if others:
            self.sources.cursor = self.shelf.ids.index(others[0])

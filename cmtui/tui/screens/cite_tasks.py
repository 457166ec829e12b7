"""What the Cite screen does with its dialogs: copying, pasting, looking a DOI up, and going back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cmtui import clipboard
from cmtui.errors import InvalidRequest
from cmtui.model.bibliography import BibliographyRecord, CopyForm, CslItem
from cmtui.model.importing import ImportedBibliography, ImportedEntry
from cmtui.model.lookup import Lookup
from cmtui.model.progress import Progress
from cmtui.tui.citing.form import ItemForm
from cmtui.tui.citing.previewing import Line, line
from cmtui.tui.csl_form import label_of
from cmtui.tui.labels import notice_line
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.cite_compare import CompareScreen, Proposed
from cmtui.tui.screens.cite_copy import CopyScreen, Wanted
from cmtui.tui.screens.cite_history import HistoryScreen
from cmtui.tui.screens.cite_paste import PasteScreen, choices
from cmtui.tui.screens.dialogs import MenuScreen
from cmtui.tui.workers import Call

if TYPE_CHECKING:
    from cmtui.tui.screens.cite import Loaded


class CiteTasks(BaseScreen):
    """The tasks of the Cite screen that open a dialog or ask the network."""

    loaded: Loaded | None
    form: ItemForm
    cite_form: str

    def item(self) -> CslItem:
        """The item as the form says it."""
        raise NotImplementedError

    def store(self, source_id: str, item: CslItem, lookup: Lookup | None, message: str) -> None:
        """Store an item."""
        raise NotImplementedError

    @property
    def modified(self) -> bool:
        """Whether the form says something else than the store."""
        raise NotImplementedError

    # -- copying -----------------------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Choose style, form and kind of text, and copy the citation of the form."""
        if self.loaded is None:
            return
        item = self.item()
        if not item:
            self.say("Nothing to copy: there is no metadata yet.", "bad")
            return

        def preview(style: str, form: str) -> Line:
            return line(self.machine, item, style, form)

        def then(wanted: Wanted | None) -> None:
            if wanted is not None:
                self._copy(item, wanted)

        styles = self.machine.citation_styles()
        self.app.push_screen(CopyScreen(self.cmtui.style, self.cite_form, styles, preview), then)

    def _copy(self, item: CslItem, wanted: Wanted) -> None:
        app = self.cmtui

        def osc52(value: str) -> None:
            app.call_from_thread(app.copy_to_clipboard, value)

        def work(_: Call) -> clipboard.CopyResult:
            made: CopyForm = self.machine.copy_item(
                item, wanted.form, wanted.style, cite_form=wanted.cite_form
            )
            return clipboard.copy_form(made, preference=app.settings.clipboard, osc52=osc52)

        def then(result: clipboard.CopyResult) -> None:
            app.copied.append(result)
            app.say(f"✔ {result.message}" if result.confirmed else result.message)

        self.ask("copy", work, then)

    # -- proposals ---------------------------------------------------------------------------------------

    def _compare(
        self,
        title: str,
        proposed: CslItem,
        *,
        heads: Sequence[str] = (),
        lookup: Lookup | None = None,
    ) -> None:
        """Show where an item differs from the form; what is accepted goes into the form, unsaved."""
        from cmtui.engine.lookup import differences

        now, source_id = self.item(), self.loaded.source_id if self.loaded else ""
        fields = [Proposed(d.field, d.current, d.proposed) for d in differences(now, proposed)]
        useful = lookup is not None and bool(lookup.own_notices)

        def then(accepted: tuple[str, ...] | None) -> None:
            if accepted is None or self.loaded is None or self.loaded.source_id != source_id:
                return
            self.form.put({field.variable: field.proposed for field in fields if field.variable in accepted})
            if lookup is not None:
                self._keep(lookup)
            if accepted:
                names = ", ".join(label_of(name, self.form.kind) for name in accepted)
                self.say(f"Taken: {names}. f2 saves, esc reverts.")

        if not fields and not heads:
            self.say("✔ The form says the same already; nothing differs.", "good")
            return
        screen = CompareScreen(title, fields, heads=heads, kind=self.form.kind, empty_is_useful=useful)
        self.app.push_screen(screen, then)

    def action_paste(self) -> None:
        """Paste an entry, and accept its fields one by one."""
        if self.loaded is None:
            return

        def then(found: ImportedBibliography | None) -> None:
            if found is None:
                return
            if len(found.entries) == 1:
                self._entry(found, found.entries[0])
                return

            def chosen(value: str | None) -> None:
                if value is not None:
                    self._entry(found, found.entries[int(value)])

            note = "Which entry is this source? A whole file is imported on the command line."
            self.app.push_screen(MenuScreen("Entries", choices(found), note=note), chosen)

        self.app.push_screen(PasteScreen(self.machine.read_bibliography), then)

    def _entry(self, found: ImportedBibliography, entry: ImportedEntry) -> None:
        heads = [f"! {warning}" for warning in entry.warnings]
        heads += [f"! line {problem.line}: {problem.message}" for problem in found.problems]
        item = {name: value for name, value in entry.item.items() if name not in ("id", "citation-key")}
        self._compare(f"{found.format} entry {entry.key}", item, heads=heads)

    # -- look-up -----------------------------------------------------------------------------------------

    def action_lookup(self) -> None:
        """Ask Crossref, then DataCite, for the DOI of the form. Esc stops it; nothing is written."""
        loaded = self.loaded
        if loaded is None:
            return
        item, providers = self.item(), self.cmtui.settings.providers
        doi = str(item.get("DOI") or "").strip() or None

        def work(call: Call) -> Lookup:
            call.progress(Progress("asking Crossref", f"{doi or 'the DOI of the file'}  esc cancels"))
            return self.machine.lookup_doi(
                loaded.source_id, doi=doi, item=item, providers=providers, cancelled=call.cancelled
            )

        def then(lookup: Lookup) -> None:
            self.cmtui.working("")
            heads = [notice_line(notice) for notice in lookup.own_notices]
            heads += [f"! {warning}" for warning in lookup.warnings]
            title = f"{lookup.provider.capitalize()} on {lookup.doi}"
            self._compare(title, lookup.item, heads=heads, lookup=lookup)
            self.refresh_keys()

        def failed(error: BaseException) -> None:
            self.cmtui.working("")
            self.refresh_keys()
            if isinstance(error, InvalidRequest):  # no DOI, or none that is one: the field is here
                self.say(f"✘ {error} Type it here, then f5.", "bad")
                self.form.enter("DOI")
                return
            self.cmtui.show_error(error)

        self.ask("lookup", work, then, failed=failed)
        self.say("⟳ looking the DOI up; esc cancels")
        self.refresh_keys()

    def cancel_lookup(self) -> bool:
        """Stop a look-up that is under way; whether there was one."""
        if not self.busy("lookup"):
            return False
        self.stop("lookup")
        self.cmtui.working("")
        self.say("The look-up was cancelled; nothing was changed.")
        self.refresh_keys()
        return True

    def _keep(self, lookup: Lookup) -> None:
        """Notices are kept with the item: now when the stored item has that DOI, else when it is saved."""
        loaded = self.loaded
        if loaded is None:
            return
        self.loaded = replace(loaded, looked_up=lookup)
        if not loaded.item:
            return

        def work(_: Call) -> BibliographyRecord | None:
            record = self.machine.bibliography(loaded.source_id)
            return self.keep_notices(lookup, record) if record is not None else None

        def then(_: BibliographyRecord | None) -> None:
            self.reload()

        self.ask("notices", work, then)

    def keep_notices(self, lookup: Lookup | None, record: BibliographyRecord) -> BibliographyRecord:
        """Keep what a look-up said of the work, if the stored item has the DOI that was looked up."""
        if lookup is None:
            return record
        try:
            return self.machine.apply_lookup(lookup, (), source=record.source_id)
        except InvalidRequest:  # it was saved with another DOI, so the notices are not about it
            return record

    # -- history -----------------------------------------------------------------------------------------

    def action_history(self) -> None:
        """Earlier items with their differences; the one chosen becomes the item again, as a new edit."""
        loaded = self.loaded
        if loaded is None:
            return
        if self.modified:
            self.say("Save (f2) or revert (esc) what you changed first.", "bad")
            return

        def then(item: CslItem | None) -> None:
            if item is not None:
                self.store(loaded.source_id, item, None, "✔ an earlier item is back; u in Review undoes it")

        def show(record: BibliographyRecord | None) -> None:
            if record is not None and any(record.history):
                self.app.push_screen(HistoryScreen(record), then)
            else:
                self.say("There is no earlier item.")

        self.ask("history", lambda _: self.machine.bibliography(loaded.source_id), show)

"""The Section tab: the citation pipeline over a draft, one section of it on the screen at a time (R176)."""

from __future__ import annotations

import threading
from pathlib import Path

from cmtui.model.progress import Progress
from cmtui.model.sections import CitationResult, SectionAudit
from cmtui.tui.acquiring.rows import Candidate, status_line, works_of
from cmtui.tui.cells import shown
from cmtui.tui.labels import plural
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import PromptScreen
from cmtui.tui.screens.paths import PathSuggester
from cmtui.tui.workers import Call


class SectionTab(BaseScreen):
    """What the acquire screen does with a draft. The screen itself shows the candidates."""

    halt: threading.Event
    tab: str
    found: dict[str, list[Candidate]]
    asked: dict[str, bool]
    audit: SectionAudit | None = None
    section_at: int = 0

    @property
    def running(self) -> bool:
        """Whether something is being asked or captured."""
        raise NotImplementedError

    def paint(self, *, cursor: int | None = None) -> None:
        """Show the candidates."""
        raise NotImplementedError

    def log_line(self, text: str) -> None:
        """A line of the run log."""
        raise NotImplementedError

    @property
    def section(self) -> CitationResult | None:
        """The section whose candidates are shown."""
        return None if self.audit is None else self.audit.sections[self.section_at]

    def section_title(self) -> str:
        """Where in the draft the candidates belong: ``2/5 2.1 Mourning``."""
        if self.audit is None or self.section is None:
            return ""
        title = shown(self.section.section_title) or "opening"
        return f"{self.section_at + 1}/{len(self.audit.sections)} {title}"

    def action_draft(self) -> None:
        """Ask for a Markdown draft and look for literature for each of its sections."""
        prompt = PromptScreen(
            "Draft to find literature for",
            hint="tab: complete   enter: ask the services   esc: leave",
            suggester=PathSuggester(),
        )
        self.app.push_screen(prompt, self._run_draft)

    def _run_draft(self, line: str | None) -> None:
        text = (line or "").strip()
        if not text:
            return
        from cmtui.engine.sectioning import options_of

        path, settings = Path(text).expanduser(), self.cmtui.settings
        web = str(getattr(settings.providers.get("brave"), "when", "fallback"))
        self.halt.clear()
        self.log_line(f"draft     {shown(path.name)}")

        def work(call: Call) -> SectionAudit:
            return self.machine.run_sections(
                path,
                options=options_of(settings.sections, web=web, gate="warn"),
                settings=settings.providers,
                progress=call.post,  # one for each section: each has its line in the log
                cancelled=lambda: self.halt.is_set() or call.cancelled(),
            )

        self.ask("section", work, self.examined)
        self.paint()

    def section_progressed(self, progress: Progress) -> None:
        """Each section as it is examined."""
        if progress.subject:
            self.log_line(f"section   {shown(progress.subject)} ({progress.done + 1} of {progress.total})")

    def examined(self, audit: SectionAudit) -> None:
        """Show a run: the first section, and in the log each section's providers and what was found."""
        self.cmtui.working("")
        self.audit, self.tab = audit, "section"
        self.asked["section"] = True
        for result in audit.sections:
            for status in result.providers:
                self.log_line(status_line(status))
            kept, rejected = len(result.citations), len(result.rejected_candidates)
            cached = ", from the cache" if result.cache_hit else ""
            title = shown(result.section_title) or "opening"
            self.log_line(f"kept      {kept}, rejected {rejected} for “{title}”{cached}")
        self._show_section(0)
        told = f"{plural(audit.total_found, 'citation')} for {plural(len(audit.sections), 'section')}"
        if audit.gate == "ok":
            self.say(f"✔ {told}; relevant by topic, not proof", "good")
        else:
            self.say(f"! {told}: fewer than the {audit.settings.get('min_count')} that are set", "bad")

    def _show_section(self, at: int) -> None:
        assert self.audit is not None
        self.section_at = at % len(self.audit.sections)
        self.found["section"] = works_of(self.audit.sections[self.section_at].audit)
        self.paint(cursor=0)

    def action_next_section(self) -> None:
        """The next section of the draft."""
        self._show_section(self.section_at + 1)

    def action_previous_section(self) -> None:
        """The section before."""
        self._show_section(self.section_at - 1)

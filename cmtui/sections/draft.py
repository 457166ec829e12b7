"""A Markdown draft as sections, and the audit of a whole run (R175, R178)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from cmtui.errors import Cancelled, SectionError
from cmtui.model.identity import sha256_bytes
from cmtui.model.ingest import Block
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback, never_cancelled, no_progress
from cmtui.model.sections import CitationResult, SectionAudit
from cmtui.model.source import PassageRole
from cmtui.sections.settings import SectionOptions

#: Headings under which works stand already.
_REFERENCES = re.compile(
    r"(?:\d+(?:\.\d+)*\.?\s+)?(?:references|bibliography|works cited|literature(?: cited)?|further reading|"
    r"bibliograf[ií]a|referencias(?: bibliogr[aá]ficas)?)",
    re.IGNORECASE,
)

#: Finds the citations of one section: title, content, topic of the document.
FindCitations = Callable[[str, str, str], CitationResult]


@dataclass(frozen=True, slots=True)
class DraftSection:
    """One section of a draft: its title (the headings above it left out) and the prose under it."""

    title: str
    content: str


def draft_sections(content: bytes, name: str) -> tuple[str, tuple[DraftSection, ...]]:
    """The topic of a Markdown draft (its first heading) and its sections that hold prose.

    Code, tables and lists of references are no prose. Raises SectionError when there is none, IngestError for
    bytes that are no text.
    """
    from cmtui.ingest.readers.markdown import MarkdownReader

    read = MarkdownReader().read(content)
    text = read.text
    kept = [b for b in read.blocks if b.role in {PassageRole.BODY, PassageRole.LIST}]
    sections: list[DraftSection] = []
    marks = sorted(read.tables.sections, key=lambda mark: (mark.start, mark.end))
    starts = [mark.start for mark in marks]
    first = starts[0] if starts else len(text)
    opening = _prose(text, [b for b in kept if b.start < first])
    if opening:
        sections.append(DraftSection("", opening))
    for at, mark in enumerate(marks):
        end = starts[at + 1] if at + 1 < len(starts) else len(text)
        title = mark.path[-1]
        prose = _prose(text, [b for b in kept if mark.start <= b.start < end])
        if prose and not _REFERENCES.fullmatch(title.strip(" .:")):
            sections.append(DraftSection(title, prose))
    if not sections:
        raise SectionError(
            f"'{name}' holds no section with prose.", "Give a Markdown draft with text under its headings."
        )
    topic = marks[0].path[0] if marks else ""
    return topic, tuple(sections)


def _prose(text: str, blocks: list[Block]) -> str:
    return "\n\n".join(text[block.start : block.end].strip() for block in blocks).strip()


def run_draft(
    content: bytes,
    name: str,
    find: FindCitations,
    *,
    options: SectionOptions,
    run_at: str,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
) -> SectionAudit:
    """Every section of a draft in its order, with totals. Below the least number of citations the gate is
    ``P0``, or ``warning`` where the options say so (R178). Raises SectionError, IngestError, Cancelled."""
    topic, sections = draft_sections(content, name)
    results: list[CitationResult] = []
    for done, section in enumerate(sections):
        if cancelled():
            raise Cancelled(f"The run on '{name}' was cancelled.", "Run it again; nothing was kept.")
        progress(Progress("sections", section.title, done, len(sections)))
        results.append(find(section.title, section.content, topic))
    progress(Progress("sections", "", len(sections), len(sections)))
    found = sum(len(result.citations) for result in results)
    enough = found >= options.min_count
    return SectionAudit(
        document_id=sha256_bytes(content),
        name=name,
        run_at=run_at,
        sections=tuple(results),
        total_found=found,
        total_rejected=sum(len(result.rejected_candidates) for result in results),
        providers_queried=tuple(
            dict.fromkeys(status.name for result in results for status in result.providers if status.attempts)
        ),
        cache_hits=sum(result.cache_hit for result in results),
        gate="ok" if enough else "warning" if options.gate == "warn" else "P0",
        settings=options.as_json(),
    )

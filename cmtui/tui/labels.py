"""Words and glyphs of the screens. A glyph always carries the meaning; colour only repeats it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cmtui.model.bibliography import CslItem, EditorialNotice, NoticeKind
from cmtui.model.claim import Claim, Relation
from cmtui.model.review import Decision
from cmtui.model.source import PRINTABLE_BASES, Locators

#: Relations in three letters (D9).
RELATION: Mapping[str, str] = {
    Relation.SUPPORTS: "SUP",
    Relation.CONTRADICTS: "CON",
    Relation.RELATED: "REL",
    Relation.INSUFFICIENT: "INS",
}

#: Decisions in one cell.
DECISION: Mapping[Decision, str] = {
    Decision.UNDECIDED: "·",
    Decision.ACCEPTED: "✔",
    Decision.REJECTED: "✘",
    Decision.SKIPPED: "–",
}

#: Component class of a row by decision.
DECISION_STYLE: Mapping[Decision, str] = {
    Decision.UNDECIDED: "",
    Decision.ACCEPTED: "good",
    Decision.REJECTED: "bad",
    Decision.SKIPPED: "dim",
}

#: Kinds of source in four cells.
KIND: Mapping[str, str] = {"pdf": "pdf", "epub": "epub", "markdown": "md", "text": "text"}

#: Styles as people write them.
STYLE: Mapping[str, str] = {
    "mla": "MLA",
    "apa": "APA",
    "chicago": "Chicago",
    "chicago-notes": "Chic. notes",
    "ieee": "IEEE",
    "bibtex": "BibTeX",
}

#: Editorial notices: three states that must not pass for one another, each a glyph and a word.
NOTICE: Mapping[NoticeKind, tuple[str, str]] = {
    NoticeKind.RETRACTION: ("⊗", "RETRACTED"),
    NoticeKind.CONCERN: ("?", "CONCERN EXPRESSED"),
    NoticeKind.CORRECTION: ("±", "CORRECTED"),
}

#: Why two sources look like the same work.
SAME: Mapping[str, str] = {
    "doi": "same DOI",
    "isbn": "same ISBN",
    "title-author-year": "same title, author and year",
}


def notice_mark(notice: EditorialNotice) -> str:
    """``⊗ RETRACTED``, for where there is little room."""
    return " ".join(NOTICE[notice.kind])


def notice_line(notice: EditorialNotice) -> str:
    """A notice with its date and who says so: ``⊗ RETRACTED 2010-02-06 (publisher)  doi 10.1/x``."""
    parts = [notice_mark(notice)]
    if notice.date:
        parts.append(notice.date)
    if notice.asserted_by:
        parts.append(f"({notice.asserted_by})")
    if notice.notice_doi and notice.notice_doi != notice.work_doi:
        parts.append(f" doi {notice.notice_doi}")
    return " ".join(parts)


def place(locators: Locators) -> str:
    """Where a span stands, short: ``p 41 ¶2``, ``¶12 Chapter Seven``, ``¶3 § Mourning``, ``line 12``.

    A page that the file only implies by position is called a sheet, so that nobody cites it as a page.
    """
    parts = []
    page = locators.cited_page
    if page is not None:
        parts.append(margin(locators))
    if locators.paragraph is not None:
        parts.append(f"¶{locators.paragraph}")
    if page is None and locators.chapter:
        parts.append(locators.chapter)
    elif page is None and locators.section:
        parts.append(f"§ {locators.section[-1]}")
    return " ".join(parts) or margin(locators)


def margin(locators: Locators) -> str:
    """The page or the paragraph, for the margin of a text: ``p 41``, ``sheet 3``, ``¶12``, ``line 7``."""
    page = locators.cited_page
    if page is not None:
        return f"p {page.value}" if page.basis in PRINTABLE_BASES else f"sheet {page.value}"
    if locators.paragraph is not None:
        return f"¶{locators.paragraph}"
    return f"line {locators.line_start}" if locators.line_start is not None else ""


def every_place(locators: Locators) -> str:
    """All locators that are known, in one line."""
    parts = []
    page = locators.cited_page
    if page is not None:
        printable = page.basis in PRINTABLE_BASES
        parts.append(f"page {page.value} ({page.basis})" if printable else f"sheet {page.value} of the file")
    if locators.chapter:
        parts.append(locators.chapter)
    if locators.section:
        parts.append(" › ".join(locators.section))
    if locators.paragraph is not None:
        parts.append(f"¶{locators.paragraph}")
    if locators.line_start is not None:
        end = locators.line_end
        same = end is None or end == locators.line_start
        parts.append(f"line {locators.line_start}" if same else f"lines {locators.line_start}–{end}")
    return "  ".join(parts)


def evaluated(claim: Claim) -> str:
    """What the newest run of a claim found: ``evaluated: 1 SUP, 2 CON, 2 REL``."""
    found = [finding.relation for finding in claim.latest.findings] if claim.latest is not None else []
    counts = [f"{found.count(relation)} {RELATION[relation]}" for relation in Relation if relation in found]
    return f"evaluated: {', '.join(counts)}" if counts else "evaluated: no passage came near it"


def short_id(value: str) -> str:
    """The first and last four characters of an id, as drawn: ``7f3a…c91e``."""
    return f"{value[:4]}…{value[-4:]}" if len(value) > 9 else value


def confidence(value: float) -> str:
    """Two digits after a bare point, as drawn: ``.97``; 1 is ``1.0``."""
    return "1.0" if value >= 0.995 else f"{value:.2f}".removeprefix("0")


def size(count: int) -> str:
    """Bytes for people: ``1.8 MB``."""
    amount, unit = float(count), "B"
    for larger in ("kB", "MB", "GB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{count} B" if unit == "B" else f"{amount:.1f} {unit}"


def plural(count: int, noun: str) -> str:
    """``1 source``, ``7 sources``, ``3 passages``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def day(stamp: str | None) -> str:
    """A stored UTC time as ``2026-11-28 14:02``; empty when unknown."""
    return stamp[:16].replace("T", " ") if stamp else ""


def authors(item: CslItem) -> str:
    """The authors of a CSL item in one cell: ``Writer, J.``, ``Writer, J. et al.``"""
    people = item.get("author")
    if not isinstance(people, list) or not people or not isinstance(people[0], dict):
        return ""
    first: dict[str, Any] = people[0]
    name = str(first.get("literal") or first.get("family") or "")
    given = str(first.get("given") or "")
    if given and not first.get("literal"):
        name += f", {given[0]}."
    return f"{name} et al." if len(people) > 1 else name


def year(item: CslItem) -> str:
    """The year of a CSL item; empty when unknown."""
    issued = item.get("issued")
    parts = issued.get("date-parts") if isinstance(issued, dict) else None
    return str(parts[0][0]) if isinstance(parts, list) and parts and parts[0] else ""


#: Left blocks from an eighth to seven eighths of a cell.
_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(done: int, total: int, cells: int = 10) -> str:
    """A progress bar of ``cells`` cells between its edges, filled to an eighth of a cell."""
    full, eighths = divmod(cells * 8 * min(done, total) // total if total > 0 else 0, 8)
    filled = "█" * full + (_EIGHTHS[eighths] if full < cells else "")
    return f"▕{filled:{cells}}▏"

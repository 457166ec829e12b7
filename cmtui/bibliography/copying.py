"""What goes on the clipboard: a citation, a quotation with its citation, or a record, in every form.

Everything is written from segments, never from markup strings. The words of a quotation never pass through
a citation engine: they stand between quotation marks character for character as the source has them, with
their own quotation marks and line ends.
"""

from __future__ import annotations

from collections.abc import Mapping

from cmtui.bibliography import segments, styles
from cmtui.bibliography.formatting import BaseFormatter, Run
from cmtui.bibliography.segments import Segment
from cmtui.errors import InvalidRequest
from cmtui.model.bibliography import CopyForm, CslItem, FormattedCitation
from cmtui.ports import CitationFormatter

#: The forms and the types that programs know them by.
MIME = {
    "plain": "text/plain",
    "markdown": "text/markdown",
    "html": "text/html",
    "rtf": "text/rtf",
    "bibtex": "application/x-bibtex",
    "csl-json": "application/vnd.citationstyles.csl+json",
    "ris": "application/x-research-info-systems",
}
#: Forms that hold a record of the work instead of a citation.
RECORDS = ("bibtex", "csl-json", "ris")
_SHOWN = {
    "plain": "plain text", "markdown": "Markdown", "html": "HTML", "rtf": "RTF", "bibtex": "BibTeX",
    "csl-json": "CSL-JSON", "ris": "RIS",
}  # fmt: skip


def check_form(form: str) -> None:
    """Raises InvalidRequest for a form that is none."""
    if form not in MIME:
        raise InvalidRequest(f"There is no clipboard form '{form}'.", f"Forms: {', '.join(MIME)}.")


def copy_citation(
    formatter: CitationFormatter,
    item: CslItem,
    *,
    form: str,
    style: str,
    cite_form: str = "reference",
    locator: str | None = None,
    quote: str | None = None,
    provenance: Mapping[str, str] | None = None,
) -> CopyForm:
    """A citation in a form, after the exact words of ``quote`` when they are given.

    The forms of records (bibtex, csl-json, ris) take neither style nor quotation. Raises InvalidRequest,
    UnknownStyle, UnsupportedForm, InvalidMetadata.
    """
    check_form(form)
    known = dict(provenance or {})
    if form in RECORDS:
        if quote is not None:
            raise InvalidRequest(
                f"{_SHOWN[form]} is a record and holds no quotation.",
                "Copy it as plain, markdown, html or rtf.",
            )
        from cmtui.bibliography.export import write_bibliography

        written = write_bibliography([item], form)
        known["form"] = form
        if written.warnings:
            known["warnings"] = " ".join(written.warnings)
        return CopyForm(form, written.text, MIME[form], written.text, f"{_SHOWN[form]} record", known)
    run, made = _run(formatter, item, style=style, form=cite_form, locator=locator)
    parts = run if quote is None else (Segment(f"“{quote}” "), *run)
    known |= {
        "form": form,
        "citation_form": made.form,
        "style": made.style,
        "style_sha256": made.style_sha256,
        "engine": made.engine,
        "locale": made.locale,
    }
    if made.warnings:
        known["warnings"] = " ".join(made.warnings)
    what = f"{_style_shown(made.style)} {'quotation' if quote is not None else made.form}, {_SHOWN[form]}"
    return CopyForm(form, segments.write(parts, form), MIME[form], segments.plain(parts), what, known)


def _run(
    formatter: CitationFormatter, item: CslItem, *, style: str, form: str, locator: str | None
) -> tuple[Run, FormattedCitation]:
    if isinstance(formatter, BaseFormatter):
        return formatter.run(item, style=style, form=form, locator=locator)
    made = formatter.format(item, style=style, form=form, locator=locator)
    return (Segment(made.text),), made


def _style_shown(name: str) -> str:
    shown = {"mla": "MLA", "apa": "APA", "chicago": "Chicago", "chicago-notes": "Chicago", "ieee": "IEEE"}
    return shown.get(name, name.removeprefix(styles.OFFICIAL))

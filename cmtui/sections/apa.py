"""The APA 7 reference of a candidate, from the fields that its provider gave and no others (R167)."""

from __future__ import annotations

from cmtui.model.bibliography import CslItem
from cmtui.model.sections import CitationCandidate

#: Kinds of work to CSL's types; anything else is a document, a web page when it has nothing but its address.
_TYPES = {
    "journal-article": "article-journal",
    "JournalArticle": "article-journal",
    "Review": "article-journal",
    "MetaAnalysis": "article-journal",
    "ClinicalTrial": "article-journal",
    "proceedings-article": "paper-conference",
    "Conference": "paper-conference",
    "book": "book",
    "Book": "book",
    "monograph": "book",
    "book-chapter": "chapter",
    "BookSection": "chapter",
    "dissertation": "thesis",
    "report": "report",
    "posted-content": "article",
    "dataset": "dataset",
    "Dataset": "dataset",
}


def item_of(candidate: CitationCandidate) -> CslItem:
    """The CSL-JSON item: a DOI's address comes from the DOI, an URL stands only where there is no DOI."""
    kind = _TYPES.get(candidate.type or "", "document" if candidate.doi or not candidate.url else "webpage")
    item: CslItem = {"id": "candidate", "type": kind, "title": candidate.title}
    people = [{key: part for key, part in name.items() if key != "parsed"} for name in candidate.authors]
    if people:
        item["author"] = people
    if candidate.year is not None:
        item["issued"] = {"date-parts": [[candidate.year]]}
    if candidate.container:
        item["container-title"] = candidate.container
    if candidate.doi:
        item["DOI"] = candidate.doi
    elif candidate.url:
        item["URL"] = candidate.url
    return item


def apa7(candidate: CitationCandidate) -> str:
    """The reference as APA 7 prints it: 20 authors listed, ``n.d.`` without a date, the title first without
    an author. Raises BibliographyError."""
    from cmtui.bibliography.engines import formatter

    return formatter("citeproc-py").format(item_of(candidate), style="apa", form="reference").text

"""What BibTeX and BibLaTeX fields mean in CSL: one table for reading and writing.

Carried by BibLaTeX in both directions (see ``tests/property/test_bibliography_round_trip.py``):

- every CSL type, with ``entrysubtype`` where BibLaTeX has no type of its own;
- authors, editors, translators, container authors, and up to three of director, compiler, organizer;
- all fields of ``TEXT`` and ``IDENTIFIERS``, ``number``, ``issue`` and ``collection-number`` by type;
- ``issued``, ``accessed``, ``event-date`` and ``original-date``: years -9998 to 9999, month, season,
  day, ranges, open ranges, circa; a literal date in ``issued`` alone.

Not carried, and therefore warned of on export: other roles, other variables, and what the dates cannot say.
White space is folded, dashes of page ranges become hyphens, a URL's braces and blanks are encoded, and
``nocase`` comes back only where title case would change a letter.
"""

# ruff: noqa: SIM905  (lists of names read better as words)
from __future__ import annotations

from typing import NamedTuple

#: Entry types as read, to CSL. Both flavours.
TO_CSL = {
    "article": "article-journal", "suppperiodical": "article-journal", "periodical": "periodical",
    "book": "book", "mvbook": "book", "collection": "book", "mvcollection": "book", "proceedings": "book",
    "mvproceedings": "book", "reference": "book", "mvreference": "book", "manual": "book",
    "booklet": "pamphlet", "inbook": "chapter", "incollection": "chapter", "bookinbook": "chapter",
    "suppbook": "chapter", "suppcollection": "chapter", "inreference": "entry-encyclopedia",
    "inproceedings": "paper-conference", "conference": "paper-conference", "report": "report",
    "techreport": "report", "thesis": "thesis", "phdthesis": "thesis", "mastersthesis": "thesis",
    "masterthesis": "thesis", "unpublished": "manuscript", "online": "webpage", "electronic": "webpage",
    "www": "webpage", "webpage": "webpage", "misc": "document", "patent": "patent", "dataset": "dataset",
    "data": "dataset", "software": "software", "movie": "motion_picture", "video": "motion_picture",
    "film": "motion_picture", "audio": "song", "music": "song", "artwork": "graphic", "image": "graphic",
    "letter": "personal_communication", "legislation": "legislation", "jurisdiction": "legal_case",
    "legal": "treaty", "standard": "standard", "review": "review", "performance": "performance",
    "preprint": "article",
}  # fmt: skip

#: CSL types to BibLaTeX types; a type that does not come back by itself also gets ``entrysubtype``.
FROM_CSL = {
    "article": "online", "article-journal": "article", "article-magazine": "article",
    "article-newspaper": "article", "review": "review", "review-book": "article", "book": "book",
    "classic": "book", "collection": "collection", "musical_score": "book", "chapter": "incollection",
    "entry": "inreference", "entry-dictionary": "inreference", "entry-encyclopedia": "inreference",
    "paper-conference": "inproceedings", "pamphlet": "booklet", "manuscript": "unpublished",
    "speech": "unpublished", "report": "report", "thesis": "thesis", "webpage": "online", "post": "online",
    "post-weblog": "online", "periodical": "periodical", "patent": "patent", "dataset": "dataset",
    "software": "software", "motion_picture": "movie", "song": "audio", "graphic": "artwork",
    "figure": "image", "personal_communication": "letter", "legislation": "legislation",
    "legal_case": "jurisdiction", "treaty": "legal", "standard": "standard", "performance": "performance",
}  # fmt: skip
#: The usual ``entrysubtype`` values of BibLaTeX styles.
SUBTYPES = {"magazine": "article-magazine", "newspaper": "article-newspaper"}

#: Fields of every type: BibLaTeX name, CSL variable, whether capitals are protected in it.
TEXT: tuple[tuple[str, str, bool], ...] = (
    ("shorttitle", "title-short", True),
    ("origtitle", "original-title", True),
    ("eventtitle", "event-title", True),
    ("venue", "event-place", False),
    ("series", "collection-title", True),
    ("edition", "edition", False),
    ("volume", "volume", False),
    ("volumes", "number-of-volumes", False),
    ("part", "part-number", False),
    ("chapter", "chapter-number", False),
    ("pagetotal", "number-of-pages", False),
    ("version", "version", False),
    ("location", "publisher-place", False),
    ("origpublisher", "original-publisher", False),
    ("origlocation", "original-publisher-place", False),
    ("type", "genre", False),
    ("pubstate", "status", False),
    ("language", "language", False),
    ("library", "call-number", False),
    ("note", "note", False),
    ("annotation", "annote", False),
    ("abstract", "abstract", False),
    ("keywords", "keyword", False),
)
IDENTIFIERS = (
    ("isbn", "ISBN"),
    ("issn", "ISSN"),
    ("doi", "DOI"),
    ("url", "URL"),
    ("pmid", "PMID"),
    ("pmcid", "PMCID"),
)
DATES = (
    ("date", "issued"),
    ("urldate", "accessed"),
    ("eventdate", "event-date"),
    ("origdate", "original-date"),
)
ROLES = (
    ("author", "author"),
    ("editor", "editor"),
    ("translator", "translator"),
    ("bookauthor", "container-author"),
)
#: Roles that are written as ``editora`` with ``editoratype``, and so on.
EDITOR_TYPES = ("director", "compiler", "organizer")

#: Other spellings of fields, from BibTeX and from programs that export it.
ALIASES = {
    "journal": "journaltitle",
    "address": "location",
    "annote": "annotation",
    "annotations": "annotation",
    "keyword": "keywords",
    "shortjournal": "shortjournal",
    "pmc": "pmcid",
    "archiveprefix": "eprinttype",
    "primaryclass": "eprintclass",
    "numpages": "pagetotal",
    "hyphenation": "langid",
    "key": "sortkey",
}

#: Fields of programs and styles that say nothing of the work.
TECHNICAL = frozenset(
    "added-at bdsk-file-1 bdsk-url-1 biburl bibsource cites citeulike-article-id crossref date-added"
    " date-modified entrysubtype execute gender groups ids indexsorttitle indextitle interhash intrahash"
    " keywords-plus label langidopts mendeley-groups mendeley-tags options owner posted-at presort priority"
    " read rating ranking readstatus related relatedoptions relatedstring relatedtype shortauthor shorteditor"
    " shorthand shorthandintro sortkey sortname sortshorthand sorttitle sortyear timestamp unique-id username"
    " urlcode xdata xref eprintclass langid nameaddon userd usera citationcount creationdate"
    " modificationdate __markedentry da oa type-of-work researcherid-numbers orcid-numbers".split()
)

#: Names of languages as babel and polyglossia have them.
LANGUAGES = {
    "english": "en", "american": "en-US", "usenglish": "en-US", "british": "en-GB", "ukenglish": "en-GB",
    "canadian": "en-CA", "australian": "en-AU", "german": "de", "ngerman": "de-DE", "austrian": "de-AT",
    "naustrian": "de-AT", "french": "fr", "francais": "fr", "canadien": "fr-CA", "spanish": "es",
    "italian": "it", "portuguese": "pt", "brazilian": "pt-BR", "brazil": "pt-BR", "dutch": "nl",
    "russian": "ru", "ukrainian": "uk", "polish": "pl", "czech": "cs", "slovak": "sk", "slovene": "sl",
    "slovenian": "sl", "croatian": "hr", "serbian": "sr", "hungarian": "hu", "magyar": "hu",
    "romanian": "ro", "bulgarian": "bg", "greek": "el", "turkish": "tr", "swedish": "sv", "danish": "da",
    "norwegian": "nb", "norsk": "nb", "nynorsk": "nn", "finnish": "fi", "icelandic": "is", "latin": "la",
    "japanese": "ja", "chinese": "zh", "korean": "ko", "arabic": "ar", "hebrew": "he", "catalan": "ca",
}  # fmt: skip

ARTICLES = frozenset(
    "article-journal article-magazine article-newspaper review review-book periodical".split()
)
CONTAINED = frozenset("chapter paper-conference entry entry-dictionary entry-encyclopedia".split())
#: Types whose ``number`` field is the work's own number and not that of its series.
NUMBERED = frozenset(
    "report patent standard manuscript speech document webpage post post-weblog thesis dataset software"
    " legislation legal_case bill regulation hearing treaty article map motion_picture song".split()
)


class Places(NamedTuple):
    """The BibLaTeX fields that hold a CSL variable for entries of one type."""

    container: str
    publisher: str
    number: str
    issue: str
    collection_number: str


def places(kind: str) -> Places:
    """Where a type keeps its container, publisher and numbers; every field is distinct within a type."""
    if kind in ARTICLES:
        return Places("journaltitle", "publisher", "eid", "number", "seriesnumber")
    container = "booktitle" if kind in CONTAINED else "maintitle" if kind == "book" else "journaltitle"
    publisher = {"report": "institution", "thesis": "institution", "webpage": "organization"}.get(
        kind, "publisher"
    )
    if kind in NUMBERED:
        return Places(container, publisher, "number", "issue", "seriesnumber")
    return Places(container, publisher, "eid", "issue", "number")

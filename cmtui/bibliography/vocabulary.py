"""The names of CSL-JSON: item types and variables (CSL 1.0.2 schema, csl-data.json).

Kept as plain data so that validation needs no XML and no citation processor.
"""

# ruff: noqa: SIM905  (lists of names read better as words)
from __future__ import annotations

ITEM_TYPES = frozenset(
    """article article-journal article-magazine article-newspaper bill book broadcast chapter classic
    collection dataset document entry entry-dictionary entry-encyclopedia event figure graphic hearing
    interview legal_case legislation manuscript map motion_picture musical_score pamphlet paper-conference
    patent performance periodical personal_communication post post-weblog regulation report review
    review-book software song speech standard thesis treaty webpage""".split()
)

NAME_VARIABLES = frozenset(
    """author chair collection-editor compiler composer container-author contributor curator director editor
    editor-translator editorial-director executive-producer guest host illustrator interviewer narrator
    organizer original-author performer producer recipient reviewed-author script-writer series-creator
    translator""".split()
)

DATE_VARIABLES = frozenset("accessed available-date event-date issued original-date submitted".split())

#: Variables that hold numbers, or short texts used like numbers.
NUMBER_VARIABLES = frozenset(
    """chapter-number citation-number collection-number edition first-reference-note-number issue locator
    number number-of-pages number-of-volumes page page-first part-number printing-number section
    supplement-number version volume""".split()
)

TEXT_VARIABLES = frozenset(
    """abstract annote archive archive-place archive_collection archive_location authority call-number
    citation-key citation-label collection-title container-title container-title-short dimensions division
    DOI event event-place event-title genre ISBN ISSN jurisdiction keyword language license medium note
    original-publisher original-publisher-place original-title part-title PMCID PMID publisher
    publisher-place references reviewed-genre reviewed-title scale source status title title-short URL
    volume-title volume-title-short year-suffix shortTitle journalAbbreviation""".split()
)

#: Keys that belong to the record and are never printed.
RECORD_KEYS = frozenset("id type categories custom".split())

#: Identifiers and addresses: copied character by character.
VERBATIM_VARIABLES = frozenset("DOI URL ISBN ISSN PMID PMCID".split())

NAME_PARTS = frozenset("family given literal suffix dropping-particle non-dropping-particle".split())
#: Hints for other processors, valid but without effect here.
NAME_HINTS = frozenset("comma-suffix static-ordering parse-names isInstitution".split())

DATE_KEYS = frozenset("date-parts season circa literal raw".split())

LOCATOR_LABELS = frozenset(
    """act appendix article-locator book canon chapter column elocation equation figure folio issue line note
    opus page paragraph part rule scene section sub-verbo supplement table timestamp title-locator verse
    version volume""".split()
)

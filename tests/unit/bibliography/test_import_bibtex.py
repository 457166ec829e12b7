"""BibTeX and BibLaTeX as programs and people write them: the design's traps by name (issue 5, part 6)."""

# ruff: noqa: E501  (a row of a table reads better on one line)

from __future__ import annotations

from typing import Any

import pytest

from cmtui.bibliography.reading.bibtex import read
from cmtui.model.importing import Attachment, ImportedEntry


def one(fields: str, kind: str = "book") -> ImportedEntry:
    [entry] = read(f"@{kind}{{key,\n{fields}\n}}\n").entries
    return entry


def item(fields: str, kind: str = "book") -> dict[str, Any]:
    return one(fields, kind).item


def title(value: str) -> str:
    return item(f"title = {{{value}}}")["title"]


def names(value: str) -> list[dict[str, str]]:
    return item(f"author = {{{value}}}")["author"]


# -- blocks --------------------------------------------------------------------------------------------


def test_broken_and_duplicate_entries_are_reported_by_line_and_the_rest_comes_in() -> None:
    """Where pybtex refuses the whole file, every good entry comes in."""
    text = (
        "Notes of mine, no entry.\n"
        "@book{first, title = {One}}\n"
        "@book{broken, title = {Never closed,\n"
        "  year = 1999\n"
        "@book{third, title = {Three}}\n"
        "@book{first, title = {Again}}\n"
        "@book{FIRST, title = {Again, in capitals}}\n"
        "@book{, title = {No key}}\n"
        "@book{noequals, title}\n"
        "@comment{@book{hidden, title={Not an entry}}}\n"
        '@preamble{"\\newcommand{\\x}{}"}\n'
        "@book{last, title = {Last}}\n"
    )
    made = read(text)
    assert [(entry.key, entry.line) for entry in made.entries] == [("first", 2), ("third", 5), ("last", 12)]
    assert [problem.line for problem in made.problems] == [3, 6, 7, 8, 9]
    messages = " ".join(problem.message for problem in made.problems)
    assert "'broken' is broken" in messages
    assert "'first' is already used in line 2" in messages
    assert "keys differ only in case" in messages  # biber #500
    assert all(problem.message.endswith(".") for problem in made.problems)


def test_an_unclosed_last_entry_does_not_take_the_others_with_it() -> None:
    made = read("@book{a, title={A}}\n@book{b, title={B\n")
    assert [entry.key for entry in made.entries] == ["a"]
    assert [(problem.line, problem.key) for problem in made.problems] == [(2, "b")]


def test_nothing_goes_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    read("@book{a, title={A\n@book{b, title={B}}\n")
    assert capfd.readouterr() == ("", "")


def test_parentheses_quotes_and_numbers_delimit_too() -> None:
    [entry] = read('@book(paren, title = "With {"}quotes{"}", year = 1999, pages = "1--2")\n').entries
    assert entry.item["title"] == 'With "quotes"'
    assert entry.item["issued"] == {"date-parts": [[1999]]}
    assert entry.item["page"] == "1-2"


def test_strings_and_concatenation_are_resolved() -> None:
    """bibtexparser leaves ``jn # { and More}`` raw (its #396), and macro names have no case (#541)."""
    text = (
        '@string{jn = "Journal of"}\n@string(Long = JN # " Long Names")\n'
        '@article{a, title = {T}, journal = LONG # { and More}, month = mar # "~12", year = 20 # 15}\n'
        "@article{b, title = {T}, journal = undefined, month = {March}, year = 2015}\n"
    )
    a, b = read(text).entries
    assert a.item["container-title"] == "Journal of Long Names and More"
    assert a.item["issued"] == {"date-parts": [[2015, 3, 12]]}
    assert b.item["container-title"] == "undefined"
    assert "macro 'undefined' in 'journal' is not defined" in b.warnings[0]


def test_a_field_given_twice_keeps_the_first_and_says_so() -> None:
    entry = one("title = {One},\n title = {Two},\n file = {a.pdf},\n file = {b.pdf}")
    assert entry.item["title"] == "One"
    assert entry.warnings == ("the field 'title' is given again in line 3; the first one holds",)
    assert [attachment.path for attachment in entry.attachments] == ["a.pdf", "b.pdf"]


def test_field_names_and_types_have_no_case_but_keys_do() -> None:
    """bibtexparser #477."""
    [entry] = read("@BOOK{Key:2020, TITLE = {T}, Author = {A, B}}\n").entries
    assert (entry.key, entry.item["type"], entry.item["title"]) == ("Key:2020", "book", "T")
    assert entry.item["id"] == entry.item["citation-key"] == "Key:2020"


def test_unknown_types_and_fields_are_named_never_dropped_in_silence() -> None:
    [entry] = read("@gizmo{g, title={T}, colour={red}, timestamp={2020}, bdsk-file-2={x}}\n").entries
    assert entry.item["type"] == "document"
    assert entry.warnings == (
        "the type '@gizmo' is not known and was read as a document",
        "fields without a place in CSL are left out: colour",
    )


# -- names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("Barnes and Noble", [{"family": "Barnes"}, {"family": "Noble"}]),
        ("{Barnes and Noble}", [{"literal": "Barnes and Noble"}]),
        ("{World Health Organization}", [{"literal": "World Health Organization"}]),
        ("{{R\\&D Group}} and Ada, Mary", [{"literal": "R&D Group"}, {"family": "Ada", "given": "Mary"}]),
        ("King, Jr., Martin Luther", [{"family": "King", "given": "Martin Luther", "suffix": "Jr."}]),
        ("King Jr., Martin Luther", [{"family": "King", "given": "Martin Luther", "suffix": "Jr."}]),
        ("Ludwig van Beethoven", [{"family": "Beethoven", "given": "Ludwig", "non-dropping-particle": "van"}]),
        ("de la Cruz, Juana", [{"family": "Cruz", "given": "Juana", "non-dropping-particle": "de la"}]),
        ("Goethe, J. W. von", [{"family": "Goethe", "given": "J. W.", "dropping-particle": "von"}]),
        ("{\\'E}mile Zola", [{"family": "Zola", "given": "Émile"}]),
        ('M{\\"u}ller, {\\v{Z}}ora', [{"family": "Müller", "given": "Žora"}]),
        ("hooks, bell", [{"family": "hooks", "given": "bell"}]),
        ("{Sand and Stone}, A.", [{"family": "Sand and Stone", "given": "A."}]),
        ("{Smith, Inc.}, A.", [{"family": "Smith, Inc.", "given": "A."}]),
        ("Knuth,~Donald~E.", [{"family": "Knuth", "given": "Donald E."}]),
        ("Ada, Mary\n  AND\n  Bee, C.", [{"family": "Ada", "given": "Mary"}, {"family": "Bee", "given": "C."}]),
        ("Anderson, Andy and Sandy, B", [{"family": "Anderson", "given": "Andy"}, {"family": "Sandy", "given": "B"}]),
        ("Smith,", [{"family": "Smith"}]),
        ("A, B, C, D", [{"family": "A", "suffix": "B", "given": "C, D"}]),
        (
            "family=Müller, given=Jan, prefix=von, useprefix=true",
            [{"family": "Müller", "given": "Jan", "non-dropping-particle": "von"}],
        ),
    ],
)  # fmt: skip
def test_names_are_split_before_latex_is_decoded(written: str, read_as: list[dict[str, str]]) -> None:
    """bibtexparser #441, #475, #479; citation-js #42; jgm/citeproc #140; rstudio #15184."""
    assert names(written) == read_as


def test_and_others_is_no_person() -> None:
    entry = one("author = {Smith, Anna and others}, title={T}")
    assert entry.item["author"] == [{"family": "Smith", "given": "Anna"}]
    assert "names only some of the people" in entry.warnings[0]
    assert names("{others}") == [{"literal": "others"}]


def test_an_organisation_without_braces_is_read_as_bibtex_does_and_doubted() -> None:
    """rstudio #15184: "Council, European Research"."""
    entry = one("author = {European Research Council}, title={T}")
    assert entry.item["author"] == [{"family": "Council", "given": "European Research"}]
    assert "double braces" in entry.warnings[0]


def test_other_roles() -> None:
    made = item(
        "editor={A, B}, translator={C, D}, bookauthor={E, F}, editora={G, H}, editoratype={director}",
        "incollection",
    )
    assert made["editor"] == [{"family": "A", "given": "B"}]
    assert made["translator"] == [{"family": "C", "given": "D"}]
    assert made["container-author"] == [{"family": "E", "given": "F"}]
    assert made["director"] == [{"family": "G", "given": "H"}]


# -- LaTeX ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("R\\&D 50\\% \\$5 \\#1 a\\_b \\{x\\}", "R&D 50% $5 #1 a_b {x}"),
        ("\\textasciitilde{}t \\textasciicircum{}c \\textbackslash{}s", "~t ^c \\s"),
        ("na{\\\"\\i}ve \\'{e}t\\'e {\\o}re \\ss \\L\\'od\\'z", "naïve été øre ßŁódź"),
        ("\\v{Z}i\\v zek, {\\c c}a, \\H{o}, \\k{a}, \\r a, \\c{S}, \\d{h}", "Žižek, ça, ő, ą, å, Ş, ḥ"),
        ('Schr{\\"o}dinger\'s {\\AA}ngstr\\"om', "Schrödinger's Ångström"),
        ("``Quoted'' -- a---b", "“Quoted” – a—b"),
        ("-{}- and `{}`x'{}'", "-- and ``x''"),
        ("\\emph{E. coli} and {\\it Homo} {\\bf B}", "<i>E. coli</i> and <i>Homo</i> <b>B</b>"),
        ("H$_2$O, x$^{2}$, $\\alpha$-helix, $a \\times b$", "H<sub>2</sub>O, x<sup>2</sup>, α-helix, a × b"),
        ("\\textsuperscript{3}He", "<sup>3</sup>He"),
        ("Costs \\$5 and $5", "Costs $5 and $5"),
        ("\\enquote{Inner} title", "“Inner” title"),
        ("Many\n   lines\tand  blanks", "Many lines and blanks"),
        ("The \\LaTeX{} book of \\TeX", "The LaTeX book of TeX"),
        ("村上 Žižek 한글", "村上 Žižek 한글"),
        ("a~b", "a\u00a0b"),
        ("e\u0301", "é"),
    ],
)
def test_latex_is_decoded(written: str, printed: str) -> None:
    assert title(written) == printed


def test_an_unknown_command_stays_and_is_named() -> None:
    entry = one("title = {The \\foo{bar} case}")
    assert entry.item["title"] == "The \\foobar case"
    assert entry.warnings == ("LaTeX in 'title' is kept as it stands: \\foo",)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("The {NASA} and the {iPhone}", "The NASA and the iPhone"),
        ("{D}ata of {DNA}-binding", "Data of DNA-binding"),
        ("{The Whole Title}", "The Whole Title"),
        ("{{Double Braces}}", "Double Braces"),
        ("An {Introduction} to {Bayes}", "An Introduction to Bayes"),
        ("The {de Broglie} wave", 'The <span class="nocase">de Broglie</span> wave'),
        ("{\\'E}cole {\\o}re", "École øre"),
    ],
)
def test_braces_protect_case_only_where_title_case_would_change_it(written: str, kept: str) -> None:
    assert title(written) == kept


def test_titles_keep_their_case_and_get_no_short_title() -> None:
    """pandoc lower-cases titles on import and adds a title-short."""
    made = item("title = {Homo Sapiens and Unicode Žižek}, subtitle = {A Story}", "article")
    assert made["title"] == "Homo Sapiens and Unicode Žižek: A Story"
    assert "title-short" not in made


# -- identifiers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("https://x.org/a_b?x=1&y=50%25", "https://x.org/a_b?x=1&y=50%25"),
        ("https://x.org/a\\_b?x=1\\&y=50\\%25\\#z", "https://x.org/a_b?x=1&y=50%25#z"),
        ("\\url{https://x.org/~me/a_b}", "https://x.org/~me/a_b"),
        ("https://x.org/{\\textasciitilde}me/{\\_}a", "https://x.org/~me/_a"),
        ("https://x.org/\\~{}me", "https://x.org/~me"),
    ],
)
def test_addresses_are_never_decoded_as_latex(written: str, address: str) -> None:
    """papis #738 (a link broken by an escaped underscore); LatexDecodingMiddleware destroys query strings."""
    assert item(f"url = {{{written}}}")["URL"] == address


def test_identifiers() -> None:
    made = item(
        "doi = {https://doi.org/10.1002/(SICI)1097\\_0258(19980815/30)17:15{\\textless}1661::AID{\\textgreater}3.0.CO;2-2},"
        "isbn = {978-3-16-148410-0}, issn={1234-567X}, pmid={12345}, eprint={2001.01234v2}, eprinttype={arxiv}",
        "article",
    )
    assert made["DOI"] == "10.1002/(SICI)1097_0258(19980815/30)17:15<1661::AID>3.0.CO;2-2"
    assert (made["ISBN"], made["ISSN"], made["PMID"]) == ("978-3-16-148410-0", "1234-567X", "12345")
    assert (made["archive"], made["archive_location"]) == ("arXiv", "2001.01234v2")


def test_an_address_in_howpublished_or_note_is_an_address() -> None:
    assert item("howpublished = {\\url{https://x.org/a_b}}, title={T}", "misc")["URL"] == "https://x.org/a_b"
    made = item("note = {Available at: https://x.org/a}, title={T}", "misc")
    assert (made["URL"], "note" in made) == ("https://x.org/a", False)


# -- dates and types -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "issued"),
    [
        ("date = {2020-05-01/2020-06}", {"date-parts": [[2020, 5, 1], [2020, 6]]}),
        ("date = {2020-05/}", {"date-parts": [[2020, 5], [0]]}),
        ("date = {2020-05/..}", {"date-parts": [[2020, 5], [0]]}),
        ("date = {1890~}", {"date-parts": [[1890]], "circa": True}),
        ("date = {2020-22}", {"date-parts": [[2020]], "season": 2}),
        ("date = {-0043}", {"date-parts": [[-44]]}),
        ("date = {2020-05-01T10:00:00Z}", {"date-parts": [[2020, 5, 1]]}),
        ("year = 2015, month = mar", {"date-parts": [[2015, 3]]}),
        ("year = {2015}, month = {3}, day = {12}", {"date-parts": [[2015, 3, 12]]}),
        ("year = {2015}, month = {Spring}", {"date-parts": [[2015]], "season": 1}),
        ("year = {c. 1890}", {"date-parts": [[1890]], "circa": True}),
        ("year = {1990--1995}", {"date-parts": [[1990], [1995]]}),
        ("year = {500 BC}", {"date-parts": [[-500]]}),
        ("year = {in press}", {"literal": "in press"}),
        ("date = {2020}, year = {1999}", {"date-parts": [[2020]]}),
    ],
)
def test_dates(fields: str, issued: dict[str, Any]) -> None:
    assert item(fields)["issued"] == issued


def test_an_impossible_date_is_left_out_and_named() -> None:
    entry = one("date = {2020-02-31}, title = {T}")
    assert "issued" not in entry.item
    assert "day 31 is not in month 2" in entry.warnings[0]


def test_urldate_is_when_it_was_read() -> None:
    assert item("urldate = {2024-01-15}", "online")["accessed"] == {"date-parts": [[2024, 1, 15]]}


@pytest.mark.parametrize(
    ("kind", "more", "csl"),
    [
        ("article", "", "article-journal"),
        ("article", "entrysubtype={magazine}", "article-magazine"),
        ("article", "entrysubtype={newspaper}", "article-newspaper"),
        ("incollection", "", "chapter"),
        ("inbook", "", "chapter"),
        ("conference", "", "paper-conference"),
        ("proceedings", "", "book"),
        ("phdthesis", "", "thesis"),
        ("techreport", "", "report"),
        ("online", "", "webpage"),
        ("dataset", "", "dataset"),
        ("software", "", "software"),
        ("movie", "", "motion_picture"),
        ("unpublished", "", "manuscript"),
        ("misc", "", "document"),
        ("online", "entrysubtype={post-weblog}", "post-weblog"),
    ],
)
def test_types(kind: str, more: str, csl: str) -> None:
    assert item(more or "title={T}", kind)["type"] == csl


def test_fields_of_an_article_and_a_report() -> None:
    made = item(
        "journaltitle={J}, number={3}, eid={e12}, location={Bonn}, langid={ngerman}, issue={Spring}",
        "article",
    )
    assert (made["issue"], made["number"], made["container-title"]) == ("3, Spring", "e12", "J")
    assert (made["publisher-place"], made["language"]) == ("Bonn", "de-DE")
    report = item("institution={NASA}, number={TR-1}, type={Technical note}", "techreport")
    assert (report["publisher"], report["number"], report["genre"]) == ("NASA", "TR-1", "Technical note")
    assert item("school={MIT}", "mastersthesis")["genre"] == "Master's thesis"
    assert item("series={S}, number={7}", "book")["collection-number"] == "7"


# -- inheritance -----------------------------------------------------------------------------------------


def test_crossref_inherits_what_belongs_to_the_child() -> None:
    text = (
        "@inproceedings{child, title={Child}, author={Ada, Mary}, crossref={Parent}}\n"
        "@proceedings{parent, title={Proceedings}, subtitle={Sub}, year=1999, editor={Ed, A}, doi={10.1/whole},\n"
        " publisher={P}, url={https://whole.org}, file={whole.pdf}}\n"
        "@inbook{part, title={Part}, crossref={whole}}\n"
        "@book{whole, title={Whole}, author={Bee, C}, date={2001}}\n"
    )
    child, _, part, _ = read(text).entries
    assert child.item["title"] == "Child"
    assert child.item["container-title"] == "Proceedings: Sub"
    assert child.item["issued"] == {"date-parts": [[1999]]}
    assert child.item["editor"] == [{"family": "Ed", "given": "A"}]
    assert not {"DOI", "URL"} & set(child.item)  # they name the whole
    assert child.attachments == ()
    assert part.item["container-author"] == part.item["author"] == [{"family": "Bee", "given": "C"}]


def test_crossref_to_nothing_or_to_itself_is_named() -> None:
    a, b = read("@inbook{a, title={A}, crossref={none}}\n@inbook{b, title={B}, crossref={b}}\n").entries
    assert "crossref 'none' is not in the file" in a.warnings[0]
    assert "leads back" in b.warnings[0]


def test_xdata_is_shared_and_no_entry() -> None:
    [entry] = read("@xdata{x, publisher={P}, location={L}}\n@book{a, title={A}, xdata={x}}\n").entries
    assert (entry.item["publisher"], entry.item["publisher-place"]) == ("P", "L")


# -- attachments -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "attachments"),
    [
        (
            "Full Text PDF:/home/u/Zotero/storage/AB/x.pdf:application/pdf;Snapshot:/home/u/y.html:text/html",
            [
                Attachment("/home/u/Zotero/storage/AB/x.pdf", "Full Text PDF", "application/pdf"),
                Attachment("/home/u/y.html", "Snapshot", "text/html"),
            ],
        ),
        (
            "PDF:D\\:\\\\Papers\\\\a b.pdf:application/pdf",
            [Attachment("D:\\Papers\\a b.pdf", "PDF", "application/pdf")],
        ),
        ("PDF:files/1/a\\;b\\:c.pdf:application/pdf", [Attachment("files/1/a;b:c.pdf", "PDF", "application/pdf")]),
        (":C$\\backslash$:/Users/me/x.pdf:pdf", [Attachment("C:/Users/me/x.pdf", "", "pdf")]),
        (":a.pdf:PDF", [Attachment("a.pdf", "", "PDF")]),
        (":a.pdf:PDF, :b.epub:EPUB", [Attachment("a.pdf", "", "PDF"), Attachment("b.epub", "", "EPUB")]),
        ("/x/a.pdf;/x/b.pdf", [Attachment("/x/a.pdf"), Attachment("/x/b.pdf")]),
        ("C:\\Users\\new\\x.pdf", [Attachment("C:\\Users\\new\\x.pdf")]),
        ("file:///home/u/a%20b.pdf", [Attachment("/home/u/a b.pdf")]),
        ("T:C:/x/a.pdf:application/pdf", [Attachment("C:/x/a.pdf", "T", "application/pdf")]),
        ("D\\:\\\\", [Attachment("D:\\")]),
        ("a{\\_}b.pdf", [Attachment("a_b.pdf")]),
    ],
)  # fmt: skip
def test_attachments(written: str, attachments: list[Attachment]) -> None:
    """zotero #1497 (several files), Zettelkasten #387 (``D\\:\\\\``)."""
    assert list(one(f"title = {{T}}, file = {{{written}}}").attachments) == attachments


@pytest.mark.parametrize(
    "value",
    [
        "{" * 5000 + "x" + "}" * 5000,
        "\\'" * 5000,
        "\\emph{" * 500 + "x" + "}" * 500,
        "$a_" * 5000,
        "\\" * 999,
    ],
)
def test_a_hostile_value_is_text_and_costs_little(value: str) -> None:
    made = read(f"@book{{a, title = {{{value} }}, author = {{{value} }}}}\n@book{{b, title={{B}}}}\n")
    assert len(made.entries) + len(made.problems) >= 1

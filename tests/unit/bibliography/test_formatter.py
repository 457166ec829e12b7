"""The citation formatter: forms, locators, numbering, disambiguation, outputs (R104 to R110)."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cmtui.bibliography import styles
from cmtui.bibliography.service import Formatter, format_items
from cmtui.errors import InvalidMetadata, InvalidRequest, UnknownStyle, UnsupportedForm
from cmtui.ports import CitationFormatter

CSL = "xmlns='http://purl.org/net/xbiblio/csl'"
STYLES = tuple(styles.SHIPPED)
KUHN = {
    "id": "Kuhn",
    "type": "book",
    "title": "The structure of scientific revolutions",
    "author": [{"family": "Kuhn", "given": "Thomas S."}],
    "publisher": "University of Chicago Press",
    "issued": {"date-parts": [[1962]]},
}
ADAMS = [
    {
        "id": f"y{n}",
        "type": "book",
        "title": title,
        "author": [{"family": "Adams", "given": "Alice"}],
        "issued": {"date-parts": [[2010]]},
    }
    for n, title in enumerate(["Second thing", "First thing"], 1)
]


@pytest.fixture(scope="module")
def formatter() -> Formatter:
    return Formatter()


def test_formatter_is_the_port() -> None:
    port: CitationFormatter = Formatter()
    assert port.format(KUHN, style="apa").style == "apa"


def test_a_citation_says_what_made_it(formatter: Formatter) -> None:
    made = formatter.format(KUHN, style="apa", form="inline", locator="42")
    assert made.text == "(Kuhn, 1962, p. 42)"
    assert made.engine.startswith("citeproc-py 0.11")
    assert made.style_sha256 == styles.style_file("apa").sha256
    assert (made.form, made.output) == ("inline", "plain")
    assert formatter.format(KUHN, style="bibtex").style_sha256 == ""


@pytest.mark.parametrize("style", STYLES)
def test_no_page_is_printed_that_was_not_given_R108_R109(formatter: Formatter, style: str) -> None:
    article = {
        "type": "article-journal",
        "title": "T",
        "author": [{"family": "A", "given": "B"}],
        "container-title": "J",
        "volume": "8",
        "issued": {"date-parts": [[2001]]},
    }
    for form in formatter.forms(style):
        text = formatter.format(article, style=style, form=form).text
        assert "p." not in text
        assert ":" not in text
        assert "n.p" not in text


@pytest.mark.parametrize("style", STYLES)
def test_a_locator_does_not_change_the_reference_R108(formatter: Formatter, style: str) -> None:
    assert formatter.format(KUHN, style=style, locator="42") == formatter.format(KUHN, style=style)


@pytest.mark.parametrize(
    ("style", "label", "locator", "expected"),
    [
        ("mla", "page", "42", "(Kuhn 42)"),
        ("mla", "paragraph", "4", "(Kuhn, par. 4)"),
        ("apa", "page", "42-45", "(Kuhn, 1962, pp. 42–45)"),
        ("apa", "page", "xii–xv", "(Kuhn, 1962, pp. xii–xv)"),
        ("apa", "page", "3, 7", "(Kuhn, 1962, pp. 3, 7)"),
        ("apa", "chapter", "3", "(Kuhn, 1962, Chapter 3)"),
        ("apa", "paragraph", "4", "(Kuhn, 1962, para. 4)"),
        ("apa", "para.", "4", "(Kuhn, 1962, para. 4)"),
        ("chicago", "page", "142-145", "(Kuhn 1962, 142–45)"),
        ("ieee", "section", "3", "[1, Sec. 3]"),
    ],
)
def test_locators(formatter: Formatter, style: str, label: str, locator: str, expected: str) -> None:
    made = formatter.format(KUHN, style=style, form="inline", locator=locator, locator_label=label)
    assert made.text == expected


def test_an_unknown_locator_label_is_refused(formatter: Formatter) -> None:
    with pytest.raises(InvalidRequest):
        formatter.format(KUHN, style="apa", form="inline", locator="4", locator_label="pagina")


@pytest.mark.parametrize(
    ("style", "form"),
    [(s, "footnote") for s in ("mla", "apa", "chicago", "ieee", "bibtex")]
    + [("bibtex", "inline"), ("mla", "poem")],
)
def test_unsupported_forms_say_which_exist_R107(formatter: Formatter, style: str, form: str) -> None:
    with pytest.raises(UnsupportedForm) as caught:
        formatter.format(KUHN, style=style, form=form)
    assert "reference" in caught.value.hint


def test_reference_form_exists_in_every_style_R107(formatter: Formatter) -> None:
    for style in styles.NAMES:
        assert "Kuhn" in formatter.format(KUHN, style=style).text
    assert formatter.forms("chicago-notes") == ("reference", "inline", "footnote")
    assert formatter.forms("bibtex") == ("reference",)


def test_unknown_style_names_the_nearest(formatter: Formatter) -> None:
    with pytest.raises(UnknownStyle) as caught:
        formatter.format(KUHN, style="chicagoo")
    assert "'chicago'" in caught.value.hint
    with pytest.raises(UnknownStyle):
        formatter.format(KUHN, style="missing/file.csl")


def test_official_style_ids_are_read(formatter: Formatter) -> None:
    assert formatter.format(KUHN, style="modern-language-association").style == "mla"
    assert formatter.format(KUHN, style="APA").style == "apa"


def test_invalid_metadata_is_refused_with_the_field(formatter: Formatter) -> None:
    for item in ({"title": "x"}, {"type": "book", "author": "Kuhn"}, ["x"]):
        with pytest.raises(InvalidMetadata):
            formatter.format(item, style="apa")  # type: ignore[arg-type]


def test_fields_that_csl_lacks_are_reported_and_not_printed(formatter: Formatter) -> None:
    made = formatter.format({**KUHN, "shelf": "B4"}, style="mla")
    assert any("shelf" in warning for warning in made.warnings)
    assert "B4" not in made.text


def test_ids_that_differ_in_case_are_two_works() -> None:
    """citeproc-py lower-cases ids; ours must not let two works collide."""
    other = {**KUHN, "id": "kuhn", "title": "Black-body theory"}
    made = format_items([KUHN, other], style="mla")
    assert {key for key, _ in made.entries} == {"Kuhn", "kuhn"}
    assert len({text for _, text in made.entries}) == 2


def test_an_id_used_twice_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        format_items([KUHN, KUHN], style="apa")


def test_numbers_follow_the_order_of_items() -> None:
    items = [{**KUHN, "id": f"i{n}", "title": f"Work {9 - n}"} for n in range(3)]
    entries = format_items(items, style="ieee").entries
    assert [(key, text[:3]) for key, text in entries] == [("i0", "[1]"), ("i1", "[2]"), ("i2", "[3]")]
    clusters = [[{"id": "i2", "locator": "7"}, {"id": "i0"}]]
    assert format_items(items, style="ieee", form="inline", cites=clusters).citations == ("[3, p. 7], [1]",)


def test_same_author_and_year_are_told_apart_in_a_bibliography_R110() -> None:
    made = format_items(ADAMS, style="apa")
    assert [key for key, _ in made.entries] == ["y2", "y1"]
    assert [text[:21] for _, text in made.entries] == [
        "Adams, A. (2010a). Fi"[:21],
        "Adams, A. (2010b). Se"[:21],
    ]
    both = [[{"id": "y1"}, {"id": "y2"}]]
    assert format_items(ADAMS, style="apa", form="inline", cites=both).citations == ("(Adams, 2010a, 2010b)",)
    assert format_items(ADAMS, style="mla", form="inline").citations == (
        "(Adams, Second Thing)",
        "(Adams, First Thing)",
    )
    assert "———. Second Thing" in format_items(ADAMS, style="mla").entries[1][1]


def test_one_item_alone_gets_no_suffix_R110(formatter: Formatter) -> None:
    assert formatter.format(ADAMS[0], style="apa", form="inline").text == "(Adams, 2010)"


def test_a_work_cited_again_is_shortened_in_notes() -> None:
    cites = [[{"id": "Kuhn", "locator": "3"}], [{"id": "Kuhn", "locator": "99"}]]
    first, second = format_items([KUHN], style="chicago-notes", form="footnote", cites=cites).citations
    assert first == (
        "Thomas S. Kuhn, The Structure of Scientific Revolutions (University of Chicago Press, 1962), 3."
    )
    assert second == "Kuhn, The Structure of Scientific Revolutions, 99."


def test_prefix_suffix_and_left_out_author() -> None:
    cites = [
        [{"id": "Kuhn", "prefix": "see", "locator": 4, "suffix": ", emphasis added"}],
        [{"id": "Kuhn", "suppress-author": True}],
    ]
    assert format_items([KUHN], style="apa", form="inline", cites=cites).citations == (
        "(see Kuhn, 1962, p. 4, emphasis added)",
        "(1962)",
    )
    alone = [[{"id": "Kuhn", "suppress-author": True}]]
    assert format_items([KUHN], style="mla", form="inline", cites=alone).citations == ("",)


def test_citing_what_is_not_there_is_refused() -> None:
    for clusters in ([[{"id": "nobody"}]], [[]]):
        with pytest.raises(InvalidRequest):
            format_items([KUHN], style="apa", form="inline", cites=clusters)


def test_outputs(formatter: Formatter) -> None:
    item = {**KUHN, "title": "On <i>Homo</i> & *stars* [red]x[/red] {b}"}

    def text(output: str) -> str:
        return formatter.format(item, style="apa", output=output).text

    assert "On Homo & *stars* [red]x[/red] {b}." in text("plain")
    assert "(1962). <i>On </i>Homo<i> &amp; *stars* [red]x[/red] {b}</i>. University" in text("html")
    assert "*On* Homo *&" in text("markdown")
    assert r"\*stars\* \[red\]x\[/red\]" in text("markdown")
    assert text("rtf").startswith(r"{\rtf1")
    assert r"\{b\}" in text("rtf")
    with pytest.raises(InvalidRequest):
        text("docx")


def test_user_data_cannot_forge_formatting(formatter: Formatter) -> None:
    forged = {**KUHN, "title": "A \ue100forged\ue101 title"}
    assert formatter.format(forged, style="ieee", output="html").text.count("<i>") == 1


def test_addresses_are_copied_character_by_character(formatter: Formatter) -> None:
    url = "https://example.org/a_b?x=1,,y..&z='q'"
    item = {"type": "webpage", "title": "T", "URL": url, "issued": "2020"}
    for style in STYLES:
        assert url in formatter.format(item, style=style).text


def test_null_and_empty_fields_are_as_if_absent(formatter: Formatter) -> None:
    """design citations.md 3f: each of these crashed or printed None in the bare processor."""
    noisy = {**KUHN, "page": None, "language": None, "editor": [], "note": "  ", "accessed": {}, "DOI": ""}
    for style in STYLES:
        assert formatter.format(noisy, style=style).text == formatter.format(KUHN, style=style).text


def test_results_are_cached_and_follow_the_item(formatter: Formatter) -> None:
    once = formatter.format(KUHN, style="mla")
    assert formatter.format(dict(KUHN), style="mla") is once
    assert formatter.format({**KUHN, "title": "Other"}, style="mla").text != once.text


def test_threads_do_not_disturb_each_other(formatter: Formatter) -> None:
    items = [{**KUHN, "title": f"Work {n}"} for n in range(24)]
    alone = [Formatter().format(item, style="chicago").text for item in items]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda item: formatter.format(item, style="chicago").text, items)) == alone


def test_a_style_by_path(formatter: Formatter, tmp_path: Path) -> None:
    path = tmp_path / "mine.csl"
    path.write_text((styles.styles_dir() / "apa.csl").read_text("utf-8").replace("n.d.", "undated"), "utf-8")
    made = formatter.format({"type": "book", "title": "T"}, style=str(path))
    assert made.text == "T. (undated)."
    assert made.style == str(path)


@pytest.mark.parametrize(
    "content",
    [
        "not xml",
        "<style/>",
        f"<style {CSL}><citation><layout><text macro='none'/></layout></citation></style>",
        f"<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><style {CSL}>&a;</style>",
    ],
)
def test_a_broken_style_is_an_error_that_says_so(formatter: Formatter, tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken.csl"
    path.write_text(content, "utf-8")
    with pytest.raises(UnknownStyle) as caught:
        formatter.format(KUHN, style=str(path), form="inline")
    assert caught.value.hint


def test_the_formatter_loads_its_processor_on_first_use() -> None:
    code = (
        "import sys, cmtui.bibliography.service, cmtui.bibliography.metadata;"
        "print([m for m in ('citeproc', 'lxml') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_shipped_styles_are_small_and_our_own() -> None:
    for name in STYLES:
        text = styles.style_file(name).content.decode("utf-8")
        assert text.count("\n") < 600
        assert "zotero.org/styles" not in text
        assert "creativecommons" not in text

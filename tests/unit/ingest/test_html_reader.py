"""The profile ``html-text``: what a person reads on a web page, from the same bytes (D3)."""

from __future__ import annotations

import pytest

from cmtui.errors import EncodingUnknown, IngestError, NoText, NotThisFormat
from cmtui.ingest.kinds import is_html
from cmtui.ingest.readers.html import HtmlReader
from cmtui.model.ingest import ReadDocument
from cmtui.model.source import MetadataCandidate, PassageRole

PAGE = """<!DOCTYPE html>
<html lang="en-GB"><head>
<meta charset="utf-8"><title> The Lamp
 of Ardle </title>
<meta name="citation_author" content="Murray, A."><meta property="og:site_name" content="Harbour News">
<style>p { color: red }</style><script>document.write("<p>never")</script></head>
<body><nav><ul><li><a href="/">Home</a></li></ul></nav>
<h1>The Lamp</h1>
<p>The un<em>known</em> keeper&rsquo;s lamp,<br>lit in 1893.</p>
<h2>Oil &amp; wick</h2><div><p>First.</p><p>Second.</p></div>
<!-- a note --><table><tr><th>Year</th><td>1893</td></tr></table>
<pre>  kept
    as is</pre><noscript>no script</noscript>
</body></html>"""


def read(page: str | bytes, **options: str) -> ReadDocument:
    content = page.encode("utf-8") if isinstance(page, str) else page
    return HtmlReader().read(content, name="page.html", **options)


def test_the_text_is_what_is_read_on_the_page() -> None:
    assert read(PAGE).text == (
        "Home\n\nThe Lamp\n\nThe unknown keeper’s lamp,\nlit in 1893.\n\nOil & wick\n\nFirst.\n\nSecond."
        "\n\nYear\t1893\n\n  kept\n    as is"
    )


def test_the_profile_names_its_steps() -> None:
    profile = read(PAGE).profile
    assert profile.label == "html-text/1"
    assert [step.name for step in profile.steps] == [
        "decode:utf-8",
        "html-text",
        "repair-surrogates",
        "newlines",
        "strip-controls",
        "join",
    ]


def test_headings_are_sections_and_paragraphs_are_counted_but_there_are_no_pages() -> None:
    """R8: chapter and section where stated; no page is invented."""
    page = read(PAGE)
    assert [mark.path for mark in page.tables.sections] == [("The Lamp",), ("The Lamp", "Oil & wick")]
    marks = {page.text[mark.start : mark.end]: mark.number for mark in page.tables.paragraphs}
    assert marks["First."] + 1 == marks["Second."]
    assert page.tables.pages == ()
    assert page.tables.page_basis is None
    roles = {page.text[block.start : block.end]: block.role for block in page.blocks}
    assert roles["The Lamp"] is PassageRole.HEADING
    assert roles["Year\t1893"] is PassageRole.TABLE


def test_what_the_head_states_is_offered_with_its_origin() -> None:
    """R102: offered, never written unasked."""
    page = read(PAGE)
    assert page.candidates == (
        MetadataCandidate("title", "The Lamp of Ardle", "HTML title"),
        MetadataCandidate("author", "Murray, A.", "HTML meta citation_author"),
        MetadataCandidate("container-title", "Harbour News", "HTML meta og:site_name"),
    )
    assert page.language == "en-GB"


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("<p>café</p>".encode(), {}),
        ('<meta charset="iso-8859-1"><p>café</p>'.encode("latin-1"), {}),
        (b'<meta http-equiv=x content="text/html; charset=windows-1252"><p>caf\xe9</p>', {}),
        ("<p>café</p>".encode("utf-16"), {}),
        ("<p>café</p>".encode("latin-1"), {"encoding": "latin-1"}),
    ],
)
def test_the_encoding_is_stated_and_never_guessed(content: bytes, options: dict[str, str]) -> None:
    assert read(content, **options).text == "café"


def test_an_unstated_encoding_is_an_error() -> None:
    with pytest.raises(EncodingUnknown):
        read("<p>café</p>".encode("latin-1"))
    with pytest.raises(EncodingUnknown):
        read(b"<meta charset=klingon><p>x</p>")


@pytest.mark.parametrize(
    ("page", "error"),
    [
        ("just words, a < b", NotThisFormat),
        ("<html><head><title>t</title></head><body><script>render()</script></body></html>", NoText),
        ("<p> &nbsp; </p>", NoText),
    ],
)
def test_pages_without_text_are_refused(page: str, error: type[IngestError]) -> None:
    with pytest.raises(error) as raised:
        read(page)
    assert "page.html" in raised.value.message
    assert raised.value.hint


def test_hostile_markup_is_bounded() -> None:
    """Depth, entities and unclosed tags end in text or in an error, at once."""
    for page in (
        "<div>" * 100_000 + "deep" + "</div>" * 100_000,
        '<!DOCTYPE html [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><p>&b; words</p>',
        "<p>" * 100_000 + "open",
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><html><p>&e; words</p></html>',
    ):
        try:
            assert "root:" not in read(page).text
        except IngestError as error:
            assert error.hint  # noqa: PT017


def test_a_web_page_is_known_by_its_suffix_or_its_beginning() -> None:
    assert is_html("a.HTM", b"words")
    assert is_html("a.txt", b"\xef\xbb\xbf\n<!DOCTYPE html><p>")
    assert is_html("a.txt", b"<?xml version='1.0'?><html xmlns='x'>")
    assert not is_html("a.txt", b"a < b")

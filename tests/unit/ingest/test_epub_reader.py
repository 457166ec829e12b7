"""EPUB: spine order, exact text rules, stated pages and titles, no text lost in silence (D12)."""

from __future__ import annotations

import pytest

from cmtui.errors import (
    Cancelled,
    DrmProtected,
    Malformed,
    MissingContent,
    NoText,
    NotThisFormat,
    ResourceLimit,
)
from cmtui.ingest.limits import ReadLimits
from cmtui.ingest.readers.epub import EpubReader
from cmtui.model.ingest import ReadDocument
from support.epub_fixtures import encryption, make_epub, make_zip, page


def read(content: bytes, **options: object) -> ReadDocument:
    return EpubReader().read(content, name="book.epub", **options)  # type: ignore[arg-type]


def read_body(body: str, **options: str) -> ReadDocument:
    return read(make_epub({"c.xhtml": page(body, **options)}))


def codes(document: ReadDocument) -> list[str]:
    return [warning.code for warning in document.warnings]


# -- text --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>un<em>known</em> thing</p>", "unknown thing"),
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("<p>one<br/>two<br/>\n  three</p>", "one\ntwo\nthree"),
        ("<div>one<p>two</p>three</div>", "one\n\ntwo\n\nthree"),
        ("<p>\n  a  <b> b\n</b>  c </p>", "a b c"),
        ("<ul><li>a</li><li><p>b</p></li></ul>", "a\n\nb"),
        ("<ol><li>a</li><li>b</li></ol>", "a\nb"),
        ("<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "1\t2\n3"),
        ("<pre>\n a\n  b </pre>", " a\n  b"),
        ("<p>a<script>x()</script>b<style>c</style><svg><text>d</text></svg></p>", "ab"),
        ("<p>a<!-- no -->b<?no pi?>c</p>", "abc"),
        ("<p hidden=''>a</p><p>b</p>", "b"),
        ("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字</p>", "漢字"),
        ("<p>Caf&eacute;&nbsp;noir &mdash; A&amp;B &lt;</p>", "Café\u00a0noir — A&B <"),
        ("<p>soft\u00adhyphen \ufb01 e\u0301 \u2028 x</p>", "soft\u00adhyphen \ufb01 e\u0301 \u2028 x"),
    ],
)
def test_text_rules(body: str, text: str) -> None:
    assert read_body(body).text == text


def test_blocks_have_roles_and_slice_back() -> None:
    document = read_body(
        "<h1>Title</h1><p>Prose.</p><ul><li>item</li></ul><table><tr><td>cell</td></tr></table>"
        "<pre>code</pre><aside epub:type='footnote'><p>note</p></aside>"
        "<h2>Bibliography</h2><p>Smith 2001</p><h2>After</h2><p>Prose again.</p>"
        "<section role='doc-bibliography'><p>Jones 2002</p></section>"
    )
    found = [(str(block.role), document.text[block.start : block.end]) for block in document.blocks]
    assert found == [
        ("heading", "Title"),
        ("body", "Prose."),
        ("list", "item"),
        ("table", "cell"),
        ("code", "code"),
        ("footnote", "note"),
        ("heading", "Bibliography"),
        ("reference", "Smith 2001"),
        ("heading", "After"),
        ("body", "Prose again."),
        ("reference", "Jones 2002"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        page("<p>caf\u00e9</p>").replace("UTF-8", "UTF-16").encode("utf-16"),
        page("<p>caf\u00e9</p>").replace("UTF-8", "ISO-8859-1").encode("latin-1"),
        page("<p>caf\u00e9</p>").replace("UTF-8", "windows-1252").encode("cp1252"),
        b"\xef\xbb\xbf" + page("<p>caf\u00e9</p>").encode(),
        page("<p>caf\u00e9</p>").replace(' encoding="UTF-8"', "").encode(),
    ],
)
def test_the_stated_encoding_is_read(content: bytes) -> None:
    """design/ingest.md 2.1: UTF-16 and Latin-1 chapters lose no character."""
    assert read(make_epub({"c.xhtml": content})).text == "caf\u00e9"


def test_wrongly_stated_encoding_is_an_error_and_no_guess() -> None:
    with pytest.raises(Malformed, match="encoding"):
        read(make_epub({"c.xhtml": page("<p>caf\u00e9</p>").encode("latin-1")}))


def test_markup_that_is_no_xml_is_read_as_html_with_a_warning() -> None:
    document = read(make_epub({"c.xhtml": b"<html><body><p>one<br>two<p>A & B</body></html>"}))
    assert document.text == "one\ntwo\n\nA & B"
    assert codes(document) == ["not-well-formed"]


# -- structure ---------------------------------------------------------------------------------------


def test_spine_order_not_manifest_order() -> None:
    chapters = {
        "a.xhtml": page("<p>third</p>"),
        "b.xhtml": page("<p>first</p>"),
        "c.xhtml": page("<p>second</p>"),
    }
    document = read(make_epub(chapters, spine=["b.xhtml", "c.xhtml", "a.xhtml"]))
    assert document.text == "first\fsecond\fthird"
    marks = document.tables.chapters
    assert [(mark.spine, mark.href) for mark in marks] == [
        (1, "OPS/b.xhtml"),
        (2, "OPS/c.xhtml"),
        (3, "OPS/a.xhtml"),
    ]
    assert [document.text[mark.start : mark.end] for mark in marks] == ["first", "second", "third"]


NAV = "<nav epub:type='toc'><ol><li><a href='c.xhtml'>Chapter <b>One</b></a></li></ol></nav>"


def test_the_navigation_document_is_no_content() -> None:
    document = read(make_epub({"c.xhtml": page("<p>text</p>")}, nav=NAV, nav_in_spine=True))
    assert document.text == "text"
    assert [(mark.spine, mark.title) for mark in document.tables.chapters] == [(1, "Chapter One")]


def test_titles_come_from_nav_then_ncx_then_headings_then_nowhere() -> None:
    label = "<navLabel><text>NCX One</text></navLabel>"
    ncx = f"<navMap><navPoint>{label}<content src='a.xhtml'/></navPoint></navMap>"
    chapters = {
        "a.xhtml": page("<h1>Heading A</h1><p>x</p>"),
        "b.xhtml": page("<h1>Heading B</h1><p>y</p>"),
        "c.xhtml": page("<p>z</p>"),
    }
    document = read(make_epub(chapters, ncx=ncx))
    assert [mark.title for mark in document.tables.chapters] == ["NCX One", "Heading B", None]


def test_contents_that_point_into_one_part_name_its_sections() -> None:
    nav = (
        "<nav epub:type='toc'><ol><li><a href='c.xhtml#one'>One</a></li>"
        "<li><a href='c.xhtml#two'>Two</a></li></ol></nav>"
    )
    body = "<p>before</p><p id='one'>first</p><p>more</p><p id='two'>second</p>"
    document = read(make_epub({"c.xhtml": page(body)}, nav=nav))
    assert document.tables.chapters[0].title is None
    assert [(s.path, document.text[s.start : s.end].strip()) for s in document.tables.sections] == [
        (("One",), "first\n\nmore"),
        (("Two",), "second"),
    ]


def test_headings_make_section_paths_that_end_with_their_chapter() -> None:
    chapters = {
        "a.xhtml": page("<h1>A</h1><p>x</p><h2>A one</h2><p>y</p>"),
        "b.xhtml": page("<p>no heading</p>"),
    }
    document = read(make_epub(chapters))
    assert [section.path for section in document.tables.sections] == [("A",), ("A", "A one")]
    assert document.tables.sections[-1].end == document.tables.chapters[0].end


def test_paragraphs_are_numbered_within_their_chapter() -> None:
    chapters = {"a.xhtml": page("<h1>A</h1><p>x</p><p>y</p>"), "b.xhtml": page("<p>z</p>")}
    document = read(make_epub(chapters))
    assert [(document.text[m.start : m.end], m.number) for m in document.tables.paragraphs] == [
        ("x", 1),
        ("y", 2),
        ("z", 1),
    ]


def test_parts_outside_the_linear_order_are_flagged() -> None:
    chapters = {"a.xhtml": page("<p>x</p>"), "n.xhtml": page("<p>aside</p>")}
    marks = read(make_epub(chapters, not_linear=["n.xhtml"])).tables.chapters
    assert [mark.linear for mark in marks] == [True, False]


# -- print pages -------------------------------------------------------------------------------------

BREAKS = "<p>one <span epub:type='pagebreak' id='p8' title='8'>8</span>two</p><p id='p9'>three</p>"


def test_page_breaks_are_marks_at_the_text_that_follows_and_no_text() -> None:
    document = read_body(BREAKS)
    assert document.text == "one two\n\nthree"
    assert [(m.label, document.text[m.offset :][:3]) for m in document.tables.print_pages] == [("8", "two")]


def test_page_list_targets_are_resolved_to_the_offsets_of_their_ids() -> None:
    """design/ingest.md 2.1: page lists may name ids that are no page breaks."""
    nav = (
        "<nav epub:type='page-list'><ol><li><a href='c.xhtml'>vii</a></li><li><a href='c.xhtml#p8'>8</a></li>"
        "<li><a href='c.xhtml#p9'>9</a></li><li><a href='c.xhtml#gone'>10</a></li></ol></nav>"
    )
    document = read(make_epub({"c.xhtml": page(BREAKS)}, nav=nav))
    found = [(m.label, document.text[m.offset :][:3]) for m in document.tables.print_pages]
    assert found == [("vii", "one"), ("8", "two"), ("9", "thr")]
    assert "page-list" in codes(document)


def test_ncx_page_list() -> None:
    ncx = (
        "<navMap/><pageList><pageTarget value='12'><navLabel><text>12</text></navLabel>"
        "<content src='c.xhtml#p9'/></pageTarget></pageList>"
    )
    document = read(make_epub({"c.xhtml": page("<p>one</p><p id='p9'>two</p>")}, ncx=ncx))
    assert [(m.label, document.text[m.offset :]) for m in document.tables.print_pages] == [("12", "two")]


# -- metadata ----------------------------------------------------------------------------------------


def test_metadata_are_candidates_in_the_order_of_the_package() -> None:
    metadata = (
        "<dc:title>First</dc:title><dc:title>Second</dc:title><dc:creator>Ann</dc:creator>"
        "<dc:creator id='e'>Ed</dc:creator><meta refines='#e' property='role'>edt</meta>"
        "<dc:identifier>urn:isbn:9780306406157</dc:identifier><dc:language>fr</dc:language>"
    )
    document = read(make_epub({"c.xhtml": page("<p>x</p>")}, metadata=metadata))
    assert [(c.field, c.value) for c in document.candidates] == [
        ("title", "First"),
        ("title", "Second"),
        ("author", "Ann"),
        ("editor", "Ed"),
        ("isbn", "urn:isbn:9780306406157"),
        ("language", "fr"),
    ]
    assert document.language == "fr"


# -- odd and hostile ---------------------------------------------------------------------------------


def test_missing_resources_do_not_matter_but_missing_text_does() -> None:
    chapters = {"c.xhtml": page("<p>text<img src='gone.jpg'/></p>")}
    extra = '<item id="i" href="gone.jpg" media-type="image/jpeg"/><item id="r" href="http://x.org/a.js"/>'
    assert read(make_epub(chapters, manifest_extra=extra)).text == "text"
    with pytest.raises(MissingContent, match=r"OPS/c\.xhtml"):
        read(make_epub(chapters, leave_out=["c.xhtml"]))


def test_unknown_spine_items_and_a_missing_mimetype_are_warnings() -> None:
    document = read(make_epub({"c.xhtml": page("<p>text</p>")}, spine=["c.xhtml", "nothing"], mimetype=False))
    assert set(codes(document)) == {"spine", "no-mimetype"}


@pytest.mark.parametrize("href", ["../../etc/passwd", "/../x.xhtml", "..%2f..%2fx.xhtml", "..\\..\\x.xhtml"])
def test_a_text_part_outside_the_archive_is_refused(href: str) -> None:
    extra = f'<item id="t" href="{href}" media-type="application/xhtml+xml"/>'
    with pytest.raises((Malformed, MissingContent)):
        read(make_epub({"c.xhtml": page("<p>x</p>")}, spine=["c.xhtml", "t"], manifest_extra=extra))


def test_odd_hrefs_are_resolved() -> None:
    extra = '<item id="t" href="sub\\na%20me.xhtml" media-type="application/xhtml+xml"/>'
    content = make_epub(
        {"c.xhtml": page("<p>x</p>")},
        spine=["t"],
        manifest_extra=extra,
        extra={"OPS/sub/na me.xhtml": page("<p>found</p>").encode()},
    )
    assert read(content).text == "found"


def test_encrypted_text_is_drm_and_obfuscated_fonts_are_not() -> None:
    chapters = {"c.xhtml": page("<p>text</p>")}
    aes = encryption("OPS/c.xhtml", "http://www.w3.org/2001/04/xmlenc#aes128-cbc")
    with pytest.raises(DrmProtected):
        read(make_epub(chapters, extra={"META-INF/encryption.xml": aes}))
    font = encryption("OPS/f.otf", "http://www.idpf.org/2008/embedding")
    assert read(make_epub(chapters, extra={"META-INF/encryption.xml": font})).text == "text"


def test_no_text_and_no_text_parts() -> None:
    with pytest.raises(NoText):
        read_body("<p> </p><img src='x.png'/>")
    with pytest.raises(NoText):
        read(
            make_epub(
                {"c.xhtml": page("<p>x</p>")},
                spine=["i"],
                manifest_extra='<item id="i" href="i.svg" media-type="image/svg+xml"/>',
            )
        )


def test_a_zip_that_is_no_epub() -> None:
    with pytest.raises(NotThisFormat, match=r"container\.xml"):
        read(make_zip({"readme.txt": b"hello"}, mimetype=False))
    with pytest.raises(NotThisFormat):
        read(b"PK\x03\x04" + b"\0" * 100)


def test_bombs_are_refused_from_the_directory() -> None:
    big = {"OPS/big.xhtml": b" " * (3 * 1024 * 1024)}
    extra = '<item id="b" href="big.xhtml" media-type="application/xhtml+xml"/>'
    with pytest.raises(ResourceLimit, match=r"big\.xhtml"):
        read(make_epub({"c.xhtml": page("x")}, spine=["b"], manifest_extra=extra, extra=big))
    with pytest.raises(ResourceLimit):
        read(make_epub({"c.xhtml": page("x")}, extra=big), limits=ReadLimits(epub_total_bytes=1024))
    with pytest.raises(ResourceLimit, match="entries"):
        read(make_epub({"c.xhtml": page("x")}), limits=ReadLimits(epub_entries=2))


def test_own_entities_are_never_expanded() -> None:
    doctype = '<!DOCTYPE html [<!ENTITY own "expanded"><!ENTITY file SYSTEM "file:///etc/passwd">]>'
    document = read_body("<p>a &own; b &file; c</p>", doctype=doctype)
    assert document.text == "a &own; b &file; c"
    assert codes(document) == ["entities"]


def test_deep_nesting_is_a_clean_error() -> None:
    with pytest.raises(ResourceLimit, match="limit of the XML parser"):
        read_body("<div>" * 50_000 + "deep" + "</div>" * 50_000)


def test_a_broken_package_is_an_error_and_no_shorter_book() -> None:
    """design/ingest.md 2.1: a recovering parser silently drops a chapter here."""
    with pytest.raises(Malformed, match=r"p\.opf"):
        read(make_epub({"c.xhtml": page("<p>x</p>")}, manifest_extra="<item id='broken'"))


def test_damaged_navigation_is_a_warning() -> None:
    extra = {"OPS/toc2.ncx": b"<ncx"}
    content = make_epub(
        {"c.xhtml": page("<p>x</p>")},
        manifest_extra='<item id="n" href="toc2.ncx" media-type="application/x-dtbncx+xml"/>',
        extra=extra,
    )
    assert codes(read(content)) == ["navigation"]


def test_cancel_stops_between_chapters() -> None:
    chapters = {"a.xhtml": page("<p>x</p>"), "b.xhtml": page("<p>y</p>")}
    seen: list[object] = []
    with pytest.raises(Cancelled):
        read(make_epub(chapters), progress=seen.append, cancelled=lambda: len(seen) == 1)

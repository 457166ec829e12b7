"""Plain text: decoding without guessing, exact text, pages by form feeds, careful headings."""

from __future__ import annotations

import pytest

from cmtui.errors import EmptyFile, EncodingUnknown, NoText, NotText, ResourceLimit
from cmtui.ingest.limits import ReadLimits
from cmtui.ingest.readers.text import TextReader
from cmtui.model.ingest import ReadDocument
from cmtui.model.source import PageBasis, PassageRole


def read(content: bytes | str, **options: object) -> ReadDocument:
    data = content.encode("utf-8") if isinstance(content, str) else content
    return TextReader().read(data, name="notes.txt", **options)  # type: ignore[arg-type]


def steps(document: ReadDocument) -> dict[str, int]:
    return {step.name: step.count for step in document.profile.steps}


@pytest.mark.parametrize(
    "codec", ["utf-8-sig", "utf-16", "utf-16-le-bom", "utf-16-be-bom", "utf-32-le-bom", "utf-32-be-bom"]
)
def test_a_byte_order_mark_decides_and_is_no_character(codec: str) -> None:
    text = "Café 𝐀 end."
    if codec.endswith("-bom"):
        name = codec.removesuffix("-bom")
        content = ("\ufeff" + text).encode(name)
    else:
        content = text.encode(codec)
    document = read(content)
    assert document.text == text
    assert document.profile.steps[0].count == 1


def test_without_a_mark_only_utf8_is_read() -> None:
    with pytest.raises(EncodingUnknown) as raised:
        read(b"caf\xc3\xa9 and caf\xe9 too")
    assert "0xe9 at offset 13" in raised.value.message
    assert "--encoding" in raised.value.hint


def test_a_stated_encoding_is_used_and_recorded() -> None:
    document = read(b"caf\xe9", encoding="latin-1")
    assert document.text == "café"
    assert document.profile.steps[0].name == "decode:iso8859-1"


def test_a_stated_encoding_that_does_not_exist() -> None:
    with pytest.raises(EncodingUnknown, match="klingon"):
        read(b"x", encoding="klingon")
    with pytest.raises(EncodingUnknown, match="base64"):
        read(b"x", encoding="base64")


def test_nul_means_no_text() -> None:
    with pytest.raises(NotText, match="offset 3"):
        read(b"abc\0def")


def test_empty_and_blank_files() -> None:
    with pytest.raises(EmptyFile):
        read(b"")
    with pytest.raises(NoText):
        read(b"\xef\xbb\xbf \r\n\t\n")


def test_a_file_over_the_limit_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(ResourceLimit):
        read(b"x" * 101, limits=ReadLimits(text_file_bytes=100))


def test_line_ends_and_controls_go_by_counted_steps() -> None:
    """R13, R16: ordered, recorded steps; nothing else changes."""
    document = read("one\r\ntwo\rthree\nfo\x07ur\x7f \u2028 five\u0085 six\u00ad\u00a0 \n")
    assert document.text == "one\ntwo\nthree\nfour \u2028 five\u0085 six\u00ad\u00a0 \n"
    assert [step.name for step in document.profile.steps] == [
        "decode:utf-8",
        "repair-surrogates",
        "newlines",
        "strip-controls",
        "join",
    ]
    assert steps(document)["newlines"] == 2
    assert steps(document)["strip-controls"] == 2
    assert document.profile.label == "cmtui-canon/1"


def test_form_feeds_are_pages_but_no_labels() -> None:
    document = read("one\n\ftwo\n\fthree\n\f\n")
    pages = document.tables.pages
    assert [document.text[page.start : page.end] for page in pages] == ["one\n", "two\n", "three\n"]
    assert [page.label for page in pages] == [None, None, None]
    assert document.tables.page_basis is PageBasis.FORMFEED
    assert read("no page breaks").tables.page_basis is None


def test_paragraphs_are_numbered_and_slice_back() -> None:
    document = read("First one,\nstill first.\n\n  Second one.\n \t\n\nThird.")
    slices = [document.text[mark.start : mark.end] for mark in document.tables.paragraphs]
    assert slices == ["First one,\nstill first.", "Second one.", "Third."]
    assert [mark.number for mark in document.tables.paragraphs] == [1, 2, 3]


PROSE = "It was a long time before anybody spoke of the matter again, and then only in a low voice. " * 3


@pytest.mark.parametrize(
    "line",
    [
        "CHAPTER IV",
        "Chapter 4. The Pool",
        "INTRODUCTION",
        "The Pool of Tears",
        "Methods",
        "Part One",
        "2.1 Terms",
        "IV.",
    ],
)
def test_lines_that_are_headings(line: str) -> None:
    document = read(f"{PROSE}\n\n{line}\n\n{PROSE}\n")
    assert [block.role for block in document.blocks] == [
        PassageRole.BODY,
        PassageRole.HEADING,
        PassageRole.BODY,
    ]
    (section,) = document.tables.sections
    assert section.path == (line,)


@pytest.mark.parametrize(
    "line",
    [
        "He left.",
        "Where Is He?",
        "Dear Sir,",
        "the pool of tears",
        "“No,” said Alice.",
        "Chapter two was the one she liked best of all.",
        "1984",
        "A. B.",
        "LINE ONE\nLINE TWO",
    ],
)
def test_lines_that_are_none(line: str) -> None:
    document = read(f"{PROSE}\n\n{line}\n\n{PROSE}\n")
    assert PassageRole.HEADING not in {block.role for block in document.blocks}


def test_a_numbered_list_is_no_list_of_headings() -> None:
    document = read("1. Milk\n\n2. Bread and butter\n\n3. Salt\n")
    assert PassageRole.HEADING not in {block.role for block in document.blocks}


def test_numbered_headings_nest_by_their_depth() -> None:
    document = read(f"1. Terms\n\n{PROSE}\n\n1.1 Spans\n\n{PROSE}\n\n2. Offsets\n\n{PROSE}\n")
    assert [section.path for section in document.tables.sections] == [
        ("1. Terms",),
        ("1. Terms", "1.1 Spans"),
        ("2. Offsets",),
    ]


def test_a_list_of_names_is_no_list_of_headings() -> None:
    document = read("Ada Lovelace\n\nGrace Hopper\n\nMary Somerville\n")
    assert PassageRole.HEADING not in {block.role for block in document.blocks}


def test_a_chapter_number_and_its_title_nest() -> None:
    document = read(f"CHAPTER I\n\nDown the Rabbit-Hole\n\n{PROSE}\n\nCHAPTER II\n\n{PROSE}\n")
    assert [section.path for section in document.tables.sections] == [
        ("CHAPTER I",),
        ("CHAPTER I", "Down the Rabbit-Hole"),
        ("CHAPTER II",),
    ]


def test_the_list_of_references_has_its_own_role() -> None:
    document = read(f"{PROSE}\n\nReferences\n\nSmith, J. (2001). A title. A journal.\n")
    assert document.blocks[-1].role is PassageRole.REFERENCE


def test_gutenberg_markers_are_boundaries_and_stay_in_the_text() -> None:
    start, end = "*** START OF THIS EBOOK ***", "*** END OF THIS EBOOK ***"
    text = f"Header words.\n\n{start}\n\n{PROSE}\n\n{end}\n\nLicence words.\n"
    document = read(text)
    assert document.text == text
    assert [block.role for block in document.blocks].count(PassageRole.HEADING) == 2
    assert [section.path for section in document.tables.sections] == [("*** END OF THIS EBOOK ***",)]

"""PDF: labels only where stated, sections as page ranges, candidates with origins, clear failures."""

from __future__ import annotations

import io
import logging

import pypdf
import pytest

from cmtui.errors import (
    Cancelled,
    IngestError,
    Malformed,
    NoPages,
    NoTextLayer,
    PasswordRequired,
    ResourceLimit,
)
from cmtui.ingest.limits import ReadLimits
from cmtui.ingest.readers.pdf import PdfSourceReader
from cmtui.model.ingest import ReadDocument
from cmtui.model.progress import Progress
from cmtui.model.source import PageBasis
from support.pdf_fixtures import PdfBuilder, make_pdf, to_unicode_map, xmp_packet


def read(content: bytes, **options: object) -> ReadDocument:
    return PdfSourceReader().read(content, name="book.pdf", **options)  # type: ignore[arg-type]


def page_texts(document: ReadDocument) -> list[str]:
    return [document.text[page.start : page.end] for page in document.tables.pages]


def test_pages_are_joined_by_one_form_feed_and_slice_back() -> None:
    document = read(make_pdf(["Page one.", "Page two."]))
    assert document.text == "Page one.\fPage two."
    assert page_texts(document) == ["Page one.", "Page two."]
    assert [page.number for page in document.tables.pages] == [1, 2]
    assert document.tables.page_basis is PageBasis.PHYSICAL


def test_the_profile_names_the_extractor_its_version_and_its_mode() -> None:
    """R13, R16: explicit and auditable."""
    profile = read(make_pdf(["One.", "Two."])).profile
    assert (profile.extractor.name, profile.extractor.version) == ("pypdf", pypdf.__version__)
    assert [(step.name, step.count) for step in profile.steps] == [
        ("pdf-text:plain", 2),
        ("repair-surrogates", 0),
        ("newlines", 0),
        ("strip-controls", 0),
        ("join", 1),
    ]


def test_without_page_labels_no_label_is_invented() -> None:
    """design/ingest.md 0.4: pypdf answers '1', '2' for files that state no labels."""
    assert {page.label for page in read(make_pdf(["a", "b"])).tables.pages} == {None}


def test_stated_labels_are_kept_verbatim_and_may_repeat() -> None:
    content = make_pdf(
        ["a", "b", "c", "d"],
        labels="0 << /S /r /St 3 >> 2 << /S /D >> 3 << /S /D /P (App-) >>",
    )
    assert [page.label for page in read(content).tables.pages] == ["iii", "iv", "1", "App-1"]


def test_an_outline_with_one_entry_per_page_gives_page_ranges() -> None:
    content = make_pdf(
        ["cover", "p one", "p two", "p three"], outline=[(1, "Preface", 2), (1, "Whales", 3), (2, "Blue", 4)]
    )
    document = read(content)
    found = [(s.path, document.text[s.start : s.end].strip("\f")) for s in document.tables.sections]
    assert found == [
        (("Preface",), "p one"),
        (("Whales",), "p two"),
        (("Whales", "Blue"), "p three"),
    ]


def test_entries_that_share_a_page_never_claim_each_others_text() -> None:
    """It is not known where on a page one section ends, so only what their paths share is said."""
    content = make_pdf(
        ["one", "two", "three"],
        outline=[(1, "Methods", 1), (2, "Data", 2), (2, "Model", 2), (1, "End", 3), (1, "End", 3)],
    )
    document = read(content)
    sections = document.tables.sections
    assert len({section.ordinal for section in sections}) == len(sections)
    titles = [section.path[-1] for section in sections]
    assert [title for title in titles if title in {"Data", "Model"}] == ["Data", "Model"]
    covering = {document.text[s.start : s.end].strip("\f"): s.path for s in sections if s.end > s.start}
    assert covering == {"one": ("Methods",), "two": ("Methods",), "three": ("End",)}


def test_nested_entries_on_one_page_give_the_deepest() -> None:
    sections = read(make_pdf(["one", "two"], outline=[(1, "A", 1), (2, "B", 1)])).tables.sections
    assert [section.path for section in sections if section.end > section.start] == [("A", "B")]


def test_document_information_and_xmp_are_candidates_with_their_origin() -> None:
    """R102: both are shown when they disagree; nothing is written."""
    content = make_pdf(
        ["a"],
        info={"Title": "Info title\x00", "Author": "A. Writer", "Subject": " "},
        xmp=xmp_packet(title="XMP title", creators=["B. Writer", "C. Writer"], doi="10.1000/182"),
        language="de-DE",
    )
    document = read(content)
    assert [(c.field, c.value, c.origin) for c in document.candidates] == [
        ("title", "Info title", "DocInfo"),
        ("author", "A. Writer", "DocInfo"),
        ("title", "XMP title", "XMP"),
        ("author", "B. Writer", "XMP"),
        ("author", "C. Writer", "XMP"),
        ("doi", "10.1000/182", "XMP"),
    ]
    assert document.language == "de-DE"


def test_broken_xmp_is_a_warning() -> None:
    document = read(make_pdf(["a"], xmp="<not xml"))
    assert [warning.code for warning in document.warnings] == ["metadata"]


def test_one_bad_page_is_a_warning_and_a_gap() -> None:
    """design/ingest.md 6.15: the other pages stay."""
    document = read(make_pdf(["first page", "lost", "third page"], broken=[2]))
    assert page_texts(document) == ["first page", "", "third page"]
    (broken,) = [warning for warning in document.warnings if warning.code == "broken-pages"]
    assert broken.pages == (2,)


def test_all_pages_bad_is_an_error() -> None:
    with pytest.raises(Malformed, match=r"book\.pdf"):
        read(make_pdf(["x"], broken=[1]))


def test_empty_pages_are_listed_and_a_scan_is_refused() -> None:
    """design/ingest.md 6.14."""
    document = read(make_pdf(["words", "", "more", ""]))
    assert [(w.code, w.pages) for w in document.warnings] == [("empty-pages", (2, 4))]
    with pytest.raises(NoTextLayer) as raised:
        read(make_pdf(["", ""]))
    assert "ocrmypdf book.pdf book-ocr.pdf" in raised.value.hint


def test_no_pages() -> None:
    with pytest.raises(NoPages):
        read(make_pdf([]))


def test_too_many_pages_or_characters() -> None:
    with pytest.raises(ResourceLimit, match="3 pages; 2"):
        read(make_pdf(["a", "b", "c"]), limits=ReadLimits(pages=2))
    with pytest.raises(ResourceLimit, match="characters"):
        read(make_pdf(["abcdef", "ghijkl"]), limits=ReadLimits(characters=10))


def test_a_page_over_its_limit_is_left_out() -> None:
    document = read(make_pdf(["short", "much longer"]), limits=ReadLimits(page_characters=6))
    assert page_texts(document) == ["short", ""]
    assert ("page-limit", (2,)) in [(w.code, w.pages) for w in document.warnings]


def _encrypted(user: str, owner: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(make_pdf(["Secret words."])))
    writer.encrypt(user_password=user, owner_password=owner, algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_an_owner_password_alone_does_not_close_the_file() -> None:
    assert read(_encrypted("", "owner")).text == "Secret words."


def test_a_user_password_is_asked_for_and_used() -> None:
    content = _encrypted("sesame", "owner")
    with pytest.raises(PasswordRequired) as raised:
        read(content)
    assert "--password" in raised.value.hint
    with pytest.raises(PasswordRequired, match="does not open") as wrong:
        read(content, password="simsim")
    assert "simsim" not in wrong.value.message + wrong.value.hint
    assert read(content, password="sesame").text == "Secret words."


def test_lone_surrogates_are_repaired_and_counted() -> None:
    """design/ingest.md 6.9: ToUnicode with D835 alone never breaks a write."""
    mapping = to_unicode_map({"A": "D835", "B": "D835DC00", "C": "0000", "D": "FFFE", "E": "000C"})
    document = read(make_pdf(["xABCDEy"], to_unicode=mapping))
    assert document.text == "x\ufffd\U0001d400 y"
    document.text.encode("utf-8")
    counts = {step.name: step.count for step in document.profile.steps}
    assert counts["repair-surrogates"] == 1
    assert counts["strip-controls"] == 2
    assert counts["join"] == 1


def test_glyph_names_and_joined_words_are_flagged() -> None:
    """design/ingest.md 6.8, 6.11: a warning with the page, never a rewritten text."""
    glyphs = " ".join(f"/g{n}" for n in range(40))
    joined = " ".join(["ThisisatextwithoutanyblanksbetweenItsWords"] * 8)
    document = read(make_pdf(["Plain words on a page.", glyphs, joined]))
    assert {(w.code, w.pages) for w in document.warnings} == {
        ("unmapped-glyphs", (2,)),
        ("joined-words", (3,)),
    }


def test_the_list_of_references_has_its_own_role() -> None:
    words = "Whales sing at night, and the sound carries far across the water. "
    last = [
        "The end of it.",
        "References\nSmith, J. 2001. On whales.",
        "Jones, K. 2002.",
        "Appendix A\nMore.",
    ]
    content = make_pdf([words, words, *last])
    document = read(content)
    found = [(str(b.role), document.text[b.start : b.end]) for b in document.blocks][2:]
    assert found == [
        ("body", "The end of it."),
        ("heading", "References"),
        ("reference", "Smith, J. 2001. On whales."),
        ("reference", "Jones, K. 2002."),
        ("body", "Appendix A\nMore."),
    ]


def test_a_formula_between_blank_lines_does_not_cut_the_sentence() -> None:
    document = read(make_pdf(["The energy of the body is thus\n\nequal to its mass.\n\nNext paragraph."]))
    assert [document.text[b.start : b.end].split()[0] for b in document.blocks] == ["The", "Next"]


def test_progress_counts_pages_and_cancel_stops_between_them() -> None:
    seen: list[Progress] = []
    content = make_pdf(["a", "b", "c"])
    read(content, progress=seen.append)
    assert [(state.done, state.total) for state in seen] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    with pytest.raises(Cancelled):
        read(content, cancelled=lambda: len(seen) > 4, progress=seen.append)


def test_the_readers_log_never_reaches_the_screen(caplog: pytest.LogCaptureFixture) -> None:
    content = make_pdf(["words"]).replace(b"startxref\n", b"startxref\n9")
    assert read(content).text == "words"
    assert caplog.records == []
    assert logging.getLogger("pypdf").propagate


def test_an_optional_font_library_does_not_change_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """R23: the same bytes give the same ids on every machine, whatever else is installed there."""
    from pypdf.generic import _font

    seen: list[bool] = []
    monkeypatch.setattr(_font, "HAS_FONTTOOLS", True)
    read(make_pdf(["words"]), progress=lambda _: seen.append(_font.HAS_FONTTOOLS))
    assert set(seen) == {False}
    assert _font.HAS_FONTTOOLS is True


def _cyclic() -> bytes:
    pdf = PdfBuilder()
    root = pdf.add("<< /Type /Catalog /Pages 2 0 R >>")
    pdf.add("<< /Type /Pages /Kids [2 0 R] /Count 1 >>")
    return pdf.render(root)


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.7\n",
        b"%PDF-1.7\n" + b"\0" * 4000,
        b"%PDF-1.4\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF",
        make_pdf(["words"])[:300],
        make_pdf(["words"]).replace(b"/Kids", b"/Kidz"),
        make_pdf(["words"]).replace(b"/Type /Catalog", b"/Type /Nothing"),
        make_pdf(["words"]).replace(b"/Pages 2 0 R", b"/Pages 9 0 R"),
        _cyclic(),
    ],
    ids=["header", "zeros", "no-objects", "cut", "no-kids", "no-catalog", "no-tree", "cycle"],
)
def test_damage_is_an_ingest_error_or_a_clean_read(content: bytes) -> None:
    refused: IngestError | None = None
    try:
        assert read(content).text == "words"
    except IngestError as error:
        refused = error
    assert refused is None or ("book.pdf" in refused.message and refused.hint)


def roles(document: ReadDocument) -> list[tuple[str, str]]:
    return [(str(block.role), document.text[block.start : block.end]) for block in document.blocks]


def test_a_title_of_the_outline_is_a_heading_on_its_own_page_only() -> None:
    """A heading left inside a paragraph would be read as the beginning of its first sentence."""
    content = make_pdf(
        [
            "First page.",
            "2. The light\nIt was lit in 1876.",
            "It says so of\nThe light\nand of nothing else.",
        ],
        outline=[(1, "2 The Light", 2)],
    )
    assert roles(read(content)) == [
        ("body", "First page."),
        ("heading", "2. The light"),
        ("body", "It was lit in 1876."),
        ("body", "It says so of\nThe light\nand of nothing else."),
    ]


def test_a_usual_heading_word_alone_on_its_line_is_a_heading() -> None:
    content = make_pdf(["A paper.\nAbstract\nWe did it.\n1 Introduction\nIt is old; the\nresults\nstand."])
    assert roles(read(content)) == [
        ("body", "A paper."),
        ("heading", "Abstract"),
        ("body", "We did it."),
        ("heading", "1 Introduction"),
        ("body", "It is old; the\nresults\nstand."),
    ]

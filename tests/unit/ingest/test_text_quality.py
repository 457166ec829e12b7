"""Bad text is named with its pages and what to do; good text gives no alarm (issue 3 part 5)."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from cmtui.ingest.readers.pdf import PdfSourceReader
from cmtui.ingest.readers.quality import page_flaws
from cmtui.model.ingest import PDFIUM_ADVICE as ADVICE
from support.pdf_fixtures import make_pdf, to_unicode_map

FILES = Path(__file__).parents[3] / ".." / "shared" / "data" / "files"
PROSE = (
    "The keeper of the lighthouse wrote into his book what he had seen before dawn, and the assurance of the "
    "committee that a technical inspection of the lamp would follow came three weeks later with the vessel. "
)
CUT = (
    PROSE.replace("assurance", "assuranc").replace("technical", "technica").replace("inspection", "inspectio")
)
CUT *= 2
GERMAN = (
    "Die Donaudampfschifffahrtsgesellschaft veröffentlichte ihre Rechenschaftsberichte über Grundstücks"
    "verkehrsgenehmigungen regelmäßig; die Ausschüsse prüften außerdem jährlich die Haushaltsführung. "
)
FRENCH = (
    "L’été dernier, les élèves préféraient déjà naïvement être aidés à lire où le maître l’avait exigé. " * 3
)
VIETNAMESE = "Người giữ ngọn hải đăng đã viết vào cuốn sổ những gì ông nhìn thấy trước bình minh hôm ấy. " * 3
RUSSIAN = "Смотритель маяка записал в книгу то, что увидел перед рассветом, и лёг спать до полудня. " * 3
MATHS = (
    "where σx and βi are the errors of αB, and Δt the step of μm on page H2O of Fe3 and CO2 in the text. " * 3
)
CODE = (
    "call getPassageText and then setPassageRole on the newPassage that makePassage gave to the reader. " * 3
)
JAPANESE = "灯台守はPDFの日の出前に見たことを本に書いた。Webで技術的な検査が行われた。" * 6


def codes(text: str, removed: int = 0) -> set[str]:
    return {code for code, _ in page_flaws(text, removed)}


@pytest.mark.parametrize(
    "text", [PROSE, GERMAN * 2, FRENCH, VIETNAMESE, RUSSIAN, MATHS, CODE, JAPANESE, "", "12", "ﬁ ﬂ ﬃ " * 60]
)
def test_good_text_gives_no_alarm(text: str) -> None:
    assert codes(text) == set()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("/g18 /g152 /g3 /g44 and " * 40, "unmapped-glyphs"),
        ("words \ue001\ue002 of \ufffd " * 40, "unmapped-glyphs"),
        (PROSE.replace(" ", "") * 2, "joined-words"),
        ("Chapter1 WhatisEarthScience? TheearthScience2 isthestudyofEarth " * 5, "joined-words"),
        ("naÃ¯ve cafÃ© words and a few others of the kind " * 6, "mojibake"),
        ("ÖÐ»ªÈËÃñ¹²ºÍ¹ú ÊÇ Ò»¸ö ¹¤ÈË½×¼¶ " * 12, "mojibake"),
        ("aбc dеf gжh قbت wюx " * 20, "mojibake"),
        (CUT, "cut-letters"),
    ],
)  # fmt: skip
def test_bad_text_is_named(text: str, code: str) -> None:
    assert code in codes(text)


def test_removed_control_characters_are_told() -> None:
    assert codes(PROSE, removed=20) == {"control-characters"}
    assert codes(PROSE, removed=1) == set()


def test_a_warning_names_the_pages_and_advises_another_reader() -> None:
    glyphs = "/g18 /g152 /g3 /g44"
    read = PdfSourceReader().read(make_pdf([PROSE[:80], glyphs, "", glyphs]), name="book.pdf")
    found = {warning.code: warning for warning in read.warnings}
    assert found["unmapped-glyphs"].pages == (2, 4)
    assert found["unmapped-glyphs"].message.endswith(ADVICE)
    assert found["empty-pages"].pages == (3,)
    assert ADVICE not in found["empty-pages"].message


def test_control_characters_of_a_font_without_mapping_are_told() -> None:
    read = PdfSourceReader().read(
        make_pdf(["ZZZ words"], to_unicode=to_unicode_map({"Z": "0001"})), name="book.pdf"
    )
    assert [warning.code for warning in read.warnings] == ["control-characters"]


def _good_files() -> list[str]:
    manifest = FILES / "manifest.tsv"
    if not manifest.exists():
        return []
    with manifest.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            row["file"]
            for row in rows
            if row["file"].startswith("pdf/") and row["class(expected)"].startswith("ok:")
        ]


@pytest.mark.skipif(not FILES.exists(), reason="../shared/data/files is not here")
def test_the_good_files_give_no_alarm() -> None:
    """One file is made of glyphs that a font maps to NUL."""
    alarms: dict[str, list[str]] = {}
    for name in _good_files():
        path = FILES / name
        read = PdfSourceReader().read(path.read_bytes(), name=path.name)
        found = [w.code for w in read.warnings if w.message.endswith(ADVICE)]
        if found:
            alarms[path.name] = found
    assert alarms == {"tounicode-nul-nonbmp-lig.pdf": ["control-characters"]}

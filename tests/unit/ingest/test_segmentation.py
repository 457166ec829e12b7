"""Sentences and passages: exact spans that never cross what they may not (D14, design/ingest.md 4)."""

from __future__ import annotations

import pytest

from cmtui.ingest.segmentation import MAXIMUM, TARGET_MAX, TARGET_MIN, passages, sentences
from cmtui.model.identity import sha256_text
from cmtui.model.ingest import Block
from cmtui.model.selectors import Span
from cmtui.model.source import (
    ChapterMark,
    LocatorTables,
    PageBasis,
    PageMark,
    PassageRole,
    SectionMark,
)


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    "marked",
    [
        "Dr. Smith went to Washington.| He met Mr. Jones there.",
        "See fig. 3 and p. 12 of vol. ii.| The rest follows.",
        "J. K. Rowling wrote it.| It sold well.",
        "The bell rang at 5 p.m. on Monday.| Nobody came.",
        "It was 5 p.m.| The bell rang.",
        "The U.S. Government said so.| Nobody listened.",
        "The value is 3.14.| Next comes 2.72.",
        '"Who are you?" asked Alice.| "I hardly know."',
        "“Stop!” he cried.| She did not.",
        "He said “stop.”| She did.",
        "Smith et al. (2000) found it.| Others did not.",
        "It worked well.[12]| Then it failed.",
        "Sleep helps memory.3| The trial showed it.",
        "Apples, e.g. Granny Smith, are fine.| So are pears, i.e. Williams.",
        "(He left.)| She stayed.",
        "Wait... what?| No!",
        "The end…| Then more.",
        "We used vitamin C.| The dose was low.",
        "No. 5 is here.| No.| It is not.",
        "1. First item.| 2. Second item.",
        "The firm Acme Inc. Holdings grew.| Acme Inc.| It also shrank.",
        "Lines may\nbreak inside a\nsentence.| Like this one.",
        "A heading without a stop\n\n|The paragraph after it.",
        "the body is thus\n\nequal to its mass.",
        "これは文です。|次の文です。",
        "Is it so?!| Yes.",
        "Over.| 12 men came.",
        "It ended in 1905.| The war began.",
        "Prof. Dr. A. B. Miller agrees.",
        "See Sec. 4.2 for details.| Then stop.",
    ],
)
def test_hard_sentences(marked: str) -> None:
    pieces = [piece.strip() for piece in marked.split("|")]
    assert split(marked.replace("|", "")) == pieces


def test_a_span_limits_what_is_looked_at() -> None:
    text = "First one. Second one. Third one."
    inner = sentences(text, Span(6, 27))
    assert [text[span.start : span.end] for span in inner] == ["one.", "Second one.", "Thir"]
    assert sentences(text, Span(5, 5)) == []


def body(text: str) -> list[Block]:
    return [Block(0, len(text))]


SENTENCE = "The lamp was lit at dusk and burned until the morning came. "  # 60 code points


def test_passages_are_runs_of_whole_sentences_near_the_target() -> None:
    text = SENTENCE * 100
    cut = passages(text, body(text))
    assert [passage.index for passage in cut] == list(range(len(cut)))
    for passage in cut[:-1]:
        assert TARGET_MIN <= passage.end - passage.start <= TARGET_MAX
        assert text[passage.end - 1] == "."
    assert cut[-1].end == len(text.rstrip())
    assert all(sha256_text(text[p.start : p.end]) == p.text_sha256 for p in cut)


def test_short_paragraphs_of_one_section_share_a_passage() -> None:
    text = "First paragraph.\n\nSecond paragraph.\n\nThird."
    blocks = [Block(0, 16), Block(18, 35), Block(37, 43)]
    (only,) = passages(text, blocks)
    assert (only.start, only.end) == (0, len(text))


def test_a_paragraph_that_is_long_enough_stays_alone() -> None:
    first = (SENTENCE * 11).strip()
    text = first + "\n\n" + SENTENCE * 5
    cut = passages(text, [Block(0, len(first)), Block(len(first) + 2, len(text))])
    assert cut[0].end == len(first)


def test_a_short_tail_joins_the_passage_before_it() -> None:
    text = SENTENCE * 17  # 16 sentences fill the target; one would be left
    (only,) = passages(text, body(text))
    assert only.end - only.start == len(text) - 1 <= MAXIMUM


def test_a_sentence_over_the_maximum_is_cut_at_a_clause_then_a_blank_then_anywhere() -> None:
    clauses = "word " * 250 + "word; " + "word " * 300
    cut = passages(clauses, body(clauses))
    assert clauses[cut[0].end - 1] == ";"
    blanks = "word " * 1000
    assert all(blanks[p.start : p.end].endswith("word") for p in passages(blanks, body(blanks)))
    solid = "x" * 4000
    assert [p.end - p.start for p in passages(solid, body(solid))] == [1600, 1600, 800]


@pytest.mark.parametrize("table", ["pages", "chapters", "sections"])
def test_passages_never_cross_a_page_chapter_or_section(table: str) -> None:
    """D14."""
    text = "One short line.\fTwo short line."
    tables = {
        "pages": LocatorTables(
            pages=(PageMark(0, 15, 1), PageMark(16, 31, 2)), page_basis=PageBasis.PHYSICAL
        ),
        "chapters": LocatorTables(chapters=(ChapterMark(0, 15, 1, "a"), ChapterMark(16, 31, 2, "b"))),
        "sections": LocatorTables(sections=(SectionMark(16, 31, ("S",), 1),)),
    }[table]
    for blocks in ([Block(0, 15), Block(16, 31)], body(text)):
        cut = passages(text, blocks, tables)
        assert [text[p.start : p.end] for p in cut] == ["One short line.", "Two short line."]


@pytest.mark.parametrize(
    "role",
    [
        PassageRole.HEADING,
        PassageRole.LIST,
        PassageRole.TABLE,
        PassageRole.CODE,
        PassageRole.REFERENCE,
        PassageRole.FOOTNOTE,
    ],
)
def test_other_roles_never_mix_with_prose(role: PassageRole) -> None:
    text = "Prose.\n\nOther.\n\nProse."
    cut = passages(text, [Block(0, 6), Block(8, 14, role), Block(16, 22)])
    assert [(p.start, p.end, p.role) for p in cut] == [
        (0, 6, PassageRole.BODY),
        (8, 14, role),
        (16, 22, PassageRole.BODY),
    ]


def test_list_items_share_a_passage_and_headings_do_not() -> None:
    text = "One\n\nTwo"
    for role, count in ((PassageRole.LIST, 1), (PassageRole.HEADING, 2), (PassageRole.FOOTNOTE, 2)):
        assert len(passages(text, [Block(0, 3, role), Block(5, 8, role)])) == count


def test_text_between_blocks_keeps_them_apart() -> None:
    """Front matter and other text outside of blocks gives no passage and joins none."""
    text = "One. hidden Two."
    cut = passages(text, [Block(0, 4), Block(12, 16)])
    assert [text[p.start : p.end] for p in cut] == ["One.", "Two."]


def test_blank_blocks_give_no_passage() -> None:
    assert passages(" \u00a0\n", body(" \u00a0\n")) == ()


def test_repeated_text_has_its_own_span_each_time() -> None:
    """design/ingest.md 6.21: spans are carried, never searched."""
    text = "Chunk chunk. Chunk chunk."
    assert sentences(text) == [Span(0, 12), Span(13, 25)]

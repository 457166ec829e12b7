"""Markdown: the file's own text, headings outside fences, roles, and front matter as candidates only."""

from __future__ import annotations

import pytest

from cmtui.errors import NoText
from cmtui.ingest.limits import ReadLimits
from cmtui.ingest.readers.markdown import MarkdownReader
from cmtui.model.ingest import ReadDocument


def read(text: str, **options: object) -> ReadDocument:
    return MarkdownReader().read(text.encode("utf-8"), name="paper.md", **options)  # type: ignore[arg-type]


def roles(document: ReadDocument) -> list[tuple[str, str]]:
    return [(str(block.role), document.text[block.start : block.end]) for block in document.blocks]


def test_canonical_text_is_the_files_own_text() -> None:
    """D5: markup stays, so that a quote can be found in the file itself."""
    text = "# A *title*\n\nSome [link](http://x.org) and `code`.\n"
    assert read(text).text == text


def test_atx_and_setext_headings_make_the_section_path() -> None:
    document = read("# One #\n\na\n\nTwo\n===\n\nb\n\nThree\n---\n\nc\n\n### Four\n\nd\n")
    sections = document.tables.sections
    assert [section.path for section in sections] == [
        ("One",),
        ("Two",),
        ("Two", "Three"),
        ("Two", "Three", "Four"),
    ]
    assert [section.ordinal for section in sections] == [1, 2, 3, 4]
    assert document.text[sections[1].start : sections[1].end] == "Two\n===\n\nb\n\n"


def test_repeated_titles_stay_apart_by_their_ordinal() -> None:
    sections = read("# A\n\nx\n\n# A\n\ny\n").tables.sections
    assert [section.path for section in sections] == [("A",), ("A",)]
    assert [section.ordinal for section in sections] == [1, 2]


@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
def test_a_hash_inside_a_fence_is_no_heading(fence: str) -> None:
    document = read(f"# A\n\n{fence}python\n# no heading\n\nx = 1\n{fence}\n\nafter\n")
    assert [section.path for section in document.tables.sections] == [("A",)]
    assert roles(document)[1] == ("code", f"{fence}python\n# no heading\n\nx = 1\n{fence}")


def test_a_fence_that_never_closes_runs_to_the_end() -> None:
    document = read("text\n\n```\n# no heading\n")
    assert roles(document) == [("body", "text"), ("code", "```\n# no heading")]


def test_roles_of_blocks() -> None:
    document = read(
        "para one\nruns on\n\n- item one\n  runs on\n- item two\n\n1. first\n\n> quoted\n> words\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n    indented = code\n\n<!-- hidden\nwords -->\n\n"
        "[^1]: A note.\n\n***\n\nlast\n"
    )
    assert roles(document) == [
        ("body", "para one\nruns on"),
        ("list", "- item one\n  runs on"),
        ("list", "- item two"),
        ("list", "1. first"),
        ("body", "> quoted\n> words"),
        ("table", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("code", "indented = code"),
        ("code", "<!-- hidden\nwords -->"),
        ("footnote", "[^1]: A note."),
        ("body", "last"),
    ]


def test_a_year_at_a_line_start_does_not_begin_a_list() -> None:
    assert roles(read("It ended in\n1914. Then came the war.\n")) == [
        ("body", "It ended in\n1914. Then came the war.")
    ]


def test_reference_sections_have_their_own_role_until_the_next_heading() -> None:
    document = read(
        "# Text\n\na\n\n## References\n\nSmith 2001\n\n- Jones 2002\n\n### Books\n\nLi\n\n## After\n\nb\n"
    )
    assert [role for role, _ in roles(document)] == [
        "heading",
        "body",
        "heading",
        "reference",
        "reference",
        "heading",
        "reference",
        "heading",
        "body",
    ]


def test_paragraphs_are_numbered_within_their_section() -> None:
    document = read("a\n\nb\n\n# S\n\nc\n\n- no paragraph\n\nd\n")
    numbers = {document.text[m.start : m.end]: m.number for m in document.tables.paragraphs}
    assert numbers == {"a": 1, "b": 2, "c": 1, "d": 2}


FRONT = """---
title: 'A: title'
authors:
  - name: Ada Lovelace
    orcid: 0000
  - Grace Hopper
  - {given: Mary, family: Somerville}
date: 2021-04-15
lang: en-GB
layout: post
---

# Body

Words.
"""


def test_front_matter_gives_candidates_and_no_blocks() -> None:
    """R102: offered with their origin, never written; and never evidence."""
    document = read(FRONT)
    assert [(item.field, item.value) for item in document.candidates] == [
        ("title", "A: title"),
        ("author", "Ada Lovelace"),
        ("author", "Grace Hopper"),
        ("author", "Mary Somerville"),
        ("date", "2021-04-15"),
        ("language", "en-GB"),
    ]
    assert {item.origin for item in document.candidates} == {"front matter"}
    assert document.language == "en-GB"
    assert document.text == FRONT
    assert document.blocks[0].start == FRONT.index("# Body")


@pytest.mark.parametrize(
    "block",
    [
        "a: &x [1, 2]\nb: *x\n",
        "title: [unclosed\n",
        "title: !!python/object/apply:os.system ['true']\n",
        "date: 2021-99-99\n",
        "a: " + "[" * 5000 + "\n",
    ],
)
def test_unsafe_or_broken_front_matter_offers_nothing_and_says_so(block: str) -> None:
    document = read(f"---\n{block}---\n\nWords.\n")
    assert document.candidates == ()
    assert [warning.code for warning in document.warnings] == ["front-matter"]
    assert roles(document) == [("body", "Words.")]


def test_front_matter_over_the_limit_is_text() -> None:
    document = read(
        "---\ntitle: x\n" + "# pad\n" * 50 + "---\n\nWords.\n", limits=ReadLimits(front_matter_bytes=100)
    )
    assert document.candidates == ()
    assert [warning.code for warning in document.warnings] == ["front-matter"]


def test_a_thematic_break_at_the_top_is_no_front_matter() -> None:
    document = read("---\n\nWords here.\n\n---\n\nMore.\n")
    assert [text for _, text in roles(document)] == ["Words here.", "More."]
    assert document.warnings == ()


def test_only_front_matter_is_no_text() -> None:
    with pytest.raises(NoText):
        read("---\ntitle: x\n---\n")

"""BibTeX records read back as what was written (R106: a safely escaped serializer)."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmtui.bibliography import bibtex, markup
from cmtui.bibliography.metadata import validate_item
from cmtui.bibliography.service import Formatter, format_items
from support.csl_items import items, wild, words

QUICK = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
_COMMANDS = {
    "\\textasciitilde": "~",
    "\\textasciicircum": "^",
    "\\textbackslash": "\\",
    "\\textbraceleft": "{",
    "\\textbraceright": "}",
}


def read_records(text: str) -> list[tuple[str, str, dict[str, str]]]:
    """A minimal reader that counts braces as BibTeX does, without regard to backslashes."""
    records = []
    position = 0
    while match := re.compile(r"@(\w+)\{([^,\s]+),").search(text, position):
        position = match.end()
        fields: dict[str, str] = {}
        while field := re.compile(r"\s*([\w-]+) = ").match(text, position):
            position = field.end()
            if text[position] == "{":
                depth, start = 0, position + 1
                while True:
                    depth += (text[position] == "{") - (text[position] == "}")
                    position += 1
                    if depth == 0:
                        break
                value = text[start : position - 1]
            else:
                value = re.compile(r"\w+").match(text, position).group()  # type: ignore[union-attr]
                position += len(value)
            assert field[1] not in fields
            fields[field[1]] = value
            assert text[position] == ","
            position += 1
        assert text[position : position + 2] == "\n}"
        position += 2
        records.append((match[1], match[2], fields))
    return records


def unescape(text: str) -> str:
    """What LaTeX prints: escapes resolved, grouping braces gone."""
    output, position = "", 0
    while position < len(text):
        command = re.compile(r"(\\text[a-z]+)\{\}").match(text, position)
        if command and command[1] in _COMMANDS:
            output += _COMMANDS[command[1]]
            position = command.end()
        elif text[position] == "\\":
            formatting = re.compile(r"\\text[a-z]+\{").match(text, position)
            if formatting:
                position = formatting.end()
            else:
                output += text[position + 1]
                position += 2
        else:
            output += {"{": "", "}": "", "~": " "}.get(text[position], text[position])
            position += 1
    return output


def clean(text: str) -> str:
    return markup.clean(text).replace("\u00a0", " ")


@QUICK
@given(st.one_of(st.text(), wild))
def test_escape_round_trip(text: str) -> None:
    text = clean(text)
    assert unescape(bibtex.escape(text)) == text
    assert unescape(bibtex.protect(text)) == text


@QUICK
@given(st.one_of(st.text(), wild))
def test_escaped_text_never_unbalances_the_file(text: str) -> None:
    for written in (bibtex.escape(clean(text)), bibtex.protect(markup.enrich(clean(text)))):
        depth = 0
        for character in written:
            depth += (character == "{") - (character == "}")
            assert depth >= 0
        assert depth == 0


def test_every_special_character_is_escaped_once() -> None:
    assert bibtex.escape("R&D 50% $5 #1 a_b {x} ~t ^c \\s") == (
        "R\\&D 50\\% \\$5 \\#1 a\\_b \\{x\\} \\textasciitilde{}t \\textasciicircum{}c \\textbackslash{}s"
    )
    assert bibtex.escape("a } b") == "a \\textbraceright{} b"


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("NASA and the iPhone", "{NASA} and the {iPhone}"),
        ("DNA-binding of mRNA", "{DNA}-binding of {mRNA}"),
        ("Plain Words Only", "Plain Words Only"),
        ("The R&D of <i>E. coli</i> DNA", "The {R\\&D} of \\textit{E. coli} {DNA}"),
    ],
)
def test_capitals_of_titles_are_protected(title: str, written: str) -> None:
    record = Formatter().format({"type": "book", "title": title}, style="bibtex").text
    assert f"  title = {{{written}}}," in record


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ({"family": "King", "given": "Martin Luther", "suffix": "Jr."}, "King, Jr., Martin Luther"),
        ({"family": "Gogh", "given": "Vincent", "non-dropping-particle": "van"}, "van Gogh, Vincent"),
        ({"family": "Goethe", "given": "J. W.", "dropping-particle": "von"}, "Goethe, J. W. von"),
        ({"literal": "Barnes and Noble"}, "{Barnes and Noble}"),
        ({"family": "Plato"}, "{Plato}"),
        ({"family": "Sand and Stone", "given": "A"}, "{Sand and Stone}, A"),
        ({"family": "Smith, Inc.", "given": "A"}, "{Smith, Inc.}, A"),
        ({"literal": "others"}, "{others}"),
    ],
)
def test_names(name: dict, written: str) -> None:
    assert bibtex.name_list([name]) == written
    assert bibtex.name_list([name, {"family": "B", "given": "C"}]) == f"{written} and B, C"


def test_a_record_in_full() -> None:
    item = {
        "type": "article-journal",
        "title": "Deep learning",
        "author": [{"family": "LeCun", "given": "Yann"}, {"literal": "R&D Group"}],
        "container-title": "Nature",
        "volume": 521,
        "issue": "7553",
        "page": "436-444",
        "issued": {"date-parts": [[2015, 3, 28]]},
        "DOI": "https://doi.org/10.1038/nature_14539",
        "URL": "https://x.org/a_b?x=1&y=50%25 {z}",
        "accessed": {"date-parts": [[2024, 1, 15]]},
    }
    assert Formatter().format(item, style="bibtex").text == (
        "@article{lecun2015,\n"
        "  author = {LeCun, Yann and {R\\&D Group}},\n"
        "  title = {Deep learning},\n"
        "  journal = {Nature},\n"
        "  volume = {521},\n"
        "  number = {7553},\n"
        "  pages = {436--444},\n"
        "  year = {2015},\n"
        "  month = mar,\n"
        "  date = {2015-03-28},\n"
        "  doi = {10.1038/nature_14539},\n"
        "  url = {https://x.org/a_b?x=1&y=50%25%20%7Bz%7D},\n"
        "  urldate = {2024-01-15},\n"
        "}"
    )


@pytest.mark.parametrize(
    ("kind", "genre", "entry"),
    [
        ("book", None, "book"),
        ("chapter", None, "incollection"),
        ("paper-conference", None, "inproceedings"),
        ("thesis", "PhD thesis", "phdthesis"),
        ("thesis", "Master's thesis", "mastersthesis"),
        ("report", None, "techreport"),
        ("webpage", None, "misc"),
        ("document", None, "misc"),
        ("dataset", None, "misc"),
    ],
)
def test_entry_types(kind: str, genre: str | None, entry: str) -> None:
    record = Formatter().format({"type": kind, "title": "T", "genre": genre}, style="bibtex").text
    assert record.startswith(f"@{entry}{{")


def test_ranges_of_dates_are_biblatex_dates() -> None:
    item = {"type": "book", "title": "T", "issued": {"date-parts": [[2020, 5, 1], [2020, 6]]}}
    assert "  date = {2020-05-01/2020-06}," in Formatter().format(item, style="bibtex").text


def test_keys_are_unique_without_regard_to_case() -> None:
    def work(key: str, family: str, **more: str) -> dict:
        return {
            "type": "book",
            "title": "T",
            "id": key,
            "author": [{"family": family, "given": "A"}],
            "issued": "2020",
            **more,
        }

    some = [work("1", "Smith"), work("2", "smith"), work("3", "X", **{"citation-key": "SMITH2020a"})]
    records = [read_records(text)[0] for _, text in format_items(some, style="bibtex").entries]
    assert [key for _, key, _ in records] == ["smith2020b", "smith2020c", "SMITH2020a"]


@QUICK
@given(st.lists(items(st.one_of(words, wild)), min_size=1, max_size=5))
def test_records_read_back_with_every_field(some: list[dict]) -> None:
    numbered = [{**item, "id": f"i{index}"} for index, item in enumerate(some)]
    made = format_items(numbered, style="bibtex")
    records = read_records("\n\n".join(text for _, text in made.entries))
    assert len(records) == len(some)
    keys = [key.casefold() for _, key, _ in records]
    assert len(set(keys)) == len(keys)
    for item, (_, key, fields) in zip(numbered, records, strict=True):
        assert re.fullmatch(r"[A-Za-z0-9:_-]+", key)
        valid = validate_item(item)
        title = markup.strip(markup.enrich(markup.clean(valid.get("title", ""))))
        assert unescape(fields.get("title", "")) == title.replace("\u00a0", " ")
        if "author" in valid:
            people = re.split(r" and (?![^{]*\})", fields["author"])
            assert len(people) == len(valid["author"])
            first = valid["author"][0]
            assert unicodedata.normalize("NFC", first.get("family", first.get("literal"))) in unescape(
                people[0]
            )
        if "URL" in valid:
            assert fields["url"] == valid["URL"]

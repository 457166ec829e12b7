"""What is written comes back: CSL to BibLaTeX, RIS and CSL-JSON and again to CSL (issue 5, part 6).

The fields that each format carries are stated in ``cmtui.bibliography.biblatex`` and ``.ris``; what it does
not carry must be named by a warning of the export.
"""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cmtui.bibliography import biblatex, ris
from cmtui.bibliography.export import RECORD, lost_fields, write_bibliography
from cmtui.bibliography.metadata import validate_item
from cmtui.bibliography.reading.detect import read_bibliography
from cmtui.bibliography.vocabulary import ITEM_TYPES
from support.csl_items import dates, items, names, wild, words

QUICK = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],  # items are large: shrinking one takes minutes
    suppress_health_check=[HealthCheck.too_slow],
)
texts = st.one_of(words, wild)
_PIECES = (
    *("A", "the", "NASA", "iPhone", "<i>E. coli</i>", "H<sub>2</sub>O", '<span class="nocase">de la</span>'),
    *(
        "“x”",
        "x--y",
        "``q''",
        "R&D",
        "50%",
        "$5",
        "a_b",
        "~",
        "^",
        "\\",
        "{x}",
        "Ž",
        "naïve",
        "#1",
        "村上",
        "?`",
    ),
)
titles = st.one_of(texts, st.lists(st.sampled_from(_PIECES), min_size=1, max_size=6).map(" ".join))
_TOKENS = (
    *("@", "book", "{", "}", "k", ",", "=", '"', "#", "\n", "\\", "TY  - ", "ER  -", "AU  - ", "[", "]"),
    *(":", "title", "\\'", "$", "and", " "),
)


def printable(item: dict) -> bool:
    try:
        validate_item(item)
    except Exception:
        return False
    return True


def rich_items(types: list[str], more: dict[str, st.SearchStrategy]) -> st.SearchStrategy[dict]:
    """Items of any of these types with the usual fields and ``more``."""
    extra = st.fixed_dictionaries({"type": st.sampled_from(types), "title": titles}, optional=more)
    return st.builds(lambda usual, rest: {**usual, **rest}, items(texts), extra).filter(printable)


_number = st.sampled_from(["1", "12", "3rd", "A-7", 4])
_dates_without_words = dates.filter(lambda date: isinstance(date, dict) and "date-parts" in date)
BIBLATEX = {
    **{variable: texts for _, variable, _ in biblatex.TEXT if variable not in ("language", "genre")},
    "collection-number": _number,
    "container-title-short": words,
    "container-author": names,
    "director": names,
    "compiler": names,
    "accessed": _dates_without_words,
    "event-date": _dates_without_words,
    "original-date": _dates_without_words,
    "ISBN": st.just("978-3-16-148410-0"),
    "ISSN": st.just("1234-567X"),
    "PMID": st.just("12345"),
    "PMCID": st.just("PMC77"),
    "URL": st.sampled_from(["https://example.org/a_b?x=1&y=50%25#z~q", "http://x.org/{a} b\\c"]),
    "archive": st.just("arXiv"),
    "archive_location": st.just("2001.01234v2"),
}
RIS = {
    **{variable: texts for _, variable, _ in ris.TEXT if variable not in ("title", "edition", "language")},
    "edition": _number,
    "collection-editor": names,
    "keyword": texts,
    "note": texts,
    "ISBN": st.just("978-3-16-148410-0"),
    "ISSN": st.just("1234-567X"),
}


def back(item: dict, format_name: str) -> tuple[dict, dict]:
    valid = validate_item(item)
    text = write_bibliography([valid], format_name).text
    read = read_bibliography(text, stated=format_name)
    assert not read.problems
    [entry] = read.entries
    return valid, entry.item


@QUICK
@given(rich_items(sorted(ITEM_TYPES & set(biblatex.FROM_CSL)), BIBLATEX))
def test_biblatex_loses_nothing_it_can_carry(item: dict) -> None:
    if "date-parts" not in validate_item(item).get("accessed", {"date-parts": []}):
        item = {key: value for key, value in item.items() if key != "accessed"}  # words are for ``year`` only
    if "archive_location" not in item:
        item = {key: value for key, value in item.items() if key != "archive"}  # eprinttype needs an eprint
    valid, read = back(item, "biblatex")
    assert lost_fields(valid, read) == [], (valid, read)
    assert set(read) - set(valid) <= RECORD


@QUICK
@given(rich_items(sorted(set(ris.TYPES.values()) & set(ris.FROM_CSL) - {"interview", "treaty"}), RIS))
def test_ris_loses_nothing_it_can_carry(item: dict) -> None:
    valid, _ = back(item, "ris")
    for name in ("issued", "accessed"):
        parts = valid.get(name, {}).get("date-parts", [])
        if len(parts) > 1 or (
            parts and (parts[0][0] < 1 or (len(parts[0]) > 1 and valid[name].get("circa")))
        ):
            del valid[name]
        elif parts and "season" in valid[name]:
            valid[name].pop("circa", None)
    if valid["type"] == "book" and "collection-title" not in valid:
        valid.pop("container-title", None)
    if valid["type"] in ("book", "thesis", "report") and str(valid.get("page", "")).isdigit():
        del valid["page"]
    if valid["type"] == "software":
        valid.pop("edition", None)
    else:
        valid.pop("version", None)
    valid, read = back(valid, "ris")
    assert lost_fields(valid, read) == [], (valid, read)


@QUICK
@given(st.lists(items(texts), max_size=4))
def test_csl_json_is_the_same_item(some: list[dict]) -> None:
    valid = [validate_item({**item, "id": f"i{index}"}) for index, item in enumerate(some)]
    text = write_bibliography(valid, "csl-json").text
    assert [entry.item for entry in read_bibliography(text, stated="csl-json").entries] == valid
    assert json.loads(text) == valid


@QUICK
@given(
    rich_items(
        sorted(ITEM_TYPES),
        {**BIBLATEX, **RIS, "composer": names, "medium": words, "custom": st.just({"a": 1})},
    )
)
@pytest.mark.parametrize("format_name", ["bibtex", "biblatex", "ris"])
def test_every_loss_is_named_by_a_warning(format_name: str, item: dict) -> None:
    """Nothing vanishes in silence: a field that does not come back stands in the warnings."""
    valid, read = back(item, format_name)
    lost = lost_fields(valid, read)
    warnings = write_bibliography([valid], format_name).warnings
    if not lost:
        assert warnings == ()
    else:
        [warning] = warnings
        for name in lost:
            assert re.search(rf"[ ,]{re.escape(name)}[ ,]", warning)


@QUICK
@given(st.lists(items(texts), min_size=1, max_size=3))
@pytest.mark.parametrize("format_name", ["bibtex", "biblatex", "ris"])
def test_reading_and_writing_again_changes_no_byte(format_name: str, some: list[dict]) -> None:
    """Escapes are never escaped again (latexcodec #54, #94), and the same items give the same bytes."""
    valid = [validate_item({**item, "id": f"i{index}"}) for index, item in enumerate(some)]
    text = write_bibliography(valid, format_name).text
    assert write_bibliography(valid, format_name).text == text
    once = [entry.item for entry in read_bibliography(text, stated=format_name).entries]
    again = write_bibliography(once, format_name).text
    twice = [entry.item for entry in read_bibliography(again, stated=format_name).entries]
    assert write_bibliography(twice, format_name).text == again


@QUICK
@given(st.one_of(st.text(), st.lists(st.sampled_from(_TOKENS)).map("".join)))
def test_no_text_breaks_a_reader(text: str) -> None:
    """Whatever is in a file, it is read or refused with a sentence."""
    from cmtui.bibliography.reading import bibtex
    from cmtui.errors import CmtuiError

    bibtex.read(text)
    ris.read(text)
    try:
        read_bibliography(text)
    except CmtuiError as error:
        refused = error
    else:
        return
    assert refused.message.endswith(".")
    assert refused.hint

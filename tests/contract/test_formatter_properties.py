"""Any valid item formats in every style and form, and what comes out is clean (R106, R107)."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmtui.bibliography import markup
from cmtui.bibliography.metadata import validate_item
from cmtui.bibliography.service import Formatter
from support.csl_items import items, wild

FORMATTER = Formatter()
FORMS = [
    (style, form)
    for style in ("mla", "apa", "chicago", "chicago-notes", "ieee")
    for form in (("reference", "inline", "footnote") if style == "chicago-notes" else ("reference", "inline"))
]
QUICK = settings(
    max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
_SENTINEL = re.compile("[\ue000-\uf8ff]")
_ADDRESS = re.compile(r"(?:https?://|doi: )\S+")


@pytest.mark.parametrize(("style", "form"), FORMS)
@QUICK
@given(item=items(), locator=st.sampled_from([None, "42", "42-45", "xii"]))
def test_output_of_clean_items_is_clean(style: str, form: str, item: dict, locator: str | None) -> None:
    text = FORMATTER.format(item, style=style, form=form, locator=locator).text
    assert text
    bare = _ADDRESS.sub("", text)
    assert not re.search(r"\.\.|,,|;;|::|,\.|\.,,|\?\.|!\.| [,.;](?:\s|$)", bare), text
    assert "None" not in bare
    assert not re.search(r"\(\s*\)|\[\s*\]|“\s*”|\(\s*,|,\s*\)", bare), text
    assert not re.search(r"</?(?:i|b|sup|sub|span)\b", bare), text
    assert not _SENTINEL.search(text)
    assert "  " not in text
    assert text == text.strip()


@pytest.mark.parametrize(("style", "form"), FORMS)
@QUICK
@given(item=items(wild), output=st.sampled_from(["plain", "markdown", "html", "rtf"]))
def test_any_valid_item_formats_without_sentinels(style: str, form: str, item: dict, output: str) -> None:
    text = FORMATTER.format(item, style=style, form=form, output=output).text
    assert not _SENTINEL.search(text)
    if output == "html":
        assert not re.search(r"<(?!/?(?:i|b|u|sup|sub|span)\b)", text)
        assert text.count("<i>") == text.count("</i>")
    if output == "rtf":
        assert text.isascii()
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\{", text)) == len(re.findall(r"(?<!\\)(?:\\\\)*\}", text))


@QUICK
@given(st.lists(items(), min_size=1, max_size=6), st.sampled_from([style for style, _ in FORMS]))
def test_a_bibliography_holds_every_item_once(some: list[dict], style: str) -> None:
    numbered = [{**item, "id": f"i{index}"} for index, item in enumerate(some)]
    made = FORMATTER.format_items(numbered, style=style)
    assert sorted(key for key, _ in made.entries) == sorted(item["id"] for item in numbered)
    if style == "ieee":
        assert [text.split("]")[0] for _, text in made.entries] == [f"[{i + 1}" for i in range(len(some))]


@QUICK
@given(items(wild))
def test_validation_is_idempotent(item: dict) -> None:
    once = validate_item(item)
    assert validate_item(once) == once


@QUICK
@given(st.text())
def test_user_text_cannot_carry_sentinels(text: str) -> None:
    assert not _SENTINEL.search(markup.clean(text))
